//! A line of a trace, read one level deep: what messages carry may be nested deeper than a tree of it may be.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A line of a trace, as far as it concerns us.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Line<'a> {
    #[serde(default)]
    pub(crate) time: String,
    #[serde(default)]
    pub(crate) dir: String,
    /// Clients have ids of their own in each.
    #[serde(default)]
    pub(crate) session: String,
    pub(crate) upstream: Option<String>,
    #[serde(default)]
    pub(crate) method: String,
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) id: String,
    /// The request of the client that a message of a server is about.
    pub(crate) call: Option<String>,
    pub(crate) ok: Option<bool>,
    pub(crate) dur_ms: Option<f64>,
    #[serde(default)]
    pub(crate) bytes: u64,
    pub(crate) tokens_before: Option<u64>,
    pub(crate) tokens_after: Option<u64>,
    #[serde(borrow)]
    pub(crate) params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) result: Option<&'a RawValue>,
}

impl<'a> Line<'a> {
    /// A line; nothing where the text is none.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|line: &Self| !line.dir.is_empty())
    }
}
