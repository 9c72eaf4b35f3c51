//! The index over borrowed JSON text: one small entry a value, in the order of the text. No value is owned.

/// No key: the root, or an element of an array.
pub(crate) const NO_KEY: u32 = u32::MAX;

/// One value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// Byte offset of the value's first byte.
    pub(crate) start: u32,
    /// Byte offset past its last byte.
    pub(crate) end: u32,
    /// The interned key of an object member, else [`NO_KEY`].
    pub(crate) key: u32,
    /// The node after this value and all inside it; `index + 1` for scalars.
    pub(crate) next: u32,
}

/// What a value is, told by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

/// All values of a JSON text.
#[derive(Debug)]
pub(crate) struct Index<'a> {
    /// The text that the offsets point into.
    pub(crate) text: &'a str,
    /// The values, each before what it holds.
    pub(crate) nodes: Vec<Node>,
    /// The distinct keys, quotes included, in order of first appearance.
    pub(crate) keys: Vec<&'a str>,
    /// Bytes of white space between tokens, which compact output leaves out.
    pub(crate) blanks: usize,
    /// The text is a stream of values, one a line; the root stands for all of them.
    pub(crate) stream: bool,
}

impl<'a> Index<'a> {
    pub(crate) fn kind(&self, node: u32) -> Type {
        if self.stream && node == 0 {
            return Type::Array;
        }
        match self.text.as_bytes()[self.nodes[node as usize].start as usize] {
            b'{' => Type::Object,
            b'[' => Type::Array,
            b'"' => Type::String,
            b't' | b'f' => Type::Bool,
            b'n' => Type::Null,
            _ => Type::Number,
        }
    }

    /// The value's text as written.
    pub(crate) fn lexeme(&self, node: u32) -> &'a str {
        let Node { start, end, .. } = self.nodes[node as usize];
        &self.text[start as usize..end as usize]
    }

    /// The first value inside a container, or its `next` if it is empty.
    pub(crate) fn is_empty(&self, node: u32) -> bool {
        self.nodes[node as usize].next == node + 1
    }

    /// The direct children of a container.
    pub(crate) fn children(&self, node: u32) -> Children<'_> {
        Children { nodes: &self.nodes, at: node + 1, end: self.nodes[node as usize].next }
    }

    /// The key as written, quotes included; empty for none.
    pub(crate) fn key(&self, key: u32) -> &'a str {
        self.keys.get(key as usize).copied().unwrap_or_default()
    }

    /// The key without its quotes; empty for none.
    pub(crate) fn name(&self, key: u32) -> &'a str {
        let key = self.key(key);
        key.get(1..key.len().saturating_sub(1)).unwrap_or_default()
    }
}

/// Iterator over the direct children of a container.
#[derive(Debug, Clone)]
pub(crate) struct Children<'i> {
    nodes: &'i [Node],
    at: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        (self.at < self.end).then(|| {
            let node = self.at;
            self.at = self.nodes[node as usize].next;
            node
        })
    }
}
