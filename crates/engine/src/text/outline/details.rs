//! What markers say besides their counts: what the omitted records were, and which fields were cut.

use super::plan::Planned;
use super::shape::Shapes;
use super::{Form, ITEM, NONE, TEXT};
use crate::json::ids::IdMap;
use crate::json::names::name_weight;
use crate::order::Order as _;

/// A marker's details are at most so many characters, and of so many markers.
const MAX_DETAIL: usize = 170;
const MAX_SITES: usize = 64;
/// Siblings that are looked at to describe what went.
const MAX_DESCRIBED: usize = 50_000;
/// Parts of an omitted record that are looked at.
const MAX_INSIDE: usize = 400;
/// Kinds that are told apart before the most frequent are named.
const MAX_KINDS: usize = 40;
/// Values of a field that are counted in a marker.
const MAX_VALUES: usize = 6;

/// For branches what their first marker says.
#[derive(Debug, Default)]
pub(crate) struct Details {
    /// What the omitted records were.
    pub(crate) summaries: IdMap<u32, String>,
    /// The names of fields that were cut, for an outermost list or a branch in none. May be empty.
    pub(crate) cut: IdMap<u32, String>,
}

/// The details of all markers, of about `room` characters together.
pub(crate) fn details(planned: &Planned<'_, '_>, shapes: &Shapes, form: &impl Form, room: usize) -> Details {
    let outline = planned.outline;
    let mut details = Details::default();
    let mut cut: IdMap<u32, Vec<(u32, u32, u32)>> = IdMap::default();
    let mut lists = Vec::new();
    // For each kept branch the outermost one around it that holds the records it is part of.
    let mut within: IdMap<u32, u32> = IdMap::default();
    for id in planned.in_order() {
        let node = outline.node(id);
        if !node.branch {
            continue;
        }
        let (records, fields) = planned.missing(id);
        let list = match within.get(&node.parent) {
            Some(&list) if list != NONE => list,
            _ if node.ordinal != NONE => node.parent,
            _ => NONE,
        };
        within.insert(id, list);
        let home = if list == NONE { id } else { list };
        if list == NONE && records > 1 {
            lists.push(id);
        }
        if fields > 0 {
            let seen = cut.entry(home).or_default();
            for child in outline.children(id).take(1_000).filter(|c| outline.node(*c).ordinal == NONE && !planned.kept.contains_key(c)) {
                let shape = outline.node(child).shape;
                match seen.iter().position(|s| s.0 == shape) {
                    Some(at) => seen[at].1 += 1,
                    None if seen.len() < 60 => seen.push((shape, 1, child)),
                    None => {}
                }
            }
        }
    }
    let mut room = room;
    let mut homes: Vec<u32> = cut.keys().copied().collect();
    homes.sort_unstable();
    let sites = (homes.len() + lists.len()).max(1);
    let mut done = 0;
    for &list in lists.iter().take(MAX_SITES) {
        let allowance = (room / (sites - done).clamp(1, 3)).min(MAX_DETAIL);
        done += 1;
        let summary = summary(planned, shapes, form, list, allowance.saturating_sub(2));
        room = room.saturating_sub(summary.len());
        if !summary.is_empty() {
            details.summaries.insert(list, summary);
        }
    }
    for home in homes {
        let allowance = (room / (sites.saturating_sub(done)).clamp(1, 3)).min(MAX_DETAIL);
        done += 1;
        let mut fields = cut.remove(&home).unwrap_or_default();
        fields.order_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut names = String::new();
        for (at, (_, _, child)) in fields.iter().enumerate() {
            let label = label(planned, form, *child, home);
            if names.len() + label.len() + 2 > allowance {
                names.push_str(if at > 0 { " …" } else { "" });
                break;
            }
            if at > 0 {
                names.push(' ');
            }
            names.push_str(&label);
        }
        room = room.saturating_sub(names.len());
        details.cut.insert(home, names);
    }
    details
}

/// The names on the way from a list's record, or from its branch, to a field.
fn label(planned: &Planned<'_, '_>, form: &impl Form, child: u32, home: u32) -> String {
    let outline = planned.outline;
    let mut steps = Vec::new();
    let mut at = child;
    while at != home && at != 0 && steps.len() < 8 {
        let node = outline.node(at);
        if node.ordinal == NONE && node.name != ITEM {
            steps.push(form.label(outline, at));
        }
        at = node.parent;
    }
    steps.reverse();
    steps.join(".")
}

/// What a list's omitted records were: counts of states, the range of a number.
fn summary(planned: &Planned<'_, '_>, shapes: &Shapes, form: &impl Form, list: u32, allowance: usize) -> String {
    let outline = planned.outline;
    if allowance < 12 || outline.node(list).records as usize > MAX_DESCRIBED {
        return String::new();
    }
    let gone: Vec<u32> = outline.children(list).filter(|c| outline.node(*c).ordinal != NONE && !planned.kept.contains_key(c)).collect();
    // Fields of the records, or of the records in them, that tell them into kinds, or that are numbers.
    let mut fields: Vec<(u32, Vec<&str>)> = Vec::new();
    let mut looked = 0;
    for &record in &gone {
        for child in (record + 1..outline.node(record).next).take(MAX_INSIDE) {
            let node = outline.node(child);
            looked += 1;
            if node.branch || looked > MAX_DESCRIBED {
                continue;
            }
            let stats = &shapes.shapes[node.shape as usize];
            if !(stats.few_valued() || stats.numeric()) || stats.constant() {
                continue;
            }
            let value = form.plain(outline.value(child));
            match fields.iter().position(|f| f.0 == node.shape) {
                Some(at) => fields[at].1.push(value),
                None if fields.len() < 24 => fields.push((node.shape, vec![value])),
                None => {}
            }
        }
    }
    let rank = |shape: u32| {
        let stats = &shapes.shapes[shape as usize];
        let name = if stats.name == TEXT { shapes.shapes[stats.parent as usize].name } else { stats.name };
        name_weight(outline.name(name)) * if stats.few_valued() { 2.0 } else { 0.7 }
    };
    fields.retain(|f| rank(f.0) > 0.5 && f.1.len() * 4 > gone.len());
    fields.order_by(|a, b| rank(b.0).total_cmp(&rank(a.0)).then(a.0.cmp(&b.0)));
    let mut out = String::new();
    for (shape, values) in fields.into_iter().take(3) {
        let stats = &shapes.shapes[shape as usize];
        let name = if stats.name == TEXT { shapes.shapes[stats.parent as usize].name } else { stats.name };
        let Some(part) = describe(outline.name(name), &values) else { continue };
        if out.len() + part.len() + 2 > allowance {
            continue;
        }
        if !out.is_empty() {
            out.push_str("; ");
        }
        out.push_str(&part);
    }
    out
}

/// `state open×31 closed×24`, or `number 120–214`.
fn describe(name: &str, values: &[&str]) -> Option<String> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for value in values {
        match counts.iter().position(|c| c.0 == *value) {
            Some(at) => counts[at].1 += 1,
            None if counts.len() <= MAX_KINDS => counts.push((value, 1)),
            None => break,
        }
    }
    if counts.len() <= MAX_KINDS
        && counts.len() * 2 <= values.len().max(4)
        && counts.iter().all(|c| c.0.len() <= 32 && !c.0.contains(['<', '\n', '#']))
    {
        counts.order_by_key(|c| std::cmp::Reverse(c.1));
        let list: Vec<String> = counts.iter().take(MAX_VALUES).map(|(v, n)| format!("{v}×{n}")).collect();
        let more = if counts.len() > MAX_VALUES { " …" } else { "" };
        return Some(format!("{name} {}{more}", list.join(" ")));
    }
    let numbers: Vec<(f64, &str)> = values.iter().filter_map(|&v| v.parse::<f64>().ok().map(|x| (x, v))).collect();
    if numbers.len() * 2 < values.len() {
        return None;
    }
    let low = numbers.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let high = numbers.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    (low.1.len() < 24 && high.1.len() < 24).then(|| format!("{name} {}–{}", low.1, high.1))
}
