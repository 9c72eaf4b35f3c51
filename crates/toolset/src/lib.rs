#![doc = include_str!("../README.md")]
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
