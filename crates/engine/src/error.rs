//! What can go wrong: a budget that cannot be kept, or options that make no sense. Never the input.

use crate::budget::Unit;

/// The engine's one error type. [`Error::code`] is what JavaScript sees as `error.code`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not even the smallest preview, with its notice, fits.
    #[error("the budget of {budget} {unit} cannot hold a preview{}; the least that would do is {needed}", if *.with_notice { " and its notice" } else { "" })]
    BudgetTooSmall {
        /// The limit that was given.
        budget: usize,
        /// The least limit that would do.
        needed: usize,
        /// The unit of both.
        unit: Unit,
        /// Whether the notice's cost is in `needed`.
        with_notice: bool,
    },
    /// An option is out of range or malformed.
    #[error("{option}: {message}")]
    InvalidOption {
        /// The option's name as the caller writes it.
        option: &'static str,
        /// What was wrong and what is allowed.
        message: String,
    },
}

impl Error {
    /// The stable code of this error: `BUDGET_TOO_SMALL` or `INVALID_OPTION`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BudgetTooSmall { .. } => "BUDGET_TOO_SMALL",
            Self::InvalidOption { .. } => "INVALID_OPTION",
        }
    }
}
