//! Inputs made from a seed: the same on every machine. Tests and benches share them.

use std::fmt::Write;

/// `SplitMix64`: small, and the same everywhere.
#[derive(Debug, Clone)]
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    pub fn words(&mut self, n: usize) -> String {
        let mut out = String::new();
        for at in 0..n {
            if at > 0 {
                out.push(' ');
            }
            out.push_str(self.pick(&WORDS));
        }
        out
    }

    pub fn hex(&mut self, digits: usize) -> String {
        (0..digits).map(|_| char::from(b"0123456789abcdef"[self.below(16)])).collect()
    }

    pub fn uuid(&mut self) -> String {
        let hex = self.hex(32);
        format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
    }

    pub fn time(&mut self) -> String {
        format!(
            "2026-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            1 + self.below(12),
            1 + self.below(28),
            self.below(24),
            self.below(60),
            self.below(60)
        )
    }
}

const WORDS: [&str; 48] = [
    "amber", "anchor", "basket", "beacon", "branch", "breeze", "candle", "canyon", "carbon", "cedar", "cobalt", "copper", "coral",
    "crystal", "delta", "ember", "falcon", "fern", "flint", "forest", "garnet", "glacier", "harbor", "hazel", "indigo", "island", "ivory",
    "jasper", "lantern", "lilac", "marble", "meadow", "mercury", "nectar", "ocean", "olive", "onyx", "orchid", "pebble", "prairie",
    "quartz", "raven", "river", "saffron", "sierra", "thistle", "timber", "willow",
];

/// What a field of a record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Id,
    Uuid,
    Hex,
    Url,
    Email,
    Time,
    State,
    Same,
    Amount,
    Flag,
    Empty,
    Title,
    Prose,
    Nested,
    Tags,
    Odd,
    Html,
    Inner,
}

pub const FIELDS: [Field; 18] = [
    Field::Id,
    Field::Uuid,
    Field::Hex,
    Field::Url,
    Field::Email,
    Field::Time,
    Field::State,
    Field::Same,
    Field::Amount,
    Field::Flag,
    Field::Empty,
    Field::Title,
    Field::Prose,
    Field::Nested,
    Field::Tags,
    Field::Odd,
    Field::Html,
    Field::Inner,
];

impl Field {
    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Uuid => "uuid",
            Self::Hex => "sha",
            Self::Url => "url",
            Self::Email => "email",
            Self::Time => "created_at",
            Self::State => "state",
            Self::Same => "type",
            Self::Amount => "amount",
            Self::Flag => "active",
            Self::Empty => "extra",
            Self::Title => "title",
            Self::Prose => "body",
            Self::Nested => "user",
            Self::Tags => "labels",
            Self::Odd => "reading",
            Self::Html => "html",
            Self::Inner => "payload",
        }
    }

    fn write(self, at: usize, rng: &mut Rng, out: &mut String) {
        let _ = match self {
            Self::Id => write!(out, "{}", 1000 + at),
            Self::Uuid => write!(out, "\"{}\"", rng.uuid()),
            Self::Hex => write!(out, "\"{}\"", rng.hex(40)),
            Self::Url => write!(out, "\"https://api.example.com/items/{at}?page={}\"", rng.below(90)),
            Self::Email => write!(out, "\"{}.{at}@example.com\"", rng.pick(&WORDS)),
            Self::Time => write!(out, "\"{}\"", rng.time()),
            Self::State => write!(out, "\"{}\"", if rng.below(97) == 0 { "FAILED" } else { rng.pick(&["open", "closed"]) }),
            Self::Same => write!(out, "\"ticket\""),
            Self::Amount => write!(out, "{}.{:02}", rng.below(9000), rng.below(100)),
            Self::Flag => write!(out, "{}", rng.below(2) == 0),
            Self::Empty => write!(out, "{}", rng.pick(&["null", "\"\"", "[]", "{}"])),
            Self::Title => write!(out, "\"{}\"", {
                let n = 2 + rng.below(5);
                rng.words(n)
            }),
            Self::Prose => write!(out, "\"{}\"", {
                let n = 10 + rng.below(60);
                rng.words(n)
            }),
            Self::Nested => write!(out, "{{\"login\":\"{}{}\",\"id\":{},\"admin\":false}}", rng.pick(&WORDS), at % 17, rng.below(500)),
            Self::Tags => write!(out, "[\"{}\",\"{}\"]", rng.pick(&WORDS), rng.pick(&WORDS)),
            Self::Odd => write!(out, "{}", rng.pick(&["1e400", "-0.0", "1.10", "12345678901234567890", "0", "7E+2", "0.000"])),
            Self::Html => write!(out, "\"<p>{}</p>\\n<ul><li>{}</li></ul>\"", rng.words(12), rng.words(5)),
            Self::Inner => write!(out, "\"{{\\\"a\\\":{},\\\"note\\\":\\\"{}\\\"}}\"", rng.below(99), rng.words(9)),
        };
    }
}

/// One record as compact JSON.
pub fn record(fields: &[Field], at: usize, rng: &mut Rng) -> String {
    let mut out = String::from("{");
    for (n, field) in fields.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        let _ = write!(out, "\"{}\":", field.name());
        field.write(at, rng, &mut out);
    }
    out.push('}');
    out
}

/// How records are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    List,
    Wrapped,
    ById,
    Columns,
    Connection,
    Lines,
}

pub const SHAPES: [Shape; 6] = [Shape::List, Shape::Wrapped, Shape::ById, Shape::Columns, Shape::Connection, Shape::Lines];

/// `count` records of these fields in a shape.
pub fn records(shape: Shape, fields: &[Field], count: usize, seed: u64) -> String {
    let mut rng = Rng(seed);
    let mut out = String::new();
    let (open, close) = match shape {
        Shape::List => ("[".to_owned(), "]".to_owned()),
        Shape::Wrapped => ("{\"items\":[".to_owned(), format!("],\"total\":{count},\"next_cursor\":\"{}\"}}", rng.hex(32))),
        Shape::ById => ("{".to_owned(), "}".to_owned()),
        Shape::Columns => {
            let names: Vec<String> = fields.iter().map(|f| format!("\"{}\"", f.name())).collect();
            (format!("{{\"columns\":[{}],\"rows\":[", names.join(",")), "]}".to_owned())
        }
        Shape::Connection => (
            "{\"data\":{\"search\":{\"edges\":[".to_owned(),
            format!("],\"pageInfo\":{{\"hasNextPage\":true,\"endCursor\":\"{}\"}}}}}}}}", rng.hex(24)),
        ),
        Shape::Lines => (String::new(), String::new()),
    };
    out.push_str(&open);
    for at in 0..count {
        if at > 0 {
            out.push(if shape == Shape::Lines { '\n' } else { ',' });
        }
        match shape {
            Shape::ById => {
                let _ = write!(out, "\"KEY-{at}\":");
                out.push_str(&record(fields, at, &mut rng));
            }
            Shape::Columns => {
                out.push('[');
                for (n, field) in fields.iter().enumerate() {
                    if n > 0 {
                        out.push(',');
                    }
                    field.write(at, &mut rng, &mut out);
                }
                out.push(']');
            }
            Shape::Connection => {
                out.push_str("{\"node\":");
                out.push_str(&record(fields, at, &mut rng));
                out.push('}');
            }
            _ => out.push_str(&record(fields, at, &mut rng)),
        }
    }
    out.push_str(&close);
    out
}

/// The kinds of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    Prose,
    Log,
    Trace,
    Diff,
    Csv,
    Columns,
    Code,
    Markdown,
    Html,
    Xml,
    Yaml,
    Tree,
    Grep,
    Snapshot,
    Ansi,
    Clusters,
    Ndjson,
    Metrics,
    Words,
}

pub const TEXTS: [Text; 19] = [
    Text::Prose,
    Text::Log,
    Text::Trace,
    Text::Diff,
    Text::Csv,
    Text::Columns,
    Text::Code,
    Text::Markdown,
    Text::Html,
    Text::Xml,
    Text::Yaml,
    Text::Tree,
    Text::Grep,
    Text::Snapshot,
    Text::Ansi,
    Text::Clusters,
    Text::Ndjson,
    Text::Metrics,
    Text::Words,
];

impl Text {
    /// What stands before the units that repeat, and after them.
    fn frame(self) -> (&'static str, &'static str) {
        match self {
            Self::Csv => ("id,name,state,amount,note\n", ""),
            Self::Columns => ("NAME                     READY   STATUS             RESTARTS   AGE\n", ""),
            Self::Html => (
                "<!DOCTYPE html><html><head><title>Report</title><style>.a{}</style></head><body><nav><a href=\"/a\">Home</a></nav><main>\n",
                "</main></body></html>\n",
            ),
            Self::Xml => ("<?xml version=\"1.0\"?>\n<catalog>\n", "</catalog>\n"),
            Self::Code => ("use std::collections::HashMap;\nuse std::fmt;\n\n", ""),
            Self::Markdown => ("# Handbook\n\n", ""),
            Self::Tree => (".\n", ""),
            Self::Yaml => ("apiVersion: v1\nitems:\n", ""),
            Self::Snapshot => ("- document [ref=e1]:\n", ""),
            _ => ("", ""),
        }
    }

    fn unit(self, at: usize, rng: &mut Rng, out: &mut String) {
        let _ = match self {
            Self::Prose => writeln!(out, "{}. {}.{}", rng.words(9), rng.words(12), if at % 5 == 4 { "\n" } else { "" }),
            Self::Log => {
                let level = if rng.below(61) == 0 { "ERROR" } else { rng.pick(&["INFO", "INFO", "DEBUG", "WARN"]) };
                writeln!(
                    out,
                    "{} {level} [worker-{}] {} id={} took={}ms",
                    rng.time(),
                    rng.below(9),
                    rng.words(4),
                    rng.hex(8),
                    rng.below(900)
                )
            }
            Self::Trace => writeln!(
                out,
                "Traceback (most recent call last):\n  File \"/srv/app/{0}.py\", line {1}, in {0}\n    run({1})\n  File \"/usr/lib/python3/site-packages/lib/{2}.py\", line 7, in call\n    raise ValueError\nValueError: {3}",
                rng.pick(&WORDS),
                rng.below(400),
                rng.pick(&WORDS),
                rng.words(4)
            ),
            Self::Diff => writeln!(
                out,
                "diff --git a/src/{0}{at}.rs b/src/{0}{at}.rs\nindex {1}..{2} 100644\n--- a/src/{0}{at}.rs\n+++ b/src/{0}{at}.rs\n@@ -1,4 +1,4 @@\n {3}\n-let a = {4};\n+let a = {5};\n {6}",
                rng.pick(&WORDS),
                rng.hex(7),
                rng.hex(7),
                rng.words(5),
                rng.below(99),
                rng.below(99),
                rng.words(5)
            ),
            Self::Csv => writeln!(
                out,
                "{at},{},{},{}.{:02},\"{}\"",
                rng.words(2),
                rng.pick(&["ok", "ok", "ok", "late"]),
                rng.below(900),
                rng.below(100),
                rng.words(6)
            ),
            Self::Columns => {
                writeln!(
                    out,
                    "{:<24} 1/1     {:<18} {:<10} {}d",
                    format!("{}-{}", rng.pick(&WORDS), rng.hex(8)),
                    rng.pick(&["Running", "Running", "Pending"]),
                    rng.below(3),
                    rng.below(99)
                )
            }
            Self::Code => writeln!(
                out,
                "/// {0}.\npub fn {1}_{at}(input: &str) -> usize {{\n    let mut total = {2};\n    for c in input.chars() {{\n        if c == '{{' {{ total += {3}; }}\n    }}\n    println!(\"{4} {{}}\", total);\n    total\n}}\n",
                rng.words(6),
                rng.pick(&WORDS),
                rng.below(99),
                rng.below(9),
                rng.words(2)
            ),
            Self::Markdown => writeln!(
                out,
                "## {0}\n\n{1}. {2}.\n\n- [{3}](https://example.com/{at})\n- {4}\n\n| a | b |\n| --- | --- |\n| {5} | {at} |\n\n```rust\nfn main() {{}}\n```\n",
                rng.words(3),
                rng.words(12),
                rng.words(14),
                rng.words(2),
                rng.words(5),
                rng.words(2)
            ),
            Self::Html => writeln!(
                out,
                "<section class=\"c{at}\"><h2>{0}</h2><p>{1} <a href=\"https://example.com/p/{at}\">{2}</a> &amp; {3}</p><ul><li>{4}</li></ul><script>var x{at}=1;</script></section>",
                rng.words(3),
                rng.words(15),
                rng.words(2),
                rng.words(9),
                rng.words(4)
            ),
            Self::Xml => {
                writeln!(
                    out,
                    "  <book id=\"bk{at}\" lang=\"en\"><title>{}</title><price>{}.{:02}</price><note><![CDATA[{}]]></note></book>",
                    rng.words(3),
                    rng.below(90),
                    rng.below(100),
                    rng.words(8)
                )
            }
            Self::Yaml => writeln!(
                out,
                "- name: {}-{at}\n  labels: {{app: {}, tier: back}}\n  replicas: {}\n  note: >-\n    {}",
                rng.pick(&WORDS),
                rng.pick(&WORDS),
                rng.below(9),
                rng.words(9)
            ),
            Self::Tree => {
                writeln!(out, "├── {0}{at}\n│   ├── {1}.rs\n│   └── {2}.toml", rng.pick(&WORDS), rng.pick(&WORDS), rng.pick(&WORDS))
            }
            Self::Grep => writeln!(
                out,
                "src/{}/{}.rs:{}:    let {} = {}();",
                rng.pick(&WORDS),
                rng.pick(&WORDS),
                1 + rng.below(900),
                rng.pick(&WORDS),
                rng.pick(&WORDS)
            ),
            Self::Snapshot => writeln!(
                out,
                "  - listitem [ref=e{0}]:\n    - link \"{1}\" [ref=e{2}]:\n      - /url: /p/{at}\n    - text: {3}",
                at * 3 + 2,
                rng.words(2),
                at * 3 + 3,
                rng.words(8)
            ),
            Self::Ansi => writeln!(out, "\u{1b}[32m✓\u{1b}[0m {} \u{1b}[90m({}ms)\u{1b}[0m\r", rng.words(4), rng.below(90)),
            Self::Clusters => writeln!(
                out,
                "{}",
                CLUSTERS.iter().map(|c| c.repeat(1 + rng.below(4))).collect::<Vec<_>>().join(if at.is_multiple_of(2) { "" } else { " " })
            ),
            Self::Ndjson => {
                let line = record(&[Field::Time, Field::State, Field::Title, Field::Id], at, rng);
                writeln!(out, "{line}")
            }
            Self::Metrics => {
                if at.is_multiple_of(12) {
                    let _ = writeln!(out, "# HELP {0}_total_{at} {1}\n# TYPE {0}_total_{at} counter", rng.pick(&WORDS), rng.words(4));
                }
                writeln!(out, "{}_total_{}{{pod=\"{}\"}} {}", rng.pick(&WORDS), at / 12 * 12, rng.hex(6), rng.below(9000))
            }
            Self::Words => write!(out, "{} ", rng.pick(&WORDS)),
        };
    }

    /// About `bytes` of this kind of text (at least one unit).
    pub fn make(self, bytes: usize, seed: u64) -> String {
        let mut rng = Rng(seed);
        let (head, tail) = self.frame();
        let mut out = String::with_capacity(bytes + 1024);
        out.push_str(head);
        let mut at = 0;
        while at == 0 || out.len() < bytes {
            self.unit(at, &mut rng, &mut out);
            at += 1;
        }
        out.push_str(tail);
        out
    }
}

/// What must not be cut inside: families, flags, combining marks, Hangul, Devanagari, a keycap, CRLF.
pub const CLUSTERS: [&str; 8] = ["👨‍👩‍👧‍👦", "🇩🇪", "e\u{301}", "각", "क्षि", "1️⃣", "🏽", "a\u{308}\u{323}"];
