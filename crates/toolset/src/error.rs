//! The one error of this crate.

/// What can go wrong; the messages are for a model to act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A definition cannot be used.
    #[error("{0}")]
    InvalidTools(String),
    /// No tool has this name.
    #[error("there is no tool {name:?}; {hint}")]
    UnknownTool {
        /// The name that was given.
        name: String,
        /// The names that are closest to it, in words.
        hint: String,
    },
    /// A tool's input cannot be used; the tool was not run.
    #[error("{0}")]
    InvalidInput(String),
    /// An option is malformed.
    #[error("{0}")]
    InvalidOption(String),
}

impl Error {
    /// The stable name of what went wrong, as hosts see it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidTools(_) => "INVALID_TOOLS",
            Self::UnknownTool { .. } => "UNKNOWN_TOOL",
            Self::InvalidInput(_) => "INVALID_INPUT",
            Self::InvalidOption(_) => "INVALID_OPTION",
        }
    }
}
