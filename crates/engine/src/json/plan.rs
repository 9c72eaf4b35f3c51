//! What is kept: a best-first walk from the root, the most valuable value a character first, until the budget is full.
//!
//! Every value has a priority that does not depend on the budget, so a larger budget keeps what a smaller one kept and adds to it. Only what the
//! walk reaches is looked at: the cost is that of the kept part, not of the text. Costs are exact: a container pays for its brackets, each entry
//! for itself, its key and its comma, each gap in a list for its marker.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::index::{Index, NO_KEY, Type};
use super::score;
use super::shape::{Children, News, Shapes, children_of};
use crate::marker::Marks;
use crate::meter::Meter;
use crate::words::Hit;

/// Texts that cost more than this are kept in pieces, the first of [`FIRST_PIECE`], each further one twice as long.
const LONG: usize = 160;
const FIRST_PIECE: usize = 100;
/// A further piece of a text is worth this much of the one before, a character.
const PIECE_DECAY: f32 = 0.62;
/// Density is value / cost^ALPHA: below 1, since a fact is worth having even where it is long.
const ALPHA: f32 = 0.6;
/// A long text that stands in the result before is worth this much.
const REPEATED: f32 = 0.03;
/// The part that makes up the whole result is worth so much more than its name says.
const BULK: f32 = 0.2;
/// A scalar of the first levels, outside lists.
const SHALLOW: [f32; 3] = [3.0, 2.5, 1.5];
/// A list inside the records of a list.
const NESTED: f32 = 0.35;
/// The first record is shown in full before others, the last nearly so.
const FIRST: f32 = 1.8;
const LAST: f32 = 1.3;
/// The second record's worth; the others follow.
const PLAIN: f32 = 1.0;
/// An entry of a map whose key alone stays.
const KEY_ALONE: f32 = 1.5;
/// A list of so many numbers or points is a series, whose extremes are looked for.
const SERIES: usize = 8;
const HIGHEST: f32 = 0.8;
const LOWEST: f32 = 0.5;
/// What stands out, beside the first record.
const SPECIAL: f32 = 1.2;
/// The rank of an element that holds something protected: above all others.
const PROTECTED: f32 = 10.0;
/// An element that is a bare number or word says less than a named field.
const BARE: f32 = 0.3;
/// A level of depth that is no wrapper costs this factor.
const DEPTH: f32 = 0.7;
/// How fast further records lose value: half after this many.
const RECORDS_HALF: f32 = 3.5;
const SCALARS_HALF: f32 = 3.0;
/// Arrays of scalars up to this long are kept whole or left out whole.
const ATOM: u32 = 72;
/// A result's own field of the name that our notice has is never touched.
const OWN_NOTICE: &str = "truncation";
/// Values that do not fit are passed over, this many in a row, before the walk ends.
const MAX_MISSES: usize = 600;
/// A list's element that stands out, at most this many in a list.
const MAX_SPECIAL: usize = 256;
/// Identifiers up to this long are whole or absent; longer ones are data.
const MAX_IDENTIFIER: usize = 1_500;

pub(crate) const NONE: u32 = u32::MAX;

/// How a value is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// As it is.
    Whole,
    /// A container, some of whose children are kept: the number of its [`Open`].
    Open(u32),
    /// A string, in at most so much (quotes included).
    Part(usize),
    /// A container of which only the key stays, with a marker of its size.
    Collapsed,
}

/// A container that the walk has entered.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) node: u32,
    pub(crate) shape: u32,
    pub(crate) how: Children,
    /// An object, whose cut has one marker; an array has one a gap.
    pub(crate) object: bool,
    /// The open container around it, or [`NONE`].
    pub(crate) parent: u32,
    /// Containers around it, and itself.
    depth: usize,
    ordinal: u32,
    /// The outermost list around its children, or [`NONE`]: where their cuts are named.
    pub(crate) list: u32,
    /// Whether it stands in the output.
    pub(crate) kept: bool,
    /// Whether only its key does.
    collapsed: bool,
    weight: f32,
    /// What its marker costs, or each of them in a list.
    marker: usize,
    /// Its children, for lists; the ordinals of those kept, as bits.
    pub(crate) elements: Vec<u32>,
    bits: Vec<u64>,
    /// The ordinals that were candidates already, as bits.
    seen: Vec<u64>,
    pub(crate) children: u32,
    pub(crate) kept_children: u32,
    special: Vec<(f32, u32)>,
    next_special: usize,
    next_plain: u32,
    plain_rank: u32,
    /// Its children are scalars or points.
    pub(crate) scalars: bool,
}

impl Open {
    /// The ordinals of the kept children of a list, in order.
    pub(crate) fn kept_ordinals(&self) -> impl Iterator<Item = u32> {
        self.bits.iter().enumerate().flat_map(|(word, &bits)| {
            std::iter::successors(Some(bits), |b| Some(b & b.wrapping_sub(1)))
                .take_while(|&b| b != 0)
                .map(move |b| word as u32 * 64 + b.trailing_zeros())
        })
    }

    /// The elements of a list that stand out, as score and ordinal.
    pub(crate) fn special(&self) -> &[(f32, u32)] {
        &self.special
    }

    /// How many gaps a list has.
    pub(crate) fn gaps(&self) -> usize {
        let mut at = 0;
        let mut gaps = 0;
        for ordinal in self.kept_ordinals().chain([self.children]) {
            gaps += usize::from(ordinal > at);
            at = ordinal + 1;
        }
        gaps
    }

    fn has(&self, ordinal: i64) -> bool {
        if ordinal < 0 || ordinal >= i64::from(self.children) {
            return true;
        }
        self.bits[(ordinal / 64) as usize] >> (ordinal % 64) & 1 == 1
    }
}

struct Item {
    /// What must stay comes before what is worth much.
    tier: Tier,
    priority: f32,
    order: u32,
    what: What,
}

/// What must stay, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    Common,
    /// The keys of the top level.
    Top,
    /// What tells how much there is and how to go on, and what went wrong.
    Pinned,
    /// What the caller protects.
    Protected,
}

#[derive(Clone, Copy)]
enum What {
    Value { node: u32, shape: u32, open: u32, ordinal: u32, weight: f32 },
    NextElement { open: u32 },
    Collapsed { open: u32 },
    Piece { node: u32, stage: u32, priority: f32 },
}

impl Ord for Item {
    fn cmp(&self, other: &Self) -> Ordering {
        self.tier.cmp(&other.tier).then(self.priority.total_cmp(&other.priority)).then(other.order.cmp(&self.order))
    }
}
impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Item {}

/// White space that the layout adds to each entry.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Space {
    /// Spaces a level; 0 for none.
    pub(crate) indent: usize,
    /// A line feed before each element of the outermost list.
    pub(crate) lines: bool,
}

/// What the walk needs to know.
pub(crate) struct Ground<'g, 'a> {
    pub(crate) index: &'g Index<'a>,
    pub(crate) shapes: &'g Shapes,
    pub(crate) weights: &'g [f32],
    pub(crate) hits: &'g [Hit],
    pub(crate) meter: &'g Meter,
    pub(crate) marks: &'g Marks,
    /// Long strings that stand in the text before, too.
    pub(crate) repeats: &'g HashSet<u32>,
    pub(crate) rules: &'g super::rules::Rules,
    pub(crate) space: Space,
}

/// The walk and what it kept.
pub(crate) struct Plan<'g, 'a> {
    pub(crate) ground: &'g Ground<'g, 'a>,
    pub(crate) kept: HashMap<u32, Keep>,
    pub(crate) opens: Vec<Open>,
    pub(crate) used: usize,
    limit: usize,
    heap: BinaryHeap<Item>,
    order: u32,
    best: Vec<f32>,
    /// The members of the root, where it is a record.
    tops: Vec<u32>,
    missed: Vec<Item>,
    costs: Costs,
}

/// Costs that are the same all over.
struct Costs {
    comma: usize,
    colon: usize,
    brackets: usize,
    cut: usize,
    list: usize,
}

impl<'g, 'a> Plan<'g, 'a> {
    /// Walks until `limit` is full. The root is a container.
    pub(crate) fn new(ground: &'g Ground<'g, 'a>, limit: usize) -> Self {
        let meter = ground.meter;
        let costs = Costs {
            comma: meter.byte(b','),
            colon: meter.byte(b':') + if ground.space.indent > 0 { meter.byte(b' ') } else { 0 },
            brackets: meter.byte(b'[') * 2,
            cut: meter.cost(ground.marks.chars(100_000).as_bytes()),
            list: meter.cost(ground.marks.list(0, "", ground.marks.sign()).as_bytes()),
        };
        let best = best_below(ground);
        let fields = children_of(ground.index, 0, None) == Children::Fields;
        let tops = if fields { ground.index.children(0).collect() } else { Vec::new() };
        let mut plan = Self {
            ground,
            kept: HashMap::new(),
            opens: Vec::new(),
            used: 0,
            limit,
            heap: BinaryHeap::new(),
            order: 0,
            best,
            tops,
            missed: Vec::new(),
            costs,
        };
        plan.enter(0, 0, NONE, 0, 1.0, true);
        plan
    }

    /// Keeps the most valuable values until nothing more fits.
    pub(crate) fn walk(&mut self) {
        let mut misses = 0;
        while let Some(item) = self.heap.pop() {
            misses = if self.take(item) { 0 } else { misses + 1 };
            if misses > MAX_MISSES {
                break;
            }
        }
    }

    /// Tries once more what did not fit, with a new limit.
    pub(crate) fn walk_on(&mut self, limit: usize) {
        self.limit = limit;
        let missed = std::mem::take(&mut self.missed);
        self.heap.extend(missed);
        self.walk();
    }

    fn push(&mut self, tier: Tier, priority: f32, what: What) {
        self.order += 1;
        self.heap.push(Item { tier, priority, order: self.order, what });
    }

    /// Handles the most valuable item; false if it did not fit.
    fn take(&mut self, item: Item) -> bool {
        let fitted = match item.what {
            What::NextElement { open } => {
                self.next_element(open);
                true
            }
            What::Collapsed { open } => self.collapse(open),
            What::Value { node, shape, open, ordinal, weight } => self.value(item.priority, node, shape, open, ordinal, weight),
            What::Piece { node, stage, priority } => self.piece(node, stage, priority),
        };
        if !fitted && self.missed.len() < MAX_MISSES {
            self.missed.push(item);
        }
        fitted
    }

    fn value(&mut self, priority: f32, node: u32, shape: u32, open: u32, ordinal: u32, weight: f32) -> bool {
        let index = self.ground.index;
        match index.kind(node) {
            Type::Object | Type::Array if !index.is_empty(node) && !self.atomic(node) => {
                if self.depth(open) * self.costs.brackets > self.limit {
                    // Its brackets and those around it are too much already.
                    return false;
                }
                let id = self.enter(node, shape, open, ordinal, weight, false);
                let around = &self.opens[open as usize];
                if around.object && around.how == Children::Elements {
                    // The key of a map's entry names it, even where nothing in it fits.
                    let key = index.key(index.nodes[node as usize].key).len() as f32;
                    self.push(Tier::Common, weight * KEY_ALONE / (key + 16.0).powf(ALPHA), What::Collapsed { open: id });
                }
                // The keys of the top level stay, even where nothing of their values fits.
                let top = self.opens[open as usize].parent == NONE && self.opens[open as usize].how == Children::Fields;
                if top && self.used + self.cost_of_opening(id) <= self.limit {
                    self.keep_open(id);
                }
                true
            }
            kind => {
                let text = self.compact(node);
                let cost = self.ground.meter.cost(text.as_bytes());
                if kind == Type::String && cost > LONG && !self.ground.rules.protects(index, node) && self.cuttable(node, &text) {
                    let first = (FIRST_PIECE + self.costs.cut).min(cost);
                    if self.add(node, open, ordinal, Keep::Part(first), first) {
                        self.push(Tier::Common, priority * PIECE_DECAY, What::Piece { node, stage: 1, priority });
                        return true;
                    }
                    return false;
                }
                self.add(node, open, ordinal, Keep::Whole, cost)
            }
        }
    }

    /// A short array of scalars is one value: a point, a pair, some tags; so is a small container of the top level.
    fn atomic(&self, node: u32) -> bool {
        let index = self.ground.index;
        let value = index.nodes[node as usize];
        if self.is_top(node) && (index.blanks == 0 && value.end - value.start <= ATOM || index.name(value.key) == OWN_NOTICE) {
            return true;
        }
        // White space between elements counts here, but not three times.
        index.text.as_bytes()[value.start as usize] == b'['
            && value.end - value.start <= if index.blanks > 0 { 3 * ATOM } else { ATOM }
            && index.children(node).all(|c| !matches!(index.kind(c), Type::Object | Type::Array))
            && (index.blanks == 0 || self.compact(node).len() <= ATOM as usize)
    }

    /// Whether a value is a member of the root.
    fn is_top(&self, node: u32) -> bool {
        self.tops.binary_search(&node).is_ok()
    }

    /// A value's text without white space.
    pub(crate) fn compact(&self, node: u32) -> Cow<'a, str> {
        let lexeme = self.ground.index.lexeme(node);
        if self.ground.index.blanks > 0 && lexeme.starts_with(['[', '{']) {
            Cow::Owned(super::compact(lexeme))
        } else {
            Cow::Borrowed(lexeme)
        }
    }

    /// Keeps the key of a container, if nothing of what is in it is kept yet.
    fn collapse(&mut self, id: u32) -> bool {
        let Open { node, parent, ordinal, kept, .. } = self.opens[id as usize];
        if kept {
            return true;
        }
        let cost = self.collapsed_cost(node);
        let done = self.add(node, parent, ordinal, Keep::Collapsed, cost);
        self.opens[id as usize].collapsed = done;
        done
    }

    fn collapsed_cost(&self, node: u32) -> usize {
        let size = self.ground.index.nodes[node as usize].end - self.ground.index.nodes[node as usize].start;
        self.ground.meter.cost(self.ground.marks.chars(size as usize).as_bytes()) + self.costs.brackets
    }

    /// Takes a collapsed container back, so that it can be kept open.
    fn uncollapse(&mut self, id: u32) {
        let Open { node, parent, ordinal, .. } = self.opens[id as usize];
        let around = &mut self.opens[parent as usize];
        around.kept_children -= 1;
        if !around.object {
            around.bits[ordinal as usize / 64] &= !(1 << (ordinal % 64));
        }
        self.opens[id as usize].collapsed = false;
        self.kept.remove(&node);
        let entry = self.entry_cost(node, parent, ordinal);
        self.used = self.used.saturating_sub(self.collapsed_cost(node)).saturating_add_signed(-entry);
    }

    /// Whether a long string may be shortened: texts and data may, identifiers may not.
    fn cuttable(&self, node: u32, lexeme: &str) -> bool {
        let name = self.ground.index.name(self.ground.index.nodes[node as usize].key);
        if lexeme.len() > 16 * MAX_IDENTIFIER {
            return true;
        }
        let cursor = score::pinned(name) || score::cursor_like(name);
        let one_word = !lexeme.bytes().any(|b| b == b' ' || b == b'\\') && lexeme.is_ascii();
        !(one_word && (cursor || lexeme.len() <= MAX_IDENTIFIER) && !lexeme.starts_with("\"data:"))
    }

    fn piece(&mut self, node: u32, stage: u32, first: f32) -> bool {
        let Some(Keep::Part(have)) = self.kept.get(&node).copied() else { return true };
        let cost = self.ground.meter.cost(self.ground.index.lexeme(node).as_bytes());
        let mut want = (FIRST_PIECE << stage.min(40)).saturating_add(self.costs.cut);
        if want + want / 8 >= cost {
            want = cost;
        }
        if self.used + want - have > self.limit {
            // What is left of the budget goes to the text that would have had more.
            let left = self.limit - self.used.min(self.limit);
            if left < 12 {
                return false;
            }
            self.kept.insert(node, Keep::Part(have + left));
            self.used += left;
            return true;
        }
        self.used += want - have;
        let whole = want >= cost;
        self.kept.insert(node, if whole { Keep::Whole } else { Keep::Part(want) });
        if !whole {
            self.push(Tier::Common, first * PIECE_DECAY.powi(stage as i32 + 1), What::Piece { node, stage: stage + 1, priority: first });
        }
        true
    }

    /// Keeps a value and the containers around it, if they fit.
    fn add(&mut self, node: u32, open: u32, ordinal: u32, keep: Keep, cost: usize) -> bool {
        let around = self.cost_of_opening(open);
        let entry = self.entry_cost(node, open, ordinal);
        // The last entry of a container makes its marker needless: it may cost less than nothing.
        if (self.used + around + cost).saturating_add_signed(entry) > self.limit {
            return false;
        }
        self.keep_open(open);
        let entry = self.entry_cost(node, open, ordinal);
        self.used = (self.used + cost).saturating_add_signed(entry);
        self.mark(open, ordinal);
        self.kept.insert(node, keep);
        true
    }

    /// What it costs to let a container and those around it stand in the output.
    fn cost_of_opening(&self, mut open: u32) -> usize {
        let mut cost = 0usize;
        while open != NONE && !self.opens[open as usize].kept {
            let o = &self.opens[open as usize];
            cost += self.empty_cost(open);
            if o.collapsed {
                cost = cost.saturating_sub(self.collapsed_cost(o.node));
            } else if o.parent != NONE {
                cost = cost.saturating_add_signed(self.entry_cost(o.node, o.parent, o.ordinal));
            }
            open = o.parent;
        }
        cost
    }

    fn keep_open(&mut self, open: u32) {
        let mut chain = Vec::new();
        let mut at = open;
        while at != NONE && !self.opens[at as usize].kept {
            chain.push(at);
            at = self.opens[at as usize].parent;
        }
        for &id in chain.iter().rev() {
            if self.opens[id as usize].collapsed {
                self.uncollapse(id);
            }
            let o = &self.opens[id as usize];
            let (node, parent, ordinal) = (o.node, o.parent, o.ordinal);
            self.used += self.empty_cost(id);
            if parent != NONE {
                self.used = self.used.saturating_add_signed(self.entry_cost(node, parent, ordinal));
                self.mark(parent, ordinal);
            }
            self.opens[id as usize].kept = true;
            self.kept.insert(node, Keep::Open(id));
        }
    }

    /// A container with nothing kept in it: brackets less one comma, and the marker that says so.
    fn empty_cost(&self, open: u32) -> usize {
        let index = self.ground.index;
        let o = &self.opens[open as usize];
        let outermost = o.list == open;
        if index.stream && o.parent == NONE {
            // No brackets: an entry's line feed, one too many, and the marker lines.
            return o.marker + self.costs.list;
        }
        let marker = if o.object {
            if o.list == NONE || o.how == Children::Elements { o.marker + self.costs.comma + self.entry_space(open) } else { 0 }
        } else {
            o.marker + self.costs.comma + self.entry_space(open)
        };
        let named = if outermost { self.costs.list } else { 0 };
        self.costs.brackets + self.closing_space(open) - self.costs.comma + marker + named
    }

    /// A marker at its widest: all children omitted.
    fn marker_cost(&self, open: &Open) -> usize {
        let (marks, count) = (self.ground.marks, open.children.max(10) as usize);
        let marker = match (open.object, self.ground.index.stream && open.parent == NONE) {
            (true, _) => marks.keys(count, ""),
            (false, true) => marks.lines(count, ""),
            (false, false) => marks.items(count),
        };
        self.ground.meter.cost(marker.as_bytes())
    }

    /// What an entry adds to its container besides itself: key, colon, comma, and the change in markers.
    fn entry_cost(&self, node: u32, open: u32, ordinal: u32) -> isize {
        let index = self.ground.index;
        let o = &self.opens[open as usize];
        let key = index.nodes[node as usize].key;
        let mut cost = (self.costs.comma + self.entry_space(open)) as isize;
        if key != NO_KEY {
            cost += (self.ground.meter.cost(index.key(key).as_bytes()) + self.costs.colon) as isize;
        }
        if o.object {
            let marked = o.list == NONE || o.how == Children::Elements;
            if marked && o.kept && o.kept_children + 1 == o.children {
                cost -= (o.marker + self.costs.comma + self.entry_space(open)) as isize;
            }
        } else {
            let gaps = match (o.has(i64::from(ordinal) - 1), o.has(i64::from(ordinal) + 1)) {
                (true, true) => -1,
                (false, false) => 1,
                _ => 0,
            };
            cost += gaps * (o.marker + self.costs.comma + self.entry_space(open)) as isize;
        }
        cost
    }

    /// How many containers are around the children of one: kept with each, since counting them anew is quadratic in deep texts.
    fn depth(&self, open: u32) -> usize {
        self.opens.get(open as usize).map_or(0, |o| o.depth)
    }

    fn entry_space(&self, open: u32) -> usize {
        let space = self.ground.space;
        let newline = self.ground.meter.byte(b'\n');
        if space.indent > 0 {
            newline + self.ground.meter.byte(b' ') * space.indent * self.depth(open)
        } else if space.lines && self.opens[open as usize].list == open {
            newline
        } else {
            0
        }
    }

    fn closing_space(&self, open: u32) -> usize {
        let space = self.ground.space;
        let newline = self.ground.meter.byte(b'\n');
        if space.indent > 0 {
            newline + self.ground.meter.byte(b' ') * space.indent * (self.depth(open) - 1)
        } else if space.lines && self.opens[open as usize].list == open {
            newline
        } else {
            0
        }
    }

    fn mark(&mut self, open: u32, ordinal: u32) {
        let o = &mut self.opens[open as usize];
        o.kept_children += 1;
        if !o.object {
            o.bits[ordinal as usize / 64] |= 1 << (ordinal % 64);
        }
    }

    /// Enters a container: its children become candidates.
    fn enter(&mut self, node: u32, shape: u32, parent: u32, ordinal: u32, weight: f32, keep: bool) -> u32 {
        let index = self.ground.index;
        let outer = (parent != NONE).then(|| self.opens[parent as usize].how);
        let how = children_of(index, node, outer);
        let object = index.kind(node) == Type::Object;
        let id = self.opens.len() as u32;
        let around = if parent == NONE { NONE } else { self.opens[parent as usize].list };
        let weight = if around != NONE && how == Children::Elements { weight * NESTED } else { weight };
        let list = if around != NONE || how == Children::Fields { around } else { id };
        let mut open = Open {
            node,
            shape,
            how,
            object,
            parent,
            depth: self.depth(parent) + 1,
            ordinal,
            list,
            kept: false,
            collapsed: false,
            weight,
            marker: 0,
            elements: Vec::new(),
            bits: Vec::new(),
            seen: Vec::new(),
            children: 0,
            kept_children: 0,
            special: Vec::new(),
            next_special: 0,
            next_plain: 0,
            plain_rank: 0,
            scalars: false,
        };
        if how == Children::Fields {
            open.children = index.children(node).count() as u32;
            open.marker = self.marker_cost(&open);
            self.opens.push(open);
            if keep {
                self.keep_open(id);
            }
            self.fields(id);
        } else {
            open.elements = index.children(node).collect();
            open.children = open.elements.len() as u32;
            open.bits = vec![0; open.elements.len().div_ceil(64)];
            open.seen.clone_from(&open.bits);
            open.scalars = open.elements.first().is_some_and(|&e| !matches!(index.kind(e), Type::Object | Type::Array) || self.atomic(e));
            open.marker = self.marker_cost(&open);
            if how == Children::Elements {
                open.special = self.special(node, &open.elements, open.scalars);
            }
            self.opens.push(open);
            if keep {
                self.keep_open(id);
            }
            self.next_element(id);
        }
        id
    }

    fn fields(&mut self, id: u32) {
        let Open { node, shape, weight, parent, list, .. } = self.opens[id as usize];
        let index = self.ground.index;
        let top = list == NONE;
        // An error at the top says what it says, whatever else there is.
        let vital = top
            && parent != NONE
            && self.opens[parent as usize].parent == NONE
            && score::trouble(index.name(index.nodes[node as usize].key));
        let size = (index.nodes[node as usize].end - index.nodes[node as usize].start) as f32;
        let depth = self.depth(id);
        let decay = if parent == NONE { 1.0 } else { DEPTH };
        for (position, child) in index.children(node).enumerate() {
            let position = position as u32;
            let child_shape = self.ground.shapes.child(index, shape, Children::Fields, child, position);
            let name = index.name(index.nodes[child as usize].key);
            let container = matches!(index.kind(child), Type::Object | Type::Array);
            let mut w = weight * self.ground.weights[child_shape as usize] * if container && score::wraps(name) { 1.0 } else { decay };
            if top && !container && depth <= 3 {
                // A scalar near the root is small and says what the whole is about.
                w *= SHALLOW[depth - 1];
            }
            if top {
                // What makes up most of a result is what the call was for.
                let value = index.nodes[child as usize];
                w *= 1.0 + BULK * (value.end - value.start) as f32 / size;
            }
            w *= self.ground.rules.factor(index, child);
            let long = index.nodes[child as usize].end - index.nodes[child as usize].start > LONG as u32;
            let tier = if self.ground.rules.protects(index, child) || parent == NONE && name == OWN_NOTICE {
                Tier::Protected
            } else if !top {
                Tier::Common
            } else if !container && (vital && !long || score::pinned(name) && depth <= 4)
                || container && parent == NONE && score::trouble(name)
            {
                Tier::Pinned
            } else if parent == NONE && (container || !long) {
                Tier::Top
            } else {
                Tier::Common
            };
            let priority = self.priority(child, child_shape, w);
            self.push(tier, priority, What::Value { node: child, shape: child_shape, open: id, ordinal: position, weight: w });
        }
    }

    /// The value of a value a character.
    fn priority(&self, node: u32, shape: u32, weight: f32) -> f32 {
        let index = self.ground.index;
        if matches!(index.kind(node), Type::Object | Type::Array) && !index.is_empty(node) && !self.atomic(node) {
            return weight * self.best[shape as usize].max(1e-9);
        }
        let stats = &self.ground.shapes.shapes[shape as usize];
        let lexeme = index.lexeme(node);
        let mean = if stats.count > 1 { 0.5 * (stats.mean_bytes() + lexeme.len() as f32) } else { lexeme.len() as f32 };
        let key = index.key(index.nodes[node as usize].key).len();
        let cost = (key as f32 + 2.0 + mean.min(FIRST_PIECE as f32 + 20.0)).max(3.0);
        let mut value = weight * score::value_factor(lexeme) * stats.information(lexeme, node);
        if self.ground.repeats.contains(&node) {
            value *= REPEATED;
        }
        let news = self.news_in(node).iter().map(|n| n.strength).fold(0.0, f32::max);
        let hits = self.hits_in(node).iter().map(|h| h.strength).fold(0.0, f32::max);
        value *= 1.0 + 2.5 * news.max(hits);
        value / cost.powf(ALPHA)
    }

    pub(super) fn news_in(&self, node: u32) -> &'g [News] {
        let news = &self.ground.shapes.news;
        let end = self.ground.index.nodes[node as usize].next;
        let from = news.partition_point(|n| n.node < node);
        let len = news[from..].partition_point(|n| n.node < end);
        &news[from..from + len]
    }

    pub(super) fn hits_in(&self, node: u32) -> &'g [Hit] {
        let hits = self.ground.hits;
        let n = self.ground.index.nodes[node as usize];
        let from = hits.partition_point(|h| h.at < n.start);
        let len = hits[from..].partition_point(|h| h.at < n.end);
        &hits[from..from + len]
    }

    /// The number that an element of a series stands for: itself, or the last of a point.
    fn number(&self, element: u32) -> Option<f64> {
        let index = self.ground.index;
        let value = index.children(element).last().unwrap_or(element);
        let text = index.lexeme(value).trim_matches('"');
        (text.len() <= 32).then(|| text.parse().ok()).flatten()
    }

    /// The elements that stand out, most first: those with news or hits, and the last.
    fn special(&self, list: u32, elements: &[u32], scalars: bool) -> Vec<(f32, u32)> {
        let index = self.ground.index;
        let mut scores: HashMap<u32, f32> = HashMap::new();
        let mut raise = |ordinal: usize, strength: f32| {
            let score = scores.entry(ordinal as u32).or_default();
            // Two signs are more than one, never more than all.
            *score = score.max(strength) + 0.25 * score.min(strength);
        };
        for news in self.news_in(list) {
            if news.node > list {
                raise(elements.partition_point(|&e| e <= news.node) - 1, news.strength);
            }
        }
        for hit in self.hits_in(list) {
            // The key of a map's entry is part of it.
            let at = elements.partition_point(|&e| index.nodes[e as usize].end <= hit.at);
            if at < elements.len() {
                raise(at, 0.9 * hit.strength);
            }
        }
        if scalars && elements.len() >= SERIES {
            let (mut low, mut high) = ((f64::INFINITY, 0), (f64::NEG_INFINITY, 0));
            for (at, &element) in elements.iter().enumerate() {
                let Some(x) = self.number(element) else { continue };
                low = if x < low.0 { (x, at) } else { low };
                high = if x > high.0 { (x, at) } else { high };
            }
            if high.0 > low.0 {
                raise(high.1, HIGHEST);
                raise(low.1, LOWEST);
            }
        }
        let mut special: Vec<(f32, u32)> = scores.into_iter().filter(|s| s.1 > 0.1).map(|(o, s)| (SPECIAL * s.min(1.2), o)).collect();
        special.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        special.truncate(MAX_SPECIAL);
        for (rank, s) in special.iter_mut().enumerate() {
            s.0 *= 1.0 / (1.0 + rank as f32 / 10.0);
        }
        for node in self.ground.rules.protected_in(index, list) {
            let ordinal = elements.partition_point(|&e| e <= node) as u32 - 1;
            special.retain(|s| s.1 != ordinal);
            special.insert(0, (PROTECTED, ordinal));
        }
        let last = elements.len() as u32 - 1;
        if elements.len() > 2 && !special.iter().any(|s| s.1 == last && s.0 > LAST) {
            special.retain(|s| s.1 != last);
            special.push((LAST, last));
            special.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
        special
    }

    /// Makes the next most valuable element of a list a candidate.
    fn next_element(&mut self, id: u32) {
        let o = &mut self.opens[id as usize];
        let half = if o.scalars { SCALARS_HALF } else { RECORDS_HALF };
        if o.how == Children::Cells {
            // The cells of a row are worth something together only.
            let (from, to) = (o.next_plain, o.children);
            o.next_plain = to;
            for ordinal in from..to {
                let o = &self.opens[id as usize];
                let (node, weight, shape) = (o.elements[ordinal as usize], o.weight, o.shape);
                let cell = self.ground.shapes.child(self.ground.index, shape, Children::Cells, node, ordinal);
                self.push(
                    Tier::Common,
                    weight * self.best[shape as usize] * 4.0,
                    What::Value { node, shape: cell, open: id, ordinal, weight },
                );
            }
            return;
        }
        let seen = |o: &Open, ordinal: u32| o.seen[ordinal as usize / 64] >> (ordinal % 64) & 1 == 1;
        while o.next_plain < o.children && seen(o, o.next_plain) {
            o.next_plain += 1;
        }
        while o.special.get(o.next_special).is_some_and(|s| seen(o, s.1)) {
            o.next_special += 1;
        }
        let plain_worth = |rank: u32| if rank == 0 { FIRST } else { PLAIN / (1.0 + (rank - 1) as f32 / half) };
        let plain = (o.next_plain < o.children).then(|| plain_worth(o.plain_rank));
        let special = o.special.get(o.next_special).map(|s| s.0);
        let (rank, ordinal) = match (plain, special) {
            (Some(p), s) if s.is_none_or(|s| p >= s) => {
                o.plain_rank += 1;
                (p, o.next_plain)
            }
            (_, Some(s)) => {
                o.next_special += 1;
                (s, o.special[o.next_special - 1].1)
            }
            _ => return,
        };
        o.seen[ordinal as usize / 64] |= 1 << (ordinal % 64);
        let (node, list_shape, how) = (o.elements[ordinal as usize], o.shape, o.how);
        let weight = o.weight * rank;
        let object = o.object;
        let shape = self.ground.shapes.child(self.ground.index, list_shape, how, node, ordinal);
        let mut weight = weight * self.ground.rules.factor(self.ground.index, node);
        if object && !matches!(self.ground.index.kind(node), Type::Object | Type::Array) {
            // An entry of a wide object: its name still says something.
            weight *= 0.5 + 0.5 * score::name_weight(self.ground.index.name(self.ground.index.nodes[node as usize].key));
        }
        let sentence = self.ground.index.kind(node) == Type::String && self.ground.index.lexeme(node).contains(' ');
        if !object && !sentence && (self.atomic(node) || !matches!(self.ground.index.kind(node), Type::Object | Type::Array)) {
            weight *= BARE;
        }
        let tier = if self.ground.rules.protects(self.ground.index, node) { Tier::Protected } else { Tier::Common };
        let priority = self.priority(node, shape, weight);
        self.push(tier, priority, What::Value { node, shape, open: id, ordinal, weight });
        let o = &self.opens[id as usize];
        let next_plain = if o.next_plain < o.children { plain_worth(o.plain_rank) } else { 0.0 };
        let next_special = o.special.get(o.next_special).map_or(0.0, |s| s.0);
        let protected = next_special >= PROTECTED;
        let bound = o.weight
            * next_plain.max(next_special)
            * self.best[shape as usize].max(1e-9)
            * if next_special > next_plain { 3.5 } else { 1.0 };
        if bound > 0.0 {
            self.push(if protected { Tier::Protected } else { Tier::Common }, bound.min(priority * 4.0), What::NextElement { open: id });
        }
    }
}

/// For every path the highest value a character that anything below it has, the path's own weight left out.
fn best_below(ground: &Ground<'_, '_>) -> Vec<f32> {
    let shapes = &ground.shapes.shapes;
    let mut best = vec![0.0f32; shapes.len()];
    for (id, shape) in shapes.iter().enumerate().rev() {
        if shape.count > shape.containers {
            let key = ground.index.key(shape.key).len() as f32;
            let cost = (key + 2.0 + shape.mean_bytes().min(FIRST_PIECE as f32 + 20.0)).max(3.0);
            best[id] = best[id].max(1.0 / cost.powf(ALPHA));
        }
        if id > 0 {
            let parent = shape.parent as usize;
            best[parent] = best[parent].max(ground.weights[id] * best[id]);
        }
    }
    best
}
