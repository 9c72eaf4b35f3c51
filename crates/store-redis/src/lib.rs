#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod link;
mod namespace;
mod seal;
mod store;

pub use namespace::{Namespace, Sealed};
pub use store::{Figures, Options, RedisStore};
