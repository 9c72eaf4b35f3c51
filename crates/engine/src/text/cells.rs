//! How a line of a table splits into cells.

use std::ops::Range;

/// Where the cells of a table's rows begin and end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cut {
    /// CSV and its kin: one ASCII sign between cells; cells may be quoted.
    Delimited(u8),
    /// A sign between cells that are padded, often one at both ends as well: Markdown, `psql`, `mysql`, box drawing.
    Ruled(char),
    /// Columns begin at these characters.
    Fixed(Vec<usize>),
    /// So many cells, with white space between; the last takes the rest.
    Words(usize),
}

impl Cut {
    /// Calls `found` with each cell's number and its byte range in `row`, without padding.
    pub(crate) fn each(&self, row: &str, mut found: impl FnMut(usize, Range<usize>)) {
        match self {
            Self::Delimited(sign) => delimited(row, *sign, found),
            Self::Ruled(sign) => {
                for (column, cell) in ruled(row, *sign).enumerate() {
                    found(column, trimmed(row, cell));
                }
            }
            Self::Fixed(starts) => fixed(row, starts, found),
            Self::Words(count) => {
                let bytes = row.as_bytes();
                let mut at = 0;
                for column in 0..*count {
                    at += bytes[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
                    if at == bytes.len() {
                        return;
                    }
                    let end = if column + 1 == *count {
                        bytes.len()
                    } else {
                        at + bytes[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count()
                    };
                    found(column, trimmed(row, at..end));
                    at = end;
                }
            }
        }
    }

    /// The cells of one row.
    pub(crate) fn cells<'r>(&self, row: &'r str) -> Vec<&'r str> {
        let mut cells = Vec::new();
        self.each(row, |_, cell| cells.push(&row[cell]));
        cells
    }
}

/// A cell's value: without the quotes around it.
pub(crate) fn bare(cell: &str) -> &str {
    cell.strip_prefix('"').and_then(|c| c.strip_suffix('"')).unwrap_or(cell)
}

fn trimmed(row: &str, range: Range<usize>) -> Range<usize> {
    let bytes = &row.as_bytes()[range.clone()];
    if let [first, .., last] = bytes
        && *first > b' '
        && *last > b' '
    {
        return range;
    }
    let cell = &row[range.clone()];
    let start = range.start + (cell.len() - cell.trim_ascii_start().len());
    start..start + cell.trim_ascii().len()
}

fn delimited(row: &str, sign: u8, mut found: impl FnMut(usize, Range<usize>)) {
    let bytes = row.as_bytes();
    let quoted = memchr::memchr(b'"', bytes).is_some();
    let (mut column, mut start) = (0, 0);
    if !quoted {
        for end in memchr::memchr_iter(sign, bytes) {
            found(column, trimmed(row, start..end));
            (column, start) = (column + 1, end + 1);
        }
        found(column, trimmed(row, start..bytes.len()));
        return;
    }
    loop {
        let end = if bytes.get(start) == Some(&b'"') {
            let closed = quote_end(bytes, start);
            memchr::memchr(sign, &bytes[closed..]).map(|at| closed + at)
        } else {
            memchr::memchr(sign, &bytes[start..]).map(|at| start + at)
        };
        found(column, trimmed(row, start..end.unwrap_or(bytes.len())));
        let Some(end) = end else { return };
        column += 1;
        start = end + 1;
    }
}

/// The offset after the quote that closes the one at `open`; a doubled quote closes nothing.
fn quote_end(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(next) = memchr::memchr(b'"', &bytes[at..]) {
        at += next + 1;
        if bytes.get(at) != Some(&b'"') {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// The byte ranges of a ruled row's cells, padding included.
pub(crate) fn ruled(row: &str, sign: char) -> impl Iterator<Item = Range<usize>> {
    let body = row.trim();
    let base = row.len() - row.trim_start().len();
    let (from, to) = (base + if body.starts_with(sign) { sign.len_utf8() } else { 0 }, base + body.len());
    let to = if body.len() > sign.len_utf8() && body.ends_with(sign) && !body.ends_with("\\|") { to - sign.len_utf8() } else { to };
    let mut start = from.min(to);
    let mut done = false;
    let mut signs =
        row[start..to].match_indices(sign).map(move |(at, _)| from.min(to) + at).filter(|&at| at == 0 || row.as_bytes()[at - 1] != b'\\');
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let end = signs.next().unwrap_or_else(|| {
            done = true;
            to
        });
        let cell = start..end;
        start = end + sign.len_utf8();
        Some(cell)
    })
}

fn fixed(row: &str, starts: &[usize], mut found: impl FnMut(usize, Range<usize>)) {
    let bytes = row.as_bytes();
    // Columns are counted in characters; for ASCII they are bytes.
    let mut chars = if row.is_ascii() { None } else { Some(row.char_indices().map(|c| c.0).chain([row.len()]).enumerate().peekable()) };
    let mut offset = |column: usize| match &mut chars {
        None => column.min(row.len()),
        Some(chars) => {
            while chars.peek().is_some_and(|c| c.0 < column) && chars.peek().is_some_and(|c| c.1 < row.len()) {
                chars.next();
            }
            chars.peek().map_or(row.len(), |c| c.1)
        }
    };
    let mut from = 0;
    for column in 0..starts.len() {
        let mut to = starts.get(column + 1).map_or(row.len(), |&next| offset(next));
        // A cell wider than its column runs on to the next space.
        while to < bytes.len() && to > from && bytes[to - 1] != b' ' && bytes[to] != b' ' {
            to += 1;
        }
        let to = row.ceil_char_boundary(to.max(from));
        found(column, trimmed(row, from..to));
        from = to;
    }
}

/// The records of a delimited text: byte ranges without the line feed; a quoted cell may hold line feeds.
pub(crate) fn records(text: &str, sign: u8) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut done = false;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let from = start;
        let mut line_end = memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at);
        if memchr::memchr(b'"', &bytes[from..line_end]).is_some() {
            // Quotes open at the beginning of a cell only.
            let mut at = from;
            loop {
                if bytes.get(at) == Some(&b'"') {
                    let within = &bytes[..bytes.len().min(at + MAX_QUOTED)];
                    let closed = quote_end(within, at);
                    // A quote that nothing closes for long is a quote sign.
                    if closed > line_end && closed < within.len() {
                        line_end = memchr::memchr(b'\n', &bytes[closed..]).map_or(bytes.len(), |n| closed + n);
                    }
                    at = closed;
                }
                match bytes.get(at..line_end).and_then(|rest| memchr::memchr(sign, rest)) {
                    Some(next) => at += next + 1,
                    None => break,
                }
            }
        }
        start = line_end + 1;
        done = line_end >= bytes.len();
        let end = if line_end > from && bytes[line_end - 1] == b'\r' { line_end - 1 } else { line_end };
        Some(from..end)
    })
}

/// Longest quoted cell that may go over several lines, in bytes.
const MAX_QUOTED: usize = 32 * 1024;

/// The columns of lines whose cells stand one below the other: the characters at which they begin. The first line is the header.
pub(crate) fn columns(lines: &[&str]) -> Vec<usize> {
    let width = lines.iter().map(|l| l.chars().count().min(MAX_WIDTH)).max().unwrap_or(0);
    let mut filled = vec![0usize; width];
    for line in lines {
        for (at, c) in line.chars().take(width).enumerate() {
            filled[at] += usize::from(!c.is_whitespace());
        }
    }
    let names: Vec<char> = lines.first().map_or_else(Vec::new, |l| l.chars().collect());
    // A cell that runs over its column now and then does not close the gap.
    let tolerated = lines.len() / 25;
    let headed = |at: usize| names.get(at).is_some_and(|c| !c.is_whitespace());
    let mut starts: Vec<usize> = Vec::new();
    let (mut from, mut any) = (0, false);
    for at in 0..=width {
        let blank = filled.get(at).is_none_or(|&f| f <= tolerated && !headed(at));
        if !blank {
            any |= headed(at);
            continue;
        }
        let column = at > from;
        if column && (any || starts.is_empty()) {
            starts.push(from);
        }
        (from, any) = (at + 1, false);
    }
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    starts
}

/// Characters of a line that are looked at for columns.
const MAX_WIDTH: usize = 2_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_split_by_their_form() {
        for (cut, row, cells) in [
            (Cut::Delimited(b','), "1,\"a, \"\"b\"\"\",,x", vec!["1", "\"a, \"\"b\"\"\"", "", "x"]),
            (Cut::Delimited(b'\t'), "a\t b\t", vec!["a", "b", ""]),
            (Cut::Delimited(b','), "\"open, to the end", vec!["\"open, to the end"]),
            (Cut::Ruled('|'), "| a | b \\| c |  |", vec!["a", "b \\| c", ""]),
            (Cut::Ruled('|'), " 1 | x  | ", vec!["1", "x"]),
            (Cut::Ruled('│'), "│ ä │ b │", vec!["ä", "b"]),
            (Cut::Ruled('|'), "|", vec![""]),
            (Cut::Fixed(vec![0, 6, 10]), "pod-a 1/1 Running", vec!["pod-a", "1/1", "Running"]),
            (Cut::Fixed(vec![0, 6, 10]), "pöd-a 1/1 Running", vec!["pöd-a", "1/1", "Running"]),
            (Cut::Fixed(vec![0, 4, 8]), "too-long 1 x", vec!["too-long", "", "1 x"]),
            (Cut::Words(3), "  a  b  c d ", vec!["a", "b", "c d"]),
            (Cut::Words(3), "", vec![]),
        ] {
            assert_eq!(cut.cells(row), cells, "{cut:?} {row}");
        }
    }

    #[test]
    fn a_quoted_cell_may_hold_line_feeds() {
        let text = "a,b\r\n1,\"x\ny\"\n2,5\" disk\n3,\"never closed\n4,z";
        let found: Vec<&str> = records(text, b',').map(|r| &text[r]).collect();
        assert_eq!(found, ["a,b", "1,\"x\ny\"", "2,5\" disk", "3,\"never closed", "4,z"]);
    }

    #[test]
    fn columns_begin_after_what_is_blank_in_all_lines() {
        let lines = ["NAME    READY   STATUS", "web-1   1/1     Running now", "db      0/1     Pending"];
        assert_eq!(columns(&lines), [0, 8, 16]);
        let lines = ["  PID TTY      CMD", "    1 ?        init of all", " 1204 pts/0    bash"];
        assert_eq!(columns(&lines), [0, 6, 15]);
    }
}
