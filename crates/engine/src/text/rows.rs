//! What the rows of a table are worth, and what the table holds in a few words.
//!
//! Made for any list of lines that splits into cells, whatever is around it: give [`Rows::study`] the rows and how they split.
//!
//! ```text
//! let rows = Rows::study(text, Cut::Ruled('|'), names, ranges);
//! let worths = rows.worths();      // one a row, about 0.1 to 2.5; add what the hits are worth
//! let pieces = rows.summary();     // for the marker, the most telling first
//! let caps = rows.caps(140);       // what to leave of each column's cells so that a row costs about 140
//! ```

use std::ops::Range;

use super::cells::Cut;
use super::column::Column;
use crate::json::ids::IdMap;
use crate::order::Order as _;

/// Columns that are studied; those after them are one.
const MAX_COLUMNS: usize = 256;
/// Rows whose widths are measured.
const MEASURED: usize = 128;
/// The widths that cells are cut to, the widest first. Below the last a text says nothing.
const WIDTHS: [usize; 7] = [usize::MAX, 160, 100, 72, 52, 38, 28];
/// Rows with another number of cells than most are news only if they are few.
const MAX_ODD: usize = 24;

/// The rows of one table.
#[derive(Debug)]
pub(crate) struct Rows<'t> {
    pub(crate) text: &'t str,
    pub(crate) cut: Cut,
    pub(crate) names: Vec<String>,
    /// Byte ranges.
    pub(crate) ranges: Vec<Range<u32>>,
    pub(crate) columns: Vec<Column<'t>>,
    odd: Vec<u32>,
    repeats: Vec<Range<u32>>,
}

impl<'t> Rows<'t> {
    /// Looks at every cell once.
    pub(crate) fn study(text: &'t str, cut: Cut, names: Vec<String>, ranges: Vec<Range<u32>>) -> Self {
        let mut columns: Vec<Column<'t>> = Vec::new();
        let mut odd = Vec::new();
        let mut odds = 0usize;
        let mut repeats: Vec<Range<u32>> = Vec::new();
        let usual = if names.is_empty() {
            ranges.first().map_or(0, |r| cut.cells(&text[r.start as usize..r.end as usize]).len())
        } else {
            names.len()
        };
        let mut before = "";
        for (at, range) in ranges.iter().enumerate() {
            let row = &text[range.start as usize..range.end as usize];
            let at = at as u32;
            if row == before && at > 0 {
                match repeats.last_mut().filter(|r| r.end == at) {
                    Some(last) => last.end += 1,
                    None => repeats.push(at..at + 1),
                }
            }
            before = row;
            let mut count = 0;
            cut.each(row, |column, cell| {
                count = column + 1;
                if columns.len() <= column && column < MAX_COLUMNS {
                    columns.push(Column::new());
                }
                if let Some(column) = columns.get_mut(column) {
                    column.add(at, &row[cell]);
                }
            });
            if count != usual {
                odds += 1;
                odd.push(at);
                odd.truncate(MAX_ODD);
            }
        }
        if odds * 20 > ranges.len() {
            odd.clear();
        }
        columns.iter_mut().for_each(Column::settle);
        Self { text, cut, names, ranges, columns, odd, repeats }
    }

    /// The text of a row.
    pub(crate) fn row(&self, at: usize) -> &'t str {
        let range = &self.ranges[at];
        &self.text[range.start as usize..range.end as usize]
    }

    /// What each row is worth by its place and its values.
    pub(crate) fn worths(&self) -> Vec<f32> {
        let count = self.ranges.len();
        let mut worths: Vec<f32> = (0..count)
            .map(|at| {
                let from_end = (count - 1 - at) as f32;
                let at = at as f32;
                // The first rows show what a row is, the last where the table ends; after them the rows that follow the first ones, since
                // neighbours share a gap.
                0.08 + 0.06 / (1.0 + at / 100.0) + 1.6 / (1.0 + at) + 1.2 / (1.0 + from_end)
            })
            .collect();
        for run in &self.repeats {
            for at in run.clone() {
                worths[at as usize] *= 0.2;
            }
        }
        let mut news: IdMap<u32, (f32, f32)> = IdMap::default();
        let mut measures = 0;
        for (at, column) in self.columns.iter().enumerate() {
            // Of many columns of numbers the first ones are what the table is about.
            let weight = self.weight(at) * if column.numbers.is_some() { 1.0 / (1.0 + 0.2 * measures as f32) } else { 1.0 };
            measures += usize::from(column.numbers.as_ref().is_some_and(|n| !n.ordered()));
            column.unusual(|row, strength| {
                let entry = news.entry(row).or_default();
                entry.0 = entry.0.max(strength * weight);
                entry.1 += strength * weight;
            });
        }
        for &row in &self.odd {
            news.entry(row).or_default().0 = 0.9;
        }
        for (row, (best, sum)) in news {
            worths[row as usize] += 1.2 * best + 0.2 * (sum - best).clamp(0.0, 2.0);
        }
        let mut firsts: IdMap<u32, i32> = IdMap::default();
        for row in self.columns.iter().flat_map(Column::firsts) {
            *firsts.entry(row).or_default() += 1;
        }
        for (row, values) in firsts {
            worths[row as usize] += 0.4 * (1.0 - 0.6f32.powi(values));
        }
        worths
    }

    /// How much a column's values say: numbers that only name a record are no measure.
    fn weight(&self, column: usize) -> f32 {
        let name = self.names.get(column).map_or("", String::as_str);
        let lower = name.to_ascii_lowercase();
        let names_record = self.columns[column].numbers.is_some()
            && (matches!(
                lower.as_str(),
                "id" | "#" | "no" | "nr" | "pid" | "ppid" | "port" | "zip" | "year" | "lat" | "lon" | "latitude" | "longitude"
            ) || lower.ends_with("_id")
                || name.ends_with("Id")
                || name.ends_with("ID"));
        if names_record { 0.35 } else { 1.0 }
    }

    /// What the whole table holds, for the markers: the most telling first.
    pub(crate) fn summary(&self) -> Vec<String> {
        let mut pieces: Vec<(f32, String)> = self
            .columns
            .iter()
            .enumerate()
            .flat_map(|(at, column)| {
                let name = self.names.get(at).filter(|n| !n.is_empty()).cloned().unwrap_or_else(|| format!("column {}", at + 1));
                column.summary(&name).into_iter().map(move |(telling, text)| (telling * self.weight(at), text))
            })
            .collect();
        pieces.order_by(|a, b| b.0.total_cmp(&a.0));
        pieces.into_iter().map(|p| p.1).collect()
    }

    /// How many bytes to leave of the cells of each column so that a row costs about `room`; 0 for a column that goes.
    ///
    /// Wide cells are cut first, all alike; then the columns that say least for what they cost go, in every row but the first.
    pub(crate) fn caps(&self, room: usize) -> Vec<usize> {
        let stride = self.ranges.len() / MEASURED + 1;
        let measured: Vec<Vec<usize>> =
            (0..self.ranges.len()).step_by(stride).map(|at| self.cut.cells(self.row(at)).iter().map(|c| c.len()).collect()).collect();
        let rows = measured.len().max(1);
        let width = |column: usize, cap: usize| measured.iter().map(|m| m.get(column).map_or(0, |&len| len.min(cap))).sum::<usize>() / rows;
        let total = |caps: &[usize]| (0..caps.len()).map(|c| width(c, caps[c]) + 2).sum::<usize>();
        let mut caps = vec![usize::MAX; self.columns.len()];
        for cap in WIDTHS {
            caps.fill(cap);
            if total(&caps) <= room {
                break;
            }
        }
        let mut cost = total(&caps);
        // A column of one value is said once, if that saves something; not at the beginning, which tells the rows apart.
        let told_apart = self.columns.iter().position(|c| c.values.as_ref().is_none_or(|v| v.found.len() * 2 > self.ranges.len()));
        for (at, column) in self.columns.iter().enumerate().skip(told_apart.map_or(usize::MAX, |c| c + 1)) {
            if column.constant().is_some_and(|v| v.len() > 3) && cost > room {
                cost -= width(at, caps[at]).saturating_sub(1);
                caps[at] = 0;
            }
        }
        let mut order: Vec<(f32, usize)> =
            (1..caps.len()).filter(|&c| caps[c] > 0).map(|c| (self.says(c) / (width(c, caps[c]) + 4) as f32, c)).collect();
        order.order_by(|a, b| a.0.total_cmp(&b.0));
        let spare = order.len().saturating_sub(3);
        for &(_, column) in order.iter().take(spare) {
            if cost <= room + room / 2 {
                break;
            }
            cost -= width(column, caps[column]).saturating_sub(1);
            caps[column] = 0;
        }
        caps
    }

    /// What a column says about its rows.
    fn says(&self, at: usize) -> f32 {
        let column = &self.columns[at];
        let filled = column.filled.count as f32 / (column.filled.count + column.blank.count).max(1) as f32;
        let kind = match (&column.values, &column.numbers) {
            (Some(values), _) if values.found.len() <= 1 => 0.2,
            (Some(_), _) => 1.2,
            (_, Some(_)) => 1.0,
            // Texts and names; of long ones only a beginning is left.
            _ => 1.4,
        };
        // Earlier columns are what a table is about.
        kind * (0.2 + filled) * (1.0 + 1.0 / (1.0 + at as f32 / 3.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study(text: &str) -> Rows<'_> {
        let mut ranges: Vec<Range<u32>> = super::super::lines::split(text).map(|(s, e)| s as u32..e as u32).collect();
        let header = ranges.remove(0);
        let names = Cut::Delimited(b',').cells(&text[..header.end as usize]).iter().map(|n| (*n).to_owned()).collect();
        Rows::study(text, Cut::Delimited(b','), names, ranges)
    }

    #[test]
    fn the_unusual_row_is_worth_most() {
        let mut text = String::from("id,state,amount");
        for n in 0..200 {
            let (state, amount) = (if n == 77 { "lost" } else { "ok" }, if n == 120 { 90_000 } else { 100 + n % 7 });
            text += &["\n", &n.to_string(), ",", state, ",", &amount.to_string()].concat();
        }
        let rows = study(&text);
        let worths = rows.worths();
        let mut order: Vec<usize> = (0..200).collect();
        order.order_by(|&a, &b| worths[b].total_cmp(&worths[a]));
        assert!(order[..4].contains(&77) && order[..4].contains(&120) && order[..6].contains(&0), "{:?}", &order[..8]);
        assert_eq!(rows.summary(), ["state ok×199 lost×1", "amount 100–90000", "id 0–199"]);
    }

    #[test]
    fn wide_cells_are_cut_before_columns_go() {
        let mut text = String::from("id,note,region,size");
        for n in 0..50 {
            text += &["\n", &n.to_string(), ",", &"word ".repeat(30 + n % 3), ",europe-west,", &(n * 37 % 11).to_string()].concat();
        }
        let rows = study(&text);
        assert_eq!(rows.caps(400), [usize::MAX; 4]);
        let caps = rows.caps(60);
        assert!(caps[0] > 0 && (1..60).contains(&caps[1]) && caps[3] > 0, "{caps:?}");
    }
}
