//! What a search finds: a literal, or a regular expression that runs in linear time (`/pattern/flags`).
//!
//! The text is gone through once as it stands; only where something shows up is the line, or the decoded value, looked at by itself.

use std::collections::HashSet;

use memchr::memmem::Finder;
use regex_automata::util::syntax;
use regex_syntax::ParserBuilder;
use snugfit_engine::json::{Index, Node, Type};

use super::jsonpath::text_of;
use super::lines::Lines;
use super::pattern::Pattern;
use crate::error::Error;

/// A compiled pattern may take so many bytes.
const MAX_PATTERN: usize = 4 << 20;
/// What a search that was given up says.
const TOO_COSTLY: &str = r"would take too long in a text of this size: use smaller repetitions than {0,500}, and (?-u:\b) in place of \b";

/// What is looked for.
pub(super) enum Needle {
    Literal(Box<Finder<'static>>),
    Regex {
        regex: Pattern,
        /// It asks where a value begins or ends, which the text around a value hides.
        anchored: bool,
    },
}

impl Needle {
    /// Reads `/pattern/flags` (flags of `imsx`) for texts of `text` bytes together, or takes the text as it is.
    pub(super) fn parse(pattern: &str, text: usize) -> Result<Self, Error> {
        if pattern.is_empty() {
            return Err(invalid(1, "must not be empty".to_owned()));
        }
        match parts(pattern) {
            Some((pattern, flags)) => Self::regex(pattern, flags, text),
            None => Ok(Self::Literal(Box::new(Finder::new(pattern).into_owned()))),
        }
    }

    fn regex(pattern: &str, flags: &str, text: usize) -> Result<Self, Error> {
        let flag = |flag: char| flags.contains(flag);
        let mut parser = ParserBuilder::new();
        let (i, s, x) = (flag('i'), flag('s'), flag('x'));
        parser.case_insensitive(i).dot_matches_new_line(s).ignore_whitespace(x).multi_line(true).crlf(true);
        let parsed = parser.build().parse(pattern).map_err(|error| match &error {
            regex_syntax::Error::Parse(error) => invalid(error.span().start.column + 1, error.kind().to_string()),
            regex_syntax::Error::Translate(error) => invalid(error.span().start.column + 1, error.kind().to_string()),
            other => invalid(1, other.to_string()),
        })?;
        let anchored = parsed.properties().look_set().contains_anchor();
        let syntax = syntax::Config::new().case_insensitive(i).dot_matches_new_line(s).ignore_whitespace(x).multi_line(true).crlf(true);
        let regex = Pattern::compile(pattern, syntax, MAX_PATTERN, text)
            .ok_or_else(|| invalid(1, format!("compiles to more than {MAX_PATTERN} bytes")))?;
        Ok(Self::Regex { regex, anchored })
    }

    /// Where the first match stands, in bytes.
    pub(super) fn find(&self, text: &str) -> Option<(usize, usize)> {
        match self {
            Self::Literal(finder) => finder.find(text.as_bytes()).map(|at| (at, at + finder.needle().len())),
            Self::Regex { regex, .. } => regex.find(text),
        }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Literal(finder) => finder.find(text.as_bytes()).is_some(),
            Self::Regex { regex, .. } => regex.is_match(text),
        }
    }

    /// A byte of the first place from `from` on where something may match. Whatever lies before it matches nothing by itself.
    fn candidate(&self, text: &str, from: usize) -> Option<usize> {
        match self {
            Self::Literal(finder) => finder.find(&text.as_bytes()[from..]).map(|at| from + at),
            Self::Regex { regex, .. } => regex.first_end(text, from).map(|end| end.saturating_sub(1).max(from)),
        }
    }

    /// Fails where a search ended before it was done.
    pub(super) fn finished(&self) -> Result<(), Error> {
        match self {
            Self::Regex { regex, .. } if regex.gave_up() => Err(invalid(1, TOO_COSTLY.to_owned())),
            _ => Ok(()),
        }
    }
}

/// Pattern and flags of `/pattern/flags`; `None` where it is a literal.
fn parts(text: &str) -> Option<(&str, &str)> {
    let (pattern, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    let unescaped = || {
        let mut escaped = false;
        pattern.bytes().any(|b| {
            let slash = b == b'/' && !escaped;
            escaped = b == b'\\' && !escaped;
            slash
        })
    };
    (!pattern.is_empty() && flags.bytes().all(|b| b"imsx".contains(&b)) && !unescaped()).then_some((pattern, flags))
}

fn invalid(position: usize, message: String) -> Error {
    Error::InvalidSelector { selector: "search", position, message }
}

/// The lines that match, from 0, in order.
pub(super) fn lines(needle: &Needle, lines: &Lines<'_>) -> Vec<usize> {
    let mut found = vec![];
    let mut from = 0;
    while let Some(at) = needle.candidate(lines.text, from) {
        let line = lines.at(at);
        // A literal may go over several lines; a regular expression is about one.
        if matches!(needle, Needle::Literal(_)) || needle.matches(lines.line(line)) {
            found.push(line);
        }
        from = lines.start(line + 1);
        if from >= lines.text.len() {
            break;
        }
    }
    found
}

/// The values that match, or whose key does, in the order of the text.
pub(super) fn values(needle: &Needle, index: &Index<'_>) -> Vec<u32> {
    let mut found = match needle {
        Needle::Regex { anchored: true, .. } => {
            (0..index.nodes.len() as u32).filter(|&node| is_scalar(index, node) && matches_value(needle, index, node)).collect()
        }
        _ => {
            let mut found = raw_values(needle, index);
            found.extend(escaped_values(needle, index));
            found
        }
    };
    let keys: HashSet<u32> = (0..index.keys.len() as u32).filter(|&key| needle.matches(&text_of(index.name(key)))).collect();
    if !keys.is_empty() {
        found.extend((0..index.nodes.len() as u32).filter(|&node| keys.contains(&index.nodes[node as usize].key)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Values that match as they are written.
fn raw_values(needle: &Needle, index: &Index<'_>) -> Vec<u32> {
    scalars(index, |from| needle.candidate(index.text, from), |node| matches_value(needle, index, node))
}

/// Values with escapes that match by what they mean.
fn escaped_values(needle: &Needle, index: &Index<'_>) -> Vec<u32> {
    let backslash = |from: usize| memchr::memchr(b'\\', &index.text.as_bytes()[from..]).map(|at| from + at);
    scalars(index, backslash, |node| matches_value(needle, index, node))
}

/// The scalars that hold a byte which `next` gives, and that `accept` takes.
fn scalars(index: &Index<'_>, next: impl Fn(usize) -> Option<usize>, accept: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut found = vec![];
    let (mut from, mut first) = (0, 0);
    while let Some(at) = next(from) {
        // The last value that begins at or before the byte.
        first += beginning_by(&index.nodes[first..], at);
        let Some(node) = first.checked_sub(1) else {
            let Some(node) = index.nodes.first().filter(|node| node.start as usize > at) else { break };
            from = node.start as usize;
            continue;
        };
        let value = index.nodes[node];
        if is_scalar(index, node as u32) && at < value.end as usize {
            if accept(node as u32) {
                found.push(node as u32);
            }
            from = value.end as usize;
        } else {
            // A key or what stands between values: on to the next value.
            let Some(next) = index.nodes.get(first) else { break };
            from = next.start as usize;
        }
        first = node;
    }
    found
}

/// How many of the nodes begin at or before a byte; the next match is seldom far, so not all of them are looked at.
fn beginning_by(nodes: &[Node], at: usize) -> usize {
    let begins = |node: &Node| node.start as usize <= at;
    let mut reach = 1;
    while nodes.get(reach).is_some_and(begins) {
        reach *= 2;
    }
    let sure = if reach == 1 { 0 } else { reach / 2 };
    sure + nodes[sure..reach.min(nodes.len())].partition_point(begins)
}

fn is_scalar(index: &Index<'_>, node: u32) -> bool {
    !matches!(index.kind(node), Type::Object | Type::Array)
}

fn matches_value(needle: &Needle, index: &Index<'_>, node: u32) -> bool {
    needle.matches(&scalar_text(index, node))
}

/// The text of a string, the lexeme of any other scalar.
pub(super) fn scalar_text<'a>(index: &Index<'a>, node: u32) -> std::borrow::Cow<'a, str> {
    let lexeme = index.lexeme(node);
    if index.kind(node) == Type::String { text_of(&lexeme[1..lexeme.len() - 1]) } else { lexeme.into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use snugfit_engine::json::scan;

    use super::*;

    #[test]
    fn a_pattern_is_a_regex_only_in_slashes_with_known_flags() {
        for (pattern, expected) in [
            ("/a+/", Some(("a+", ""))),
            ("/a/im", Some(("a", "im"))),
            ("/a\\/b/", Some(("a\\/b", ""))),
            ("/usr/lib/", None),
            ("/a/g", None),
            ("//", None),
            ("/", None),
            ("/tmp", None),
            ("a/b/", None),
        ] {
            assert_eq!(parts(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn lines_match_each_by_itself() {
        let text = "one error\r\ntwo\nERROR three\n\nfour\\ error\nlast";
        let lines_of = Lines::new(text);
        for (pattern, expected) in [
            ("error", vec![0, 4]),
            ("/error/i", vec![0, 2, 4]),
            ("/^ERROR/", vec![2]),
            ("/^$/", vec![3]),
            ("/o$/", vec![1]),
            ("/two\\s+ERROR/", vec![]),
            ("two\nERROR", vec![1]),
            ("/[^x]+/s", vec![0, 1, 2, 4, 5]),
            ("/\\berror\\b/", vec![0, 4]),
        ] {
            assert_eq!(lines(&Needle::parse(pattern, text.len()).expect(pattern), &lines_of), expected, "{pattern}");
        }
    }

    #[test]
    fn values_match_by_what_they_mean() {
        let text = r#"{"name":"caf\u00e9 \"x\"","n":120.50,"ok":true,"a/b":[{"name":"x,y:z"},"line\nbreak"],"\u0074itle":null}"#;
        let index = scan(text).expect("JSON");
        for (pattern, expected) in [
            ("café", vec![r#""caf\u00e9 \"x\"""#]),
            ("\"x\"", vec![r#""caf\u00e9 \"x\"""#]),
            ("120.5", vec!["120.50"]),
            ("title", vec!["null"]),
            (",", vec!["\"x,y:z\""]),
            ("/^x/", vec!["\"x,y:z\""]),
            ("/^break/", vec!["\"line\\nbreak\""]),
            ("/\\bx\\b/", vec![r#""caf\u00e9 \"x\"""#, "\"x,y:z\""]),
            ("/e.*y/", vec![]),
            ("/[0-9]+\\.5/", vec!["120.50"]),
            ("a/b", vec!["[{\"name\":\"x,y:z\"},\"line\\nbreak\"]"]),
        ] {
            let found: Vec<_> =
                values(&Needle::parse(pattern, text.len()).expect(pattern), &index).iter().map(|&n| index.lexeme(n)).collect();
            assert_eq!(found, expected, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_does_not_parse_says_where() {
        for (pattern, position) in [("/a(b/", 3), ("/[z-a]/", 3), ("/(?=a)/", 2)] {
            let Err(Error::InvalidSelector { selector: "search", position: at, .. }) = Needle::parse(pattern, 1) else {
                panic!("{pattern}")
            };
            assert_eq!(at, position, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn going_through_the_text_once_finds_what_looking_at_each_value_does(
            values_in in proptest::collection::vec("[ab,:\\[\\]{}\"\\\\\n]{0,6}", 0..20),
            pattern in prop_oneof!["[ab,:\"]{1,2}", Just("/a+b/".to_owned()), Just("/[^a]b/".to_owned()), Just("/b*a|,/".to_owned())],
        ) {
            let text = serde_json::to_string(&values_in.iter().map(|v| serde_json::json!({"k": v, "a": 1})).collect::<Vec<_>>()).expect("JSON");
            let index = scan(&text).expect("JSON");
            let needle = Needle::parse(&pattern, text.len()).expect("a pattern");
            let a_matches = needle.matches("a");
            let expected: Vec<u32> = (0..index.nodes.len() as u32)
                .filter(|&n| is_scalar(&index, n) && matches_value(&needle, &index, n)
                    || a_matches && index.name(index.nodes[n as usize].key) == "a")
                .collect();
            prop_assert_eq!(values(&needle, &index), expected);
        }
    }
}
