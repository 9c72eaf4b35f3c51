//! `protect` and `drop`: which values must survive, and which never matter.
//!
//! A pattern is a JSON Pointer with `*` for one segment and `**` for any number, or a bare key name. All patterns are matched in one walk over the
//! index, each as a small automaton whose states are the bits of a word.

use super::index::{Index, NO_KEY, Type};

/// Segments of a pattern at the most: the states fit one word.
pub(crate) const MAX_SEGMENTS: usize = 62;

/// A weight that leaves dropped values for last.
const DROPPED: f32 = 1e-6;

/// The parts of a text that patterns name, as ranges of nodes in order.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    protect: Vec<(u32, u32)>,
    drop: Vec<(u32, u32)>,
}

impl Rules {
    pub(crate) fn new(index: &Index<'_>, protect: &[String], drop: &[String]) -> Self {
        Self { protect: matches(index, protect), drop: matches(index, drop) }
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

    /// What a value's weight is multiplied by.
    pub(crate) fn factor(&self, index: &Index<'_>, node: u32) -> f32 {
        let _ = index;
        let at = self.drop.partition_point(|r| r.1 <= node);
        if self.drop.get(at).is_some_and(|r| r.0 <= node) { DROPPED } else { 1.0 }
    }
}

enum Segment {
    Name(String),
    One,
    Any,
}

fn parse(pattern: &str) -> Vec<Segment> {
    let Some(pointer) = pattern.strip_prefix('/') else {
        return vec![Segment::Any, Segment::Name(pattern.to_owned())];
    };
    pointer
        .split('/')
        .take(MAX_SEGMENTS)
        .map(|segment| match segment {
            "*" => Segment::One,
            "**" => Segment::Any,
            name => Segment::Name(name.replace("~1", "/").replace("~0", "~")),
        })
        .collect()
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

fn advance(pattern: &[Segment], states: u64, name: &str) -> u64 {
    let mut next = 0;
    for (at, segment) in pattern.iter().enumerate() {
        if states >> at & 1 == 1 {
            match segment {
                Segment::Any => next |= 1 << at,
                Segment::One => next |= 1 << (at + 1),
                Segment::Name(n) if n == name => next |= 1 << (at + 1),
                Segment::Name(_) => {}
            }
        }
    }
    settle(pattern, next)
}

fn matches(index: &Index<'_>, patterns: &[String]) -> Vec<(u32, u32)> {
    let mut ranges = Vec::new();
    for pattern in patterns {
        let segments = parse(pattern);
        let done = 1u64 << segments.len();
        // Open containers: end, states, and the number of children seen, for arrays.
        let mut open: Vec<(u32, u64, u32)> = Vec::new();
        let mut node = 0;
        while (node as usize) < index.nodes.len() {
            while open.last().is_some_and(|o| o.0 <= node) {
                open.pop();
            }
            let value = index.nodes[node as usize];
            let states = match open.last_mut() {
                None => settle(&segments, 1),
                Some(parent) => {
                    let position = parent.2;
                    parent.2 += 1;
                    if value.key == NO_KEY {
                        advance(&segments, parent.1, &position.to_string())
                    } else {
                        advance(&segments, parent.1, index.name(value.key))
                    }
                }
            };
            if states & done != 0 && node > 0 {
                ranges.push((node, value.next));
                node = value.next;
                continue;
            }
            if states == 0 {
                node = value.next;
                continue;
            }
            if matches!(index.kind(node), Type::Object | Type::Array) {
                open.push((value.next, states, 0));
            }
            node += 1;
        }
    }
    ranges.sort_unstable();
    // Ranges of trees nest or are apart: the outer one is enough.
    let mut end = 0;
    ranges.retain(|r| {
        let new = r.1 > end;
        end = end.max(r.1);
        new
    });
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
        ] {
            let found: Vec<_> = matches(&index, &[pattern.to_owned()]).into_iter().map(|r| index.lexeme(r.0)).collect();
            assert_eq!(found, parts, "{pattern}");
        }
    }
}
