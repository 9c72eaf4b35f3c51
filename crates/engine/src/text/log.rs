//! Logs and command output: what went wrong, what is rare, the start and the end; lines of one form stand for each other.

use std::collections::HashMap;

use super::Ask;
use super::lines::{Line, NONE, choose, split};
use crate::detect::Sample;
use crate::report::Report;

/// Lines at either end that say what ran and how it ended.
const ENDS: usize = 12;

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    sample.lines.len() >= 8
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let ranges: Vec<(usize, usize)> = split(text).collect();
    let hits = ask.finder.hits(text, ranges.len());
    let mut forms: HashMap<u64, (u32, u32)> = HashMap::new();
    let templates: Vec<u64> = ranges.iter().map(|&(start, end)| template(&text.as_bytes()[start..end])).collect();
    for t in &templates {
        forms.entry(*t).or_default().0 += 1;
    }
    let count = ranges.len() as f32;
    let mut next_hit = 0;
    let mut lines: Vec<Line> = Vec::with_capacity(ranges.len());
    for (at, &(start, end)) in ranges.iter().enumerate() {
        let (times, seen) = forms.get_mut(&templates[at]).map_or((1, 0), |f| {
            f.1 += 1;
            (f.0, f.1 - 1)
        });
        let mut hit: f32 = 0.0;
        while let Some(h) = hits.get(next_hit).filter(|h| (h.at as usize) < end) {
            if h.at as usize >= start {
                hit = hit.max(h.strength);
            }
            next_hit += 1;
        }
        let blank = text[start..end].trim().is_empty();
        let rare = ((count / times as f32).ln() / count.max(2.0).ln()).clamp(0.0, 1.0);
        let from_end = at.min(ranges.len() - 1 - at);
        let end_bonus = if from_end < ENDS { 0.6 * (1.0 - from_end as f32 / ENDS as f32) } else { 0.0 };
        let worth = if blank { 0.001 } else { (0.1 + 0.5 * rare * rare + 1.6 * hit + end_bonus) / (1.0 + seen as f32 * 0.7) };
        lines.push(Line { start: start as u32, end: end as u32, worth, under: NONE });
    }
    // A line next to a telling one helps to read it.
    let worths: Vec<f32> = lines.iter().map(|l| l.worth).collect();
    for at in 0..lines.len() {
        let near = |d: usize, share: f32| {
            let before = at.checked_sub(d).map_or(0.0, |i| worths[i]);
            let after = worths.get(at + d).copied().unwrap_or(0.0);
            before.max(after * 0.7) * share
        };
        if lines[at].end > lines[at].start {
            lines[at].worth += near(1, 0.25) + near(2, 0.12);
        }
    }
    choose(text, &lines, ask, report)
}

/// A line's form: numbers, ids and time stamps are all the same.
pub(crate) fn template(line: &[u8]) -> u64 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = 0u64;
    let mut at = 0;
    while at < line.len() {
        let start = at;
        let mut digits = false;
        while at < line.len() && (line[at].is_ascii_alphanumeric() || line[at] >= 0x80) {
            digits |= line[at].is_ascii_digit();
            at += 1;
        }
        if at > start {
            if digits {
                hash = (hash ^ 1).wrapping_mul(MIX);
            } else {
                for &b in &line[start..at] {
                    hash = (hash ^ u64::from(b)).wrapping_mul(MIX);
                }
            }
        } else {
            if line[at] != b' ' && line[at] != b'\t' {
                hash = (hash ^ u64::from(line[at])).wrapping_mul(MIX);
            }
            at += 1;
        }
        hash ^= hash >> 31;
    }
    hash
}
