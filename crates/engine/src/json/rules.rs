//! `protect` and `drop`: which values must survive, and which never matter.
//!
//! A pattern is a JSON Pointer with `*` for one segment and `**` for any number, or a bare key name. All patterns are matched in one walk over the
//! index, each as a small automaton whose states are the bits of a word; what no pattern can lead into is passed over.

use std::collections::HashMap;

use super::index::{Index, NO_KEY, Type};
use crate::meter::Meter;
use crate::text::string::unescape;

/// Segments of a pattern at the most: the states fit one word.
pub(crate) const MAX_SEGMENTS: usize = 62;

/// A weight that leaves dropped values for last.
const DROPPED: f32 = 1e-6;

/// The parts of a text that patterns name, as ranges of nodes in order.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    protect: Vec<(u32, u32)>,
    drop: Vec<(u32, u32)>,
    /// Whether more is protected than there is room for.
    crowded: bool,
}

impl Rules {
    pub(crate) fn new(index: &Index<'_>, protect: &[String], drop: &[String], (meter, limit): (&Meter, usize)) -> Self {
        let protect = matches(index, protect);
        let mut room = limit;
        let fits = |&(node, _): &(u32, u32)| {
            let key = index.key(index.nodes[node as usize].key);
            let value = index.lexeme(node);
            let white = if index.blanks > 0 { value.len() - super::compact(value).len() } else { 0 };
            let cost = meter.cost(key.as_bytes()) + meter.cost(value.as_bytes()).saturating_sub(white) + 2 * meter.byte(b',');
            room.checked_sub(cost).inspect(|&left| room = left).is_some()
        };
        let crowded = !protect.iter().all(fits);
        Self { crowded, protect, drop: matches(index, drop) }
    }

    /// Whether more is protected than there is room for.
    pub(crate) fn crowded(&self) -> bool {
        self.crowded
    }

    /// Whether the value, something in it, or something around it must survive.
    pub(crate) fn protects(&self, index: &Index<'_>, node: u32) -> bool {
        !self.protect.is_empty() && {
            let end = index.nodes[node as usize].next;
            let at = self.protect.partition_point(|r| r.1 <= node);
            self.protect.get(at).is_some_and(|r| r.0 < end)
        }
    }

    /// The protected ranges inside a container.
    pub(crate) fn protected_in(&self, index: &Index<'_>, node: u32) -> impl Iterator<Item = u32> {
        let end = index.nodes[node as usize].next;
        let from = self.protect.partition_point(|r| r.1 <= node);
        self.protect[from..].iter().map(move |r| r.0.max(node + 1)).take_while(move |&n| n < end)
    }

    /// Whether all of the value must survive.
    pub(crate) fn covers(&self, node: u32) -> bool {
        let at = self.protect.partition_point(|r| r.1 <= node);
        self.protect.get(at).is_some_and(|r| r.0 <= node)
    }

    /// What a value's weight is multiplied by.
    pub(crate) fn factor(&self, node: u32) -> f32 {
        let at = self.drop.partition_point(|r| r.1 <= node);
        if self.drop.get(at).is_some_and(|r| r.0 <= node) { DROPPED } else { 1.0 }
    }
}

/// Segments of a pointer.
pub(crate) fn segments(pattern: &str) -> usize {
    pattern.strip_prefix('/').map_or(1, |pointer| pointer.split('/').count())
}

enum Segment {
    /// The number of a name that patterns have, and the place in a list that it is the name of.
    Name(u32, Option<u32>),
    One,
    Any,
}

/// No name of a pattern.
const NONE: u32 = u32::MAX;

/// All patterns, their names as numbers.
#[derive(Default)]
struct Patterns {
    names: HashMap<String, u32>,
    /// Whether a name is a pattern by itself, wherever it stands.
    bare: Vec<bool>,
    pointers: Vec<Vec<Segment>>,
}

impl Patterns {
    fn new(patterns: &[String]) -> Self {
        let mut all = Self::default();
        for pattern in patterns {
            let any = pattern.strip_prefix("/**/").filter(|rest| !rest.contains(['/', '*']));
            if !pattern.starts_with('/') || any.is_some() {
                let name = all.name(any.map_or_else(|| pattern.clone(), unescaped));
                all.bare[name as usize] = true;
                continue;
            }
            let segments = pattern[1..].split('/').take(MAX_SEGMENTS).map(|segment| match segment {
                "*" => Segment::One,
                "**" => Segment::Any,
                name => Segment::Name(all.name(unescaped(name)), place(name)),
            });
            let pointer = segments.collect();
            all.pointers.push(pointer);
        }
        all
    }

    fn name(&mut self, name: String) -> u32 {
        let next = self.bare.len() as u32;
        let number = *self.names.entry(name).or_insert(next);
        if number == next {
            self.bare.push(false);
        }
        number
    }

    fn is_bare(&self, name: u32) -> bool {
        self.bare.get(name as usize).is_some_and(|&bare| bare)
    }
}

/// The place in a list that a segment names.
fn place(segment: &str) -> Option<u32> {
    segment.parse().ok().filter(|place: &u32| place.to_string() == segment)
}

fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// All states reachable without a step: `**` may stand for nothing.
fn settle(pattern: &[Segment], mut states: u64) -> u64 {
    for (at, segment) in pattern.iter().enumerate() {
        if matches!(segment, Segment::Any) && states >> at & 1 == 1 {
            states |= 1 << (at + 1);
        }
    }
    states
}

/// The states after a step to the member of this name, or to the element at this place.
fn advance(pattern: &[Segment], states: u64, name: u32, place: Option<u32>) -> u64 {
    let (mut next, mut left) = (0, states);
    while left != 0 {
        let at = left.trailing_zeros();
        left &= left - 1;
        match pattern.get(at as usize) {
            Some(Segment::Any) => next |= 1 << at,
            Some(Segment::One) => next |= 1 << (at + 1),
            Some(&Segment::Name(wanted, position)) if wanted == name || (place.is_some() && place == position) => next |= 1 << (at + 1),
            _ => {}
        }
    }
    settle(pattern, next)
}

/// A container that the walk is in.
struct Open {
    end: u32,
    /// Where the states of what leads into it begin.
    from: usize,
    children: u32,
}

fn matches(index: &Index<'_>, patterns: &[String]) -> Vec<(u32, u32)> {
    let mut ranges = Vec::new();
    if patterns.is_empty() {
        return ranges;
    }
    let patterns = Patterns::new(patterns);
    let has_bare = patterns.bare.contains(&true);
    let named = |key| patterns.names.get(&unescape(index.name(key))).copied().unwrap_or(NONE);
    let names: Vec<u32> = (0..index.keys.len() as u32).map(named).collect();
    let mut open: Vec<Open> = Vec::new();
    // Patterns that lead into the open containers, with their states: those of the innermost come last.
    let mut alive: Vec<(usize, u64)> = Vec::new();
    let mut node = 0;
    while (node as usize) < index.nodes.len() {
        while let Some(over) = open.pop_if(|open| open.end <= node) {
            alive.truncate(over.from);
        }
        let value = index.nodes[node as usize];
        let (from, mut found) = (alive.len(), false);
        if let Some(parent) = open.last_mut() {
            let place = (value.key == NO_KEY).then_some(parent.children);
            let name = names.get(value.key as usize).copied().unwrap_or(NONE);
            parent.children += 1;
            found = patterns.is_bare(name);
            for at in parent.from..from {
                let (pattern, states) = alive[at];
                let segments = &patterns.pointers[pattern];
                let states = advance(segments, states, name, place);
                found |= states >> segments.len() & 1 == 1;
                if states != 0 {
                    alive.push((pattern, states));
                }
            }
        } else {
            alive.extend(patterns.pointers.iter().enumerate().map(|(at, pattern)| (at, settle(pattern, 1))));
        }
        let leads_on = matches!(index.kind(node), Type::Object | Type::Array) && (has_bare || alive.len() > from);
        if found || !leads_on {
            if found {
                ranges.push((node, value.next));
            }
            alive.truncate(from);
            node = value.next;
            continue;
        }
        open.push(Open { end: value.next, from, children: 0 });
        node += 1;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::scan;

    #[test]
    fn patterns_name_parts() {
        let index = scan(r#"{"a":{"b":[{"id":1,"x":2},{"id":3}]},"id":4,"c~/d":5}"#).unwrap();
        for (pattern, parts) in [
            ("id", vec!["1", "3", "4"]),
            ("/a/b/*/id", vec!["1", "3"]),
            ("/**/id", vec!["1", "3", "4"]),
            ("/a/**/x", vec!["2"]),
            ("/a/b/1", vec![r#"{"id":3}"#]),
            ("/c~0~1d", vec!["5"]),
            ("/nothing", vec![]),
            ("/**", vec![r#"{"b":[{"id":1,"x":2},{"id":3}]}"#, "4", "5"]),
            ("/a/b/01", vec![]),
        ] {
            let found: Vec<_> = matches(&index, &[pattern.to_owned()]).into_iter().map(|r| index.lexeme(r.0)).collect();
            assert_eq!(found, parts, "{pattern}");
        }
    }

    #[test]
    fn many_patterns_name_each_part_once() {
        let index = scan(r#"{"a":{"b":[{"id":1},{"id":2}],"\u0063":3},"id":4}"#).unwrap();
        let patterns = ["id", "/a/b/1", "/a/b/1/id", "/a/*/0", "c"].map(String::from);
        let found: Vec<_> = matches(&index, &patterns).into_iter().map(|r| index.lexeme(r.0)).collect();
        assert_eq!(found, [r#"{"id":1}"#, r#"{"id":2}"#, "3", "4"]);
    }
}
