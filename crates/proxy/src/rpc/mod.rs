//! JSON-RPC as it goes over the wire: messages are looked at one level deep, and everything in them that concerns nobody here passes byte for byte.

mod message;
mod object;
mod skip;
mod string;

pub(crate) use message::error_parts;
pub use message::{Kind, Message, code};
pub use object::Object;
pub(crate) use object::{items_of_json, text};
pub use string::{decode, quote};
