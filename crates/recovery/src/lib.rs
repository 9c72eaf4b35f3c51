//! Recovery: what a preview left out stays one call away.
//!
//! A [`Session`] fits a tool result, keeps its original in a [`Store`] and hands out a preview that names the original's id; a later
//! [`Session::recover`] gives the original back, byte for byte. One session belongs to one toolset: its ids mean nothing in another.
//!
//! ```
//! use snugfit_engine::{Budget, Notice, Options};
//! use snugfit_recovery::{Limits, Session};
//!
//! let session = Session::in_memory(Limits::default())?;
//! let original = "a line that is long enough\n".repeat(1000);
//! let options = Options { notice: Some(Notice::default()), ..Options::new(Budget::chars(1000)) };
//!
//! let outcome = session.fit(original.clone().into_bytes(), options)?;
//! let id = outcome.response_id.expect("it was over the budget, so something was cut");
//! assert_eq!(session.recover(&id)?, original.as_bytes());
//!
//! session.close();
//! assert_eq!(session.recover(&id).unwrap_err().code(), "CLOSED");
//! # Ok::<(), snugfit_recovery::Error>(())
//! ```
#![forbid(unsafe_code)]

pub mod envelope;
mod error;
mod id;
mod kept;
mod memory;
mod paged;
mod read;
mod session;
mod store;
pub mod wtf8;

pub use error::Error;
pub use id::Key;
pub use memory::{Limits, MemoryStore};
pub use read::{Selector, read};
pub use session::{BlocksOutcome, Outcome, RECOVERY_TOOL, Session, Structured};
pub use store::{Stats, Store};
pub use uuid::Uuid;
