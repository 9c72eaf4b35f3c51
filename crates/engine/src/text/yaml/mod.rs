//! YAML (manifests, API descriptions, compositions, pipelines, values): entries are the fields of an outline, items, documents and the entries of
//! maps keyed by ids are its records. Comments are the first to go, aliases are not expanded. What is kept is written as YAML, a level of depth as
//! one space.

mod read;
mod write;

use super::outline::{self, Form, Outline};
use super::{Ask, plain};
use crate::detect::Sample;
use crate::json::scan::scan;
use crate::report::Report;

/// What a node of the outline is.
mod role {
    pub(super) const DOCUMENT: u8 = 1;
    /// `- ` with entries or items in it.
    pub(super) const ITEM: u8 = 2;
    /// `key:` with entries or items below it, or nothing.
    pub(super) const ENTRY: u8 = 3;
    /// `key: value`.
    pub(super) const VALUE: u8 = 4;
    /// `- value`.
    pub(super) const SCALAR: u8 = 5;
    /// `key: |` and its lines.
    pub(super) const BLOCK: u8 = 6;
    /// `- |` and its lines.
    pub(super) const BLOCK_ITEM: u8 = 7;
    pub(super) const COMMENT: u8 = 8;
    /// A line that is nothing of all this.
    pub(super) const OTHER: u8 = 9;
}

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    /// Lines that end like this are code.
    const CODE: [char; 4] = [';', '{', ',', '('];
    let read = read::read(sample.head);
    let lines = sample.lines.len().max(1);
    let found = read.entries + read.items;
    read.entries >= 3
        && read.entries * 4 >= found
        && read.others * 20 <= found
        && read.spaced * 5 <= read.entries
        && read.continued * 3 <= lines
        && sample.share(|l| l.ends_with(CODE)) < 0.2
        && read.repeated * 4 <= read.entries
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let mut read = read::read(text);
    let marker = ask.meter.cost(write::omitted(ask.marks, 1_000, "", "").as_bytes()) + ask.meter.byte(b'\n');
    let form = Yaml { ask, marker };
    outline::fit(&mut read.outline, &form, ask, report).or_else(|| plain::fit(text, ask, report))
}

/// YAML as the plan sees it.
struct Yaml<'q> {
    ask: &'q Ask<'q>,
    /// What a marker costs: it is asked for with every part.
    marker: usize,
}

/// Whether a value is a list or map on one line.
fn flow(value: &str) -> bool {
    value.starts_with(['[', '{'])
}

/// Where a node's line begins: the indentation, a level of depth as one space.
fn indent(outline: &Outline<'_>, id: u32) -> usize {
    let (mut at, mut spaces, mut levels) = (id, 0, 0);
    // Deeper than this the cost is corrected once it is known.
    while at != 0 && levels < 48 {
        levels += 1;
        let node = outline.node(at);
        let above = outline.node(node.parent);
        let item = matches!(node.role, role::ITEM | role::SCALAR | role::BLOCK_ITEM);
        spaces += match above.role {
            role::ENTRY => usize::from(!item),
            role::ITEM => 2,
            _ => 0,
        };
        at = node.parent;
    }
    spaces
}

impl Form for Yaml<'_> {
    fn around(&self, outline: &Outline<'_>, id: u32) -> usize {
        let node = outline.node(id);
        let meter = self.ask.meter;
        let line = meter.byte(b'\n') + meter.byte(b' ') * indent(outline, id);
        match node.role {
            role::DOCUMENT => meter.byte(b'\n') + 3 * meter.byte(b'-'),
            role::ITEM => line + 2 * meter.byte(b'-'),
            _ if node.glued && outline.node(node.parent).role == role::ITEM => {
                meter.cost(&outline.text.as_bytes()[node.start as usize..node.value as usize])
            }
            _ => line + meter.cost(&outline.text.as_bytes()[node.start as usize..node.value as usize]),
        }
    }

    fn marker(&self, _: &Outline<'_>, _: u32) -> usize {
        self.marker
    }

    fn whole(&self, outline: &Outline<'_>, id: u32) -> usize {
        self.ask.meter.cost(outline.value(id).as_bytes())
    }

    fn cuttable(&self, outline: &Outline<'_>, id: u32) -> bool {
        let value = outline.value(id);
        match outline.node(id).role {
            role::BLOCK | role::BLOCK_ITEM => true,
            role::COMMENT | role::OTHER => outline::cuttable(value),
            _ if flow(value) => scan(value).is_some(),
            _ => outline::cuttable(self.plain(value)),
        }
    }

    fn weight(&self, outline: &Outline<'_>, id: u32, by_name: f32) -> f32 {
        match outline.node(id).role {
            role::COMMENT => 0.1,
            role::OTHER => 0.4,
            role::VALUE => match outline.name(outline.node(id).name) {
                // What a resource is, and which version of which description it follows (Kubernetes).
                "kind" => by_name.max(1.1),
                "apiVersion" => 0.45,
                // What runs, where it is no picture.
                "image" if !outline.value(id).contains("://") => 1.0,
                _ => by_name,
            },
            _ => by_name,
        }
    }

    fn label(&self, outline: &Outline<'_>, id: u32) -> String {
        match outline.node(id).role {
            role::COMMENT => "comments".to_owned(),
            role::OTHER => "text".to_owned(),
            _ => outline.name(outline.node(id).name).to_owned(),
        }
    }

    fn plain<'v>(&self, value: &'v str) -> &'v str {
        let quoted = |quote: char| value.strip_prefix(quote).and_then(|v| v.strip_suffix(quote));
        quoted('"').or_else(|| quoted('\'')).unwrap_or(value)
    }

    fn write(&self, planned: &outline::plan::Planned<'_, '_>, details: &outline::details::Details, report: &mut Report) -> String {
        write::write(self, planned, details, report)
    }
}
