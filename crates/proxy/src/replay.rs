//! Results that were recorded, made smaller as the proxy would have made them.

use snugfit_recovery::{Limits, Session};

use crate::config::{Budget, Config, Mode, Policy, Structured, ToolPolicy};
use crate::error::Error;
use crate::results::{Call, Fate, Rules, fit, surely_holds, toonified};

/// Fits recorded results by a configuration.
pub struct Replay {
    rules: Rules,
    toonify: bool,
    /// The servers' names, and how tools of theirs begin.
    servers: Vec<(String, String)>,
    originals: Session,
}

/// What became of a result, in bytes of its JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refitted {
    /// As it was.
    pub before: usize,
    /// As the client would have been sent it.
    pub after: usize,
    /// Whether a preview would have stood in its place.
    pub cut: bool,
}

impl Replay {
    /// Fits by what `config` and `policy` say, for a client of this name.
    ///
    /// # Errors
    /// The store of originals cannot be made.
    pub fn new(config: &Config, policy: Policy, client: Option<&str>) -> Result<Self, Error> {
        let separator = config.separator().unwrap_or("__");
        let servers = config.active().map(|(name, _)| (name.clone(), format!("{name}{separator}"))).collect();
        let limits = Limits { entries: 1, ..Limits::default() };
        let originals = Session::in_memory(limits)?;
        Ok(Self { rules: Rules::new(policy, client), toonify: config.results.toonify, servers, originals })
    }

    /// The server and the tool that a client means by a name: with what the proxy or a client puts before it, or without.
    ///
    /// ```
    /// use snugfit_proxy::config::{Config, Policy, ResultFlags};
    /// let config: Config = serde_json::from_str(r#"{ "servers": { "git": { "command": ["git-server"] }, "web": { "command": ["web"] } } }"#)?;
    /// let replay = snugfit_proxy::Replay::new(&config, Policy::new(&config, &ResultFlags::default(), None)?, None)?;
    /// assert_eq!(replay.meant("git__log"), ("git", "log"));
    /// assert_eq!(replay.meant("mcp__web__get"), ("web", "get"));
    /// assert_eq!(replay.meant("Bash"), ("", "Bash"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn meant<'n>(&'n self, name: &'n str) -> (&'n str, &'n str) {
        let own = name.strip_prefix("mcp__").unwrap_or(name);
        let found = self.servers.iter().find_map(|(server, prefix)| Some((server.as_str(), own.strip_prefix(prefix)?)));
        match (found, &self.servers[..]) {
            (Some(found), _) => found,
            // The tools of a lone server keep their names.
            (None, [(only, _)]) => (only, name),
            (None, _) => ("", name),
        }
    }

    /// Fits the JSON text of a `CallToolResult`.
    #[must_use]
    pub fn fit(&self, server: &str, tool: &str, result: &str) -> Refitted {
        let before = result.len();
        let rules = self.rules.of(server, tool);
        match rules.mode {
            Mode::Off => {
                let toon = if self.toonify { toonified(result) } else { None };
                Refitted { before, after: toon.map_or(before, |result| result.len()), cut: false }
            }
            _ => {
                let changed = self.changed(tool, "", result, &rules);
                Refitted { before, after: changed.as_ref().map_or(before, String::len), cut: changed.is_some() }
            }
        }
    }

    /// What the client would have been sent for the JSON text of a `CallToolResult`, with another budget if one is given; `None` where that is
    /// the result itself.
    #[must_use]
    pub fn preview(&self, server: &str, tool: &str, arguments: &str, result: &str, budget: Option<&Budget>) -> Option<String> {
        let mut rules = self.rules.of(server, tool);
        if let Some(budget) = budget {
            rules.budget = budget.for_engine();
        }
        self.changed(tool, arguments, result, &rules)
    }

    fn changed(&self, tool: &str, arguments: &str, result: &str, rules: &ToolPolicy) -> Option<String> {
        if surely_holds(&rules.budget, result.len()) && rules.structured != Structured::Drop {
            return None;
        }
        let recovery_tool = snugfit_recovery::RECOVERY_TOOL.to_owned();
        let call = Call { tool: tool.to_owned(), arguments: arguments.to_owned(), recovery_tool, ..Call::default() };
        match fit(result, rules, call, &self.originals) {
            Fate::Changed { result, .. } => Some(result),
            Fate::Whole => None,
        }
    }
}
