//! What the lines of code are worth. All weights are here, each with its reason.

use std::sync::LazyLock;

use super::super::Ask;
use super::super::lines::Line;
use super::super::prose::Room;
use super::lex::{Language, Part, is_licence};
use super::outline::{Entry, NONE, outline};
use crate::matcher::Matcher;

/// What a reader looks for first: the types, and what can be called.
const TYPE: f32 = 0.95;
const FUNCTION: f32 = 0.85;
const VALUE: f32 = 0.55;
/// Each level that a declaration stands deeper.
const DEEPER: f32 = 0.85;
/// What others can use.
const PUBLIC: f32 = 0.15;
/// A field, a variant, a column.
const MEMBER: f32 = 0.36;
/// The rest of a signature that is more than a line.
const SIGNATURE: f32 = 0.55;
/// The first line of a documentation says what its subject is for.
const SUMMARY: f32 = 0.42;
/// Of the first documentation of a file, what the whole file is for.
const SUBJECT: f32 = 0.9;
const COMMENT: f32 = 0.08;
const ATTRIBUTE: f32 = 0.12;
/// What a file depends on: the first few tell most.
const IMPORT: f32 = 0.3;
/// A line of a body; of long bodies, each line says less.
const BODY: f32 = 0.2;
const LONG_BODY: f32 = 14.0;
/// Statements of a script's outer level.
const STATEMENT: f32 = 0.3;
/// What a body gives or refuses.
const OUTCOME: f32 = 0.08;
const CLOSE: f32 = 0.02;
/// A word of the call, or of trouble, in the line; in the declaration that it is in.
const HIT: f32 = 1.1;
const TROUBLE: f32 = 0.25;
const NAMED: f32 = 0.9;
/// What is left to do or is not safe. Not in the words of trouble, since elsewhere they are none.
const REMARKS: [&str; 9] = ["TODO", "FIXME", "HACK", "XXX", "BUG", "unsafe", "raise ", "throw ", "panic"];
const OUTCOMES: [&str; 3] = ["return", "yield", "Err("];
const REMARK: f32 = 0.22;
/// The last declarations: how the file ends.
const END: f32 = 0.3;
/// What a line costs besides its characters: a line feed and a share of the gap beside it.
const GAP: f32 = 22.0;

static NOTED: LazyLock<Matcher> = LazyLock::new(|| Matcher::new(REMARKS.into_iter().chain(OUTCOMES)));

/// What the remarks and outcomes of each line are worth; of a line at most one of each counts.
fn noted(text: &str, ranges: &[(usize, usize)]) -> Vec<(bool, bool)> {
    let mut found = vec![(false, false); ranges.len()];
    let mut line = 0;
    NOTED.find(text.as_bytes(), |at, word| {
        let (remark, exact) = (word < REMARKS.len(), REMARKS.iter().chain(&OUTCOMES).nth(word));
        if !exact.is_some_and(|exact| text.as_bytes()[at..].starts_with(exact.as_bytes())) {
            return;
        }
        while ranges[line].1 < at && line + 1 < ranges.len() {
            line += 1;
        }
        if remark {
            found[line].0 = true;
        } else {
            found[line].1 = true;
        }
    });
    found
}

/// Weighs each line.
pub(super) fn weigh(text: &str, ranges: &[(usize, usize)], ask: &Ask<'_>) -> Vec<Line> {
    let sample: Vec<&str> = ranges.iter().take(400).map(|r| &text[r.0..r.1]).filter(|l| !l.trim().is_empty()).collect();
    let entries = outline(ranges.iter().map(|r| &text[r.0..r.1]), Language::of(&sample));
    let hits = ask.finder.hits(text, ranges.len());
    let noted = noted(text, ranges);
    let room = Room::new(GAP);
    let mut hits = hits.as_slice();
    let mut found = vec![0.0f32; entries.len()];
    let mut named = vec![0.0f32; entries.len()];
    for (at, range) in ranges.iter().enumerate() {
        while let Some((hit, rest)) = hits.split_first().filter(|(hit, _)| (hit.at as usize) < range.1) {
            let weight = if hit.asked { HIT } else { TROUBLE };
            found[at] = found[at].max(weight * hit.strength);
            if hit.asked {
                named[at] = named[at].max(hit.strength);
            }
            hits = rest;
        }
        let entry = &entries[at];
        if matches!(entry.part, Part::Function | Part::Type | Part::Value) {
            // What is in a named declaration is named; of a type, its members less.
            let outer = if entry.owner == NONE { 0.0 } else { named[entry.owner as usize] };
            named[at] = outer.max(named[at] * if entry.part == Part::Type { 0.5 } else { 1.0 });
        }
    }
    entries
        .iter()
        .enumerate()
        .map(|(at, entry)| {
            let (start, end) = ranges[at];
            let line = &text[start..end];
            let lift = if entry.owner == NONE { 0.0 } else { named[entry.owner as usize] };
            let declares = matches!(entry.part, Part::Type | Part::Function | Part::Value);
            let end_share = if declares { 1.0 / (1.0 + (ranges.len() - at) as f32 / 20.0) } else { 0.0 };
            let worth = if entry.part == Part::Blank {
                0.0
            } else {
                (base(entry, &entries, line, noted[at]) + found[at] + NAMED * lift + END * end_share) * room.share(end - start)
            };
            Line { start: start as u32, end: end as u32, worth, under: entry.owner }
        })
        .collect()
}

fn base(entry: &Entry, entries: &[Entry], line: &str, (remarked, outcome): (bool, bool)) -> f32 {
    let remark = if remarked { REMARK } else { 0.0 };
    let deep = DEEPER.powi(i32::from(entry.depth.min(8)));
    let public = if matches!(entry.part, Part::Type | Part::Function | Part::Value) && is_public(line) { PUBLIC } else { 0.0 };
    let at = entry.at as f32;
    match entry.part {
        Part::Blank => 0.0,
        Part::Type => TYPE * deep + public,
        Part::Function => FUNCTION * deep + public,
        Part::Value => VALUE * deep + public,
        Part::Comment if is_licence(line) => 0.02,
        Part::Comment if entry.first && words(line) => SUBJECT,
        Part::Comment if entry.at <= 1 && words(line) => SUMMARY * deep / (1.0 + at) + remark,
        Part::Comment => COMMENT / (1.0 + at * 0.1) + remark,
        Part::Attribute => ATTRIBUTE * deep,
        Part::Import => IMPORT / (1.0 + at * 0.3),
        Part::Close => CLOSE,
        Part::Body if entry.signature => SIGNATURE * deep,
        Part::Body => match entries.get(entry.owner as usize) {
            Some(owner) if owner.part == Part::Type => MEMBER * deep / (1.0 + at * 0.02),
            Some(owner) => BODY / (1.0 + owner.body as f32 / LONG_BODY) + if outcome { OUTCOME } else { 0.0 } + remark,
            None => STATEMENT / (1.0 + at * 0.01) + remark,
        },
    }
}

fn is_public(line: &str) -> bool {
    ["pub", "export", "public"].iter().any(|word| line.trim_start().starts_with(word))
}

fn words(line: &str) -> bool {
    line.bytes().filter(u8::is_ascii_alphabetic).count() >= 3 || !line.is_ascii()
}
