//! What markers say besides their counts: what the omitted records were, and which keys were cut from those that stayed.

use super::ids::IdMap;
use super::index::{Index, NO_KEY, Type};
use super::names::PAIR_NAMES;
use super::numbers::number;
use super::open::Open;
use super::plan::{NONE, Plan};
use super::shape::{Children, ELEMENT};
use super::write::Details;
use crate::order::Order as _;

/// A marker's details are at most so long, and of so many markers.
const MAX_DETAIL: usize = 190;
const MAX_SERIES: usize = 50;
const MAX_SITES: usize = 64;
/// Lists of more elements than this are counted, not described.
const MAX_DESCRIBED: usize = 50_000;
/// Values of a field that are counted in a marker.
const MAX_VALUES: usize = 9;
/// Gaps of a list that name some of what they omit.
const MAX_GAPS: usize = 8;
/// Omitted records of which some are named, evenly from all over the list.
const MAX_EXAMPLES: usize = 512;
/// Kinds that are told apart before the most frequent are named.
const MAX_KINDS: usize = 40;

/// The containers whose markers can say more, the outermost first.
pub(crate) fn sites(plan: &Plan<'_, '_>) -> Vec<u32> {
    let mut found: Vec<u32> = (0..plan.opens.len() as u32)
        .filter(|&id| {
            let open = &plan.opens[id as usize];
            let cut = open.children > open.kept_children;
            open.kept && (open.list == id || open.list == NONE && cut || open.scalars && cut && !open.object)
        })
        .collect();
    // The series in records come after the lists of records.
    found.order_by_key(|&id| {
        (plan.opens[id as usize].scalars && plan.opens[id as usize].list != id, plan.depth(id), plan.opens[id as usize].node)
    });
    found.truncate(MAX_SITES);
    found
}

/// The details of all markers, which cost at most `room` together.
pub(crate) fn details(plan: &Plan<'_, '_>, room: usize) -> Details {
    let mut details = Details::default();
    let sites = sites(plan);
    let mut cut = cut_keys(plan);
    let mut room = room;
    for (at, &id) in sites.iter().enumerate() {
        let open = &plan.opens[id as usize];
        let most = if open.scalars { MAX_SERIES } else { MAX_DETAIL };
        let allowance = (room / (sites.len() - at).min(3)).min(most);
        if allowance < 8 {
            break;
        }
        let meter = plan.ground.meter;
        let (summary, keys) = if open.how == Children::Fields {
            (names(plan, open, allowance - 2), String::new())
        } else {
            let keys = cut.remove(&id).unwrap_or_default();
            let label = if keys.is_empty() { 0 } else { 14 };
            // What went is told by the states first; the names of the keys have a third at least.
            let told = summary(plan, open, (allowance * 2 / 3).saturating_sub(label));
            let left = allowance.saturating_sub(meter.cost(told.as_bytes()) + label + 2);
            let named = join(keys.iter().map(String::as_str), left, plan);
            // That keys were cut is said even where none can be named: the plan keeps room for that.
            let named = if named.is_empty() && !keys.is_empty() { plan.ground.marks.sign().to_owned() } else { named };
            (told, named)
        };
        room = room.saturating_sub(meter.cost(summary.as_bytes()) + meter.cost(keys.as_bytes()) + 16);
        if !(summary.is_empty() && keys.is_empty()) {
            details.texts.insert(open.node, (summary, keys));
        }
        // The gaps name some of what went there, the smallest first: all that it omits is soon said.
        if open.how != Children::Fields && !open.scalars {
            let gaps = if open.object { vec![(0, open.children)] } else { open.largest_gaps() };
            let largest = gaps.first().map_or(0, |gap| gap.0);
            // The largest tells more already.
            let told = details.texts.get(&open.node).map_or(0, |d| meter.cost(d.0.as_bytes()) + meter.cost(d.1.as_bytes()) + 14);
            for (from, count) in gaps.into_iter().rev().take(MAX_GAPS) {
                let most = MAX_DETAIL.saturating_sub(if from == largest { told } else { 0 });
                let allowance = (room / (sites.len() - at).min(3)).min(most);
                let text = names_of(plan, open, (from, count), allowance.saturating_sub(4));
                if !text.is_empty() {
                    room = room.saturating_sub(meter.cost(text.as_bytes()) + 4);
                    details.names.insert((open.node, from), text);
                }
            }
        }
    }
    // A list whose records lost keys says so even where nothing can be named.
    for (id, _) in cut {
        let node = plan.opens[id as usize].node;
        if plan.opens[id as usize].kept && !details.texts.contains_key(&node) {
            details.texts.insert(node, (String::new(), plan.ground.marks.sign().to_owned()));
        }
    }
    details
}

/// Joins what fits, with the sign where some is left out.
fn join<'s>(parts: impl Iterator<Item = &'s str>, allowance: usize, plan: &Plan<'_, '_>) -> String {
    let meter = plan.ground.meter;
    let mut out = String::new();
    let mut used = 0;
    for part in parts {
        let cost = meter.cost(part.as_bytes()) + 2;
        if used + cost + 3 > allowance {
            // That something was left out says the count already.
            if !out.is_empty() {
                out.push_str(", ");
                out.push_str(plan.ground.marks.sign());
            }
            break;
        }
        if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(part);
        used += cost;
    }
    out
}

/// The names of an object's omitted keys.
fn names(plan: &Plan<'_, '_>, open: &Open, allowance: usize) -> String {
    let index = plan.ground.index;
    let missing = index.children(open.node).filter(|c| !plan.kept.contains_key(c)).take(100);
    let names: Vec<&str> = missing.map(|c| index.name(index.nodes[c as usize].key)).collect();
    join(names.into_iter(), allowance, plan)
}

/// For each outermost list the paths of keys that some of its kept records lost.
fn cut_keys(plan: &Plan<'_, '_>) -> IdMap<u32, Vec<String>> {
    let index = plan.ground.index;
    let mut seen: IdMap<(u32, u32), usize> = IdMap::default();
    let mut order: Vec<(u32, u32)> = Vec::new();
    for open in plan.opens.iter().filter(|o| o.kept && o.how == Children::Fields && o.list != NONE && o.children > o.kept_children) {
        for (position, child) in index.children(open.node).enumerate() {
            if plan.kept.contains_key(&child) {
                continue;
            }
            let shape = plan.ground.shapes.child(index, open.shape, open.how, child, position as u32);
            let count = seen.entry((open.list, shape)).or_insert_with(|| {
                order.push((open.list, shape));
                0
            });
            *count += 1;
        }
    }
    let mut cut: IdMap<u32, Vec<String>> = IdMap::default();
    order.order_by(|a, b| a.0.cmp(&b.0).then(seen[b].cmp(&seen[a])).then(a.1.cmp(&b.1)));
    for (list, shape) in order {
        let names = cut.entry(list).or_default();
        if names.len() < 60 {
            let from = plan.opens[list as usize].shape;
            let path: Vec<&str> = plan
                .ground
                .shapes
                .path(shape, from)
                .into_iter()
                .filter(|&k| k != ELEMENT)
                .map(|k| index.name(k))
                .filter(|n| !n.is_empty())
                .collect();
            names.push(path.join("."));
        }
    }
    cut
}

/// What a list's omitted elements were: counts of states, the range of a number.
fn summary(plan: &Plan<'_, '_>, open: &Open, allowance: usize) -> String {
    let missing = (open.children - open.kept_children) as usize;
    if missing < 2 || allowance < 12 {
        return String::new();
    }
    let index = plan.ground.index;
    let mut parts: Vec<String> = Vec::new();
    if open.scalars {
        let gone = omitted(open);
        let pairs: Vec<&str> = gone.iter().filter_map(|&e| pair_name(index, e)).collect();
        if pairs.is_empty() {
            let values = gone.into_iter().map(|e| index.children(e).last().unwrap_or(e));
            parts.extend(Values::of(index, values).tell(""));
        } else {
            return join(pairs.into_iter(), allowance, plan);
        }
    } else {
        let elements = plan.ground.shapes.child(index, open.shape, open.how, open.elements[0], 0);
        let shapes = &plan.ground.shapes;
        let mut fields: Vec<(f32, u32)> = Vec::new();
        let mut below: Vec<u32> = shapes.children_of(elements).collect();
        while let Some(shape) = below.pop() {
            let s = &shapes.shapes[shape as usize];
            // What few of the records have is no state of them all, nor is what stands below it.
            if s.key == ELEMENT || fields.len() > 200 || s.count * 3 < shapes.shapes[elements as usize].count {
                continue;
            }
            below.extend(shapes.children_of(shape));
            let worth = plan.ground.weights[shape as usize]
                * if s.few_valued() && s.numbers.is_none() {
                    2.0
                } else if s.numbers.is_some() {
                    0.7
                } else {
                    0.0
                };
            if worth > 0.5 && s.containers == 0 && !s.constant() {
                fields.push((worth, shape));
            }
        }
        fields.order_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut gone: Option<Vec<u32>> = None;
        for (_, shape) in fields.into_iter().take(4) {
            let path = shapes.path(shape, elements);
            let values = from_statistics(plan, open, shape, &path).unwrap_or_else(|| {
                let gone = gone.get_or_insert_with(|| omitted(open));
                Values::of(index, gone.iter().filter_map(|&e| follow(index, e, &path)))
            });
            parts.extend(values.tell(index.name(shapes.shapes[shape as usize].key)));
        }
    }
    let mut out = String::new();
    for part in parts {
        let cost = plan.ground.meter.cost(part.as_bytes());
        if plan.ground.meter.cost(out.as_bytes()) + cost + 2 > allowance {
            continue;
        }
        if !out.is_empty() {
            out.push_str("; ");
        }
        out.push_str(&part);
    }
    out
}

/// What the name of a name and a value is: `"env"` of `{"key":"env","value":"prod"}`.
fn pair_name<'a>(index: &Index<'a>, pair: u32) -> Option<&'a str> {
    let named = |&c: &u32| index.nodes[c as usize].key != NO_KEY && PAIR_NAMES.contains(&index.name(index.nodes[c as usize].key));
    let name = index.children(pair).find(named).filter(|_| index.kind(pair) == Type::Object)?;
    Some(index.lexeme(name).trim_matches('"')).filter(|n| !n.contains('\\'))
}

/// The names of some records that a gap omits, evenly from all over it.
fn names_of(plan: &Plan<'_, '_>, open: &Open, (from, count): (u32, u32), allowance: usize) -> String {
    if open.elements.len() > MAX_DESCRIBED || allowance < 12 {
        return String::new();
    }
    let ordinals = from..from + count;
    let mut gone: Vec<u32> = ordinals.filter(|&o| !open.has(i64::from(o))).map(|o| open.elements[o as usize]).collect();
    if gone.len() > MAX_EXAMPLES {
        gone = (0..MAX_EXAMPLES).map(|i| gone[i * (gone.len() - 1) / (MAX_EXAMPLES - 1)]).collect();
    }
    let named = examples(plan, open, &gone);
    let mean = named.iter().map(|n| n.len() + 2).sum::<usize>() / named.len().max(1);
    let fit = (allowance.saturating_sub(4) / mean.max(1)).min(named.len());
    if fit < named.len().min(2) {
        return String::new();
    }
    join((0..fit).map(|i| named[i * (named.len() - 1) / (fit - 1).max(1)]), allowance, plan)
}

/// The value at a path of keys inside a record.
fn follow(index: &Index<'_>, record: u32, path: &[u32]) -> Option<u32> {
    path.iter().try_fold(record, |at, &key| index.children(at).find(|&c| index.nodes[c as usize].key == key))
}

/// What names the omitted records, where a field does.
fn examples<'a>(plan: &Plan<'_, 'a>, open: &Open, gone: &[u32]) -> Vec<&'a str> {
    const LONGEST: usize = 60;
    let index = plan.ground.index;
    if open.object {
        return gone.iter().map(|&e| index.name(index.nodes[e as usize].key)).filter(|n| n.len() <= LONGEST).collect();
    }
    let shapes = &plan.ground.shapes;
    let element = shapes.child(index, open.shape, open.how, open.elements[0], 0);
    let naming = shapes
        .children_of(element)
        .filter(|&s| shapes.shapes[s as usize].distinct() && plan.ground.weights[s as usize] >= 1.2)
        .max_by(|&a, &b| plan.ground.weights[a as usize].total_cmp(&plan.ground.weights[b as usize]).then(b.cmp(&a)))
        .or_else(|| below(plan, element));
    let Some(shape) = naming else { return Vec::new() };
    let path = shapes.path(shape, element);
    let values = gone.iter().filter_map(|&e| follow(index, e, &path));
    values.map(|v| index.lexeme(v).trim_matches('"')).filter(|v| v.len() <= LONGEST && !v.contains('\\') && !v.is_empty()).collect()
}

/// The path of what names the records of a list, where it stands in none of their own fields.
fn below(plan: &Plan<'_, '_>, record: u32) -> Option<u32> {
    let shapes = &plan.ground.shapes;
    let mut at = record;
    loop {
        let next = shapes.children_of(at).find(|&s| plan.ground.ways[s as usize] || at != record && plan.ground.naming[s as usize])?;
        if plan.ground.naming[next as usize] {
            return shapes.shapes[next as usize].distinct().then_some(next);
        }
        at = next;
    }
}

/// A list's elements that are not kept; none of a list that is too long to be described.
fn omitted(open: &Open) -> Vec<u32> {
    if open.elements.len() > MAX_DESCRIBED {
        return Vec::new();
    }
    (0..open.elements.len()).filter(|&ordinal| !open.has(ordinal as i64)).map(|ordinal| open.elements[ordinal]).collect()
}

/// The values of a field of the omitted records, by the statistics of its path less what is kept: however long the list is. None where they are
/// not those of this list alone, or do not tell.
fn from_statistics<'a>(plan: &Plan<'_, 'a>, open: &Open, shape: u32, path: &[u32]) -> Option<Values<'a>> {
    let (index, shapes) = (plan.ground.index, &plan.ground.shapes.shapes);
    let stats = &shapes[shape as usize];
    if shapes[open.shape as usize].count != 1 {
        return None;
    }
    let kept: Vec<u32> = open.kept_ordinals().filter_map(|at| follow(index, open.elements[at as usize], path)).collect();
    let mut values = Values { many: stats.values.many, ..Values::default() };
    if !values.many {
        values.counts = stats.values.seen.iter().map(|v| (index.lexeme(v.2[0]), v.1 as usize)).collect();
        for &node in &kept {
            let lexeme = index.lexeme(node);
            if let Some(count) = values.counts.iter_mut().find(|c| c.0 == lexeme) {
                count.1 = count.1.saturating_sub(1);
            }
        }
        values.counts.retain(|c| c.1 > 0);
    }
    values.total = (stats.count as usize).saturating_sub(kept.len());
    if let Some(numbers) = &stats.numbers {
        let told = |(x, node): (f64, u32)| (x, index.lexeme(node).trim_matches('"'));
        let end = |ends: [(f64, u32); 2]| ends.into_iter().find(|e| !kept.contains(&e.1)).map(told);
        let (low, high) = (end(numbers.low), end(numbers.high));
        if low.is_none() || high.is_none() {
            let (first, last) = ends_of_omitted(plan, open, path).filter(|_| numbers.one_way())?;
            let mut ends = [first, last].map(|node| told((number(index.lexeme(node).trim_matches('"').as_bytes()), node)));
            ends.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            (values.low, values.high) = (Some(ends[0]), Some(ends[1]));
            return Some(values);
        }
        (values.low, values.high) = (low, high);
    }
    Some(values)
}

/// The values of a field in the first and the last of a list's omitted elements that have it.
fn ends_of_omitted(plan: &Plan<'_, '_>, open: &Open, path: &[u32]) -> Option<(u32, u32)> {
    let value = |at: usize| follow(plan.ground.index, open.elements[at], path);
    let mut omitted = (0..open.elements.len()).filter(|&at| !open.has(at as i64));
    let first = omitted.find_map(value)?;
    Some((first, omitted.rev().find_map(value).unwrap_or(first)))
}

/// The values of a field of some records.
#[derive(Default)]
struct Values<'a> {
    total: usize,
    /// The distinct ones as written.
    counts: Vec<(&'a str, usize)>,
    /// There are more than can be counted.
    many: bool,
    low: Option<(f64, &'a str)>,
    high: Option<(f64, &'a str)>,
}

impl<'a> Values<'a> {
    fn of(index: &Index<'a>, nodes: impl Iterator<Item = u32>) -> Self {
        let mut values = Self::default();
        for node in nodes {
            values.total += 1;
            let lexeme = index.lexeme(node);
            let number = lexeme.trim_matches('"');
            if let Some(x) = number.parse::<f64>().ok().filter(|x| x.is_finite() && number.len() <= 24) {
                values.low = values.low.filter(|low| low.0 <= x).or(Some((x, number)));
                values.high = values.high.filter(|high| high.0 >= x).or(Some((x, number)));
            }
            if !values.many {
                match values.counts.iter().position(|c| c.0 == lexeme) {
                    Some(at) => values.counts[at].1 += 1,
                    None if values.counts.len() <= MAX_KINDS => values.counts.push((lexeme, 1)),
                    None => values.many = true,
                }
            }
        }
        values
    }

    /// `state open×31 closed×24`, or `number 120–214`.
    fn tell(mut self, name: &str) -> Option<String> {
        let space = if name.is_empty() { "" } else { " " };
        let kinds = self.counts.len();
        if !self.many
            && kinds > 0
            && kinds <= MAX_VALUES.max(self.total / 8)
            && self.counts.iter().all(|c| c.0.len() <= 32 && !c.0.contains('\\'))
            && kinds <= MAX_KINDS
        {
            self.counts.order_by_key(|c| std::cmp::Reverse(c.1));
            let list: Vec<String> = self.counts.iter().take(MAX_VALUES).map(|(v, n)| format!("{}×{n}", v.trim_matches('"'))).collect();
            let more = if kinds > MAX_VALUES { " …" } else { "" };
            return Some(format!("{name}{space}{}{more}", list.join(" ")));
        }
        match (self.low, self.high) {
            (Some(l), Some(h)) if l.1.len() < 24 && h.1.len() < 24 => Some(format!("{name}{space}{}–{}", l.1, h.1)),
            _ => None,
        }
    }
}
