//! What every part of an outline is worth: its name, how its values are distributed, its place in its list, and what the call asked for.

use super::shape::{Shape, Shapes};
use super::{Form, ITEM, NONE, Outline, TEXT};
use crate::json::ids::IdMap;
use crate::json::names;
use crate::order::{best_first, best_of};
use crate::query::name_words;
use crate::text::Ask;
use crate::text::hash::TextMap;
use crate::words::Hit;

/// A level of depth that is no wrapper costs this factor.
const DEPTH: f32 = 0.85;
/// So much of what makes a field rare is handed down to what it holds.
const HANDED: f32 = 0.7;
/// Lists within records say less of each.
const NESTED: f32 = 0.75;
/// So much is an item of a record's list of scalars worth, beside its other fields.
const SCALAR: f32 = 0.6;
/// A bag of properties says less than the fields that have names of their own.
const PAIR: f32 = 0.5;
/// The first record shows what the others are like; the last is where a list ends.
const FIRST: f32 = 1.5;
const LAST: f32 = 0.9;
/// Of the outermost list the last is worth so many times more.
const OUTERMOST: f32 = 1.6;
/// The main fields of further records lose value slower, by the root of what the others lose, and get back at most so much.
const FAR: f32 = 0.2;
/// How fast further records lose value: half after this many.
const RECORDS_HALF: f32 = 4.0;
const SCALARS_HALF: f32 = 3.0;
/// A list's records that stand out, at most this many in a list.
const MAX_SPECIAL: usize = 256;
/// The worth of what the names do not tell.
const UNKNOWN: f32 = 0.5;
/// A long value's first piece.
pub(crate) const FIRST_PIECE: usize = 100;
/// So much of what a branch costs by itself counts as the cost of each of its leaves.
const SHELL: f32 = 0.5;
/// More parts than the limit can hold are never looked at, but so many are at the least.
const MIN_CANDIDATES: usize = 1_500;

/// The parts that may stay, the most valuable a character first.
pub(crate) struct Worths {
    pub(crate) candidates: Vec<(f32, u32)>,
}

impl Worths {
    pub(crate) fn new(outline: &Outline<'_>, shapes: &Shapes, form: &impl Form, ask: &Ask<'_>) -> Self {
        let most = shapes.shapes.iter().map(|s| s.count).max().unwrap_or(1) as usize;
        let hits = ask.finder.hits(outline.text, most);
        let fields = field_weights(outline, shapes, form, ask);
        let own = own_strengths(outline, shapes, &fields, &hits);
        let within = strengths_within(outline, &own);
        let mut weights = vec![0.0f32; outline.nodes.len()];
        weights[0] = 1.0;
        let mut listed = vec![false; outline.nodes.len()];
        let mut handed = vec![0.0f32; outline.nodes.len()];
        let mut places = vec![1.0f32; outline.nodes.len()];
        let keep = ask.limit.max(MIN_CANDIDATES);
        let mut candidates: Vec<(f32, u32)> = Vec::new();
        let mut said: TextMap<(u32, u32), u32> = TextMap::default();
        let mut ranks = Ranks {
            plain: vec![(NONE, 0); shapes.shapes.len()],
            last: vec![(NONE, NONE); shapes.shapes.len()],
            special: Vec::new(),
            factor: IdMap::default(),
        };
        for id in 0..outline.nodes.len() as u32 {
            let node = outline.node(id);
            if !node.branch {
                continue;
            }
            if node.next == id + 1 {
                candidates.push((weights[id as usize] * (1.0 + 2.0 * own[id as usize]) / 8.0, id));
                continue;
            }
            ranks.prepare(outline, id, &within);
            let weight = weights[id as usize];
            let shell = form.around(outline, id) as f32;
            let mut unit = (0.0, shell);
            for child in outline.children(id) {
                let part = outline.node(child);
                let mut w = weight * fields[part.shape as usize];
                if shapes.shapes[part.shape as usize].pair {
                    w *= PAIR;
                } else if part.ordinal != NONE {
                    let place = ranks.factor(child, part, !listed[id as usize]);
                    w *= place * if listed[id as usize] { NESTED } else { 1.0 };
                    places[child as usize] = place;
                } else if part.branch {
                    let wraps = !listed[id as usize] && names::wraps(outline.name(part.name)) || outline.only_text(child);
                    w *= if wraps { 1.0 } else { DEPTH };
                    w *= 1.0 + own[child as usize];
                }
                listed[child as usize] = listed[id as usize] || part.ordinal != NONE;
                if part.ordinal == NONE {
                    // What stands in a field that few records have tells why they have it.
                    handed[child as usize] = shapes.rare[part.shape as usize].max(HANDED * handed[id as usize]);
                }
                if part.branch {
                    if part.ordinal == NONE && outline.only_text(child) {
                        places[child as usize] = places[id as usize];
                    }
                    weights[child as usize] = w;
                    continue;
                }
                let field =
                    if part.name == TEXT && node.ordinal == NONE { fields[node.shape as usize] } else { fields[part.shape as usize] };
                if field >= 1.0 && places[id as usize] < 1.0 {
                    // What further records are called and how they are stays worth more than what else is in them.
                    w /= places[id as usize].sqrt().max(FAR);
                }
                let (mut worth, cost) =
                    value(outline, shapes, form, child, w, own[child as usize].max(handed[child as usize]), !listed[child as usize]);
                if listed[id as usize] && part.name == ITEM {
                    // One of many values of one field of one record; said before, it says nothing new.
                    let seen = said.entry((part.shape, super::shape::hash(outline.value(child).as_bytes()))).or_insert(0u32);
                    worth *= SCALAR / (1.0 + *seen as f32);
                    *seen += 1;
                }
                if part.glued && node.next - id <= 3 {
                    unit = (unit.0 + worth, unit.1 + cost);
                } else {
                    candidates.push((density(worth, cost + SHELL * shell), child));
                }
            }
            if unit.0 > 0.0 {
                // What has been said before says nothing new.
                let seen =
                    said.entry((0, super::shape::hash(&outline.text.as_bytes()[node.start as usize..node.end as usize]))).or_insert(0u32);
                unit.0 /= 1.0 + *seen as f32;
                *seen += 1;
                candidates.push((density(unit.0, unit.1), id));
            }
            if candidates.len() > 4 * keep {
                best_of(&mut candidates, keep);
            }
        }
        best_first(&mut candidates, keep);
        Self { candidates }
    }
}

/// What a character of something is worth: worth / cost^0.75, as for JSON, by roots, which are the same on every platform.
fn density(worth: f32, cost: f32) -> f32 {
    let root = cost.sqrt();
    worth / (root * root.sqrt())
}

/// How much each node stands out by itself: news in its value, hits in it, a path that few records have.
fn own_strengths(outline: &Outline<'_>, shapes: &Shapes, fields: &[f32], hits: &[Hit]) -> Vec<f32> {
    let mut own: Vec<f32> = outline.nodes.iter().map(|n| shapes.rare[n.shape as usize]).collect();
    own[0] = 0.0;
    for &(node, strength) in &shapes.news {
        // What is unusual in a field that says little is little news.
        let says = (fields[outline.node(node).shape as usize] / 0.8).clamp(0.25, 1.0);
        own[node as usize] = own[node as usize].max(strength * says);
    }
    let mut node = 0usize;
    for hit in hits {
        while outline.nodes.get(node + 1).is_some_and(|n| n.start <= hit.at) {
            node += 1;
        }
        let at = outline.nodes[node];
        // A leaf's name is weighed as a name; what counts here is what it says.
        let named = !at.branch && at.ordinal == NONE;
        let inside = if at.branch { hit.at < at.value } else { (!named || hit.at >= at.value) && hit.at < at.end };
        if inside && node > 0 {
            own[node] = own[node].max(0.95 * hit.strength);
        }
    }
    own
}

/// For each node how much stands out in it or below: two signs are more than one, never more than all.
fn strengths_within(outline: &Outline<'_>, own: &[f32]) -> Vec<f32> {
    let mut within = own.to_vec();
    for id in (1..outline.nodes.len()).rev() {
        let strength = within[id];
        if strength > 0.02 {
            let above = &mut within[outline.nodes[id].parent as usize];
            *above = (above.max(strength) + 0.25 * above.min(strength)).min(1.2);
        }
    }
    within
}

/// The places of one branch's records in the order of their worth.
struct Ranks {
    /// For each path the branch and how many of its records were plain so far.
    plain: Vec<(u32, u32)>,
    /// For each path the branch and its last record.
    last: Vec<(u32, u32)>,
    special: Vec<(f32, u32)>,
    factor: IdMap<u32, f32>,
}

impl Ranks {
    fn prepare(&mut self, outline: &Outline<'_>, branch: u32, within: &[f32]) {
        self.special.clear();
        self.factor.clear();
        if outline.node(branch).records == 0 {
            return;
        }
        for child in outline.children(branch).filter(|&c| outline.node(c).ordinal != NONE) {
            if within[child as usize] > 0.1 {
                self.special.push((within[child as usize], child));
            }
            self.last[outline.node(child).shape as usize] = (branch, child);
        }
        best_first(&mut self.special, MAX_SPECIAL);
        for (rank, &(strength, node)) in self.special.iter().enumerate() {
            self.factor.insert(node, strength.min(1.2) / (1.0 + rank as f32 / 10.0));
        }
    }

    fn factor(&mut self, child: u32, part: &super::Node, outermost: bool) -> f32 {
        let more = if outermost { OUTERMOST } else { 1.0 };
        let end = self.last[part.shape as usize] == (part.parent, child);
        let rank = &mut self.plain[part.shape as usize];
        if rank.0 != part.parent {
            *rank = (part.parent, 0);
        }
        let half = if part.branch { RECORDS_HALF } else { SCALARS_HALF };
        let plain = if rank.1 == 0 { FIRST } else { 1.0 / (1.0 + rank.1 as f32 / half) };
        let special = self.factor.get(&child).copied().unwrap_or(0.0).max(if end { LAST * more } else { 0.0 });
        if special < plain {
            rank.1 += 1;
        }
        special.max(plain)
    }
}

/// For every path its worth beside its siblings: name, distribution, and the call's words.
fn field_weights(outline: &Outline<'_>, shapes: &Shapes, form: &impl Form, ask: &Ask<'_>) -> Vec<f32> {
    shapes.shapes.iter().map(|shape| field_weight(outline, shapes, shape, form, ask)).collect()
}

fn field_weight(outline: &Outline<'_>, shapes: &Shapes, shape: &Shape, form: &impl Form, ask: &Ask<'_>) -> f32 {
    let branch = shape.leaves < shape.count;
    let name = outline.name(shape.name);
    let nameless = shape.name == ITEM || shape.name == TEXT;
    let mut weight = if nameless || branch && names::wraps(name) { 1.0 } else { names::name_weight(name) };
    if branch && (weight - UNKNOWN).abs() < f32::EPSILON {
        // A branch is what its parts are.
        weight = if shape.records { 1.0 } else { DEPTH };
    }
    if branch
        && weight < 0.5
        && outline.children(shape.first).any(|c| matches!(outline.name(outline.node(c).name), "name" | "id" | "title"))
    {
        // What holds the identity of its record is worth as much.
        weight = 0.9;
    }
    weight = form.weight(outline, shape.first, weight);
    let above = &shapes.shapes[shape.parent as usize];
    if above.count >= 4 && !branch {
        if shape.constant() {
            weight *= 0.5;
        } else if shape.few_valued() {
            weight *= 1.15;
        }
    }
    if name.is_empty() {
        return weight;
    }
    let words = name_words(name);
    let asked = ask
        .finder
        .terms()
        .iter()
        .filter(|t| words.contains(&t.text) || t.text.eq_ignore_ascii_case(name))
        .map(|t| t.strength)
        .fold(0.0, f32::max);
    weight * (1.0 + 2.0 * asked)
}

/// What a leaf is worth, and about what it costs.
fn value(outline: &Outline<'_>, shapes: &Shapes, form: &impl Form, leaf: u32, weight: f32, strength: f32, top: bool) -> (f32, f32) {
    let node = outline.node(leaf);
    let value = form.plain(outline.value(leaf));
    let stats = &shapes.shapes[node.shape as usize];
    let mean = if stats.leaves > 1 { 0.5 * (stats.mean_bytes() + value.len() as f32) } else { value.len() as f32 };
    let around =
        if node.name == TEXT { 2 * outline.name(outline.node(node.parent).name).len() } else { (node.value - node.start) as usize };
    let cost = (around as f32 + 3.0 + mean.min(FIRST_PIECE as f32 + 20.0)).max(3.0);
    let mut worth = weight * value_factor(value);
    if stats.constant() && stats.first != leaf {
        worth *= 0.1;
    } else if stats.few_valued() {
        // What most records have says little about one.
        worth *= 1.0 - 0.75 * (2.0 * stats.share(value) - 1.0).max(0.0);
    }
    if top {
        let name = if node.name == TEXT { outline.name(outline.node(node.parent).name) } else { outline.name(node.name) };
        let outermost = outline.node(node.parent).parent == 0;
        worth *= if names::pinned(name) {
            12.0
        } else if outermost {
            8.0
        } else {
            3.0
        };
    }
    (worth * (1.0 + 2.5 * strength), cost)
}

/// How much less a value counts for what it is: nothing in it, or a link.
fn value_factor(value: &str) -> f32 {
    match value {
        "" | "null" | "~" | "[]" | "{}" => 0.12,
        "false" => 0.6,
        _ if value.starts_with("http://") || value.starts_with("https://") => 0.6,
        _ => 1.0,
    }
}
