//! Writes the kept parts as XML.

use super::super::outline::details::Details;
use super::super::outline::plan::{Keep, Planned};
use super::super::outline::{self, NONE, Outline};
use super::{Xml, role};
use crate::detect::detect;
use crate::json::ids::IdSet;
use crate::marker::Marks;
use crate::order::Order as _;
use crate::report::Report;
use crate::text::{Ask, fit};

/// Below this a text is cut by its ends only.
const STRUCTURED: usize = 240;
/// Texts in texts are followed so many levels down.
const MAX_DEPTH: usize = 4;
/// Siblings looked at to name what went.
const MAX_NAMED: usize = 20_000;

/// The marker of omitted elements: how many of which, what they were, and which fields their kept siblings lost.
pub(super) fn omitted(marks: &Marks, count: usize, what: &str, summary: &str, cut: &str) -> String {
    let mut text = String::new();
    if count > 0 {
        text = format!("{count} {what} omitted");
        if !summary.is_empty() {
            text = format!("{text}: {summary}");
        }
    }
    if !cut.is_empty() {
        text = format!("{text}{}cut: {cut}", if count > 0 { "; " } else { "" });
    }
    format!("{}[{text}]", marks.sign())
}

/// An element that is being written.
struct Open {
    node: u32,
    /// Its beginning still lacks the bracket.
    head: bool,
    lines: bool,
    /// The ordinal after that of the last kept record, and the node after it.
    next_ordinal: u32,
    next_node: u32,
}

struct Writer<'w, 'a> {
    form: &'w Xml<'w>,
    planned: &'w Planned<'w, 'a>,
    details: &'w Details,
    described: IdSet,
    open: Vec<Open>,
    out: String,
}

pub(super) fn write(form: &Xml<'_>, planned: &Planned<'_, '_>, details: &Details, report: &mut Report) -> String {
    let outline = planned.outline;
    let mut writer = Writer { form, planned, details, described: IdSet::default(), open: Vec::new(), out: String::new() };
    if outline.text.starts_with('\u{feff}') {
        writer.out.push('\u{feff}');
    }
    let mut ids = planned.in_order();
    ids.extend(declarations(planned, &ids));
    ids.sort_unstable();
    for id in ids {
        let node = outline.node(id);
        while writer.open.last().is_some_and(|o| outline.node(o.node).next <= id) {
            writer.close();
        }
        if node.ordinal != NONE {
            writer.gap(node.ordinal);
            if let Some(open) = writer.open.last_mut() {
                open.next_ordinal = node.ordinal + 1;
                open.next_node = node.next;
            }
        }
        if node.branch {
            if node.role != 0 {
                writer.separate(id);
                writer.out.push('<');
                writer.out.push_str(outline.name(node.name));
            }
            writer.open.push(Open { node: id, head: node.role != 0, lines: false, next_ordinal: 0, next_node: id + 1 });
        } else {
            writer.leaf(id, planned.kept.get(&id).copied().unwrap_or(Keep::Whole), report);
        }
    }
    while !writer.open.is_empty() {
        writer.close();
    }
    outline::count_cuts(planned, report);
    writer.out
}

/// The declarations of the name space prefixes that the kept parts use.
fn declarations(planned: &Planned<'_, '_>, ids: &[u32]) -> Vec<u32> {
    let outline = planned.outline;
    let mut prefixes: Vec<&str> = ids
        .iter()
        .filter_map(|&id| outline.name(outline.node(id).name).split_once(':'))
        .map(|n| n.0)
        .filter(|p| !matches!(*p, "xml" | "xmlns"))
        .collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    if prefixes.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for &id in ids.iter().filter(|id| outline.node(**id).branch) {
        let attributes = outline.children(id).take_while(|&c| outline.node(c).role == role::ATTRIBUTE);
        found.extend(attributes.filter(|c| {
            let prefix = outline.name(outline.node(*c).name).strip_prefix("xmlns:");
            prefix.is_some_and(|p| prefixes.binary_search(&p).is_ok()) && !planned.kept.contains_key(c)
        }));
    }
    found
}

impl Writer<'_, '_> {
    fn finish_head(&mut self) {
        if let Some(open) = self.open.last_mut().filter(|o| o.head) {
            open.head = false;
            self.out.push('>');
        }
    }

    /// The white space before a part of the content: a line feed where the text has one, else a space where it has any.
    fn separate(&mut self, id: u32) {
        let first = self.open.last().is_none_or(|o| o.head || o.node == 0 && self.out.trim_start_matches('\u{feff}').is_empty());
        self.finish_head();
        let outline = self.planned.outline;
        let before = &outline.text[..outline.node(id).start as usize];
        let blank = &before[before.trim_end().len()..];
        let text = !outline.node(id).branch && matches!(outline.node(id).role, role::TEXT | role::CDATA);
        if blank.contains('\n') && !(first && text) {
            self.line();
        } else if !blank.is_empty() && !first {
            self.out.push(' ');
        }
    }

    fn line(&mut self) {
        if !self.out.trim_start_matches('\u{feff}').is_empty() {
            self.out.push('\n');
        }
        if let Some(open) = self.open.last_mut() {
            open.lines = true;
        }
    }

    fn leaf(&mut self, id: u32, keep: Keep, report: &mut Report) {
        let outline = self.planned.outline;
        let node = outline.node(id);
        let value = outline.value(id);
        if node.role == role::ATTRIBUTE {
            self.out.push(' ');
            self.out.push_str(outline.name(node.name));
            if value.is_empty() {
                return;
            }
            self.out.push('=');
            match keep {
                Keep::Whole => self.out.push_str(value),
                Keep::Part(cost) => {
                    let quote = &value[..1];
                    let inner = &value[1..value.len() - 1];
                    let cut = outline::cut(inner, cost.saturating_sub(2 * self.form.ask.meter.byte(b'"')), self.form.ask, &outside_entity);
                    self.out.push_str(quote);
                    self.out.push_str(&cut);
                    self.out.push_str(quote);
                    report.strings_truncated += 1;
                }
            }
            return;
        }
        self.separate(id);
        if node.role == role::CDATA {
            self.out.push_str("<![CDATA[");
        }
        match keep {
            Keep::Whole => self.out.push_str(value),
            Keep::Part(cost) => {
                self.out.push_str(&shorten(value, node.role, cost, self.form.ask));
                report.strings_truncated += 1;
            }
        }
        if node.role == role::CDATA {
            self.out.push_str("]]>");
        }
    }

    /// The marker for the records between the last kept one and the one with `ordinal`.
    fn gap(&mut self, ordinal: u32) {
        let Some(open) = self.open.last() else { return };
        let (id, from, missing) = (open.node, open.next_node, ordinal.saturating_sub(open.next_ordinal) as usize);
        if missing > 0 {
            let what = named(self.planned.outline, id, from, missing);
            let (summary, cut) = self.described(id);
            let marker = omitted(self.form.ask.marks, missing, &what, &summary, &cut);
            self.marker(&marker, from);
        }
    }

    fn marker(&mut self, marker: &str, before: u32) {
        let outline = self.planned.outline;
        self.finish_head();
        let start = outline.nodes.get(before as usize).map_or(outline.text.len(), |n| n.start as usize);
        let text = &outline.text[..start];
        if text[text.trim_end().len()..].contains('\n') {
            self.line();
        }
        if self.open.last().is_some_and(|o| o.node == 0) {
            self.out.push_str("<!-- ");
            self.out.push_str(&marker.replace("--", "- -"));
            self.out.push_str(" -->");
        } else {
            self.out.push_str(marker);
        }
    }

    /// What the first marker of a branch says besides its count.
    fn described(&mut self, id: u32) -> (String, String) {
        if !self.described.insert(id) {
            return (String::new(), String::new());
        }
        let text = |of: Option<&String>| of.cloned().unwrap_or_default().replace('<', "‹").replace("]]>", "]] >");
        (text(self.details.summaries.get(&id)), text(self.details.cut.get(&id)))
    }

    fn close(&mut self) {
        let Some(open) = self.open.last() else { return };
        let id = open.node;
        let outline = self.planned.outline;
        let node = outline.node(id);
        self.gap(node.records);
        if let Some(cut) = self.details.cut.get(&id).filter(|_| !self.described.contains(&id)) {
            let (_, fields) = self.planned.missing(id);
            if node.role != 0 || fields > 0 {
                let cut = cut.clone();
                let marker =
                    if cut.is_empty() { self.form.ask.marks.sign().to_owned() } else { omitted(self.form.ask.marks, 0, "", "", &cut) };
                self.marker(&marker, NONE);
            }
        }
        let Some(open) = self.open.pop() else { return };
        if node.role == 0 {
            return;
        }
        if open.head && node.role == role::ELEMENT {
            self.out.push_str("/>");
            return;
        }
        if open.head {
            self.out.push('>');
        }
        if open.lines {
            self.out.push('\n');
        }
        if node.role == role::ELEMENT {
            self.out.push_str("</");
            self.out.push_str(outline.name(node.name));
            self.out.push('>');
        }
    }
}

/// The names of `count` records from `from` on.
fn named(outline: &Outline<'_>, branch: u32, from: u32, count: usize) -> String {
    let end = outline.node(branch).next;
    let mut counts: Vec<(u32, usize)> = Vec::new();
    let mut at = from;
    let mut seen = 0;
    while at < end && seen < count.min(MAX_NAMED) {
        let node = outline.node(at);
        if node.ordinal != NONE {
            seen += 1;
            match counts.iter().position(|c| c.0 == node.name) {
                Some(at) => counts[at].1 += 1,
                None if counts.len() < 8 => counts.push((node.name, 1)),
                None => {}
            }
        }
        at = node.next;
    }
    match counts.as_slice() {
        [(name, _)] => outline.name(*name).to_owned(),
        _ => {
            counts.order_by_key(|c| std::cmp::Reverse(c.1));
            let list: Vec<String> = counts.iter().take(4).map(|(name, n)| format!("{}×{n}", outline.name(*name))).collect();
            format!("({})", list.join(" "))
        }
    }
}

/// A text within `cost`: fitted as what it is where it has a form of its own, else its ends.
fn shorten(value: &str, role: u8, cost: usize, ask: &Ask<'_>) -> String {
    if cost >= STRUCTURED && ask.depth < MAX_DEPTH && value.contains('\n') {
        let inner = Ask { limit: cost, depth: ask.depth + 1, ..*ask };
        let fitted = fit(value, detect(value), &inner, &mut Report::default());
        let sound = |text: &str| if role == role::CDATA { !text.contains("]]>") } else { !text.contains('<') && entities_whole(text) };
        if let Some(text) = fitted.filter(|t| sound(t)) {
            return text;
        }
    }
    outline::cut(value, cost, ask, &outside_entity)
}

/// Whether every `&` begins an entity.
fn entities_whole(text: &str) -> bool {
    memchr::memchr_iter(b'&', text.as_bytes()).all(|at| {
        let name = &text.as_bytes()[at + 1..];
        let end = name.iter().take(12).position(|b| *b == b';');
        end.is_some_and(|e| e > 0 && name[..e].iter().all(|b| b.is_ascii_alphanumeric() || *b == b'#'))
    })
}

/// The largest offset up to `at` that is in no entity.
fn outside_entity(text: &str, at: usize) -> usize {
    let from = at.saturating_sub(12);
    let before = &text.as_bytes()[from..at];
    match memchr::memrchr(b'&', before) {
        Some(amp) if memchr::memchr(b';', &before[amp..]).is_none() => from + amp,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cut_splits_an_entity() {
        for (at, safe) in [(3, 3), (5, 4), (8, 4), (9, 9), (10, 10)] {
            assert_eq!(outside_entity("abc &amp; def", at), safe, "{at}");
        }
        assert!(entities_whole("a &lt; b &#x1F;") && !entities_whole("a & b") && !entities_whole("a &am"));
    }
}
