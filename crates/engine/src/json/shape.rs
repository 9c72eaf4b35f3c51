//! The distinct paths of a JSON text and what their values are like: one pass over the index.
//!
//! A path treats all elements of a list alike, and all entries of a map keyed by ids. Statistics find the unusual without word lists: rare values
//! of fields with few values, numbers far out, texts of odd length, fields that few records have. Each such value is *news*.

use super::ids::IdMap;
use super::index::{Index, NO_KEY, Node, Type};
use super::news::{self, News};
use super::numbers::{Numbers, number, numeric};
use crate::text::hash::{MIX, by_eight};

/// The key of a path step that stands for every element of a list or entry of a map.
pub(crate) const ELEMENT: u32 = u32::MAX;
/// The first key of a path step that stands for a position in rows of equal length.
const POSITION: u32 = u32::MAX - 1 - MAX_ROW as u32;
/// Rows of more cells than this are lists, not records by position.
const MAX_ROW: usize = 64;
/// Distinct paths that are told apart; what comes after them shares one.
const MAX_SHAPES: usize = 20_000;
/// Distinct values that a path remembers; a field with more is not few-valued.
const MAX_VALUES: usize = 24;
/// Containers of a path that it remembers.
const PLACES: usize = 4;
/// Children looked at to tell a map keyed by ids from a record.
const SAMPLE: usize = 32;

/// One distinct path.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) parent: u32,
    /// An interned key, [`ELEMENT`], or a position.
    pub(crate) key: u32,
    kids: Vec<u32>,
    /// The path that came after this one the last time.
    sibling: u32,
    /// How often the path occurs, and how often with nothing in it (`null`, `""`, `[]`, `{}`).
    pub(crate) count: u32,
    pub(crate) empty: u32,
    pub(crate) containers: u32,
    /// The first containers.
    pub(crate) places: [u32; PLACES],
    /// How many are links.
    pub(crate) links: u32,
    /// Bytes of the scalars, and their squares, for mean and spread.
    pub(crate) bytes: u64,
    pub(crate) squares: f64,
    pub(crate) longest: (u32, u32),
    pub(crate) values: Values,
    pub(crate) numbers: Option<Box<Numbers>>,
}

/// The distinct scalars of a path, up to a bound.
#[derive(Debug, Default)]
pub(crate) struct Values {
    /// Hash, count, and the first occurrences.
    pub(crate) seen: Vec<(u32, u32, [u32; 4])>,
    /// More than fit.
    pub(crate) many: bool,
    /// How many scalars came before there were more than fit.
    counted: u32,
}

impl Shape {
    fn add_number(&mut self, x: f64, node: u32) {
        self.numbers.get_or_insert_with(|| Box::new(Numbers::from(node))).add(x, node);
    }

    /// How many values were counted: of many only the first.
    fn counted(&self) -> u32 {
        if self.values.many { self.values.counted } else { self.count }
    }

    /// Mean bytes of a scalar here.
    pub(crate) fn mean_bytes(&self) -> f32 {
        self.bytes as f32 / (self.count - self.containers).max(1) as f32
    }

    /// How much a value tells, 0 to 1: next to nothing where (nearly) all records have it, all where no other has.
    pub(crate) fn information(&self, lexeme: &str, node: u32) -> f32 {
        const LEAST: f32 = 0.12;
        if self.count < 4 || self.containers > 0 {
            return 1.0;
        }
        let count = self.counted() as f32;
        let hash = hash(lexeme.as_bytes());
        let Some(&(_, times, first)) = self.values.seen.iter().find(|v| v.0 == hash) else { return 1.0 };
        // What repeats is said once.
        if first[0] == node {
            return 1.0;
        }
        let bits = (count / times as f32).ln() / count.ln();
        LEAST + (1.0 - LEAST) * bits
    }

    /// Whether every record has the same value.
    pub(crate) fn constant(&self) -> bool {
        self.count >= 3 && !self.values.many && self.values.seen.len() == 1 && self.containers == 0
    }

    /// Whether the field tells records into few kinds.
    pub(crate) fn few_valued(&self) -> bool {
        self.count >= 6
            && !self.values.many
            && self.values.seen.len() > 1
            && (self.values.seen.len() * self.values.seen.len()) as u32 <= self.count * 4
    }

    /// Whether most records have a value of their own.
    pub(crate) fn mostly_distinct(&self) -> bool {
        self.containers == 0 && self.count > 1 && self.values.seen.len() as u32 * 2 > self.counted()
    }

    /// Whether texts here tell the records into several kinds, none of them that of most.
    pub(crate) fn tells_kinds(&self) -> bool {
        const KINDS: usize = 3;
        const SHORT: f32 = 5.0;
        let commonest = self.values.seen.iter().map(|v| v.1).max().unwrap_or(0);
        self.containers == 0
            && self.numbers.is_none()
            && self.values.seen.len() >= KINDS
            && commonest * 2 <= self.counted()
            && self.mean_bytes() >= SHORT
    }

    /// Whether (nearly) every record has a value of its own.
    pub(crate) fn distinct(&self) -> bool {
        let own = self.values.seen.len() as u32;
        self.containers == 0 && if self.values.many { own * 5 >= self.values.counted * 4 } else { own == self.count && self.count > 1 }
    }
}

/// All paths of a text, and its news in the order of the text.
#[derive(Debug)]
pub(crate) struct Shapes {
    pub(crate) shapes: Vec<Shape>,
    children: IdMap<(u32, u32), u32>,
    /// For every path that of the nearest list's elements around it, or 0.
    pub(crate) records: Vec<u32>,
    pub(crate) news: Vec<News>,
}

struct Open {
    end: u32,
    shape: u32,
    /// The shape of the last child, whose sibling is the likely next one.
    last: u32,
    how: Children,
    position: u32,
}

/// How the children of a container are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Children {
    /// By key: a record.
    Fields,
    /// Not at all: a list, or a map keyed by ids.
    Elements,
    /// By position: a row of a table.
    Cells,
}

impl Shapes {
    pub(crate) fn new(index: &Index<'_>) -> Self {
        let mut all = Self { shapes: Vec::new(), children: IdMap::default(), records: Vec::new(), news: Vec::new() };
        all.gather(index);
        all.find_records();
        all.news = news::find(index, &all);
        all
    }

    /// The path of a child, given that of its container. `position` counts from 0.
    pub(crate) fn child(&self, index: &Index<'_>, container: u32, how: Children, node: u32, position: u32) -> u32 {
        let key = step(index, how, node, position);
        self.children.get(&(container, key)).copied().unwrap_or(0)
    }

    /// Whether what is in the lists of a path is scalars or points, not records.
    pub(crate) fn holds_scalars(&self, shape: &Shape) -> bool {
        let first = |s: &Shape| s.kids.first().map(|&k| &self.shapes[k as usize]);
        first(shape)
            .is_none_or(|c| c.key == ELEMENT && (c.containers == 0 || first(c).is_some_and(|g| g.key >= POSITION && g.key != NO_KEY)))
    }

    /// How many fields of a record are links.
    pub(crate) fn linked(&self, shape: u32) -> usize {
        self.children_of(shape).filter(|&c| self.shapes[c as usize].links > 0).count()
    }

    /// The paths one step below `shape`.
    pub(crate) fn children_of(&self, shape: u32) -> impl Iterator<Item = u32> {
        self.shapes[shape as usize].kids.iter().copied()
    }

    /// The names on the way from `from` (exclusive) down to `shape`, `*` for elements; outermost first.
    pub(crate) fn path(&self, shape: u32, from: u32) -> Vec<u32> {
        let mut keys = Vec::new();
        let mut at = shape;
        while at != from && at != 0 && keys.len() < 64 {
            keys.push(self.shapes[at as usize].key);
            at = self.shapes[at as usize].parent;
        }
        keys.reverse();
        keys
    }

    fn add(&mut self, parent: u32, key: u32) -> u32 {
        let id = self.shapes.len() as u32;
        self.shapes.push(Shape {
            parent,
            key,
            kids: Vec::new(),
            sibling: 0,
            count: 0,
            empty: 0,
            containers: 0,
            places: [0; PLACES],
            links: 0,
            bytes: 0,
            squares: 0.0,
            longest: (0, 0),
            values: Values::default(),
            numbers: None,
        });
        id
    }

    fn gather(&mut self, index: &Index<'_>) {
        self.add(0, NO_KEY);
        let mut open: Vec<Open> = Vec::new();
        for node in 0..index.nodes.len() as u32 {
            while open.last().is_some_and(|o| o.end <= node) {
                open.pop();
            }
            let shape = match open.last_mut() {
                None => 0,
                Some(parent) => {
                    let key = step(index, parent.how, node, parent.position);
                    parent.position += 1;
                    let guess = if parent.last == 0 {
                        self.shapes[parent.shape as usize].kids.first().copied().unwrap_or(0)
                    } else {
                        self.shapes[parent.last as usize].sibling
                    };
                    let shape = if guess != 0 && self.shapes[guess as usize].key == key {
                        guess
                    } else if parent.last != 0 && self.shapes[parent.last as usize].key == key {
                        parent.last
                    } else {
                        let (above, before) = (parent.shape, parent.last);
                        self.find_or_add(above, key, before)
                    };
                    if let Some(parent) = open.last_mut() {
                        parent.last = shape;
                    }
                    shape
                }
            };
            self.record(index, node, shape);
            if index.nodes[node as usize].next > node + 1 {
                let outer = open.last().map(|o| o.how);
                let how = children_of(index, node, outer);
                open.push(Open { end: index.nodes[node as usize].next, shape, last: 0, how, position: 0 });
            }
        }
    }

    fn find_records(&mut self) {
        self.records = vec![0; self.shapes.len()];
        for id in 1..self.shapes.len() {
            let parent = self.shapes[id].parent as usize;
            self.records[id] = if self.shapes[parent].key == ELEMENT { parent as u32 } else { self.records[parent] };
        }
    }

    fn find_or_add(&mut self, parent: u32, key: u32, before: u32) -> u32 {
        if let Some(&shape) = self.children.get(&(parent, key)) {
            return shape;
        }
        if self.shapes.len() >= MAX_SHAPES {
            return if parent == 0 { 1.min(self.shapes.len() as u32 - 1) } else { parent };
        }
        let shape = self.add(parent, key);
        self.children.insert((parent, key), shape);
        self.shapes[parent as usize].kids.push(shape);
        if before != 0 && self.shapes[before as usize].sibling == 0 {
            self.shapes[before as usize].sibling = shape;
        }
        shape
    }

    fn record(&mut self, index: &Index<'_>, node: u32, shape: u32) {
        let shape = &mut self.shapes[shape as usize];
        shape.count += 1;
        let Node { start, end, .. } = index.nodes[node as usize];
        let bytes = &index.text.as_bytes()[start as usize..end as usize];
        match bytes[0] {
            b'{' | b'[' => {
                if let Some(place) = shape.places.get_mut(shape.containers as usize) {
                    *place = node;
                }
                shape.containers += 1;
                shape.empty += u32::from(index.is_empty(node));
                return;
            }
            b'n' => shape.empty += 1,
            b'"' if bytes.len() == 2 => shape.empty += 1,
            b'-' | b'0'..=b'9' => shape.add_number(number(bytes), node),
            b'"' if bytes.starts_with(b"\"http") => shape.links += 1,
            b'"' if numeric(bytes) => shape.add_number(number(&bytes[1..bytes.len() - 1]), node),
            _ => {}
        }
        let len = bytes.len() as u32;
        shape.bytes += u64::from(len);
        shape.squares += f64::from(len) * f64::from(len);
        if len > shape.longest.0 {
            shape.longest = (len, node);
        }
        if !shape.values.many {
            shape.values.counted += 1;
            let hash = hash(bytes);
            if let Some(at) = shape.values.seen.iter().position(|v| v.0 == hash) {
                let value = &mut shape.values.seen[at];
                if let Some(place) = value.2.get_mut(value.1 as usize) {
                    *place = node;
                }
                value.1 += 1;
                // The commonest first: the scan for the next one is short.
                if at > 0 && shape.values.seen[at].1 > shape.values.seen[at - 1].1 {
                    shape.values.seen.swap(at, at - 1);
                }
            } else if shape.values.seen.len() < MAX_VALUES {
                shape.values.seen.push((hash, 1, [node; 4]));
            } else {
                shape.values.many = true;
            }
        }
    }
}

/// The path step that a child stands for.
fn step(index: &Index<'_>, how: Children, node: u32, position: u32) -> u32 {
    match how {
        Children::Elements => ELEMENT,
        Children::Cells => POSITION + position.min(MAX_ROW as u32),
        Children::Fields => index.nodes[node as usize].key,
    }
}

/// How the children of a container are to be told apart. `outer` is how those of its own container are.
pub(crate) fn children_of(index: &Index<'_>, node: u32, outer: Option<Children>) -> Children {
    match index.kind(node) {
        Type::Object => {
            if is_map(index, node) {
                Children::Elements
            } else {
                Children::Fields
            }
        }
        _ if outer == Some(Children::Elements) && is_row(index, node) => Children::Cells,
        _ => Children::Elements,
    }
}

/// A row: some scalars, one of them at least no number, or few of them (else it is a vector, and its positions mean little).
fn is_row(index: &Index<'_>, node: u32) -> bool {
    const POINT: usize = 8;
    let (mut count, mut words) = (0, false);
    for child in index.children(node) {
        count += 1;
        match index.kind(child) {
            Type::Object | Type::Array => return false,
            Type::Number => {}
            _ => words = true,
        }
        if count > MAX_ROW {
            return false;
        }
    }
    count >= 2 && (words || count <= POINT)
}

/// A map keyed by ids: many entries that look alike under keys that say nothing.
fn is_map(index: &Index<'_>, node: u32) -> bool {
    let few = index.nodes[node as usize].next - node <= 4 * SAMPLE as u32;
    if few && !index.is_empty(node) && !matches!(index.kind(node + 1), Type::Object | Type::Array) {
        // Most records begin with a scalar; only many of them would be a map.
        return false;
    }
    let mut objects = 0usize;
    let mut scalars = 0usize;
    let mut alike = 0usize;
    let mut first_keys = [NO_KEY; SAMPLE];
    for child in index.children(node).take(SAMPLE) {
        match index.kind(child) {
            Type::Object => {
                objects += 1;
                if !index.is_empty(child) {
                    let key = index.nodes[child as usize + 1].key;
                    alike += usize::from(first_keys[..objects].contains(&key));
                    first_keys[objects - 1] = key;
                }
            }
            Type::Array => {}
            _ => scalars += 1,
        }
    }
    let sampled = objects + scalars;
    if objects >= 4 && scalars == 0 && alike * 10 >= objects * 6 {
        return true;
    }
    sampled >= SAMPLE && index.children(node).nth(4 * SAMPLE).is_some()
}

/// A hash of a scalar's text: the ends and the length of a long one.
fn hash(bytes: &[u8]) -> u32 {
    const LONG: usize = 64;
    const END: usize = LONG / 2;
    let mut sum = bytes.len() as u64;
    let mut take = |word: u64| {
        sum = (sum ^ word).wrapping_mul(MIX);
        sum ^= sum >> 29;
    };
    if bytes.len() <= LONG {
        by_eight(bytes, take);
    } else {
        by_eight(&bytes[..END], &mut take);
        by_eight(&bytes[bytes.len() - END..], take);
    }
    (sum >> 16) as u32
}
