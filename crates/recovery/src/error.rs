//! What can go wrong between a tool's result and its recovery. The texts are for a model to act on.

/// What every error after a tool call has to say: the tool has run, whatever became of its result.
const RUN: &str = "The tool has run: do not blindly repeat a call that writes";

/// The one error type of this crate. [`Error::code`] is what JavaScript sees as `error.code`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine could not fit the result.
    #[error("{0}{run}", run = if matches!(.0, snugfit_engine::Error::BudgetTooSmall { .. }) { format!(". {RUN}") } else { String::new() })]
    Fit(#[from] snugfit_engine::Error),
    /// The original alone is larger than everything that the store may hold.
    #[error(
        "the complete result has {bytes} bytes, more than the {limit} that may be kept for recovery, so no preview was made. {RUN}; \
         one that reads can be repeated with narrower arguments"
    )]
    OriginalTooLarge {
        /// The size of the original and its key.
        bytes: usize,
        /// The store's limit.
        limit: usize,
    },
    /// Nothing is kept under the id. One text for unknown, expired and evicted ids, so that ids cannot be probed.
    #[error(
        "no response is kept under this response_id: it is unknown, or has expired, or had to make room. Call the tool again if it only \
         reads, with narrower arguments if possible; do not blindly repeat a call that writes"
    )]
    ResponseUnavailable,
    /// A selector cannot be read.
    #[error("{selector}: {message} (at character {position})")]
    InvalidSelector {
        /// The selector's name as the caller writes it.
        selector: &'static str,
        /// Where the mistake is: 1-based, in characters.
        position: usize,
        /// What was wrong and what is allowed.
        message: String,
    },
    /// Not even the smallest part fits.
    #[error("the budget of {budget} {unit} for partial reads cannot hold this part; the least that would do is {needed}")]
    RecoveryBudgetTooSmall {
        /// The limit that was given.
        budget: usize,
        /// The least limit that would do.
        needed: usize,
        /// The unit of both.
        unit: snugfit_engine::Unit,
    },
    /// A path leads nowhere; says what is at the nearest existing parent.
    #[error("{0}")]
    PathNotFound(String),
    /// A cursor that no read of this original gave.
    #[error(
        "this cursor is none that a read of this response gave: it is damaged, or belongs to another one. Read again without a cursor \
         to start from the beginning"
    )]
    InvalidCursor,
    /// The session was closed.
    #[error(
        "the toolset is closed: what it kept is gone and nothing more is fitted. A tool that was running may have finished: do not blindly repeat a call that writes"
    )]
    Closed,
    /// A limit makes no sense.
    #[error("{option}: {message}")]
    InvalidOption {
        /// The option's name as the caller writes it.
        option: &'static str,
        /// What was wrong and what is allowed.
        message: String,
    },
    /// The store did not take or give what it should.
    #[error("the store failed: {0}")]
    StoreFailed(String),
    /// The store did not take an original, so that there must be no preview of it.
    #[error("the complete result could not be kept for recovery ({0}), so no preview was made. {RUN}")]
    NotKept(String),
    /// The system has no random numbers to give.
    #[error("no random key for the ids: {0}")]
    NoRandomness(String),
}

impl Error {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Fit(error) => error.code(),
            Self::OriginalTooLarge { .. } => "ORIGINAL_TOO_LARGE",
            Self::ResponseUnavailable => "RESPONSE_UNAVAILABLE",
            Self::RecoveryBudgetTooSmall { .. } => "BUDGET_TOO_SMALL",
            Self::InvalidSelector { .. } => "INVALID_SELECTOR",
            Self::PathNotFound(_) => "PATH_NOT_FOUND",
            Self::InvalidCursor => "INVALID_CURSOR",
            Self::Closed => "CLOSED",
            Self::InvalidOption { .. } => "INVALID_OPTION",
            Self::StoreFailed(_) | Self::NotKept(_) => "STORE_FAILED",
            Self::NoRandomness(_) => "INTERNAL",
        }
    }

    /// For `BUDGET_TOO_SMALL` the least limit that would do, in the unit of the limit that failed.
    #[must_use]
    pub fn needed(&self) -> Option<usize> {
        match self {
            Self::Fit(snugfit_engine::Error::BudgetTooSmall { needed, .. }) | Self::RecoveryBudgetTooSmall { needed, .. } => Some(*needed),
            _ => None,
        }
    }
}
