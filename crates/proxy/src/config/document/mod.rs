//! A configuration as a tree that knows the place of every value: text → tree ([`yaml`], [`json`]) → variables put in ([`expand`]) → types
//! ([`read`]).
//!
//! The tree is at most [`MAX_DEPTH`] deep, whatever the text, so that walking it by recursion is safe.

pub(super) mod expand;
pub(super) mod json;
pub(super) mod read;
pub(super) mod yaml;

use std::collections::HashMap;

use snugfit_toolset::names::excerpt;

use super::fault::{Fault, Position};

/// The deepest that a configuration may be nested.
const MAX_DEPTH: usize = 64;

/// The most values that a configuration may have, those of YAML anchors and aliases counted as often as they are copied.
const MAX_NODES: usize = 100_000;

/// The most bytes of text that it may have, counted in the same way, and again what variables give.
const MAX_TEXT: usize = 8 << 20;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) at: Position,
    pub(super) value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Scalar(Scalar),
    List(Vec<Node>),
    /// In the order of the text, no key twice.
    Map(Vec<(Key, Node)>),
    /// A mistake was here that has been told.
    Cut,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    pub(super) at: Position,
    pub(super) name: String,
}

/// A text, number, boolean or nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scalar {
    pub(super) text: String,
    /// Written without quotes: what it is, its form says.
    pub(super) plain: bool,
    /// How it was written before variables were put in; what messages show in place of `text`.
    pub(super) written: Option<String>,
}

impl Node {
    /// An empty map.
    pub(super) fn empty(at: Position) -> Self {
        Self { at, value: Value::Map(Vec::new()) }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.is_null())
    }

    /// The members of a map; none where it is something else.
    pub(super) fn members(&self) -> &[(Key, Self)] {
        match &self.value {
            Value::Map(members) => members,
            _ => &[],
        }
    }

    /// Takes a member out of a map.
    pub(super) fn take(&mut self, name: &str) -> Option<Self> {
        let Value::Map(members) = &mut self.value else { return None };
        let at = members.iter().position(|(key, _)| key.name == name)?;
        Some(members.remove(at).1)
    }
}

impl Scalar {
    fn is_null(&self) -> bool {
        self.plain && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    fn boolean(&self) -> Option<bool> {
        match self.text.as_str() {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        }
    }
}

/// Builds a tree out of what a parser meets, in the order of the text.
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
    text: usize,
}

/// A list or map that is not finished.
struct Open {
    node: Node,
    /// The keys so far, with their places.
    keys: HashMap<String, Position>,
    /// The key that waits for its value.
    key: Option<Key>,
    /// The YAML anchor of the whole; 0 where there is none.
    anchor: usize,
}

impl Builder {
    fn new() -> Self {
        Self { open: Vec::new(), root: None, nodes: 0, text: 0 }
    }

    /// Whether a key comes next.
    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { node: Node { value: Value::Map(_), .. }, key: None, .. }))
    }

    fn key(&mut self, key: Key) -> Result<(), Fault> {
        self.grow(key.at, 0, key.name.len())?;
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        if let Some(first) = open.keys.insert(key.name.clone(), key.at) {
            return Err(Fault::at(key.at, format!("`{}` is here twice; the first is at {first}", excerpt(&key.name))));
        }
        open.key = Some(key);
        Ok(())
    }

    /// Begins a list or a map.
    fn begin(&mut self, at: Position, value: Value, anchor: usize) -> Result<(), Fault> {
        if self.wants_key() {
            return Err(Fault::at(at, "a key must be a text"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(Fault::at(at, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.open.push(Open { node: Node { at, value }, keys: HashMap::new(), key: None, anchor });
        Ok(())
    }

    /// Ends the innermost list or map and says its anchor.
    fn end(&mut self) -> Result<usize, Fault> {
        match self.open.pop() {
            Some(Open { node, anchor, .. }) => self.add(node).map(|()| anchor),
            None => Ok(0),
        }
    }

    /// Adds a value that is whole.
    fn add(&mut self, node: Node) -> Result<(), Fault> {
        let text = if let Value::Scalar(scalar) = &node.value { scalar.text.len() } else { 0 };
        self.grow(node.at, 1, text)?;
        self.put(node);
        Ok(())
    }

    /// Adds a value that has been counted.
    fn put(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open { node: parent, key, .. }) => match &mut parent.value {
                Value::List(items) => items.push(node),
                Value::Map(members) => members.extend(key.take().map(|key| (key, node))),
                Value::Scalar(_) | Value::Cut => {}
            },
        }
    }

    /// Counts values and bytes of text.
    fn grow(&mut self, at: Position, nodes: usize, text: usize) -> Result<(), Fault> {
        self.nodes += nodes;
        self.text += text;
        if self.nodes > MAX_NODES {
            return Err(Fault::at(at, format!("more than {MAX_NODES} values")));
        }
        if self.text > MAX_TEXT {
            return Err(Fault::at(at, format!("more than {} MiB of text", MAX_TEXT >> 20)));
        }
        Ok(())
    }

    /// The value that was added last.
    fn last(&self) -> Option<&Node> {
        match self.open.last().map(|open| &open.node.value) {
            None => self.root.as_ref(),
            Some(Value::List(items)) => items.last(),
            Some(Value::Map(members)) => members.last().map(|(_, node)| node),
            Some(Value::Scalar(_) | Value::Cut) => None,
        }
    }
}
