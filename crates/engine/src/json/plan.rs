//! What is kept: a best-first walk from the root, the most valuable value a character first, until the budget is full.
//!
//! Every value has a priority that does not depend on the budget, so a larger budget keeps what a smaller one kept and adds to it. Only what the
//! walk reaches is looked at: the cost is that of the kept part, not of the text. Costs are exact: a container pays for its brackets, each entry
//! for itself, its key and its comma, each gap in a list for its marker.

use std::borrow::Cow;
use std::hash::BuildHasherDefault;

use super::ids::{IdMap, IdSet};
use super::index::{Index, NO_KEY, Type};
use super::names;
use super::open::{Open, Way};
use super::queue::{Place, Queue, Tier, What};
use super::rank::{self, ALPHA};
use super::said::Said;
use super::shape::{Children, Shapes, children_of};
use crate::marker::Marks;
use crate::meter::Meter;
use crate::words::{Finder, Hit};

/// Texts that cost more than this are kept in pieces, the first of [`FIRST_PIECE`], each further one twice as long.
pub(super) const LONG: usize = 160;
pub(super) const FIRST_PIECE: usize = 100;
/// Shorter ones are no documents.
const DOCUMENT: usize = 1_000;
/// A further piece of a text is worth this much of the one before, a character.
const PIECE_DECAY: f32 = 0.62;
/// A document in a string goes on in its pieces; running text has said the most at its beginning.
const DOCUMENT_DECAY: f32 = 0.85;
/// An entry of a map whose key alone stays.
const KEY_ALONE: f32 = 1.5;
/// The name of a record that is shown comes before all other values.
pub(super) const NAMED: f32 = 1e6;
/// Arrays of scalars up to this long are kept whole or left out whole.
const ATOM: u32 = 72;
/// A result's own field of the name that our notice has is never touched.
pub(super) const OWN_NOTICE: &str = "truncation";
/// Values that do not fit are passed over, this many in a row, before the walk ends.
const MAX_MISSES: usize = 600;
/// After so many steps that keep nothing the walk ends: however long a list is, what is left of it is not looked through for what would fit.
const MAX_IDLE: usize = 600;
/// What is protected has this part of the budget for itself, where not all of it fits.
const PROTECTED_SHARE: usize = 2;
/// Identifiers up to this long are whole or absent; longer ones are data.
const MAX_IDENTIFIER: usize = 1_500;

/// Fields of a record that its name is looked for in.
const FIELDS: usize = 32;
/// About what a candidate costs, how many of them a container has, and how many room is made for at first.
const CANDIDATE: usize = 10;
const CHILDREN: usize = 6;
const MANY: usize = 1 << 14;

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
    /// The paths whose values name the records of a list.
    pub(crate) naming: &'g [bool],
    /// The paths between those and their records.
    pub(crate) ways: &'g [bool],
    pub(crate) hits: &'g [Hit],
    pub(crate) finder: &'g Finder,
    pub(crate) meter: &'g Meter,
    pub(crate) marks: &'g Marks,
    /// Long strings that stand in the text before, too.
    pub(crate) repeats: &'g IdSet,
    pub(crate) rules: &'g super::rules::Rules,
    pub(crate) space: Space,
}

/// The walk and what it kept.
pub(crate) struct Plan<'g, 'a> {
    pub(crate) ground: &'g Ground<'g, 'a>,
    pub(crate) kept: IdMap<u32, Keep>,
    pub(crate) opens: Vec<Open>,
    pub(crate) used: usize,
    limit: usize,
    pub(super) queue: Queue,
    pub(super) best: Vec<f32>,
    /// The members of the root, where it is a record.
    tops: Vec<u32>,
    missed: Vec<Place>,
    /// Whether what is protected, where not all of it fits, still comes before other facts.
    protects: bool,
    pub(super) said: Said,
    pub(super) costs: Costs,
    /// What markers of so many children cost, by the kind of the container: they come again and again.
    pub(super) markers: IdMap<(u32, u32), usize>,
}

/// Costs that are the same all over.
pub(super) struct Costs {
    pub(super) comma: usize,
    pub(super) colon: usize,
    pub(super) brackets: usize,
    cut: usize,
    pub(super) list: usize,
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
        let best = rank::best_below(ground);
        let fields = children_of(ground.index, 0, None) == Children::Fields;
        let tops = if fields { ground.index.children(0).collect() } else { Vec::new() };
        let expected = (limit / CANDIDATE).min(ground.index.nodes.len()).min(MANY);
        let mut plan = Self {
            ground,
            kept: IdMap::with_capacity_and_hasher(expected, BuildHasherDefault::new()),
            opens: Vec::with_capacity(expected / CHILDREN),
            used: 0,
            limit,
            queue: Queue::with_capacity(expected),
            best,
            tops,
            missed: Vec::new(),
            protects: true,
            said: Said::default(),
            costs,
            markers: IdMap::default(),
        };
        plan.enter(0, 0, (NONE, 0), 1.0, 1.0, true);
        plan
    }

    /// Keeps the most valuable values until nothing more fits.
    pub(crate) fn walk(&mut self) {
        let mut idle = 0;
        while let Some((place, priority, what)) = self.queue.pop() {
            // What names its record, or stands for its container, may be there already.
            if matches!(what, What::Value { node, .. } if self.kept.contains_key(&node)) {
                continue;
            }
            if place.is(Tier::Common) && self.said_already(priority, what) {
                continue;
            }
            if place.is(Tier::Crowded) && self.protected_tier() == Tier::Common {
                self.queue.push(Tier::Common, self.worth(priority, what), what);
                continue;
            }
            let used = self.used;
            let taken = self.take(priority, what);
            if !taken && self.missed.len() < MAX_MISSES {
                self.missed.push(place);
            }
            if self.used != used {
                idle = 0;
            } else if !taken || place.is(Tier::Common) {
                // What is protected is looked for in every record that holds some of it.
                idle += 1;
            }
            if idle > MAX_IDLE {
                if !place.is(Tier::Crowded) {
                    break;
                }
                // What is protected is too large; the rest may fit.
                (self.protects, idle) = (false, 0);
            }
        }
    }

    /// Tries once more what did not fit, with a new limit.
    pub(crate) fn walk_on(&mut self, limit: usize) {
        self.limit = limit;
        let missed = std::mem::take(&mut self.missed);
        self.queue.put_back(missed);
        self.walk();
    }

    /// Handles the most valuable candidate; false where it did not fit.
    fn take(&mut self, priority: f32, what: What) -> bool {
        match what {
            What::NextElement { open } => {
                self.next_element(open);
                true
            }
            What::Collapsed { open } => self.collapse(open),
            What::Value { node, shape, open, ordinal, weight, fade } => self.value(priority, node, shape, (open, ordinal), weight, fade),
            What::Piece { node, stage, priority } => self.piece(node, stage, priority),
        }
    }

    fn value(&mut self, priority: f32, node: u32, shape: u32, (open, ordinal): (u32, u32), weight: f32, fade: f32) -> bool {
        let index = self.ground.index;
        match index.kind(node) {
            Type::Object | Type::Array if !index.is_empty(node) && !self.atomic(node) => {
                if self.depth(open) * self.costs.brackets > self.limit {
                    // Its brackets and those around it are too much already.
                    return false;
                }
                let way = self.opens[open as usize].way.filter(|w| w.node == node);
                if way.is_some_and(|w| w.entered.is_some()) {
                    // What names its record was looked for in it.
                    return true;
                }
                let id = self.enter(node, shape, (open, ordinal), weight, fade, false);
                if let Some(way) = self.opens[open as usize].way.as_mut().filter(|w| w.node == node) {
                    way.entered = Some(id);
                }
                let around = &self.opens[open as usize];
                if around.object && around.how == Children::Elements {
                    // The key of a map's entry names it, even where nothing in it fits.
                    let key = index.key(index.nodes[node as usize].key).len() as f32;
                    self.queue.push(Tier::Common, weight * KEY_ALONE / (key + 16.0).powf(ALPHA), What::Collapsed { open: id });
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
                let rules = self.ground.rules;
                let cuttable = kind == Type::String && cost > LONG && self.cuttable(node, &text);
                let whole = !cuttable || rules.protects(index, node) && !rules.crowded();
                let mut added = whole && self.add(node, open, ordinal, Keep::Whole, cost);
                if !added && cuttable {
                    let first = (FIRST_PIECE + self.costs.cut).min(cost);
                    added = self.add(node, open, ordinal, Keep::Part(first), first);
                    if added {
                        self.push_piece(node, priority * piece_decay(&text), What::Piece { node, stage: 1, priority });
                    }
                }
                if added {
                    self.say(node, open, shape);
                }
                added
            }
        }
    }

    /// A further piece of a text becomes a candidate.
    fn push_piece(&mut self, node: u32, priority: f32, piece: What) {
        let tier = if self.ground.rules.protects(self.ground.index, node) { self.protected_tier() } else { Tier::Common };
        self.queue.push(tier, priority, piece);
    }

    /// The tier of what is protected: where not all of it fits, other facts keep their room, and counts, cursors and errors come first.
    pub(super) fn protected_tier(&self) -> Tier {
        match self.ground.rules.crowded() {
            false => Tier::Protected,
            true if self.protects && self.used <= self.limit / PROTECTED_SHARE => Tier::Crowded,
            true => Tier::Common,
        }
    }

    /// A short array of scalars is one value: a point, a pair, some tags; so is a small container of the top level.
    pub(super) fn atomic(&self, node: u32) -> bool {
        let index = self.ground.index;
        let value = index.nodes[node as usize];
        let size = value.end - value.start;
        // White space between elements counts here, but not three times.
        let most = if index.blanks > 0 { 3 * ATOM } else { ATOM };
        let short = || size <= most && (index.blanks == 0 || self.compact(node).len() <= ATOM as usize);
        if self.is_top(node) && (index.name(value.key) == OWN_NOTICE || short()) {
            return true;
        }
        size <= most
            && (index.text.as_bytes()[value.start as usize] == b'[' || value.key == NO_KEY && self.pair(node))
            && index.children(node).all(|c| !matches!(index.kind(c), Type::Object | Type::Array))
            && short()
    }

    /// Two fields of which one is the other's name: neither says anything alone.
    fn pair(&self, node: u32) -> bool {
        let index = self.ground.index;
        let mut fields = index.children(node).filter(|&f| !matches!(index.lexeme(f), "null" | "\"\""));
        let (Some(a), Some(b), None) = (fields.next(), fields.next(), fields.next()) else { return false };
        let named = |n: u32, names: &[&str]| names.iter().any(|name| index.name(index.nodes[n as usize].key).eq_ignore_ascii_case(name));
        named(a, names::PAIR_NAMES) && named(b, names::PAIR_VALUES) || named(b, names::PAIR_NAMES) && named(a, names::PAIR_VALUES)
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

    /// Whether a long string may be shortened: texts and data may, identifiers may not.
    fn cuttable(&self, node: u32, lexeme: &str) -> bool {
        let one_word = || !lexeme.bytes().any(|b| b == b' ' || b == b'\\') && lexeme.is_ascii();
        if lexeme.len() > 16 * MAX_IDENTIFIER || lexeme.starts_with("\"data:") || !one_word() {
            return true;
        }
        let name = self.ground.index.name(self.ground.index.nodes[node as usize].key);
        lexeme.len() > MAX_IDENTIFIER && !names::pinned(name) && !names::cursor_like(name)
    }

    fn piece(&mut self, node: u32, stage: u32, first: f32) -> bool {
        let Some(Keep::Part(have)) = self.kept.get(&node).copied() else { return true };
        let lexeme = self.ground.index.lexeme(node);
        let cost = self.ground.meter.cost(lexeme.as_bytes());
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
            let priority = first * piece_decay(lexeme).powi(stage as i32 + 1);
            self.push_piece(node, priority, What::Piece { node, stage: stage + 1, priority: first });
        }
        true
    }

    /// Keeps a value and the containers around it, if they fit.
    pub(super) fn add(&mut self, node: u32, open: u32, ordinal: u32, keep: Keep, cost: usize) -> bool {
        let around = self.cost_of_opening(open);
        let entry = self.entry_cost(node, open, ordinal);
        // The last entry of a container makes its marker needless: it may cost less than nothing.
        let needed = (self.used + around + cost).saturating_add_signed(entry);
        if needed > self.limit || around > 0 && needed + FIRST_PIECE > self.limit && needed + self.cost_of_name(open, node) > self.limit {
            return false;
        }
        self.keep_open(open);
        let entry = self.entry_cost(node, open, ordinal);
        self.used = (self.used + cost).saturating_add_signed(entry);
        self.mark(open, ordinal);
        self.kept.insert(node, keep);
        true
    }

    pub(super) fn keep_open(&mut self, open: u32) {
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
            self.name(id);
        }
    }

    /// Whether a container is a record of a list.
    fn is_record(&self, id: u32) -> bool {
        let Open { how, parent, .. } = self.opens[id as usize];
        how == Children::Fields && parent != NONE && self.opens[parent as usize].how == Children::Elements
    }

    /// What it costs to name the record, not kept yet, that the first of its values is to be kept of; nothing where that is the name.
    fn cost_of_name(&self, mut open: u32, value: u32) -> usize {
        while !self.is_record(open) {
            open = self.opens[open as usize].parent;
            if open == NONE || self.opens[open as usize].kept {
                return 0;
            }
        }
        let Open { node, shape, how, .. } = self.opens[open as usize];
        let index = self.ground.index;
        let name = index.children(node).take(FIELDS).enumerate().find(|&(position, child)| {
            let field = self.ground.shapes.child(index, shape, how, child, position as u32);
            self.ground.naming[field as usize] && index.lexeme(child).len() <= FIRST_PIECE
        });
        name.filter(|n| n.1 != value).map_or(0, |(position, child)| {
            self.ground.meter.cost(index.lexeme(child).as_bytes()).saturating_add_signed(self.entry_cost(child, open, position as u32))
        })
    }

    /// What names a record comes with the first of its other fields: without it a state belongs to nobody.
    fn name(&mut self, id: u32) {
        if !self.is_record(id) {
            return;
        }
        let mut at = Some(id);
        while let Some(open) = at {
            let Open { node, shape, how, weight, .. } = self.opens[open as usize];
            for (position, child) in self.ground.index.children(node).take(FIELDS).enumerate() {
                let position = position as u32;
                let field = self.ground.shapes.child(self.ground.index, shape, how, child, position);
                if self.ground.naming[field as usize] && self.ground.index.lexeme(child).len() <= FIRST_PIECE {
                    self.queue.push(
                        Tier::Common,
                        NAMED,
                        What::Value { node: child, shape: field, open, ordinal: position, weight, fade: 1.0 },
                    );
                }
            }
            at = self.follow(open);
        }
    }

    /// Enters the part of a record that holds its name.
    fn follow(&mut self, open: u32) -> Option<u32> {
        let Way { node, shape, ordinal, weight, fade, entered } = self.opens[open as usize].way?;
        let entered = entered.unwrap_or_else(|| self.enter(node, shape, (open, ordinal), weight, fade, false));
        if let Some(way) = &mut self.opens[open as usize].way {
            way.entered = Some(entered);
        }
        (self.opens[entered as usize].how == Children::Fields).then_some(entered)
    }

    fn mark(&mut self, open: u32, ordinal: u32) {
        let o = &mut self.opens[open as usize];
        o.kept_children += 1;
        if o.how != Children::Fields {
            o.bits[ordinal as usize / 64] |= 1 << (ordinal % 64);
        }
    }
}

/// What a further piece of a string is worth beside the one before.
fn piece_decay(lexeme: &str) -> f32 {
    let inside = lexeme.trim_matches('"').trim_ascii();
    let document = inside.starts_with(['{', '[']) && inside.ends_with(['}', ']']) && inside.len() > DOCUMENT;
    if document { DOCUMENT_DECAY } else { PIECE_DECAY }
}
