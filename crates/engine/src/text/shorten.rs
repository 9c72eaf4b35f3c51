//! Shortening one line: its beginning, the places in it that hold hits, its end.

use unicode_segmentation::GraphemeCursor;

use super::Ask;
use crate::order::Order as _;

/// Words longer than this are data, which may be cut anywhere.
const LONGEST_WORD: usize = 200;
/// A line is not shortened to less than this.
pub(crate) const LEAST: usize = 48;
/// What a window around a hit shows before and after it, in bytes.
const WINDOW: (usize, usize) = (24, 72);
/// Between windows less than this is not cut.
const NEAR: usize = 24;

/// The largest byte offset up to `at` that is between grapheme clusters.
pub(crate) fn grapheme_floor(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
        _ => at,
    }
}

/// The smallest byte offset from `at` that is between grapheme clusters.
pub(crate) fn grapheme_ceil(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
        _ => at,
    }
}

/// The last place up to `at` where a word ends; where that gives up more than half, a grapheme's end, unless the word is one that means nothing
/// when cut: an identifier, a link, a plain word.
fn word_floor(line: &str, at: usize) -> usize {
    let at = grapheme_floor(line, at);
    if at == line.len() || line[at..].starts_with(char::is_whitespace) {
        return at;
    }
    let space = line[..at].rfind(char::is_whitespace);
    let start = space.map_or(0, |s| s + line[s..].chars().next().map_or(1, char::len_utf8));
    let rest = &line.as_bytes()[start..line.len().min(start + LONGEST_WORD + 1)];
    let word = &rest[..rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len())];
    let alone = start == 0 && (word.len() == line.len() || !word.iter().any(u8::is_ascii_digit));
    let atom = word.is_ascii() && word.len() <= LONGEST_WORD && !alone;
    match space {
        Some(space) if atom || space > at / 2 => space,
        None if atom => 0,
        _ => at,
    }
}

/// A line's beginning, its hits and its end, within `cost`, with the mark of what went between.
pub(crate) fn shorten_line(line: &str, cost: usize, ask: &Ask<'_>, out: &mut String) {
    let meter = ask.meter;
    let mark = meter.cost(ask.marks.chars(line.len()).as_bytes());
    let room = cost.saturating_sub(mark);
    let mut windows = Vec::new();
    if room >= 2 * (WINDOW.0 + WINDOW.1) {
        let hits = ask.finder.hits(line, (line.len() / 100).max(3));
        let mut best: Vec<(f32, usize)> = hits.iter().map(|h| (h.strength, h.at as usize)).collect();
        best.order_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        windows = best.into_iter().take(1 + room / 160).map(|h| h.1).collect();
    }
    loop {
        let parts = parts(line, room, mark, &windows, ask);
        let mut written = String::new();
        write(line, &parts, ask, &mut written);
        if meter.cost(written.as_bytes()) <= cost || windows.is_empty() {
            out.push_str(&written);
            return;
        }
        windows.truncate(windows.len() / 2);
    }
}

/// The parts of a line that stay: head, a window around each hit, tail; overlapping ones made one.
fn parts(line: &str, room: usize, mark: usize, hits: &[usize], ask: &Ask<'_>) -> Vec<(usize, usize)> {
    let meter = ask.meter;
    let for_hits = (hits.len() * (WINDOW.0 + WINDOW.1 + mark)).min(room / 2);
    let rest = room - for_hits;
    let head = word_floor(line, meter.prefix(line, rest - rest / 4));
    let tail = grapheme_ceil(line, meter.suffix(line, rest / 4)).max(head);
    let tail = line[tail..].find(char::is_whitespace).filter(|&s| s < (line.len() - tail) / 2).map_or(tail, |s| tail + s);
    let mut parts = vec![(0, head)];
    let mut left = for_hits;
    for &hit in hits {
        if hit < head || hit >= tail {
            continue;
        }
        let from = line.floor_char_boundary(hit.saturating_sub(WINDOW.0));
        let from = line[from..hit].find(char::is_whitespace).map_or(hit, |s| from + s);
        let to = word_floor(&line[from..], (hit + WINDOW.1).min(line.len()) - from) + from;
        let price = meter.cost(&line.as_bytes()[from..to]) + mark;
        if price <= left && to > from {
            left -= price;
            parts.push((from, to.min(tail)));
        }
    }
    parts.push((tail, line.len()));
    parts.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::with_capacity(parts.len());
    for part in parts {
        match merged.last_mut() {
            Some(last) if part.0 <= last.1 + NEAR && part.0 < line.len() && part.1 > part.0 => last.1 = last.1.max(part.1),
            _ => merged.push(part),
        }
    }
    merged
}

fn write(line: &str, parts: &[(usize, usize)], ask: &Ask<'_>, out: &mut String) {
    let mut at = 0;
    for &(from, to) in parts {
        if from > at {
            out.push_str(&ask.marks.chars(line[at..from].chars().count()));
        }
        out.push_str(&line[from.max(at)..to.max(at)]);
        at = to.max(at);
    }
    if at < line.len() {
        out.push_str(&ask.marks.chars(line[at..].chars().count()));
    }
}
