//! A strict JSON reader for tests, written apart from the engine's: it keeps lexemes, key order and duplicate keys, and has no limit of depth.

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Object,
    Array,
    String,
    Other,
}

#[derive(Debug)]
pub struct Node<'a> {
    pub kind: Kind,
    /// The value as it is written.
    pub lexeme: &'a str,
    /// The key as it is written, quotes included; empty for elements and the root.
    pub key: &'a str,
    /// The first node after this value.
    pub next: usize,
    pub depth: usize,
}

/// A JSON text: its values in the order in which they begin.
#[derive(Debug)]
pub struct Tree<'a> {
    pub nodes: Vec<Node<'a>>,
}

impl<'a> Tree<'a> {
    /// Reads one JSON text (RFC 8259), a byte-order mark before it allowed; or says at which byte it stops being one.
    pub fn parse(text: &'a str) -> Result<Self, usize> {
        let mut reader = Reader { text, bytes: text.as_bytes(), at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
        let mut nodes: Vec<Node<'a>> = Vec::new();
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut key = "";
        loop {
            reader.blank();
            let start = reader.at;
            let this = nodes.len();
            let kind = reader.begin()?;
            nodes.push(Node { kind, lexeme: "", key, next: this + 1, depth: open.len() });
            key = "";
            if matches!(kind, Kind::Object | Kind::Array) {
                open.push((this, start));
                reader.blank();
                if !reader.closes(kind) {
                    if kind == Kind::Object {
                        key = reader.key()?;
                    }
                    continue;
                }
                open.pop();
            }
            nodes[this].lexeme = &text[start..reader.at];
            loop {
                reader.blank();
                let Some(&(around, from)) = open.last() else {
                    return if reader.at == text.len() { Ok(Self { nodes }) } else { Err(reader.at) };
                };
                let kind = nodes[around].kind;
                if reader.closes(kind) {
                    nodes[around].lexeme = &text[from..reader.at];
                    nodes[around].next = nodes.len();
                    open.pop();
                    continue;
                }
                reader.expect(b',')?;
                if kind == Kind::Object {
                    reader.blank();
                    key = reader.key()?;
                }
                break;
            }
        }
    }

    /// The values directly in a container.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes[node].next;
        let mut at = node + 1;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let child = at;
                at = self.nodes[at].next;
                child
            })
        })
    }

    /// The child of an object under a key (given without quotes).
    pub fn get(&self, node: usize, key: &str) -> Option<usize> {
        self.children(node).find(|&c| decode(self.nodes[c].key) == key)
    }

    pub fn depth(&self) -> usize {
        self.nodes.iter().map(|n| n.depth).max().unwrap_or(0)
    }

    /// Values that are no containers.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|n| matches!(n.kind, Kind::String | Kind::Other)).count()
    }

    /// The text without white space between tokens.
    pub fn compact(&self) -> String {
        let mut out = String::new();
        let mut open: Vec<(usize, char)> = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            while open.last().is_some_and(|o| o.0 <= at) {
                out.extend(open.pop().map(|o| o.1));
            }
            if !out.is_empty() && !out.ends_with(['{', '[']) {
                out.push(',');
            }
            if !node.key.is_empty() {
                out.push_str(node.key);
                out.push(':');
            }
            match node.kind {
                Kind::Object | Kind::Array => {
                    let object = node.kind == Kind::Object;
                    out.push(if object { '{' } else { '[' });
                    open.push((node.next, if object { '}' } else { ']' }));
                }
                _ => out.push_str(node.lexeme),
            }
        }
        out.extend(open.iter().rev().map(|o| o.1));
        out
    }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn blank(&mut self) {
        while matches!(self.byte(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), usize> {
        if self.byte() != byte || self.at == self.bytes.len() {
            return Err(self.at);
        }
        self.at += 1;
        Ok(())
    }

    fn closes(&mut self, kind: Kind) -> bool {
        self.expect(if kind == Kind::Object { b'}' } else { b']' }).is_ok()
    }

    fn key(&mut self) -> Result<&'a str, usize> {
        let start = self.at;
        self.string()?;
        let key = &self.text[start..self.at];
        self.blank();
        self.expect(b':')?;
        Ok(key)
    }

    /// Reads a scalar, or the bracket that opens a container.
    fn begin(&mut self) -> Result<Kind, usize> {
        match self.byte() {
            b'{' => self.expect(b'{').map(|()| Kind::Object),
            b'[' => self.expect(b'[').map(|()| Kind::Array),
            b'"' => self.string().map(|()| Kind::String),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str) -> Result<Kind, usize> {
        word.bytes().try_for_each(|b| self.expect(b))?;
        Ok(Kind::Other)
    }

    fn number(&mut self) -> Result<Kind, usize> {
        let _ = self.expect(b'-');
        if self.expect(b'0').is_err() {
            self.digits()?;
        }
        if self.expect(b'.').is_ok() {
            self.digits()?;
        }
        if self.expect(b'e').or_else(|_| self.expect(b'E')).is_ok() {
            let _ = self.expect(b'+').or_else(|_| self.expect(b'-'));
            self.digits()?;
        }
        Ok(Kind::Other)
    }

    fn digits(&mut self) -> Result<(), usize> {
        if !self.byte().is_ascii_digit() {
            return Err(self.at);
        }
        while self.byte().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), usize> {
        self.expect(b'"')?;
        loop {
            match self.byte() {
                b'"' => return self.expect(b'"'),
                b'\\' => {
                    self.at += 1;
                    match self.byte() {
                        b'u' => {
                            let digits = self.bytes.get(self.at + 1..self.at + 5).ok_or(self.at)?;
                            if !digits.iter().all(u8::is_ascii_hexdigit) {
                                return Err(self.at);
                            }
                            self.at += 5;
                        }
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
                        _ => return Err(self.at),
                    }
                }
                0..0x20 => return Err(self.at),
                _ => self.at += 1,
            }
        }
    }
}

/// The text of a string as it is written, quotes included; lone surrogates become U+FFFD.
pub fn decode(lexeme: &str) -> String {
    let inner = lexeme.get(1..lexeme.len().saturating_sub(1)).unwrap_or_default();
    let mut units: Vec<u16> = Vec::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend(c.encode_utf16(&mut [0; 2]).iter());
            continue;
        }
        units.push(match chars.next() {
            Some('n') => 10,
            Some('t') => 9,
            Some('r') => 13,
            Some('b') => 8,
            Some('f') => 12,
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                u16::from_str_radix(&digits, 16).unwrap_or(0xfffd)
            }
            other => other.map_or(0xfffd, |c| c as u16),
        });
    }
    String::from_utf16_lossy(&units)
}
