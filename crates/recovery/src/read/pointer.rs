//! JSON Pointers (RFC 6901), and the patterns in which notices name cuts: `*` for every member or element, `12..213` for a range.

use std::cell::RefCell;
use std::collections::HashMap;

use snugfit_engine::json::{Index, NO_KEY, Type};

use super::jsonpath::text_of;
use crate::error::Error;

/// What a pointer leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// One value.
    One(u32),
    /// Elements of one array, from the first to the last of a range.
    Range(u32, usize, usize),
    /// The values that a pattern matches, in the order of the text.
    Many(Vec<u32>),
}

/// Resolves a pointer.
pub(super) fn find(path: &str, index: &Index<'_>) -> Result<Found, Error> {
    let steps: Vec<String> = path.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    let mut nodes = vec![0];
    let mut pattern = false;
    for (at, step) in steps.iter().enumerate() {
        let mut next = vec![];
        for &node in &nodes {
            match children(index, node, step) {
                Step::None => {}
                Step::One(child) => next.push(child),
                Step::Range(from, to) if !pattern && at + 1 == steps.len() => return Ok(Found::Range(node, from, to)),
                Step::Range(from, to) => {
                    pattern = true;
                    next.extend(index.children(node).skip(from).take(to + 1 - from));
                }
                Step::All => {
                    pattern = true;
                    next.extend(index.children(node));
                }
            }
        }
        if next.is_empty() {
            return Err(not_found(index, path, nodes[0], step));
        }
        nodes = next;
    }
    Ok(if pattern { Found::Many(nodes) } else { Found::One(nodes[0]) })
}

enum Step {
    None,
    One(u32),
    Range(usize, usize),
    All,
}

fn children(index: &Index<'_>, node: u32, step: &str) -> Step {
    match index.kind(node) {
        Type::Object => {
            // Of equal keys the last one counts, as everywhere in JavaScript.
            let named = |child: &u32| {
                let name = index.name(index.nodes[*child as usize].key);
                name == step || name.contains('\\') && text_of(name) == step
            };
            match index.children(node).filter(named).last() {
                Some(child) => Step::One(child),
                None if step == "*" => Step::All,
                None => Step::None,
            }
        }
        Type::Array if step == "*" => Step::All,
        Type::Array => {
            if let Some(at) = ordinal(step) {
                return index.children(node).nth(at).map_or(Step::None, Step::One);
            }
            let range = step.split_once("..").and_then(|(from, to)| Some((ordinal(from)?, ordinal(to)?)));
            let Some((from, to)) = range.filter(|(from, to)| from <= to) else { return Step::None };
            // As many as there are.
            match index.children(node).skip(from).take(to + 1 - from).count() {
                0 => Step::None,
                count => Step::Range(from, from + count - 1),
            }
        }
        _ => Step::None,
    }
}

fn ordinal(step: &str) -> Option<usize> {
    let digits = step.bytes().all(|b| b.is_ascii_digit()) && (step.len() == 1 || !step.starts_with('0'));
    if digits { step.parse().ok() } else { None }
}

/// How many keys an error names at most, and in how many characters.
const MOST_KEYS: usize = 20;
const MOST_CHARS: usize = 400;

/// Says what is at the nearest existing parent.
fn not_found(index: &Index<'_>, path: &str, parent: u32, step: &str) -> Error {
    let place = match Places::new(index).pointer(parent) {
        root if root.is_empty() => "the top level".to_owned(),
        pointer => pointer,
    };
    let there = match index.kind(parent) {
        Type::Object if index.is_empty(parent) => "an empty object".to_owned(),
        Type::Object => {
            let mut keys = String::new();
            let total = index.children(parent).count();
            let mut named = 0;
            for child in index.children(parent).take(MOST_KEYS) {
                let key = text_of(index.name(index.nodes[child as usize].key));
                if keys.chars().count() + key.chars().count() > MOST_CHARS {
                    break;
                }
                keys = if named == 0 { key.into_owned() } else { format!("{keys}, {key}") };
                named += 1;
            }
            let more = if named < total { format!(" and {} more", total - named) } else { String::new() };
            format!("an object with the keys {keys}{more}")
        }
        Type::Array => match index.children(parent).count() {
            0 => "an empty array".to_owned(),
            count => format!("an array of {count}, 0 to {}", count - 1),
        },
        Type::String => "a string".to_owned(),
        _ => index.lexeme(parent).to_owned(),
    };
    Error::PathNotFound(format!("nothing is at {path}: {place} is {there}, and has no {step:?}"))
}

/// Where values stand. What was looked for is kept, so that many pointers cost little more than one walk past the siblings before the last of
/// them, in whatever order they come.
pub(super) struct Places<'i, 'a> {
    index: &'i Index<'a>,
    /// Values that were come by, with their containers and their places in these.
    known: RefCell<HashMap<u32, (u32, usize)>>,
    /// For each container how far its children were walked.
    walked: RefCell<HashMap<u32, Walked>>,
}

/// Children of one container that were come by, each with its place.
struct Walked {
    /// The one that was come to last.
    latest: (u32, usize),
    /// Every one at a multiple of [`Walked::STRIDE`], in order: what comes in another order than that of the text is not looked for from the start.
    passed: Vec<(u32, usize)>,
}

impl Walked {
    const STRIDE: usize = 128;

    fn new(first: u32) -> Self {
        Self { latest: (first, 0), passed: vec![(first, 0)] }
    }

    /// The child that a node is, or is inside of.
    fn find(&mut self, index: &Index<'_>, node: u32) -> (u32, usize) {
        let passed = self.passed[self.passed.partition_point(|child| child.0 <= node).saturating_sub(1)];
        let mut at = if self.latest.0 <= node { passed.max(self.latest) } else { passed };
        while index.nodes[at.0 as usize].next <= node {
            at = (index.nodes[at.0 as usize].next, at.1 + 1);
            if at.1 % Self::STRIDE == 0 && self.passed.last().is_none_or(|last| last.1 < at.1) {
                self.passed.push(at);
            }
        }
        self.latest = at;
        at
    }
}

impl<'i, 'a> Places<'i, 'a> {
    pub(super) fn new(index: &'i Index<'a>) -> Self {
        Self { index, known: RefCell::default(), walked: RefCell::default() }
    }

    /// The container of a value; `None` for the root.
    pub(super) fn parent(&self, node: u32) -> Option<u32> {
        self.place(node).map(|(parent, _)| parent)
    }

    /// The container of a value, and its place in there.
    fn place(&self, node: u32) -> Option<(u32, usize)> {
        if node == 0 {
            return None;
        }
        let (mut known, mut walked) = (self.known.borrow_mut(), self.walked.borrow_mut());
        let mut container = 0;
        while !known.contains_key(&node) {
            let child = walked.entry(container).or_insert_with(|| Walked::new(container + 1)).find(self.index, node);
            known.insert(child.0, (container, child.1));
            container = child.0;
        }
        known.get(&node).copied()
    }

    /// The JSON Pointer of a value.
    pub(super) fn pointer(&self, mut node: u32) -> String {
        let mut steps = vec![];
        while let Some((parent, ordinal)) = self.place(node) {
            let key = self.index.nodes[node as usize].key;
            steps.push(if key == NO_KEY {
                ordinal.to_string()
            } else {
                text_of(self.index.name(key)).replace('~', "~0").replace('/', "~1")
            });
            node = parent;
        }
        steps.iter().rev().fold(String::new(), |path, step| path + "/" + step)
    }
}

#[cfg(test)]
mod tests {
    use snugfit_engine::json::scan;

    use super::*;

    const TEXT: &str = r#"{"a":[10,[20,21],{"b":1,"b":2}],"x/y":{"~":"t"},"*":"star","\u00e9":true,"m":{"k1":{"v":1},"k2":{"v":2}},"":0}"#;

    #[test]
    fn pointers_lead_to_values() {
        let index = scan(TEXT).expect("JSON");
        for (path, lexeme) in [
            ("", TEXT),
            ("/a/0", "10"),
            ("/a/1/1", "21"),
            ("/a/2/b", "2"),
            ("/x~1y/~0", "\"t\""),
            ("/*", "\"star\""),
            ("/é", "true"),
            ("/", "0"),
        ] {
            let Ok(Found::One(node)) = find(path, &index) else { panic!("{path}") };
            assert_eq!(index.lexeme(node), lexeme, "{path}");
            if path != "/a/2/b" {
                assert_eq!(Places::new(&index).pointer(node), path);
            }
        }
    }

    #[test]
    fn places_are_told_in_whatever_order_they_are_asked_for() {
        // From the end each would be looked for from the start again: 2 * 10^10 steps.
        let text = format!("[{}]", vec!["{\"a\":[1,2]}"; 200_000].join(","));
        let index = scan(&text).expect("JSON");
        let elements: Vec<u32> = index.children(0).collect();
        let places = Places::new(&index);
        for (ordinal, &element) in elements.iter().enumerate().rev() {
            assert_eq!(places.place(element), Some((0, ordinal)));
        }
        for at in [0, 199_999, 7, 127, 128, 129, 100_000, 1] {
            let last = index.children(elements[at] + 1).last().expect("two numbers");
            assert_eq!(places.pointer(last), format!("/{at}/a/1"));
        }
    }

    #[test]
    fn patterns_lead_to_all_that_they_match() {
        let index = scan(TEXT).expect("JSON");
        let lexemes = |path: &str| match find(path, &index) {
            Ok(Found::Many(nodes)) => nodes.iter().map(|&node| index.lexeme(node)).collect(),
            other => vec![if other.is_ok() { "one" } else { "none" }],
        };
        assert_eq!(lexemes("/m/*/v"), ["1", "2"]);
        assert_eq!(lexemes("/a/*"), ["10", "[20,21]", "{\"b\":1,\"b\":2}"]);
        assert_eq!(lexemes("/a/1..9/0"), ["20"]);
        assert_eq!(lexemes("/m/*/w"), ["none"]);
        let Ok(Found::Range(_, 1, 2)) = find("/a/1..7", &index) else { panic!("as far as there are elements") };
    }

    #[test]
    fn what_is_not_there_is_told_with_what_is() {
        let index = scan(TEXT).expect("JSON");
        for (path, message) in [
            ("/m/k3", "nothing is at /m/k3: /m is an object with the keys k1, k2, and has no \"k3\""),
            ("/a/3/x", "nothing is at /a/3/x: /a is an array of 3, 0 to 2, and has no \"3\""),
            ("/a/01", "nothing is at /a/01: /a is an array of 3, 0 to 2, and has no \"01\""),
            ("/a/0/x", "nothing is at /a/0/x: /a/0 is 10, and has no \"x\""),
            ("/z", "nothing is at /z: the top level is an object with the keys a, x/y, *, é, m, , and has no \"z\""),
        ] {
            assert_eq!(find(path, &index).expect_err(path).to_string(), message);
        }
    }
}
