//! Lists of files in the forms in which tools print them, as entries in folders.

use super::column::hash;
use super::layout::Lines;
use super::lines::NONE;
use super::number::number;

/// How a listing is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `tree`: `├── name`, `|-- name`, `+---name`.
    Drawn,
    /// `ls -l`: a mode, an owner, a size, a time, a name; with `-R` in sections.
    Long,
    /// `ls -R`: sections of names.
    Short,
    /// `find`, `git ls-files`: a path on each line, a size or a state before it perhaps.
    Paths,
    /// Names below each other by indentation, or `[DIR] name`.
    Indented,
}

/// A line of a listing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry<'t> {
    /// 0 for what stands at the top.
    pub(crate) level: u16,
    /// The line of its folder, if it has one.
    pub(crate) parent: u32,
    /// Tells entries of different folders apart.
    pub(crate) folder: u64,
    pub(crate) role: Role,
    /// The name, or the path.
    pub(crate) name: &'t str,
    pub(crate) size: Option<f64>,
}

/// What a line of a listing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    File,
    Folder,
    /// The line above the entries of a folder: `src/lib:`.
    Heading,
    /// A total, a count, a blank line.
    Note,
}

impl Style {
    /// How a text is written, if it is a listing.
    pub(crate) fn of(lines: &[&str]) -> Option<Self> {
        let total = lines.len();
        let share = |test: &dyn Fn(&str) -> bool| lines.iter().filter(|l| test(l)).count() * 100 / total.max(1);
        if total < 4 {
            return None;
        }
        if share(&drawn) >= 60 {
            return Some(Self::Drawn);
        }
        if share(&|l| long(l).is_some()) >= 50 {
            return Some(Self::Long);
        }
        if share(&|l| tagged(l).is_some()) >= 80 {
            return Some(Self::Indented);
        }
        let headings = lines.iter().filter(|l| heading(l).is_some()).count();
        if headings >= 2 && lines.first().is_some_and(|l| heading(l).is_some()) && share(&|l| heading(l).is_some() || name_like(l)) >= 95 {
            return Some(Self::Short);
        }
        let slashes = share(&|l| path(l).is_some_and(|p| p.contains('/') && p.contains(|c: char| c.is_ascii_alphabetic())));
        // Lines of base64 hold slashes as well, but they are all of one length.
        let even = lines.windows(2).filter(|w| w[0].len() == w[1].len() && w[0].len() > 48).count() * 2 > total;
        if slashes >= 50 && !even && share(&|l| path(l).is_some()) >= 93 && share(&|l| l.contains([',', ';', '|'])) < 20 {
            return Some(Self::Paths);
        }
        let indents = lines.iter().map(|l| indent(l)).filter(|&i| i > 0).count() * 100 / total;
        let named = share(&|l| name_like(l.trim()) && (l.trim_end().ends_with('/') || extension(l.trim()).is_some()));
        (indents >= 40 && named >= 70 && share(&|l| l.trim_end().ends_with('/')) >= 5 && share(&|l| name_like(l.trim())) >= 95)
            .then_some(Self::Indented)
    }

    /// The entries of a text's lines.
    pub(crate) fn entries<'t>(self, lines: &Lines<'t>) -> Vec<Entry<'t>> {
        match self {
            Self::Drawn | Self::Indented => nested(lines, self),
            Self::Long | Self::Short => sections(lines, self),
            Self::Paths => paths(lines),
        }
    }
}

fn note(parent: u32, folder: u64) -> Entry<'static> {
    Entry { level: 0, parent, folder, role: Role::Note, name: "", size: None }
}

fn nested<'t>(lines: &Lines<'t>, style: Style) -> Vec<Entry<'t>> {
    let mut entries: Vec<Entry<'t>> = Vec::with_capacity(lines.ranges.len());
    // Columns at which the names of the open folders begin.
    let mut open: Vec<(usize, u32)> = Vec::new();
    for at in 0..lines.ranges.len() {
        let line = lines.get(at);
        let body = if style == Style::Drawn { line.trim_start_matches(is_drawing).trim_start_matches(' ') } else { line.trim_start() };
        let column = line[..line.len() - body.len()].chars().count();
        if body.trim().is_empty() || style == Style::Drawn && counted(body) {
            entries.push(note(NONE, 0));
            continue;
        }
        while open.last().is_some_and(|o| o.0 >= column) {
            open.pop();
        }
        let parent = open.last().map_or(NONE, |o| o.1);
        if let Some(folder) = entries.get_mut(parent as usize) {
            folder.role = Role::Folder;
        }
        let (size, name) = bracketed(body);
        let (tag, name) = tagged(name).unwrap_or((None, name));
        let name = name.split(" -> ").next().unwrap_or(name).trim_end();
        let role = if tag.unwrap_or(name.ends_with('/')) { Role::Folder } else { Role::File };
        entries.push(Entry { level: open.len() as u16, parent, folder: u64::from(parent), role, name, size });
        open.push((column, at as u32));
    }
    entries
}

fn sections<'t>(lines: &Lines<'t>, style: Style) -> Vec<Entry<'t>> {
    let mut entries = Vec::with_capacity(lines.ranges.len());
    let mut parent = NONE;
    let (mut depth, mut top) = (0, None);
    let mut blank = true;
    for at in 0..lines.ranges.len() {
        let line = lines.get(at);
        let folder = u64::from(parent);
        let parsed = if style == Style::Long { long(line) } else { None };
        if let Some(found) = parsed {
            let role = if line.starts_with('d') { Role::Folder } else { Role::File };
            entries.push(Entry { level: depth, parent, folder, role, name: found.name, size: found.size });
        } else if let Some(name) = heading(line).filter(|_| blank) {
            parent = at as u32;
            let slashes = name.trim_end_matches('/').matches('/').count();
            depth = slashes.saturating_sub(*top.get_or_insert(slashes)).min(1_000) as u16;
            entries.push(Entry { level: depth, parent: NONE, folder: u64::MAX, role: Role::Heading, name, size: None });
        } else if style == Style::Short && name_like(line) && !line.trim().is_empty() {
            let role = if line.ends_with('/') { Role::Folder } else { Role::File };
            entries.push(Entry { level: depth, parent, folder, role, name: line.trim(), size: None });
        } else {
            entries.push(note(parent, folder));
        }
        blank = line.trim().is_empty();
    }
    entries
}

fn paths<'t>(lines: &Lines<'t>) -> Vec<Entry<'t>> {
    let top = root(lines);
    (0..lines.ranges.len())
        .map(|at| {
            let line = lines.get(at);
            let Some(name) = path(line).filter(|p| !p.is_empty()) else { return note(NONE, 0) };
            let (dir, _) = name.trim_end_matches('/').rsplit_once('/').unwrap_or_default();
            let level = memchr::memchr_iter(b'/', dir.as_bytes().get(top..).unwrap_or_default()).count().min(1_000) as u16
                + u16::from(dir.len() > top);
            let before = &line[..line.trim_end().len() - name.len()];
            let size = if before.is_empty() { None } else { before.split_whitespace().next().and_then(number) };
            let role = if name.ends_with('/') { Role::Folder } else { Role::File };
            Entry { level, parent: NONE, folder: hash(dir.as_bytes()), role, name, size }
        })
        .collect()
}

/// How long the path is that the first thousand lines share, to its last slash.
pub(crate) fn root(lines: &Lines<'_>) -> usize {
    let mut paths = (0..lines.ranges.len().min(1_000)).filter_map(|at| path(lines.get(at)));
    let Some(first) = paths.next() else { return 0 };
    let mut shared = first.len();
    for path in paths {
        shared = first.bytes().zip(path.bytes()).take(shared).take_while(|(a, b)| a == b).count();
    }
    first.as_bytes()[..shared].iter().rposition(|&b| b == b'/').map_or(0, |s| s + 1)
}

fn is_drawing(c: char) -> bool {
    matches!(c, '│' | '├' | '└' | '─' | '╰' | '┬' | '╭' | '|' | '`' | '+' | '\\' | '-' | ' ' | '\u{a0}')
}

/// Whether a line is drawn as an entry of a tree.
fn drawn(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\u{a0}', '│', '|']);
    ["├─", "└─", "╰─", "|--", "`--", "--", "+--", "\\--"]
        .iter()
        .any(|sign| line.strip_prefix(sign).is_some_and(|rest| !rest.trim_matches(is_drawing).is_empty()))
        && !line.starts_with("---\n")
}

/// `12 directories, 40 files`.
fn counted(body: &str) -> bool {
    body.starts_with(|c: char| c.is_ascii_digit()) && body.contains("director")
}

/// `[4.0K]  name`: the size in the brackets, and the name.
fn bracketed(body: &str) -> (Option<f64>, &str) {
    match body.strip_prefix('[').and_then(|b| b.split_once(']')) {
        Some((inside, name)) if name.starts_with(' ') => (inside.split_whitespace().rev().find_map(number), name.trim_start()),
        _ => (None, body),
    }
}

/// `[DIR] name`, `[FILE] name`.
fn tagged(body: &str) -> Option<(Option<bool>, &str)> {
    let body = body.trim_start();
    let name = |tag: &str| body.get(..tag.len()).filter(|t| t.eq_ignore_ascii_case(tag)).map(|_| body[tag.len()..].trim_start());
    name("[DIR] ").map(|n| (Some(true), n)).or_else(|| name("[FILE] ").map(|n| (Some(false), n)))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A line of `ls -l`: how many cells it has, its size and its name.
#[derive(Debug, PartialEq)]
pub(crate) struct Long<'t> {
    pub(crate) cells: usize,
    /// The number of the cell where its time begins.
    pub(crate) dated: usize,
    pub(crate) size: Option<f64>,
    pub(crate) name: &'t str,
}

/// Reads a line of `ls -l`.
pub(crate) fn long(line: &str) -> Option<Long<'_>> {
    let mode = line.as_bytes().get(..10)?;
    if !matches!(mode[0], b'-' | b'd' | b'l' | b'c' | b'b' | b'p' | b's') || !mode[1..].iter().all(|b| b"rwxsStT-".contains(b)) {
        return None;
    }
    let (mut cell, mut size, mut date, mut dated) = (0, None, 0, 0);
    let mut at = 0;
    let bytes = line.as_bytes();
    loop {
        at += bytes[at..].iter().take_while(|b| **b == b' ' || **b == b'\t').count();
        let end = at + bytes[at..].iter().take_while(|b| **b != b' ' && **b != b'\t').count();
        if at == end || cell > 12 {
            return None;
        }
        let word = &line[at..end];
        if date > 0
            && cell >= date + dated
            && !(cell == date + 2
                && dated == 2
                && word.len() == 5
                && word.starts_with(['+', '-'])
                && word[1..].bytes().all(|b| b.is_ascii_digit()))
        {
            let name = line[at..].split(" -> ").next().unwrap_or_default().trim_end();
            return Some(Long { cells: cell + 1, dated: date, size, name });
        }
        if date == 0 && cell >= 2 {
            let iso = word.len() == 10 && word.as_bytes()[4] == b'-' && word.as_bytes()[7] == b'-';
            let month = word.len() == 3 && MONTHS.contains(&word);
            if iso || month {
                (date, dated) = (cell, if iso { 2 } else { 3 });
            } else {
                size = number(word);
            }
        }
        cell += 1;
        at = end;
    }
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The folder that a heading of `ls -R` names.
fn heading(line: &str) -> Option<&str> {
    let name = line.strip_suffix(':')?;
    (!name.is_empty() && !name.starts_with([' ', '\t', '-', '#']) && !name.contains(": ") && name.matches(' ').count() < 3).then_some(name)
}

/// Whether a line may be a name: few words, none of the signs of code and prose.
fn name_like(line: &str) -> bool {
    line.len() < 160
        && line.matches(' ').count() < 3
        && !line.ends_with([':', ';', '{', ','])
        && !line.contains(['=', '(', '"', '<', '>', ';'])
        && !line.starts_with(['-', '#', '*', '>'])
}

/// The path on a line, after a size or a state perhaps.
fn path(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.len() > 400 || line.starts_with(['#', '[', '(']) {
        return None;
    }
    let plain = |p: &str| !p.is_empty() && p.bytes().all(|b| PLAIN[usize::from(b)]);
    if plain(line) {
        return Some(line);
    }
    let (before, rest) = line.split_once([' ', '\t'])?;
    let rest = rest.trim_start();
    let state = before.len() <= 2 && before.bytes().all(|b| b.is_ascii_uppercase() || b == b'?');
    ((state || number(before).is_some()) && plain(rest)).then_some(rest)
}

/// Bytes of which paths are made.
static PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut at = 0;
    while at < NOT_PLAIN.len() {
        plain[NOT_PLAIN[at] as usize] = false;
        at += 1;
    }
    plain
};
const NOT_PLAIN: &[u8] = b" \t:<>\"=;{}`";

/// The ending of a file's name, without the dot: short, and not all digits.
pub(crate) fn extension(name: &str) -> Option<&str> {
    let bytes = name.as_bytes();
    // Endings are short: only the end of the name is looked at.
    let from = bytes.len().saturating_sub(12);
    let dot = from + bytes[from..].iter().rposition(|&b| !(b.is_ascii_alphanumeric() || b == b'_'))?;
    let ending = name.get(dot + 1..).filter(|e| !e.is_empty() && e.len() <= 10)?;
    let named = bytes[dot] == b'.' && dot > 0 && bytes[dot - 1] != b'/';
    (named && ending.bytes().any(|b| !b.is_ascii_digit())).then_some(ending)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lines::split;

    fn entries(text: &str) -> Vec<(u16, u32, Role, &str, Option<f64>)> {
        let lines = Lines { text, ranges: split(text).map(|(s, e)| (s as u32, e as u32)).collect() };
        let sample: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
        let style = Style::of(&sample);
        style.map_or_else(Vec::new, |s| s.entries(&lines).into_iter().map(|e| (e.level, e.parent, e.role, e.name, e.size)).collect())
    }

    #[test]
    fn listings_become_entries() {
        use Role::{File, Folder, Heading, Note};
        assert_eq!(
            entries(".\n├── src\n│   ├── a.rs\n│   └── [ 12K]  b.rs\n└── x -> y\n\n1 directory, 3 files"),
            [
                (0, NONE, Folder, ".", None),
                (1, 0, Folder, "src", None),
                (2, 1, File, "a.rs", None),
                (2, 1, File, "b.rs", Some(12e3)),
                (1, 0, File, "x", None),
                (0, NONE, Note, "", None),
                (0, NONE, Note, "", None)
            ]
        );
        assert_eq!(
            entries(
                "d:\ntotal 4\n-rw-r--r-- 1 a b 12 Jul 31 14:25 x y.ts\ndrwxr-xr-x 2 a b 4096 2026-07-31 14:25 e\n\nd/e:\n-rw-r--r-- 1 a b 7 2026-07-31 14:25:00.1 +0200 z"
            ),
            [
                (0, NONE, Heading, "d", None),
                (0, 0, Note, "", None),
                (0, 0, File, "x y.ts", Some(12.0)),
                (0, 0, Folder, "e", Some(4096.0)),
                (0, 0, Note, "", None),
                (1, NONE, Heading, "d/e", None),
                (1, 5, File, "z", Some(7.0))
            ]
        );
        assert_eq!(
            entries("./a:\nx.ts\nb\n\n./a/b:\ny.ts").iter().map(|e| (e.0, e.2)).collect::<Vec<_>>(),
            [(0, Heading), (0, File), (0, File), (0, Note), (1, Heading), (1, File)]
        );
        assert_eq!(
            entries("4.0K\t./src/a\n8.0K\t./src/a/b.rs\n12K\t./src/c.rs\n1K\t./src/d.rs")
                .iter()
                .map(|e| (e.0, e.1, e.3, e.4))
                .collect::<Vec<_>>(),
            [
                (0, NONE, "./src/a", Some(4e3)),
                (1, NONE, "./src/a/b.rs", Some(8e3)),
                (0, NONE, "./src/c.rs", Some(12e3)),
                (0, NONE, "./src/d.rs", Some(1e3))
            ]
        );
        assert_eq!(
            entries("src/\n  a.rs\n  lib/\n    b.rs\nREADME.md").iter().map(|e| (e.0, e.2)).collect::<Vec<_>>(),
            [(0, Folder), (1, File), (1, Folder), (2, File), (0, File)]
        );
    }

    #[test]
    fn other_texts_are_no_listings() {
        for text in [
            "VGhpcyBpcyBhIHRlc3Qgb2YgYmFzZTY0IGNvbnRlbnQ/d2l0aCBzbGFzaGVz+abcd/efghijk\n".repeat(8),
            "key: value\nlist:\n  - a/b\n  - c/d\nother: x\n".to_owned(),
            "2026/05/01 10:00:00 started\n2026/05/01 10:00:01 done\n".repeat(4),
            "AAPL,1/2/2020,3.4\nMSFT,1/3/2020,3.5\n".repeat(4),
            "src/a.rs:12:fn main\nsrc/b.rs:3:fn x\n".repeat(4),
            "Some prose and/or words.\nMore of it here.\n".repeat(4),
            "def a():\n    return 1\n\ndef b():\n    return 2\n".to_owned(),
            "import x\nfor (const a of b) {\n  a.b();\n}\n".to_owned(),
        ] {
            let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
            assert_eq!(Style::of(&lines), None, "{text}");
        }
    }
}
