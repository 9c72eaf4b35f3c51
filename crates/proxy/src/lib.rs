#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod client;
pub mod config;
mod error;
mod file;
pub mod filter;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod inbound;
mod lines;
mod list;
mod listed;
pub mod log;
mod mirror;
pub mod names;
pub mod oauth;
mod observe;
mod originals;
mod programs;
mod proxy;
pub mod random;
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

pub use client::{Builder, CallResult};
pub use error::Error;
pub use listed::listed;
pub use programs::clean as clean_originals;
pub use proxy::Proxy;
pub use replay::{Refitted, Replay};
pub use session::ServerTools;
