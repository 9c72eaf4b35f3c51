//! Tables: CSV, TSV, ruled tables, fixed columns, results of SQL and of command lines.
//!
//! Header and footer stay; of the rows the first and last, the unusual ones and those that the call names. Padding goes first, then wide cells
//! are cut, then rows go; the markers tell what the table holds.

use std::ops::Range;

use super::cells::Cut;
use super::choice::{Form, Gap, choose, write_plain};
use super::layout::{Block, Lines, blocks, border, delimited, delimiter};
use super::lines::{Line, NONE, split};
use super::rows::Rows;
use super::squeeze::{Squeeze, narrow};
use super::{Ask, cells, plain};
use crate::detect::Sample;
use crate::report::Report;

/// A row costs at most this part of the limit, so that some can be compared.
const ROWS: usize = 14;
/// A row that is hit so strongly is written with wider cells.
const TOLD: f32 = 0.3;
/// Room for what a marker tells of the table.
const TELLING: usize = 165;

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    if sample.lines.len() < 3 {
        return false;
    }
    if delimiter(sample.head).is_some() {
        return true;
    }
    let lines = lines_of(sample.head);
    let covered: usize = blocks(&lines).iter().map(|b| b.rows.end - b.header.start).sum();
    let filled = lines.ranges.iter().filter(|r| r.1 > r.0).count();
    covered * 10 >= filled * 6 && covered > 0
}

fn lines_of(text: &str) -> Lines<'_> {
    Lines { text, ranges: split(text).map(|(s, e)| (s as u32, e as u32)).collect() }
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let sample = Sample::new(text);
    let sign = delimiter(sample.head);
    let lines = match sign {
        Some(sign) => Lines { text, ranges: cells::records(text, sign).map(|r| (r.start as u32, r.end as u32)).collect() },
        None => lines_of(text),
    };
    let blocks = sign.map_or_else(|| blocks(&lines), |sign| vec![delimited(&lines, sign)]);
    if blocks.is_empty() {
        return plain::fit(text, ask, report);
    }
    let tables = Tables::new(&lines, blocks, ask);
    choose(&tables.worths, &tables, ask, report)
}

/// A table of the text, studied.
struct Table<'t> {
    header: Range<usize>,
    span: Range<usize>,
    /// The lines that are rows; borders between them are none.
    rows: Vec<u32>,
    study: Rows<'t>,
    caps: Vec<usize>,
    told: Vec<String>,
}

struct Tables<'t> {
    lines: &'t Lines<'t>,
    ask: &'t Ask<'t>,
    found: Vec<Table<'t>>,
    worths: Vec<Line>,
    hit: Vec<u32>,
    squeeze: Squeeze<'t>,
    /// The first text line of each line, where a row may be several.
    numbers: Vec<u32>,
}

impl<'t> Tables<'t> {
    fn new(lines: &'t Lines<'t>, blocks: Vec<Block>, ask: &'t Ask<'t>) -> Self {
        let text = lines.text;
        let mut worths: Vec<Line> = lines.ranges.iter().map(|&(start, end)| Line { start, end, worth: 0.0, under: NONE }).collect();
        let mut found: Vec<Table<'t>> = Vec::with_capacity(blocks.len());
        let room = (ask.limit / ROWS).max(40);
        for block in blocks {
            let ruled = matches!(block.cut, Cut::Ruled(_));
            let rows: Vec<u32> = block.rows.clone().filter(|&at| !ruled || !border(lines.get(at))).map(|at| at as u32).collect();
            let ranges = rows.iter().map(|&at| lines.ranges[at as usize]).map(|(start, end)| start..end).collect();
            let study = Rows::study(text, block.cut, block.names, ranges);
            for (&at, worth) in rows.iter().zip(study.worths()) {
                worths[at as usize].worth = worth;
                worths[at as usize].under = if block.header.is_empty() { NONE } else { block.header.start as u32 };
            }
            for at in block.header.clone() {
                worths[at].worth = 6.0;
            }
            let (caps, told) = (study.caps(room), study.summary());
            found.push(Table {
                span: block.header.start.min(block.rows.start)..block.rows.end,
                header: block.header,
                rows,
                study,
                caps,
                told,
            });
        }
        around(lines, &found, &mut worths);
        let mut hit = Vec::new();
        let hits = ask.finder.hits(text, lines.ranges.len());
        let mut next = 0;
        for (at, line) in worths.iter_mut().enumerate() {
            let mut best: f32 = 0.0;
            while let Some(h) = hits.get(next).filter(|h| h.at < line.end.max(line.start + 1)) {
                best = best.max(h.strength);
                next += 1;
            }
            line.worth += 1.6 * best;
            if best > TOLD {
                hit.push(at as u32);
            }
        }
        let whole = text.matches('\n').count() + 1 == lines.ranges.len() || lines.ranges.len() < 2;
        let numbers = if whole { Vec::new() } else { numbers(lines) };
        Self { lines, ask, found, worths, hit, squeeze: Squeeze::new(text, ask), numbers }
    }

    /// The table that a line stands in, and its row, if it is one.
    fn at(&self, line: usize) -> Option<(&Table<'t>, Option<usize>)> {
        let table = self.found.get(self.found.partition_point(|t| t.span.end <= line)).filter(|t| t.span.start <= line)?;
        Some((table, table.rows.binary_search(&(line as u32)).ok()))
    }
}

/// What the lines around the tables are worth: titles, notes and counts are short and say what the table is.
fn around(lines: &Lines<'_>, tables: &[Table<'_>], worths: &mut [Line]) {
    let mut table = 0;
    for (at, line) in worths.iter_mut().enumerate() {
        while tables.get(table).is_some_and(|t| t.span.end <= at) {
            table += 1;
        }
        if tables.get(table).is_some_and(|t| t.span.contains(&at)) {
            continue;
        }
        let text = lines.get(at);
        let before = tables.get(table).map_or(usize::MAX, |t| t.span.start - at);
        let after = table.checked_sub(1).map_or(usize::MAX, |t| at - tables[t].span.end);
        let near = before.min(after.saturating_add(1)) as f32;
        line.worth = if text.trim().is_empty() || border(text) { 0.02 } else { 0.15 + 2.0 / (1.0 + near / 2.0) };
    }
}

fn numbers(lines: &Lines<'_>) -> Vec<u32> {
    let (mut count, mut from) = (0, 0);
    let ends = lines.ranges.iter().map(|r| r.0 as usize).chain([lines.text.len()]);
    ends.map(|start| {
        count += memchr::memchr_iter(b'\n', &lines.text.as_bytes()[from..start]).count() as u32;
        from = start;
        count
    })
    .collect()
}

impl Form for Tables<'_> {
    fn line(&self, at: usize, room: usize, out: &mut String) -> bool {
        let line = self.lines.get(at);
        let Some((table, row)) = self.at(at) else { return write_plain(line, room, self.ask, out) };
        let start = out.len();
        let mut cut = false;
        match row {
            Some(row) => {
                let whole = row == 0 || self.hit.binary_search(&(at as u32)).is_ok();
                cut = self.squeeze.row(line, &table.study.cut, &table.caps, whole, out);
            }
            None if border(line) => narrow(line, out),
            None => {
                self.squeeze.row(line, &table.study.cut, &[], true, out);
            }
        }
        let room = if table.header.contains(&at) { room.min((self.ask.limit / 2).max(40)) } else { room };
        if self.ask.meter.cost(&out.as_bytes()[start..]) > room {
            let written = out.split_off(start);
            cut |= write_plain(&written, room, self.ask, out);
        }
        cut
    }

    fn tell(&self, gaps: &[Gap]) -> Vec<Vec<String>> {
        let mut told = vec![0; self.found.len()];
        let mut counted = vec![false; self.found.len()];
        gaps.iter()
            .map(|gap| {
                let at = self.found.partition_point(|t| t.span.end <= gap.from);
                let Some(table) = self.found.get(at).filter(|t| t.span.start < gap.to) else { return Vec::new() };
                let mut pieces = vec![format!("of {}{}", table.rows.len(), if self.numbers.is_empty() { "" } else { " rows" })];
                let mut size = 0;
                while let Some(piece) = table.told.get(told[at]).filter(|p| size == 0 || size + p.len() < TELLING) {
                    size += piece.len() + 2;
                    pieces.push(piece.clone());
                    told[at] += 1;
                }
                if pieces.len() > 1 {
                    pieces[0].push(':');
                }
                counted[at] |= size > 0;
                // What the table holds is said in the first places; the others only say how many.
                if size == 0 && std::mem::replace(&mut counted[at], true) { Vec::new() } else { pieces }
            })
            .collect()
    }

    fn number(&self, at: usize) -> usize {
        self.numbers.get(at).map_or(at, |&n| n as usize)
    }

    fn long(&self) -> usize {
        (self.ask.limit / ROWS * 2).max(240)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{grep, prom, tree};

    #[test]
    fn other_kinds_are_left_alone() {
        let cursor = "eyJvZmZzZXQiOjEyMCwic29ydCI6Im5hbWUiLCJ0b2tlbiI6ImFiYy9kZWYrZ2hpIn0=".repeat(4);
        for text in [
            cursor.as_str(),
            "export function App() {\n  return (\n    <div className=\"a\">\n      <Title size={2} />\n      {items.map((i) => <Item key={i} />)}\n    </div>\n  );\n}\n",
            "import os\nfrom a.b import c, d\n\nclass A:\n    x = 1\n    y = [1, 2, 3]\n\n    def f(self, a, b):\n        return a, b\n",
            "name: app\nversion: 1.2\nitems:\n  - a: 1\n    b: 2\n  - a: 3\n    b: 4\nlast: true\n",
            "2026-05-01T10:00:00Z INFO  server  started on port 80\n2026-05-01T10:00:01Z WARN  pool  slow query, 3 s\n2026-05-01T10:00:02Z ERROR pool  timed out\n2026-05-01T10:00:03Z INFO  server  stopped\n",
            "It was a long day, and the road went on, as roads do.\nNobody said a word, not even the driver, who knew.\nThen, at last, the lights came up.\nThey stopped.\n",
            "Traceback (most recent call last):\n  File \"/app/a.py\", line 3, in <module>\n    f(1, 2)\n  File \"/app/b.py\", line 9, in f\n    raise ValueError\nValueError\n",
            "# Title\n\nSome text with a list:\n\n- one, two\n- three, four\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nMore text here,\nand more of it, too.\n",
            "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@\n fn main() {\n-    old(a, b);\n+    new(a, b);\n }\n",
            "   Compiling a v0.1.0 (/src/a)\n   Compiling b v0.2.0\nwarning: unused variable\n  --> src/a.rs:3:9\n    Finished in 3 s\n",
            "SELECT a, b\nFROM t\nWHERE a = 1, b = 2\nORDER BY a;\n",
        ] {
            let sample = Sample::new(text);
            let found = [looks(&sample), tree::looks(&sample), grep::looks(&sample), prom::looks(&sample)];
            assert_eq!(found, [false; 4], "table, tree, grep, metrics: {text}");
        }
    }
}
