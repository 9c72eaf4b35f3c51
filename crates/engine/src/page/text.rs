//! Pages of a text: chunks that end at a line break, else a space, else between grapheme clusters, each with one line that says which
//! characters it holds. The chunks together are the text.

use unicode_segmentation::GraphemeCursor;

use super::{Page, Pager, Start, too_small};
use crate::budget::count_chars;
use crate::error::Error;
use crate::most::most;
use crate::options::Recovery;
use crate::report::Amount;

/// The line of a page is not longer than this.
const MAX_LINE: usize = 600;

pub(super) fn page(pager: &Pager<'_>, start: Start) -> Result<Page, Error> {
    let text = pager.value;
    let mut from = start.offset.min(text.len());
    // In a text that changed, a cursor may point into a character.
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let rest = &text[from..];
    if start.offset >= text.len() || rest.is_empty() {
        return Err(Error::InvalidCursor);
    }
    let (before, total, fingerprint) = (count_chars(&text.as_bytes()[..from]), count_chars(text.as_bytes()), pager.fingerprint());
    let render = |end: usize| {
        let to = before + count_chars(&rest.as_bytes()[..end]);
        let next_cursor = if end < rest.len() { pager.cursor(fingerprint, from + end, total) } else { None };
        let mut line = format!("[Characters {}-{to} of {total}.", before + 1);
        if end < rest.len() {
            line = format!("{line} {}", pager.way(next_cursor.as_deref(), &format!("{} characters were", total - to)));
        }
        if let super::Next::Recovery(Recovery { response_id, .. }) = &pager.options.next {
            line = format!("{line} response_id: {response_id}");
            if let Some(cursor) = &next_cursor {
                line = format!("{line}, cursor: {cursor}");
            }
        }
        if start.changed {
            line.push_str(" The result changed since the last page: text may repeat or be missing.");
        }
        Page { text: format!("{}\n{line}]", &rest[..end]), next_cursor, whole: false, rest: Some(Amount::Chars(total - to)) }
    };
    let fits = most(rest.len(), |end| (pager.fill)(&render(boundary(rest, end)).text));
    let mut end = nicest(rest, boundary(rest, fits));
    // Where the last page is shorter than the note of one more, all that is left may fit although less did not.
    if rest.len() - end < MAX_LINE && (pager.fill)(&render(rest.len()).text) <= 1.0 {
        end = rest.len();
    }
    let page = render(end);
    let filled = (pager.fill)(&page.text);
    if end == 0 || filled > 1.0 { Err(too_small(filled)) } else { Ok(page) }
}

/// The last place at or before `end` that is a good one to stop.
fn nicest(text: &str, end: usize) -> usize {
    if end >= text.len() {
        return text.len();
    }
    let chunk = &text[..end];
    // A short page for a line break that is far off costs more calls than it is worth.
    let near = |at: &usize| *at >= end / 2 && boundary(text, *at) == *at;
    let after = |pattern: char| chunk.rfind(pattern).map(|at| at + 1).filter(near);
    after('\n').or_else(|| after(' ')).unwrap_or(end)
}

/// The last boundary of grapheme clusters at or before a byte.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while at > 0 {
        if text.is_char_boundary(at) && GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true) {
            break;
        }
        at -= 1;
    }
    at
}
