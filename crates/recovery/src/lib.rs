#![doc = include_str!("../README.md")]
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
mod turn;
pub mod wtf8;

pub use error::Error;
pub use id::Key;
pub use kept::Kept;
pub use memory::{Limits, MemoryStore};
pub use read::{Selector, read};
pub use session::{BlocksOutcome, Outcome, RECOVERY_TOOL, Session, Structured};
pub use store::{Stats, Store};
pub use turn::{Allowance, Turn};
pub use uuid::Uuid;
