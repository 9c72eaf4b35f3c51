//! The MCP proxy: stands between an MCP client and the servers that somebody else wrote.
//!
//! It aggregates their tools, filters them, shrinks what is listed and fits what is returned. [`config`] says what it does; it knows
//! nothing of MCP or sockets.
#![forbid(unsafe_code)]

pub mod config;
mod error;
pub mod filter;
mod inbound;
mod lines;
mod list;
mod listed;
pub mod log;
pub mod names;
mod observe;
mod proxy;
mod read;
mod recovery;
mod replay;
mod results;
pub mod rpc;
mod session;
mod shared;
mod sync;
mod upstream;
pub mod usable;
mod work;

pub use error::Error;
pub use listed::listed;
pub use proxy::Proxy;
pub use replay::{Refitted, Replay};
pub use session::ServerTools;
