//! Strings inside JSON: cut as what they hold, written back as strings.

use super::lines::{grapheme_ceil, grapheme_floor};
use super::{Ask, fit};
use crate::detect::{Kind, detect};
use crate::json::write::Strings;
use crate::meter::{Meter, escape_into};
use crate::report::Report;

/// JSON in strings in JSON is followed so many levels down.
const MAX_DEPTH: usize = 4;
/// Words longer than this are data, which may be cut anywhere.
const LONGEST_WORD: usize = 200;
/// Below this a text is cut by its ends only.
const STRUCTURED: usize = 240;

/// Shortens strings for one preview.
pub(crate) struct Shortener<'q> {
    pub(crate) ask: Ask<'q>,
}

impl Strings for Shortener<'_> {
    fn shorten(&mut self, lexeme: &str, allowance: usize, out: &mut String) -> usize {
        let inner = &lexeme[1..lexeme.len() - 1];
        let quotes = 2 * self.ask.meter.byte(b'"');
        let limit = allowance.saturating_sub(quotes);
        out.push('"');
        let kept = self.structured(inner, limit, out).unwrap_or_else(|| cut_raw(inner, limit, &self.ask, out));
        out.push('"');
        inner.chars().count().saturating_sub(kept)
    }
}

impl Shortener<'_> {
    /// Fits what the string holds by its kind, if that is worth it; the characters that came of it.
    fn structured(&self, inner: &str, limit: usize, out: &mut String) -> Option<usize> {
        if limit < STRUCTURED || self.ask.depth >= MAX_DEPTH {
            return None;
        }
        let style = Style::of(inner);
        let text = unescape(inner);
        // A lone surrogate has no text; it stays only in a raw cut.
        if text.contains('\u{fffd}') && !inner.contains('\u{fffd}') {
            return None;
        }
        let kind = detect(&text);
        if kind == Kind::Text && memchr::memchr(b'\n', text.as_bytes()).is_none() {
            return None;
        }
        let meter = self.ask.meter.escaped();
        // An ASCII-only style costs more than the meter knows; what does not fit then is cut raw.
        // A page comes out as another text even where all of it fits: the sign says that it is not the string as it was.
        let sign = if kind == Kind::Html { self.ask.marks.sign() } else { "" };
        let mut limit_inside = limit.saturating_sub(meter.cost(sign.as_bytes()));
        for attempt in 1..=6 {
            let ask = Ask { meter: &meter, limit: limit_inside, depth: self.ask.depth + 1, ..self.ask };
            let mut fitted = fit(&text, kind, &ask, &mut Report::default())?;
            if !fitted.contains(sign) {
                fitted.push_str(sign);
            }
            let mut escaped = String::with_capacity(fitted.len() + 16);
            style.escape(&fitted, &mut escaped);
            let cost = self.ask.meter.cost(escaped.as_bytes());
            if cost <= limit {
                out.push_str(&escaped);
                return Some(escaped.chars().count());
            }
            // Where other parts cost more than the meter knows, a little less comes closer.
            limit_inside = limit_inside * limit / cost.max(1) * (24 - attempt) / 24;
        }
        None
    }
}

/// Head, mark and tail of a string's raw text; returns the characters kept.
fn cut_raw(inner: &str, limit: usize, ask: &Ask<'_>, out: &mut String) -> usize {
    let meter: &Meter = ask.meter;
    let mark = meter.cost(ask.marks.chars(inner.len()).as_bytes());
    let room = limit.saturating_sub(mark);
    let data = inner.starts_with("data:") || inner.len() > 1_500 && !inner.contains(' ') && !inner.contains('\\');
    let tail_room = if data || room < 60 { 0 } else { room / 4 };
    let head_room = if data { room.min(48) } else { room - tail_room };
    let mut head = safe_cut(inner, grapheme_floor(inner, meter.prefix(inner, head_room)));
    head = word_floor(inner, head);
    let mut tail = grapheme_ceil(inner, meter.suffix(inner, tail_room)).max(head);
    tail = inner[tail..].find(' ').filter(|&s| s < 32).map_or(inner.len(), |s| tail + s);
    // An escape that the cut would split stays whole on the side of the head, or goes.
    if safe_cut(inner, tail) != tail {
        tail = inner.len();
    }
    let gone = inner[head..tail].chars().count();
    out.push_str(&inner[..head]);
    out.push_str(&ask.marks.chars(gone));
    out.push_str(&inner[tail..]);
    inner.chars().count() - gone
}

/// Back to where the word begins that a cut at `at` would split, if it is one that means nothing when cut: an identifier, a link, a plain word.
fn word_floor(raw: &str, at: usize) -> usize {
    let is_gap = |pos: usize| matches!(raw.as_bytes().get(pos), None | Some(b' ' | b'\\'));
    if is_gap(at) {
        return at;
    }
    let space = raw[..at].rfind(' ').map_or(0, |s| s + 1);
    let escape = raw[..at].rfind('\\').map_or(0, |last| {
        let slashes = raw[..=last].bytes().rev().take_while(|&b| b == b'\\').count();
        let len = if slashes % 2 == 0 {
            1
        } else if raw[last + 1..].starts_with('u') {
            6
        } else {
            2
        };
        (last + len).min(at)
    });
    let start = space.max(escape);
    let end = raw[at..].find([' ', '\\']).map_or(raw.len(), |e| at + e);
    let word = &raw[start..end];
    let atom = word.is_ascii() && word.len() <= LONGEST_WORD && (start > 0 || word.bytes().any(|b| b.is_ascii_digit()));
    if atom { start } else { at }
}

/// The largest offset up to `at` that splits no escape, and no pair of surrogate escapes.
fn safe_cut(raw: &str, at: usize) -> usize {
    let bytes = raw.as_bytes();
    let Some(from) = memchr::memchr(b'\\', bytes).filter(|&f| f < at) else { return at };
    let mut pos = from;
    let mut last_high = false;
    while pos < at {
        let Some(next) = memchr::memchr(b'\\', &bytes[pos..at]).map(|n| pos + n) else { return at };
        let len = if bytes.get(next + 1) == Some(&b'u') { 6 } else { 2 };
        let unit = bytes
            .get(next + 2..next + 6)
            .filter(|_| len == 6)
            .and_then(|d| std::str::from_utf8(d).ok())
            .and_then(|d| u32::from_str_radix(d, 16).ok());
        let low = unit.is_some_and(|u| (0xdc00..0xe000).contains(&u));
        if next + len > at {
            return if low && last_high && next == pos { next - 6 } else { next };
        }
        last_high = unit.is_some_and(|u| (0xd800..0xdc00).contains(&u));
        pos = next + len;
        if pos == at && last_high && bytes.get(at..at + 2) == Some(b"\\u") {
            return next;
        }
    }
    at
}

/// How a writer escapes beyond what JSON demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Style {
    ascii: bool,
    upper: bool,
    slash: bool,
}

impl Style {
    fn of(raw: &str) -> Self {
        let mut style = Self { ascii: false, upper: false, slash: raw.contains("\\/") };
        for at in memchr::memmem::find_iter(raw.as_bytes(), "\\u").take(200) {
            let Some(digits) = raw.as_bytes().get(at + 2..at + 6) else { break };
            style.ascii |= digits > b"007f".as_slice();
            style.upper |= digits.iter().any(u8::is_ascii_uppercase);
        }
        style
    }

    fn escape(self, text: &str, out: &mut String) {
        if !self.slash && (!self.ascii || text.is_ascii()) && !self.upper {
            escape_into(out, text);
            return;
        }
        let mut units = [0u16; 2];
        for c in text.chars() {
            match c {
                '/' if self.slash => out.push_str("\\/"),
                c if !c.is_ascii() && self.ascii => {
                    for unit in c.encode_utf16(&mut units) {
                        out.push_str(&if self.upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") });
                    }
                }
                c if (c as u32) < 0x20 && self.upper => {
                    let mut plain = String::new();
                    escape_into(&mut plain, c.encode_utf8(&mut [0; 4]));
                    out.push_str(&if plain.len() == 6 { format!("\\u{:04X}", c as u32) } else { plain });
                }
                c => escape_into(out, c.encode_utf8(&mut [0; 4])),
            }
        }
    }
}

/// The text of a string's inside. A lone surrogate becomes U+FFFD; such a string is then cut raw, since it does not come back as it was.
#[must_use]
pub fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let after = rest.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
        let mut len = 2;
        match after {
            b'n' => out.push('\n'),
            b't' => out.push('\t'),
            b'r' => out.push('\r'),
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'u' => {
                let unit = |from: usize| rest.get(from..from + 4).and_then(|d| u16::from_str_radix(d, 16).ok());
                let first = unit(at + 2).unwrap_or(0xfffd);
                len = 6;
                let second = if rest.get(at + 6..at + 8) == Some("\\u") { unit(at + 8) } else { None };
                match second.map(|s| char::decode_utf16([first, s]).next()) {
                    Some(Some(Ok(c))) if (0xd800..0xdc00).contains(&first) => {
                        out.push(c);
                        len = 12;
                    }
                    _ => out.push(char::decode_utf16([first]).next().and_then(Result::ok).unwrap_or('\u{fffd}')),
                }
            }
            other => out.push(char::from(other)),
        }
        rest = rest.get(at + len..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Fits a JSON text that is one string.
pub(crate) fn fit_scalar(lexeme: &str, ask: &Ask<'_>) -> Option<(String, usize)> {
    let least = ask.meter.cost(ask.marks.chars(lexeme.len()).as_bytes()) + 2 * ask.meter.byte(b'"');
    (least <= ask.limit).then(|| {
        let mut out = String::new();
        let lost = Shortener { ask: *ask }.shorten(lexeme, ask.limit, &mut out);
        (out, lost)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_come_back_as_they_were() {
        for raw in [r"a\nb", r"\u00e9t\u00e9", r"\u00C9", r"a\/b", "é\\n", r"\ud83d\ude00", r"\u001b[0m"] {
            let mut again = String::new();
            Style::of(raw).escape(&unescape(raw), &mut again);
            assert_eq!(again, raw);
        }
    }

    #[test]
    fn no_cut_splits_an_identifier() {
        let raw = r"see\n25eff63d-d91c-4824-84a5-0f3b7a6c2e91 at https://example.com/a?b=1 einz\u00e9ln";
        for (at, cut) in [(2, 2), (3, 3), (5, 5), (20, 5), (41, 41), (50, 45), (73, 71), (82, 81)] {
            assert_eq!(word_floor(raw, at), cut, "{at}: {}", &raw[..at]);
        }
        assert_eq!(word_floor("25eff63d-d91c and more", 9), 0);
        assert_eq!(word_floor("25eff63d-d91c", 9), 0);
        assert_eq!(word_floor(r"a\\\\éb", 7), 7);
        assert_eq!(word_floor("日本語日本語", 9), 9);
    }

    #[test]
    fn no_cut_splits_an_escape() {
        let raw = r"ab\ncd\ud83d\ude00\u00e9x";
        for (at, cut) in [(3, 2), (4, 4), (7, 6), (12, 6), (14, 6), (18, 18), (20, 18), (24, 24)] {
            assert_eq!(safe_cut(raw, at), cut, "{at}");
        }
    }
}
