//! The scanner: strict JSON (RFC 8259) in one pass, iterative, into an [`Index`] over the borrowed text.
//!
//! It accepts what `serde_json` accepts, at any depth, and lone surrogate escapes besides, which are kept as they are written. Keys are interned
//! as they come: records repeat their keys in the same order, so the key that followed the last time is tried first, without hashing.

use super::index::{Index, NO_KEY, Node};
use crate::text::hash::TextMap;

/// Bytes after which the number of values in the rest is estimated, so that the index is allocated once.
const SAMPLE: usize = 1 << 16;

/// The index of `text`, or `None` where it is not JSON (or too long for 32-bit offsets).
#[must_use]
pub fn scan(text: &str) -> Option<Index<'_>> {
    index(text, false)
}

/// The index of a text of several containers, one a line (NDJSON); `None` where it is not that.
#[must_use]
pub fn scan_lines(text: &str) -> Option<Index<'_>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (first, second) = (lines.next()?, lines.next()?);
    if ![first, second].iter().all(|line| line.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']) && scan(line).is_some())
    {
        return None;
    }
    index(text, true)
}

fn index(text: &str, stream: bool) -> Option<Index<'_>> {
    if text.len() >= u32::MAX as usize {
        return None;
    }
    let mut scanner =
        Scanner { text, bytes: text.as_bytes(), at: 0, blanks: 0, nodes: Vec::new(), open: Vec::new(), keys: Keys::default() };
    if text.starts_with('\u{feff}') {
        scanner.at = 3;
    }
    if stream {
        scanner.nodes.push(Node { start: 0, end: text.len() as u32, key: NO_KEY, next: 0 });
    }
    scanner.run(stream)?;
    if stream {
        scanner.nodes[0].next = scanner.nodes.len() as u32;
    }
    Some(Index { text, nodes: scanner.nodes, keys: scanner.keys.names, blanks: scanner.blanks, stream })
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    blanks: usize,
    nodes: Vec<Node>,
    /// Open containers: node, and whether it is an object.
    open: Vec<(u32, bool)>,
    keys: Keys<'a>,
}

impl Scanner<'_> {
    fn run(&mut self, stream: bool) -> Option<()> {
        let mut key = NO_KEY;
        let mut sampled = false;
        loop {
            if !sampled && self.at > SAMPLE {
                sampled = true;
                let expected = (self.nodes.len() as u64 * self.bytes.len() as u64 / self.at as u64) as usize;
                self.nodes.reserve_exact((expected + expected / 16).saturating_sub(self.nodes.len()));
            }
            let first = self.peek()?;
            let node = self.nodes.len() as u32;
            let start = self.at;
            self.nodes.push(Node { start: start as u32, end: 0, key, next: node + 1 });
            match first {
                b'{' | b'[' => {
                    let object = first == b'{';
                    self.at += 1;
                    if self.peek()? == if object { b'}' } else { b']' } {
                        self.at += 1;
                    } else {
                        self.open.push((node, object));
                        key = if object { self.key(self.keys_after_open(node))? } else { NO_KEY };
                        continue;
                    }
                }
                b'"' => self.string()?,
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => return None,
            }
            self.nodes[node as usize].end = self.at as u32;
            // Close what ends here, then go on to the next member or element.
            loop {
                let Some(&(parent, object)) = self.open.last() else {
                    let end = self.at;
                    self.blank();
                    if self.at == self.bytes.len() {
                        return Some(());
                    }
                    if stream && memchr::memchr(b'\n', &self.bytes[end..self.at]).is_some() {
                        key = NO_KEY;
                        break;
                    }
                    return None;
                };
                match self.peek()? {
                    b',' => {
                        self.at += 1;
                        key = if object {
                            let last = self.keys.last;
                            self.peek()?;
                            self.key(last)?
                        } else {
                            NO_KEY
                        };
                        break;
                    }
                    close if close == if object { b'}' } else { b']' } => {
                        self.at += 1;
                        self.open.pop();
                        let next = self.nodes.len() as u32;
                        let container = &mut self.nodes[parent as usize];
                        container.end = self.at as u32;
                        container.next = next;
                        self.keys.last = container.key;
                    }
                    _ => return None,
                }
            }
        }
    }

    /// What the first key of an object is guessed from: the key that the object stands under.
    fn keys_after_open(&self, node: u32) -> u32 {
        let key = self.nodes[node as usize].key;
        if key == NO_KEY { NO_KEY } else { key }
    }

    /// The next byte after white space.
    fn peek(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        if byte > b' ' {
            return Some(byte);
        }
        self.blank();
        self.bytes.get(self.at).copied()
    }

    fn blank(&mut self) {
        let start = self.at;
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.blanks += self.at - start;
    }

    /// A key and its colon; the cursor is at the quote.
    fn key(&mut self, after: u32) -> Option<u32> {
        let start = self.at;
        if self.bytes.get(start) != Some(&b'"') {
            return None;
        }
        let id = if let Some((id, len)) = self.keys.guess(after, &self.bytes[start..]) {
            self.at += len;
            self.keys.last = id;
            id
        } else {
            self.string()?;
            self.keys.intern(after, &self.text[start..self.at])
        };
        (self.peek()? == b':').then(|| self.at += 1)?;
        Some(id)
    }

    /// A string; the cursor is at its opening quote and ends past the closing one.
    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => match self.bytes.get(self.at + 1)? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 2,
                    b'u' => {
                        let digits = self.bytes.get(self.at + 2..self.at + 6)?;
                        digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                        self.at += 6;
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    fn number(&mut self) -> Option<()> {
        self.at += usize::from(self.bytes[self.at] == b'-');
        match self.bytes.get(self.at)? {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits()?,
            _ => return None,
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.bytes[self.at..].starts_with(word.as_bytes()).then(|| self.at += word.len())
    }
}

/// How many bytes come before the next quote, backslash or control character: eight at a time, and more of what turns out to be long.
fn plain_run(bytes: &[u8]) -> usize {
    const SHORT: usize = 32;
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut at = 0;
    while let Some(chunk) = bytes[at..].first_chunk() {
        let word = u64::from_le_bytes(*chunk);
        let zero = |x: u64| x.wrapping_sub(ONES) & !x & HIGHS;
        let quote = zero(word ^ (ONES * u64::from(b'"')));
        let slash = zero(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let stop = quote | slash | control;
        if stop != 0 {
            // The lowest mark is exact; those above it may come from a borrow.
            return at + (stop.trailing_zeros() / 8) as usize;
        }
        at += 8;
        if at == SHORT {
            at += wide_run(&bytes[at..]);
        }
    }
    at + bytes[at..].iter().take_while(|&&b| b >= 0x20 && b != b'"' && b != b'\\').count()
}

/// The bytes of the pieces that come before the first one that such a byte is in: a loop that the compiler makes vectors of.
fn wide_run(bytes: &[u8]) -> usize {
    const WIDE: usize = 32;
    let (pieces, _) = bytes.as_chunks::<WIDE>();
    let stops = |b: u8| u8::from(b < 0x20) | u8::from(b == b'"') | u8::from(b == b'\\');
    WIDE * pieces.iter().take_while(|piece| piece.iter().fold(0, |stop, &b| stop | stops(b)) == 0).count()
}

/// The keys of a text, each once.
#[derive(Default)]
struct Keys<'a> {
    names: Vec<&'a str>,
    /// For each key the one that came after it the last time.
    after: Vec<u32>,
    /// The key that came first in the last object that stood under no key.
    first: u32,
    ids: TextMap<&'a str, u32>,
    last: u32,
}

impl<'a> Keys<'a> {
    /// The key that the bytes begin with, if it is the one expected, and its length.
    fn guess(&self, after: u32, bytes: &[u8]) -> Option<(u32, usize)> {
        let id = if after == NO_KEY { self.first } else { *self.after.get(after as usize)? };
        let name = self.names.get(id as usize)?;
        bytes.starts_with(name.as_bytes()).then_some((id, name.len()))
    }

    fn intern(&mut self, after: u32, name: &'a str) -> u32 {
        let id = *self.ids.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.after.push(NO_KEY);
            self.names.len() as u32 - 1
        });
        match self.after.get_mut(after as usize) {
            Some(next) => *next = id,
            None => self.first = id,
        }
        self.last = id;
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nodes_stand_in_the_order_of_the_text() {
        let index = scan(" {\"a\": [1, \"x\", {}], \"b\":null, \"a\": true}\n").unwrap();
        let all: Vec<_> = (0..index.nodes.len() as u32).map(|n| (index.name(index.nodes[n as usize].key), index.lexeme(n))).collect();
        assert_eq!(
            all,
            [
                ("", "{\"a\": [1, \"x\", {}], \"b\":null, \"a\": true}"),
                ("a", "[1, \"x\", {}]"),
                ("", "1"),
                ("", "\"x\""),
                ("", "{}"),
                ("b", "null"),
                ("a", "true")
            ]
        );
        assert_eq!(index.children(0).collect::<Vec<_>>(), [1, 5, 6]);
        assert_eq!(index.blanks, 8);
    }

    #[test]
    fn lines_of_json_are_one_list() {
        let index = scan_lines("{\"a\":1}\n\n[2]\r\n{\"a\":3}\n").unwrap();
        assert_eq!(index.children(0).map(|n| index.lexeme(n)).collect::<Vec<_>>(), ["{\"a\":1}", "[2]", "{\"a\":3}"]);
        for text in ["{}", "{}{}", "{}\n{", "1\n2", "{}\n[]\nx"] {
            assert!(scan_lines(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn malformed_json_is_not_json() {
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "01",
            "1.",
            "-",
            "1e",
            "+1",
            ".5",
            "NaN",
            "\"\t\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "[1 2]",
            "1 2",
            "tru",
            "{\"a\" 1}",
            "[1}",
            "\"abc",
            "{\"a\":1 \"b\":2}",
            "\u{a0}1",
        ] {
            assert!(scan(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn depth_is_no_limit() {
        let text = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(scan(&text).unwrap().nodes.len(), 100_000);
    }

    proptest! {
        #[test]
        fn accepts_what_serde_json_accepts(text in r#"[\[\]{}",:0-9.eE+\-a \\utrfnls/]{0,24}"#) {
            let ours = scan(&text).is_some();
            let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            prop_assert!(ours == theirs || text.contains("\\u"), "{:?}: {} {}", text, ours, theirs);
        }

        #[test]
        fn plain_runs_stop_at_the_first_special_byte(bytes in proptest::collection::vec(prop_oneof![1 => Just(b'"'), 1 => Just(b'\\'), 1 => 0u8..=255, 60 => 0x20u8..0x22], 0..160)) {
            let expected = bytes.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).unwrap_or(bytes.len());
            prop_assert_eq!(plain_run(&bytes), expected);
        }
    }
}
