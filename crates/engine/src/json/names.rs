//! What the names of fields say: their weights, and the names that mean more than others.

use super::weights::{LINK, WORDS};
use crate::query::name_words;

/// An id of the interface's own, beside one that people use.
const OPAQUE_ID: f32 = 0.15;

/// A name that says nothing.
pub(crate) const UNKNOWN: f32 = 0.5;

/// A name whose last word says nothing.
const QUALIFIED: f32 = 0.75;

/// Names that keep a kept part of a page findable: how to go on, and how much there is.
const PINNED: &[&str] = &[
    "cursor",
    "next",
    "nextcursor",
    "nextpagetoken",
    "nextpage",
    "pagetoken",
    "endcursor",
    "nexttoken",
    "continuation",
    "continuationtoken",
    "hasmore",
    "hasnextpage",
    "hasnext",
    "more",
    "islast",
    "islastpage",
    "total",
    "totalcount",
    "totalresults",
    "totalitems",
    "totalhits",
    "count",
    "size",
    "length",
    "error",
    "errors",
    "warning",
    "warnings",
    "message",
    "startat",
    "maxresults",
    "incompleteresults",
    "truncated",
    "page",
    "pages",
    "totalpages",
    "offset",
];

/// Keys that only wrap: what is inside is worth as much as if they were not there.
const WRAPPERS: &[&str] = &[
    "data",
    "items",
    "results",
    "result",
    "response",
    "payload",
    "edges",
    "node",
    "nodes",
    "records",
    "rows",
    "entries",
    "list",
    "values",
    "content",
    "features",
    "properties",
    "hits",
    "fields",
    "issues",
    "attributes",
    "resource",
    "resources",
    "objects",
    "body",
    "output",
];

/// Whether a field of the top levels is kept at every budget that can hold it.
pub(crate) fn pinned(name: &str) -> bool {
    let mut plain = String::with_capacity(name.len());
    plain.extend(name.chars().take(40).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
    PINNED.contains(&plain.as_str())
}

/// Whether a name says that its value tells what went wrong.
pub(crate) fn trouble(name: &str) -> bool {
    name_words(name).iter().any(|w| matches!(w.as_str(), "error" | "errors" | "warning" | "warnings" | "exception" | "failure" | "fault"))
}

/// Names of fields that say how bad or how urgent.
const SCALES: &[&str] = &["severity", "level", "priority", "risk", "impact", "criticality", "urgency"];

/// The upper steps of such scales, the worst last.
const STEPS: &[&[&str]] = &[
    &["high", "error", "severe", "major"],
    &["critical", "very high", "p1", "sev1"],
    &["blocker", "fatal", "emergency", "emerg", "alert", "urgent", "highest", "p0", "sev0"],
];

/// Names of numbers that tell which or where, not how much.
const PLACES: &[&str] = &[
    "id",
    "ids",
    "number",
    "no",
    "num",
    "key",
    "index",
    "line",
    "row",
    "column",
    "col",
    "position",
    "offset",
    "begin",
    "start",
    "end",
    "port",
    "code",
    "year",
    "date",
    "timestamp",
    "ts",
    "created",
    "updated",
    "lat",
    "lon",
    "lng",
    "latitude",
    "longitude",
    "x",
    "y",
    "zip",
    "phone",
    "version",
    "pid",
];

/// How the two fields of a pair are called.
pub(crate) const PAIR_NAMES: &[&str] = &["key", "name", "field", "label", "id", "type"];
pub(crate) const PAIR_VALUES: &[&str] = &["value", "val", "text", "content", "count"];

/// Names of fields that say what a record is, whatever happened: what it is called comes first.
const DESCRIPTIONS: &[&str] = &["name", "label", "title", "description", "help", "documentation"];
const TITLES: usize = 3;

/// Whether a field says what its record is.
pub(crate) fn describes(name: &str) -> bool {
    name_words(name).last().is_some_and(|w| DESCRIPTIONS.contains(&w.as_str()))
}

/// Whether a field says what its record is called.
pub(crate) fn titles(name: &str) -> bool {
    name_words(name).last().is_some_and(|w| DESCRIPTIONS[..TITLES].contains(&w.as_str()))
}

/// Whether a name is that of a scale of severities.
pub(crate) fn scale(name: &str) -> bool {
    name_words(name).last().is_some_and(|w| SCALES.contains(&w.as_str()))
}

/// How far up a scale of severities a value stands; 0 for what is not on the upper part of one.
pub(crate) fn severity(lexeme: &str) -> usize {
    let word = lexeme.trim_matches('"').to_ascii_lowercase();
    STEPS.iter().position(|step| step.contains(&word.as_str())).map_or(0, |at| at + 1)
}

/// Whether a name is that of numbers without meaningful extremes.
pub(crate) fn places(name: &str) -> bool {
    name_words(name).last().is_some_and(|w| PLACES.contains(&w.as_str()))
}

/// Whether a key only wraps what matters.
pub(crate) fn wraps(name: &str) -> bool {
    WRAPPERS.iter().any(|w| w.eq_ignore_ascii_case(name))
}

/// Whether a name says that its value leads to the next page.
pub(crate) fn cursor_like(name: &str) -> bool {
    name_words(name).iter().any(|w| matches!(w.as_str(), "cursor" | "token" | "next" | "continuation" | "bookmark" | "id" | "url"))
}

/// The worth of a field by its name alone.
pub(crate) fn name_weight(name: &str) -> f32 {
    let special = name.starts_with("__") && name.ends_with("__");
    if name.starts_with('_') && name.len() > 1 && !name.starts_with("_id") && !special {
        return 0.15;
    }
    let words = name_words(name);
    if words == ["node", "id"] {
        return OPAQUE_ID;
    }
    let known = |word: &String| WORDS.iter().find(|(list, _)| list.contains(&word.as_str())).map(|(_, weight)| *weight);
    if let (2.., Some(weight)) = (words.len(), known(&words.concat())) {
        // `managedFields`: the whole is a word of its own.
        return weight;
    }
    let weights: Vec<f32> = words.iter().filter_map(known).collect();
    let least = weights.iter().copied().fold(f32::INFINITY, f32::min);
    let most = weights.iter().copied().fold(0.0, f32::max);
    // Decoration makes a name decorative whatever else is in it; the last word says what the value is.
    if least < 0.3 {
        least
    } else if words.last().and_then(known).is_some_and(|w| w <= LINK) {
        words.last().and_then(known).unwrap_or(LINK)
    } else if weights.is_empty() {
        UNKNOWN
    } else if words.last().and_then(known).is_none() {
        // What is known of a name only qualifies what its value is.
        QUALIFIED * most
    } else {
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_rank_as_readers_would() {
        for pair in [
            "error status",
            "title created_at",
            "status html_url",
            "html_url avatar_url",
            "name node_id",
            "nextPageToken etag",
            "description_url _links",
        ]
        .map(|p| p.split_once(' ').unwrap())
        {
            assert!(name_weight(pair.0) > name_weight(pair.1), "{pair:?}");
        }
        assert!(pinned("next_page_token") && pinned("totalCount") && !pinned("title"));
    }
}
