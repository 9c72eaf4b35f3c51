//! Tables of names, which are others', and numbers.

use snugfit_proxy::log::harmless;

/// What `after` is more or less than `before`.
pub(crate) fn percent(after: usize, before: usize) -> String {
    if before == 0 {
        return String::new();
    }
    let change = (after as f64 / before as f64 - 1.0) * 100.0;
    format!("{}{:.1} %", if change < 0.0 { "−" } else { "+" }, change.abs())
}

/// A number with a comma between thousands.
pub(crate) fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The first column to the left, numbers to the right.
pub(crate) fn in_columns(heads: &[&str], lines: &[Vec<String>]) -> String {
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    let lines: Vec<Vec<String>> = lines.iter().map(|line| line.iter().map(|cell| harmless(cell)).collect()).collect();
    let all = || std::iter::once(&heads).chain(&lines);
    let widths: Vec<usize> = (0..heads.len()).map(|at| all().map(|line| line[at].chars().count()).max().unwrap_or_default()).collect();
    let mut out = String::new();
    for line in all() {
        let cells = line.iter().zip(&widths).enumerate();
        let cells = cells.map(|(at, (cell, &width))| if at == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") });
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}

/// The same as a table in Markdown.
pub(crate) fn in_markdown(heads: &[&str], lines: &[Vec<String>]) -> String {
    let line =
        |cells: &[String]| format!("| {} |\n", cells.iter().map(|cell| harmless(cell).replace('|', "\\|")).collect::<Vec<_>>().join(" | "));
    let rule = format!("| --- |{}\n", " ---: |".repeat(heads.len() - 1));
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    format!("{}{rule}{}", line(&heads), lines.iter().map(|cells| line(cells)).collect::<String>())
}
