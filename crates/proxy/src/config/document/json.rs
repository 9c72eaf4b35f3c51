//! JSON to a tree, over the engine's index, which knows where every value is.

use serde::de::IgnoredAny;
use snugfit_engine::json::{Index, NO_KEY, Type, scan, unescape};

use super::{Builder, Key, Node, Scalar, Value};
use crate::config::fault::{Fault, Position};

/// Reads a document.
pub(in crate::config) fn parse(text: &str) -> Result<Node, Fault> {
    // The engine's scanner is the faster one; this one says what is wrong.
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| {
        let message = error.to_string();
        let words = message.rsplit_once(" at line ").map_or(message.as_str(), |(words, _)| words);
        // serde_json counts bytes, and 0 is the end of the line before.
        let column = text.lines().nth(error.line().saturating_sub(1)).map_or(1, |line| chars_before(line, error.column()));
        Fault::at(Position { line: error.line().max(1), column }, format!("not JSON: {words}"))
    })?;
    let start = Position { line: 1, column: 1 };
    let index = scan(text).filter(|index| !index.stream).ok_or_else(|| Fault::at(start, "not JSON"))?;
    Tree { places: Places { text, byte: 0, at: start }, index: &index, builder: Builder::new() }.build()
}

/// The 1-based column, in characters, of a 1-based column in bytes.
fn chars_before(line: &str, column: usize) -> usize {
    line.char_indices().take_while(|(byte, _)| *byte + 1 < column).count() + 1
}

struct Tree<'a> {
    places: Places<'a>,
    index: &'a Index<'a>,
    builder: Builder,
}

impl Tree<'_> {
    fn build(mut self) -> Result<Node, Fault> {
        // The nodes at which the open lists and maps end.
        let mut ends: Vec<u32> = Vec::new();
        for (n, node) in (0..).zip(&self.index.nodes) {
            while ends.pop_if(|end| *end == n).is_some() {
                self.builder.end()?;
            }
            if node.key != NO_KEY {
                self.key(n)?;
            }
            let at = self.places.of(node.start as usize);
            let lexeme = self.index.lexeme(n);
            let scalar = match self.index.kind(n) {
                Type::Object | Type::Array => {
                    let value = if self.index.kind(n) == Type::Object { Value::Map(Vec::new()) } else { Value::List(Vec::new()) };
                    self.builder.begin(at, value, 0)?;
                    ends.push(node.next);
                    continue;
                }
                Type::String => Scalar { text: inside(lexeme), plain: false, written: None },
                Type::Number | Type::Bool | Type::Null => Scalar { text: lexeme.to_owned(), plain: true, written: None },
            };
            self.builder.add(Node { at, value: Value::Scalar(scalar) })?;
        }
        for _ in ends {
            self.builder.end()?;
        }
        Ok(self.builder.root.unwrap_or_else(|| Node::empty(Position { line: 1, column: 1 })))
    }

    /// The key before a value: the index tells its text once for all members of the name, so its place is looked for.
    fn key(&mut self, n: u32) -> Result<(), Fault> {
        let node = self.index.nodes[n as usize];
        let lexeme = self.index.keys[node.key as usize];
        let before = self.index.text[..node.start as usize].trim_end().trim_end_matches(':').trim_end();
        let at = self.places.of(before.len() - lexeme.len());
        self.builder.key(Key { at, name: inside(lexeme) })
    }
}

/// The text of a string in quotes.
fn inside(lexeme: &str) -> String {
    unescape(lexeme.trim_start_matches('"').strip_suffix('"').unwrap_or_default())
}

/// Turns byte offsets, asked for in rising order, into positions.
struct Places<'a> {
    text: &'a str,
    byte: usize,
    at: Position,
}

impl Places<'_> {
    fn of(&mut self, byte: usize) -> Position {
        for c in self.text[self.byte..byte].chars() {
            if c == '\n' {
                self.at = Position { line: self.at.line + 1, column: 1 };
            } else {
                self.at.column += 1;
            }
        }
        self.byte = byte;
        self.at
    }
}
