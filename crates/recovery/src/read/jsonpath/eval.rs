//! Selectors over the index. Names are compared by the number that the scanner gave each key, descendants are a range of the index, and
//! every value that is looked at counts, so that no selector runs for long.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

use regex_automata::util::syntax;
use snugfit_engine::json::{Index, Type, unescape};

use super::super::pattern::Pattern;
use super::query::{Comparison, Operand, Parsed, Query, Segment, Selector, Test};
use crate::error::Error;

/// Values that one selector may look at: some hundred times the values of a large result.
const MAX_STEPS: usize = 100_000_000;
/// Compiled patterns of `match` and `search` may take so many bytes each.
const MAX_PATTERN: usize = 1 << 20;

/// The nodes that a selector gives, in its order.
pub(super) fn eval(parsed: &Parsed, index: &Index<'_>) -> Result<Vec<u32>, Error> {
    let eval = Eval {
        index,
        keys: keys_of(&parsed.names, index),
        steps: Cell::new(0),
        absolute: RefCell::new(vec![None; parsed.queries]),
        patterns: RefCell::default(),
    };
    Ok(eval.query(&parsed.root, 0)?.to_vec())
}

/// For each name the keys of the index that are that name, however they are written.
fn keys_of(names: &[String], index: &Index<'_>) -> Vec<Vec<u32>> {
    let mut keys = vec![vec![]; names.len()];
    let wanted: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    for id in 0..index.keys.len() as u32 {
        if let Some(&at) = wanted.get(&*text_of(index.name(id))) {
            keys[at].push(id);
        }
    }
    keys
}

/// The text of a string's inside.
pub(crate) fn text_of(raw: &str) -> Cow<'_, str> {
    if raw.contains('\\') { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) }
}

struct Eval<'e, 'a> {
    index: &'e Index<'a>,
    keys: Vec<Vec<u32>>,
    steps: Cell<usize>,
    /// What each query from the root gave: it gives the same for every node that a filter looks at.
    absolute: RefCell<Vec<Option<Rc<[u32]>>>>,
    patterns: RefCell<HashMap<(String, bool), Option<Pattern>>>,
}

/// What is compared.
enum Value<'v> {
    Nothing,
    Null,
    Bool(bool),
    Number(f64, &'v str),
    String(Cow<'v, str>),
    /// An array or object.
    Container(u32),
}

impl<'a> Eval<'_, 'a> {
    fn step(&self, count: usize) -> Result<(), Error> {
        self.steps.set(self.steps.get() + count);
        if self.steps.get() <= MAX_STEPS {
            return Ok(());
        }
        Err(too_much())
    }

    fn query(&self, query: &Query, current: u32) -> Result<Rc<[u32]>, Error> {
        if query.absolute
            && let Some(known) = self.absolute.borrow().get(query.id).and_then(Clone::clone)
        {
            return Ok(known);
        }
        let mut nodes = vec![if query.absolute { 0 } else { current }];
        for segment in &query.segments {
            nodes = self.segment(segment, &nodes)?;
        }
        let nodes: Rc<[u32]> = nodes.into();
        if query.absolute
            && let Some(slot) = self.absolute.borrow_mut().get_mut(query.id)
        {
            *slot = Some(Rc::clone(&nodes));
        }
        Ok(nodes)
    }

    fn segment(&self, segment: &Segment, nodes: &[u32]) -> Result<Vec<u32>, Error> {
        let mut out = vec![];
        for &node in nodes {
            let last = if segment.descendant { self.index.nodes[node as usize].next } else { node + 1 };
            for at in node..last {
                self.step(1)?;
                for selector in &segment.selectors {
                    self.select(selector, at, &mut out)?;
                }
            }
        }
        Ok(out)
    }

    fn select(&self, selector: &Selector, node: u32, out: &mut Vec<u32>) -> Result<(), Error> {
        let kind = self.index.kind(node);
        if self.index.is_empty(node) || !matches!(kind, Type::Object | Type::Array) {
            return Ok(());
        }
        match selector {
            Selector::Name(name) if kind == Type::Object => {
                let keys = &self.keys[*name];
                let mut found = None;
                let mut looked = 0;
                for child in self.index.children(node) {
                    looked += 1;
                    if keys.contains(&self.index.nodes[child as usize].key) {
                        // Of equal keys the last one counts, as everywhere in JavaScript.
                        found = Some(child);
                    }
                }
                self.step(looked)?;
                out.extend(found);
            }
            Selector::Index(at) if kind == Type::Array => {
                let children: Vec<u32> = self.index.children(node).collect();
                self.step(children.len())?;
                out.extend(position(*at, children.len()).and_then(|at| children.get(at)));
            }
            Selector::Slice { start, end, step } if kind == Type::Array => {
                let children: Vec<u32> = self.index.children(node).collect();
                self.step(children.len())?;
                slice(&children, *start, *end, *step, out);
            }
            Selector::Wildcard => {
                for child in self.index.children(node) {
                    self.step(1)?;
                    out.push(child);
                }
            }
            Selector::Filter(test) => {
                for child in self.index.children(node) {
                    self.step(1)?;
                    if self.test(test, child)? {
                        out.push(child);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn test(&self, test: &Test, node: u32) -> Result<bool, Error> {
        match test {
            Test::Any(tests) => {
                for test in tests {
                    if self.test(test, node)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Test::All(tests) => {
                for test in tests {
                    if !self.test(test, node)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Test::Not(test) => Ok(!self.test(test, node)?),
            Test::Exists(query) => Ok(!self.query(query, node)?.is_empty()),
            Test::Compare(left, comparison, right) => {
                let (left, right) = (self.operand(left, node)?, self.operand(right, node)?);
                self.compare(&left, *comparison, &right)
            }
            Test::Matches { whole, text, pattern } => {
                let (Value::String(text), Value::String(pattern)) = (self.operand(text, node)?, self.operand(pattern, node)?) else {
                    return Ok(false);
                };
                self.step(text.len())?;
                let mut patterns = self.patterns.borrow_mut();
                let key = (pattern.into_owned(), *whole);
                let regex = match patterns.get(&key) {
                    Some(regex) => regex,
                    None => {
                        // A document may have a pattern in each of its values.
                        self.step(4 * MAX_PATTERN)?;
                        let regex = compile(&key.0, *whole, self.index.text.len());
                        patterns.entry(key).or_insert(regex)
                    }
                };
                let Some(regex) = regex else { return Ok(false) };
                let matches = regex.is_match(text.as_ref());
                if regex.gave_up() {
                    return Err(too_much());
                }
                Ok(matches)
            }
        }
    }

    fn operand<'v>(&'v self, operand: &'v Operand, node: u32) -> Result<Value<'v>, Error>
    where
        'a: 'v,
    {
        Ok(match operand {
            Operand::Null => Value::Null,
            Operand::Bool(value) => Value::Bool(*value),
            Operand::Number(number) => Value::Number(*number, ""),
            Operand::String(text) => Value::String(Cow::Borrowed(text)),
            Operand::Query(query) => self.query(query, node)?.first().map_or(Value::Nothing, |&node| self.value(node)),
            Operand::Count(query) => Value::Number(self.query(query, node)?.len() as f64, ""),
            Operand::Value(query) => match self.query(query, node)?[..] {
                [only] => self.value(only),
                _ => Value::Nothing,
            },
            Operand::Length(operand) => match self.operand(operand, node)? {
                Value::String(text) => Value::Number(text.chars().count() as f64, ""),
                Value::Container(node) => Value::Number(self.index.children(node).count() as f64, ""),
                _ => Value::Nothing,
            },
        })
    }

    fn value(&self, node: u32) -> Value<'a> {
        let lexeme = self.index.lexeme(node);
        match self.index.kind(node) {
            Type::Object | Type::Array => Value::Container(node),
            Type::String => Value::String(text_of(&lexeme[1..lexeme.len() - 1])),
            Type::Number => Value::Number(lexeme.parse().unwrap_or(f64::NAN), lexeme),
            Type::Bool => Value::Bool(lexeme == "true"),
            Type::Null => Value::Null,
        }
    }

    fn compare(&self, left: &Value<'_>, comparison: Comparison, right: &Value<'_>) -> Result<bool, Error> {
        Ok(match comparison {
            Comparison::Equal => self.equal(left, right)?,
            Comparison::NotEqual => !self.equal(left, right)?,
            Comparison::Less => less(left, right),
            Comparison::Greater => less(right, left),
            Comparison::LessOrEqual => less(left, right) || self.equal(left, right)?,
            Comparison::GreaterOrEqual => less(right, left) || self.equal(left, right)?,
        })
    }

    fn equal(&self, left: &Value<'_>, right: &Value<'_>) -> Result<bool, Error> {
        match (left, right) {
            (Value::Container(left), Value::Container(right)) => self.deep_equal(*left, *right),
            _ => Ok(scalars_equal(left, right)),
        }
    }

    /// Whether two containers hold the same, whatever the order of keys.
    fn deep_equal(&self, left: u32, right: u32) -> Result<bool, Error> {
        let mut pairs = vec![(left, right)];
        while let Some((left, right)) = pairs.pop() {
            if left == right {
                continue;
            }
            self.step(1)?;
            let (kind, other) = (self.index.kind(left), self.index.kind(right));
            if kind != other {
                return Ok(false);
            }
            match kind {
                Type::Array => {
                    let (left, right): (Vec<_>, Vec<_>) = (self.index.children(left).collect(), self.index.children(right).collect());
                    if left.len() != right.len() {
                        return Ok(false);
                    }
                    pairs.extend(left.into_iter().zip(right));
                }
                Type::Object => {
                    let (left, right) = (self.members(left), self.members(right));
                    if left.len() != right.len() || left.iter().zip(&right).any(|(a, b)| a.0 != b.0) {
                        return Ok(false);
                    }
                    pairs.extend(left.iter().zip(&right).map(|(a, b)| (a.1, b.1)));
                }
                _ if scalars_equal(&self.value(left), &self.value(right)) => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The members of an object by name, of equal names the last.
    fn members(&self, object: u32) -> Vec<(Cow<'a, str>, u32)> {
        let mut members: Vec<_> =
            self.index.children(object).map(|child| (text_of(self.index.name(self.index.nodes[child as usize].key)), child)).collect();
        members.sort();
        members.reverse();
        members.dedup_by(|next, kept| next.0 == kept.0);
        members
    }
}

fn scalars_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Nothing, Value::Nothing) | (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Number(left, a), Value::Number(right, b)) => {
            // Beyond what doubles tell apart, what is written decides.
            if left.abs() > 9e15 && !a.is_empty() && !b.is_empty() && a.bytes().chain(b.bytes()).all(|c| c.is_ascii_digit() || c == b'-') {
                a == b
            } else {
                left.partial_cmp(right).is_some_and(Ordering::is_eq)
            }
        }
        (Value::String(left), Value::String(right)) => left == right,
        _ => false,
    }
}

fn less(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Number(left, _), Value::Number(right, _)) => left < right,
        (Value::String(left), Value::String(right)) => left.cmp(right) == Ordering::Less,
        _ => false,
    }
}

/// Where an index that may count from the end stands.
fn position(at: i64, len: usize) -> Option<usize> {
    if at >= 0 { usize::try_from(at).ok() } else { len.checked_sub(usize::try_from(at.unsigned_abs()).ok()?) }
}

/// RFC 9535, 2.3.4.2.2.
fn slice(children: &[u32], start: Option<i64>, end: Option<i64>, step: i64, out: &mut Vec<u32>) {
    let len = children.len() as i64;
    let normalise = |at: i64| if at >= 0 { at } else { len + at };
    if step > 0 {
        let (mut at, upper) = (normalise(start.unwrap_or(0)).clamp(0, len), normalise(end.unwrap_or(len)).clamp(0, len));
        while at < upper {
            out.push(children[at as usize]);
            at = at.saturating_add(step);
        }
    } else if step < 0 {
        let mut at = start.map_or(len - 1, normalise).clamp(-1, len - 1);
        let lower = end.map_or(-1, normalise).clamp(-1, len - 1);
        while at > lower {
            out.push(children[at as usize]);
            at = at.saturating_add(step);
        }
    }
}

fn too_much() -> Error {
    let message = "it looks at too many values; begin with names that lead to the part, and use .. and filters only below".into();
    Error::InvalidSelector { selector: "path", position: 1, message }
}

/// An I-Regexp (RFC 9485); a pattern that is none matches nothing.
fn compile(pattern: &str, whole: bool, text: usize) -> Option<Pattern> {
    let pattern = if whole { format!("^(?:{pattern})$") } else { pattern.to_owned() };
    // Its dot matches neither carriage return nor line feed.
    Pattern::compile(&pattern, syntax::Config::new().crlf(true), MAX_PATTERN, text)
}
