//! How the values of one column of a table are distributed: few values and how often, numbers and their extremes, missing ones.

use super::cells::bare;
use super::number::number;
use crate::order::Order as _;

/// Values that are told apart in one column.
const MAX_VALUES: usize = 64;
/// Twice as many slots and more, so that probing stays short. A power of two.
const SLOTS: usize = 256;
/// Rows that are remembered for one value.
const MAX_ROWS: usize = 24;
/// Extremes that are remembered at either end.
const EXTREMES: usize = 6;
/// Numbers that are kept to find the middle and the spread; a power of two.
const SAMPLE: usize = 1_024;
/// A piece of a summary is about so long.
const MAX_PIECE: usize = 120;
/// What tools write where there is nothing.
const MISSING: [&str; 12] = ["", "-", "--", "NULL", "null", "None", "none", "<none>", "N/A", "n/a", "NaN", "\\N"];

/// Whether a cell says that there is nothing; nearly all are told by their first byte.
fn missing(cell: &str) -> bool {
    match cell.as_bytes().first() {
        None => true,
        Some(b'-' | b'N' | b'n' | b'<' | b'\\') => cell.len() <= 6 && MISSING.contains(&cell),
        _ => false,
    }
}

/// How often something comes, and the first rows where it does.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) count: u32,
    pub(crate) rows: Vec<u32>,
}

impl Tally {
    fn add(&mut self, row: u32) {
        self.count += 1;
        if self.rows.len() < MAX_ROWS {
            self.rows.push(row);
        }
    }
}

/// One column.
#[derive(Debug, Default)]
pub(crate) struct Column<'t> {
    pub(crate) blank: Tally,
    pub(crate) filled: Tally,
    /// The different values; nothing if there are too many to speak of.
    pub(crate) values: Option<Values<'t>>,
    /// The numbers, if it is a column of numbers.
    pub(crate) numbers: Option<Numbers<'t>>,
    /// Bytes of all its cells.
    pub(crate) bytes: u64,
}

/// A value and where it comes.
#[derive(Debug)]
pub(crate) struct Value<'t> {
    hash: u64,
    pub(crate) text: &'t str,
    pub(crate) tally: Tally,
}

/// The different values of a column.
#[derive(Debug)]
pub(crate) struct Values<'t> {
    slots: Box<[u8; SLOTS]>,
    pub(crate) found: Vec<Value<'t>>,
    /// Cells whose value came when the list was full.
    pub(crate) others: Tally,
}

/// The numbers of a column.
#[derive(Debug, Default)]
pub(crate) struct Numbers<'t> {
    good: u32,
    bad: u32,
    /// Largest first.
    pub(crate) top: Vec<(f64, u32, &'t str)>,
    /// Smallest first.
    pub(crate) bottom: Vec<(f64, u32, &'t str)>,
    last: Option<f64>,
    negative: u32,
    rises: u32,
    falls: u32,
    sample: Vec<f64>,
    stride: u32,
}

impl<'t> Column<'t> {
    pub(crate) fn new() -> Self {
        Self { values: Some(Values::new()), numbers: Some(Numbers::default()), ..Self::default() }
    }

    /// Counts a cell of row `row`.
    pub(crate) fn add(&mut self, row: u32, cell: &'t str) {
        self.bytes += cell.len() as u64;
        let cell = bare(cell);
        if missing(cell) {
            self.blank.add(row);
            return;
        }
        self.filled.add(row);
        if let Some(values) = &mut self.values {
            values.add(row, cell);
            if values.others.count > 256 && values.others.count > self.filled.count / 2 {
                self.values = None;
            }
        }
        if let Some(numbers) = &mut self.numbers {
            match number(cell) {
                Some(value) => numbers.add(row, value, cell),
                None => numbers.bad += 1,
            }
            if numbers.bad > 4 && numbers.bad > numbers.good / 8 {
                self.numbers = None;
            }
        }
    }

    /// Ends the counting.
    pub(crate) fn settle(&mut self) {
        if self.numbers.as_ref().is_some_and(|n| n.good < 2 || n.bad > n.good / 8) {
            self.numbers = None;
        }
        if let Some(numbers) = &mut self.numbers {
            numbers.sample.order_by(f64::total_cmp);
        }
    }

    /// The one value that all cells have, if they do.
    pub(crate) fn constant(&self) -> Option<&'t str> {
        match &self.values {
            Some(values) if self.blank.count == 0 && values.found.len() == 1 && self.filled.count > 2 => Some(values.found[0].text),
            _ => None,
        }
    }

    /// How often a value of the list comes.
    fn times(&self, text: &str) -> Option<u32> {
        self.values.as_ref()?.found.iter().find(|v| v.text == text).map(|v| v.tally.count)
    }

    /// The rows that are unusual in this column, and how much so, 0 to 1.
    pub(crate) fn unusual(&self, mut found: impl FnMut(u32, f32)) {
        let rows = (self.blank.count + self.filled.count) as f32;
        let scale = rows.max(3.0).ln();
        // A value is news as far as it is rarer than the column's values are in the mean: its surprise beyond the entropy.
        let minority = if self.blank.count < self.filled.count { &self.blank } else { &self.filled };
        let (p, log) = (minority.count as f32 / rows, |p: f32| if p > 0.0 { -p * p.ln() } else { 0.0 });
        if minority.count > 0 {
            let news = ((-p.ln() - log(p) - log(1.0 - p)) / scale).clamp(0.0, 1.0);
            spread(minority, 0.8 * news, &mut found);
        }
        if let Some(values) = &self.values {
            let filled = self.filled.count as f32;
            let entropy: f32 = values.found.iter().map(|v| log(v.tally.count as f32 / filled)).sum::<f32>()
                + values.others.count as f32 * log(1.0 / filled);
            for (tally, times) in values.found.iter().map(|v| (&v.tally, v.tally.count)).chain([(&values.others, 1)]) {
                let news = ((filled / times.max(1) as f32).ln() - entropy) / scale;
                if news > 0.2 {
                    spread(tally, news.min(1.0), &mut found);
                }
            }
        }
        if let Some(numbers) = self.numbers.as_ref().filter(|n| !n.ordered()) {
            for (list, weight) in [(&numbers.top, 1.0), (&numbers.bottom, 0.8)] {
                for (rank, &(value, row, text)) in list.iter().enumerate() {
                    if self.times(text).is_none_or(|times| times as f32 <= 2.0 + rows / 50.0) {
                        // A sign that the others do not have is as telling as a number far out.
                        let odd = value < 0.0 && numbers.negative * 50 <= numbers.good;
                        let far = if odd { 1.0 } else { numbers.far(value) };
                        found(row, weight * (0.4 + 0.5 * far) * 0.65f32.powi(rank as i32));
                    }
                }
            }
        }
    }

    /// The first row of each value, in a column of few.
    pub(crate) fn firsts(&self) -> impl Iterator<Item = u32> {
        let few = |v: &&Values<'t>| {
            v.others.count == 0
                && v.found.len() > 1
                && v.found.len() <= (self.filled.count / 3) as usize
                && (self.numbers.is_none() || v.found.len() <= 12)
        };
        self.values.as_ref().filter(few).into_iter().flat_map(|v| v.found.iter().filter_map(|value| value.tally.rows.first().copied()))
    }

    /// What the column holds, in pieces of a few words, and how telling each is; `name` is its name.
    pub(crate) fn summary(&self, name: &str) -> Vec<(f32, String)> {
        if let Some(value) = self.constant() {
            return if value.len() <= 40 { vec![(1.5, format!("{name} {value} in all"))] } else { Vec::new() };
        }
        let few =
            self.values.as_ref().filter(|v| v.others.count == 0 && v.found.len() > 1 && v.found.len() <= (self.filled.count / 2) as usize);
        let range = self.numbers.as_ref().filter(|_| few.is_none_or(|v| v.found.len() > 6));
        if let Some((low, high)) = range.and_then(|n| Some((n.bottom.first()?.2, n.top.first()?.2))) {
            let ordered = range.is_some_and(Numbers::ordered);
            return vec![(if ordered { 0.5 } else { 2.0 }, format!("{name} {low}–{high}"))];
        }
        let Some(values) = few else { return Vec::new() };
        let mut order: Vec<&Value<'t>> = values.found.iter().filter(|v| v.text.len() <= 40).collect();
        order.order_by_key(|v| std::cmp::Reverse(v.tally.count));
        let mut telling = if values.found.len() <= 6 { 2.5 } else { 1.0 };
        let mut pieces = Vec::new();
        let head = if values.found.len() > 6 { format!("{name} of {}:", values.found.len()) } else { name.to_owned() };
        let mut text = head.clone();
        for value in order {
            let told = format!(" {}×{}", value.text, value.tally.count);
            if text.len() + told.len() > MAX_PIECE && text.len() > head.len() {
                pieces.push((telling, std::mem::replace(&mut text, format!("{name}:"))));
                telling *= 0.8;
            }
            text.push_str(&told);
        }
        pieces.push((telling, text));
        pieces
    }
}

/// Gives the rows of a tally their strength, the first ones most.
fn spread(tally: &Tally, strength: f32, found: &mut impl FnMut(u32, f32)) {
    for (nth, &row) in tally.rows.iter().enumerate() {
        found(row, strength * 0.88f32.powi(nth as i32));
    }
}

impl<'t> Values<'t> {
    fn new() -> Self {
        Self { slots: Box::new([0; SLOTS]), found: Vec::new(), others: Tally::default() }
    }

    fn add(&mut self, row: u32, text: &'t str) {
        let hash = hash(text.as_bytes());
        let mut slot = hash as usize % SLOTS;
        while self.slots[slot] > 0 {
            let value = &mut self.found[usize::from(self.slots[slot]) - 1];
            if value.hash == hash && value.text == text {
                value.tally.add(row);
                return;
            }
            slot = (slot + 1) % SLOTS;
        }
        if self.found.len() == MAX_VALUES {
            self.others.add(row);
            return;
        }
        let mut tally = Tally::default();
        tally.add(row);
        self.found.push(Value { hash, text, tally });
        self.slots[slot] = self.found.len() as u8;
    }
}

/// A quick hash of a short text.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        hash = (hash ^ chunk.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))).wrapping_mul(MIX);
        hash ^= hash >> 29;
    }
    let rest = chunks.remainder().iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
    hash = (hash ^ rest).wrapping_mul(MIX);
    hash ^ hash >> 32
}

impl<'t> Numbers<'t> {
    fn add(&mut self, row: u32, value: f64, text: &'t str) {
        self.good += 1;
        self.negative += u32::from(value < 0.0);
        match self.last {
            Some(last) if value > last => self.rises += 1,
            Some(last) if value < last => self.falls += 1,
            _ => {}
        }
        self.last = Some(value);
        insert(&mut self.top, (value, row, text), |a, b| a > b);
        insert(&mut self.bottom, (value, row, text), |a, b| a < b);
        if self.stride == 0 {
            self.stride = 1;
        }
        if self.good.is_multiple_of(self.stride) {
            self.sample.push(value);
            if self.sample.len() == SAMPLE {
                let mut nth = 0;
                self.sample.retain(|_| {
                    nth += 1;
                    nth % 2 == 0
                });
                self.stride *= 2;
            }
        }
    }

    /// Whether the numbers only rise or only fall, as numbering and times do.
    pub(crate) fn ordered(&self) -> bool {
        let most = self.rises.max(self.falls);
        most > 3 && most + most / 50 >= self.good - 1
    }

    /// How far out a number is, 0 to 1: by the spread of the middle half. The sample is sorted when the counting ends.
    fn far(&self, value: f64) -> f32 {
        let sorted = &self.sample;
        let at = |share: f64| sorted.get(((sorted.len().saturating_sub(1)) as f64 * share) as usize).copied().unwrap_or(0.0);
        let middle = at(0.5);
        let mut spread = (at(0.75) - at(0.25)) / 1.35;
        if spread <= 0.0 {
            spread = sorted.iter().map(|v| (v - middle).abs()).sum::<f64>() / sorted.len().max(1) as f64;
        }
        let z = (value - middle).abs() / spread;
        if spread <= 0.0 || !z.is_finite() {
            return if (value - middle).abs() > 0.0 { 1.0 } else { 0.0 };
        }
        ((z.max(1.0).ln() - 2f64.ln()) / (30f64.ln() - 2f64.ln())).clamp(0.0, 1.0) as f32
    }
}

/// Puts an extreme in its place; of equal ones the first.
fn insert<'t>(list: &mut Vec<(f64, u32, &'t str)>, entry: (f64, u32, &'t str), beats: impl Fn(f64, f64) -> bool) {
    if list.len() == EXTREMES && !list.last().is_some_and(|l| beats(entry.0, l.0)) {
        return;
    }
    let at = list.iter().position(|l| !beats(l.0, entry.0)).unwrap_or(list.len());
    if list.get(at).is_some_and(|l| !beats(entry.0, l.0)) {
        return;
    }
    list.insert(at, entry);
    list.truncate(EXTREMES);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column<'t>(cells: &[&'t str]) -> Column<'t> {
        let mut column = Column::new();
        for (row, cell) in cells.iter().enumerate() {
            column.add(row as u32, cell);
        }
        column.settle();
        column
    }

    fn strongest(cells: &[&str]) -> Option<(u32, f32)> {
        let mut best: Option<(u32, f32)> = None;
        column(cells).unusual(|row, strength| {
            if best.is_none_or(|b| strength > b.1) {
                best = Some((row, strength));
            }
        });
        best
    }

    #[test]
    fn the_unusual_is_found_by_how_values_are_distributed() {
        let mut states = vec!["ok"; 100];
        states[41] = "lost";
        assert!(strongest(&states).is_some_and(|s| s.0 == 41 && s.1 > 0.8));
        states[41] = "";
        assert!(strongest(&states).is_some_and(|s| s.0 == 41 && s.1 > 0.6));
        let even: Vec<&str> = (0..100).map(|n| ["a", "b", "c", "d"][n % 4]).collect();
        assert_eq!(strongest(&even), None);
        let mut load = ["20", "21", "22", "19"].repeat(20);
        load[33] = "9999";
        assert!(strongest(&load).is_some_and(|s| s.0 == 33 && s.1 > 0.8));
        let ids: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        assert_eq!(strongest(&ids.iter().map(String::as_str).collect::<Vec<_>>()), None);
    }

    #[test]
    fn a_column_is_told_in_a_few_words() {
        let mut states = vec!["ok"; 9];
        states.push("FAILED");
        for (cells, told) in [
            (states, "x ok×9 FAILED×1"),
            (vec!["7"; 5], "x 7 in all"),
            (vec!["8", "3", "5", "9", "1", "4", "6", "7", "2", "10", "12", "11", "13", "15"], "x 1–15"),
        ] {
            assert_eq!(column(&cells).summary("x").into_iter().map(|s| s.1).collect::<Vec<_>>(), [told]);
        }
    }
}
