//! What a field is worth: the one table of weights, and how statistics and the call change it.

use super::index::{Index, NO_KEY};
use super::shape::{ELEMENT, Shape, Shapes};
use crate::query::{Term, name_words};

/// What a word in a field's name says about its value. 1 is what tells one record from another; noise is what no reader misses.
const WORDS: &[(&[&str], f32)] = &[
    // What went wrong is what most calls are made for.
    (
        &[
            "error",
            "errors",
            "exception",
            "failure",
            "failures",
            "failed",
            "reason",
            "cause",
            "fault",
            "alert",
            "warning",
            "warnings",
            "violation",
            "diagnostic",
        ],
        1.3,
    ),
    // What a record is called.
    (
        &[
            "name",
            "title",
            "key",
            "number",
            "summary",
            "subject",
            "label",
            "login",
            "username",
            "displayname",
            "headline",
            "question",
            "answer",
        ],
        1.2,
    ),
    (
        &[
            "id",
            "purl",
            "path",
            "file",
            "filename",
            "email",
            "slug",
            "code",
            "sku",
            "rule",
            "ref",
            "symbol",
            "package",
            "module",
            "namespace",
            "host",
            "hostname",
            "address",
        ],
        1.0,
    ),
    // In what state it is.
    (
        &[
            "status",
            "state",
            "phase",
            "result",
            "conclusion",
            "severity",
            "level",
            "priority",
            "outcome",
            "verdict",
            "health",
            "ready",
            "passed",
            "enabled",
            "active",
        ],
        1.1,
    ),
    (&["message", "msg", "detail", "details", "value", "version", "fix", "fixed", "resolution"], 1.0),
    (&["type", "kind", "category", "class", "role", "action", "event", "method", "language", "currency", "unit", "operation"], 0.8),
    // How much of it there is.
    (
        &[
            "total",
            "count",
            "amount",
            "price",
            "cost",
            "score",
            "rate",
            "percent",
            "balance",
            "quantity",
            "duration",
            "latency",
            "elapsed",
            "mag",
            "magnitude",
        ],
        0.85,
    ),
    (
        &[
            "size",
            "length",
            "width",
            "height",
            "max",
            "min",
            "avg",
            "mean",
            "median",
            "average",
            "limit",
            "rank",
            "votes",
            "stars",
            "downloads",
        ],
        0.65,
    ),
    (
        &[
            "date",
            "time",
            "timestamp",
            "created",
            "updated",
            "started",
            "finished",
            "ended",
            "closed",
            "due",
            "published",
            "start",
            "end",
            "when",
            "ts",
            "day",
            "month",
            "year",
        ],
        0.65,
    ),
    (
        &[
            "user",
            "author",
            "owner",
            "assignee",
            "reporter",
            "creator",
            "customer",
            "member",
            "person",
            "actor",
            "sender",
            "recipient",
            "from",
            "to",
            "team",
            "company",
            "organization",
        ],
        0.8,
    ),
    (
        &[
            "description",
            "body",
            "content",
            "text",
            "comment",
            "note",
            "notes",
            "caption",
            "abstract",
            "snippet",
            "excerpt",
            "source",
            "output",
            "stdout",
            "stderr",
            "log",
            "logs",
        ],
        0.8,
    ),
    (
        &[
            "city",
            "country",
            "region",
            "place",
            "location",
            "state_name",
            "tags",
            "labels",
            "topics",
            "keywords",
            "license",
            "dependencies",
            "requires",
            "engines",
        ],
        0.7,
    ),
    (&["line", "lines", "row", "column", "position", "index", "begin"], 0.6),
    // Where else to look.
    (&["url", "uri", "link", "links", "href", "html", "homepage", "website", "permalink"], LINK),
    (&["lat", "lon", "latitude", "longitude", "lng", "coordinates", "geometry", "bbox", "polygon"], 0.3),
    // Transport and decoration.
    (&["avatar", "icon", "gravatar", "thumbnail", "image", "logo", "color", "colour", "background", "style", "css", "font"], 0.1),
    (
        &[
            "etag",
            "self",
            "node",
            "nodeid",
            "gid",
            "cid",
            "hash",
            "sha256",
            "sha512",
            "sha1",
            "md5",
            "digest",
            "checksum",
            "checksums",
            "signature",
            "integrity",
            "signatures",
        ],
        0.15,
    ),
    (
        &[
            "annotations",
            "managedfields",
            "extensions",
            "internal",
            "raw",
            "debug",
            "tracking",
            "uuid",
            "guid",
            "sid",
            "schema",
            "headers",
            "resolved",
        ],
        0.28,
    ),
    (&["_links", "expand", "template", "templates"], 0.1),
];

/// A field that names its record, beside the others.
const IDENTITY: f32 = 1.6;

/// A link: one names a record, several are clutter.
const LINK: f32 = 0.5;

/// A field whose values stand in another field of the record, too.
const SAID: f32 = 0.4;

/// A field of opaque ids, however it is named.
const OPAQUE: f32 = 0.8;

/// A name that says nothing.
const UNKNOWN: f32 = 0.5;

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
    if name.starts_with('_') && name.len() > 1 && !name.starts_with("_id") {
        return 0.15;
    }
    let words = name_words(name);
    let known = |word: &String| WORDS.iter().find(|(list, _)| list.contains(&word.as_str())).map(|(_, weight)| *weight);
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
    } else {
        most
    }
}

/// For every path its worth beside its siblings: name, distribution, and the call's words.
pub(crate) fn field_weights(index: &Index<'_>, shapes: &Shapes, terms: &[Term]) -> Vec<f32> {
    shapes.shapes.iter().map(|shape| field_weight(index, shapes, shape, terms)).collect()
}

fn field_weight(index: &Index<'_>, shapes: &Shapes, shape: &Shape, terms: &[Term]) -> f32 {
    let key = shape.key;
    if key == ELEMENT || key == NO_KEY || key as usize >= index.keys.len() {
        return 1.0;
    }
    let name = index.name(key);
    let container = shape.containers == shape.count;
    let bare = container && shapes.holds_scalars(shape);
    let mut weight = match name_weight(name) {
        _ if container && !bare && wraps(name) => 1.0,
        // What an unknown container holds is known by the names in it.
        UNKNOWN if container && !bare => 0.8,
        weight => weight,
    };
    if shape.links > 0 && weight > 0.2 {
        // One link is a way on, ten are clutter.
        weight *= (2.0 / shapes.linked(shape.parent) as f32).min(1.0);
    }
    let above = &shapes.shapes[shape.parent as usize];
    if above.count >= 4 {
        // What tells records apart names them; a record without it is of little use.
        if shapes.children_of(shape.parent).any(|other| said_in(index, shape, &shapes.shapes[other as usize])) {
            return weight * SAID;
        }
        if opaque(index, shape) {
            return weight.min(OPAQUE);
        }
        let names = |s: &Shape| s.distinct() && s.numbers.is_none() && s.mean_bytes() < 100.0 && name_weight(index.name(s.key)) >= 0.95;
        if names(shape) {
            weight *= IDENTITY;
        } else if shape.numbers.is_some() && name == "id" && shapes.children_of(shape.parent).any(|c| names(&shapes.shapes[c as usize])) {
            // A number is no name where there is a name.
            weight *= 0.6;
        }
    }
    let words = name_words(name);
    let asked =
        terms.iter().filter(|t| words.contains(&t.text) || t.text.eq_ignore_ascii_case(name)).map(|t| t.strength).fold(0.0, f32::max);
    weight * (1.0 + 2.0 * asked)
}

/// Whether the values of a path are parts of another's, record by record.
fn said_in(index: &Index<'_>, shape: &Shape, other: &Shape) -> bool {
    const SAMPLE: usize = 5;
    let (ours, theirs) = (&shape.values.seen, &other.values.seen);
    if shape.key == other.key
        || !shape.distinct()
        || !other.distinct()
        || shape.count != other.count
        || ours.len() < 3
        || shape.numbers.is_some()
    {
        return false;
    }
    ours.iter().zip(theirs).take(SAMPLE).all(|(a, b)| {
        let (a, b) = (index.lexeme(a.2[0]).trim_matches('"'), index.lexeme(b.2[0]).trim_matches('"'));
        a.len() >= 3 && b.len() > a.len() && b.len() < 3 * a.len() + 16 && b.contains(a)
    })
}

/// Whether the values of a path are ids that no reader knows: hex, UUIDs, tokens of mixed letters and digits.
fn opaque(index: &Index<'_>, shape: &Shape) -> bool {
    let seen = &shape.values.seen;
    let sample = seen.iter().take(8).filter(|v| token(index.lexeme(v.2[0]).trim_matches('"'))).count();
    sample > 0 && sample * 10 >= seen.len().min(8) * 7
}

/// A word that says nothing: a long run of hex digits, or of letters of both cases and digits.
fn token(text: &str) -> bool {
    const LONG: usize = 12;
    if text.len() < 16 || text.contains([' ', '/', '.']) {
        return false;
    }
    let hex = text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
        && text.bytes().any(|b| b.is_ascii_digit())
        && text.bytes().any(|b| b.is_ascii_alphabetic());
    hex || text.split(['-', '_', '=', ':']).any(|run| {
        run.len() >= LONG
            && run.bytes().any(|b| b.is_ascii_digit())
            && run.bytes().any(|b| b.is_ascii_lowercase())
            && run.bytes().any(|b| b.is_ascii_uppercase())
    })
}

/// How much less a value counts for what it is: nothing in it, or a link.
pub(crate) fn value_factor(lexeme: &str) -> f32 {
    match lexeme {
        "null" | "\"\"" | "[]" | "{}" => 0.12,
        "false" => 0.6,
        _ if lexeme.starts_with("\"http://") || lexeme.starts_with("\"https://") => {
            if lexeme.contains('{') {
                0.15
            } else {
                0.8
            }
        }
        _ => 1.0,
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
