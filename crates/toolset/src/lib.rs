//! What a model sees of tools, in as few words as will do.
//!
//! A model pays for every tool definition in every request. This crate makes the surface small and keeps every tool reachable:
//!
//! - [`listing`]: two wrapper tools in place of all, the others listed one a line;
//! - [`definitions`]: the same tools with shorter descriptions ([`describe`]) and schemas that repeat nothing ([`schema`]);
//! - [`argv`] and [`help`]: tools as the subcommands of one command;
//! - [`client`]: the generated programs that call them.
//!
//! It is pure: definitions and arguments in, texts and inputs out. Whoever uses it runs the tools.
#![forbid(unsafe_code)]

pub mod accepts;
pub mod argv;
pub mod check;
pub mod client;
pub mod definitions;
pub mod describe;
pub mod error;
pub mod flags;
pub mod help;
pub mod input;
pub mod listing;
pub mod markdown;
pub mod names;
pub mod object;
pub mod schema;
pub mod sentence;
pub mod tool;
pub mod toon;

pub use error::Error;
pub use listing::Level;
pub use tool::{Tool, Tools};
