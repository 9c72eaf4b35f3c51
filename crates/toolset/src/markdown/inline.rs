//! The signs inside a block: code, links, images, tags, emphasis.

use std::borrow::Cow;

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

/// Entities that descriptions use; others stay as they are written.
const ENTITIES: [(&str, &str); 7] =
    [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&nbsp;", " ")];

/// A piece of a block as it will be written.
enum Piece<'t> {
    Text(Cow<'t, str>),
    /// What is left of a run of `*` or `_`.
    Run {
        sign: char,
        left: usize,
        at: usize,
    },
}

/// A sign that may open something.
#[derive(Clone, Copy)]
enum Open {
    /// `[` or `![`, by its piece.
    Bracket { piece: usize, image: bool },
    /// A run of `*` or `_`, by its piece; its length as written, and whether it might have closed as well.
    Run { piece: usize, sign: char, length: usize, closes: bool },
}

struct Inline<'t> {
    text: &'t str,
    pieces: Vec<Piece<'t>>,
    open: Vec<Open>,
    /// How many of each are open: brackets, `*`, `_`.
    count: [usize; 3],
    /// Where the spaces are, to tell names like `__init__` from emphasis.
    spaces: Vec<usize>,
}

/// Appends the words of one block.
pub(super) fn inline(text: &str, out: &mut String) {
    let spaces = text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).collect();
    let mut inline = Inline { text, pieces: Vec::new(), open: Vec::new(), count: [0; 3], spaces };
    let mut at = 0;
    while let Some(sign) = text[at..].find(['\\', '`', '!', '[', ']', '<', '&', '*', '_', '\n']) {
        inline.push(&text[at..at + sign]);
        at = inline.sign(at + sign);
    }
    inline.push(&text[at..]);
    for piece in &inline.pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Run { sign, left, .. } => out.extend(std::iter::repeat_n(*sign, *left)),
        }
    }
}

impl<'t> Inline<'t> {
    fn push(&mut self, text: impl Into<Cow<'t, str>>) {
        let text = text.into();
        if !text.is_empty() {
            self.pieces.push(Piece::Text(text));
        }
    }

    /// Reads the sign at `at`; where the text goes on.
    fn sign(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        let Some(sign) = rest.chars().next() else { return self.text.len() };
        match sign {
            // An escape to Markdown, and a part of the text to whoever wrote a pattern or a path.
            '\\' => {
                let end = rest.chars().nth(1).filter(char::is_ascii_punctuation).map_or(1, |c| 1 + c.len_utf8());
                self.push(&rest[..end]);
                at + end
            }
            '`' => self.code(at),
            '!' if rest.starts_with("![") => self.bracket(at, true),
            '[' => self.bracket(at, false),
            ']' => self.link(at),
            '<' => self.tag(at),
            '&' => {
                let (from, to) = ENTITIES.iter().find(|(from, _)| rest.starts_with(from)).copied().unwrap_or(("&", "&"));
                self.push(to);
                at + from.len()
            }
            '*' | '_' => self.run(at, sign),
            '\n' => {
                self.push(" ");
                at + 1
            }
            _ => {
                self.push(&rest[..sign.len_utf8()]);
                at + sign.len_utf8()
            }
        }
    }

    fn code(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        let length = rest.bytes().take_while(|b| *b == b'`').count();
        let mut from = length;
        while let Some(found) = rest[from..].find('`').map(|found| from + found) {
            let closing = rest[found..].bytes().take_while(|b| *b == b'`').count();
            if closing == length {
                let code = rest[length..found].replace('\n', " ");
                let bare = code.strip_prefix(' ').and_then(|code| code.strip_suffix(' ')).filter(|code| !code.trim().is_empty());
                self.push(format!("`{}`", bare.unwrap_or(&code)));
                return at + found + closing;
            }
            from = found + closing;
        }
        self.push(&rest[..length]);
        at + length
    }

    fn bracket(&mut self, at: usize, image: bool) -> usize {
        let end = at + 1 + usize::from(image);
        self.open.push(Open::Bracket { piece: self.pieces.len(), image });
        self.count[0] += 1;
        self.push(&self.text[at..end]);
        end
    }

    /// A `]`: the end of a link or an image if an address follows.
    fn link(&mut self, at: usize) -> usize {
        let end = at + 1;
        if self.count[0] > 0 {
            while let Some(open) = self.open.pop() {
                self.count[slot(open)] -= 1;
                let Open::Bracket { piece, image } = open else { continue };
                let Some(after) = address(&self.text[end..]) else { break };
                if image {
                    self.pieces.truncate(piece);
                } else {
                    self.pieces[piece] = Piece::Text(Cow::Borrowed(""));
                }
                return end + after;
            }
        }
        self.push("]");
        end
    }

    fn tag(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        let end = if rest.starts_with("<!--") { rest.find("-->").map(|end| end + 3) } else { rest.find('>').map(|end| end + 1) };
        let Some(end) = end else {
            self.push("<");
            return at + 1;
        };
        let inside = &rest[1..end - 1];
        let is_tag = inside.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic()) || inside.starts_with("!--");
        if !is_tag || inside.contains('<') {
            self.push("<");
            return at + 1;
        }
        let is_address = !inside.contains(char::is_whitespace)
            && (inside.contains("://") || inside.starts_with("mailto:") || (inside.contains('@') && inside.contains('.')));
        if is_address {
            self.push(inside);
        } else {
            let before = self.text[..at].chars().next_back();
            let markup = is_markup(inside, before.is_some_and(char::is_alphanumeric));
            self.push(if markup { " " } else { &rest[..end] });
        }
        at + end
    }

    /// A run of `*` or `_`: closes what it can, and may open the rest, by the rules of delimiter runs.
    fn run(&mut self, at: usize, sign: char) -> usize {
        let length = self.text[at..].chars().take_while(|c| *c == sign).count();
        let end = at + length;
        let before = self.text[..at].chars().next_back();
        let after = self.text[end..].chars().next();
        let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let mark = |c: Option<char>| c.is_some_and(|c| !c.is_alphanumeric() && !c.is_whitespace());
        let left = !space(after) && (!mark(after) || space(before) || mark(before));
        let right = !space(before) && (!mark(before) || space(after) || mark(after));
        let (opens, closes) = if sign == '*' { (left, right) } else { (left && (!right || mark(before)), right && (!left || mark(after))) };

        let mut rest = length;
        let mut kept = 0;
        let slot_of_sign = 1 + usize::from(sign == '_');
        while closes && rest > 0 && self.count[slot_of_sign] > 0 {
            // What was opened inside and not closed is no sign.
            while let Some(open) = self.open.last().copied() {
                if matches!(open, Open::Run { sign: other, .. } if other == sign) {
                    break;
                }
                self.open.pop();
                self.count[slot(open)] -= 1;
            }
            let Some(Open::Run { piece, length: opening, closes: both, .. }) = self.open.last().copied() else { break };
            // Rule 9 of emphasis: the `**` and `*` of `src/**/*.ts` are no pair.
            if (opens || both) && (opening + length) % 3 == 0 && !(opening % 3 == 0 && length % 3 == 0) {
                break;
            }
            let Piece::Run { left, at: opened, .. } = &mut self.pieces[piece] else { break };
            let used = if rest >= 2 && *left >= 2 { 2 } else { 1 };
            // `__init__` and `_id` are names.
            let is_name = sign == '_' && self.spaces.partition_point(|s| s < opened) == self.spaces.partition_point(|s| *s < end);
            *left -= used;
            rest -= used;
            let is_spent = *left == 0;
            if is_name {
                *left += used;
                kept += used;
            }
            if is_spent || is_name {
                self.open.pop();
                self.count[slot_of_sign] -= 1;
            }
        }
        if rest + kept > 0 {
            if opens && rest > 0 {
                self.open.push(Open::Run { piece: self.pieces.len(), sign, length, closes });
                self.count[slot_of_sign] += 1;
            }
            self.pieces.push(Piece::Run { sign, left: rest + kept, at });
        }
        end
    }
}

/// The place in [`Inline::count`].
fn slot(open: Open) -> usize {
    match open {
        Open::Bracket { .. } => 0,
        Open::Run { sign: '*', .. } => 1,
        Open::Run { .. } => 2,
    }
}

/// The length of `(address)` at the start of a text, brackets inside it counted.
fn address(text: &str) -> Option<usize> {
    text.strip_prefix('(')?;
    let mut depth = 0;
    for (at, sign) in text.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at + 1),
            ')' => depth -= 1,
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// Whether what stands between angle brackets is markup. `after_word`: it follows a word at once, as the `<T>` of `List<T>` does.
fn is_markup(inside: &str, after_word: bool) -> bool {
    let closing = inside.starts_with('/');
    let name = inside.trim_start_matches('/').trim_end_matches('/').split_whitespace().next().unwrap_or_default();
    inside.starts_with("!--") || (TAGS.contains(&name) && !(after_word && !closing && name.len() == 1))
}
