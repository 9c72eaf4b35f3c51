//! The rows as a table, for a terminal or in Markdown.

use super::{Row, Size};
use crate::columns::{grouped, in_columns, in_markdown, percent};

/// The table, after a line that says what is counted.
pub(super) fn text(rows: &[Row], markdown: bool) -> String {
    let is_filtered = rows.iter().any(|row| row.kept < row.tools);
    let mut heads = vec!["server", "tools", "bytes", "tokens"];
    if is_filtered {
        heads.extend(["kept", "filtered"]);
    }
    heads.extend(["listed", "rules", "low", "medium", "high", "max"]);
    let mut lines: Vec<Vec<String>> = rows.iter().map(|row| cells(row, is_filtered)).collect();
    lines.extend(rows.last().map(|row| savings(row, is_filtered)));
    let body = if markdown { in_markdown(&heads, &lines) } else { in_columns(&heads, &lines) };
    format!("Tokens (o200k_base) of names, descriptions and input schemas; listed: as configured\n\n{body}")
}

fn cells(row: &Row, is_filtered: bool) -> Vec<String> {
    let mut cells = vec![row.name.clone(), row.tools.to_string(), grouped(row.raw.bytes), grouped(row.raw.tokens)];
    if is_filtered {
        cells.extend([row.kept.to_string(), grouped(row.filtered.tokens)]);
    }
    cells.extend(made_smaller(row).map(|size| grouped(size.tokens)));
    cells
}

/// What the last row saves against its tokens as they are.
fn savings(row: &Row, is_filtered: bool) -> Vec<String> {
    let mut cells = vec![String::new(); 4];
    if is_filtered {
        cells.extend([String::new(), percent(row.filtered.tokens, row.raw.tokens)]);
    }
    cells.extend(made_smaller(row).map(|size| percent(size.tokens, row.raw.tokens)));
    cells
}

fn made_smaller(row: &Row) -> [Size; 6] {
    [row.listed, row.rules, row.low, row.medium, row.high, row.max]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, kept: usize) -> Row {
        let size = |tokens| Size { bytes: tokens * 4, tokens };
        let (raw, filtered) = (size(1_234_567), size(600_000));
        let listed = size(300_000);
        let (rules, low, medium, high, max) = (size(900_000), size(400_000), size(200_000), size(100_000), size(2_000_000));
        Row { name: name.to_owned(), tools: 13, raw, kept, filtered, listed, rules, low, medium, high, max }
    }

    #[test]
    fn columns_line_up_and_end_with_what_is_saved() {
        let expected = "\
Tokens (o200k_base) of names, descriptions and input schemas; listed: as configured

server  tools      bytes     tokens   listed    rules      low   medium     high        max
files      13  4,938,268  1,234,567  300,000  900,000  400,000  200,000  100,000  2,000,000
                                     −75.7 %  −27.1 %  −67.6 %  −83.8 %  −91.9 %    +62.0 %
";
        assert_eq!(text(&[row("files", 13)], false), expected);
    }

    #[test]
    fn filters_show_where_they_leave_something_out() {
        let expected = "\
Tokens (o200k_base) of names, descriptions and input schemas; listed: as configured

| server | tools | bytes | tokens | kept | filtered | listed | rules | low | medium | high | max |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| a\\|b | 13 | 4,938,268 | 1,234,567 | 7 | 600,000 | 300,000 | 900,000 | 400,000 | 200,000 | 100,000 | 2,000,000 |
|  |  |  |  |  | −51.4 % | −75.7 % | −27.1 % | −67.6 % | −83.8 % | −91.9 % | +62.0 % |
";
        assert_eq!(text(&[row("a|b", 7)], true), expected);
    }
}
