//! Random inputs and options.

use proptest::collection::vec;
use proptest::prelude::*;
use snugfit_engine::{Budget, Encoding, Layout, Notice, NoticeForm, Options, Recovery};

use super::make::{CLUSTERS, FIELDS, Field, Rng, SHAPES, Shape, TEXTS, Text, records};

/// A JSON value that is not rendered yet.
#[derive(Debug, Clone)]
pub enum Value {
    /// A scalar, as it is written.
    Scalar(String),
    Array(Vec<Value>),
    /// Keys as they are written.
    Object(Vec<(String, Value)>),
}

/// How tokens are set apart.
#[derive(Debug, Clone, Copy)]
pub enum Space {
    None,
    Pretty,
    Odd,
}

impl Value {
    pub fn render(&self, space: Space) -> String {
        let mut out = String::new();
        self.write(space, 0, &mut out);
        out
    }

    fn write(&self, space: Space, depth: usize, out: &mut String) {
        let gap = |out: &mut String, depth: usize| match space {
            Space::None => {}
            Space::Pretty => {
                out.push('\n');
                out.extend(std::iter::repeat_n("  ", depth));
            }
            Space::Odd => out.push_str([" ", "\r\n", "\t", "", "\n \n"][(out.len() + depth) % 5]),
        };
        match self {
            Self::Scalar(lexeme) => out.push_str(lexeme),
            Self::Array(elements) => {
                out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    gap(out, depth + 1);
                    element.write(space, depth + 1, out);
                }
                gap(out, depth);
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    gap(out, depth + 1);
                    out.push_str(key);
                    gap(out, depth);
                    out.push(':');
                    gap(out, depth);
                    value.write(space, depth + 1, out);
                }
                gap(out, depth);
                out.push('}');
            }
        }
    }
}

fn text(seed: u64) -> String {
    let mut rng = Rng(seed);
    let n = 1 + rng.below(90);
    match rng.below(14) {
        0 => rng.uuid(),
        1 => rng.hex(40),
        2 => format!("https://example.com/{}?id={}", rng.words(1), rng.below(999)),
        3 => format!("{}@example.com", rng.words(1)),
        4 => rng.time(),
        5 => (0..n).map(|_| rng.pick(&CLUSTERS)).collect(),
        6 => format!("<div><p>{}</p><a href='/x'>{}</a></div>", rng.words(n), rng.words(2)),
        7 => format!("{{\\\"a\\\":[{}],\\\"note\\\":\\\"{}\\\"}}", n, rng.words(n)),
        8 => (0..n).map(|at| format!("{} line {at} {}\\n", rng.time(), rng.words(6))).collect(),
        9 => (0..n)
            .map(|_| {
                rng.pick(&["\\ud800", "x", "\\udc00\\ud83d", "\\ud83d\\ude00", "\\u00e9", "\\u0041", "\\/", "\\\"", "\\\\", "\\t", " "])
            })
            .collect(),
        10 => format!("data:image/png;base64,{}", "iVBORw0KGgo".repeat(n)),
        11 => ["…[3 omitted]", "…", "⋯[", "‥[+3 chars]", "⟨cut⟩[", "\\u2026[1 omitted]"][n % 6].repeat(1 + n / 6),
        12 => rng.words(n * 3),
        _ => rng.words(1 + n % 6),
    }
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => any::<u64>().prop_map(|seed| format!("\"{}\"", text(seed))),
        2 => any::<i32>().prop_map(|n| n.to_string()),
        2 => prop::sample::select(vec!["1e400", "-0.0", "-0", "1.10", "12345678901234567890123", "7E+2", "0.000", "true", "false", "null", "\"\"", "1.7976931348623157e308"]).prop_map(str::to_owned),
        1 => "[a-z]{1,12}".prop_map(|s| format!("\"{s}\"")),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(vec!["id", "name", "state", "items", "error", "body", "total", "a", "b", "c", "user", "next_cursor"]).prop_map(|k| format!("\"{k}\"")),
        2 => prop::sample::select(vec!["", "…", "⋯", "\\u2026", "truncation", "_truncation", "a/b", "~", "ключ", "\\u0061", "a b", "\\\"", "*", "**", "👨‍👩‍👧", "\\ud800", "content"]).prop_map(|k| format!("\"{k}\"")),
        2 => "[a-z_]{3,20}".prop_map(|k| format!("\"{k}\"")),
        1 => any::<u64>().prop_map(|seed| format!("\"{}\"", Rng(seed).uuid())),
    ]
}

/// Any JSON value: nested, with duplicate keys, odd numbers and odd strings.
pub fn value() -> impl Strategy<Value = Value> {
    let tree = scalar().prop_map(Value::Scalar).prop_recursive(6, 120, 12, |inner| {
        prop_oneof![
            2 => vec(inner.clone(), 0..12).prop_map(Value::Array),
            3 => vec((key(), inner), 0..12).prop_map(Value::Object),
        ]
    });
    prop_oneof![
        8 => tree,
        1 => (1..200usize, any::<bool>(), scalar()).prop_map(|(depth, object, leaf)| {
            (0..depth).fold(Value::Scalar(leaf), |inner, _| if object { Value::Object(vec![("\"a\"".to_owned(), inner)]) } else { Value::Array(vec![inner]) })
        }),
        1 => vec((key(), scalar().prop_map(Value::Scalar)), 0..400).prop_map(Value::Object),
        1 => vec(scalar().prop_map(Value::Scalar), 0..300).prop_map(Value::Array),
        1 => vec(-500..500i32, 0..900).prop_map(|numbers| Value::Array(numbers.iter().map(|n| Value::Scalar(n.to_string())).collect())),
        1 => vec(vec(0..90u8, 3), 0..80).prop_map(|rows| {
            let row = |r: &Vec<u8>| Value::Array(r.iter().map(|n| Value::Scalar(format!("{n}.5"))).collect());
            Value::Object(vec![("\"type\"".to_owned(), Value::Scalar("\"Polygon\"".to_owned())), ("\"coordinates\"".to_owned(), Value::Array(vec![Value::Array(rows.iter().map(row).collect())]))])
        }),
    ]
}

/// A JSON text: a value in some white space, perhaps after a byte-order mark; or records in a shape.
pub fn json() -> impl Strategy<Value = String> {
    let any_value = (
        value(),
        prop::sample::select(vec![Space::None, Space::Pretty, Space::Odd]),
        prop::sample::select(vec!["", "", "", "\u{feff}", " ", "\u{feff}\n"]),
    )
        .prop_map(|(value, space, before)| format!("{before}{}", value.render(space)));
    prop_oneof![3 => any_value, 2 => record_list().prop_map(|list| list.render())]
}

/// Records of one kind.
#[derive(Debug, Clone)]
pub struct Records {
    pub shape: Shape,
    pub fields: Vec<Field>,
    pub count: usize,
    pub seed: u64,
}

impl Records {
    pub fn render(&self) -> String {
        records(self.shape, &self.fields, self.count, self.seed)
    }
}

pub fn record_list() -> impl Strategy<Value = Records> {
    (prop::sample::select(SHAPES.to_vec()), prop::sample::subsequence(FIELDS.to_vec(), 1..=FIELDS.len()), 0..160usize, any::<u64>())
        .prop_map(|(shape, fields, count, seed)| Records { shape, fields, count, seed })
}

/// A text of some kind, or of none.
pub fn any_text() -> impl Strategy<Value = String> {
    let made = (prop::sample::select(TEXTS.to_vec()), 0..12_000usize, any::<u64>())
        .prop_map(|(kind, bytes, seed): (Text, usize, u64)| kind.make(bytes, seed));
    let broken = (prop::sample::select(TEXTS.to_vec()), 0..6_000usize, any::<u64>()).prop_map(|(kind, bytes, seed): (Text, usize, u64)| {
        let text = kind.make(bytes, seed);
        let mut rng = Rng(seed);
        let at = |rng: &mut Rng| text.floor_char_boundary(rng.below(text.len() + 1));
        let (a, b) = (at(&mut rng), at(&mut rng));
        format!(
            "{}{}{}",
            &text[a..],
            rng.pick(&["\r\n", "\r", "\0", "\u{feff}", "…[", "\n… 3 lines omitted\n", "\u{1b}[", "```", "<", "{\"a\":"]),
            &text[..b]
        )
    });
    let piece = prop::sample::select(vec![
        "a",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\u{1b}[31m",
        "…",
        "…[+3 chars]",
        "| a | b |\n",
        "# h\n",
        "<p>",
        "</p>",
        "<![CDATA[",
        "&amp;",
        "- x: 1\n",
        "key: |\n  ",
        "{",
        "}",
        "\"",
        "\\",
        "@@ -1 +1 @@\n",
        "diff --git a/x b/x\n",
        "--- a/x\n",
        "+++ b/x\n",
        "  at f (x.js:1:2)\n",
        "ERROR ",
        "2026-01-01T00:00:00Z ",
        "👨‍👩‍👧‍👦",
        "e\u{301}",
        "\u{200d}",
        "\u{301}",
        "🇩🇪",
        "x,y,z\n",
        "├── ",
        "fn f() {\n",
        "\0",
        "0",
        "\u{7f}",
        "\u{2028}",
        "[ref=e1]",
        "<!--",
        "-->",
        "'",
        "`",
        "%",
        "\n\n",
        ":",
        "=",
        "word ",
    ]);
    let soup = vec((piece, 1..30usize), 0..60).prop_map(|pieces| pieces.iter().map(|(p, n)| p.repeat(*n)).collect());
    prop_oneof![4 => made, 2 => broken, 3 => soup, 1 => "[ -~]{0,600}", 1 => "(\\PC|\\s){0,400}", 1 => json_in_prose()]
}

fn json_in_prose() -> impl Strategy<Value = String> {
    (json(), any::<u8>()).prop_map(|(json, how)| match how % 4 {
        0 => format!("Here are the results:\n{json}"),
        1 => json[..json.floor_char_boundary(json.len() * 2 / 3)].to_owned(),
        2 => format!("{json}\n{json}"),
        _ => format!("{json} trailing"),
    })
}

pub fn input() -> impl Strategy<Value = String> {
    prop_oneof![json(), any_text()]
}

/// One limit or several, small ones more often.
pub fn budget() -> impl Strategy<Value = Budget> {
    let size = || prop_oneof![1..60usize, 60..800usize, 800..9000usize];
    prop_oneof![
        5 => size().prop_map(Budget::chars),
        2 => size().prop_map(|n| Budget { bytes: Some(n), ..Budget::default() }),
        1 => (1..120usize).prop_map(|n| Budget { lines: Some(n), ..Budget::default() }),
        1 => size().prop_map(|n| Budget::tokens(n, Encoding::ESTIMATE)),
        2 => (prop::option::of(size()), prop::option::of(size()), prop::option::of(1..120usize), prop::option::of(size()))
            .prop_filter("a limit", |(c, b, l, t)| c.is_some() || b.is_some() || l.is_some() || t.is_some())
            .prop_map(|(chars, bytes, lines, tokens)| Budget { chars, bytes, lines, tokens, encoding: Encoding::ESTIMATE }),
    ]
}

/// The notice that hosts ask for.
pub fn recovery_notice() -> Notice {
    Notice {
        recovery: Some(Recovery {
            tool: "compressor_recover_response".into(),
            response_id: "0f8fad5b-d9cb-869f-a165-70867728950e".into(),
            ..Recovery::default()
        }),
        form: NoticeForm::Inline,
    }
}

pub fn notice() -> impl Strategy<Value = Option<Notice>> {
    let recovery = prop::option::of(Just(recovery_notice().recovery)).prop_map(Option::flatten);
    prop::option::of(
        (recovery, any::<bool>())
            .prop_map(|(recovery, inline)| Notice { recovery, form: if inline { NoticeForm::Inline } else { NoticeForm::Envelope } }),
    )
}

pub fn options() -> impl Strategy<Value = Options> {
    let pattern =
        prop::sample::select(vec!["id", "/items/*/id", "/**/error", "body", "/a/**", "/0", "total", "*", "/", "/**", "state", "/a~1b"]);
    let words = prop::sample::select(vec![
        "",
        "",
        "{\"jql\":\"state = FAILED\",\"fields\":[\"id\"]}",
        "{\"path\":\"src/river.rs\",\"line\":40}",
        "not json {",
        "[]",
        "\"ember\"",
        "null",
    ]);
    (
        budget(),
        notice(),
        (prop::sample::select(vec![0, 0, 0, 1, 2, 4]), any::<bool>(), prop::sample::select(vec![0usize, 0, 0, 20, 250])),
        vec(pattern.clone(), 0..3),
        vec(pattern, 0..3),
        words,
        prop::sample::select(vec!["", "", "falcon ocean", "ERROR", "\0", "…"]),
    )
        .prop_map(|(budget, notice, (indent, lines, notice_chars), protect, drop, arguments, relevance)| Options {
            budget,
            notice,
            indent,
            layout: if lines { Layout::Lines } else { Layout::Compact },
            notice_chars,
            protect: protect.into_iter().map(str::to_owned).collect(),
            drop: drop.into_iter().map(str::to_owned).collect(),
            arguments: arguments.to_owned(),
            relevance: relevance.to_owned(),
            tool_name: "search_issues".to_owned(),
            ..Options::default()
        })
}
