//! The index over borrowed JSON text: one small entry a value, in the order of the text. No value is owned.

/// No key: the root, or an element of an array.
pub const NO_KEY: u32 = u32::MAX;

/// One value.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// Byte offset of the value's first byte.
    pub start: u32,
    /// Byte offset past its last byte.
    pub end: u32,
    /// The interned key of an object member, else [`NO_KEY`].
    pub key: u32,
    /// The node after this value and all inside it; `index + 1` for scalars.
    pub next: u32,
}

/// What a value is, told by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// `{…}`.
    Object,
    /// `[…]`, or the root of a stream.
    Array,
    /// `"…"`.
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `null`.
    Null,
}

/// All values of a JSON text.
#[derive(Debug)]
pub struct Index<'a> {
    /// The text that the offsets point into.
    pub text: &'a str,
    /// The values, each before what it holds.
    pub nodes: Vec<Node>,
    /// The distinct keys, quotes included, in order of first appearance.
    pub keys: Vec<&'a str>,
    /// Bytes of white space between tokens, which compact output leaves out.
    pub blanks: usize,
    /// The text is a stream of values, one a line; the root stands for all of them.
    pub stream: bool,
}

impl<'a> Index<'a> {
    /// What a value is.
    #[must_use]
    pub fn kind(&self, node: u32) -> Type {
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
    #[must_use]
    pub fn lexeme(&self, node: u32) -> &'a str {
        let Node { start, end, .. } = self.nodes[node as usize];
        &self.text[start as usize..end as usize]
    }

    /// Whether a value holds no others.
    #[must_use]
    pub fn is_empty(&self, node: u32) -> bool {
        self.nodes[node as usize].next == node + 1
    }

    /// The direct children of a container.
    #[must_use]
    pub fn children(&self, node: u32) -> Children<'_> {
        Children { nodes: &self.nodes, at: node + 1, end: self.nodes[node as usize].next }
    }

    /// The key as written, quotes included; empty for none.
    #[must_use]
    pub fn key(&self, key: u32) -> &'a str {
        self.keys.get(key as usize).copied().unwrap_or_default()
    }

    /// The key without its quotes; empty for none.
    #[must_use]
    pub fn name(&self, key: u32) -> &'a str {
        let key = self.key(key);
        key.get(1..key.len().saturating_sub(1)).unwrap_or_default()
    }
}

/// Iterator over the direct children of a container.
#[derive(Debug, Clone)]
pub struct Children<'i> {
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
