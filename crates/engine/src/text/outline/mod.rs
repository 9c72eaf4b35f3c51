//! Trees of named parts, as XML and YAML have them: what each part is worth, and which parts stay.
//!
//! A reader of one form (XML, YAML) builds the [`Outline`]: one small node a part, borrowed from the text. [`shape`] finds out which siblings are
//! records of a list and what the values of each path are like, [`worth`] gives every part its value, [`plan`] keeps the most valuable a
//! character, and the form writes what was kept. As for JSON: records × fields, rarity, decay along each list, weights by a field's name.

pub(crate) mod details;
pub(crate) mod plan;
pub(crate) mod shape;
pub(crate) mod worth;

use crate::report::{Amount, Omitted, Place, Report};

use super::Ask;
use super::hash::TextMap;
use super::lines::{grapheme_ceil, grapheme_floor};
use details::Details;
use plan::{Plan, Planned};
use worth::Worths;

/// No node, no ordinal.
pub(crate) const NONE: u32 = u32::MAX;
/// The name of parts that have none: items of sequences.
pub(crate) const ITEM: u32 = 0;
/// The name of running text.
pub(crate) const TEXT: u32 = 1;

/// One part of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// Byte offset of its first byte.
    pub(crate) start: u32,
    /// Where a leaf's value begins, or where a branch's own beginning ends.
    pub(crate) value: u32,
    /// Byte offset past its last byte.
    pub(crate) end: u32,
    /// The branch around it; the root is its own.
    pub(crate) parent: u32,
    /// The node after this one and all inside it.
    pub(crate) next: u32,
    /// Its interned name.
    pub(crate) name: u32,
    /// Its path, once that is known.
    pub(crate) shape: u32,
    /// Its number among the records of its branch, or [`NONE`] where it is a field.
    pub(crate) ordinal: u32,
    /// How many records a branch holds.
    pub(crate) records: u32,
    /// How many parts of it are none.
    pub(crate) fields: u32,
    /// What the form knows about it.
    pub(crate) role: u8,
    /// Whether other parts may stand in it.
    pub(crate) branch: bool,
    /// Whether it stays whenever its branch does: both stand on one line.
    pub(crate) glued: bool,
}

/// All parts of a text, each before what it holds. Node 0 is the text.
#[derive(Debug)]
pub(crate) struct Outline<'a> {
    pub(crate) text: &'a str,
    pub(crate) nodes: Vec<Node>,
    names: Vec<&'a str>,
    known: TextMap<&'a str, u32>,
    /// The name that came after each the last time: records repeat their order of names.
    after: Vec<u32>,
    last: u32,
    open: Vec<u32>,
}

impl<'a> Outline<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut outline = Self {
            text,
            nodes: Vec::with_capacity(text.len() / 24),
            names: Vec::new(),
            known: TextMap::default(),
            after: Vec::new(),
            last: 0,
            open: Vec::new(),
        };
        outline.names.extend(["", ""]);
        outline.after.extend([ITEM, ITEM]);
        outline.open(ITEM, 0, 0, 0);
        outline
    }

    /// The number of a name.
    pub(crate) fn intern(&mut self, name: &'a str) -> u32 {
        let guess = self.after[self.last as usize];
        let id = if guess > TEXT && self.names[guess as usize] == name {
            guess
        } else {
            let next = self.names.len() as u32;
            let id = *self.known.entry(name).or_insert(next);
            if id == next {
                self.names.push(name);
                self.after.push(ITEM);
            }
            self.after[self.last as usize] = id;
            id
        };
        self.last = id;
        id
    }

    /// The number of a name that the text has had.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.known.get(name).copied()
    }

    /// The name with a number; empty for items and running text.
    pub(crate) fn name(&self, name: u32) -> &'a str {
        self.names[name as usize]
    }

    pub(crate) fn names(&self) -> &[&'a str] {
        &self.names
    }

    fn push(&mut self, name: u32, start: usize, value: usize, end: usize, role: u8, branch: bool) -> u32 {
        let id = self.nodes.len() as u32;
        let parent = self.open.last().copied().unwrap_or(0);
        self.nodes.push(Node {
            start: start as u32,
            value: value as u32,
            end: end as u32,
            parent,
            next: id + 1,
            name,
            shape: 0,
            ordinal: NONE,
            records: 0,
            fields: 0,
            role,
            branch,
            glued: false,
        });
        id
    }

    /// Begins a branch.
    pub(crate) fn open(&mut self, name: u32, start: usize, value: usize, role: u8) -> u32 {
        let id = self.push(name, start, value, value, role, true);
        self.open.push(id);
        id
    }

    /// Ends the innermost open branch at `end`.
    pub(crate) fn close(&mut self, end: usize) {
        if let Some(id) = self.open.pop() {
            let next = self.nodes.len() as u32;
            let node = &mut self.nodes[id as usize];
            node.end = end as u32;
            node.next = next;
        }
    }

    /// The innermost open branch.
    pub(crate) fn top(&self) -> u32 {
        self.open.last().copied().unwrap_or(0)
    }

    /// How many branches are open, the text itself included.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn leaf(&mut self, name: u32, start: usize, value: usize, end: usize, role: u8) -> u32 {
        self.push(name, start, value, end, role, false)
    }

    pub(crate) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    /// The text of a leaf's value as written.
    pub(crate) fn value(&self, id: u32) -> &'a str {
        let node = self.node(id);
        &self.text[node.value as usize..node.end as usize]
    }

    /// The direct parts of a branch.
    pub(crate) fn children(&self, id: u32) -> impl Iterator<Item = u32> {
        let end = self.node(id).next;
        let mut at = id + 1;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let child = at;
                at = self.nodes[child as usize].next;
                child
            })
        })
    }

    /// Whether a branch holds nothing but running text: a field of its own branch.
    pub(crate) fn only_text(&self, id: u32) -> bool {
        let node = self.node(id);
        node.next == id + 2 && self.nodes[id as usize + 1].name == TEXT
    }
}

/// What a form knows that the plan needs: costs, and how the kept parts are written.
pub(crate) trait Form {
    /// What a branch costs besides its parts, or a leaf besides its value.
    fn around(&self, outline: &Outline<'_>, node: u32) -> usize;
    /// What a marker in a branch costs at the least.
    fn marker(&self, outline: &Outline<'_>, branch: u32) -> usize;
    /// What a leaf's value costs when it is whole.
    fn whole(&self, outline: &Outline<'_>, node: u32) -> usize;
    /// Whether a long value may be shortened.
    fn cuttable(&self, outline: &Outline<'_>, node: u32) -> bool;
    /// The worth of a part by its name, where the form knows better than the table of names.
    fn weight(&self, outline: &Outline<'_>, node: u32, by_name: f32) -> f32;
    /// A field's name in markers.
    fn label(&self, outline: &Outline<'_>, node: u32) -> String;
    /// A value as it is compared and counted: without quotes.
    fn plain<'v>(&self, value: &'v str) -> &'v str;
    /// Writes what is kept.
    fn write(&self, plan: &Planned<'_, '_>, details: &Details, report: &mut Report) -> String;
}

/// Fits an outline into the limit: plans with predicted costs, writes, and corrects by what was really used.
pub(crate) fn fit(outline: &mut Outline<'_>, form: &impl Form, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let shapes = shape::describe(outline, form);
    let worths = Worths::new(outline, &shapes, form, ask);
    let whole = ask.meter.cost(outline.text.as_bytes());
    // What markers say besides their counts has a share of its own.
    let mut reserve = if whole / 4 < ask.limit { 0 } else { (ask.limit / 14).min(600) };
    let mut inner = ask.limit;
    let mut best: Option<(usize, String, Report)> = None;
    for _ in 0..8 {
        let mut plan = Plan::new(outline, &worths, &shapes, form, ask, inner.saturating_sub(reserve));
        plan.walk();
        let planned = plan.done();
        let details = details::details(&planned, &shapes, form, inner.saturating_sub(planned.used).max(reserve));
        let mut cuts = Report::default();
        let text = form.write(&planned, &details, &mut cuts);
        let cost = ask.meter.cost(text.as_bytes());
        if reserve == 0 && planned.lost() {
            // Not all of it fits, so markers get their share.
            reserve = (ask.limit / 14).min(600);
        }
        if cost <= ask.limit {
            let better = best.as_ref().is_none_or(|b| b.0 < cost);
            let left = ask.limit - cost;
            let complete = !planned.lost();
            if better {
                best = Some((cost, text, cuts));
            }
            if complete || left < 12 + ask.limit / 100 {
                break;
            }
            let more = left - left / 8;
            if !better && more < 24 {
                break;
            }
            inner += more;
        } else {
            let Some(less) = inner.checked_sub((cost - ask.limit) + (cost - ask.limit) / 8 + 2) else { break };
            inner = less;
        }
    }
    // Where the parts stand too deep for any to be kept, the text is no outline to a reader.
    let (_, text, cuts) = best.filter(|b| b.0 * 4 >= ask.limit)?;
    report.absorb(cuts);
    Some(text)
}

/// Counts the records and fields that kept branches lost, and names each branch by its lines: they are what a reader of the text has.
pub(crate) fn count_cuts(planned: &Planned<'_, '_>, report: &mut Report) {
    let outline = planned.outline;
    let mut branches: Vec<u32> = planned.kept.keys().copied().filter(|&id| outline.node(id).branch).collect();
    branches.sort_unstable_by_key(|&id| outline.node(id).start);
    let mut cut = Vec::new();
    for id in branches {
        let (records, fields) = planned.missing(id);
        report.items_omitted += records;
        report.keys_omitted += fields;
        if records > 0 {
            let node = outline.node(id);
            let start = node.start as usize;
            let end = if id == 0 { outline.text.len() } else { node.end as usize };
            cut.push((start, end.saturating_sub(1).max(start), records));
        }
    }
    // Branches stand in each other: the line feeds before all their ends are counted in one pass.
    let mut ends: Vec<usize> = cut.iter().flat_map(|&(start, last, _)| [start, last]).collect();
    ends.sort_unstable();
    ends.dedup();
    let (mut line, mut from) = (1, 0);
    let lines: Vec<usize> = ends
        .iter()
        .map(|&end| {
            line += memchr::memchr_iter(b'\n', outline.text.as_bytes().get(from..end).unwrap_or_default()).count();
            from = end;
            line
        })
        .collect();
    let line = |at: usize| ends.binary_search(&at).map_or(1, |found| lines[found]);
    for (start, last, records) in cut {
        report.omitted.push(Omitted { place: Place::Lines(line(start), line(last)), amount: Amount::Items(records), lever: "records" });
    }
}

/// Whether a long value may be shortened: texts and data may, identifiers may not.
pub(crate) fn cuttable(value: &str) -> bool {
    /// Identifiers up to this long are whole or absent; longer ones are data.
    const MAX_IDENTIFIER: usize = 1_500;
    value.len() > MAX_IDENTIFIER || value.starts_with("data:") || value.bytes().any(|b| b == b' ' || b == b'\n') || !value.is_ascii()
}

/// A value's beginning and end, within `cost`, with the mark of what went between. `safe` moves a cut back to where it splits nothing.
pub(crate) fn cut(value: &str, cost: usize, ask: &Ask<'_>, safe: &dyn Fn(&str, usize) -> usize) -> String {
    let meter = ask.meter;
    let room = cost.saturating_sub(meter.cost(ask.marks.chars(value.len()).as_bytes()));
    let tail_room = if room < 60 || value.starts_with("data:") { 0 } else { room / 4 };
    let mut head = safe(value, grapheme_floor(value, meter.prefix(value, room - tail_room)));
    if let Some(space) = value[..head].rfind([' ', '\n']).filter(|&s| head - s < 24 && s > 0) {
        head = space;
    }
    let mut tail = grapheme_ceil(value, meter.suffix(value, tail_room)).max(head);
    tail = value[tail..].find([' ', '\n']).filter(|&s| s < 32).map_or(value.len(), |s| tail + s);
    if safe(value, tail) != tail {
        tail = value.len();
    }
    format!("{}{}{}", &value[..head], ask.marks.chars(value[head..tail].chars().count()), &value[tail..])
}
