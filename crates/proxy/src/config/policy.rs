//! What holds for one tool: the command line, the environment, the configuration and the client's profile in their order.

use std::sync::OnceLock;

use indexmap::IndexMap;
use snugfit_engine::{self as engine, Encoding, Unit};

use super::fault::{Fault, Faults};
use super::{Budget, Config, Counting, Glob, Handling, Mode, Profile, Results, ResultsOverrides, Structured};

/// The environment variable that sets a budget in tokens.
pub const MAX_TOKENS_VARIABLE: &str = "SNUGFIT_MAX_TOKENS";

/// What the command line says about results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultFlags {
    /// `--mode`, or `--shrinkfit`.
    pub mode: Option<Mode>,
    /// `--max-tokens` and `--max-chars`, or `--shrinkfit`.
    pub budget: Option<Budget>,
}

/// What is done with the results of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolPolicy {
    /// What is done with a result over the budget.
    pub mode: Mode,
    /// The most that a result may take.
    pub budget: engine::Budget,
    /// What is done with `structuredContent`.
    pub structured: Structured,
    /// What is done with errors.
    pub errors: Handling,
    /// What is done with text beside images and audio.
    pub multimodal: Handling,
}

/// What is done with results, for every tool and client.
///
/// In falling order: the tool's entry, the server's, flags, `SNUGFIT_MAX_TOKENS`, `results` of the configuration, the client's profile.
///
/// ```
/// use snugfit_proxy::config::{Config, Mode, Policy, Profile, ResultFlags};
/// let config: Config = serde_json::from_str(r#"{ "results": { "perTool": { "files.read_*": { "mode": "page" } } } }"#)?;
/// let policy = Policy::new(&config, &ResultFlags::default(), None)?;
/// assert_eq!(policy.for_tool("files", "read_text", Profile::Generic).mode, Mode::Page);
/// assert_eq!(policy.for_tool("files", "list", Profile::Cline).budget.chars, Some(7_800));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Policy {
    results: Results,
    /// The budget that was asked for, if any was.
    budget: Option<engine::Budget>,
    servers: IndexMap<String, ResultsOverrides>,
    patterns: Vec<(Glob, ResultsOverrides)>,
}

impl Policy {
    /// Puts together what flags, `SNUGFIT_MAX_TOKENS` (its value, if it is set) and the configuration say.
    ///
    /// # Errors
    /// The variable's value is no budget.
    pub fn new(config: &Config, flags: &ResultFlags, max_tokens: Option<&str>) -> Result<Self, Faults> {
        let mut results = config.results.clone();
        results.mode = flags.mode.unwrap_or(results.mode);
        let variable = max_tokens.filter(|text| !text.is_empty()).map(from_variable).transpose()?;
        let budget = flags.budget.as_ref().or(variable.as_ref()).or(results.budget.as_ref()).map(Budget::for_engine);
        let patterns = results.per_tool.iter().filter_map(|(pattern, entry)| Some((Glob::new(pattern).ok()?, entry.clone()))).collect();
        let servers = config.servers.iter().map(|(name, server)| (name.clone(), server.results.clone())).collect();
        Ok(Self { results, budget, servers, patterns })
    }

    /// The profile that holds for a client: what the configuration says, or what its name in `initialize` says.
    #[must_use]
    pub fn profile(&self, client: Option<&str>) -> Profile {
        self.results.profile.unwrap_or_else(|| client.map_or(Profile::Generic, Profile::of_client))
    }

    /// What is done with the results of a tool, which is named as its server names it.
    #[must_use]
    pub fn for_tool(&self, server: &str, tool: &str, profile: Profile) -> ToolPolicy {
        let name = format!("{server}.{tool}");
        let tool = self.results.per_tool.get(&name);
        let tool = tool.or_else(|| self.patterns.iter().find(|(glob, _)| glob.is_match(&name)).map(|(_, entry)| entry));
        let nothing = ResultsOverrides::default();
        let (tool, server) = (tool.unwrap_or(&nothing), self.servers.get(server).unwrap_or(&nothing));
        let budget = tool.budget.as_ref().or(server.budget.as_ref()).map(Budget::for_engine);
        ToolPolicy {
            mode: tool.mode.or(server.mode).unwrap_or(self.results.mode),
            budget: budget.or(self.budget).unwrap_or_else(|| profile.budget()),
            structured: tool.structured.or(server.structured).unwrap_or(self.results.structured),
            errors: tool.errors.or(server.errors).unwrap_or(self.results.errors),
            multimodal: tool.multimodal.or(server.multimodal).unwrap_or(self.results.multimodal),
        }
    }

    /// Whether the results of some tool may pass as they are.
    pub(crate) fn lets_pass(&self) -> bool {
        let overrides = self.results.per_tool.values().chain(self.servers.values()).filter_map(|entry| entry.mode);
        overrides.chain([self.results.mode]).any(|mode| mode == Mode::Off)
    }

    /// What to say once where the budget that was asked for is above what the client is known to take.
    #[must_use]
    pub fn warning(&self, profile: Profile) -> Option<String> {
        let asked = self.budget?;
        let most = profile.budget();
        if profile == Profile::Generic || self.results.mode == Mode::Off || room(&asked) <= room(&most) {
            return None;
        }
        let limits: Vec<String> = most.limits().map(|(unit, limit)| format!("{limit} {unit}")).collect();
        let (name, limits) = (profile.name(), limits.join(" and "));
        Some(format!("the budget is above what {name} takes (about {limits}): it may cut results a second time, without a way back"))
    }
}

/// The characters of plain English that a budget has room for.
fn room(budget: &engine::Budget) -> usize {
    let chars = budget.limits().filter_map(|(unit, limit)| match unit {
        Unit::Tokens(_) => Some(limit.saturating_mul(3)),
        Unit::Chars | Unit::Bytes => Some(limit),
        _ => None,
    });
    chars.min().unwrap_or(usize::MAX)
}

impl Budget {
    /// The budget as the engine takes it.
    #[must_use]
    pub fn for_engine(&self) -> engine::Budget {
        let Self { tokens, chars, bytes, lines, encoding } = *self;
        engine::Budget { chars, bytes, lines, tokens, encoding: encoding.tables() }
    }
}

impl Counting {
    /// The tables of the encoding, built once a process.
    fn tables(self) -> Encoding {
        static O200K: OnceLock<Encoding> = OnceLock::new();
        static CL100K: OnceLock<Encoding> = OnceLock::new();
        // The vocabularies are our own: where one cannot be read, the high estimate keeps the promise.
        let build = |packed: &[u8]| Encoding::from_vocabulary(packed).unwrap_or_default();
        match self {
            Self::Estimate => Encoding::ESTIMATE,
            Self::O200kBase => *O200K.get_or_init(|| build(snugfit_vocabulary::O200K_BASE)),
            Self::Cl100kBase => *CL100K.get_or_init(|| build(snugfit_vocabulary::CL100K_BASE)),
        }
    }
}

fn from_variable(text: &str) -> Result<Budget, Faults> {
    let fault = |message: String| Faults {
        origin: MAX_TOKENS_VARIABLE.to_owned(),
        faults: vec![Fault { position: None, path: String::new(), message }],
    };
    let tokens = text.trim().parse().map_err(|_| fault("expected a whole number of tokens, such as 20000".to_owned()))?;
    Budget::new(Some(tokens), None).map_err(fault)
}
