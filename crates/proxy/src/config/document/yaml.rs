//! YAML 1.2 to a tree.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

use super::{Builder, Key, MAX_DEPTH, Node, Scalar, Value};
use crate::config::fault::{Fault, Position};

/// Reads a document; nothing at all is an empty map.
pub(in crate::config) fn parse(text: &str) -> Result<Node, Fault> {
    let mut builder = Builder::new();
    let mut anchors: HashMap<usize, Node> = HashMap::new();
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Fault::at(position(error.marker()), format!("not YAML: {}", error.info())))?;
        let at = position(&span.start);
        let anchor = match event {
            Event::DocumentStart(_) => {
                documents += 1;
                if documents > 1 {
                    return Err(Fault::at(at, "a second document begins here; a configuration is one"));
                }
                continue;
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && !forced_text(tag.as_deref(), at)?;
                if builder.wants_key() {
                    builder.key(Key { at, name: text.into_owned() })?;
                    continue;
                }
                builder.add(Node { at, value: Value::Scalar(Scalar { text: text.into_owned(), plain, written: None }) })?;
                anchor
            }
            Event::SequenceStart(anchor, tag) => {
                forced_text(tag.as_deref(), at)?;
                builder.begin(at, Value::List(Vec::new()), anchor)?;
                continue;
            }
            Event::MappingStart(anchor, tag) => {
                forced_text(tag.as_deref(), at)?;
                builder.begin(at, Value::Map(Vec::new()), anchor)?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => builder.end()?,
            Event::Alias(anchor) => {
                let node = anchors.get(&anchor).ok_or_else(|| Fault::at(at, "this alias is inside what it stands for"))?;
                if builder.wants_key() {
                    return Err(Fault::at(at, "a key must be a text"));
                }
                let extent = Extent::of(node);
                if builder.open.len() + extent.depth > MAX_DEPTH {
                    return Err(Fault::at(at, "this alias makes the configuration too deep"));
                }
                builder.grow(at, extent.nodes, extent.text).map_err(|_| Fault::at(at, "this alias makes the configuration too large"))?;
                builder.put(node.clone());
                continue;
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => continue,
        };
        if anchor != 0
            && let Some(node) = builder.last().cloned()
        {
            // The copy is kept whether or not an alias ever names it.
            let extent = Extent::of(&node);
            let large = |_| Fault::at(node.at, "this anchor makes the configuration too large");
            builder.grow(node.at, extent.nodes, extent.text).map_err(large)?;
            anchors.insert(anchor, node);
        }
    }
    let start = Position { line: 1, column: 1 };
    Ok(builder.root.filter(|root| !root.is_null()).unwrap_or_else(|| Node::empty(start)))
}

/// The tags of YAML's own schema.
const CORE: [&str; 7] = ["str", "int", "float", "bool", "null", "map", "seq"];

/// Whether a tag makes a text of a value; any but those of YAML's own schema are refused.
fn forced_text(tag: Option<&Tag>, at: Position) -> Result<bool, Fault> {
    match tag {
        None => Ok(false),
        Some(tag) if tag.is_yaml_core_schema() && CORE.contains(&tag.suffix.as_str()) => Ok(tag.suffix == "str"),
        Some(tag) => Err(Fault::at(at, format!("the tag `{tag}` means nothing here"))),
    }
}

/// How large a tree is.
struct Extent {
    nodes: usize,
    /// Bytes of keys and scalars.
    text: usize,
    /// Levels of lists and maps.
    depth: usize,
}

impl Extent {
    /// Recursive: a tree is never deeper than [`MAX_DEPTH`].
    fn of(node: &Node) -> Self {
        let mut all = Self { nodes: 1, text: 0, depth: 1 };
        match &node.value {
            Value::Scalar(scalar) => return Self { nodes: 1, text: scalar.text.len(), depth: 0 },
            Value::Cut => return Self { nodes: 1, text: 0, depth: 0 },
            Value::List(items) => items.iter().for_each(|item| all.hold(item)),
            Value::Map(members) => members.iter().for_each(|(key, member)| {
                all.text += key.name.len();
                all.hold(member);
            }),
        }
        all
    }

    fn hold(&mut self, inside: &Node) {
        let Self { nodes, text, depth } = Self::of(inside);
        self.nodes += nodes;
        self.text += text;
        self.depth = self.depth.max(depth + 1);
    }
}

fn position(marker: &Marker) -> Position {
    Position { line: marker.line(), column: marker.col() + 1 }
}
