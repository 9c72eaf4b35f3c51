//! Choosing among the lines of a text: each kind says what its lines are worth, this says which stay.
//!
//! Lines are taken by worth a character until the limit is full; each gap pays for its marker line. A long line is shortened to its beginning,
//! with the places that hold hits, before it goes.

use super::Ask;
use crate::report::{Amount, Omitted, Place, Report};
use unicode_segmentation::GraphemeCursor;

/// No line.
pub(crate) const NONE: u32 = u32::MAX;

/// A line costs at first at most so much of itself.
const LONG: usize = 240;
/// Density is worth / cost^ALPHA, as for JSON.
const ALPHA: f32 = 0.6;
/// Headings above headings, at most so many.
const MAX_CHAIN: usize = 32;
/// Lines that do not fit are passed over, this many in a row.
const MAX_MISSES: usize = 400;

/// A line and what it is worth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// Byte range, without the line feed.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// 0 for a line that nobody misses.
    pub(crate) worth: f32,
    /// A line that must stay if this one does (its heading), by number; [`NONE`] for none.
    pub(crate) under: u32,
}

/// The byte ranges of the lines of `text`, without line feeds (or the carriage returns before them).
pub(crate) fn split(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    let mut start = 0;
    memchr::memchr_iter(b'\n', bytes).chain(std::iter::once(bytes.len())).map(move |end| {
        let line = (start, if end > start && bytes[end - 1] == b'\r' { end - 1 } else { end });
        start = end + 1;
        line
    })
}

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

/// The chosen lines as text, with a marker line in each gap.
pub(crate) fn choose(text: &str, lines: &[Line], ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let newline = ask.meter.byte(b'\n');
    let gap = ask.meter.cost(ask.marks.lines(lines.len(), "").as_bytes()) + newline;
    let cost_of = |line: &Line| ask.meter.cost(&text.as_bytes()[line.start as usize..line.end as usize]);
    let mut order: Vec<(f32, u32)> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| {
            let cost = ((line.end - line.start) as usize).min(LONG) + 8;
            (line.worth / (cost as f32).powf(ALPHA), at as u32)
        })
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));

    // One newline more than lines is counted; a trailing one is never written.
    let limit = ask.limit + newline;
    let mut kept: Vec<u32> = vec![0; lines.len()];
    let has = |kept: &[u32], at: isize| at < 0 || at as usize >= kept.len() || kept[at as usize] > 0;
    let mut used = gap;
    if used > limit {
        return None;
    }
    let mut misses = 0;
    let mut longs = Vec::new();
    let mut chain = Vec::new();
    for &(_, at) in &order {
        // The line, and those that it stands under.
        chain.clear();
        let mut next = at;
        while next != NONE && kept[next as usize] == 0 && chain.len() < MAX_CHAIN {
            chain.push(next);
            next = lines[next as usize].under;
        }
        let before = used;
        let mut done = 0;
        for &line in chain.iter().rev() {
            let full = cost_of(&lines[line as usize]);
            let cost = full.min(LONG);
            let gaps = match (has(&kept, line as isize - 1), has(&kept, line as isize + 1)) {
                (true, true) => -1,
                (false, false) => 1,
                _ => 0isize,
            };
            let Some(total) = (used + cost + newline).checked_add_signed(gaps * gap as isize) else { continue };
            if total > limit {
                break;
            }
            used = total;
            kept[line as usize] = if cost == full { u32::MAX } else { cost as u32 };
            if cost < full {
                longs.push(line);
            }
            done += 1;
        }
        if before == used && done == 0 {
            misses += 1;
            if misses > MAX_MISSES {
                break;
            }
        } else {
            misses = 0;
        }
    }
    // What is left goes to the long lines, the most valuable first.
    for line in longs {
        let full = cost_of(&lines[line as usize]);
        let more = (full - LONG).min(limit.saturating_sub(used));
        used += more;
        kept[line as usize] = if LONG + more == full { u32::MAX } else { (LONG + more) as u32 };
    }
    Some(write(text, lines, &kept, ask, report))
}

fn write(text: &str, lines: &[Line], kept: &[u32], ask: &Ask<'_>, report: &mut Report) -> String {
    let mut out = String::new();
    let mut gap_from = None;
    let mut separate = |out: &mut String| {
        if !out.is_empty() {
            out.push('\n');
        }
    };
    for (at, line) in lines.iter().enumerate() {
        if kept[at] == 0 {
            gap_from.get_or_insert(at);
            continue;
        }
        if let Some(from) = gap_from.take() {
            separate(&mut out);
            close_gap(from, at, ask, &mut out, report);
        }
        if at > 0 {
            separate(&mut out);
        }
        let whole = &text[line.start as usize..line.end as usize];
        if kept[at] == u32::MAX {
            out.push_str(whole);
        } else {
            shorten_line(whole, kept[at] as usize, ask, &mut out);
            report.strings_truncated += 1;
        }
    }
    if let Some(from) = gap_from {
        separate(&mut out);
        close_gap(from, lines.len(), ask, &mut out, report);
    }
    out
}

fn close_gap(from: usize, to: usize, ask: &Ask<'_>, out: &mut String, report: &mut Report) {
    out.push_str(&ask.marks.lines(to - from, ""));
    report.lines_omitted += to - from;
    report.omitted.push(Omitted { place: Place::Lines(from + 1, to), amount: Amount::Items(to - from) });
}

/// A line's beginning and end, within `cost`, with the mark of what went between.
pub(crate) fn shorten_line(line: &str, cost: usize, ask: &Ask<'_>, out: &mut String) {
    let total = ask.meter.cost(line.as_bytes());
    let mark = ask.marks.chars(total);
    let room = cost.saturating_sub(ask.meter.cost(mark.as_bytes()));
    let tail_room = room / 4;
    let mut head = grapheme_floor(line, ask.meter.prefix(line, room - tail_room));
    // A word is kept whole where that costs little.
    if let Some(space) = line[..head].rfind(' ').filter(|&s| head - s < 24 && s > 0) {
        head = space;
    }
    let tail = grapheme_ceil(line, ask.meter.suffix(line, tail_room)).max(head);
    let tail = line[tail..].find(' ').filter(|&s| s < 24).map_or(line.len(), |s| tail + s);
    out.push_str(&line[..head]);
    out.push_str(&ask.marks.chars(line[head..tail].chars().count()));
    out.push_str(&line[tail..]);
}
