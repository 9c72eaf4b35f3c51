//! What a caller may ask of [`fit`](crate::fit).

use crate::budget::Budget;
use crate::error::Error;
use crate::json::rules::{MAX_SEGMENTS, segments};

/// How a value is to be fitted. Start from [`Options::new`] and set what differs.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The limits; at least one must be named.
    pub budget: Budget,
    /// The name of the tool that gave the result.
    pub tool_name: String,
    /// The call's arguments as JSON text, or empty: what the caller asked about is worth keeping.
    pub arguments: String,
    /// Extra words that say what the caller is after.
    pub relevance: String,
    /// What must survive: JSON Pointers with `*` (one segment) and `**` (any number), or bare key names.
    pub protect: Vec<String>,
    /// What never matters, in the same form.
    pub drop: Vec<String>,
    /// Characters kept free, for a notice that the caller adds.
    pub notice_chars: usize,
    /// The notice to write into the preview; `None` for none at all.
    pub notice: Option<Notice>,
    /// Spaces a level of indentation takes; 0 for compact JSON.
    pub indent: usize,
    /// How JSON is laid out.
    pub layout: Layout,
    /// What becomes of what is over the budget. [`fit`](crate::fit) itself condenses; who keeps originals may hand out pages.
    pub mode: Mode,
}

impl Options {
    /// Options with a budget and nothing else.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Checks what the types cannot: that a limit is named and positive, and that no pattern is too long.
    pub fn validate(&self) -> Result<(), Error> {
        let mut named = false;
        for (unit, limit) in self.budget.limits() {
            named = true;
            if limit == 0 {
                return Err(Error::InvalidOption { option: "budget", message: format!("must be at least 1 of {unit}, not 0") });
            }
        }
        if !named {
            return Err(Error::InvalidOption { option: "budget", message: "must name at least one of chars, bytes, lines, tokens".into() });
        }
        for (option, patterns) in [("protect", &self.protect), ("drop", &self.drop)] {
            if let Some(long) = patterns.iter().map(|pattern| segments(pattern)).find(|&segments| segments > MAX_SEGMENTS) {
                return Err(Error::InvalidOption {
                    option,
                    message: format!("has a path of {long} segments; {MAX_SEGMENTS} are the most"),
                });
            }
        }
        if self.indent > 16 {
            return Err(Error::InvalidOption { option: "indent", message: format!("must be 0 to 16 spaces, not {}", self.indent) });
        }
        Ok(())
    }
}

/// What becomes of what is over the budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// A preview of what tells most.
    #[default]
    Condense,
    /// The first of several pages of whole items.
    Page,
    /// The first part.
    Trim,
}

/// How JSON output is laid out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// No white space (or the indentation asked for).
    #[default]
    Compact,
    /// One record a line.
    Lines,
}

/// The notice that a preview carries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notice {
    /// How to get the original; `None` where nothing is stored, so that the notice says only what was cut.
    pub recovery: Option<Recovery>,
    /// Where it stands in plain strings.
    pub form: NoticeForm,
}

/// The way back to an original, as the notice names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovery {
    /// The name of the recovery tool.
    pub tool: String,
    /// The id that it takes.
    pub response_id: String,
    /// How it is called where the notice is read.
    pub call: Call,
    /// Where the text stands in the original, if it is only a part of it.
    pub base: Base,
}

/// The form of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Call {
    /// A tool call.
    #[default]
    Tool,
    /// A call of this tool, which calls others by their names.
    Invoke(String),
    /// A command of a shell; the tool's name is the command with its subcommand.
    Command,
    /// A function of TypeScript.
    TypeScript,
    /// A function of Python.
    Python,
    /// None: the original is in a file, whose path is this, the id and `.json`.
    File(String),
}

/// Where a text stands in the original that recovery reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Base {
    /// What its JSON Pointers begin with.
    pub pointer: String,
    /// How many lines come before its first.
    pub lines: usize,
}

/// Where the notice of a plain string stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoticeForm {
    /// Last key of an object, last element of an array, last line of a text.
    #[default]
    Inline,
    /// Objects as inline; everything else as one JSON envelope with preview and notice as text blocks.
    Envelope,
}
