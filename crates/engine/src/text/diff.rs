//! Diffs, patches and commit logs: of each file its line with how much was added and removed, then hunk headers and changed lines; context goes first.
//!
//! Lock files, generated and binary files stand as their line only. A hunk's header says how many lines it has, so that a removed line which
//! looks like a header (`--- x`) is told from one.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::hash::Same;
use super::lines::{Line, NONE, Pick, split};
use super::template::template;
use super::{Ask, plain};
use crate::detect::Sample;
use crate::report::Report;

/// What a note of a gap costs in the usual case: ` (file +30 -30)`.
const NOTE: usize = 16;
/// Files named in the note of a gap that holds whole files.
const MAX_NAMED: usize = 6;
/// Lines that are looked at for the first hunk of a text that begins with a message.
const MAX_PREAMBLE: usize = 1 << 20;

/// Files that tools write.
const GENERATED: [&str; 24] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "Cargo.lock",
    "go.sum",
    "poetry.lock",
    "uv.lock",
    "Gemfile.lock",
    "composer.lock",
    "Pipfile.lock",
    "flake.lock",
    ".min.js",
    ".min.css",
    ".map",
    ".snap",
    ".pb.go",
    "_pb2.py",
    ".svg",
    ".lock",
    ".po",
    ".csproj.lock",
    "bun.lockb",
    "deno.lock",
];
const GENERATED_FOLDERS: [&str; 6] = ["node_modules/", "vendor/", "dist/", "/generated/", "__generated__", "/__snapshots__/"];

/// What the rows of a diff are worth, before repetition and hits.
mod weight {
    pub(super) const FILE: f32 = 4.0;
    /// The later files of a commit are worth less, so that no commit takes the room of the others.
    pub(super) const LATER_FILE: f32 = 0.03;
    pub(super) const COMMIT: f32 = 3.0;
    /// Subject of a commit or patch.
    pub(super) const SUBJECT: f32 = 5.0;
    /// Totals of a diffstat.
    pub(super) const TOTALS: f32 = 1.2;
    /// A line of a diffstat.
    pub(super) const STAT: f32 = 0.25;
    /// Renames, modes, binary files.
    pub(super) const STATUS: f32 = 1.5;
    pub(super) const MESSAGE: f32 = 0.3;
    /// `index`, `---` and `+++` beside the file's own line.
    pub(super) const HEADER: f32 = 0.03;
    pub(super) const HUNK: f32 = 0.25;
    pub(super) const CHANGED: f32 = 0.8;
    /// A changed line that is only punctuation.
    pub(super) const PUNCTUATION: f32 = 0.15;
    /// Context beside a changed line, and farther away.
    pub(super) const CONTEXT: [f32; 2] = [0.12, 0.04];
    pub(super) const HIT: f32 = 1.2;
    /// Of the lines of generated files.
    pub(super) const GENERATED: f32 = 0.04;
    /// Of the lines of a file that the call names.
    pub(super) const NAMED: f32 = 3.0;
}

/// Whether a text is of this kind: it begins as one, or with the message of one.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    let Some(first) = sample.lines.first() else { return false };
    let hunks = sample.lines.iter().any(|l| hunk(l).is_some());
    let begins =
        ["diff --git ", "diff -", "diff --cc ", "Index: ", "--- ", "*** "].iter().any(|p| first.starts_with(p)) || is_commit(first);
    let formed = || sample.share(|l| l.starts_with(['+', '-', ' ', '@', '\\']) || l.starts_with("diff ") || l.starts_with("index "));
    let header = sample.lines.windows(2).any(|w| w[0].starts_with("--- ") && w[1].starts_with("+++ "))
        || sample.lines.iter().any(|l| l.starts_with("diff --git "));
    if hunks && header {
        return begins || formed() > 0.8;
    }
    let listed = |l: &&&str| l.starts_with(' ') && l.contains(" | ") && l.ends_with(['+', '-']);
    if is_commit(first) && sample.lines.iter().filter(listed).count() > 1 {
        return true;
    }
    let start = &sample.text.as_bytes()[..sample.text.len().min(MAX_PREAMBLE)];
    begins && (header && formed() > 0.6 || is_commit(first) && memchr::memmem::find(start, b"\ndiff --git ").is_some())
}

fn is_commit(line: &str) -> bool {
    let sha = line.strip_prefix("commit ").or_else(|| line.strip_prefix("From ")).map(|rest| rest.split(' ').next().unwrap_or(rest));
    sha.is_some_and(|sha| (7..=64).contains(&sha.len()) && sha.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The old and new line counts of a hunk's header; [`u32::MAX`] each for a combined diff, whose counts are not kept.
fn hunk(line: &str) -> Option<(u32, u32)> {
    if line.starts_with("@@@ -") {
        return Some((u32::MAX, u32::MAX));
    }
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, n)| n.parse().ok());
    Some((count(old)?, count(new)?))
}

/// What a row of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    Commit,
    Subject,
    Totals,
    Stat,
    Message,
    /// `diff --git …`, `Index: …`, or `+++ …` where there is no other.
    Start,
    Old,
    New,
    Index,
    Status,
    Hunk,
    Added,
    Removed,
    Context,
    Data,
}

/// The rows of a diff by what they are.
fn rows<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut old, mut new) = (0u32, 0u32);
    // In the lines between a file's first and its first hunk; in the message of a commit; in a binary patch.
    let (mut in_header, mut subject_next, mut binary) = (false, false, false);
    let mut started = false;
    for line in lines {
        let first = line.as_bytes().first().copied();
        if old > 0 || new > 0 {
            let row = match first {
                Some(b'+') if new > 0 => Row::Added,
                Some(b'-') if old > 0 => Row::Removed,
                Some(b' ' | b'\t') | None => Row::Context,
                Some(b'\\') => Row::Data,
                _ => Row::Message,
            };
            if row != Row::Message {
                let combined = old == u32::MAX;
                let ends = combined && (line.starts_with("@@@") || line.starts_with("diff "));
                if !ends {
                    if !combined {
                        old -= u32::from(old > 0 && matches!(row, Row::Removed | Row::Context));
                        new -= u32::from(new > 0 && matches!(row, Row::Added | Row::Context));
                    }
                    rows.push(row);
                    continue;
                }
            }
            (old, new) = (0, 0);
        }
        let row = if let Some(counts) = hunk(line) {
            (old, new) = counts;
            in_header = false;
            Row::Hunk
        } else if line.starts_with("diff ") || line.starts_with("Index: ") {
            (in_header, started, binary) = (true, true, false);
            Row::Start
        } else if line.starts_with("--- ") && line.len() > 4 {
            in_header = true;
            Row::Old
        } else if line.starts_with("+++ ") && in_header {
            let own = !started;
            if own { Row::Start } else { Row::New }
        } else if is_commit(line) {
            (subject_next, in_header, started, binary) = (true, false, false, false);
            Row::Commit
        } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") || line.starts_with("literal ") && binary {
            binary |= line.starts_with("GIT");
            Row::Status
        } else if binary {
            Row::Data
        } else if in_header {
            if line.starts_with("index ") || line.starts_with("====") { Row::Index } else { Row::Status }
        } else if first == Some(b'\\') {
            Row::Data
        } else if line.starts_with("Subject: ") || subject_next && line.starts_with("    ") && !line.trim().is_empty() {
            subject_next = false;
            Row::Subject
        } else if line.starts_with(' ') && (line.contains(" files changed, ") || line.contains(" file changed, ")) {
            Row::Totals
        } else if line.starts_with(' ') && line.contains(" | ") {
            Row::Stat
        } else {
            Row::Message
        };
        if row == Row::Hunk {
            started = false;
        }
        rows.push(row);
    }
    rows
}

/// A file of a diff.
struct File<'t> {
    path: &'t str,
    /// The row that stands for it.
    line: usize,
    added: usize,
    removed: usize,
    generated: bool,
}

/// The path that a file's line names.
fn path(line: &str) -> &str {
    let rest = match line.strip_prefix("diff --git ") {
        // Both sides are alike but for their first letter, so the second begins after the middle.
        Some(both) => both.split_once(" b/").map_or(both, |(_, path)| path),
        None => ["+++ ", "--- ", "Index: ", "diff --cc ", "diff --combined "].iter().find_map(|p| line.strip_prefix(p)).unwrap_or(line),
    };
    let rest = rest.split('\t').next().unwrap_or(rest);
    rest.strip_prefix("b/").or_else(|| rest.strip_prefix("a/")).unwrap_or(rest)
}

fn is_generated(path: &str) -> bool {
    GENERATED.iter().any(|end| path.ends_with(end)) || GENERATED_FOLDERS.iter().any(|folder| path.contains(folder))
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let ranges: Vec<(usize, usize)> = split(text).collect();
    let line = |at: usize| &text[ranges[at].0..ranges[at].1];
    let rows = rows(ranges.iter().map(|&(start, end)| &text[start..end]));
    let files = files(&rows, line, ask);
    if files.is_empty() && !rows.contains(&Row::Commit) {
        return plain::fit(text, ask, report);
    }
    let owner = owners(&rows, &files);
    let lines = value(text, &ranges, &rows, &files, &owner, ask);
    let note = |gaps: &[(usize, usize)]| notes(gaps, &rows, &files, &owner);
    Pick { lines: &lines, novelty: false, note: Some(&note), note_room: NOTE }.choose(text, ask, report)
}

/// The files, each with the row that stands for it: `diff --git a/x b/x`, or where many of these leave little room, `+++ b/x`.
fn files<'t>(rows: &[Row], line: impl Fn(usize) -> &'t str, ask: &Ask<'_>) -> Vec<File<'t>> {
    let mut files: Vec<File<'t>> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        match row {
            Row::Start => {
                let path = path(line(at));
                files.push(File { path, line: at, added: 0, removed: 0, generated: is_generated(path) });
            }
            Row::Added | Row::Removed => {
                if let Some(file) = files.last_mut() {
                    file.added += usize::from(*row == Row::Added);
                    file.removed += usize::from(*row == Row::Removed);
                }
            }
            _ => {}
        }
    }
    let starts: usize = files.iter().map(|f| ask.meter.cost(line(f.line).as_bytes()) + NOTE).sum();
    if starts * 3 > ask.limit {
        for file in &mut files {
            if !line(file.line).starts_with("diff ") {
                continue;
            }
            let header = (file.line + 1..rows.len()).take_while(|&at| matches!(rows[at], Row::Old | Row::New | Row::Index | Row::Status));
            let sides: Vec<usize> = header.filter(|&at| matches!(rows[at], Row::Old | Row::New)).collect();
            if let Some(&side) = sides.iter().rev().find(|&&at| !line(at).ends_with("/dev/null")) {
                file.line = side;
                file.path = path(line(side));
            }
        }
    }
    files
}

/// The file of each row, by number; [`NONE`] for what stands before the first and between commits.
fn owners(rows: &[Row], files: &[File<'_>]) -> Vec<u32> {
    let mut owner = Vec::with_capacity(rows.len());
    let mut current = NONE;
    let mut next = 0;
    for (at, row) in rows.iter().enumerate() {
        match row {
            Row::Start => {
                current = next;
                next += 1;
            }
            Row::Commit => current = NONE,
            // The line before `+++`, where that stands for the file.
            Row::Old if rows.get(at + 1) == Some(&Row::Start) => current = next.min(files.len() as u32 - 1),
            _ => {}
        }
        owner.push(current);
    }
    owner
}

fn value(text: &str, ranges: &[(usize, usize)], rows: &[Row], files: &[File<'_>], owner: &[u32], ask: &Ask<'_>) -> Vec<Line> {
    let hits = ask.finder.hits(text, ranges.len());
    let named: Vec<bool> = files.iter().map(|f| is_named(f.path, ask)).collect();
    let mut times: HashMap<u64, u32, Same> = HashMap::default();
    let mut lines = Vec::with_capacity(rows.len());
    let (mut next_hit, mut commit, mut hunk, mut nth, mut nth_file) = (0, NONE, NONE, 0, 0.0);
    let changed = |at: usize| rows.get(at).is_some_and(|r| matches!(r, Row::Added | Row::Removed));
    for (at, &(start, end)) in ranges.iter().enumerate() {
        let mut hit: f32 = 0.0;
        while let Some(h) = hits.get(next_hit).filter(|h| (h.at as usize) < end) {
            hit = hit.max(h.strength);
            next_hit += 1;
        }
        let file = files.get(owner[at] as usize);
        let line = &text[start..end];
        let mut factor = match file {
            Some(f) if f.generated => weight::GENERATED,
            Some(_) if named[owner[at] as usize] => weight::NAMED,
            _ => 1.0,
        };
        let file_line = file.map_or(NONE, |f| f.line as u32);
        let (worth, under) = match rows[at] {
            _ if file_line == at as u32 => {
                (hunk, nth) = (NONE, 0);
                factor = 1.0;
                nth_file += 1.0;
                (weight::FILE / (1.0 + weight::LATER_FILE * nth_file) + hit, commit)
            }
            Row::Start => (weight::HEADER, file_line),
            Row::Commit => {
                (commit, nth_file) = (at as u32, 0.0);
                (weight::COMMIT, NONE)
            }
            Row::Subject => (weight::SUBJECT + hit, commit),
            Row::Totals => (weight::TOTALS, commit),
            Row::Stat => (weight::STAT + weight::HIT * hit, commit),
            Row::Message => (weight::MESSAGE + weight::HIT * hit, commit),
            Row::Old | Row::New | Row::Index => (weight::HEADER, file_line),
            Row::Status => {
                factor = 1.0;
                (weight::STATUS, file_line)
            }
            Row::Hunk => {
                hunk = at as u32;
                (weight::HUNK / (1.0 + 0.1 * nth as f32) + hit, file_line)
            }
            Row::Added | Row::Removed => {
                nth += 1;
                let repeated = times.entry(template(line.as_bytes())).or_default();
                *repeated += 1;
                let base = if line.bytes().filter(u8::is_ascii_alphanumeric).count() < 3 && line.is_ascii() {
                    weight::PUNCTUATION
                } else {
                    weight::CHANGED
                };
                let worth = base / (1.0 + 0.12 * nth as f32) / (1.0 + 0.5 * (*repeated - 1) as f32);
                (worth + weight::HIT * hit, hunk)
            }
            Row::Context => (weight::CONTEXT[usize::from(!(changed(at + 1) || at > 0 && changed(at - 1)))] + 0.5 * hit, hunk),
            Row::Data => (0.0, hunk),
        };
        lines.push(Line {
            start: start as u32,
            end: end as u32,
            worth: worth * factor,
            under: if under == at as u32 { NONE } else { under },
        });
    }
    lines
}

/// Whether the call names a file, by its path, its name or a folder.
fn is_named(path: &str, ask: &Ask<'_>) -> bool {
    let path = path.to_lowercase();
    ask.finder.terms().iter().any(|t| t.strength >= 0.6 && t.text.len() > 3 && path.contains(&t.text))
}

/// What the gaps held: the first of a file says how much the file changed, the others how much of that went there; the very first says it of all.
fn notes(gaps: &[(usize, usize)], rows: &[Row], files: &[File<'_>], owner: &[u32]) -> Vec<String> {
    let mut told = vec![false; files.len()];
    let sum = |range: std::ops::Range<usize>, row: Row| rows[range].iter().filter(|r| **r == row).count();
    let mut notes = Vec::with_capacity(gaps.len());
    for (nth, &(from, to)) in gaps.iter().enumerate() {
        let mut note = String::new();
        if nth == 0 && files.len() > 1 {
            let (added, removed) = files.iter().fold((0, 0), |all, f| (all.0 + f.added, all.1 + f.removed));
            let _ = write!(note, "{} files +{added} -{removed}; ", files.len());
        }
        // Files whose own line is in the gap.
        let first = files.partition_point(|f| f.line < from);
        let inside = &files[first..first + files[first..].partition_point(|f| f.line < to)];
        let before = owner.get(from).and_then(|&o| Some((o as usize, files.get(o as usize)?))).filter(|f| f.1.line < from);
        if let Some((at, file)) = before {
            if told[at] {
                let end = inside.first().map_or(to, |f| f.line);
                let (added, removed) = (sum(from..end, Row::Added), sum(from..end, Row::Removed));
                if added + removed > 0 {
                    let _ = write!(note, "+{added} -{removed}; ");
                }
            } else {
                told[at] = true;
                if file.added + file.removed > 0 {
                    let _ = write!(note, "file +{} -{}{}; ", file.added, file.removed, if file.generated { " generated" } else { "" });
                }
            }
        }
        if !inside.is_empty() {
            let (added, removed) = inside.iter().fold((0, 0), |all, f| (all.0 + f.added, all.1 + f.removed));
            let names: Vec<String> = inside.iter().take(MAX_NAMED).map(|f| format!("{} +{} -{}", f.path, f.added, f.removed)).collect();
            let _ = write!(note, "{} files +{added} -{removed}: {}", inside.len(), names.join(", "));
        }
        note.truncate(note.trim_end_matches("; ").len());
        notes.push(note);
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Row> {
        rows(text.lines())
    }

    #[test]
    fn rows_are_told_by_the_counts_of_their_hunk() {
        let diff = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@ fn\n a\n--- b\n-c\n+++ d\ndiff --git a/y b/y\nBinary files a/y and b/y differ";
        use Row::{Added, Context, Hunk, Index, New, Old, Removed, Start, Status};
        assert_eq!(of(diff), [Start, Index, Old, New, Hunk, Context, Removed, Removed, Added, Start, Status]);
    }

    #[test]
    fn a_plain_unified_diff_is_known_by_its_new_side() {
        let diff = "--- old.txt\t2026-01-01\n+++ new.txt\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1 @@\n-a\n+b";
        use Row::{Added, Hunk, Old, Removed, Start};
        assert_eq!(of(diff), [Old, Start, Hunk, Removed, Added, Old, Start, Hunk, Removed, Added]);
        assert_eq!(path("+++ new.txt\t2026-01-02"), "new.txt");
        assert_eq!(path("diff --git a/src/a b.rs b/src/a b.rs"), "src/a b.rs");
    }

    #[test]
    fn diffs_and_their_messages_are_recognised_and_other_texts_are_not() {
        for (text, is) in [
            ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", true),
            ("--- x\n+++ y\n@@ -1 +1 @@\n-a\n+b\n", true),
            ("commit 0123456789abcdef\nAuthor: A <a@b.c>\n\n    Fix it\n\ndiff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n", true),
            (
                "From 0123456789abcdef Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n---\n x | 2 +-\n\ndiff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n",
                true,
            ),
            ("--- title\nkey: value\nlist:\n- a\n- b\n", false),
            ("- a list\n- of things\n+ and more\n", false),
            ("commit to it\nand do it\n", false),
            (
                "# Notes\n\nTo apply, run\n\n```diff\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n```\n\nand then build. More text follows here.\nAnd here.\nAnd there.\nAnd so on.\n",
                false,
            ),
        ] {
            assert_eq!(looks(&Sample::new(text)), is, "{text}");
        }
    }
}
