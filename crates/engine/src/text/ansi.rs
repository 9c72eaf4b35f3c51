//! Escape sequences of terminals: colours, cursor moves, titles, links. They say nothing to a model, so they go, and are counted.
//!
//! Sequences as of ECMA-48, section 5. What an application program command (`ESC _`) carries is data (build logs keep their time stamps
//! there), so only its introducer and terminator go.

use std::fmt::Write as _;

use crate::budget::count_chars;

const ESC: u8 = 0x1b;
const BELL: u8 = 0x07;
/// An application program command that carries more than this is no time stamp.
const MAX_DATA: usize = 64;

/// A text without its escape sequences, and the characters that went; `None` if it has none.
pub(crate) fn clean(text: &str) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let mut next = memchr::memchr(ESC, bytes)?;
    let mut out = String::with_capacity(text.len());
    let (mut from, mut removed) = (0, 0);
    loop {
        out.push_str(&text[from..next]);
        let sequence = sequence(bytes, next);
        let end = text.ceil_char_boundary(sequence.end);
        removed += count_chars(&bytes[next..end]);
        if let Some((start, end)) = sequence.data {
            removed -= end - start;
            let _ = write!(out, "{} ", &text[start..end]);
        }
        from = end;
        match memchr::memchr(ESC, &bytes[from..]) {
            Some(at) => next = from + at,
            None => break,
        }
    }
    out.push_str(&text[from..]);
    Some((out, removed))
}

/// Where an escape sequence ends, and the range of data in it that stays.
struct Sequence {
    end: usize,
    data: Option<(usize, usize)>,
}

fn sequence(bytes: &[u8], start: usize) -> Sequence {
    let at = start + 1;
    let plain = |end: usize| Sequence { end: end.min(bytes.len()), data: None };
    match bytes.get(at) {
        Some(b'[') => {
            let mut end = at + 1;
            while bytes.get(end).is_some_and(|b| (0x20..0x40).contains(b)) {
                end += 1;
            }
            plain(end + usize::from(bytes.get(end).is_some_and(|b| (0x40..0x7f).contains(b))))
        }
        Some(&kind @ (b']' | b'P' | b'X' | b'^' | b'_')) => {
            // An unterminated string ends with its line, or where the next sequence begins: no byte is looked at twice.
            let stop = memchr::memchr3(BELL, ESC, b'\n', &bytes[at..]).map_or(bytes.len(), |s| at + s);
            let end = match (bytes.get(stop), bytes.get(stop + 1)) {
                (Some(&BELL), _) => stop + 1,
                (Some(&ESC), Some(b'\\')) => stop + 2,
                _ if kind == b'_' => at + 1,
                _ => stop,
            };
            let data = (at + 1, stop);
            let kept =
                kind == b'_' && end > stop && stop - data.0 <= MAX_DATA && bytes[data.0..stop].iter().all(|b| (0x20..0x7f).contains(b));
            Sequence { end, data: (kept && stop > data.0).then_some(data) }
        }
        Some(b' ' | b'#' | b'%' | b'(' | b')' | b'*' | b'+' | b'-' | b'.' | b'/') => plain(at + 2),
        Some(0x30..0x7f) => plain(at + 1),
        _ => plain(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_go_and_text_stays() {
        for (raw, text) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[1;38;5;196mx\u{1b}[K", "x"),
            ("\u{1b}]0;title\u{7}body", "body"),
            ("\u{1b}]8;;http://a.b\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}_bk;t=17\u{7}step", "bk;t=17 step"),
            ("\u{1b}(Bok\u{1b}7\u{1b}M", "ok"),
            ("cut\u{1b}", "cut"),
            ("\u{1b}[12", ""),
            ("\u{1b}é", "é"),
            ("\u{1b}(é", ""),
            ("\u{1b}]never ends\nnext", "\nnext"),
        ] {
            let (cleaned, removed) = clean(raw).unwrap();
            assert_eq!(cleaned, text, "{raw:?}");
            let spaces = usize::from(raw.contains("bk;t"));
            assert_eq!(removed + cleaned.chars().count() - spaces, raw.chars().count(), "{raw:?}");
        }
        assert!(clean("nothing").is_none());
    }

    #[test]
    fn unterminated_strings_take_linear_time() {
        let raw = "\u{1b}]".repeat(400_000);
        assert_eq!(clean(&raw).unwrap().0, "");
    }
}
