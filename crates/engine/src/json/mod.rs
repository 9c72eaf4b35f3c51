//! JSON of every shape: scan → shape → plan → write. What is public reads JSON where it stands: an index over borrowed text, no tree of owned
//! values.

mod collapse;
mod cost;
mod details;
mod explain;
pub(crate) mod ids;
pub(crate) mod index;
pub(crate) mod names;
mod news;
mod numbers;
mod open;
mod plan;
mod queue;
mod rank;
pub(crate) mod rules;
mod said;
pub(crate) mod same;
pub(crate) mod scan;
pub(crate) mod score;
mod shape;
mod special;
mod units;
mod weights;
pub(crate) mod write;

pub use crate::meter::escape_into;
pub use crate::text::string::unescape;
pub use index::{Children, Index, NO_KEY, Node, Type};
pub use scan::{scan, scan_lines};
pub use units::{char_count, char_ends};

use xxhash_rust::xxh3::xxh3_64;

use crate::report::Report;
use crate::text::Ask;
use crate::text::string::{Shortener, fit_scalar};
use ids::{IdMap, IdSet};
use plan::{Ground, Plan, Space};
use rules::Rules;
use shape::Shapes;

/// What a JSON text is fitted with besides the usual.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Style<'s> {
    pub(crate) indent: usize,
    pub(crate) lines: bool,
    pub(crate) protect: &'s [String],
    pub(crate) drop: &'s [String],
}

/// Fits JSON into the limit; `None` if not even its brackets and a marker fit.
pub(crate) fn fit(index: &Index<'_>, style: Style<'_>, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    if index.blanks > 0 && style.indent == 0 && !index.stream {
        report.levers.push("white space");
        if ask.meter.counts_lines() || ask.meter.cost(index.text.as_bytes()) - index.blanks.min(index.text.len()) <= ask.limit {
            let compact = compact(index.text);
            if ask.meter.cost(compact.as_bytes()) <= ask.limit {
                return Some(compact);
            }
        }
    }
    let mark = if index.text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let limit = ask.limit.checked_sub(ask.meter.cost(mark.as_bytes()))?;
    let text = match index.kind(0) {
        Type::Object | Type::Array if !index.is_empty(0) => container(index, style, &Ask { limit, ..*ask }, report)?,
        Type::String => {
            let (text, lost) = fit_scalar(index.lexeme(0), &Ask { limit, ..*ask })?;
            report.strings_truncated += usize::from(lost > 0);
            text
        }
        _ => index.lexeme(0).to_owned(),
    };
    let text = if mark.is_empty() { text } else { format!("{mark}{text}") };
    (ask.meter.cost(text.as_bytes()) <= ask.limit).then_some(text)
}

/// More than this part of the limit left over is filled once more.
const SPARE: usize = 32;

fn container(index: &Index<'_>, style: Style<'_>, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let shapes = Shapes::new(index);
    let hits = ask.finder.hits(index.text, shapes.shapes.iter().map(|s| s.count).max().unwrap_or(1) as usize);
    let mut weights = score::field_weights(index, &shapes, ask.finder.terms());
    let naming = score::naming(index, &shapes, &mut weights);
    let ways = score::ways(&shapes, &naming);
    let rules = Rules::new(index, style.protect, style.drop, (ask.meter, ask.limit));
    let repeats = repeats(index);
    let ground = Ground {
        repeats: &repeats,
        index,
        shapes: &shapes,
        weights: &weights,
        naming: &naming,
        ways: &ways,
        hits: &hits,
        finder: ask.finder,
        meter: ask.meter,
        marks: ask.marks,
        rules: &rules,
        space: if index.stream { Space::default() } else { Space { indent: style.indent, lines: style.lines } },
    };
    // What markers say besides their counts has a share of its own.
    let reserve = (ask.limit / 9).min(900);
    let mut limit = ask.limit;
    for attempt in 1..=6 {
        let mut plan = Plan::new(&ground, limit.saturating_sub(reserve));
        plan.walk();
        let room = reserve.min(limit.saturating_sub(plan.used.min(limit)));
        let mut details = details::details(&plan, room);
        // What the markers left of their share goes to content again, a third time only where it is much.
        for turn in 0..3 {
            let cost = details.cost(ask.meter);
            if turn == 2 && limit.saturating_sub(plan.used + cost) <= limit / SPARE {
                break;
            }
            plan.walk_on(limit.saturating_sub(cost));
            details = details::details(&plan, limit.saturating_sub(plan.used));
        }
        let mut cuts = Report::default();
        let mut strings = Shortener { ask: *ask };
        let text = write::write(&plan, &details, &mut strings, &mut cuts);
        let cost = ask.meter.cost(text.as_bytes());
        if cost <= ask.limit {
            if let Some(trace) = ask.trace.filter(|_| ask.depth == 0) {
                trace.take(explain::scores(&plan));
            }
            report.absorb(cuts);
            return Some(text);
        }
        // Costs are exact but for what strings made of their share; less is asked for by what was too much.
        limit = limit.checked_sub((cost - ask.limit) * attempt)?;
    }
    None
}

/// Long strings whose text stands before them, as another block or a structured copy of the same content does.
fn repeats(index: &Index<'_>) -> IdSet {
    const LONG: u32 = 200;
    let mut seen: IdMap<u64, u32> = IdMap::default();
    let strings = (0..index.nodes.len() as u32).filter(|&n| {
        let node = index.nodes[n as usize];
        node.end - node.start >= LONG && index.kind(n) == Type::String
    });
    strings
        .filter(|&n| {
            let first = *seen.entry(xxh3_64(index.lexeme(n).as_bytes())).or_insert(n);
            first != n && index.lexeme(first) == index.lexeme(n)
        })
        .collect()
}

/// JSON text without the white space between its tokens.
///
/// ```
/// assert_eq!(snugfit_engine::json::compact("{ \"a b\": [1, 2.0] }\n"), "{\"a b\":[1,2.0]}");
/// ```
#[must_use]
pub fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let (mut at, mut from) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.push_str(&text[from..at]);
                while at < bytes.len() && matches!(bytes[at], b' ' | b'\n' | b'\r' | b'\t') {
                    at += 1;
                }
                from = at;
            }
            _ => at += 1,
        }
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_drops_white_space_between_tokens_only() {
        assert_eq!(compact("{ \"a b\" : [ 1 ,\n \"x \\\" y\" ] }\n"), "{\"a b\":[1,\"x \\\" y\"]}");
    }
}
