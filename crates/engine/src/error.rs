//! What can go wrong: a budget that cannot be kept, a cursor that is none, or options that make no sense. Never the input.

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
    /// Not even the smallest page fits.
    #[error("the budget cannot hold a page with its note: the smallest takes {percent} % of it")]
    PageTooSmall {
        /// How much of the budget the smallest page takes.
        percent: usize,
    },
    /// A cursor that no page gave, or one past the end.
    #[error("this cursor is none that a page of this result gave: call the tool again without a cursor to start from the beginning")]
    InvalidCursor,
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
    /// The stable code of this error: `BUDGET_TOO_SMALL`, `INVALID_CURSOR` or `INVALID_OPTION`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BudgetTooSmall { .. } | Self::PageTooSmall { .. } => "BUDGET_TOO_SMALL",
            Self::InvalidCursor => "INVALID_CURSOR",
            Self::InvalidOption { .. } => "INVALID_OPTION",
        }
    }
}
