//! What a value is worth a character, and which values of a container become candidates when.

use super::index::{Node, Type};
use super::names;
use super::open::{Open, Way};
use super::plan::{FIRST_PIECE, Ground, LONG, NONE, OWN_NOTICE, Plan};
use super::queue::{Tier, What};
use super::score;
use super::shape::{Children, children_of};
use super::special;

/// Density is value / cost^ALPHA: below 1, since a fact is worth having even where it is long.
pub(super) const ALPHA: f32 = 0.6;
/// A long text that stands in the result before is worth this much.
const REPEATED: f32 = 0.03;
/// The part that makes up the whole result is worth so much more than its name says.
const BULK: f32 = 0.2;
/// A scalar of the first levels, outside lists.
const SHALLOW: [f32; 3] = [3.0, 2.5, 1.5];
/// A list inside the records of a list, and what it is worth more where there is one record only.
const NESTED: f32 = 0.35;
const ALONE: f32 = 0.16;
/// The first record is shown in full before others.
const FIRST: f32 = 1.8;
/// The second record's worth; the others follow.
const PLAIN: f32 = 1.0;
/// An element that is a bare number or word says less than a named field.
const BARE: f32 = 0.3;
/// The last point of a series in a record is no detail: it is what the record has come to.
const LATEST: f32 = 5.0;
/// A container that is news in itself is worth so much more.
const ODD: f32 = 2.5;
/// What tells a record that stands out from the others: the news are of little use without it.
const TELLING: f32 = 1.5;
/// Longer values tell no records apart; amounts do not either.
const TELLING_BYTES: f32 = 60.0;
/// A level of depth that is no wrapper costs this factor.
const DEPTH: f32 = 0.7;
/// How fast further records lose value: half after this many. What names them loses it later, so that more records are named than shown.
const RECORDS_HALF: f32 = 3.5;
pub(super) const NAMES_HALF: f32 = 6.0;
const SCALARS_HALF: f32 = 3.0;
/// The best of what stands out may be worth so much more than the best of the others.
const STANDING_OUT: f32 = 3.5;
/// Where the elements of a list are protected the next one comes behind what is in this one.
const AFTER: f32 = 0.5;

impl Plan<'_, '_> {
    /// Enters a container: its children become candidates.
    pub(super) fn enter(&mut self, node: u32, shape: u32, (parent, ordinal): (u32, u32), weight: f32, fade: f32, keep: bool) -> u32 {
        let index = self.ground.index;
        let outer = (parent != NONE).then(|| self.opens[parent as usize].how);
        let how = children_of(index, node, outer);
        let object = index.kind(node) == Type::Object;
        let id = self.opens.len() as u32;
        let around = if parent == NONE { NONE } else { self.opens[parent as usize].list };
        let (weight, fade) = if how == Children::Fields { (weight, fade) } else { (weight * fade, 1.0) };
        let siblings = self.opens.get(parent as usize).map_or(1, |o| if o.how == Children::Elements { o.children } else { o.siblings });
        // A list in one of many records is a detail; in the only record it is not.
        let nested = NESTED + ALONE / (siblings as f32).powi(2);
        let weight = if around != NONE && how == Children::Elements { weight * nested } else { weight };
        let list = if around != NONE || how == Children::Fields { around } else { id };
        let (record, unusual) = match self.opens.get(parent as usize) {
            Some(o) if o.how == Children::Elements => {
                let record = if o.list == parent { id } else { o.record };
                (record, o.unusual || o.chosen[ordinal as usize / 64] >> (ordinal % 64) & 1 == 1)
            }
            Some(o) => (o.record, o.unusual),
            None => (NONE, false),
        };
        let mut open = Open {
            node,
            shape,
            how,
            object,
            parent,
            depth: self.depth(parent) + 1,
            ordinal,
            list,
            record,
            unusual,
            kept: false,
            collapsed: false,
            weight,
            fade,
            way: None,
            siblings,
            marker: 0,
            elements: Vec::new(),
            bits: Vec::new(),
            seen: Vec::new(),
            chosen: Vec::new(),
            children: 0,
            kept_children: 0,
            special: Vec::new(),
            protected: 0,
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
            open.chosen.clone_from(&open.bits);
            open.scalars = self.scalars(&open.elements);
            open.marker = self.marker_cost(&open);
            if how == Children::Elements {
                open.special = special::special(self.ground, (node, shape), &open.elements, open.scalars);
                if !self.ground.rules.covers(node) {
                    open.protected = special::protected(self.ground, node, &open.elements, &mut open.special);
                }
            }
            self.opens.push(open);
            if keep {
                self.keep_open(id);
            }
            self.next_element(id);
        }
        id
    }

    /// Whether a list is one of scalars or points: two of its first, middle and last elements are.
    fn scalars(&self, elements: &[u32]) -> bool {
        let (Some(&first), Some(&last)) = (elements.first(), elements.last()) else { return false };
        let scalar = |&&e: &&u32| !matches!(self.ground.index.kind(e), Type::Object | Type::Array) || self.atomic(e);
        [first, elements[elements.len() / 2], last].iter().filter(scalar).count() >= 2
    }

    fn fields(&mut self, id: u32) {
        let Open { node, shape, weight, fade, parent, list, unusual, .. } = self.opens[id as usize];
        let index = self.ground.index;
        let top = list == NONE;
        // An error at the top says what it says, whatever else there is.
        let vital = top
            && parent != NONE
            && self.opens[parent as usize].parent == NONE
            && names::trouble(index.name(index.nodes[node as usize].key));
        let size = (index.nodes[node as usize].end - index.nodes[node as usize].start) as f32;
        let depth = self.depth(id);
        let decay = if parent == NONE { 1.0 } else { DEPTH };
        for (position, child) in index.children(node).enumerate() {
            let position = position as u32;
            let child_shape = self.ground.shapes.child(index, shape, Children::Fields, child, position);
            let name = index.name(index.nodes[child as usize].key);
            let container = matches!(index.kind(child), Type::Object | Type::Array);
            let mut w = weight * self.ground.weights[child_shape as usize] * if container && names::wraps(name) { 1.0 } else { decay };
            if top && !container && depth <= 3 {
                // A scalar near the root is small and says what the whole is about.
                w *= SHALLOW[depth - 1];
            }
            if top {
                // What makes up most of a result is what the call was for.
                let value = index.nodes[child as usize];
                w *= 1.0 + BULK * (value.end - value.start) as f32 / size;
            }
            w *= self.ground.rules.factor(child);
            if container {
                // What few records have is looked into.
                w *= 1.0 + ODD * special::news_in(self.ground, child).first().filter(|n| n.node == child).map_or(0.0, |n| n.strength);
            }
            let fade = if container || !self.ground.naming[child_shape as usize] { fade } else { 1.0 };
            let long = index.nodes[child as usize].end - index.nodes[child as usize].start > LONG as u32;
            let protected = self.ground.rules.protects(index, child);
            let tier = if protected {
                self.protected_tier()
            } else if parent == NONE && name == OWN_NOTICE {
                Tier::Protected
            } else if !top {
                Tier::Common
            } else if !container && (vital && !long || names::pinned(name) && (depth <= 4 || names::cursor_like(name)))
                || container && (parent == NONE && names::trouble(name) || self.leads_on(child))
            {
                Tier::Pinned
            } else if parent == NONE && (container || !long) {
                Tier::Top
            } else {
                Tier::Common
            };
            let named = container && !index.is_empty(child) && !self.atomic(child);
            let w = if named { w } else { w * fade };
            if named && self.ground.ways[child_shape as usize] && self.opens[id as usize].way.is_none() {
                self.opens[id as usize].way =
                    Some(Way { node: child, shape: child_shape, ordinal: position, weight: w, fade, entered: None });
            }
            let stats = &self.ground.shapes.shapes[child_shape as usize];
            let telling = unusual && !named && stats.distinct() && stats.numbers.is_none() && stats.mean_bytes() < TELLING_BYTES;
            // What is protected stays with its record, whatever it is worth.
            let protected = protected && tier != Tier::Common;
            let priority = if protected { weight } else { self.priority(child, child_shape, w) * if telling { TELLING } else { 1.0 } };
            self.queue.push(tier, priority, What::Value { node: child, shape: child_shape, open: id, ordinal: position, weight: w, fade });
        }
    }

    /// Whether a small record says where the next page is.
    fn leads_on(&self, node: u32) -> bool {
        const SMALL: u32 = 400;
        let index = self.ground.index;
        let name = |c: u32| index.name(index.nodes[c as usize].key);
        let Node { start, end, .. } = index.nodes[node as usize];
        end - start <= SMALL
            && index.kind(node) == Type::Object
            && index.children(node).any(|c| names::cursor_like(name(c)) && names::pinned(name(c)))
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
        let news = special::news_in(self.ground, node).iter().map(|n| n.strength).fold(0.0, f32::max);
        let hits = special::hits_in(self.ground, node).iter().map(|h| h.strength).fold(0.0, f32::max);
        value *= 1.0 + 2.5 * news.max(hits);
        value / cost.powf(ALPHA)
    }

    /// What a candidate is worth that was one for being protected.
    pub(super) fn worth(&self, priority: f32, what: What) -> f32 {
        match what {
            What::Value { node, shape, weight, .. } => self.priority(node, shape, weight),
            What::NextElement { open } => {
                let open = &self.opens[open as usize];
                priority * self.best[open.shape as usize]
            }
            What::Collapsed { .. } | What::Piece { .. } => priority,
        }
    }

    /// Makes the next most valuable element of a list a candidate.
    pub(super) fn next_element(&mut self, id: u32) {
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
                let protected = self.ground.rules.protects(self.ground.index, node);
                self.queue.push(
                    if protected { self.protected_tier() } else { Tier::Common },
                    weight * self.best[shape as usize] * 4.0,
                    What::Value { node, shape: cell, open: id, ordinal, weight, fade: 1.0 },
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
        let slow = if o.scalars { half } else { NAMES_HALF };
        let mut fade = 1.0;
        let next = (o.next_plain < o.children).then(|| plain(o.plain_rank, slow));
        let special = o.special.get(o.next_special).map(|s| s.0);
        let (rank, ordinal) = match (next, special) {
            (Some(p), s) if s.is_none_or(|s| p >= s) => {
                fade = plain(o.plain_rank, half) / p;
                o.plain_rank += 1;
                (p, o.next_plain)
            }
            (_, Some(s)) => {
                let ordinal = o.special[o.next_special].1;
                o.next_special += 1;
                o.chosen[ordinal as usize / 64] |= 1 << (ordinal % 64);
                (s, ordinal)
            }
            _ => return,
        };
        o.seen[ordinal as usize / 64] |= 1 << (ordinal % 64);
        let (node, list_shape, how) = (o.elements[ordinal as usize], o.shape, o.how);
        let weight = o.weight * rank;
        let object = o.object;
        let shape = self.ground.shapes.child(self.ground.index, list_shape, how, node, ordinal);
        let mut weight = weight * self.ground.rules.factor(node);
        if object && !matches!(self.ground.index.kind(node), Type::Object | Type::Array) {
            // An entry of a wide object: its name still says something.
            weight *= 0.5 + 0.5 * names::name_weight(self.ground.index.name(self.ground.index.nodes[node as usize].key));
        }
        let sentence = self.ground.index.kind(node) == Type::String && self.ground.index.lexeme(node).contains(' ');
        if !object
            && !sentence
            && self.ground.index.kind(node) != Type::Object
            && (self.atomic(node) || !matches!(self.ground.index.kind(node), Type::Object | Type::Array))
        {
            weight *= BARE;
        }
        if self.atomic(node) || !matches!(self.ground.index.kind(node), Type::Object | Type::Array) {
            weight *= fade;
        }
        let o = &self.opens[id as usize];
        let field = o.list != id && self.opens[o.parent as usize].how == Children::Fields;
        if field && o.scalars && ordinal + 1 == o.children && special::series(self.ground.index, &o.elements) {
            weight *= LATEST;
        }
        let priority = self.priority(node, shape, weight);
        let protected = self.protected_tier();
        let value = What::Value { node, shape, open: id, ordinal, weight, fade };
        if protected != Tier::Common && self.ground.rules.protects(self.ground.index, node) {
            self.queue.push(protected, weight, value);
        } else {
            self.queue.push(Tier::Common, priority, value);
        }
        let o = &self.opens[id as usize];
        let next_plain = if o.next_plain < o.children { plain(o.plain_rank, slow) } else { 0.0 };
        let next_special = o.special.get(o.next_special).map_or(0.0, |s| s.0);
        let worth = o.weight * next_plain.max(next_special);
        if worth > 0.0 {
            if protected != Tier::Common && (o.next_special < o.protected || self.ground.rules.covers(o.node)) {
                // The fields of this element come before the next element.
                self.queue.push(protected, worth.min(weight) * AFTER, What::NextElement { open: id });
            } else {
                // What stands out holds what is worth more than most, unless it stands out for holding something protected.
                let above = next_special > next_plain && o.next_special >= o.protected;
                let bound = worth * self.best[shape as usize].max(1e-9) * if above { STANDING_OUT } else { 1.0 };
                self.queue.push(Tier::Common, bound.min(priority * 4.0), What::NextElement { open: id });
            }
        }
    }
}

/// The worth of the elements of a list that nothing is said of: the first, the second and so on.
pub(super) fn plain(rank: u32, half: f32) -> f32 {
    if rank == 0 { FIRST } else { PLAIN / (1.0 + (rank - 1) as f32 / half) }
}

/// For every path the highest value a character that anything below it has, the path's own weight left out.
pub(super) fn best_below(ground: &Ground<'_, '_>) -> Vec<f32> {
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
