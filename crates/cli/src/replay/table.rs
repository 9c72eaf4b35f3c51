//! The rows as a table, for a terminal or in Markdown.

use super::Row;
use crate::columns::{grouped, in_columns, in_markdown, percent};

/// The table, after a line that says what is counted.
pub(super) fn text(rows: &[Row], markdown: bool) -> String {
    let heads = ["tool", "results", "cut", "largest", "tokens", "sent", "saved"];
    let mut lines: Vec<Vec<String>> = rows.iter().map(cells).collect();
    if rows.len() > 1 {
        lines.push(cells(&total(rows)));
    }
    let body = if markdown { in_markdown(&heads, &lines) } else { in_columns(&heads, &lines) };
    format!("Tokens by the high estimate, a third of the bytes\n\n{body}")
}

fn cells(row: &Row) -> Vec<String> {
    let numbers = [row.results, row.cut, row.largest, row.before, row.after];
    std::iter::once(row.tool.clone()).chain(numbers.map(grouped)).chain([percent(row.after, row.before)]).collect()
}

fn total(rows: &[Row]) -> Row {
    let sum = |of: fn(&Row) -> usize| rows.iter().map(of).sum();
    Row {
        tool: "all".to_owned(),
        results: sum(|row| row.results),
        cut: sum(|row| row.cut),
        before: sum(|row| row.before),
        after: sum(|row| row.after),
        largest: rows.iter().map(|row| row.largest).max().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_line_up_and_end_with_all() {
        let row = |tool: &str, before, after| Row { tool: tool.to_owned(), results: 2, cut: 1, before, after, largest: before / 2 };
        let expected = "\
Tokens by the high estimate, a third of the bytes

tool        results  cut  largest   tokens    sent    saved
files.read        2    1  600,000  1,200,000  30,000  −97.5 %
b\u{fffd}                2    1       50      100     100   +0.0 %
";
        let text = text(&[row("files.read", 1_200_000, 30_000), row("b\x1b", 100, 100)], false);
        let columns =
            |text: &str| text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect::<Vec<Vec<String>>>();
        assert_eq!(columns(&text)[..5], columns(expected)[..5]);
        assert!(
            text.lines().last().is_some_and(|line| line.starts_with("all") && line.contains("1,200,100") && line.ends_with("−97.5 %")),
            "{text}"
        );
    }
}
