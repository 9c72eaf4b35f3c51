//! The Node.js addon of snugfit: what JavaScript sees of the engine and the recovery store.
//!
//! It translates types and threads, nothing else. `index.d.ts` beside `Cargo.toml` is its contract with `host/`.
#![deny(unsafe_code)]
#![allow(clippy::needless_pass_by_value, reason = "napi hands arguments over by value")]

mod error;
mod options;
mod page;
mod read;
mod render;
mod report;
mod session;
mod string_in;
mod string_out;
mod toolset;
mod turn;
mod vocabulary;
mod worker;

pub use error::NativeFailure;
pub use options::{NativeBudget, NativeIds, NativeLimits, NativeOptions};
pub use page::{NativePageOptions, PageOutcome, page, page_counted, page_sync};
pub use read::NativeSelector;
pub use render::{RenderOutcome, body_prefix, items_size, render};
pub use report::{NativeOmitted, NativeReport};
pub use session::{BlocksOutcome, FitOutcome, NativeStats, RecoverOutcome, Session, fit, fit_sync, read};
pub use string_in::{Input, Intake};
pub use string_out::Text;
pub use toolset::{
    Command, NativeFile, NativeShrinkOptions, NativeTool, NativeWrapper, NativeWrapperNames, ParsedOutcome, ShrunkOutcome, Surface,
    TextOutcome, WrappersOutcome, description_key, shell_client, shrink_definition, tool_name, toonify,
};
pub use turn::{NativeShare, Turn};
pub use vocabulary::{add_vocabulary, has_encoding};
pub use worker::Cancel;

use napi_derive::napi;

/// The version of the addon.
#[napi(catch_unwind)]
#[must_use]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
