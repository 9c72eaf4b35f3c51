//! XML of every sort (reports, feeds, manifests, drawings, envelopes): elements, attributes and texts are parts of an outline, repeated siblings
//! are its records. What is kept is written as XML.

mod tokens;
mod write;

use super::outline::{self, Form, Outline, TEXT};
use super::{Ask, plain};
use crate::detect::Sample;
use crate::report::Report;

/// What a node of the outline is.
mod role {
    pub(super) const ELEMENT: u8 = 1;
    /// An element that the text does not close.
    pub(super) const UNCLOSED: u8 = 2;
    pub(super) const ATTRIBUTE: u8 = 3;
    pub(super) const TEXT: u8 = 4;
    pub(super) const CDATA: u8 = 5;
    pub(super) const COMMENT: u8 = 6;
    /// The XML declaration and the document type: they stay.
    pub(super) const PROLOG: u8 = 7;
    pub(super) const INSTRUCTION: u8 = 8;
}

/// What the text of an element counts beside its attributes.
const CONTENT: f32 = 1.5;

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    let start = sample.head.trim_start_matches('\u{feff}').trim_start();
    if !start.starts_with('<') {
        return false;
    }
    if start.starts_with("<?xml") {
        return true;
    }
    let read = tokens::read(sample.head);
    let whole = sample.head.len() == sample.text.len();
    // Markup of another sort (JSX, templates, generics in prose) has brackets that do not match.
    let closed = !whole || read.unclosed == 0;
    read.elements > 0 && read.faults == 0 && read.outside == 0 && closed && sample.text.trim_end().ends_with('>')
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let mut read = tokens::read(text);
    let marker = ask.meter.cost(write::omitted(ask.marks, 1_000, "element", "", "").as_bytes()) + 1;
    let form = Xml { ask, marker };
    outline::fit(&mut read.outline, &form, ask, report).or_else(|| plain::fit(text, ask, report))
}

/// XML as the plan sees it.
struct Xml<'q> {
    ask: &'q Ask<'q>,
    /// What a marker costs: it is asked for with every part.
    marker: usize,
}

impl Xml<'_> {
    fn cost(&self, text: &str) -> usize {
        self.ask.meter.cost(text.as_bytes())
    }
}

impl Form for Xml<'_> {
    fn around(&self, outline: &Outline<'_>, id: u32) -> usize {
        let node = outline.node(id);
        match node.role {
            role::ELEMENT | role::UNCLOSED => {
                let name = self.cost(outline.name(node.name));
                let content = outline.nodes.get(id as usize + 1).is_some_and(|n| n.parent == id)
                    && outline.nodes[node.next as usize - 1].role != role::ATTRIBUTE;
                if content && node.role == role::ELEMENT { 2 * name + 6 } else { name + 4 }
            }
            role::ATTRIBUTE => self.cost(outline.name(node.name)) + 2 + 2 * self.ask.meter.byte(b'"'),
            role::CDATA => 12,
            role::COMMENT | role::PROLOG | role::INSTRUCTION => 1,
            _ => 0,
        }
    }

    fn marker(&self, _: &Outline<'_>, _: u32) -> usize {
        self.marker
    }

    fn whole(&self, outline: &Outline<'_>, id: u32) -> usize {
        self.cost(outline.value(id))
    }

    fn cuttable(&self, outline: &Outline<'_>, id: u32) -> bool {
        match outline.node(id).role {
            role::ATTRIBUTE => outline::cuttable(self.plain(outline.value(id))),
            role::TEXT | role::CDATA => outline::cuttable(outline.value(id)),
            _ => false,
        }
    }

    fn weight(&self, outline: &Outline<'_>, id: u32, by_name: f32) -> f32 {
        let node = outline.node(id);
        let name = outline.name(node.name);
        match node.role {
            role::PROLOG => 1_000.0,
            role::COMMENT => 0.12,
            role::INSTRUCTION => 0.2,
            role::ATTRIBUTE if name.starts_with("xmlns") || name.starts_with("xsi:") || name.starts_with("xml:") => 0.03,
            // The text of an element that has attributes is what it says; they say where and how.
            role::TEXT | role::CDATA if outline.nodes[node.parent as usize + 1].role == role::ATTRIBUTE => CONTENT * by_name,
            _ => by_name,
        }
    }

    fn label(&self, outline: &Outline<'_>, id: u32) -> String {
        let node = outline.node(id);
        match node.role {
            role::ATTRIBUTE => format!("@{}", outline.name(node.name)),
            role::COMMENT => "comment".to_owned(),
            role::INSTRUCTION | role::PROLOG => "instruction".to_owned(),
            _ if node.name == TEXT => "text".to_owned(),
            _ => outline.name(node.name).to_owned(),
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
