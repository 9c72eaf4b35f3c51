#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod aim;
mod budget;
mod call;
pub mod cursor;
mod detect;
mod envelope;
mod error;
mod explain;
mod fit;
pub mod json;
mod marker;
mod matcher;
mod meter;
mod most;
mod notice;
mod options;
mod order;
mod page;
mod query;
mod render;
mod report;
mod text;
mod tokens;
mod words;

pub use budget::{Budget, Unit, measure};
pub use envelope::{Blocks, fit_blocks, fit_blocks_at};
pub use error::Error;
pub use explain::{Explanation, Score, Scored, explain};
pub use fit::{Fitted, fit, fit_bytes};
pub use json::same::same_json;
pub use most::most;
pub use options::{Base, Call, Layout, Mode, Notice, NoticeForm, Options, Recovery};
pub use page::{Next, Page, PageOptions, is_page_cursor, is_page_cursor_of, page, page_with, trim, trim_with};
pub use render::{Form, Rendered, body_prefix, body_text, fit_body, items_size, needs_cut, render, render_within, reserve};
pub use report::{Amount, MAX_OMITTED, Omitted, Place, Report};
pub use tokens::{Encoding, pack_vocabulary};

/// What only the fuzz targets see.
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing {
    /// All values of a JSON text in the order in which they begin, as (key, value), both as written; `None` where it is not JSON.
    #[must_use]
    pub fn scan(text: &str) -> Option<Vec<(&str, &str)>> {
        let index = crate::json::scan::scan(text)?;
        Some((0..index.nodes.len() as u32).map(|n| (index.key(index.nodes[n as usize].key), index.lexeme(n))).collect())
    }
}
