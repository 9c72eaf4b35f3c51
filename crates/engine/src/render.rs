//! The cheapest rendering that keeps everything: indented where that fits, compact where it does not, and the longest prefix of one text
//! field where neither does. Values are JSON texts; numbers, key order, duplicate keys and escapes come out as they went in.

use unicode_segmentation::UnicodeSegmentation;

use crate::budget::{Budget, Unit, count_chars, measure};
use crate::json::{Index, Type, compact, scan, unescape};
use crate::meter::{escape_into, escape_of};
use crate::most::most;

/// Spaces of a level.
const INDENT: usize = 2;
/// Levels further in stand no further in: the size of an indented text would grow with the square of its depth.
const MAX_LEVELS: usize = 256;
/// What is kept free for the envelope around a merged collection, at most.
const RESERVE: usize = 4096;

/// A rendering, and whether it is within the budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// It is within the budget.
    pub fits: bool,
    /// How it is laid out.
    pub form: Form,
}

/// How JSON is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Two spaces a level.
    Indented,
    /// No white space.
    Compact,
}

/// A JSON text indented by two spaces a level; `None` where it is not JSON.
///
/// ```
/// assert_eq!(snugfit_engine::render(r#"{"a":[1.0,{}]}"#).as_deref(), Some("{\n  \"a\": [\n    1.0,\n    {}\n  ]\n}"));
/// ```
#[must_use]
pub fn render(json: &str) -> Option<String> {
    scan(json).map(|index| indented(&index, INDENT))
}

/// A JSON text indented by so many spaces a level, compact for none; as it is where it is not JSON.
pub(crate) fn laid_out(json: &str, indent: usize) -> String {
    match scan(json) {
        Some(index) if indent > 0 => indented(&index, indent),
        Some(_) => compact(json),
        None => json.to_owned(),
    }
}

/// The indented form if it is within the budget, else the compact one. Nothing is cut. A budget without limits fits everything. `None`
/// where it is not JSON.
#[must_use]
pub fn render_within(json: &str, budget: &Budget) -> Option<Rendered> {
    let index = scan(json)?;
    if indented_fits(&index, budget) {
        return Some(Rendered { text: indented(&index, INDENT), fits: true, form: Form::Indented });
    }
    let text = compact(json.trim_start_matches('\u{feff}'));
    Some(Rendered { fits: budget.holds(&text), text, form: Form::Compact })
}

/// Whether neither form is within the budget. `None` where it is not JSON.
#[must_use]
pub fn needs_cut(json: &str, budget: &Budget) -> Option<bool> {
    let index = scan(json)?;
    Some(!indented_fits(&index, budget) && !budget.holds(&compact(json.trim_start_matches('\u{feff}'))))
}

/// Renders an envelope whose `body` may be shortened: `envelope` gives its JSON text with a body. Where even the compact form is over the
/// budget, the body is the longest prefix with which it is not, cut between grapheme clusters; an envelope that alone is over the budget
/// gets an empty body.
///
/// ```
/// use snugfit_engine::{Budget, fit_body};
/// let fitted = fit_body("a \"quoted\" text", &Budget::chars(30), |body| format!("{{\"status\":200,\"body\":{body:?}}}")).unwrap();
/// assert_eq!(fitted.text, r#"{"status":200,"body":"a \"qu"}"#);
/// ```
#[must_use]
pub fn fit_body(body: &str, budget: &Budget, mut envelope: impl FnMut(&str) -> String) -> Option<Rendered> {
    let whole = render_within(&envelope(body), budget)?;
    if whole.fits {
        return Some(whole);
    }
    let empty = compact(&envelope(""));
    let mut kept = body_prefix(body, budget, &empty);
    loop {
        let text = compact(&envelope(&body[..kept]));
        let fits = budget.holds(&text);
        if fits || kept == 0 {
            return Some(Rendered { text, fits, form: Form::Compact });
        }
        // Tokens depend on what stands around them; and an envelope may say more of a longer body.
        kept = body[..kept].grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
    }
}

/// How many bytes of `body` fit into a JSON text beside `around`, which holds an empty string in the body's place.
#[must_use]
pub fn body_prefix(body: &str, budget: &Budget, around: &str) -> usize {
    let limits: Vec<(Unit, usize)> = budget.limits().map(|(unit, limit)| (unit, limit.saturating_sub(measure(around, unit)))).collect();
    let mut sizes = vec![0; limits.len()];
    let mut end = 0;
    for (at, cluster) in body.grapheme_indices(true) {
        for ((unit, _), size) in limits.iter().zip(&mut sizes) {
            *size += match unit {
                // Line feeds are written as escapes.
                Unit::Lines => 0,
                Unit::Chars => escaped_len(cluster, count_chars(cluster.as_bytes())),
                _ => escaped_len(cluster, cluster.len()),
            };
        }
        let over = |((unit, limit), size): (&(Unit, usize), &usize)| matches!(unit, Unit::Chars | Unit::Bytes) && size > limit;
        if limits.iter().zip(&sizes).any(over) {
            break;
        }
        end = at + cluster.len();
    }
    if limits.iter().all(|(unit, _)| matches!(unit, Unit::Chars | Unit::Bytes | Unit::Lines)) {
        return end;
    }
    let ends: Vec<usize> = body[..end].grapheme_indices(true).map(|(at, cluster)| at + cluster.len()).collect();
    let written = |n: usize| {
        let mut text = around.to_owned();
        escape_into(&mut text, &body[..ends[n - 1]]);
        text
    };
    match most(ends.len(), |n| if n == 0 { 0.0 } else { budget.fill(&written(n)) }) {
        0 => 0,
        n => ends[n - 1],
    }
}

/// The size of a text inside a JSON string: `plain` and what escapes add.
fn escaped_len(text: &str, plain: usize) -> usize {
    plain + text.bytes().map(|byte| escape_of(byte).len().saturating_sub(1)).sum::<usize>()
}

/// A response's body as the text that a cut body carries: a string is itself, any other value its compact JSON. What has no text (`null`,
/// or what is not JSON) is empty.
///
/// ```
/// use snugfit_engine::body_text;
/// assert_eq!(body_text(r#""a\nb""#), "a\nb");
/// assert_eq!(body_text(r#"{ "a": 1 }"#), r#"{"a":1}"#);
/// assert_eq!(body_text("null"), "");
/// ```
#[must_use]
pub fn body_text(json: &str) -> String {
    let Some(index) = scan(json) else { return String::new() };
    let lexeme = index.lexeme(0);
    match index.kind(0) {
        Type::Null => String::new(),
        Type::String => unescape(&lexeme[1..lexeme.len() - 1]),
        _ => compact(lexeme),
    }
}

/// The characters that a list of these items has when it is rendered (indented); `usize::MAX` where one of them is not JSON, so that a
/// merge refuses it.
///
/// ```
/// use snugfit_engine::{items_size, render};
/// assert_eq!(items_size(&[r#"{"a":1}"#, "2"]), render(r#"[{"a":1},2]"#).unwrap().len());
/// assert_eq!(items_size(&["{"]), usize::MAX);
/// ```
#[must_use]
pub fn items_size(items: &[&str]) -> usize {
    let mut total = if items.is_empty() { 2 } else { 3 };
    for (at, item) in items.iter().enumerate() {
        let Some(index) = scan(item) else { return usize::MAX };
        let size = Sizes::new(&index, 1);
        // A line break, two spaces, a comma before all but the first.
        total += size.chars + 1 + INDENT + usize::from(at > 0);
    }
    total
}

/// What is kept free of a limit for the envelope around a merged collection: 4,096, at most a quarter of the limit.
#[must_use]
pub fn reserve(limit: usize) -> usize {
    RESERVE.min(limit / 4)
}

/// How large the indented form of a value is.
struct Sizes {
    chars: usize,
    bytes: usize,
    lines: usize,
}

impl Sizes {
    /// `level`: how far in the value stands.
    fn new(index: &Index<'_>, level: usize) -> Self {
        let (mut added, mut feeds) = (0, 0);
        walk(index, |step| match step {
            Step::Line { level: inner, .. } => {
                added += 1 + INDENT * (level + inner).min(MAX_LEVELS);
                feeds += 1;
            }
            Step::Colon => added += 1,
            Step::Text(_) => {}
        });
        let lexeme = index.lexeme(0);
        let blanks = index.blanks - (index.text.trim_start_matches('\u{feff}').len() - lexeme.len());
        Self { chars: count_chars(lexeme.as_bytes()) - blanks + added, bytes: lexeme.len() - blanks + added, lines: feeds + 1 }
    }
}

fn indented_fits(index: &Index<'_>, budget: &Budget) -> bool {
    if budget.limits().next().is_none() {
        return true;
    }
    let size = Sizes::new(index, 0);
    let plain = budget.limits().all(|(unit, limit)| match unit {
        Unit::Chars => size.chars <= limit,
        Unit::Bytes => size.bytes <= limit,
        Unit::Lines => size.lines <= limit,
        // A token is never so long; only then the text is written to be counted.
        _ => size.bytes / 64 <= limit,
    });
    plain
        && (budget.limits().all(|(unit, _)| matches!(unit, Unit::Chars | Unit::Bytes | Unit::Lines))
            || budget.holds(&indented(index, INDENT)))
}

/// A piece of an indented text.
enum Step<'a> {
    /// Key, scalar, bracket or comma.
    Text(&'a str),
    /// After a key.
    Colon,
    /// A line break, and how far in the next line stands.
    Line { level: usize },
}

/// Goes through a value as it is written indented.
fn walk<'a>(index: &Index<'a>, mut write: impl FnMut(Step<'a>)) {
    // Open containers: where each ends, and what closes it.
    let mut open: Vec<(u32, &str)> = vec![];
    for node in 0..index.nodes.len() as u32 {
        close(&mut open, node, &mut write);
        let first = node > 0 && index.nodes[node as usize - 1].next != node;
        if let Some((_, _)) = open.last() {
            if !first {
                write(Step::Text(","));
            }
            write(Step::Line { level: open.len() });
        }
        let key = index.key(index.nodes[node as usize].key);
        if !key.is_empty() {
            write(Step::Text(key));
            write(Step::Text(":"));
            write(Step::Colon);
        }
        match index.kind(node) {
            Type::Object if index.is_empty(node) => write(Step::Text("{}")),
            Type::Array if index.is_empty(node) => write(Step::Text("[]")),
            kind @ (Type::Object | Type::Array) => {
                let (begin, end) = if kind == Type::Object { ("{", "}") } else { ("[", "]") };
                write(Step::Text(begin));
                open.push((index.nodes[node as usize].next, end));
            }
            _ => write(Step::Text(index.lexeme(node))),
        }
    }
    close(&mut open, index.nodes.len() as u32, &mut write);
}

/// Closes the containers that end before `node`.
fn close<'a>(open: &mut Vec<(u32, &'a str)>, node: u32, write: &mut impl FnMut(Step<'a>)) {
    while let Some((_, bracket)) = open.pop_if(|(end, _)| *end <= node) {
        write(Step::Line { level: open.len() });
        write(Step::Text(bracket));
    }
}

fn indented(index: &Index<'_>, indent: usize) -> String {
    let mut out = String::with_capacity(index.text.len() * 2);
    walk(index, |step| match step {
        Step::Text(text) => out.push_str(text),
        Step::Colon => out.push(' '),
        Step::Line { level } => {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent * level.min(MAX_LEVELS)));
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(Value::Null), any::<i64>().prop_map(Value::from), "[a\"\\\\é\n👧]{0,6}".prop_map(Value::from)];
        leaf.prop_recursive(5, 60, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[a-z\"é]{0,4}", inner, 0..5).prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn raw_forms_survive_in_both_forms() {
        let json = r#"{"n":[1e400,12345678901234567890,1.0,-0.0],"a":"\u00e9\/","a":{}, "":[]}"#;
        let indented = render(json).expect("JSON");
        for form in [&indented, &compact(json)] {
            for raw in ["1e400", "12345678901234567890", "1.0", "-0.0", r#""\u00e9\/""#] {
                assert!(form.contains(raw), "{raw}: {form}");
            }
            assert_eq!(form.matches("\"a\"").count(), 2);
        }
        assert_eq!(compact(&indented), compact(json));
        assert_eq!(render("nonsense"), None);
    }

    #[test]
    fn the_cheapest_form_that_fits() {
        let json = r#"{"a":[1,2]}"#;
        for (chars, fits, form) in
            [(29, true, Form::Indented), (28, true, Form::Compact), (11, true, Form::Compact), (10, false, Form::Compact)]
        {
            let rendered = render_within(json, &Budget::chars(chars)).expect("JSON");
            assert_eq!((rendered.fits, rendered.form), (fits, form), "{chars}: {}", rendered.text);
            assert_eq!(needs_cut(json, &Budget::chars(chars)), Some(!fits));
        }
        assert_eq!(render_within(json, &Budget::default()).map(|r| r.form), Some(Form::Indented));
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
        assert_eq!(render_within(&deep, &Budget::chars(200_000)).map(|r| r.form), Some(Form::Compact));
        assert_eq!(compact(&render(&deep).expect("JSON")), deep);
    }

    #[test]
    fn a_body_that_does_not_fit_at_all_is_empty() {
        let fitted = fit_body("text", &Budget::chars(5), |body| format!("{{\"body\":\"{body}\"}}")).expect("JSON");
        assert_eq!(fitted, Rendered { text: "{\"body\":\"\"}".into(), fits: false, form: Form::Compact });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn is_what_serde_json_writes(value in any_json()) {
            prop_assert_eq!(render(&value.to_string()), serde_json::to_string_pretty(&value).ok());
        }

        #[test]
        fn sizes_are_exact(items in prop::collection::vec(any_json(), 0..5), less in 0usize..3) {
            let texts: Vec<String> = items.iter().map(ToString::to_string).collect();
            let json = Value::from(items).to_string();
            let size = render(&json).unwrap().chars().count();
            prop_assert_eq!(items_size(&texts.iter().map(String::as_str).collect::<Vec<_>>()), size);
            let form = render_within(&json, &Budget::chars((size - less).max(1))).unwrap().form;
            prop_assert_eq!(form == Form::Indented, less == 0);
        }

        #[test]
        fn the_body_kept_is_the_longest_that_fits(body in "[a\"\\\\\n\u{1}é👧\u{200d}\u{301}]{0,60}", limit in 1usize..120, bytes: bool) {
            let budget = if bytes { Budget { bytes: Some(limit), ..Budget::default() } } else { Budget::chars(limit) };
            let envelope = |body: &str| serde_json::json!({"status": 200, "body": body, "hint": "é"}).to_string();
            let fitted = fit_body(&body, &budget, envelope).unwrap();
            let kept = serde_json::from_str::<Value>(&fitted.text).unwrap()["body"].as_str().unwrap().to_owned();
            prop_assert!(body.starts_with(&kept));
            prop_assert_eq!(fitted.fits, budget.holds(&fitted.text));
            let boundaries: Vec<usize> = body.grapheme_indices(true).map(|(at, _)| at).chain([body.len()]).collect();
            let at = boundaries.iter().position(|&at| at == kept.len());
            prop_assert!(at.is_some(), "cut inside a cluster");
            if let Some(&next) = at.and_then(|at| boundaries.get(at + 1)) {
                prop_assert!(!budget.holds(&envelope(&body[..next])), "one more fits");
            }
        }
    }
}
