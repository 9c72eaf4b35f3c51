//! Inputs made to be slow: for every kind of text its beginning, and then much of one thing; JSON in every bad shape.

use crate::payload::{TEXTS, text};

/// Bytes of a kind that make it be taken for that kind.
const HEAD: usize = 20_000;

/// What is repeated. `#` is a number that is never the same.
const UNITS: [&str; 50] = [
    "a",
    " ",
    "\n",
    "\t",
    "a\n",
    "a b\n",
    "# a\n",
    "#\n",
    "- a\n",
    "  - a: b\n",
    "[",
    "]",
    "(",
    "{",
    "}\n",
    "<",
    ">",
    "<a>",
    "<a b=",
    "</a>",
    "<!--",
    "<p>\n",
    "&",
    "&amp;",
    "\"",
    "'",
    "`",
    "```\n",
    "\\",
    "|",
    "| a | b |\n",
    "a,",
    ",",
    "a:",
    ": ",
    "key#: value #\n",
    "error #\n",
    "error: ",
    "@@ -1 +1 @@\n",
    "+a\n-b\n",
    "diff --git a/# b/#\n",
    "at x#.y (z.js:#:1)\n",
    "2026-01-01T00:00:0#Z INFO a#\n",
    "src/#.rs:#: a\n",
    "├── a#\n",
    "│   ",
    "é",
    "\u{1b}[31m",
    "a.b. ",
    "https://a.b/#?c=#&",
];

/// Every hostile input of about `bytes`, with its name.
pub fn all(bytes: usize) -> impl Iterator<Item = (String, String)> {
    let texts = TEXTS.iter().flat_map(move |&kind| {
        let head = text(kind, HEAD.min(bytes / 4));
        UNITS.iter().map(move |unit| (format!("{kind:?} + {unit:?}").to_lowercase(), repeated(&head, unit, bytes)))
    });
    let bare = UNITS.iter().map(move |unit| (format!("{unit:?}"), repeated("", unit, bytes)));
    let deeper = (0..DEEPER.len()).map(move |at| (DEEPER[at].0.to_owned(), DEEPER[at].1(bytes)));
    texts.chain(bare).chain(deeper).chain(json(bytes))
}

/// `head` and as many of `unit` as `bytes` hold.
fn repeated(head: &str, unit: &str, bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 64);
    out.push_str(head);
    let mut number = 0u64;
    let parts: Vec<&str> = unit.split('#').collect();
    // A unit that is a mark of its own has no number.
    let numbered = parts.len() > 1 && parts.iter().any(|part| part.len() > 3);
    while out.len() < bytes {
        if numbered {
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    out.push_str(&number.to_string());
                }
                out.push_str(part);
            }
            number += 1;
        } else {
            out.push_str(unit);
        }
    }
    out
}

type Make = fn(usize) -> String;

/// Nesting that goes on and on, in the ways of the kinds that nest.
const DEEPER: [(&str, Make); 5] = [
    ("yaml, ever deeper", |bytes| stairs(bytes, "a:\n")),
    ("list, ever deeper", |bytes| stairs(bytes, "- a\n")),
    ("snapshot, ever deeper", |bytes| stairs(bytes, "- list [ref=e1]:\n")),
    ("code, ever deeper", |bytes| stairs(bytes, "if a {\n")),
    ("xml, ever deeper", |bytes| {
        let tags = bytes / 7;
        format!("<?xml version=\"1.0\"?>\n{}{}", "<a>".repeat(tags), "</a>".repeat(tags))
    }),
];

fn stairs(bytes: usize, step: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    while out.len() < bytes {
        out.push_str(&" ".repeat(depth));
        out.push_str(step);
        depth += 2;
    }
    out
}

/// JSON of shapes that no API has.
fn json(bytes: usize) -> impl Iterator<Item = (String, String)> {
    const INSIDE: [(&str, &str, &str); 18] = [
        ("numbers", "[", "1,"),
        ("long number", "[1", "1"),
        ("short strings", "[", "\"a\","),
        ("empty objects", "[", "{},"),
        ("empty lists", "[", "[],"),
        ("one key", "{", "\"a\":1,"),
        ("distinct keys", "{", "\"k#key\":1,"),
        ("distinct keys of objects", "{", "\"k#key\":{\"a\":#},"),
        ("objects of distinct keys", "[", "{\"k#key\":1},"),
        ("objects of one long key each", "[", "{\"the quick brown fox jumps over the lazy dog #\":{\"x#key\":[]}},"),
        ("distinct strings", "[", "\"the quick brown fox #\","),
        ("pairs", "[", "[\"a\",\"b# \"],"),
        ("words of trouble", "[", "{\"a\":\"error # failed\"},"),
        ("links", "[", "{\"a\":\"https://example.com/#\"},"),
        ("long lists in lists", "[", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30],"),
        ("white space", "[", " \n\t 1 ,"),
        (
            "strings of 300",
            "[",
            "\"0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 #\",",
        ),
        ("objects whose values are objects", "[", "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":[{\"f\":#key1}]}}}}},"),
    ];
    let lists = INSIDE.iter().map(move |&(name, open, unit)| {
        let mut text = repeated(open, &unit.replace("#key1", "1"), bytes);
        if text.ends_with(',') {
            text.pop();
        }
        text.push(if open == "{" { '}' } else { ']' });
        (format!("json, {name}"), text)
    });
    let units = UNITS.iter().map(move |unit| {
        let inside = repeated("", unit, bytes);
        (format!("json, a string of {unit:?}"), format!("{{\"text\":\"{}\"}}", escape(&inside)))
    });
    let kinds = TEXTS
        .iter()
        .map(move |&kind| (format!("json, a string of {kind:?}").to_lowercase(), format!("[\"{}\"]", escape(&text(kind, bytes)))));
    let depth = |open: &str, close: &str| {
        let times = bytes / (open.len() + close.len());
        format!("{}1{}", open.repeat(times), close.repeat(times))
    };
    let deep = [
        ("json, lists in lists", depth("[", "]")),
        ("json, objects in objects", depth("{\"a\":", "}")),
        ("json, objects in lists", depth("[{\"a\":", "}]")),
        ("json, objects in objects, with more", depth("{\"b\":2,\"a\":", ",\"c\":3}")),
        ("json, lists in lists, with more", depth("[0,", ",9]")),
        ("json, maps in maps", depth("{\"x\":{\"y\":1},\"z\":{\"y\":2},\"v\":{\"y\":2},\"w\":{\"y\":2},\"a\":", "}")),
    ]
    .map(|(name, text)| (name.to_owned(), text));
    let mut inner = String::from("1");
    while inner.len() < bytes / 3 {
        inner = format!("{{\"a\":\"{}\"}}", escape(&inner));
    }
    lists.chain(units).chain(kinds).chain(deep).chain([("json, strings in strings".to_owned(), inner)])
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    snugfit_engine::json::escape_into(&mut out, text);
    out
}
