//! Anything else: the start, the end, and the lines that hold errors, numbers or the arguments' words.

use super::Ask;
use super::lines::{Line, NONE, choose, grapheme_ceil, grapheme_floor, shorten_line, split};
use crate::report::Report;

/// A text of longer lines than this, in the mean, is cut at sentences.
const PROSE: usize = 400;

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let ranges: Vec<(usize, usize)> = split(text).collect();
    if text.len() / ranges.len() > PROSE {
        return ends(text, ask, report);
    }
    let hits = ask.finder.hits(text, ranges.len());
    let mut next_hit = 0;
    let mut lines = Vec::with_capacity(ranges.len());
    for (at, &(start, end)) in ranges.iter().enumerate() {
        let mut hit: f32 = 0.0;
        while let Some(h) = hits.get(next_hit).filter(|h| (h.at as usize) < end) {
            hit = hit.max(h.strength);
            next_hit += 1;
        }
        let line = &text[start..end];
        let from_end = ranges.len() - 1 - at;
        let place = 1.0 / (1.0 + at as f32 / 12.0) + 0.5 / (1.0 + from_end as f32 / 4.0);
        let numbers = if line.bytes().any(|b| b.is_ascii_digit()) { 0.1 } else { 0.0 };
        let worth = if line.trim().is_empty() { 0.001 } else { 0.1 + 0.6 * place + 1.2 * hit + numbers };
        lines.push(Line { start: start as u32, end: end as u32, worth, under: NONE });
    }
    choose(text, &lines, ask, report)
}

/// A text of few long lines: its beginning and its end.
pub(crate) fn ends(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let mark = ask.meter.cost(ask.marks.chars(text.len()).as_bytes());
    if ask.limit < mark {
        return None;
    }
    let mut out = String::new();
    if memchr::memchr(b'\n', text.as_bytes()).is_none() {
        shorten_line(text, ask.limit, ask, &mut out);
    } else {
        let room = ask.limit - mark;
        let head = grapheme_floor(text, ask.meter.prefix(text, room - room / 4));
        let tail = grapheme_ceil(text, ask.meter.suffix(text, room / 4)).max(head);
        out.push_str(&text[..head]);
        out.push_str(&ask.marks.chars(text[head..tail].chars().count()));
        out.push_str(&text[tail..]);
    }
    report.strings_truncated += 1;
    Some(out)
}
