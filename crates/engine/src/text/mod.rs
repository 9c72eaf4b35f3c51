//! Text of every kind, fitted in its own form.

pub(crate) mod ansi;
pub(crate) mod cells;
pub(crate) mod choice;
pub(crate) mod code;
pub(crate) mod column;
pub(crate) mod diff;
mod discount;
pub(crate) mod entries;
mod explain;
pub(crate) mod files;
pub(crate) mod forms;
pub(crate) mod grep;
pub(crate) mod hash;
pub(crate) mod html;
pub(crate) mod layout;
pub(crate) mod lines;
pub(crate) mod listing;
pub(crate) mod log;
pub(crate) mod markdown;
pub(crate) mod novelty;
pub(crate) mod number;
pub(crate) mod outline;
pub(crate) mod plain;
pub(crate) mod prom;
pub(crate) mod prose;
pub(crate) mod rows;
pub(crate) mod shorten;
pub(crate) mod snapshot;
pub(crate) mod squeeze;
pub(crate) mod string;
pub(crate) mod table;
mod template;
pub(crate) mod trace;
pub(crate) mod tree;
pub(crate) mod xml;
pub(crate) mod yaml;

use crate::detect::Kind;
use crate::explain::Trace;
use crate::json::{
    self,
    scan::{scan, scan_lines},
};
use crate::marker::Marks;
use crate::meter::Meter;
use crate::report::Report;
use crate::words::Finder;

/// What a text is fitted with.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'q> {
    pub(crate) finder: &'q Finder,
    pub(crate) meter: &'q Meter,
    pub(crate) marks: &'q Marks,
    /// What the result may cost by the meter.
    pub(crate) limit: usize,
    /// How many strings the text stands in: JSON in strings in JSON is followed only so far.
    pub(crate) depth: usize,
    /// Takes what is judged, where somebody asks why.
    pub(crate) trace: Option<&'q Trace>,
}

/// Fits a text that is over the limit, as what it is; `None` if not even its marker fits.
pub(crate) fn fit(text: &str, kind: Kind, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    match kind {
        Kind::Json | Kind::Ndjson => match scan(text).or_else(|| scan_lines(text)) {
            Some(index) => json::fit(&index, json::Style::default(), ask, report),
            None => plain::fit(text, ask, report),
        },
        Kind::Html => html::fit(text, ask, report),
        Kind::Xml => xml::fit(text, ask, report),
        Kind::Diff => diff::fit(text, ask, report),
        Kind::Snapshot => snapshot::fit(text, ask, report),
        Kind::Prometheus => prom::fit(text, ask, report),
        Kind::Table => table::fit(text, ask, report),
        Kind::Tree => tree::fit(text, ask, report),
        Kind::Files => files::fit(text, ask, report),
        Kind::Entries => entries::fit(text, ask, report),
        Kind::Grep => grep::fit(text, ask, report),
        Kind::Trace => trace::fit(text, ask, report),
        Kind::Log => log::fit(text, ask, report),
        Kind::Yaml => yaml::fit(text, ask, report),
        Kind::Code => code::fit(text, ask, report),
        Kind::Markdown => markdown::fit(text, ask, report),
        Kind::Text => plain::fit(text, ask, report),
    }
}
