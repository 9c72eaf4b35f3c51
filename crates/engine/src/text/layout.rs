//! Where the tables of a text are, and how their rows split.

use std::ops::Range;

use super::cells::{Cut, columns, records};
use super::number::number;

/// Lines of a section that are looked at to find how its rows split.
const LOOKED_AT: usize = 100;
/// A header stands within so many lines of a section's beginning.
const MAX_TITLE: usize = 8;
/// A title and a count beside a small table are no reason to doubt it.
const MAX_NOTES: usize = 2;
/// Signs that rule tables: ASCII and box drawing.
const RULES: [char; 4] = ['|', '│', '┃', '║'];

/// A table within the lines of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) cut: Cut,
    /// The names of the columns; none without a header.
    pub(crate) names: Vec<String>,
    /// The lines of the header: names and borders.
    pub(crate) header: Range<usize>,
    /// From the first row to after the last.
    pub(crate) rows: Range<usize>,
}

/// Lines of a text by number.
pub(crate) struct Lines<'t> {
    pub(crate) text: &'t str,
    /// Byte ranges.
    pub(crate) ranges: Vec<(u32, u32)>,
}

impl<'t> Lines<'t> {
    pub(crate) fn get(&self, at: usize) -> &'t str {
        self.ranges.get(at).map_or("", |&(start, end)| &self.text[start as usize..end as usize])
    }
}

/// The sign between the cells of a text that is delimited: the same number of cells in nearly all records.
pub(crate) fn delimiter(head: &str) -> Option<u8> {
    b",\t;|".iter().copied().find(|&sign| {
        let mut counts: Vec<usize> = Vec::new();
        let (mut blank_first, mut blank_last, mut spaced, mut cells) = (0, 0, 0, 0);
        let cut = Cut::Delimited(sign);
        for record in records(head, sign).map(|r| &head[r]).filter(|r| !r.trim().is_empty()).take(LOOKED_AT) {
            let row = cut.cells(record);
            blank_first += usize::from(row[0].is_empty());
            blank_last += usize::from(row.last().is_some_and(|c| c.is_empty()));
            spaced += row.iter().filter(|c| c.len() > 60 || c.matches(' ').count() > 5).count();
            cells += row.len();
            counts.push(row.len());
        }
        let total = counts.len();
        let Some(usual) = most(&counts) else { return false };
        let same = counts.iter().filter(|&&c| c == usual).count();
        // Prose and code have such signs too, but not as many in every line, nor a line of names before them.
        let (least, share) = match sign {
            b'\t' => (2, 85),
            b',' => (2, if usual == 2 { 98 } else { 85 }),
            _ => (3, 90),
        };
        let named = names(&cut.cells(head.trim_start_matches('\u{feff}').lines().next().unwrap_or_default()));
        let spaced_comma = sign == b',' && head.matches(", ").count() * 2 > cells - total;
        let plain = match (sign, usual) {
            (b',', 2) => named && spaced * 10 < cells && !spaced_comma,
            (b',', _) => (named || same == total) && !spaced_comma || named && same * 20 >= total * 19,
            _ => true,
        };
        let drawn = sign == b'|' && head.lines().take(MAX_TITLE).any(border);
        !drawn
            && total >= 3
            && usual >= least
            && same * 100 >= total * share
            && plain
            && blank_first * 2 < total
            && (blank_last * 2 < total || usual > 3)
            && !coded(head)
    })
}

/// Whether a text begins as code or markup does.
fn coded(head: &str) -> bool {
    head.trim_start().starts_with(['<', '{', '[', '(', '#', '/', '*', '@']) && !head.trim_start().starts_with("#\t")
}

/// The number that comes most often.
fn most(counts: &[usize]) -> Option<usize> {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).max_by_key(|c| c.len()).and_then(|c| c.first().copied())
}

/// Whether cells are names of columns: all different, none a number, none long.
fn names(cells: &[&str]) -> bool {
    let mut sorted = cells.to_vec();
    sorted.sort_unstable();
    let twice = sorted.windows(2).any(|w| w[0] == w[1] && !w[0].is_empty());
    cells.iter().any(|c| !c.is_empty())
        && !twice
        && cells.iter().all(|c| c.len() <= 64 && number(super::cells::bare(c)).is_none() && !c.starts_with("http"))
}

/// The table that a delimited text is.
pub(crate) fn delimited(lines: &Lines<'_>, sign: u8) -> Block {
    let cut = Cut::Delimited(sign);
    let first = cut.cells(lines.get(0).trim_start_matches('\u{feff}'));
    let headed = names(&first) && lines.ranges.len() > 1;
    let mut end = lines.ranges.len();
    while end > 1 && lines.get(end - 1).trim().is_empty() {
        end -= 1;
    }
    let names = if headed { first.iter().map(|n| super::cells::bare(n).to_owned()).collect() } else { Vec::new() };
    Block { cut, names, header: 0..usize::from(headed), rows: usize::from(headed)..end }
}

/// The tables among lines, in order; blank lines part them.
pub(crate) fn blocks(lines: &Lines<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut from = 0;
    for at in 0..=lines.ranges.len() {
        if at < lines.ranges.len() && !lines.get(at).trim().is_empty() {
            continue;
        }
        if at >= from + 3 {
            blocks.extend(ruled(lines, from..at).or_else(|| fixed(lines, from..at)));
        }
        from = at + 1;
    }
    blocks
}

/// Whether a line is only drawn: `---+---`, `| :-- | --: |`, `┌───┬───┐`.
pub(crate) fn border(line: &str) -> bool {
    let line = line.trim();
    let drawn = |c: char| matches!(c, '-' | '+' | '=' | '|' | ':' | ' ' | '*' | '\u{2500}'..='\u{257f}');
    line.len() >= 2 && line.chars().all(drawn) && line.chars().filter(|c| matches!(c, '-' | '=' | '─' | '━' | '═')).count() >= 2
}

fn ruled(lines: &Lines<'_>, section: Range<usize>) -> Option<Block> {
    let looked: Vec<&str> = section.clone().take(LOOKED_AT).map(|at| lines.get(at)).collect();
    let plain = |l: &&&str| !border(l);
    let (sign, with) =
        RULES.iter().map(|&sign| (sign, looked.iter().filter(plain).filter(|l| l.contains(sign)).count())).max_by_key(|s| s.1)?;
    let edged = looked.iter().filter(plain).filter(|l| l.trim_start().starts_with(sign)).count();
    if with < 2 || with * 5 < looked.iter().filter(plain).count().saturating_sub(MAX_NOTES) * 4 {
        return None;
    }
    let cut = Cut::Ruled(sign);
    let counts: Vec<usize> = looked.iter().filter(plain).filter(|l| l.contains(sign)).map(|l| cut.cells(l).len()).collect();
    let usual = most(&counts)?;
    let same = counts.iter().filter(|&&c| c == usual).count();
    let first = section.clone().find(|&at| !border(lines.get(at)) && lines.get(at).contains(sign))?;
    let bordered = section.clone().take(MAX_TITLE).any(|at| border(lines.get(at)));
    if edged < with && (!bordered || usual < 2) || same * 10 < counts.len() * 7 {
        return None;
    }
    // Names may go over several lines, down to the border below them.
    let below = (first + 1..section.end.min(first + MAX_TITLE)).find(|&at| border(lines.get(at)));
    let from = below.map_or(first, |b| b + 1);
    let end = (from..section.end).rev().find(|&at| lines.get(at).contains(sign) && !border(lines.get(at))).map_or(from, |at| at + 1);
    let names = if below.is_some() { cut.cells(lines.get(first)).iter().map(|n| (*n).to_owned()).collect() } else { Vec::new() };
    let top = if first > section.start && border(lines.get(first - 1)) { first - 1 } else { first };
    (end > from).then_some(Block { cut, names, header: top..from, rows: from..end })
}

fn fixed(lines: &Lines<'_>, section: Range<usize>) -> Option<Block> {
    for head in section.clone().take(MAX_TITLE) {
        let header = lines.get(head);
        if header.len() > 2_000 || border(header) {
            continue;
        }
        let dashed = border(lines.get(head + 1)) && head + 1 < section.end && !lines.get(head + 1).contains(RULES);
        let from = head + 1 + usize::from(dashed);
        if from + 2 > section.end {
            return None;
        }
        let titled = titles(header);
        if !titled && !dashed && !spread(header) {
            continue;
        }
        let looked: Vec<&str> = std::iter::once(head).chain(from..section.end).take(LOOKED_AT).map(|at| lines.get(at)).collect();
        let starts = if dashed { runs(lines.get(head + 1)) } else { columns(&looked) };
        let words = header.split_whitespace().count();
        let least = if dashed {
            1
        } else if header.chars().all(|c| !c.is_lowercase()) {
            2
        } else {
            3
        };
        let cuts = [Cut::Fixed(starts), Cut::Words(words)];
        for cut in cuts {
            let count = match &cut {
                Cut::Fixed(starts) => starts.len(),
                _ => words,
            };
            if count < least || matches!(cut, Cut::Words(_)) && (count < 3 || !titled) {
                continue;
            }
            let rows = &looked[1..];
            let (mut filled, mut numbers, mut full) = (0, 0, 0);
            for row in rows {
                let cells = cut.cells(row);
                let some = cells.iter().filter(|c| !c.is_empty()).count();
                filled += some;
                numbers += cells.iter().filter(|c| number(c).is_some()).count();
                full += usize::from(some + 1 >= count);
            }
            let all = (rows.len() * count).max(1);
            if filled * 10 >= all * 7 && full * 10 >= rows.len() * 7 && (titled || dashed || numbers * 2 >= all) {
                let names = cut.cells(header).iter().map(|n| (*n).to_owned()).collect();
                return Some(Block { cut, names, header: head..from, rows: from..section.end });
            }
        }
        if dashed {
            return None;
        }
    }
    None
}

/// Whether a line's words are written as titles: capitals, signs.
fn titles(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let title = words.iter().filter(|w| w.starts_with(|c: char| c.is_uppercase() || matches!(c, '%' | '#'))).count();
    let wrong = words.iter().any(|w| {
        w.contains("://")
            || w.contains('=')
            || w.ends_with([':', ';', ',', '{', '.'])
            || number(w).is_some()
            || w.starts_with(['[', '<', '"', '`', '-'])
    });
    words.len() >= 2 && title * 10 >= words.len() * 6 && !wrong
}

/// Whether a line is of four words and more that stand apart.
fn spread(line: &str) -> bool {
    let words: Vec<&str> = line.split("  ").map(str::trim).filter(|w| !w.is_empty()).collect();
    words.len() >= 4
        && words.iter().all(|w| w.len() < 24 && number(w).is_none() && w.starts_with(char::is_alphabetic) && !w.contains([':', '=', '"']))
}

/// The characters at which the runs of a dashed line begin.
fn runs(line: &str) -> Vec<usize> {
    let mut before = ' ';
    let mut starts = Vec::new();
    for (at, c) in line.chars().enumerate() {
        if c != ' ' && before == ' ' {
            starts.push(at);
        }
        before = c;
    }
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lines::split;

    fn found(text: &str) -> Vec<Block> {
        blocks(&Lines { text, ranges: split(text).map(|(s, e)| (s as u32, e as u32)).collect() })
    }

    #[test]
    fn tables_are_found_with_their_headers() {
        for (text, header, rows, names) in [
            (" id | name\n----+-----\n  1 | a\n  2 | b\n(2 rows)", 0..2, 2..4, "id name"),
            ("+----+---+\n| id | x |\n+----+---+\n| 1  | 2 |\n| 3  | 4 |\n+----+---+\n2 rows in set", 0..3, 3..5, "id x"),
            ("| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |", 0..2, 2..4, "a b"),
            ("┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ 1 │ 2 │\n│ 3 │ 4 │\n└───┴───┘", 0..3, 3..5, "a b"),
            (
                "NAME   READY   STATUS\nweb-1  1/1     Running\ndb-1   0/1     Pending\ndb-2   0/1     Pending",
                0..1,
                1..4,
                "NAME READY STATUS",
            ),
            ("Package    Version\n---------- -------\npip        24.0\nsetuptools 65.1", 0..2, 2..4, "Package Version"),
            (
                "Active connections\nProto Recv Local State\ntcp 0 a:1 LISTEN\ntcp6 0 b:22 LISTEN\nudp 0 c:3 NONE",
                1..2,
                2..5,
                "Proto Recv Local State",
            ),
        ] {
            let blocks = found(text);
            let block = blocks.first().map(|b| (b.header.clone(), b.rows.clone(), b.names.join(" ")));
            assert_eq!(block, Some((header, rows, names.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_no_table_is_not_taken_for_one() {
        for text in [
            "Some words of prose that go on\nand on, with a second line here\nand a third one that ends it.",
            "Running the tests now\n  test a ... ok\n  test b ... ok\n  test c ... FAILED",
            "2026-05-01 00:00:01 INFO started\n2026-05-01 00:00:02 INFO ready\n2026-05-01 00:00:03 WARN slow",
            "def main():\n    x = 1\n    y = 2\n    return x | y",
            "key: value\nlist:\n  - a\n  - b",
        ] {
            assert_eq!(found(text), [], "{text}");
            assert_eq!(delimiter(text), None, "{text}");
        }
    }

    #[test]
    fn delimiters_are_found_by_the_number_of_cells() {
        for (text, sign) in [
            ("id,name\n1,a\n2,b\n3,c", Some(b',')),
            ("id\trate\n1\t.1\n2\t.2", Some(b'\t')),
            ("a;b;c\n1;2;3\n4;5;6", Some(b';')),
            ("a|b|c\n1|2|3\n4|5|6", Some(b'|')),
            ("1,2,3\n4,5,6\n7,8,9", Some(b',')),
            ("One, two, and three.\nFour, and five.\nSix.", None),
            (
                "2026-05-01 00:00:01,123 INFO started the worker pool with 4 threads\n2026-05-01 00:00:01,129 INFO b\n2026-05-01 00:00:01,150 INFO c",
                None,
            ),
            ("let a = 1;\nlet b = 2;\nlet c = 3;", None),
            ("\tindented\n\tindented\n\tindented", None),
        ] {
            assert_eq!(delimiter(text), sign, "{text}");
        }
    }
}
