//! What kind of content a text is: cheap tests on a bounded sample, the surest first.

use crate::text::{code, diff, entries, files, grep, html, log, markdown, prom, snapshot, table, trace, tree, xml, yaml};

/// Bytes and lines that are looked at.
const SAMPLE_BYTES: usize = 16 * 1024;
const SAMPLE_LINES: usize = 200;

/// The kinds that are fitted each in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Json,
    Ndjson,
    Files,
    Html,
    Xml,
    Diff,
    Snapshot,
    Prometheus,
    Table,
    Entries,
    Tree,
    Grep,
    Trace,
    Log,
    Yaml,
    Code,
    Markdown,
    Text,
}

/// The beginning of a text, as the tests see it.
pub(crate) struct Sample<'s> {
    /// The whole text.
    pub(crate) text: &'s str,
    /// Its first bytes, cut at a line break where there is one.
    pub(crate) head: &'s str,
    /// The lines of the head that are not blank, without ANSI colours being removed.
    pub(crate) lines: Vec<&'s str>,
}

impl<'s> Sample<'s> {
    pub(crate) fn new(text: &'s str) -> Self {
        let mut head = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
        if head.len() < text.len() {
            // A break near the beginning would leave next to nothing to look at.
            head = &head[..head.rfind('\n').filter(|&at| at > SAMPLE_BYTES / 2).unwrap_or(head.len())];
        }
        let lines = head.lines().filter(|l| !l.trim().is_empty()).take(SAMPLE_LINES).collect();
        Self { text, head, lines }
    }

    /// The share of the sample's lines for which `test` holds.
    pub(crate) fn share(&self, test: impl Fn(&str) -> bool) -> f32 {
        self.lines.iter().filter(|l| test(l)).count() as f32 / self.lines.len().max(1) as f32
    }
}

impl Kind {
    /// Whether a text of this kind may be JSON: a container, or one scalar.
    pub(crate) fn may_be_json(self, text: &str) -> bool {
        self == Self::Json
            || text.trim_start_matches('\u{feff}').trim_start().starts_with(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    }

    /// The name that reports give.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Files => "files",
            Self::Html => "html",
            Self::Xml => "xml",
            Self::Diff => "diff",
            Self::Snapshot => "snapshot",
            Self::Prometheus => "prometheus",
            Self::Table => "table",
            Self::Entries => "entries",
            Self::Tree => "tree",
            Self::Grep => "grep",
            Self::Trace => "trace",
            Self::Log => "log",
            Self::Yaml => "yaml",
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Text => "text",
        }
    }
}

/// The kind of `text`. That it looks like JSON is no promise that it scans.
pub(crate) fn detect(text: &str) -> Kind {
    let sample = Sample::new(text);
    if begins_as_json(text.trim_start_matches('\u{feff}').trim_start()) {
        return Kind::Json;
    }
    detect_text(&sample)
}

/// Whether a text begins as a JSON container does: `[![CI](…)`, `[INFO] …`, `[2026-05-01 …` and `{{ name }}` do not.
fn begins_as_json(start: &str) -> bool {
    let inside = start.get(1..).unwrap_or_default().trim_start();
    let first = inside.bytes().next();
    match start.as_bytes().first() {
        Some(b'{') => matches!(first, None | Some(b'"' | b'}')),
        Some(b'[') => match first {
            None | Some(b'"' | b'{' | b'[' | b']') => true,
            Some(b'-' | b'0'..=b'9') => {
                let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.')).unwrap_or(inside.len());
                let number = inside[..end].strip_prefix('-').unwrap_or(&inside[..end]);
                let dashed = number.match_indices('-').any(|(at, _)| !number[..at].ends_with(['e', 'E']));
                !dashed && inside[end..].trim_start().chars().next().is_none_or(|c| matches!(c, ',' | ']'))
            }
            _ => ["true", "false", "null"].iter().any(|word| inside.starts_with(word)),
        },
        _ => false,
    }
}

/// The kind of a text that is no JSON.
pub(crate) fn detect_text(sample: &Sample<'_>) -> Kind {
    type Test = fn(&Sample<'_>) -> bool;
    const TESTS: [(Test, Kind); 16] = [
        (files::looks, Kind::Files),
        (html::looks, Kind::Html),
        (xml::looks, Kind::Xml),
        (diff::looks, Kind::Diff),
        (snapshot::looks, Kind::Snapshot),
        (prom::looks, Kind::Prometheus),
        // Time stamps and escape sequences come before what columns and colons look like.
        (log::surely, Kind::Log),
        (entries::looks, Kind::Entries),
        (tree::looks, Kind::Tree),
        (grep::looks, Kind::Grep),
        (table::looks, Kind::Table),
        (trace::looks, Kind::Trace),
        (code::looks, Kind::Code),
        (markdown::looks, Kind::Markdown),
        (yaml::looks, Kind::Yaml),
        (log::looks, Kind::Log),
    ];
    TESTS.iter().find(|(looks, _)| looks(sample)).map_or(Kind::Text, |t| t.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_found_behind_white_space() {
        for before in ["\u{feff}\n".to_owned(), "\n".to_owned(), " ".repeat(SAMPLE_BYTES + 1)] {
            let text = format!("{before}[\"{}\"]", "a ".repeat(SAMPLE_BYTES));
            assert_eq!(detect(&text), Kind::Json, "{before:?}");
        }
    }

    #[test]
    fn only_what_may_be_json_is_tried_as_json() {
        for (text, is) in [
            ("{\"a\":1}", true),
            ("[ [1, 2]", true),
            ("[-1.5e-3, 2]", true),
            ("[]", true),
            ("[null]", true),
            ("[![CI](https://example.com/ci.svg)](https://example.com)", false),
            ("[2026-05-01 10:00:00] INFO started", false),
            ("[12] done", true),
            ("[INFO] started", false),
            ("{{ name }}", false),
        ] {
            assert_eq!(begins_as_json(text), is, "{text}");
        }
    }
}
