//! What happens to results.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TurnBudget;

/// What happens to results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Results {
    /// What is done with a result over the budget.
    pub mode: Mode,
    /// The most that a result may take; what the client's profile says where this is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// What the results of calls that a client makes at once may take together; no limit by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_budget: Option<TurnBudget>,
    /// The client whose limits hold; by default found by the name that the client gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// What is done with `structuredContent`.
    pub structured: Structured,
    /// What is done with errors over the budget.
    pub errors: Handling,
    /// What is done with the text beside images and audio.
    pub multimodal: Handling,
    /// Name of the parameter that `mode: page` adds to tools.
    pub cursor_param: String,
    /// Write JSON results as TOON; only where `mode` is `off`.
    pub toonify: bool,
    /// What tools have otherwise: `<server>.<tool>` or a pattern for it. The exact name goes before patterns, earlier patterns before
    /// later ones.
    pub per_tool: IndexMap<String, ResultsOverrides>,
}

impl Default for Results {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            budget: None,
            turn_budget: None,
            profile: None,
            structured: Structured::default(),
            errors: Handling::default(),
            multimodal: Handling::default(),
            cursor_param: "cursor".to_owned(),
            toonify: false,
            per_tool: IndexMap::new(),
        }
    }
}

/// What a server or a tool has otherwise than `results` says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ResultsOverrides {
    /// See `results.mode`.
    pub mode: Option<Mode>,
    /// See `results.budget`.
    pub budget: Option<Budget>,
    /// See `results.structured`.
    pub structured: Option<Structured>,
    /// See `results.errors`.
    pub errors: Option<Handling>,
    /// See `results.multimodal`.
    pub multimodal: Option<Handling>,
}

/// What is done with a result over the budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Mode {
    /// A preview of what matters most; the original is one call away.
    #[default]
    Condense,
    /// Pages of whole items, each with a cursor for the next.
    Page,
    /// The beginning.
    Trim,
    /// Nothing.
    Off,
}

/// The most that a result may take: one limit or more, all of which hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, try_from = "Limits")]
pub struct Budget {
    /// Tokens, counted as `encoding` says; at least 120.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// Unicode characters; at least 350.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chars: Option<usize>,
    /// Bytes of UTF-8; at least 350.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// Lines; at least 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// How tokens are counted.
    pub encoding: Counting,
}

/// The most that a result may take: one limit or more, all of which hold.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Budget")]
struct Limits {
    /// Tokens, counted as `encoding` says; at least 120.
    #[schemars(range(min = 120))]
    tokens: Option<usize>,
    /// Unicode characters; at least 350.
    #[schemars(range(min = 350))]
    chars: Option<usize>,
    /// Bytes of UTF-8; at least 350.
    #[schemars(range(min = 350))]
    bytes: Option<usize>,
    /// Lines; at least 5.
    #[schemars(range(min = 5))]
    lines: Option<usize>,
    /// How tokens are counted.
    #[serde(default)]
    encoding: Counting,
}

/// The least of each unit: what a preview and its notice need.
const LEAST_CHARS: usize = 350;
const LEAST_TOKENS: usize = 120;
const LEAST_LINES: usize = 5;

impl Budget {
    /// A budget in tokens by the high estimate, characters, or both.
    ///
    /// # Errors
    /// No limit is given, or one is below the least of its unit.
    pub fn new(tokens: Option<usize>, chars: Option<usize>) -> Result<Self, String> {
        Limits { tokens, chars, bytes: None, lines: None, encoding: Counting::Estimate }.try_into()
    }
}

impl TryFrom<Limits> for Budget {
    type Error = String;

    fn try_from(Limits { tokens, chars, bytes, lines, encoding }: Limits) -> Result<Self, String> {
        let limits =
            [("tokens", tokens, LEAST_TOKENS), ("chars", chars, LEAST_CHARS), ("bytes", bytes, LEAST_CHARS), ("lines", lines, LEAST_LINES)];
        if limits.iter().all(|(_, limit, _)| limit.is_none()) {
            return Err("names no limit; expected one of `tokens`, `chars`, `bytes`, `lines`, such as { tokens: 20000 }".to_owned());
        }
        for (unit, limit, least) in limits {
            if limit.is_some_and(|limit| limit < least) {
                return Err(format!("`{unit}` is too small: a preview and its notice need at least {least}"));
            }
        }
        Ok(Self { tokens, chars, bytes, lines, encoding })
    }
}

/// How tokens are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Counting {
    /// A third of the bytes: above what any model's tokenizer gives.
    #[default]
    Estimate,
    /// The encoding of GPT-4o and later.
    O200kBase,
    /// The encoding of GPT-4 and GPT-3.5.
    Cl100kBase,
}

/// What is done with `structuredContent`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Structured {
    /// Kept while all fits; else dropped where it repeats the text, and fitted where it says more.
    #[default]
    Auto,
    /// Never touched.
    Keep,
    /// Always dropped.
    Drop,
}

/// Whether something is fitted or passes as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Handling {
    /// Fitted like the rest.
    #[default]
    Fit,
    /// Passed as it is.
    Keep,
}

/// A client and the limits under which it leaves results alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Profile {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// opencode.
    Opencode,
    /// Gemini CLI.
    GeminiCli,
    /// Cline.
    Cline,
    /// Visual Studio Code.
    Vscode,
    /// Any other client: 20,000 tokens by the high estimate.
    Generic,
}
