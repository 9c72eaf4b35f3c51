//! Writing a table's row in less room: without padding, wide cells cut.

use std::ops::Range;

use super::Ask;
use super::cells::{Cut, ruled};
use super::lines::grapheme_floor;

/// A word of this many bytes is not cut: it may be a name.
const WORD: usize = 96;
/// Cells of a row that is kept for what it says are cut at the earliest here.
const WIDE: usize = 200;
/// A drawn line is no longer than this for each of its parts.
const DRAWN: usize = 3;

/// Writes rows.
pub(crate) struct Squeeze<'t> {
    ask: &'t Ask<'t>,
    /// A text that does not hold the sign can have it alone where something was cut.
    signed: bool,
}

impl<'t> Squeeze<'t> {
    pub(crate) fn new(text: &str, ask: &'t Ask<'t>) -> Self {
        Self { ask, signed: memchr::memmem::find(text.as_bytes(), ask.marks.sign().as_bytes()).is_none() }
    }

    /// Writes a row with its cells cut to `caps`; a `whole` row keeps all of its columns, and wide cells longer. Says whether a cell was cut.
    pub(crate) fn row(&self, row: &str, cut: &Cut, caps: &[usize], whole: bool, out: &mut String) -> bool {
        let cap = |column: usize| {
            let cap = caps.get(column).copied().unwrap_or(usize::MAX);
            if whole { cap.max(WIDE) } else { cap }
        };
        match cut {
            Cut::Delimited(sign) => {
                let mut any = false;
                let mut end = 0;
                cut.each(row, |column, cell| {
                    if column > 0 {
                        out.push(char::from(*sign));
                    }
                    end = cell.end;
                    any |= self.cell(&row[cell], cap(column), out);
                });
                any
            }
            Cut::Ruled(sign) => self.ruled(row, *sign, cap, out),
            Cut::Fixed(_) | Cut::Words(_) => self.fixed(row, cut, cap, out),
        }
    }

    fn ruled(&self, row: &str, sign: char, cap: impl Fn(usize) -> usize, out: &mut String) -> bool {
        let mut any = false;
        let mut end = 0;
        for (column, range) in ruled(row, sign).enumerate() {
            if row[..range.start].ends_with(sign) {
                out.push(sign);
            } else if range.start > 0 {
                out.push(' ');
            }
            let padded = &row[range.clone()];
            let cell = padded.trim();
            if padded.starts_with([' ', '\t']) {
                out.push(' ');
            }
            any |= self.cell(cell, cap(column), out);
            end = range.end;
            if !cell.is_empty() && padded.ends_with([' ', '\t']) && end < row.trim_end().len() {
                out.push(' ');
            }
        }
        if row[end..].starts_with(sign) {
            out.push(sign);
        }
        any
    }

    fn fixed(&self, row: &str, cut: &Cut, cap: impl Fn(usize) -> usize, out: &mut String) -> bool {
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut holes = false;
        cut.each(row, |_, cell| {
            holes |= cell.is_empty();
            found.push(cell);
        });
        // Where a cell is empty only the padding tells which one.
        if holes {
            out.push_str(row.trim_end());
            return false;
        }
        let (mut any, mut end, mut column) = (false, 0, 0);
        while column < found.len() {
            // Neighbours that go are one cut.
            let run = found[column..].iter().enumerate().take_while(|(nth, _)| cap(column + nth) == 0).count().max(1);
            let cell = found[column].start..found[column + run - 1].end;
            let (gap, gone) = (cell.start - end, cap(column) == 0);
            out.push_str(if gap > 1 && !gone { "  " } else { &row[cell.start - gap.min(1)..cell.start] });
            end = cell.end;
            any |= self.cell(&row[cell], cap(column), out);
            column += run;
        }
        any
    }

    /// Writes a cell in about `cap` bytes, words whole.
    fn cell(&self, cell: &str, cap: usize, out: &mut String) -> bool {
        if cell.len() <= cap.saturating_add(2) {
            out.push_str(cell);
            return false;
        }
        let quoted = cell.len() > 1 && cell.starts_with('"') && cell.ends_with('"');
        let inner = if quoted { &cell[1..cell.len() - 1] } else { cell };
        let mut head = if cap == 0 { 0 } else { word_floor(inner, cap) };
        if head == inner.len() {
            out.push_str(cell);
            return false;
        }
        // A quote in a quoted cell is two.
        while quoted && inner[..head].ends_with('"') {
            head -= 1;
        }
        let start = out.len();
        out.push_str(if quoted { "\"" } else { "" });
        out.push_str(&inner[..head]);
        if self.signed {
            out.push_str(self.ask.marks.sign());
        } else {
            out.push_str(&self.ask.marks.chars(inner[head..].chars().count()));
        }
        out.push_str(if quoted { "\"" } else { "" });
        if self.ask.meter.cost(&out.as_bytes()[start..]) >= self.ask.meter.cost(cell.as_bytes()) {
            out.truncate(start);
            out.push_str(cell);
            return false;
        }
        true
    }
}

/// Where a text is cut to about `cap` bytes: after a word; a word that stands alone is kept or goes as a whole.
fn word_floor(text: &str, cap: usize) -> usize {
    let at = grapheme_floor(text, cap);
    if text[at..].starts_with(' ') {
        return at;
    }
    match text[..at].rfind([' ', '\n']) {
        Some(space) if space > 0 => text[..space].trim_end().len(),
        _ if text[..at].is_ascii() => {
            let end = text.find([' ', '\n']).unwrap_or(text.len());
            if end <= WORD.max(cap) { end } else { 0 }
        }
        _ => at,
    }
}

/// Writes a drawn line with each of its runs shortened.
pub(crate) fn narrow(line: &str, out: &mut String) {
    let (mut before, mut run) = ('\0', 0);
    for c in line.trim_end().chars() {
        run = if c == before { run + 1 } else { 1 };
        before = c;
        if run <= if c == ' ' { 2 } else { DRAWN } {
            out.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Unit;
    use crate::marker::Marks;
    use crate::meter::Meter;
    use crate::words::Finder;

    #[test]
    fn rows_keep_their_form() {
        let (finder, meter, marks) = (Finder::new(Vec::new()), Meter::new(Unit::Chars), Marks::for_input(""));
        let ask = Ask { finder: &finder, meter: &meter, marks: &marks, limit: 100, depth: 0, trace: None };
        let squeeze = Squeeze::new("", &ask);
        for (cut, row, caps, written) in [
            (Cut::Delimited(b','), "1,\"some words, and \"\"more\"\" of them\",x", vec![9, 20, 9], "1,\"some words, and…\",x"),
            (Cut::Delimited(b','), "1,europe-west,x", vec![9, 0, 9], "1,…,x"),
            (Cut::Ruled('|'), "| a    |  some words of a text |   |", vec![9, 12, 9], "| a | some words… | |"),
            (Cut::Ruled('|'), " 1    | x      ", vec![9, 9], " 1 | x"),
            (Cut::Fixed(vec![0, 10, 20]), "web-1     1/1       Running", vec![9; 3], "web-1  1/1  Running"),
            (Cut::Fixed(vec![0, 10, 20]), "web-1               Running", vec![9; 3], "web-1               Running"),
            (Cut::Words(2), "  1 all the rest", vec![9; 2], "  1 all the…"),
        ] {
            let mut out = String::new();
            squeeze.row(row, &cut, &caps, false, &mut out);
            assert_eq!(out, written);
        }
        let mut out = String::new();
        narrow("+------+--+", &mut out);
        assert_eq!(out, "+---+--+");
    }
}
