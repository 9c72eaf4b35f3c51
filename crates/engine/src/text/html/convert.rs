//! HTML to Markdown, in one pass over the tokens.

use super::entity;
use super::table::{Cell, Tables};
use super::token::{Token, Tokens, attributes};
use crate::budget::count_chars;

/// What places are worth; main content is the measure.
const MAIN: f32 = 1.0;
/// Text of a page that has a main part, outside of it.
const OUTSIDE: f32 = 0.35;
const HEADER: f32 = 0.5;
const ASIDE: f32 = 0.4;
const NAVIGATION: f32 = 0.25;
const FOOTER: f32 = 0.3;
/// What is not shown at first: tabs, menus.
const HIDDEN: f32 = 0.3;

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
    /// Scripts and styles, and their characters.
    pub(super) scripts: usize,
    pub(super) script_chars: usize,
}

pub(super) fn convert(html: &str) -> Page {
    let mut writer = Writer { page: Page { markdown: String::with_capacity(html.len() / 4), ..Page::default() }, ..Writer::default() };
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

/// A short name in lower case, without a place on the heap; long ones are none that we know.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Lower {
    bytes: [u8; 12],
    length: u8,
}

impl Lower {
    fn new(name: &str) -> Self {
        let mut lower = Self::default();
        if name.len() <= lower.bytes.len() {
            for (slot, byte) in lower.bytes.iter_mut().zip(name.bytes()) {
                *slot = byte.to_ascii_lowercase();
            }
            lower.length = name.len() as u8;
        }
        lower
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

/// An opening tag, with the attributes that matter.
#[derive(Default)]
struct Tag<'t> {
    name: Lower,
    href: &'t str,
    src: &'t str,
    alt: &'t str,
    class: &'t str,
    id: &'t str,
    role: &'t str,
    kind: &'t str,
    field: &'t str,
    value: &'t str,
    content: &'t str,
    method: &'t str,
    action: &'t str,
    placeholder: &'t str,
    label: &'t str,
    checked: bool,
    selected: bool,
    required: bool,
    hidden: bool,
}

impl<'t> Tag<'t> {
    fn new(name: &str, inside: &'t str) -> Self {
        let mut tag = Self { name: Lower::new(name), ..Self::default() };
        attributes(inside, |name, value| match Lower::new(name).as_str() {
            "href" => tag.href = value,
            "src" | "data" => tag.src = value,
            "alt" => tag.alt = value,
            "class" => tag.class = value,
            "id" => tag.id = value,
            "role" => tag.role = value,
            "type" => tag.kind = value,
            "name" | "property" => tag.field = value,
            "value" => tag.value = value,
            "content" => tag.content = value,
            "method" => tag.method = value,
            "action" => tag.action = value,
            "placeholder" => tag.placeholder = value,
            "aria-label" | "title" | "label" => tag.label = value,
            "checked" => tag.checked = true,
            "selected" => tag.selected = true,
            "required" => tag.required = true,
            "hidden" => tag.hidden = true,
            "style" => tag.hidden |= value.contains("display:none") || value.contains("display: none"),
            _ => {}
        });
        tag
    }

    /// What the text in this element is worth, if it says so.
    fn place(&self) -> Option<f32> {
        if self.hidden {
            return Some(HIDDEN);
        }
        let by_role = match self.role {
            "main" | "article" => Some(MAIN),
            "navigation" | "menu" | "menubar" => Some(NAVIGATION),
            "complementary" => Some(ASIDE),
            "contentinfo" => Some(FOOTER),
            "banner" => Some(HEADER),
            _ => None,
        };
        by_role.or(match self.name.as_str() {
            "main" | "article" => Some(MAIN),
            "nav" | "menu" => Some(NAVIGATION),
            "aside" => Some(ASIDE),
            "footer" => Some(FOOTER),
            "header" => Some(HEADER),
            "div" | "section" | "ul" | "ol" | "table" | "td" => self.place_by_class(),
            _ => None,
        })
    }

    /// Pages without the elements for it say in class and id what is what.
    fn place_by_class(&self) -> Option<f32> {
        const NAMES: [(&str, f32); 16] = [
            ("nav", NAVIGATION),
            ("navbar", NAVIGATION),
            ("navigation", NAVIGATION),
            ("navbox", NAVIGATION),
            ("menu", NAVIGATION),
            ("sidebar", NAVIGATION),
            ("toc", NAVIGATION),
            ("breadcrumb", NAVIGATION),
            ("breadcrumbs", NAVIGATION),
            ("pagination", NAVIGATION),
            ("footer", FOOTER),
            ("cookie", FOOTER),
            ("banner", HEADER),
            ("main", MAIN),
            ("content", MAIN),
            ("article", MAIN),
        ];
        let names = [self.id, self.class].into_iter().flat_map(|value| value.split_ascii_whitespace().take(12));
        names.flat_map(|name| NAMES.iter().filter(move |n| n.0.eq_ignore_ascii_case(name))).map(|n| n.1).next()
    }
}

/// An element whose text is worth more or less than what is around it.
struct Region {
    /// Its name, by number.
    counted: usize,
    /// How many elements of its name were open with it.
    depth: usize,
    around: f32,
}

/// Elements that regions can be, counted while they are open.
const COUNTED: [&str; 14] =
    ["div", "section", "ul", "ol", "nav", "aside", "main", "article", "header", "footer", "menu", "table", "td", "form"];

#[derive(Default)]
struct Writer {
    page: Page,
    /// Line feeds to write before the next text.
    breaks: usize,
    space: bool,
    /// What the next text begins with: the signs of a heading or an item.
    sign: String,
    counts: [usize; COUNTED.len()],
    regions: Vec<Region>,
    place: f32,
    has_main: bool,
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
}

impl Writer {
    fn text(&mut self, text: &str) {
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

    fn word(&mut self, word: &str) {
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
    fn flush(&mut self) {
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
        } else if self.space && !out.ends_with([' ', '[', '|']) || self.space && out.ends_with('|') {
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

    fn set_place(&mut self, place: f32) {
        self.place = place;
        let at = self.page.markdown.len() as u32;
        match self.page.places.last_mut() {
            Some(last) if last.0 == at => last.1 = place,
            _ => self.page.places.push((at, place)),
        }
    }

    fn enter(&mut self, tag: &Tag<'_>) {
        let Some(counted) = COUNTED.iter().position(|n| *n == tag.name.as_str()) else { return };
        self.counts[counted] += 1;
        let Some(own) = tag.place() else { return };
        let around = self.regions.last().map_or(0.0, |_| self.place);
        // Navigation in the main part is navigation, an article in the footer is footer.
        let place = if self.regions.is_empty() {
            own
        } else if around < MAIN && around > 0.0 {
            around.min(own)
        } else {
            own
        };
        self.has_main |= place >= MAIN;
        self.regions.push(Region { counted, depth: self.counts[counted], around });
        self.set_place(place);
    }

    fn leave(&mut self, name: &str) {
        let Some(counted) = COUNTED.iter().position(|n| *n == name) else { return };
        if self.counts[counted] == 0 {
            return;
        }
        let depth = self.counts[counted];
        self.counts[counted] -= 1;
        if self.regions.last().is_some_and(|r| r.counted == counted && r.depth == depth) {
            let around = self.regions.pop().map_or(0.0, |r| r.around);
            self.set_place(around);
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        self.raw = "";
        self.enter(tag);
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
                self.sign = "##### ".to_owned();
            }
            "p" | "dl" | "fieldset" | "figure" | "details" | "section" | "article" | "main" => self.block(2),
            "br" => self.block(1),
            "hr" => self.block(2),
            "ul" | "ol" | "menu" => {
                self.block(if self.lists.is_empty() { 2 } else { 1 });
                self.lists.push((name == "ol").then_some(0));
            }
            "li" => self.item(),
            "dt" => self.block(2),
            "dd" => {
                self.block(1);
                self.sign = ": ".to_owned();
            }
            "blockquote" => {
                self.block(2);
                self.quotes += 1;
            }
            "pre" => self.open_pre(),
            "a" => self.open_link(tag),
            "img" => self.image(tag),
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
        self.leave(name);
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
                    self.sign = "# ".to_owned();
                }
                self.about(text);
            }
            "textarea" => {
                self.text(text);
                self.block(1);
            }
            _ => {
                self.page.scripts += usize::from(!text.trim().is_empty());
                self.page.script_chars += count_chars(text.as_bytes());
            }
        }
    }

    /// Text about the page, which counts as its main part does.
    fn about(&mut self, text: &str) {
        let around = self.place;
        self.block(2);
        self.set_place(MAIN);
        self.text(text);
        self.block(2);
        self.set_place(around);
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

    fn open_link(&mut self, tag: &Tag<'_>) {
        self.close_link();
        if self.pre
            || tag.href.is_empty()
            || tag.href.starts_with(['#'])
            || tag.href.starts_with("javascript:")
            || tag.href.starts_with("data:")
        {
            return;
        }
        self.flush();
        self.link = Some((self.page.markdown.len(), decoded(tag.href)));
    }

    fn close_link(&mut self) {
        let Some((from, href)) = self.link.take() else { return };
        let out = &mut self.page.markdown;
        let Some(text) = out.get(from..) else { return };
        if text.trim().is_empty() {
            return;
        }
        if text == href {
            return;
        }
        if text.contains('\n') {
            out.push_str(" (");
            out.push_str(&href);
            out.push(')');
        } else {
            out.insert(from, '[');
            out.push_str("](");
            out.push_str(&href);
            out.push(')');
        }
    }

    fn image(&mut self, tag: &Tag<'_>) {
        if tag.alt.trim().is_empty() {
            return;
        }
        if tag.src.is_empty() || tag.src.starts_with("data:") || self.link.is_some() {
            self.flush();
            self.page.markdown.push_str("[image: ");
            self.text(tag.alt);
            self.page.markdown.push(']');
        } else {
            self.reference("!", tag.alt, tag.src);
        }
    }

    fn reference(&mut self, sign: &str, text: &str, target: &str) {
        self.flush();
        self.page.markdown.push_str(sign);
        self.page.markdown.push('[');
        self.text(text);
        self.page.markdown.push_str("](");
        self.page.markdown.push_str(&decoded(target));
        self.page.markdown.push(')');
    }

    fn input(&mut self, tag: &Tag<'_>) {
        match tag.kind.to_ascii_lowercase().as_str() {
            "hidden" => {}
            "submit" | "button" | "reset" | "image" => {
                self.flush();
                self.page.markdown.push_str("[button: ");
                self.text(if tag.value.is_empty() { "Submit" } else { tag.value });
                self.page.markdown.push(']');
            }
            "checkbox" | "radio" if tag.field.is_empty() && tag.value.is_empty() && tag.label.is_empty() => {}
            "checkbox" | "radio" => {
                self.flush();
                self.page.markdown.push_str(if tag.checked { "[x] " } else { "[ ] " });
                self.named(tag);
            }
            _ => self.field(tag),
        }
    }

    /// A field as `[email: name="address" value="…"]`.
    fn field(&mut self, tag: &Tag<'_>) {
        self.flush();
        self.page.markdown.push('[');
        let kind = match tag.name.as_str() {
            "input" if !tag.kind.is_empty() => tag.kind,
            "input" => "text",
            name => name,
        };
        self.text(kind);
        self.page.markdown.push(':');
        self.space = true;
        self.named(tag);
        self.page.markdown.push(']');
        self.space = true;
    }

    fn named(&mut self, tag: &Tag<'_>) {
        for (name, value) in [("", tag.field), ("value", tag.value), ("placeholder", tag.placeholder), ("label", tag.label)] {
            if value.is_empty() {
                continue;
            }
            self.flush();
            if !name.is_empty() {
                self.page.markdown.push_str(name);
                self.page.markdown.push('=');
            }
            self.text(value);
            self.space = true;
        }
        if tag.required {
            self.word("required");
        }
    }

    fn finish(mut self) -> Page {
        self.close_link();
        self.close_pre();
        if let Some(end) = self.tables.end_row() {
            self.page.markdown.push_str(&end);
        }
        // Outside of any region: the whole page, or what is around its main part.
        let outside = if self.has_main { OUTSIDE } else { MAIN };
        for place in &mut self.page.places {
            if place.1 == 0.0 {
                place.1 = outside;
            }
        }
        if self.page.places.first().is_none_or(|p| p.0 > 0) {
            self.page.places.insert(0, (0, outside));
        }
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

/// An attribute's value without references.
fn decoded(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value.trim();
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let (c, length) = entity::decode(&rest[at..]).unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    out
}
