//! Which lines belong to which declaration, by indentation: it holds for nearly all code that is written or formatted, in every language.

use super::lex::{Language, Lexer, Line, Part, is_licence};

/// No line.
pub(super) const NONE: u32 = u32::MAX;
/// A signature goes on for at most so many lines.
const MAX_SIGNATURE: u32 = 24;

/// A line and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) part: Part,
    /// The declaration that it is in; for documentation and attributes, the one that follows.
    pub(super) owner: u32,
    /// The how-manieth line or member of its owner it is; of an import or comment, of its block.
    pub(super) at: u32,
    /// For a declaration: the lines of its body.
    pub(super) body: u32,
    /// Declarations that it is in.
    pub(super) depth: u8,
    /// It goes on with the signature of its owner.
    pub(super) signature: bool,
    /// The first line of the file that is documentation.
    pub(super) first: bool,
}

struct Scope {
    indent: u32,
    line: u32,
    part: Part,
    lines: u32,
}

/// The outline of the lines (without line feeds) of a text.
pub(super) fn outline<'t>(lines: impl Iterator<Item = &'t str>, language: Language) -> Vec<Entry> {
    let mut builder = Builder {
        entries: Vec::new(),
        scopes: Vec::new(),
        pending: Vec::new(),
        signature: None,
        import: None,
        block: 0,
        before: Part::Blank,
        subject: false,
    };
    let mut lexer = Lexer::new(language);
    for line in lines {
        let line = lexer.line(line);
        builder.line(&line);
    }
    builder.close_to(0, true);
    builder.entries
}

struct Builder {
    entries: Vec<Entry>,
    scopes: Vec<Scope>,
    /// Comments and attributes that wait for the declaration they stand before.
    pending: Vec<u32>,
    /// A signature that goes on: brackets open, lines so far.
    signature: Option<(i32, u32)>,
    /// Brackets open in an import.
    import: Option<i32>,
    /// Lines of the present block of imports or comments.
    block: u32,
    before: Part,
    /// What the file is about has been said, or is not.
    subject: bool,
}

impl Builder {
    fn line(&mut self, line: &Line<'_>) {
        let number = self.entries.len() as u32;
        let mut entry = Entry { part: line.part, owner: NONE, at: 0, body: 0, depth: 0, signature: false, first: false };
        if line.part == Part::Blank {
            self.entries.push(entry);
            return;
        }
        if let Some((open, lines)) = self.signature {
            let open = open + balance(line.text);
            self.signature = (open > 0 && lines < MAX_SIGNATURE).then_some((open, lines + 1));
            entry.part = Part::Body;
            entry.signature = true;
            self.place(&mut entry);
            self.entries.push(entry);
            return;
        }
        if let Some(open) = self.import {
            let open = open + balance(line.text);
            self.import = (open > 0).then_some(open);
            entry.part = Part::Import;
            self.count(&mut entry);
            self.entries.push(entry);
            return;
        }
        let goes_on = matches!(line.part, Part::Close)
            || line.text.starts_with(['{', '}', ')', ']'])
            || line.text.starts_with("else")
            || line.text.starts_with("where");
        self.close_to(line.indent, !goes_on);
        let inside = self.scopes.last().map(|s| s.part);
        entry.part = match line.part {
            // Only the outer level and types have values; in a function they are its body.
            Part::Value | Part::Import if inside == Some(Part::Function) => Part::Body,
            Part::Value if line.indent > 0 && inside.is_none() => Part::Body,
            // A call looks as a function does; in a body it is one.
            Part::Function if inside == Some(Part::Function) && !word_for_it(line.text) => Part::Body,
            part => part,
        };
        self.place(&mut entry);
        match entry.part {
            Part::Comment | Part::Attribute => {
                self.count(&mut entry);
                entry.first = line.comment
                    && !self.subject
                    && !line.text.starts_with("#!")
                    && !is_licence(line.text)
                    && line.text.contains(char::is_alphabetic);
                self.subject |= entry.first;
                // Documentation inside (of Python) belongs to what it is in, that before to what follows.
                if !(line.text.starts_with("\"\"\"") || line.text.starts_with("'''")) {
                    self.pending.push(number);
                }
            }
            Part::Import => {
                self.count(&mut entry);
                let open = balance(line.text);
                self.import = (open > 0).then_some(open);
                self.pending.clear();
            }
            Part::Type | Part::Function | Part::Value => {
                for waiting in self.pending.drain(..) {
                    self.entries[waiting as usize].owner = number;
                }
                let open = balance_of_parentheses(line.text);
                if entry.part != Part::Value {
                    self.signature = (open > 0 && !line.text.ends_with('{')).then_some((open, 1));
                }
                self.scopes.push(Scope { indent: line.indent, line: number, part: entry.part, lines: 0 });
            }
            _ => self.pending.clear(),
        }
        self.before = entry.part;
        self.subject |= !line.comment && entry.part != Part::Import;
        self.entries.push(entry);
    }

    /// The owner of a line, and its place in it.
    fn place(&mut self, entry: &mut Entry) {
        entry.depth = self.scopes.len().min(255) as u8;
        if let Some(scope) = self.scopes.last_mut() {
            entry.owner = scope.line;
            entry.at = scope.lines;
            scope.lines += 1;
        }
    }

    fn count(&mut self, entry: &mut Entry) {
        self.block = if self.before == entry.part { self.block + 1 } else { 0 };
        self.before = entry.part;
        entry.at = self.block;
    }

    /// Ends the declarations that a line of this indentation is not in.
    fn close_to(&mut self, indent: u32, also_equal: bool) {
        while self.scopes.last().is_some_and(|s| s.indent > indent || also_equal && s.indent == indent) {
            if let Some(scope) = self.scopes.pop() {
                self.entries[scope.line as usize].body = scope.lines;
                if let Some(outer) = self.scopes.last_mut() {
                    outer.lines += 1;
                }
            }
        }
    }
}

/// Whether a function is declared with a word for it, not only by its form.
fn word_for_it(text: &str) -> bool {
    ["fn ", "func ", "function ", "def ", "fun "].iter().any(|word| text.starts_with(word) || text.contains(&format!(" {word}")))
}

fn balance(text: &str) -> i32 {
    text.bytes()
        .map(|b| match b {
            b'(' | b'{' | b'[' => 1,
            b')' | b'}' | b']' => -1,
            _ => 0,
        })
        .sum()
}

fn balance_of_parentheses(text: &str) -> i32 {
    text.bytes()
        .map(|b| match b {
            b'(' => 1,
            b')' => -1,
            _ => 0,
        })
        .sum()
}
