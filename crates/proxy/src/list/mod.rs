//! What clients see: the lists of all servers as one.

mod cache;
mod compressed;
mod gather;
mod pages;
mod programs;
mod prompts;
mod resources;
mod shrink;
mod tools;

pub(crate) use cache::read as read_cache;
pub(crate) use compressed::{Wrapper, text_result};
pub(crate) use gather::{Entries, Kind, Known, Lists, fetch};
pub(crate) use prompts::PromptTable;
pub(crate) use resources::ResourceTable;
pub(crate) use tools::{Setting, ToolTable, build as build_tools};
