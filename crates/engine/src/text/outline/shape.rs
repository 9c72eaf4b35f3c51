//! The distinct paths of an outline and what their values are like; which siblings are records. Values and fields that are rare, and numbers far
//! out, are *news*.

use super::{Form, ITEM, NONE, Outline};
use crate::json::ids::IdMap;
use crate::json::names::name_weight;
use crate::order::Order as _;
use crate::text::hash::TextMap;

/// Distinct paths that are told apart; what comes after them shares one.
const MAX_SHAPES: usize = 20_000;
/// Keys of pairs that are told apart.
const MAX_KEYS: usize = 128;
/// Distinct values that a path remembers.
const MAX_VALUES: usize = 48;
/// Children looked at to tell a map keyed by ids from a record.
const SAMPLE: usize = 32;
/// A field whose values are longer, in the mean, is no name.
const MAX_IDENTITY: f32 = 200.0;
/// More children of distinct names than this are a map.
const WIDE: usize = 128;

/// What the values of one path are like.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    pub(crate) parent: u32,
    pub(crate) name: u32,
    pub(crate) count: u32,
    pub(crate) first: u32,
    /// How many of them are leaves, and their bytes.
    pub(crate) leaves: u32,
    bytes: u64,
    squares: f64,
    longest: (u32, u32),
    /// Hash, count, first and last occurrence of each value.
    seen: Vec<(u32, u32, u32, u32)>,
    many: bool,
    numbers: Option<Box<Numbers>>,
    /// Whether it is the path of a list's records.
    pub(crate) records: bool,
    /// Whether it is a path within records.
    within: bool,
    /// Whether it is a field of a record that is written as a pair of a key and a value.
    pub(crate) pair: bool,
}

#[derive(Debug, Clone, Copy)]
struct Numbers {
    count: u32,
    sum: f64,
    squares: f64,
    /// The two largest and the two smallest, with where they stand.
    ends: [[(f64, u32); 2]; 2],
}

impl Shape {
    pub(crate) fn mean_bytes(&self) -> f32 {
        self.bytes as f32 / self.leaves.max(1) as f32
    }

    /// Whether every record has the same value.
    pub(crate) fn constant(&self) -> bool {
        self.leaves >= 3 && self.leaves == self.count && !self.many && self.seen.len() == 1
    }

    /// Whether the field tells records into few kinds.
    pub(crate) fn few_valued(&self) -> bool {
        self.leaves >= 6 && !self.many && self.seen.len() > 1 && (self.seen.len() * self.seen.len()) as u32 <= self.leaves * 4
    }

    /// The share of a value among those of a field with few.
    pub(crate) fn share(&self, value: &str) -> f32 {
        let hash = hash(value.as_bytes());
        self.seen.iter().find(|v| v.0 == hash).map_or(0.0, |v| v.1 as f32 / self.leaves.max(1) as f32)
    }

    /// How many of the values are values of their own, 0 to 1.
    fn distinct(&self) -> f32 {
        if self.many {
            1.0
        } else if self.leaves < 2 {
            0.0
        } else {
            self.seen.len() as f32 / self.leaves as f32
        }
    }

    /// Whether most values are numbers.
    pub(crate) fn numeric(&self) -> bool {
        self.numbers.as_deref().is_some_and(|n| n.count >= 6 && n.count * 2 > self.count)
    }

    fn record(&mut self, value: &str, node: u32) {
        let bytes = value.as_bytes();
        let len = bytes.len() as u32;
        self.leaves += 1;
        self.bytes += u64::from(len);
        self.squares += f64::from(len) * f64::from(len);
        if len > self.longest.0 {
            self.longest = (len, node);
        }
        if bytes.first().is_some_and(|b| b.is_ascii_digit() || *b == b'-')
            && bytes.len() <= 24
            && let Some(x) = number(value)
        {
            self.number(x, node);
        }
        if self.many {
            return;
        }
        let hash = hash(bytes);
        if let Some(at) = self.seen.iter().position(|v| v.0 == hash) {
            self.seen[at].1 += 1;
            self.seen[at].3 = node;
            // The commonest first: the scan for the next one is short.
            if at > 0 && self.seen[at].1 > self.seen[at - 1].1 {
                self.seen.swap(at, at - 1);
            }
        } else if self.seen.len() < MAX_VALUES {
            self.seen.push((hash, 1, node, node));
        } else {
            self.many = true;
        }
    }

    fn number(&mut self, x: f64, node: u32) {
        let numbers = self.numbers.get_or_insert_with(|| {
            Box::new(Numbers { count: 0, sum: 0.0, squares: 0.0, ends: [[(f64::NEG_INFINITY, node); 2], [(f64::INFINITY, node); 2]] })
        });
        numbers.count += 1;
        numbers.sum += x;
        numbers.squares += x * x;
        for (side, ends) in numbers.ends.iter_mut().enumerate() {
            let beyond = |than: f64| if side == 0 { x > than } else { x < than };
            if beyond(ends[0].0) {
                *ends = [(x, node), ends[0]];
            } else if beyond(ends[1].0) {
                ends[1] = (x, node);
            }
        }
    }

    /// The values that stand out, with how much (0 to 1).
    fn news(&self, found: &mut Vec<(u32, f32)>) {
        let count = self.leaves as f32;
        if self.leaves < 4 {
            return;
        }
        if self.few_valued() {
            for &(_, times, first, last) in &self.seen {
                // Surprise: how many of the bits that would name one record this value takes.
                let surprise = (count / times as f32).ln() / count.ln();
                if surprise > 0.5 && times <= 1 + self.leaves / 20 {
                    found.extend([(first, 0.85 * surprise), (last, 0.85 * surprise)]);
                }
            }
        }
        if let Some(numbers) = self.numbers.as_deref().filter(|_| self.numeric()) {
            let mean = numbers.sum / f64::from(numbers.count);
            for (x, node) in numbers.ends.into_iter().flatten().filter(|e| e.0.is_finite()) {
                // The spread without the value itself, so that one spike does not hide itself.
                let n = f64::from(numbers.count) - 1.0;
                let rest = (numbers.sum - x) / n;
                let spread = ((numbers.squares - x * x) / n - rest * rest).max(0.0).sqrt();
                let far = if spread > 0.0 {
                    ((x - mean).abs() / spread) as f32
                } else if (x - mean).abs() > 1e-9 * mean.abs() {
                    100.0
                } else {
                    0.0
                };
                found.push((node, if far > 3.5 { (0.35 + 0.04 * far).min(0.85) } else { 0.0 }));
            }
            found.extend([(numbers.ends[0][0].1, 0.2), (numbers.ends[1][0].1, 0.2)]);
        } else if self.many {
            let mean = f64::from(self.mean_bytes());
            let spread = (self.squares / f64::from(count) - mean * mean).max(0.0).sqrt();
            if spread > 0.0 && (f64::from(self.longest.0) - mean) / spread > 5.0 {
                found.push((self.longest.1, 0.25));
            }
        }
    }
}

/// The paths of an outline.
#[derive(Debug)]
pub(crate) struct Shapes {
    pub(crate) shapes: Vec<Shape>,
    /// Values that stand out, in the order of the text, each once.
    pub(crate) news: Vec<(u32, f32)>,
    /// For each path of records the path of the field that tells one from another, or 0.
    pub(crate) identity: Vec<u32>,
    /// For each path how rare it is among the records that could have it, 0 to 1.
    pub(crate) rare: Vec<f32>,
}

/// Tells records from fields, gives every node its path, and gathers the statistics of each path.
pub(crate) fn describe(outline: &mut Outline<'_>, form: &impl Form) -> Shapes {
    let mut shapes = vec![Shape::default()];
    let mut known: IdMap<(u32, u32), u32> = IdMap::default();
    let mut after: Vec<u32> = vec![0];
    let mut last = 0u32;
    let mut tally: Vec<(u32, u32)> = vec![(NONE, 0); outline.names().len()];
    let mut keys = Keys::default();
    for id in 0..outline.nodes.len() as u32 {
        let node = *outline.node(id);
        if !node.branch || node.next == id + 1 {
            continue;
        }
        let map = number_records(outline, id, &mut tally);
        let within = node.ordinal != NONE || shapes[node.shape as usize].within;
        let mut child = id + 1;
        while child < node.next {
            let part = outline.nodes[child as usize];
            let key = if within && part.ordinal != NONE { keys.of(outline, form, child) } else { None };
            let name = key.unwrap_or(if map && part.ordinal != NONE { ITEM } else { part.name });
            let guess = after[last as usize];
            let shape = if guess != 0 && shapes[guess as usize].parent == node.shape && shapes[guess as usize].name == name {
                guess
            } else {
                let next = shapes.len() as u32;
                let shape = if shapes.len() < MAX_SHAPES {
                    *known.entry((node.shape, name)).or_insert(next)
                } else {
                    known.get(&(node.shape, name)).copied().unwrap_or(0)
                };
                if shape == next {
                    shapes.push(Shape {
                        parent: node.shape,
                        name,
                        first: child,
                        records: part.ordinal != NONE,
                        within,
                        ..Shape::default()
                    });
                    after.push(0);
                }
                after[last as usize] = shape;
                shape
            };
            last = shape;
            outline.nodes[child as usize].shape = shape;
            let stats = &mut shapes[shape as usize];
            stats.count += 1;
            if !part.branch {
                stats.record(form.plain(&outline.text[part.value as usize..part.end as usize]), child);
            }
            child = part.next;
        }
    }
    let mut news = Vec::new();
    shapes.iter().skip(1).for_each(|shape| shape.news(&mut news));
    news.order_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    news.dedup_by_key(|n| n.0);
    let rare = shapes
        .iter()
        .map(|shape| {
            let above = &shapes[shape.parent as usize];
            let few = above.records && above.count >= 8 && shape.count * 10 < above.count;
            if few { 0.2 + 0.5 * (above.count as f32 / shape.count as f32).ln() / (above.count as f32).ln() } else { 0.0 }
        })
        .collect();
    let identity = identities(outline, &shapes);
    Shapes { shapes, news, identity, rare }
}

/// The keys of pairs in records: `<property name="os">Linux</property>` is a field `os` of the record that it stands in.
#[derive(Default)]
struct Keys<'a> {
    names: TextMap<&'a str, u32>,
}

impl<'a> Keys<'a> {
    /// The name of the field that a part is, if it is a pair of a key that others have, too, and a value.
    fn of(&mut self, outline: &mut Outline<'a>, form: &impl Form, part: u32) -> Option<u32> {
        let pair = outline.node(part).next == part + 3;
        let key = pair.then(|| outline.node(part + 1)).filter(|key| !key.branch)?;
        if !matches!(outline.name(key.name), "name" | "key" | "Name" | "Key") || outline.node(part + 2).branch {
            return None;
        }
        let key = form.plain(outline.value(part + 1));
        if let Some(&name) = self.names.get(key) {
            return Some(name);
        }
        if self.names.len() == MAX_KEYS {
            return None;
        }
        let name = outline.intern(key);
        self.names.insert(key, name);
        Some(name)
    }
}

/// For each path of records the field that tells one from another: a short text of its own, under a name such as `name` or `id`.
fn identities(outline: &Outline<'_>, shapes: &[Shape]) -> Vec<u32> {
    let mut identity = vec![0u32; shapes.len()];
    let mut best = vec![0.0f32; shapes.len()];
    for (id, shape) in shapes.iter().enumerate().skip(1) {
        if shape.leaves < shape.count || shape.distinct() < 0.3 || shape.mean_bytes() > MAX_IDENTITY {
            continue;
        }
        let (field, text) = if shape.name == super::TEXT { (shape.parent as usize, true) } else { (id, false) };
        let mut record = shapes[field].parent as usize;
        let mut weight = name_weight(outline.name(shapes[field].name));
        if text && shapes[field].records {
            continue;
        }
        if shape.distinct() < 0.7 && weight < 1.15 {
            continue;
        }
        if !shapes[record].records && !shapes[field].records {
            // One level further up: `metadata: {name: …}`.
            record = shapes[record].parent as usize;
            weight *= 0.9;
        }
        let keyed = outline.node(shapes[record].first).name != shapes[record].name;
        let most = shape.count * 10 >= shapes[record].count * 6 && shape.count <= shapes[record].count;
        if shapes[record].records && shapes[record].leaves == 0 && !keyed && most && weight >= 0.9 && weight > best[record] {
            best[record] = weight;
            identity[record] = id as u32;
        }
    }
    identity
}

/// Numbers the records of a branch: items, siblings of one name, and the entries of a map keyed by ids (then true).
fn number_records(outline: &mut Outline<'_>, id: u32, tally: &mut [(u32, u32)]) -> bool {
    let (mut children, mut distinct) = (0usize, 0usize);
    let end = outline.node(id).next;
    let mut child = id + 1;
    while child < end {
        let part = outline.nodes[child as usize];
        let entry = &mut tally[part.name as usize];
        if entry.0 != id {
            *entry = (id, 0);
            distinct += 1;
        }
        entry.1 += 1;
        children += 1;
        child = part.next;
    }
    let map = distinct == children && is_map(outline, id, children);
    let (mut at, mut ordinal) = (id + 1, 0);
    while at < end {
        let part = outline.nodes[at as usize];
        let repeated = part.name == ITEM || tally[part.name as usize].1 > 1 && part.name != super::TEXT;
        if map || repeated {
            outline.nodes[at as usize].ordinal = ordinal;
            ordinal += 1;
        }
        at = part.next;
    }
    // Two values that make one branch are worth something together only.
    if children <= 2 && id > 0 && end == id + 1 + children as u32 && outline.nodes[id as usize + 1..end as usize].iter().all(|n| !n.branch)
    {
        outline.nodes[id as usize + 1..end as usize].iter_mut().for_each(|n| n.glued = true);
    }
    outline.nodes[id as usize].records = ordinal;
    outline.nodes[id as usize].fields = children as u32 - ordinal;
    map
}

/// A map keyed by ids: many entries that look alike under keys that say nothing.
fn is_map(outline: &Outline<'_>, id: u32, children: usize) -> bool {
    if children > WIDE {
        return true;
    }
    let (mut branches, mut alike) = (0usize, 0usize);
    let mut firsts: Vec<u32> = Vec::with_capacity(SAMPLE);
    for child in outline.children(id).take(SAMPLE) {
        let node = outline.node(child);
        // What holds a text is a field.
        if !node.branch || node.next == child + 1 || outline.only_text(child) {
            return false;
        }
        branches += 1;
        if node.next > child + 1 {
            let name = outline.node(child + 1).name;
            alike += usize::from(firsts.contains(&name));
            firsts.push(name);
        }
    }
    branches >= 4 && alike * 10 >= branches * 6
}

fn number(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    if bytes.len() <= 15 && bytes.iter().all(u8::is_ascii_digit) {
        return Some(bytes.iter().fold(0u64, |sum, &b| sum * 10 + u64::from(b - b'0')) as f64);
    }
    text.parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| x.clamp(-1e150, 1e150))
}

/// A hash of a value's text: the ends and the length of a long one.
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut sum = bytes.len() as u64;
    let mut take = |part: &[u8]| {
        for chunk in part.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(MIX);
            sum ^= sum >> 29;
        }
    };
    if bytes.len() <= 64 {
        take(bytes);
    } else {
        take(&bytes[..32]);
        take(&bytes[bytes.len() - 32..]);
    }
    (sum >> 16) as u32
}
