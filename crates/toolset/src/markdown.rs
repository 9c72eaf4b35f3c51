//! Markdown as plain text: decoration goes, words, code and what only looks like markup stay.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// Code blocks up to this many characters stay, as inline code.
const SHORT_CODE: usize = 80;

/// Tags that are markup in a description. Any other word in angle brackets is a placeholder or a type.
const TAGS: &[&str] = &[
    "a",
    "b",
    "i",
    "p",
    "u",
    "s",
    "em",
    "strong",
    "br",
    "hr",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "div",
    "span",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "table",
    "thead",
    "tbody",
    "tr",
    "td",
    "th",
    "img",
    "sub",
    "sup",
    "small",
    "details",
    "summary",
    "kbd",
    "blockquote",
    "font",
    "center",
    "mark",
    "del",
    "ins",
    "dl",
    "dt",
    "dd",
    "section",
    "article",
    "header",
    "footer",
];

/// The text of a Markdown document, without headings' signs, emphasis, links' addresses, images, tags and long code.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut out = Plain { source: text, out: String::with_capacity(text.len()), end: 0, hidden: 0, code: None, literal: Vec::new() };
    for (event, range) in Parser::new(text).into_offset_iter() {
        // A backslash before punctuation is an escape to Markdown and a part of the text to whoever wrote a pattern or a path.
        if matches!(event, Event::Text(_)) && range.start == out.end + 1 && text[out.end..].starts_with('\\') {
            out.push("\\");
        }
        let end = range.end;
        out.event(event, range);
        out.end = end;
    }
    out.out
}

struct Plain<'t> {
    source: &'t str,
    out: String,
    /// Where the last event ended.
    end: usize,
    /// Images that are open.
    hidden: usize,
    /// The code of a fence that is open.
    code: Option<String>,
    /// For each open emphasis the delimiter that is to stay.
    literal: Vec<&'static str>,
}

impl Plain<'_> {
    fn event(&mut self, event: Event<'_>, range: std::ops::Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.finish(tag),
            Event::Text(text) => self.push(&text),
            Event::Code(code) => self.push(&format!("`{code}`")),
            Event::Html(html) | Event::InlineHtml(html) => {
                let html = without_tags(&html, self.out.ends_with(char::is_alphanumeric));
                self.push(&html);
            }
            Event::SoftBreak | Event::HardBreak => self.push(" "),
            Event::Rule => self.push(" "),
            _ => {
                let source = self.source;
                self.push(&source[range]);
            }
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: std::ops::Range<usize>) {
        match tag {
            Tag::Image { .. } => self.hidden += 1,
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => self.code = Some(String::new()),
            Tag::Emphasis | Tag::Strong => {
                // `__init__` and `_id` are names.
                let source = &self.source[range];
                let strong = matches!(tag, Tag::Strong);
                let stays = source.starts_with('_') && !source.contains(char::is_whitespace);
                let delimiter = if !stays {
                    ""
                } else if strong {
                    "__"
                } else {
                    "_"
                };
                self.literal.push(delimiter);
                self.push(delimiter);
            }
            Tag::Item | Tag::Paragraph | Tag::Heading { .. } | Tag::BlockQuote(_) | Tag::CodeBlock(_) => self.gap(),
            _ => {}
        }
    }

    fn finish(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Image => self.hidden = self.hidden.saturating_sub(1),
            TagEnd::CodeBlock => {
                if let Some(code) = self.code.take() {
                    let code = crate::sentence::one_line(&code);
                    if code.chars().count() <= SHORT_CODE && !code.is_empty() {
                        self.gap();
                        self.push(&format!("`{code}`"));
                    }
                }
            }
            TagEnd::Emphasis | TagEnd::Strong => {
                let delimiter = self.literal.pop().unwrap_or_default();
                self.push(delimiter);
            }
            TagEnd::Heading(_) => self.close(':'),
            TagEnd::Item => self.close(';'),
            _ => {}
        }
    }

    /// Ends a piece that has no end of its own.
    fn close(&mut self, sign: char) {
        if self.out.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | '"' | ')' | ']')) {
            self.out.push(sign);
        }
    }

    fn gap(&mut self) {
        if self.hidden == 0 && self.code.is_none() && !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn push(&mut self, text: &str) {
        if self.hidden > 0 {
        } else if let Some(code) = &mut self.code {
            code.push_str(text);
        } else {
            self.out.push_str(text);
        }
    }
}

/// A piece of HTML without tags that are markup. `after_word`: it follows a word at once, as the `<T>` of `List<T>` does.
fn without_tags(html: &str, mut after_word: bool) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        after_word = if at == 0 { after_word } else { out.ends_with(char::is_alphanumeric) };
        let Some(end) = rest[at..].find('>').map(|end| at + end + 1) else { break };
        let tag = &rest[at + 1..end - 1];
        let closing = tag.starts_with('/');
        let name = tag.trim_start_matches('/').trim_end_matches('/').split_whitespace().next().unwrap_or_default();
        let is_markup = tag.starts_with("!--") || (TAGS.contains(&name) && !(after_word && !closing && name.len() == 1));
        out.push_str(if is_markup { " " } else { &rest[at..end] });
        rest = &rest[end..];
        after_word = false;
    }
    out.push_str(rest);
    out
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
