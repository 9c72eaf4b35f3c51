//! Values that stand out, found by statistics and not by word lists: rare values of fields with few values, extremes and numbers far out, texts of
//! odd length, fields that few records have.

use super::index::{Index, NO_KEY};
use super::names;
use super::numbers::Numbers;
use super::shape::{ELEMENT, Shape, Shapes};

/// Numbers with more distinct values than this are amounts, not states.
const FEW_NUMBERS: usize = 5;
/// A rare value of a field with few values where it is the only one, and this much of it where many are rare.
const RARE: f32 = 0.85;
const AMONG_OTHERS: f32 = 0.6;
/// The largest of some amounts, and the smallest, where one record has it.
const HIGHEST: f32 = 0.75;
const LOWEST: f32 = 0.4;
/// The same where several share it.
const SHARED: f32 = 0.3;
/// The worst value of a scale of severities.
const WORST: f32 = 0.95;
/// A text far longer than the others.
const LONGEST: f32 = 0.25;
/// A field that few records have.
const RARE_FIELD: f32 = 0.55;

/// A value that stands out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct News {
    pub(crate) node: u32,
    /// The path that it stands out in.
    pub(crate) shape: u32,
    /// 0 to 1.
    pub(crate) strength: f32,
}

/// All news, in the order of the text; of several about one value the strongest.
pub(crate) fn find(index: &Index<'_>, all: &Shapes) -> Vec<News> {
    let mut news = Vec::new();
    for (id, shape) in all.shapes.iter().enumerate().skip(1) {
        let mut add = |node: u32, strength: f32| news.push(News { node, shape: id as u32, strength });
        rare_values(index, shape, &mut add);
        numbers(index, shape, &mut add);
        long_texts(shape, &mut add);
        if shape.key != ELEMENT {
            let record = all.records[id];
            rare_fields(&all.shapes[record as usize], shape, shape.parent == record, &mut add);
        }
    }
    news.sort_by(|a, b| a.node.cmp(&b.node).then(b.strength.total_cmp(&a.strength)));
    news.dedup_by_key(|n| n.node);
    news
}

fn rare_values(index: &Index<'_>, shape: &Shape, add: &mut impl FnMut(u32, f32)) {
    // Rare amounts are no states.
    if !shape.few_valued() || shape.numbers.is_some() && shape.values.seen.len() > FEW_NUMBERS {
        return;
    }
    let count = shape.count as f32;
    let seldom = |times: u32| times <= 1 + shape.count / 20;
    // Where many values are rare, one of them is less news.
    let rare = shape.values.seen.iter().filter(|v| seldom(v.1)).count() as f32;
    for &(_, times, places) in shape.values.seen.iter().filter(|v| seldom(v.1)) {
        // Surprise: how many of the bits that would name one record this value takes.
        let surprise = (count / times as f32).ln() / count.ln();
        if surprise > 0.5 {
            let strength = RARE * surprise * (AMONG_OTHERS + (1.0 - AMONG_OTHERS) / rare.max(1.0));
            places.iter().take(times as usize).for_each(|&node| add(node, strength));
        }
    }
    // The worst of a scale is what is looked for first, and all of it.
    let named = || (shape.key != ELEMENT && shape.key != NO_KEY).then(|| index.name(shape.key)).is_some_and(names::scale);
    let worst = shape.values.seen.iter().map(|v| (names::severity(index.lexeme(v.2[0])), v)).max_by_key(|v| v.0);
    if let Some((_, &(_, times, places))) = worst.filter(|w| w.0 > 0 && w.1.1 * 4 <= shape.count && named()) {
        places.iter().take(times as usize).for_each(|&node| add(node, WORST));
    }
}

fn numbers(index: &Index<'_>, shape: &Shape, add: &mut impl FnMut(u32, f32)) {
    let Some(numbers) = shape.numbers.as_deref().filter(|n| n.count >= 6 && n.count * 2 > shape.count - shape.empty) else { return };
    // Ids, times and places have no extremes that anybody asks for.
    if marks_a_place(index, shape, numbers) {
        return;
    }
    for (x, node) in [numbers.high[0], numbers.high[1], numbers.low[0], numbers.low[1]] {
        let far = numbers.distance(x);
        if far > 3.5 {
            add(node, (0.35 + 0.04 * far).min(0.85));
        }
    }
    if !numbers.ordered() && numbers.high[0].0 > numbers.low[0].0 {
        let alone = |pair: [(f64, u32); 2]| (pair[0].0 - pair[1].0).abs() > f64::EPSILON * pair[0].0.abs();
        add(numbers.high[0].1, if alone(numbers.high) { HIGHEST } else { SHARED });
        // Amounts pile up at their low end; where that is as far from the middle as the high end is, it is as much news.
        let (low, high) = (numbers.distance(numbers.low[0].0), numbers.distance(numbers.high[0].0));
        let lowest = LOWEST + (HIGHEST - LOWEST) * (low / high.max(low).max(f32::MIN_POSITIVE));
        add(numbers.low[0].1, if alone(numbers.low) { lowest } else { 0.5 * SHARED });
    }
}

/// Whether the numbers tell which or where, not how much.
fn marks_a_place(index: &Index<'_>, shape: &Shape, numbers: &Numbers) -> bool {
    // Seconds since 1970, and ids of large systems: large, and close to each other.
    const LARGE: f64 = 5e8;
    let named = shape.key < index.keys.len() as u32 && names::places(index.name(shape.key));
    named || numbers.low[0].0 > LARGE && numbers.high[0].0 < 3.0 * numbers.low[0].0
}

fn long_texts(shape: &Shape, add: &mut impl FnMut(u32, f32)) {
    if shape.values.many && shape.numbers.is_none() {
        let mean = f64::from(shape.mean_bytes());
        let spread = (shape.squares / f64::from(shape.count) - mean * mean).max(0.0).sqrt();
        if spread > 0.0 && (f64::from(shape.longest.0) - mean) / spread > 5.0 {
            add(shape.longest.1, LONGEST);
        }
    }
}

/// `own`: the field stands in the record itself, where a container is news, too.
fn rare_fields(record: &Shape, shape: &Shape, own: bool, add: &mut impl FnMut(u32, f32)) {
    if record.key == ELEMENT && record.count >= 8 && shape.count * 12 < record.count {
        for &(_, times, places) in shape.values.seen.iter().take(8) {
            places.iter().take(times as usize).for_each(|&node| add(node, RARE_FIELD));
        }
        shape.places.iter().take(if own { shape.containers as usize } else { 0 }).for_each(|&node| add(node, RARE_FIELD));
    }
}
