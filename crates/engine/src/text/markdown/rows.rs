//! Which rows of a table are unusual: a rare value in a column that has few.

use crate::text::hash::TextMap;

/// Tables longer than this are judged by their beginning, so that memory stays bounded.
const MAX_VALUES: usize = 20_000;
const MAX_COLUMNS: usize = 16;

/// For each row, 0 to 1: how rare its rarest value is, among the columns that have few values.
pub(super) fn rarity(rows: &[&str]) -> Vec<f32> {
    let mut counts: Vec<TextMap<&str, u32>> = vec![TextMap::default(); MAX_COLUMNS];
    for row in rows {
        for (column, cell) in cells(row) {
            if counts[column].len() < MAX_VALUES {
                *counts[column].entry(cell).or_default() += 1;
            }
        }
    }
    let total = rows.len() as f32;
    let few: Vec<bool> = counts.iter().map(|c| (2..=8.max(rows.len() / 6)).contains(&c.len()) && rows.len() >= 6).collect();
    rows.iter()
        .map(|row| {
            cells(row)
                .filter(|(column, _)| few[*column])
                .map(|(column, cell)| 1.0 - (counts[column].get(cell).copied().unwrap_or(1) as f32).ln() / total.max(2.0).ln())
                .fold(0.0, f32::max)
        })
        .collect()
}

fn cells(row: &str) -> impl Iterator<Item = (usize, &str)> {
    row.trim().trim_start_matches('|').trim_end_matches('|').split('|').map(str::trim).enumerate().take(MAX_COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_with_the_rare_value_stands_out() {
        let rows: Vec<String> = (0..40).map(|i| format!("| {i} | {} |", if i == 17 { "failed" } else { "ok" })).collect();
        let found = rarity(&rows.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(found[17] > 0.9 && found.iter().enumerate().all(|(at, &r)| at == 17 || r < 0.1));
    }
}
