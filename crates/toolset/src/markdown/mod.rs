//! Markdown as plain text: decoration goes, words, code and what only looks like markup stay.
//!
//! A reader of our own for the few signs that descriptions of tools use: a library for the whole language weighs 0.3 MB in the addon.
//! Rules of blocks and of emphasis follow the specification 0.31 (<https://spec.commonmark.org/0.31.2/>); references to link definitions, HTML
//! blocks and setext headings are read as text.

mod inline;

use inline::inline;

/// Code blocks up to this many characters stay, as inline code.
const SHORT_CODE: usize = 80;

/// The text of a Markdown document, without headings' signs, emphasis, links' addresses, images, tags and long code.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut reader = Reader { out: String::with_capacity(text.len()), ..Reader::default() };
    for line in text.lines() {
        reader.line(line);
    }
    reader.finish();
    reader.out
}

#[derive(Default)]
struct Reader {
    out: String,
    /// The lines of the block that is open; its inline signs are read when it ends.
    block: String,
    /// What the open block is.
    kind: Kind,
    /// The columns where the items of the open list begin, outermost first.
    items: Vec<usize>,
    /// The fence that is open, and the code in it.
    fence: Option<Fence>,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Kind {
    #[default]
    None,
    Paragraph,
    Item,
    Heading,
}

struct Fence {
    sign: char,
    length: usize,
    code: String,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(fence) = &mut self.fence {
            let text = line.trim();
            if text.len() >= fence.length && text.chars().all(|c| c == fence.sign) {
                self.end_fence();
            } else {
                fence.code.push_str(line);
                fence.code.push('\n');
            }
            return;
        }
        let mut indent = line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum::<usize>();
        let mut text = line.trim();
        while let Some(quoted) = text.strip_prefix('>') {
            if self.kind == Kind::None {
                self.gap();
            }
            indent = quoted.chars().take_while(|c| *c == ' ').count().saturating_sub(1);
            text = quoted.trim_start();
        }
        if text.is_empty() {
            // The item stays open: what follows may be its next paragraph.
            self.end_block();
        } else if let Some((sign, length)) = fence(text) {
            self.end_block();
            self.fence = Some(Fence { sign, length, code: String::new() });
        } else if is_rule(text) {
            self.end_block();
            self.out.push(' ');
        } else if let Some(heading) = heading(text) {
            self.end_items(0);
            self.begin(Kind::Heading, heading);
            self.end_block();
        } else if let Some(item) = item(text).filter(|_| indent < 4 || !self.items.is_empty() || self.kind == Kind::Item) {
            self.end_block();
            self.end_items(indent);
            self.items.push(indent);
            self.begin(Kind::Item, item);
        } else if self.kind != Kind::None {
            self.block.push('\n');
            self.block.push_str(text);
        } else if indent >= 4 && self.items.is_empty() {
            // Indented code, or an indented list of arguments: nothing in it is a sign.
            self.gap();
            self.out.push_str(text);
        } else {
            self.end_items(indent);
            self.begin(Kind::Paragraph, text);
        }
    }

    fn begin(&mut self, kind: Kind, text: &str) {
        self.end_block();
        self.gap();
        self.kind = kind;
        self.block.push_str(text);
    }

    /// Writes the block that is open.
    fn end_block(&mut self) {
        if self.kind == Kind::None {
            return;
        }
        inline(&std::mem::take(&mut self.block), &mut self.out);
        if std::mem::take(&mut self.kind) == Kind::Heading {
            self.close(':');
        }
    }

    /// Ends the items that begin at column `indent` or after it.
    fn end_items(&mut self, indent: usize) {
        self.end_block();
        while self.items.last().is_some_and(|&column| column >= indent) {
            self.items.pop();
            self.close(';');
        }
    }

    fn end_fence(&mut self) {
        let Some(fence) = self.fence.take() else { return };
        let code = crate::sentence::one_line(&fence.code);
        if code.chars().count() <= SHORT_CODE && !code.is_empty() {
            self.gap();
            self.out.push_str(&format!("`{code}`"));
        }
    }

    fn finish(&mut self) {
        self.end_fence();
        self.end_items(0);
    }

    /// Ends a piece that has no end of its own.
    fn close(&mut self, sign: char) {
        if self.out.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | '"' | ')' | ']')) {
            self.out.push(sign);
        }
    }

    fn gap(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }
}

/// The sign and length of a fence that opens here.
fn fence(text: &str) -> Option<(char, usize)> {
    let sign = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.chars().take_while(|c| *c == sign).count();
    (length >= 3 && !(sign == '`' && text[length..].contains('`'))).then_some((sign, length))
}

/// A line across the page: three or more of one sign.
fn is_rule(text: &str) -> bool {
    let signs = text.chars().filter(|c| !c.is_whitespace()).count();
    signs >= 3 && ['-', '*', '_'].iter().any(|sign| text.chars().all(|c| c == *sign || c.is_whitespace()))
}

/// The words of a heading.
fn heading(text: &str) -> Option<&str> {
    let level = text.chars().take_while(|c| *c == '#').count();
    let words = &text[level..];
    if !(1..=6).contains(&level) || !(words.is_empty() || words.starts_with([' ', '\t'])) {
        return None;
    }
    let words = words.trim();
    let bare = words.trim_end_matches('#');
    Some(if bare.is_empty() || bare.ends_with(' ') { bare.trim_end() } else { words })
}

/// The words of a list's item.
fn item(text: &str) -> Option<&str> {
    let bullet = text.strip_prefix(['-', '*', '+']);
    let rest = bullet.or_else(|| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        ((1..=9).contains(&digits)).then(|| text[digits..].strip_prefix(['.', ')'])).flatten()
    })?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence::one_line;

    #[test]
    fn decoration_goes_and_words_stay() {
        for (text, expected) in [
            ("**Bold** and *italic* and __strong__", "Bold and italic and __strong__"),
            ("## Usage\n\nRun it.", "Usage: Run it."),
            ("See [the docs](https://x.org/a_b) now", "See the docs now"),
            ("![logo](a.png) Text", "Text"),
            ("- one\n- two.\n- three", "one; two. three;"),
            ("```js\nlet a = 1;\n```", "`let a = 1;`"),
            ("<b>Bold</b> and<br/>more", "Bold and more"),
            ("> quoted", "quoted"),
            ("Use `a * b` here", "Use `a * b` here"),
        ] {
            assert_eq!(one_line(&plain(text)), expected, "{text:?}");
        }
    }

    #[test]
    fn what_only_looks_like_markup_stays() {
        for text in [
            "snake_case and a_b_c",
            "__init__ and _id",
            "a * b * c",
            "2 < 3 and 5 > 4",
            "<placeholder> and <your-key>",
            "List<T> and Map<K, V> and Vec<a>",
            "https://example.com/a_b_c?x=*&y=_z_",
            "[optional] and [FILE]",
            r"a pattern ^\[a-z\]\.txt$ and C:\_tmp",
            "*args and **kwargs",
            "src/**/*.ts",
            "$HOME, #1, @me, 50%",
            "Tom & Jerry",
        ] {
            assert_eq!(one_line(&plain(text)), text);
        }
    }

    #[test]
    fn long_code_goes_and_indented_text_is_no_code() {
        let code = format!("Before\n\n```\n{}\n```\n\nafter", "x = 1\n".repeat(40));
        assert_eq!(one_line(&plain(&code)), "Before after");
        assert_eq!(one_line(&plain("Does it.\n\n    Args:\n        x: the thing")), "Does it. Args: x: the thing");
    }
}
