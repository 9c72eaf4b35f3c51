//! Reads YAML into an outline by its indentation: tolerant, iterative, linear.

use super::super::lines::split;
use super::super::outline::{ITEM, Outline};
use super::role;
use crate::json::ids::IdSet;

/// A text as an outline, and how much like YAML it is.
pub(super) struct Read<'a> {
    pub(super) outline: Outline<'a>,
    pub(super) entries: usize,
    pub(super) items: usize,
    /// Lines that are neither.
    pub(super) others: usize,
    /// Keys with spaces or brackets in them.
    pub(super) spaced: usize,
    /// Lines that go on with the value of the line before.
    pub(super) continued: usize,
    /// Keys that the outermost mapping has had already.
    pub(super) repeated: usize,
}

/// A branch that is open, and the column where it begins.
#[derive(Clone, Copy)]
struct Level {
    column: isize,
    item: bool,
}

struct Reader<'a> {
    text: &'a str,
    lines: Vec<(u32, u32)>,
    at: usize,
    levels: Vec<Level>,
    read: Read<'a>,
    documents: bool,
    outermost: IdSet,
    /// Where the last line ended.
    end: usize,
}

pub(super) fn read(text: &str) -> Read<'_> {
    let read = Read { outline: Outline::new(text), entries: 0, items: 0, others: 0, spaced: 0, continued: 0, repeated: 0 };
    let lines: Vec<(u32, u32)> = split(text).map(|(start, end)| (start as u32, end as u32)).collect();
    let mut reader = Reader {
        text,
        lines,
        at: 0,
        levels: vec![Level { column: -1, item: false }],
        read,
        documents: false,
        outermost: IdSet::default(),
        end: 0,
    };
    reader.documents = reader.has_documents();
    if reader.documents {
        reader.read.outline.open(ITEM, 0, 0, role::DOCUMENT);
    }
    while reader.at < reader.lines.len() {
        reader.line();
    }
    while reader.read.outline.depth() > 1 {
        reader.read.outline.close(reader.end);
    }
    reader.read.outline.close(text.len());
    reader.read
}

/// The first byte of a line that is no space, and its column.
fn indentation(line: &str) -> usize {
    line.bytes().take_while(|b| *b == b' ').count()
}

fn separator(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Where the key of `key: value` ends (before the colon), if a text begins with one.
fn key_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let colon = |at: usize| bytes.get(at) == Some(&b':') && bytes.get(at + 1).is_none_or(|b| matches!(b, b' ' | b'\t'));
    match bytes.first()? {
        quote @ (b'"' | b'\'') => {
            let mut at = 1;
            while at < bytes.len() && bytes[at] != *quote {
                at += if bytes[at] == b'\\' && *quote == b'"' { 2 } else { 1 };
            }
            colon(at + 1).then_some(at + 1)
        }
        b'[' | b'{' | b'#' | b'|' | b'>' | b'%' | b',' | b']' | b'}' => None,
        _ => {
            let found = memchr::memchr_iter(b':', bytes).find(|&at| colon(at))?;
            // A comment begins before it.
            (found > 0 && memchr::memmem::find(&bytes[..found], b" #").is_none()).then_some(found)
        }
    }
}

/// Whether a value is but an anchor, a tag, or a comment: what it is comes below.
fn comes_below(value: &str) -> bool {
    value.split_ascii_whitespace().take_while(|w| !w.starts_with('#')).all(|word| word.starts_with(['&', '!']))
}

/// Whether a value begins a block scalar.
fn block(value: &str) -> bool {
    let value = value.trim_start_matches(['!', '&']).trim_start();
    let head = if value.starts_with(['|', '>']) { value } else { return false };
    head.split_ascii_whitespace()
        .next()
        .is_some_and(|h| h.len() <= 3 && h[1..].bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+')))
}

impl<'a> Reader<'a> {
    fn bounds(&self, line: usize) -> (usize, usize) {
        (self.lines[line].0 as usize, self.lines[line].1 as usize)
    }

    fn content(&self, line: usize) -> &'a str {
        let (start, end) = self.bounds(line);
        &self.text[start..end]
    }

    /// Whether a line separates documents, past the first.
    fn has_documents(&self) -> bool {
        let mut content = false;
        for line in 0..self.lines.len() {
            let text = self.content(line);
            if separator(text) {
                if content {
                    return true;
                }
            } else if !text.trim_start_matches('\u{feff}').trim().is_empty() && !text.trim_start().starts_with('#') {
                content = true;
            }
        }
        false
    }

    fn line(&mut self) {
        let (start, end) = self.bounds(self.at);
        let line = &self.text[start..end];
        self.at += 1;
        let skip = if start == 0 && line.starts_with('\u{feff}') { 3 } else { 0 };
        let from = start + skip + indentation(&line[skip..]);
        let column = from - start - skip;
        let rest = self.text[from..end].trim_end();
        if rest.is_empty() || rest == "..." {
            return;
        }
        if column == 0 && separator(rest) {
            self.separate(from, end);
            return;
        }
        if rest.starts_with('#') || rest.starts_with('%') && column == 0 {
            self.read.outline.leaf(ITEM_COMMENT, from, from, from + rest.len(), role::COMMENT);
            self.end = end;
            return;
        }
        self.part(from, column, from + rest.len(), false);
        self.end = self.end.max(end);
    }

    fn separate(&mut self, from: usize, end: usize) {
        if !self.documents {
            self.read.outline.leaf(ITEM_COMMENT, from, from, end, role::COMMENT);
            return;
        }
        let top = self.read.outline.nodes.len() as u32;
        while self.levels.len() > 1 {
            self.levels.pop();
            self.read.outline.close(self.end);
        }
        // Comments before the first document belong to it.
        let document = self.read.outline.top();
        if (document + 1..top).any(|n| self.read.outline.node(n).role != role::COMMENT) {
            self.read.outline.close(self.end);
            self.read.outline.open(ITEM, from, end, role::DOCUMENT);
        }
    }

    fn close_to(&mut self, column: isize, item: bool) {
        while self.levels.len() > 1 {
            let level = self.levels[self.levels.len() - 1];
            let ends = if item { level.column > column || level.column == column && level.item } else { level.column >= column };
            if !ends {
                break;
            }
            self.levels.pop();
            self.read.outline.close(self.end);
        }
    }

    fn open(&mut self, name: u32, start: usize, value: usize, role: u8, column: usize) -> u32 {
        self.levels.push(Level { column: column as isize, item: role == role::ITEM });
        self.read.outline.open(name, start, value, role)
    }

    /// What stands on a line from `from` on: any number of dashes, then an entry or a value.
    fn part(&mut self, from: usize, column: usize, end: usize, glued: bool) {
        let (mut from, mut column, mut glued) = (from, column, glued);
        loop {
            let rest = &self.text[from..end];
            let dash = rest == "-" || rest.starts_with("- ") || rest.starts_with("-\t");
            if !dash {
                break;
            }
            self.close_to(column as isize, true);
            self.read.items += 1;
            let inner = rest[1..].trim_start();
            let at = end - inner.len();
            let nested = inner == "-" || inner.starts_with("- ") || key_end(inner).is_some();
            let id = if nested || comes_below(inner) {
                self.open(ITEM, from, if nested { at } else { end }, role::ITEM, column)
            } else if block(inner) {
                let close = self.block_end(column);
                self.end = close;
                self.read.outline.leaf(ITEM, from, at, close, role::BLOCK_ITEM)
            } else {
                let close = self.value_end(at, end, column);
                self.end = close;
                self.read.outline.leaf(ITEM, from, at, close, role::SCALAR)
            };
            self.read.outline.nodes[id as usize].glued = glued;
            if !nested {
                return;
            }
            glued = true;
            column += at - from;
            from = at;
        }
        let rest = &self.text[from..end];
        let Some(key) = key_end(rest) else {
            self.read.others += 1;
            let id = self.read.outline.leaf(ITEM_OTHER, from, from, end, role::OTHER);
            self.read.outline.nodes[id as usize].glued = glued;
            return;
        };
        self.close_to(column as isize, false);
        self.entry(from, from + key, end, column, glued);
    }

    fn entry(&mut self, from: usize, colon: usize, end: usize, column: usize, glued: bool) {
        let key = self.text[from..colon].trim_end();
        let name = self.read.outline.intern(key.trim_matches(['"', '\'']));
        self.read.entries += 1;
        self.read.spaced += usize::from(key.contains([' ', '(', '[', '=', ',']) && !key.starts_with(['"', '\'']));
        if column == 0 && !self.documents && self.outermost.len() < 1_000 {
            self.read.repeated += usize::from(!self.outermost.insert(name));
        }
        let value = self.text[colon + 1..end].trim_start();
        let at = end - value.len();
        let id = if value.is_empty() || comes_below(value) {
            self.open(name, from, end, role::ENTRY, column)
        } else if block(value) {
            let close = self.block_end(column);
            self.end = close;
            self.read.outline.leaf(name, from, at, close, role::BLOCK)
        } else {
            let close = self.value_end(at, end, column);
            self.end = close;
            self.read.outline.leaf(name, from, at, close, role::VALUE)
        };
        self.read.outline.nodes[id as usize].glued = glued;
    }

    /// Where the lines of a block scalar end, whose key or dash stands in `column`.
    fn block_end(&mut self, column: usize) -> usize {
        let mut close = self.bounds(self.at - 1).1;
        let mut next = self.at;
        while next < self.lines.len() {
            let line = self.content(next);
            if line.trim().is_empty() {
                next += 1;
                continue;
            }
            if indentation(line) <= column {
                break;
            }
            next += 1;
            close = self.bounds(next - 1).1;
            self.at = next;
        }
        close
    }

    /// Where a value ends that begins on this line: it may go on below.
    fn value_end(&mut self, from: usize, end: usize, column: usize) -> usize {
        let mut open = Flow::default();
        let quote = match self.text.as_bytes()[from] {
            quote @ (b'"' | b'\'') => Some(quote),
            _ => None,
        };
        let flow = matches!(self.text.as_bytes()[from], b'[' | b'{');
        let mut ended = match quote {
            Some(quote) => closes(&self.text[from + 1..end], quote),
            None if flow => open.goes_on(&self.text[from..end]),
            None => false,
        };
        let mut close = end;
        let mut next = self.at;
        while !ended && next < self.lines.len() {
            let line = self.content(next);
            let trimmed = line.trim();
            let inside = indentation(line) > column || flow && trimmed.starts_with([']', '}']);
            if trimmed.is_empty() && (quote.is_some() || flow) {
                next += 1;
                continue;
            }
            if trimmed.is_empty() || !inside || quote.is_none() && trimmed.starts_with('#') {
                break;
            }
            next += 1;
            self.at = next;
            self.read.continued += 1;
            let (start, stop) = self.bounds(next - 1);
            close = start + self.text[start..stop].trim_end().len();
            ended = match quote {
                Some(quote) => closes(trimmed, quote),
                None if flow => open.goes_on(trimmed),
                None => false,
            };
        }
        close
    }
}

/// The names that comments and other lines go by.
const ITEM_COMMENT: u32 = super::super::outline::TEXT;
const ITEM_OTHER: u32 = super::super::outline::TEXT;

/// Whether a quoted text closes in `rest`.
fn closes(rest: &str, quote: u8) -> bool {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            b if b == quote => {
                if quote == b'\'' && bytes.get(at + 1) == Some(&quote) {
                    at += 1;
                } else {
                    return true;
                }
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// The open brackets of a value that goes over lines.
#[derive(Default)]
struct Flow {
    depth: usize,
    quote: Option<u8>,
}

impl Flow {
    /// Reads on; true once all brackets are closed.
    fn goes_on(&mut self, part: &str) -> bool {
        let mut escaped = false;
        for &b in part.as_bytes() {
            match self.quote {
                Some(b'"') if escaped => escaped = false,
                Some(b'"') if b == b'\\' => escaped = true,
                Some(quote) if b == quote => self.quote = None,
                Some(_) => {}
                None => match b {
                    b'"' | b'\'' => self.quote = Some(b),
                    b'[' | b'{' => self.depth += 1,
                    b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                },
            }
        }
        self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(text: &str) -> String {
        let read = read(text);
        let mut out = String::new();
        for (id, node) in read.outline.nodes.iter().enumerate().skip(1) {
            let what = match node.role {
                role::DOCUMENT => "doc".to_owned(),
                role::ITEM => "-".to_owned(),
                role::ENTRY => format!("{}:", read.outline.name(node.name)),
                role::SCALAR | role::BLOCK_ITEM => format!("-{}", read.outline.value(id as u32)),
                role::COMMENT => "#".to_owned(),
                _ => format!("{}={}", read.outline.name(node.name), read.outline.value(id as u32)),
            };
            out.push_str(&format!("{}{what} ", node.parent));
        }
        out.trim_end().replace('\n', "⏎")
    }

    #[test]
    fn indentation_makes_the_outline() {
        for (text, sketched) in [
            ("a: 1\nb:\n  c: 2\nd: 3", "0a=1 0b: 2c=2 0d=3"),
            ("a:\n- x\n- y: 1\n  z: 2\nb: 3", "0a: 1-x 1- 3y=1 3z=2 0b=3"),
            ("a:\n  - - 1\n    - 2\n", "0a: 1- 2-1 2-2"),
            ("a: |\n  x\n\n  y\nb: >-\n  z", "0a=|⏎  x⏎⏎  y 0b=>-⏎  z"),
            ("a: 'x\n  y'\nb: [1,\n 2]\nc: p\n  q", "0a='x⏎  y' 0b=[1,⏎ 2] 0c=p⏎  q"),
            ("# c\na: &x\n  b: *x # d\n", "0# 0a: 2b=*x # d"),
            ("a: 1\n---\nb: 2\n", "0doc 1a=1 0doc 3b=2"),
            ("\"a b\": 1\n? x\nhttp://x: 2", "0a b=1 0=? x 0http://x=2"),
            ("a:\n    b:\n  c: 1", "0a: 1b: 1c=1"),
        ] {
            assert_eq!(sketch(text), sketched, "{text}");
        }
    }
}
