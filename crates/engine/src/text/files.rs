//! Several files in one text, each under its name: `head a b`, servers that read many files at once, repositories packed for a model. Each file is
//! fitted as what it is; they share the limit, the large ones giving way first.

use std::ops::Range;

use super::Ask;
use super::lines::split;
use crate::detect::{Kind, Sample, detect};
use crate::json::{self, scan::scan};
use crate::report::{Amount, Omitted, Place, Report};

/// Files in files are followed so many levels down.
const MAX_DEPTH: usize = 4;
/// A file that would get less than this is named only.
const LEAST: usize = 60;
/// No path is longer.
const MAX_PATH: usize = 300;

/// How the names of the files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `==> path <==`
    Arrows,
    /// `path:` at the beginning and after a line `---`; `path: what went wrong` for a file that could not be read.
    Rules,
    /// `FILE: path` between two lines of `=`.
    Boxed,
}

/// Whether a text is the path of a file: with a folder or an ending, without spaces at its ends.
fn is_path(text: &str) -> bool {
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let path = name.len() < text.len() || name.rfind('.').is_some_and(|dot| dot > 0 && dot + 1 < name.len());
    path && text.len() <= MAX_PATH && text.trim() == text && !text.contains("://") && !text.contains(['"', '<', '>', '|', '{', '(', ','])
}

impl Style {
    fn of(first: &str, text: &str) -> Option<Self> {
        if Self::Arrows.name(first, "").is_some() {
            return Some(Self::Arrows);
        }
        if Self::Rules.name(first, "---").is_some() && memchr::memmem::find(text.as_bytes(), b"\n---\n").is_some() {
            return Some(Self::Rules);
        }
        (first.len() > 8 && first.bytes().all(|b| b == b'=')).then_some(Self::Boxed)
    }

    /// The path that a line names as the next file's, after the line `above`.
    fn name<'l>(self, line: &'l str, above: &str) -> Option<&'l str> {
        let path = match self {
            Self::Arrows => line.strip_prefix("==> ")?.strip_suffix(" <==")?,
            Self::Rules => (above == "---").then(|| line.strip_suffix(':').or_else(|| line.split_once(": ").map(|l| l.0)))??,
            Self::Boxed => (above.len() > 8 && above.bytes().all(|b| b == b'=')).then(|| line.split_once(": "))??.1,
        };
        (is_path(path) && (self != Self::Rules || path.contains(['/', '\\']))).then_some(path)
    }
}

/// A file of the text: the lines that name it, and what is in it.
struct File {
    head: Range<usize>,
    body: Range<usize>,
}

/// The files of a text; none if it is not several.
fn files(text: &str) -> Vec<File> {
    let mut lines = split(text).map(|(start, end)| (start, &text[start..end])).peekable();
    let Some(style) = lines.peek().and_then(|first| Style::of(first.1, text)) else { return Vec::new() };
    let mut files: Vec<File> = Vec::new();
    let mut above = (0, if style == Style::Rules { "---" } else { "" });
    while let Some((start, line)) = lines.next() {
        if style.name(line, above.1).is_some() {
            // The rule above belongs to the name.
            let from = if style == Style::Arrows { start } else { above.0 };
            if let Some(last) = files.last_mut() {
                last.body.end = from.max(last.body.start);
            }
            if style == Style::Boxed && lines.peek().is_some_and(|l| l.1 == above.1) {
                lines.next();
            }
            let next = lines.peek().map_or(text.len(), |l| l.0);
            files.push(File { head: from..next, body: next..text.len() });
        }
        above = (start, line);
    }
    files
}

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    // The second name may stand far down, so that the whole text is looked at, but only where the first line is such a name.
    let first = sample.head.lines().next().unwrap_or_default();
    Style::of(first, sample.text).is_some() && files(sample.text).len() > 1
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let files = files(text);
    let cost = |range: &Range<usize>| ask.meter.cost(text[range.clone()].as_bytes());
    let heads: usize = files.iter().map(|f| cost(&f.head)).sum();
    // Where the names alone take most of the limit there is no room for what is in the files.
    if files.len() < 2 || heads * 2 > ask.limit || ask.depth >= MAX_DEPTH {
        return super::plain::fit(text, ask, report);
    }
    let mut order: Vec<(usize, usize)> = files.iter().enumerate().map(|(at, f)| (cost(&f.body), at)).collect();
    order.sort_unstable();
    let mut left = ask.limit - heads;
    let mut bodies: Vec<Option<String>> = vec![None; files.len()];
    let mut lines = 1;
    let starts: Vec<usize> = files
        .iter()
        .map(|f| {
            lines += memchr::memchr_iter(b'\n', text[f.head.clone()].as_bytes()).count();
            let first = lines;
            lines += memchr::memchr_iter(b'\n', text[f.body.clone()].as_bytes()).count();
            first
        })
        .collect();
    for (done, &(cost, at)) in order.iter().enumerate() {
        let share = left / (files.len() - done);
        let body = &text[files[at].body.clone()];
        if cost > share {
            let fitted = fit_body(body, share, starts[at], ask, report);
            left -= ask.meter.cost(fitted.as_bytes());
            bodies[at] = Some(fitted);
        } else {
            left -= cost;
        }
    }
    let mut out = String::with_capacity(text.len().min(4 * ask.limit));
    for (file, body) in files.iter().zip(bodies) {
        out.push_str(&text[file.head.clone()]);
        out.push_str(body.as_deref().unwrap_or(&text[file.body.clone()]));
    }
    Some(out)
}

/// What is in one file, within `limit`, and the line feeds after it as they were.
fn fit_body(body: &str, limit: usize, line: usize, ask: &Ask<'_>, report: &mut Report) -> String {
    let inner = body.trim_end_matches(['\n', '\r']);
    let rest = &body[inner.len()..];
    let limit = limit.saturating_sub(ask.meter.cost(rest.as_bytes()));
    let mut part = Report::default();
    let fitted = (limit >= LEAST).then(|| fit_file(inner, &Ask { limit, depth: ask.depth + 1, ..*ask }, &mut part)).flatten();
    let text = fitted.unwrap_or_else(|| {
        let lines = memchr::memchr_iter(b'\n', inner.as_bytes()).count() + 1;
        part = Report { lines_omitted: lines, ..Report::default() };
        part.omitted.push(Omitted { place: Place::Lines(1, lines), amount: Amount::Items(lines), lever: "lines" });
        let marker = ask.marks.gap(lines);
        if ask.meter.cost(marker.as_bytes()) <= limit { marker } else { String::new() }
    });
    for cut in &mut part.omitted {
        if let Place::Lines(from, to) = &mut cut.place {
            *from += line - 1;
            *to += line - 1;
        }
    }
    report.absorb(part);
    format!("{text}{rest}")
}

/// A file as what it is; JSON keeps the indentation that it has.
fn fit_file(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let kind = detect(text);
    let index = if kind == Kind::Json { scan(text) } else { None };
    let Some(index) = index else {
        let kind = if kind == Kind::Json { crate::detect::detect_text(&Sample::new(text)) } else { kind };
        return super::fit(text, kind, ask, report);
    };
    let second = &text[memchr::memchr(b'\n', text.as_bytes()).map_or(text.len(), |n| n + 1)..];
    let indent = (second.len() - second.trim_start_matches(' ').len()).min(8);
    json::fit(&index, json::Style { indent, ..json::Style::default() }, ask, report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_names() {
        let boxed = format!("{0}\nFILE: src/a.rs\n{0}\nfn a() {{}}\n\n{0}\nFILE: b.md\n{0}\n# B\n", "=".repeat(48));
        for (text, heads) in [
            ("==> a.txt <==\none\n\n==> b.txt <==\ntwo\n", vec!["==> a.txt <==\n", "==> b.txt <==\n"]),
            (
                "/srv/a.json:\n{}\n\n---\n/srv/b.ts: Error - not found\n---\n/srv/c.ts:\nlet c;\n",
                vec!["/srv/a.json:\n", "---\n/srv/b.ts: Error - not found\n", "---\n/srv/c.ts:\n"],
            ),
            (boxed.as_str(), vec!["FILE: src/a.rs", "FILE: b.md"]),
            ("a: 1\n---\nb: 2\n---\nc: 3\n", vec![]),
            ("title: x\n---\nSome words.\n", vec![]),
            ("==> nothing\nhere\n", vec![]),
        ] {
            let found: Vec<&str> = files(text).iter().map(|f| &text[f.head.clone()]).collect();
            assert_eq!(found.len(), heads.len(), "{text}");
            assert!(found.iter().zip(heads).all(|(found, head)| found.contains(head)), "{text}");
        }
    }
}
