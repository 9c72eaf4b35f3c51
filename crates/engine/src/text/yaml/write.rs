//! Writes the kept parts as YAML.

use super::super::lines::split;
use super::super::outline::details::Details;
use super::super::outline::plan::{Keep, Planned};
use super::super::outline::{self, NONE, Outline};
use super::{Yaml, flow, role};
use crate::detect::detect;
use crate::json::{self, scan::scan};
use crate::marker::Marks;
use crate::report::Report;
use crate::text::{Ask, fit};

/// Texts in texts are followed so many levels down.
const MAX_DEPTH: usize = 4;

/// The comment that stands for omitted records: how many, what they were, and which fields those that stay lost.
pub(super) fn omitted(marks: &Marks, count: usize, summary: &str, cut: &str) -> String {
    let mut text = String::new();
    if count > 0 {
        text = format!("{count} omitted");
        if !summary.is_empty() {
            text = format!("{text}: {summary}");
        }
    }
    if !cut.is_empty() {
        text = format!("{text}{}cut: {cut}", if count > 0 { "; " } else { "" });
    }
    format!("# {}[{text}]", marks.sign())
}

/// A branch that is being written.
struct Open {
    node: u32,
    /// Columns of its own line.
    column: usize,
    next_ordinal: u32,
}

struct Writer<'w, 'a> {
    form: &'w Yaml<'w>,
    planned: &'w Planned<'w, 'a>,
    details: &'w Details,
    described: Vec<u32>,
    open: Vec<Open>,
    out: String,
}

pub(super) fn write(form: &Yaml<'_>, planned: &Planned<'_, '_>, details: &Details, report: &mut Report) -> String {
    let outline = planned.outline;
    let mut writer = Writer { form, planned, details, described: Vec::new(), open: Vec::new(), out: String::new() };
    if outline.text.starts_with('\u{feff}') {
        writer.out.push('\u{feff}');
    }
    for id in planned.in_order() {
        let node = outline.node(id);
        while writer.open.last().is_some_and(|o| outline.node(o.node).next <= id) {
            writer.close();
        }
        if node.ordinal != NONE {
            writer.gap(node.ordinal);
            if let Some(open) = writer.open.last_mut() {
                open.next_ordinal = node.ordinal + 1;
            }
        }
        let column = writer.begin(id);
        if node.branch {
            writer.open.push(Open { node: id, column, next_ordinal: 0 });
        } else {
            let keep = planned.kept.get(&id).copied().unwrap_or(Keep::Whole);
            writer.leaf(id, column, keep, report);
        }
    }
    while !writer.open.is_empty() {
        writer.close();
    }
    outline::count_cuts(planned, report);
    writer.out
}

impl Writer<'_, '_> {
    fn line(&mut self) {
        if !self.out.trim_start_matches('\u{feff}').is_empty() {
            self.out.push('\n');
        }
    }

    /// Begins a part's line, or goes on with that of its dash; returns its column.
    fn begin(&mut self, id: u32) -> usize {
        let outline = self.planned.outline;
        let node = outline.node(id);
        let text = outline.text;
        if id == 0 {
            return 0;
        }
        if node.role == role::DOCUMENT {
            if !self.out.trim_start_matches('\u{feff}').is_empty() || text[node.start as usize..].starts_with("---") {
                self.line();
                self.out.push_str("---");
            }
            return 0;
        }
        let item = matches!(node.role, role::ITEM | role::SCALAR | role::BLOCK_ITEM);
        let (above, at) = self.open.last().map_or((0, 0), |o| (o.node, o.column));
        let column = match outline.node(above).role {
            role::ENTRY => at + usize::from(!item),
            role::ITEM => at + 2,
            _ => at,
        };
        let same_line = outline.node(above).role == role::ITEM
            && id == above + 1
            && !text[outline.node(above).start as usize..node.start as usize].contains('\n');
        if !same_line {
            self.line();
            self.out.extend(std::iter::repeat_n(' ', column));
        }
        if node.role == role::ITEM {
            let head = text[node.start as usize..node.value as usize].trim_end();
            let inline = outline
                .nodes
                .get(id as usize + 1)
                .is_some_and(|n| n.parent == id && n.glued && !text[node.start as usize..n.start as usize].contains('\n'));
            self.out.push_str(if inline { "- " } else { head });
        } else if node.branch {
            self.out.push_str(&text[node.start as usize..node.value as usize]);
        } else if item {
            self.out.push_str("- ");
        } else {
            self.out.push_str(&text[node.start as usize..node.value as usize]);
        }
        column
    }

    fn leaf(&mut self, id: u32, column: usize, keep: Keep, report: &mut Report) {
        let outline = self.planned.outline;
        let value = outline.value(id);
        let ask = self.form.ask;
        report.strings_truncated += usize::from(keep != Keep::Whole);
        if matches!(outline.node(id).role, role::BLOCK | role::BLOCK_ITEM) {
            let (head, body) = value.split_once('\n').unwrap_or((value, ""));
            self.out.push_str(head.trim_end_matches('\r'));
            let (body, shift) = dedent(outline, id, head, body);
            let body = match keep {
                Keep::Whole => body,
                Keep::Part(cost) => shorten(&body, cost.saturating_sub(ask.meter.cost(head.as_bytes())), ask),
            };
            self.lines(&body, column + shift);
            return;
        }
        let text = match keep {
            Keep::Whole => value.to_owned(),
            Keep::Part(cost) => part(value, cost, ask),
        };
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        self.out.push_str(first.trim_end_matches('\r'));
        if !rest.is_empty() {
            let rest: Vec<&str> = split(rest).map(|(start, end)| rest[start..end].trim_start()).collect();
            self.lines(&rest.join("\n"), column + 1);
        }
    }

    fn lines(&mut self, body: &str, column: usize) {
        for (start, end) in split(body) {
            self.out.push('\n');
            if end > start {
                self.out.extend(std::iter::repeat_n(' ', column));
                self.out.push_str(&body[start..end]);
            }
        }
    }

    /// The marker for the records between the last kept one and the one with `ordinal`.
    fn gap(&mut self, ordinal: u32) {
        let Some(open) = self.open.last() else { return };
        let (id, missing) = (open.node, ordinal.saturating_sub(open.next_ordinal) as usize);
        if missing > 0 {
            let (summary, cut) = self.described(id);
            let marker = omitted(self.form.ask.marks, missing, &summary, &cut);
            self.line();
            self.out.push_str(&marker);
        }
    }

    fn described(&mut self, id: u32) -> (String, String) {
        if self.described.contains(&id) {
            return (String::new(), String::new());
        }
        self.described.push(id);
        let text = |of: Option<&String>| of.cloned().unwrap_or_default().replace(['\n', '\r'], " ");
        (text(self.details.summaries.get(&id)), text(self.details.cut.get(&id)))
    }

    fn close(&mut self) {
        let Some(open) = self.open.last() else { return };
        let id = open.node;
        self.gap(self.planned.outline.node(id).records);
        if let Some(cut) = self.details.cut.get(&id).filter(|_| !self.described.contains(&id)) {
            let cut = if cut.is_empty() { self.form.ask.marks.sign().to_owned() } else { cut.replace(['\n', '\r'], " ") };
            let marker = omitted(self.form.ask.marks, 0, "", &cut);
            self.line();
            self.out.push_str(&marker);
        }
        self.open.pop();
    }
}

/// A block scalar's lines without their common indentation, and how far they stand right of their key.
fn dedent(outline: &Outline<'_>, id: u32, head: &str, body: &str) -> (String, usize) {
    let first = split(body).map(|(start, end)| &body[start..end]).find(|l| !l.trim().is_empty()).unwrap_or("");
    let own = first.len() - first.trim_start_matches(' ').len();
    let word = head.split_ascii_whitespace().next().unwrap_or("");
    let (strip, shift) = match word.bytes().find(u8::is_ascii_digit) {
        Some(digit) => {
            // The header says how far: the column of the key's mapping and so much more.
            let start = outline.node(id).start as usize;
            let line = outline.text[..start].rfind('\n').map_or(0, |n| n + 1);
            let shift = usize::from(digit - b'0');
            ((start - line + shift).min(own), shift)
        }
        None => (own, 1),
    };
    let lines: Vec<&str> = split(body)
        .map(|(start, end)| {
            let line = &body[start..end];
            let blank = line.len() - line.trim_start_matches(' ').len();
            &line[blank.min(strip)..]
        })
        .collect();
    (lines.join("\n"), shift)
}

/// A block scalar's text within `cost`, as what it is.
fn shorten(body: &str, cost: usize, ask: &Ask<'_>) -> String {
    let inner = Ask { limit: cost, depth: ask.depth + 1, ..*ask };
    let fitted = if ask.depth < MAX_DEPTH { fit(body, detect(body), &inner, &mut Report::default()) } else { None };
    fitted.filter(|t| !t.starts_with(' ')).unwrap_or_else(|| outline::cut(body, cost, ask, &|_, at| at))
}

/// A value within `cost`, its quotes and escapes whole.
fn part(value: &str, cost: usize, ask: &Ask<'_>) -> String {
    if flow(value) {
        let inner = Ask { limit: cost, depth: ask.depth + 1, ..*ask };
        let fitted = scan(value)
            .filter(|_| ask.depth < MAX_DEPTH)
            .and_then(|index| json::fit(&index, json::Style::default(), &inner, &mut Report::default()));
        return fitted.unwrap_or_else(|| value.to_owned());
    }
    for (quote, safe) in [('"', &outside_escape as &dyn Fn(&str, usize) -> usize), ('\'', &outside_pair)] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|v| v.strip_suffix(quote)) {
            return format!("{quote}{}{quote}", outline::cut(inner, cost.saturating_sub(2 * ask.meter.byte(b'"')), ask, safe));
        }
    }
    outline::cut(value, cost, ask, &|_, at| at)
}

/// The largest offset up to `at` that splits no escape.
fn outside_escape(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(10);
    let Some(slash) = memchr::memrchr(b'\\', &bytes[from..at]).map(|p| p + from) else { return at };
    let run = bytes[..=slash].iter().rev().take_while(|b| **b == b'\\').count();
    let len = match bytes.get(slash + 1) {
        Some(b'x') => 4,
        Some(b'u') => 6,
        Some(b'U') => 10,
        _ => 2,
    };
    if run % 2 == 1 && slash + len > at { slash } else { at }
}

/// The largest offset up to `at` that splits no doubled quote.
fn outside_pair(text: &str, at: usize) -> usize {
    at - text.as_bytes()[..at].iter().rev().take_while(|b| **b == b'\'').count() % 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cut_splits_an_escape_or_a_pair() {
        for (at, safe) in [(1, 1), (2, 1), (3, 3), (5, 3), (9, 9)] {
            assert_eq!(outside_escape(r"a\n\u00e9b", at), safe, "{at}");
        }
        assert_eq!((outside_pair("a''b", 2), outside_pair("a''b", 3)), (1, 3));
    }
}
