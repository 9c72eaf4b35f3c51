//! HTML to Markdown, in one pass over the tokens.

mod link;

use super::entity;
use super::place::{MAIN, Places};
use super::table::{Cell, Tables};
use super::tag::{Lower, Tag};
use super::token::{Token, Tokens};
use crate::budget::count_chars;

/// Indentation of lists and quotes goes no deeper.
const MAX_INDENT: usize = 6;

/// A page as Markdown.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) markdown: String,
    /// From which byte on the text is worth how much.
    pub(super) places: Vec<(u32, f32)>,
    /// Characters of tags and comments.
    pub(super) markup: usize,
    /// Scripts and styles.
    pub(super) scripts: usize,
    /// Links whose targets were left out.
    pub(super) links: usize,
}

/// Writes a page as Markdown; with a `brief` sign it stands for the targets of the page's own links in tables.
pub(super) fn convert(html: &str, brief: Option<&str>) -> Page {
    let page = Page { markdown: String::with_capacity(html.len() / 4), ..Page::default() };
    let mut writer = Writer { page, brief: brief.map(str::to_owned), ..Writer::default() };
    for token in Tokens::new(html) {
        match token {
            Token::Text(text) => writer.text(text),
            Token::Open(name, inside) => {
                writer.page.markup += count_chars(name.as_bytes()) + count_chars(inside.as_bytes()) + 2;
                writer.open(&Tag::new(name, inside));
            }
            Token::Close(name) => {
                writer.page.markup += count_chars(name.as_bytes()) + 3;
                writer.close(Lower::new(name).as_str());
            }
            Token::Raw(text) => writer.raw(text),
            Token::Other(text) => match text.strip_prefix("<![CDATA[") {
                Some(data) => writer.text(data.strip_suffix("]]>").unwrap_or(data)),
                None => writer.page.markup += count_chars(text.as_bytes()),
            },
        }
    }
    writer.finish()
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
pub(super) struct Writer {
    pub(super) page: Page,
    /// Line feeds to write before the next text.
    breaks: usize,
    pub(super) space: bool,
    /// What the next text begins with: the signs of a heading or an item.
    sign: String,
    places: Places,
    heading: bool,
    pre: bool,
    /// Lists: the number of the last item where they are numbered.
    lists: Vec<Option<u32>>,
    quotes: usize,
    tables: Tables,
    /// An open link: where its text begins, and its target.
    link: Option<(usize, String)>,
    /// What the raw text to come belongs to.
    raw: &'static str,
    in_select: bool,
    /// What stands for the targets of the page's own links in tables.
    brief: Option<String>,
}

impl Writer {
    pub(super) fn text(&mut self, text: &str) {
        if self.pre {
            self.preformatted(text);
            return;
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            if byte.is_ascii_whitespace() {
                self.space = true;
                at += 1;
            } else if byte == b'&' {
                let (c, length) = entity::decode(&text[at..]).unwrap_or(('&', 1));
                self.character(c);
                at += length;
            } else {
                let end = bytes[at..].iter().position(|b| b.is_ascii_whitespace() || *b == b'&').map_or(bytes.len(), |end| at + end);
                self.word(&text[at..end]);
                at = end;
            }
        }
    }

    fn character(&mut self, c: char) {
        match c {
            '\u{a0}' | '\t' | '\n' | '\r' => self.space = true,
            // The sign of our markers is not made of references.
            '…' => self.word("..."),
            '\u{ad}' | '\u{200b}' => {}
            c => self.word(c.encode_utf8(&mut [0; 4])),
        }
    }

    pub(super) fn word(&mut self, word: &str) {
        self.flush();
        if self.tables.in_cell() && word.contains('|') {
            self.page.markdown.push_str(&word.replace('|', "\\|"));
        } else {
            self.page.markdown.push_str(word);
        }
    }

    fn preformatted(&mut self, text: &str) {
        self.flush();
        let mut rest = text;
        while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
            self.page.markdown.push_str(&rest[..at]);
            let (c, length) = entity::decode(&rest[at..]).unwrap_or(('&', 1));
            if c == '…' {
                self.page.markdown.push_str("...");
            } else {
                self.page.markdown.push(c);
            }
            rest = &rest[at + length..];
        }
        self.page.markdown.push_str(rest);
    }

    /// Writes the line feeds, the space, the sign that are due.
    pub(super) fn flush(&mut self) {
        let out = &mut self.page.markdown;
        if self.breaks > 0 && !out.is_empty() {
            out.truncate(out.trim_end_matches(' ').len());
            let there = out.bytes().rev().take(2).take_while(|b| *b == b'\n').count();
            (there..self.breaks).for_each(|_| out.push('\n'));
        }
        if self.pre {
            // Its text is as it is.
        } else if out.is_empty() || out.ends_with('\n') {
            (0..self.quotes.min(MAX_INDENT)).for_each(|_| out.push_str("> "));
            let indent = self.lists.len().saturating_sub(1).min(MAX_INDENT);
            // What goes on with an item stands under its text.
            let more = usize::from(self.sign.is_empty() && !self.lists.is_empty());
            (0..indent + more).for_each(|_| out.push_str("  "));
        } else if self.space && !out.ends_with([' ', '[']) {
            out.push(' ');
        }
        out.push_str(&self.sign);
        self.sign.clear();
        (self.breaks, self.space) = (0, false);
    }

    fn block(&mut self, breaks: usize) {
        if self.tables.in_cell() || self.heading || self.in_select {
            self.space = true;
        } else {
            self.breaks = self.breaks.max(breaks);
            self.space = false;
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        self.raw = "";
        self.places.enter(tag, self.page.markdown.len());
        let name = tag.name.as_str();
        match name {
            "script" | "style" | "xmp" | "noembed" | "noframes" => self.raw = "script",
            "title" => {
                self.raw = "title";
            }
            "textarea" => {
                self.raw = "textarea";
                self.field(tag);
            }
            "meta" if tag.field.eq_ignore_ascii_case("description") && !tag.content.is_empty() => self.about(tag.content),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block(2);
                self.heading = !self.tables.in_cell();
                self.sign = "#".repeat(usize::from(name.as_bytes()[1] - b'0')) + " ";
            }
            "summary" => {
                self.block(2);
                self.sign = "##### ".into();
            }
            "p" | "dl" | "fieldset" | "figure" | "details" | "section" | "article" | "main" | "hr" | "dt" => self.block(2),
            "br" => self.block(1),
            "ul" | "ol" | "menu" => {
                self.block(if self.lists.is_empty() { 2 } else { 1 });
                self.lists.push((name == "ol").then_some(0));
            }
            "li" => self.item(),
            "dd" => {
                self.block(1);
                self.sign = ": ".into();
            }
            "blockquote" => {
                self.block(2);
                self.quotes += 1;
            }
            "pre" => self.open_pre(),
            "a" => self.open_link(tag),
            "img" => self.image(tag),
            _ => self.open_more(tag),
        }
    }

    /// What is embedded, forms and tables.
    fn open_more(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        match name {
            "iframe" | "embed" | "video" | "audio" | "object" if !tag.src.is_empty() && !tag.src.starts_with("data:") => {
                let label = if tag.label.is_empty() { name } else { tag.label };
                self.reference("", label, tag.src);
            }
            "form" => {
                self.block(1);
                if !tag.action.is_empty() {
                    let method = if tag.method.is_empty() { "GET" } else { tag.method };
                    self.word(&format!("[form: {} {}]", method.to_ascii_uppercase(), tag.action));
                    self.block(1);
                }
            }
            "input" => self.input(tag),
            "select" => {
                self.field(tag);
                self.in_select = true;
            }
            "option" => {
                self.block(1);
                if self.in_select {
                    self.word(if tag.selected { "| *" } else { "|" });
                    self.space = !tag.selected;
                }
            }
            "button" => {
                self.flush();
                self.page.markdown.push_str("[button: ");
                if !tag.label.is_empty() {
                    self.text(tag.label);
                    self.space = true;
                }
            }
            "table" => {
                if self.tables.open(matches!(tag.role, "presentation" | "none")) {
                    // The cell that it stands in is none any more.
                    let out = &mut self.page.markdown;
                    if out.ends_with("| ") {
                        out.truncate(out.len() - 2);
                    }
                }
                self.block(2);
            }
            "tr" => {
                self.end_row();
                self.tables.row();
            }
            "td" | "th" => match self.tables.cell() {
                Cell::Block => self.block(1),
                Cell::First => {
                    self.flush_break();
                    self.page.markdown.push_str("| ");
                    self.space = false;
                }
                Cell::Next => {
                    self.close_link();
                    self.page.markdown.push_str(" | ");
                    self.space = false;
                }
            },
            _ if is_block(name) => self.block(1),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        self.places.leave(name, self.page.markdown.len());
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.heading = false;
                self.sign.clear();
                self.block(2);
            }
            "ul" | "ol" | "menu" => {
                self.lists.pop();
                self.sign.clear();
                self.block(if self.lists.is_empty() { 2 } else { 1 });
            }
            "blockquote" => {
                self.quotes = self.quotes.saturating_sub(1);
                self.block(2);
            }
            "pre" => self.close_pre(),
            "a" => self.close_link(),
            "button" => self.page.markdown.push(']'),
            "select" => {
                self.in_select = false;
                self.block(1);
            }
            "tr" => self.end_row(),
            "table" => {
                self.end_row();
                self.tables.close();
                self.block(2);
            }
            "p" | "dl" | "fieldset" | "figure" | "details" | "section" | "article" | "main" | "summary" => self.block(2),
            _ if is_block(name) => self.block(1),
            _ => {}
        }
    }

    fn raw(&mut self, text: &str) {
        match std::mem::take(&mut self.raw) {
            "title" => {
                if self.page.markdown.is_empty() {
                    self.sign = "# ".into();
                }
                self.about(text);
            }
            "textarea" => {
                self.text(text);
                self.block(1);
            }
            _ => {
                self.page.scripts += usize::from(!text.trim().is_empty());
            }
        }
    }

    /// Text about the page, which counts as its main part does.
    fn about(&mut self, text: &str) {
        let around = self.places.now();
        self.block(2);
        self.places.set(self.page.markdown.len(), MAIN);
        self.text(text);
        self.block(2);
        self.places.set(self.page.markdown.len(), around);
    }

    fn item(&mut self) {
        self.block(1);
        self.sign = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{number}. ")
            }
            _ => "- ".to_owned(),
        };
    }

    fn end_row(&mut self) {
        self.close_link();
        if let Some(end) = self.tables.end_row() {
            self.page.markdown.push_str(&end);
            (self.breaks, self.space) = (1, false);
        }
    }

    /// A line feed where one is due, and no space or sign.
    fn flush_break(&mut self) {
        self.sign.clear();
        let out = &mut self.page.markdown;
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        if self.breaks > 1 && out.ends_with('\n') && !out.ends_with("\n\n") {
            out.push('\n');
        }
        (self.breaks, self.space) = (0, false);
    }

    fn open_pre(&mut self) {
        if self.pre || self.tables.in_cell() {
            return;
        }
        self.block(2);
        self.flush();
        self.page.markdown.push_str("```\n");
        self.pre = true;
    }

    fn close_pre(&mut self) {
        if !std::mem::take(&mut self.pre) {
            return;
        }
        let out = &mut self.page.markdown;
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str("```");
        self.block(2);
    }

    fn finish(mut self) -> Page {
        self.close_link();
        self.close_pre();
        if let Some(end) = self.tables.end_row() {
            self.page.markdown.push_str(&end);
        }
        self.page.places = self.places.finish();
        self.page
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "div"
            | "header"
            | "footer"
            | "nav"
            | "aside"
            | "form"
            | "address"
            | "li"
            | "dt"
            | "dd"
            | "figcaption"
            | "caption"
            | "legend"
            | "body"
            | "html"
            | "head"
            | "option"
            | "optgroup"
            | "thead"
            | "tbody"
            | "tfoot"
            | "center"
            | "dialog"
            | "hgroup"
            | "search"
            | "label"
            | "picture"
            | "template"
            | "noscript"
    )
}
