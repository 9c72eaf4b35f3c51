//! Reads XML into an outline: tolerant, iterative, linear. Entities are not expanded, document types not followed.

use super::super::outline::{ITEM, Outline, TEXT};
use super::role;

/// A text as an outline, and how well formed it is.
pub(super) struct Read<'a> {
    pub(super) outline: Outline<'a>,
    pub(super) elements: usize,
    /// Brackets and ends of elements that match nothing.
    pub(super) faults: usize,
    /// Elements that the text does not close.
    pub(super) unclosed: usize,
    /// Texts outside the outermost element.
    pub(super) outside: usize,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    read: Read<'a>,
    /// How many elements of each name are open.
    open: Vec<u32>,
}

pub(super) fn read(text: &str) -> Read<'_> {
    let read = Read { outline: Outline::new(text), elements: 0, faults: 0, unclosed: 0, outside: 0 };
    let mut reader = Reader { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 }, read, open: Vec::new() };
    while reader.at < text.len() {
        reader.token();
    }
    while reader.read.outline.depth() > 1 {
        reader.unclosed();
    }
    reader.read.outline.close(text.len());
    reader.read
}

fn starts_name(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b':' || b >= 0x80
}

/// Whether a byte after a bracket makes it one of markup.
fn starts_token(b: u8) -> bool {
    starts_name(b) || matches!(b, b'?' | b'!' | b'/')
}

fn ends_name(b: u8) -> bool {
    b.is_ascii_whitespace() || matches!(b, b'=' | b'>' | b'/' | b'<' | b'"' | b'\'')
}

impl Reader<'_> {
    fn token(&mut self) {
        let bytes = self.text.as_bytes();
        let from = self.at;
        let Some(open) = memchr::memchr(b'<', &bytes[from..]).map(|p| p + from) else {
            self.running(from, bytes.len());
            self.at = bytes.len();
            return;
        };
        self.running(from, open);
        let rest = &self.text[open..];
        match bytes.get(open + 1) {
            Some(b'?') => {
                let role = if rest.starts_with("<?xml ") { role::PROLOG } else { role::INSTRUCTION };
                self.opaque(open, "?>", role);
            }
            Some(b'!') if rest.starts_with("<!--") => self.opaque(open, "-->", role::COMMENT),
            Some(b'!') if rest.starts_with("<![CDATA[") => {
                let end = memchr::memmem::find(rest.as_bytes(), b"]]>").map_or(self.text.len(), |e| open + e);
                self.read.outline.leaf(TEXT, open, (open + 9).min(end), end, role::CDATA);
                self.at = (end + 3).min(self.text.len());
            }
            Some(b'!') => {
                // The inner subset stands in brackets.
                let close = memchr::memchr2(b'>', b'[', rest.as_bytes());
                let until = if close.is_some_and(|c| rest.as_bytes()[c] == b'[') { "]>" } else { ">" };
                self.opaque(open, until, role::PROLOG);
            }
            Some(b'/') => self.end(open),
            Some(&b) if starts_name(b) => self.begin(open),
            _ => self.running_from_bracket(open),
        }
    }

    /// Running text, without the white space around it.
    fn running(&mut self, from: usize, to: usize) {
        let raw = &self.text[from..to];
        let trimmed = raw.trim();
        if trimmed.is_empty() {
            return;
        }
        let start = from + (raw.len() - raw.trim_start().len());
        self.read.outside += usize::from(self.read.outline.depth() == 1);
        self.read.outline.leaf(TEXT, start, start, start + trimmed.len(), role::TEXT);
    }

    /// A bracket that begins nothing is text, with what follows up to one that begins something.
    fn running_from_bracket(&mut self, open: usize) {
        let bytes = self.text.as_bytes();
        let mut end = open;
        while end < bytes.len() && !bytes.get(end + 1).is_some_and(|&b| starts_token(b)) {
            self.read.faults += 1;
            end = memchr::memchr(b'<', &bytes[end + 1..]).map_or(bytes.len(), |p| p + end + 1);
        }
        self.running(open, end);
        self.at = end;
    }

    fn opaque(&mut self, open: usize, until: &str, role: u8) {
        let end = memchr::memmem::find(&self.text.as_bytes()[open..], until.as_bytes()).map_or(self.text.len(), |e| open + e + until.len());
        self.read.outline.leaf(ITEM, open, open, end, role);
        self.at = end;
    }

    fn begin(&mut self, open: usize) {
        let bytes = self.text.as_bytes();
        let mut at = open + 1;
        while at < bytes.len() && !ends_name(bytes[at]) {
            at += 1;
        }
        let name = self.read.outline.intern(&self.text[open + 1..at]);
        let element = self.read.outline.open(name, open, at, role::ELEMENT);
        self.read.elements += 1;
        if self.open.len() <= name as usize {
            self.open.resize(name as usize + 1, 0);
        }
        self.open[name as usize] += 1;
        let mut empty = false;
        loop {
            while at < bytes.len() && bytes[at].is_ascii_whitespace() {
                at += 1;
            }
            match bytes.get(at) {
                None => break,
                Some(b'>') => {
                    at += 1;
                    break;
                }
                Some(b'/') => {
                    at += 1;
                    if bytes.get(at) == Some(&b'>') {
                        at += 1;
                        empty = true;
                        break;
                    }
                    self.read.faults += 1;
                }
                Some(b'<') => {
                    self.read.faults += 1;
                    break;
                }
                Some(_) => at = self.attribute(at),
            }
        }
        self.read.outline.nodes[element as usize].value = (open + 1 + self.read.outline.name(name).len()) as u32;
        self.at = at;
        if empty {
            self.open[name as usize] -= 1;
            self.read.outline.close(at);
        }
    }

    /// One attribute; returns where it ends.
    fn attribute(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        while at < bytes.len() && !ends_name(bytes[at]) {
            at += 1;
        }
        at = self.text.ceil_char_boundary(at);
        let mut equals = at;
        while equals < bytes.len() && bytes[equals].is_ascii_whitespace() {
            equals += 1;
        }
        if bytes.get(equals) != Some(&b'=') {
            self.read.faults += 1;
            let name = self.read.outline.intern(&self.text[start..at]);
            self.read.outline.leaf(name, start, at, at, role::ATTRIBUTE);
            return at;
        }
        let mut value = equals + 1;
        while value < bytes.len() && bytes[value].is_ascii_whitespace() {
            value += 1;
        }
        let end = match bytes.get(value) {
            Some(&quote @ (b'"' | b'\'')) => match memchr::memchr(quote, &bytes[value + 1..]) {
                Some(close) => value + close + 2,
                None => {
                    self.read.faults += 1;
                    bytes.len()
                }
            },
            _ => {
                self.read.faults += 1;
                bytes[value..].iter().position(|b| b.is_ascii_whitespace() || *b == b'>').map_or(bytes.len(), |p| value + p)
            }
        };
        let name = self.read.outline.intern(&self.text[start..at]);
        self.read.outline.leaf(name, start, value, end, role::ATTRIBUTE);
        end
    }

    fn end(&mut self, open: usize) {
        let bytes = self.text.as_bytes();
        let close = memchr::memchr2(b'>', b'<', &bytes[open + 1..]).map(|p| p + open + 1);
        let (name_end, after) = match close {
            Some(c) if bytes[c] == b'>' => (c, c + 1),
            Some(c) => (c, c),
            None => (bytes.len(), bytes.len()),
        };
        let name = self.text[open + 2..name_end].trim();
        let known = self.read.outline.find(name).filter(|&n| self.open.get(n as usize).is_some_and(|&count| count > 0));
        self.at = after;
        let Some(name) = known else {
            self.read.faults += 1;
            return;
        };
        while self.read.outline.node(self.read.outline.top()).name != name {
            self.unclosed();
        }
        self.open[name as usize] -= 1;
        self.read.outline.close(after);
    }

    /// Ends the innermost element, which the text does not close.
    fn unclosed(&mut self) {
        let top = self.read.outline.top();
        let node = &mut self.read.outline.nodes[top as usize];
        node.role = role::UNCLOSED;
        if let Some(count) = self.open.get_mut(node.name as usize) {
            *count = count.saturating_sub(1);
        }
        self.read.unclosed += 1;
        self.read.outline.close(self.at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(text: &str) -> String {
        let read = read(text);
        let mut out = String::new();
        for (id, node) in read.outline.nodes.iter().enumerate().skip(1) {
            let what = if node.branch {
                format!("<{}>", read.outline.name(node.name))
            } else {
                format!("{}={}", read.outline.name(node.name), read.outline.value(id as u32))
            };
            out.push_str(&format!("{}:{what} ", node.parent));
        }
        out.trim_end().to_owned()
    }

    #[test]
    fn elements_attributes_and_texts_are_parts() {
        assert_eq!(sketch("<a x='1'><b>t</b><c/> tail </a>"), "0:<a> 1:x='1' 1:<b> 3:=t 1:<c> 1:=tail");
    }

    #[test]
    fn what_is_not_well_formed_is_read_nevertheless() {
        for (text, sketched, faults, unclosed) in [
            ("<a><b>t</a>", "0:<a> 1:<b> 2:=t", 0, 1),
            ("<a></b></a>", "0:<a>", 1, 0),
            ("<a>1 < 2</a>", "0:<a> 1:=1 1:=< 2", 1, 0),
            ("<a>1 < 2 << 3<b/></a>", "0:<a> 1:=1 1:=< 2 << 3 1:<b>", 3, 0),
            ("<a><", "0:<a> 1:=<", 1, 1),
            ("<a x=1 y>z", "0:<a> 1:x=1 1:y= 1:=z", 2, 1),
            ("<a x=\"1", "0:<a> 1:x=\"1", 1, 1),
            ("<!-- never closed <a>", "0:=<!-- never closed <a>", 0, 0),
        ] {
            assert_eq!(sketch(text), sketched, "{text}");
            let read = read(text);
            assert_eq!((read.faults, read.unclosed), (faults, unclosed), "{text}");
        }
    }
}
