//! Anything else: the start, the end, and the lines that hold errors, numbers or the arguments' words. Long lines are taken by the sentence.

use super::Ask;
use super::lines::{Line, NONE, Pick, grapheme_ceil, grapheme_floor, shorten_line, split};
use crate::report::Report;

/// Sentences and lines at the start and the end are worth more; so fast it falls off.
const START: f32 = 10.0;
const END: f32 = 4.0;
/// A piece of a long line is at least so long, and not much longer than this (bytes).
const LEAST: usize = 40;
const MOST: usize = 240;
/// What ends a sentence before a space, and without one.
const ENDS: [char; 6] = ['.', '!', '?', ';', '؟', '।'];
const WIDE_ENDS: [char; 3] = ['。', '！', '？'];

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let mut parts: Vec<(usize, usize, bool)> = Vec::new();
    for (start, end) in split(text) {
        let (mut from, mut first) = (start, true);
        pieces(&text[start..end], |to| {
            parts.push((from, start + to, first));
            from = start + to;
            first = false;
        });
        if from < end || first {
            parts.push((from, end, first));
        }
    }
    let hits = ask.finder.hits(text, parts.len());
    let mut next_hit = 0;
    let mut lines = Vec::with_capacity(parts.len());
    let mut head = NONE;
    for (at, &(start, end, first)) in parts.iter().enumerate() {
        let mut hit: f32 = 0.0;
        while let Some(h) = hits.get(next_hit).filter(|h| (h.at as usize) < end) {
            hit = hit.max(h.strength);
            next_hit += 1;
        }
        if first {
            head = at as u32;
        }
        let part = &text[start..end];
        let from_end = parts.len() - 1 - at;
        let place = 1.0 / (1.0 + at as f32 / START) + 0.5 / (1.0 + from_end as f32 / END);
        let numbers = if part.bytes().any(|b| b.is_ascii_digit()) { 0.1 } else { 0.0 };
        let opens = if first { 0.1 } else { 0.0 };
        let worth = 0.1 + 0.6 * place + 1.2 * hit + numbers + opens;
        lines.push(Line { start: start as u32, end: end as u32, worth, under: if first { NONE } else { head } });
    }
    Pick { lines: &lines, novelty: true, note: None, note_room: 0 }.choose(text, ask, report)
}

/// Calls `cut` with the end of each piece of a line: its sentences; where those are long, parts of them that end between words.
fn pieces(line: &str, mut cut: impl FnMut(usize)) {
    let mut from = 0;
    if line.len() > MOST {
        let mut before = ' ';
        for (at, c) in line.char_indices() {
            if c.is_whitespace() && !before.is_whitespace() || WIDE_ENDS.contains(&before) {
                let ends = ENDS.contains(&before) || WIDE_ENDS.contains(&before);
                // The space belongs to the piece before it.
                let end = if c.is_whitespace() { at + c.len_utf8() } else { at };
                if ends && end - from >= LEAST || end - from >= MOST {
                    cut(end);
                    from = end;
                }
            }
            before = c;
        }
    }
    if from < line.len() {
        cut(line.len());
    }
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
