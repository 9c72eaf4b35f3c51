//! What a field is worth: its name, its distribution over the records, and the call.

use super::ids::IdMap;
use super::index::{Index, NO_KEY};
use super::names::{PAIR_NAMES, PAIR_VALUES, UNKNOWN, name_weight, wraps};
use super::shape::{ELEMENT, Shape, Shapes};
use crate::query::{Term, name_words};

/// A field that names its record, beside the others.
const IDENTITY: f32 = 1.6;

/// A field whose values stand in another field of the record, too.
const SAID: f32 = 0.4;

/// A field of opaque ids, however it is named.
const OPAQUE: f32 = 0.8;

/// A field names what it stands in: each level more to the record makes it so much less of a name of the record.
const DEEPER: f32 = 0.8;

/// A link to a picture.
const PICTURE: f32 = 0.1;

/// For every path its worth beside its siblings: name, distribution, and the call's words.
pub(crate) fn field_weights(index: &Index<'_>, shapes: &Shapes, terms: &[Term]) -> Vec<f32> {
    shapes.shapes.iter().map(|shape| field_weight(index, shapes, shape, terms)).collect()
}

/// Fields of a record that others are compared with.
const COMPARED: usize = 64;

/// For every path whether its values name the records of a list: of the fields that tell records apart the one worth most a character.
pub(crate) fn naming(index: &Index<'_>, shapes: &Shapes, weights: &mut [f32]) -> Vec<bool> {
    const LEAST: f32 = 0.9;
    const LEAST_NAME: f32 = 0.7;
    let mut best: IdMap<u32, (bool, f32, usize)> = IdMap::default();
    for (id, shape) in shapes.shapes.iter().enumerate().skip(1) {
        let distinct = shape.mostly_distinct();
        if shape.key as usize >= index.keys.len()
            || !(distinct || shape.tells_kinds())
            || weights[id] < if distinct { LEAST } else { LEAST_NAME }
            || name_weight(index.name(shape.key)) < LEAST_NAME
            || counts_up(shape)
            || opaque(index, shape)
        {
            continue;
        }
        let above = shapes.records[id];
        if above == 0 || shape.count * 2 < shapes.shapes[above as usize].count {
            continue;
        }
        let deep = DEEPER.powi(shapes.path(id as u32, above).len() as i32 - 1);
        let worth = deep * weights[id] / (index.key(shape.key).len() as f32 + 2.0 + shape.mean_bytes()).powf(0.3);
        let entry = best.entry(above).or_insert((false, 0.0, 0));
        if (distinct, worth) > (entry.0, entry.1) {
            *entry = (distinct, worth, id);
        }
    }
    let mut naming = vec![false; shapes.shapes.len()];
    for (_, _, id) in best.into_values() {
        naming[id] = true;
    }
    // A name without its value says nothing, and the other way round.
    let is = |id: u32, names: &[&str]| {
        let shape = &shapes.shapes[id as usize];
        shape.containers == 0
            && (shape.key as usize) < index.keys.len()
            && names.iter().any(|n| index.name(shape.key).eq_ignore_ascii_case(n))
    };
    for record in (0..shapes.shapes.len() as u32).filter(|&id| shapes.shapes[id as usize].key == ELEMENT) {
        let full = |&f: &u32| shapes.shapes[f as usize].empty < shapes.shapes[f as usize].count;
        let fields: Vec<u32> = shapes.children_of(record).filter(full).take(4).collect();
        let name = fields.iter().copied().find(|&f| is(f, PAIR_NAMES));
        let value = fields.iter().copied().find(|&f| is(f, PAIR_VALUES));
        if let (Some(name), Some(value), true) = (name, value, fields.len() <= 3) {
            let most = weights[name as usize].max(weights[value as usize]);
            (weights[name as usize], weights[value as usize]) = (most, most);
            (naming[name as usize], naming[value as usize]) = (true, true);
        }
    }
    naming
}

/// For every path whether it leads from a record of a list to what names the record, without being either.
pub(crate) fn ways(shapes: &Shapes, naming: &[bool]) -> Vec<bool> {
    let mut ways = vec![false; naming.len()];
    for (id, _) in naming.iter().enumerate().filter(|n| *n.1) {
        let (record, mut at) = (shapes.records[id], shapes.shapes[id].parent);
        while at != record && at != 0 && !ways[at as usize] {
            ways[at as usize] = true;
            at = shapes.shapes[at as usize].parent;
        }
    }
    ways
}

fn field_weight(index: &Index<'_>, shapes: &Shapes, shape: &Shape, terms: &[Term]) -> f32 {
    let key = shape.key;
    if key == ELEMENT || key == NO_KEY || key as usize >= index.keys.len() {
        return 1.0;
    }
    let name = index.name(key);
    let container = shape.containers == shape.count;
    let bare = container && shapes.holds_scalars(shape);
    let mut weight = match name_weight(name) {
        _ if container && !bare && wraps(name) => 1.0,
        // What an unknown container holds is known by the names in it.
        UNKNOWN if container && !bare => 0.8,
        weight => weight,
    };
    if shape.links > 0 && weight > 0.2 {
        // One link is a way on, ten are clutter.
        weight *= (2.0 / shapes.linked(shape.parent) as f32).min(1.0);
        if name_words(name).last().is_some_and(|w| w == "image") {
            weight = PICTURE;
        }
    }
    let above = &shapes.shapes[shape.parent as usize];
    if above.count >= 4 {
        // What tells records apart names them; a record without it is of little use.
        if shapes.children_of(shape.parent).take(COMPARED).any(|other| said_in(index, shape, &shapes.shapes[other as usize])) {
            return weight * SAID;
        }
        if opaque(index, shape) {
            return weight.min(OPAQUE);
        }
        let names = |s: &Shape| s.distinct() && s.numbers.is_none() && s.mean_bytes() < 100.0 && name_weight(index.name(s.key)) >= 0.95;
        if names(shape) {
            weight *= IDENTITY;
        } else if shape.numbers.is_some() && name == "id" && shapes.children_of(shape.parent).any(|c| names(&shapes.shapes[c as usize])) {
            // A number is no name where there is a name.
            weight *= 0.6;
        }
    }
    let words = name_words(name);
    let asked =
        terms.iter().filter(|t| words.contains(&t.text) || t.text.eq_ignore_ascii_case(name)).map(|t| t.strength).fold(0.0, f32::max);
    weight * (1.0 + 2.0 * asked)
}

/// Whether the values of a path are numbers that go up or down one by one: their range says all of them.
fn counts_up(shape: &Shape) -> bool {
    shape.numbers.as_ref().is_some_and(|n| n.ordered() && n.high[0].0 - n.low[0].0 < 2.0 * f64::from(n.count))
}

/// Whether another path says what the values of this one say, record by record, in no more words.
fn said_in(index: &Index<'_>, shape: &Shape, other: &Shape) -> bool {
    const SAMPLE: usize = 5;
    let values = |s: &Shape| -> Vec<&str> { s.values.seen.iter().take(SAMPLE).map(|v| index.lexeme(v.2[0]).trim_matches('"')).collect() };
    if shape.key == other.key || !shape.distinct() || !other.distinct() || shape.count != other.count || shape.numbers.is_some() {
        return false;
    }
    let (ours, theirs) = (values(shape), values(other));
    if ours.len() < 3 || ours.len() != theirs.len() {
        return false;
    }
    let (our_core, their_core) = (cores(&ours), cores(&theirs));
    if our_core == their_core && our_core.iter().all(|c| !c.is_empty()) {
        // The same but for what all values share: the shorter one says it, or the first.
        return (shape.mean_bytes(), shape.key) > (other.mean_bytes(), other.key) && other.mean_bytes() > 4.0;
    }
    ours.iter().zip(&theirs).all(|(a, b)| a.len() >= 3 && b.len() > a.len() && b.len() < 3 * a.len() + 16 && b.contains(a))
}

/// Values without the beginning and the end that all of them share.
fn cores<'v>(values: &[&'v str]) -> Vec<&'v str> {
    let Some(&first) = values.first() else { return Vec::new() };
    let shared = |a: &str, b: &str| {
        a.chars().zip(b.chars()).take_while(|(x, y)| x == y && !x.is_ascii_digit()).map(|(x, _)| x.len_utf8()).sum::<usize>()
    };
    let shared_end = |a: &str, b: &str| {
        a.chars().rev().zip(b.chars().rev()).take_while(|(x, y)| x == y && !x.is_ascii_digit()).map(|(x, _)| x.len_utf8()).sum::<usize>()
    };
    let start = values.iter().map(|v| shared(first, v)).min().unwrap_or(0);
    let end = values.iter().map(|v| shared_end(&first[start..], &v[start..])).min().unwrap_or(0);
    values.iter().map(|v| &v[start..v.len() - end]).collect()
}

/// Whether the values of a path are ids that no reader knows: hex, UUIDs, tokens of mixed letters and digits.
fn opaque(index: &Index<'_>, shape: &Shape) -> bool {
    let seen = &shape.values.seen;
    let sample = seen.iter().take(8).filter(|v| token(index.lexeme(v.2[0]).trim_matches('"'))).count();
    sample > 0 && sample * 10 >= seen.len().min(8) * 7
}

/// A word that says nothing: a long run of hex digits, or of letters of both cases and digits.
fn token(text: &str) -> bool {
    const LONG: usize = 12;
    if text.len() < 16 || text.contains([' ', '/', '.']) {
        return false;
    }
    let hex = text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
        && text.bytes().any(|b| b.is_ascii_digit())
        && text.bytes().any(|b| b.is_ascii_alphabetic());
    hex || text.split(['-', '_', '=', ':']).any(|run| {
        run.len() >= LONG
            && run.bytes().any(|b| b.is_ascii_digit())
            && run.bytes().any(|b| b.is_ascii_lowercase())
            && run.bytes().any(|b| b.is_ascii_uppercase())
    })
}

/// How much less a value counts for what it is: nothing in it, or a link.
pub(crate) fn value_factor(lexeme: &str) -> f32 {
    match lexeme {
        "null" | "\"\"" | "[]" | "{}" => 0.12,
        "false" => 0.6,
        "0" => 0.4,
        _ if lexeme.starts_with("\"http://") || lexeme.starts_with("\"https://") => {
            if lexeme.contains('{') {
                0.15
            } else {
                0.8
            }
        }
        _ => 1.0,
    }
}
