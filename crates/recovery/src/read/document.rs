//! What an original is to a reader: one JSON value, one text, or the text blocks of an envelope and the envelope around them.

use std::borrow::Cow;

use snugfit_engine::json::{Index, NO_KEY, Node, Type, scan, scan_lines, unescape};
use snugfit_engine::{Base, Unit, measure};

use super::pointer::Places;
use crate::wtf8;

/// A text block: its place in `content`, and its text.
pub(super) type Block = (usize, String);

/// An original and its parts, in the order in which they are looked through.
pub(super) struct Document<'t> {
    original: &'t str,
    pub(super) parts: Vec<Part<'t>>,
    /// How many of the parts are text blocks; the last part is the envelope then.
    pub(super) blocks: usize,
}

/// Something that pointers lead into.
pub(super) struct Part<'t> {
    /// What its pointers begin with, for those who are outside.
    pub(super) prefix: String,
    pub(super) text: &'t str,
    pub(super) body: Body<'t>,
}

pub(super) enum Body<'t> {
    Json(Index<'t>),
    Text(&'t str),
}

impl<'t> Document<'t> {
    /// `whole` is the index of the original, `blocks` what [`text_blocks`] found in it.
    pub(super) fn new(original: &'t str, whole: Option<Index<'t>>, blocks: &'t [Block]) -> Self {
        let several = blocks.len() > 1;
        let mut parts: Vec<Part<'t>> = blocks
            .iter()
            .map(|(at, text)| Part {
                prefix: if several { format!("/{at}") } else { String::new() },
                text,
                body: Body::new(text, scan(text)),
            })
            .collect();
        parts.push(Part { prefix: String::new(), text: original, body: Body::new(original, whole) });
        Self { original, parts, blocks: blocks.len() }
    }

    /// Where a JSON Pointer may lead: parts, and the pointer inside of each.
    pub(super) fn candidates<'p>(&self, path: &'p str) -> Vec<(&Part<'t>, &'p str)> {
        let (blocks, envelope) = self.parts.split_at(self.blocks);
        let own = blocks.iter().filter_map(|part| Some((part, path.strip_prefix(part.prefix.as_str())?)));
        own.filter(|(_, inner)| inner.is_empty() || inner.starts_with('/')).chain(envelope.iter().map(|part| (part, path))).collect()
    }

    /// The text that line numbers count in: the text blocks one after another, or the original itself.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match &self.parts[..self.blocks] {
            [] => Cow::Borrowed(self.original),
            [only] => Cow::Borrowed(only.text),
            blocks => Cow::Owned(blocks.iter().map(|part| part.text).collect::<Vec<_>>().join("\n")),
        }
    }

    /// What to try where a path finds nothing in a text.
    pub(super) fn hint(&self) -> &'static str {
        let text = self.parts.iter().take(self.blocks.max(1)).all(|part| matches!(part.body, Body::Text(_)));
        if text { ": the response is text, not JSON; use search or lines" } else { "" }
    }
}

impl<'t> Body<'t> {
    fn new(text: &'t str, index: Option<Index<'t>>) -> Self {
        index.or_else(|| scan_lines(text)).map_or(Self::Text(text), Self::Json)
    }
}

impl<'t> Part<'t> {
    /// Its pointers as seen from outside. Only JSON has any.
    pub(super) fn pointers(&self) -> Pointers<'_, 't> {
        let places = if let Body::Json(index) = &self.body { Some(Places::new(index)) } else { None };
        Pointers { prefix: &self.prefix, places }
    }
}

/// Pointers of values in one part.
pub(super) struct Pointers<'p, 't> {
    prefix: &'p str,
    pub(super) places: Option<Places<'p, 't>>,
}

impl Pointers<'_, '_> {
    pub(super) fn of(&self, node: u32) -> String {
        let inner = self.places.as_ref().map(|places| places.pointer(node)).unwrap_or_default();
        format!("{}{inner}", self.prefix)
    }
}

/// The text blocks of an MCP envelope that are not empty; none where it is not one.
pub(super) fn text_blocks(index: &Index<'_>) -> Vec<Block> {
    let filled = raw_blocks(index).into_iter().filter(|(_, text)| !text.is_empty());
    filled.map(|(at, text)| (at, unescape(text))).collect()
}

/// The text blocks of an envelope with their texts as they are written.
fn raw_blocks<'t>(index: &Index<'t>) -> Vec<(usize, &'t str)> {
    let member = |object: u32, name: &str| {
        let named = |child: &u32| index.name(index.nodes[*child as usize].key) == name;
        if index.kind(object) == Type::Object { index.children(object).filter(named).last() } else { None }
    };
    let string = |node: u32| {
        let lexeme = index.lexeme(node);
        (index.kind(node) == Type::String).then(|| &lexeme[1..lexeme.len() - 1])
    };
    let Some(content) = member(0, "content").filter(|&node| index.kind(node) == Type::Array) else { return vec![] };
    let mut blocks = vec![];
    for (at, block) in index.children(content).enumerate() {
        let Some(kind) = member(block, "type").and_then(string) else { return vec![] };
        if let (true, Some(text)) = (kind == "text", member(block, "text").and_then(string)) {
            blocks.push((at, text));
        }
    }
    blocks
}

/// Where the texts of an envelope's text blocks stand for a reader of the envelope: each by its place in `content` if there are several.
pub(crate) fn bases(envelope: &[u8], texts: &[&str]) -> Vec<Base> {
    if texts.iter().filter(|text| !text.is_empty()).count() < 2 {
        return vec![];
    }
    let (envelope, _) = wtf8::decode(envelope);
    let Some(index) = scan(&envelope) else { return vec![] };
    let mut lines = 0;
    let base = |((at, _), text): ((usize, &str), &&str)| {
        let base = Base { pointer: format!("/{at}"), lines };
        lines += measure(text, Unit::Lines);
        base
    };
    raw_blocks(&index).into_iter().zip(texts).map(base).collect()
}

/// An index of next to nothing.
pub(super) fn empty() -> Index<'static> {
    Index { text: "0", nodes: vec![Node { start: 0, end: 1, key: NO_KEY, next: 1 }], keys: vec![], blanks: 0, stream: false }
}
