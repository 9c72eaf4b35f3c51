//! What is kept of an outline: the most valuable part a character first, until the limit is full.
//!
//! Priorities do not depend on the limit, so a larger one keeps what a smaller one kept and adds to it. Costs are predicted; the caller writes the
//! result, measures it, and plans again with what is left or was too much.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::shape::Shapes;
use super::worth::{FIRST_PIECE, Worths};
use super::{Form, NONE, Outline};
use crate::json::ids::{IdMap, IdSet};
use crate::text::Ask;

/// Values that cost more than this are kept in pieces, the first of [`FIRST_PIECE`], each further one twice as long.
const LONG: usize = 160;
/// A further piece of a value is worth this much of the one before, a character.
const PIECE_DECAY: f32 = 0.62;
/// Parts that do not fit are passed over, this many in a row, before the walk ends.
const MAX_MISSES: usize = 600;

/// How a part is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// As it is; a branch with those of its parts that are kept themselves.
    Whole,
    /// A leaf whose value costs at most so much.
    Part(usize),
}

/// What comes later than its worth says: a further piece of a value, or, at stage 0, a part that needs much else.
struct Piece {
    priority: f32,
    node: u32,
    stage: u32,
    first: f32,
}

impl Ord for Piece {
    fn cmp(&self, other: &Self) -> Ordering {
        self.priority.total_cmp(&other.priority).then(other.node.cmp(&self.node))
    }
}
impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Piece {}

/// The walk and what it kept.
pub(crate) struct Plan<'p, 'a, F> {
    planned: Planned<'p, 'a>,
    worths: &'p Worths,
    shapes: &'p Shapes,
    form: &'p F,
    limit: usize,
    records: IdSet<(u32, u32)>,
    pieces: BinaryHeap<Piece>,
    cut: usize,
}

/// What is kept.
pub(crate) struct Planned<'p, 'a> {
    pub(crate) outline: &'p Outline<'a>,
    pub(crate) kept: IdMap<u32, Keep>,
    /// For each kept branch how many of its records and fields are kept.
    counts: IdMap<u32, (u32, u32)>,
    pub(crate) used: usize,
}

impl Planned<'_, '_> {
    /// The kept parts in the order of the text.
    pub(crate) fn in_order(&self) -> Vec<u32> {
        let mut ids: Vec<u32> = self.kept.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// How many records and fields a kept branch lost.
    pub(crate) fn missing(&self, branch: u32) -> (usize, usize) {
        let node = self.outline.node(branch);
        let (records, fields) = self.counts.get(&branch).copied().unwrap_or_default();
        ((node.records - records.min(node.records)) as usize, (node.fields - fields.min(node.fields)) as usize)
    }

    /// Whether any part was left out or shortened.
    pub(crate) fn lost(&self) -> bool {
        self.kept.len() < self.outline.nodes.len() || self.kept.values().any(|k| matches!(k, Keep::Part(_)))
    }
}

impl<'p, 'a, F: Form> Plan<'p, 'a, F> {
    pub(crate) fn new(
        outline: &'p Outline<'a>,
        worths: &'p Worths,
        shapes: &'p Shapes,
        form: &'p F,
        ask: &'p Ask<'p>,
        limit: usize,
    ) -> Self {
        let planned = Planned { outline, kept: IdMap::from_iter([(0, Keep::Whole)]), counts: IdMap::default(), used: 0 };
        let cut = ask.meter.cost(ask.marks.chars(100_000).as_bytes());
        let mut plan = Self { planned, worths, shapes, form, limit, records: IdSet::default(), pieces: BinaryHeap::new(), cut };
        if outline.node(0).records > 0 {
            plan.planned.used = form.marker(outline, 0);
        }
        plan
    }

    /// Keeps the most valuable parts until nothing more fits.
    pub(crate) fn walk(&mut self) {
        let mut misses = 0;
        let mut next = 0;
        while misses < MAX_MISSES {
            let part = self.worths.candidates.get(next);
            let piece = self.pieces.peek().map(|p| p.priority);
            let fitted = match (part, piece) {
                (Some(&(priority, node)), piece) if piece.is_none_or(|p| p <= priority) => {
                    next += 1;
                    let following = self.worths.candidates.get(next).map_or(0.0, |c| c.0).max(piece.unwrap_or(0.0));
                    self.part(node, priority, following)
                }
                (_, Some(_)) => self.pieces.pop().is_none_or(|piece| match piece.stage {
                    0 => self.part(piece.node, piece.priority, 0.0),
                    _ => self.piece(&piece),
                }),
                _ => break,
            };
            misses = if fitted { 0 } else { misses + 1 };
        }
    }

    pub(crate) fn done(self) -> Planned<'p, 'a> {
        self.planned
    }

    /// How a leaf begins to be kept, and what its value costs then.
    fn first(&self, leaf: u32) -> (Keep, usize) {
        let whole = self.form.whole(self.planned.outline, leaf);
        let piece = FIRST_PIECE + self.cut;
        if whole > LONG && piece < whole && self.form.cuttable(self.planned.outline, leaf) {
            (Keep::Part(piece), piece)
        } else {
            (Keep::Whole, whole)
        }
    }

    /// Keeps a part and what it needs; where that costs so much more than the part that what is `following` comes before it, it waits its turn.
    fn part(&mut self, node: u32, priority: f32, following: f32) -> bool {
        if self.planned.kept.contains_key(&node) {
            return true;
        }
        let outline = self.planned.outline;
        // The part, the branches that it needs, and what stands on one line with them.
        let mut chain = Vec::new();
        let mut cost = 0;
        let mut own = 0;
        let (mut at, mut came) = (node, NONE);
        while !self.planned.kept.contains_key(&at) {
            cost += self.own_cost(at);
            chain.push(at);
            let mut glued = at + 1;
            while glued != came && outline.nodes.get(glued as usize).is_some_and(|n| n.glued) {
                cost += self.own_cost(glued);
                chain.push(glued);
                glued += 1;
            }
            if at == node {
                own = cost;
            }
            // A record without what it is called says little.
            for id in self
                .identity(at)
                .into_iter()
                .filter(|&id| id >= glued && id != came && !(came > at && id > came && id < outline.node(came).next))
            {
                if id != NONE && !self.planned.kept.contains_key(&id) {
                    cost += self.own_cost(id);
                    chain.push(id);
                }
            }
            came = at;
            if self.planned.used + cost > self.limit + self.refund(at) {
                return false;
            }
            at = outline.node(at).parent;
        }
        let real = priority * (own as f32 / cost.max(1) as f32).sqrt();
        if real < following {
            self.pieces.push(Piece { priority: real, node, stage: 0, first: priority });
            return true;
        }
        chain.sort_unstable();
        let mut total = self.planned.used as isize;
        for &id in &chain {
            total += self.own_cost(id) as isize + self.gaps(id);
        }
        if total > self.limit as isize {
            return false;
        }
        self.planned.used = total.max(0) as usize;
        for &id in &chain {
            self.keep(id, priority);
        }
        true
    }

    /// The parts of a record that say what it is called: a leaf, and the branches between.
    fn identity(&self, record: u32) -> [u32; 3] {
        let outline = self.planned.outline;
        let mut found = [NONE; 3];
        let node = outline.node(record);
        let wanted = self.shapes.identity[node.shape as usize];
        if node.ordinal == NONE || wanted == 0 {
            return found;
        }
        let shapes = &self.shapes.shapes;
        let mut steps = vec![wanted];
        while steps.len() < 3 && shapes[steps[steps.len() - 1] as usize].parent != node.shape {
            steps.push(shapes[steps[steps.len() - 1] as usize].parent);
        }
        let mut at = record;
        for (place, step) in steps.iter().rev().enumerate() {
            let Some(child) = outline.children(at).take(24).find(|&c| outline.node(c).shape == *step) else { return [NONE; 3] };
            found[place] = child;
            at = child;
        }
        found
    }

    /// What a marker that goes may give back.
    fn refund(&self, node: u32) -> usize {
        self.form.marker(self.planned.outline, self.planned.outline.node(node).parent)
    }

    fn keep(&mut self, id: u32, priority: f32) {
        let outline = self.planned.outline;
        let node = outline.node(id);
        let keep = if node.branch { Keep::Whole } else { self.first(id).0 };
        self.planned.kept.insert(id, keep);
        let counts = self.planned.counts.entry(node.parent).or_default();
        if node.ordinal == NONE {
            counts.1 += 1;
        } else {
            counts.0 += 1;
            self.records.insert((node.parent, node.ordinal));
        }
        if matches!(keep, Keep::Part(_)) {
            self.pieces.push(Piece { priority: priority * PIECE_DECAY, node: id, stage: 1, first: priority });
        }
    }

    fn own_cost(&self, id: u32) -> usize {
        let outline = self.planned.outline;
        let node = outline.node(id);
        let around = self.form.around(outline, id);
        if node.branch { around + if node.records > 0 { self.form.marker(outline, id) } else { 0 } } else { around + self.first(id).1 }
    }

    /// What the markers around a record change when it is kept.
    fn gaps(&self, id: u32) -> isize {
        let outline = self.planned.outline;
        let node = outline.node(id);
        if node.ordinal == NONE {
            return 0;
        }
        let marker = self.form.marker(outline, node.parent) as isize;
        let before = node.ordinal == 0 || self.records.contains(&(node.parent, node.ordinal - 1));
        let after = node.ordinal + 1 >= outline.node(node.parent).records || self.records.contains(&(node.parent, node.ordinal + 1));
        match (before, after) {
            (true, true) => -marker,
            (false, false) => marker,
            _ => 0,
        }
    }

    fn piece(&mut self, piece: &Piece) -> bool {
        let Some(Keep::Part(have)) = self.planned.kept.get(&piece.node).copied() else { return true };
        let cost = self.form.whole(self.planned.outline, piece.node);
        let mut want = (FIRST_PIECE << piece.stage.min(40)).saturating_add(self.cut);
        if want + want / 8 >= cost {
            want = cost;
        }
        if self.planned.used + want.saturating_sub(have) > self.limit {
            // What is left of the limit goes to the value that would have had more.
            let left = self.limit.saturating_sub(self.planned.used);
            if left < 12 {
                return false;
            }
            self.planned.kept.insert(piece.node, Keep::Part(have + left));
            self.planned.used += left;
            return true;
        }
        self.planned.used += want.saturating_sub(have);
        let whole = want >= cost;
        self.planned.kept.insert(piece.node, if whole { Keep::Whole } else { Keep::Part(want) });
        if !whole {
            let priority = piece.first * PIECE_DECAY.powi(piece.stage as i32 + 1);
            self.pieces.push(Piece { priority, node: piece.node, stage: piece.stage + 1, first: piece.first });
        }
        true
    }
}
