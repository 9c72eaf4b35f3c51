//! One write of what the plan keeps: lexemes as they were, markers where something went.

use std::borrow::Cow;

use super::ids::IdMap;
use super::index::{NO_KEY, Type};
use super::plan::{Keep, NONE, Plan};
use super::shape::Children;
use crate::meter::Meter;
use crate::report::{Amount, Omitted, Place, Report};

/// Cuts that the report is told of one by one; those that it names in the end are the largest of them.
const MOST_NOTED: usize = 400;

/// What the markers of a preview say besides their counts.
#[derive(Debug, Default)]
pub(crate) struct Details {
    /// For a container's node: what its omitted elements were, and which keys went.
    pub(crate) texts: IdMap<u32, (String, String)>,
    /// Names of some omitted elements, by the container's node and the ordinal at which the gap begins; 0 for a map.
    pub(crate) names: IdMap<(u32, u32), String>,
}

impl Details {
    /// What they cost at the most, with the words that introduce them.
    pub(crate) fn cost(&self, meter: &Meter) -> usize {
        self.texts
            .values()
            .map(|(summary, cut)| meter.cost(summary.as_bytes()) + meter.cost(cut.as_bytes()) + 4 + if cut.is_empty() { 0 } else { 14 })
            .sum::<usize>()
            + self.names.values().map(|names| meter.cost(names.as_bytes()) + 4).sum::<usize>()
    }
}

/// Fits a string into so much, quotes included, and counts what it cut.
pub(crate) trait Strings {
    fn shorten(&mut self, lexeme: &str, allowance: usize, out: &mut String) -> usize;
}

struct Level {
    open: u32,
    /// The number of the path that it stands at, and how long that path is.
    path: u32,
    length: usize,
    end: u32,
    next: u32,
    entries: u32,
    /// The ordinal at which the gap begins that carries the list's details.
    detailed: u32,
}

/// Writes the plan's text and adds what was cut to the report.
pub(crate) fn write(plan: &Plan<'_, '_>, details: &Details, strings: &mut dyn Strings, report: &mut Report) -> String {
    let out = String::with_capacity(plan.used + 64);
    let mut writer = Writer { plan, details, report, out, levels: Vec::new(), paths: IdMap::default(), noted: IdMap::default() };
    let mut kept: Vec<(u32, Keep)> = plan.kept.iter().map(|(&node, &keep)| (node, keep)).collect();
    kept.sort_unstable_by_key(|k| k.0);
    for (node, keep) in kept {
        while writer.levels.last().is_some_and(|l| l.end <= node) {
            writer.close();
        }
        writer.entry(node);
        match keep {
            Keep::Whole => writer.out.push_str(&plan.compact(node)),
            Keep::Part(allowance) => {
                let lexeme = plan.ground.index.lexeme(node);
                let lost = strings.shorten(lexeme, allowance, &mut writer.out);
                if lost > 0 {
                    writer.report.strings_truncated += 1;
                    writer.note(node, None, Amount::Chars(lost), "texts");
                }
            }
            Keep::Collapsed => {
                let value = plan.ground.index.nodes[node as usize];
                let size = (value.end - value.start) as usize;
                writer.out.push('"');
                writer.out.push_str(&plan.ground.marks.chars(size));
                writer.out.push('"');
                writer.report.keys_omitted += plan.ground.index.children(node).count();
                writer.note(node, None, Amount::Chars(size), "depth");
            }
            Keep::Open(open) => writer.open(open),
        }
    }
    while !writer.levels.is_empty() {
        writer.close();
    }
    writer.out
}

/// Adds to an amount what is counted alike.
fn add(sum: &mut Amount, amount: Amount) {
    match (sum, amount) {
        (Amount::Chars(a), Amount::Chars(b)) | (Amount::Items(a), Amount::Items(b)) => *a += b,
        _ => {}
    }
}

struct Writer<'w, 'g, 'a> {
    plan: &'w Plan<'g, 'a>,
    details: &'w Details,
    report: &'w mut Report,
    out: String,
    levels: Vec<Level>,
    /// The paths of containers by that of the one around them and the step to them.
    paths: IdMap<(u32, u32), u32>,
    /// Which cut of the report is that of a field, by the path of its record and its key: every record has them again.
    noted: IdMap<(u32, u32), Option<usize>>,
}

impl Writer<'_, '_, '_> {
    fn open(&mut self, id: u32) {
        let open = &self.plan.opens[id as usize];
        if !(self.plan.ground.index.stream && self.levels.is_empty()) {
            self.out.push(if open.object { '{' } else { '[' });
        }
        let end = self.plan.ground.index.nodes[open.node as usize].next;
        let described = !open.object && self.details.texts.contains_key(&open.node);
        let detailed = if described { open.largest_gaps().first().map_or(NONE, |gap| gap.0) } else { NONE };
        let path = self.level_path(open.node);
        let length = self.levels.last().map_or(0, |level| level.length) + self.step_to(open.node).map_or(0, |step| step.len() + 1);
        self.levels.push(Level { open: id, path, length, end, next: 0, entries: 0, detailed });
    }

    /// The number of the path of a container that is about to be opened.
    fn level_path(&mut self, node: u32) -> u32 {
        let Some(level) = self.levels.last() else { return 0 };
        let fields = self.plan.opens[level.open as usize].how == Children::Fields;
        let step = if fields { self.plan.ground.index.nodes[node as usize].key } else { NO_KEY };
        let next = self.paths.len() as u32 + 1;
        *self.paths.entry((level.path, step)).or_insert(next)
    }

    /// Whether what is written now is a line of a stream of values.
    fn stream(&self) -> bool {
        self.plan.ground.index.stream && self.levels.len() <= 1
    }

    /// Everything before a kept child: the gap's marker, comma, key.
    fn entry(&mut self, node: u32) {
        let Some(level) = self.levels.last() else { return };
        let open = &self.plan.opens[level.open as usize];
        let key = self.plan.ground.index.nodes[node as usize].key;
        if !open.object {
            let ordinal = open.elements.partition_point(|&e| e < node) as u32;
            self.gap(ordinal);
            if let Some(level) = self.levels.last_mut() {
                level.next = ordinal + 1;
            }
        }
        self.separate();
        if key != NO_KEY {
            self.out.push_str(self.plan.ground.index.key(key));
            self.colon();
        }
    }

    fn colon(&mut self) {
        self.out.push_str(if self.plan.ground.space.indent > 0 { ": " } else { ":" });
    }

    fn separate(&mut self) {
        let depth = self.levels.len();
        let comma = if self.stream() { '\n' } else { ',' };
        if let Some(level) = self.levels.last_mut() {
            if level.entries > 0 {
                self.out.push(comma);
            }
            level.entries += 1;
        }
        self.line(depth);
    }

    fn line(&mut self, depth: usize) {
        let space = self.plan.ground.space;
        if space.indent > 0 {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(' ', space.indent * depth));
        } else if space.lines && self.levels.last().is_some_and(|l| self.plan.opens[l.open as usize].list == l.open) {
            self.out.push('\n');
        }
    }

    /// The marker for the elements between the last one written and `ordinal`.
    fn gap(&mut self, ordinal: u32) {
        let Some(level) = self.levels.last() else { return };
        let (next, open) = (level.next, level.open);
        let detailed = level.detailed == next;
        if ordinal <= next {
            return;
        }
        let count = (ordinal - next) as usize;
        let node = self.plan.opens[open as usize].node;
        self.separate();
        let marks = self.plan.ground.marks;
        let names = self.details.names.get(&(node, next)).map_or("", String::as_str);
        let (summary, cut) = self.details.texts.get(&node).filter(|_| detailed).map_or(("", ""), |d| (&d.0, &d.1));
        let told = listed(summary, names);
        let marker = match (told.as_str(), cut, self.stream()) {
            ("", "", false) => marks.items(count),
            (told, cut, false) => marks.list(count, told, cut),
            (told, cut, true) => marks.lines(count, &joined(told, cut)),
        };
        self.out.push_str(&marker);
        self.report.items_omitted += count;
        let last = ordinal - 1;
        let range = if next == last { next.to_string() } else { format!("{next}..{last}") };
        self.note(node, Some(&range), Amount::Items(count), "records");
    }

    fn close(&mut self) {
        let Some(level) = self.levels.last() else { return };
        let id = level.open;
        let open = &self.plan.opens[id as usize];
        let missing = open.children - open.kept_children;
        let detail = self.details.texts.get(&open.node);
        if !open.object {
            self.gap(open.children);
            if let Some((_, cut)) = detail.filter(|d| missing == 0 && !d.1.is_empty()) {
                self.separate();
                let marks = self.plan.ground.marks;
                let marker = if self.stream() { format!("{} keys cut: {cut}", marks.sign()) } else { marks.list(0, "", cut) };
                self.out.push_str(&marker);
            }
        } else if missing > 0 || detail.is_some_and(|d| !d.1.is_empty()) {
            let marked = open.list == NONE || open.how == Children::Elements;
            if open.how == Children::Elements {
                self.report.items_omitted += missing as usize;
                if missing > 0 {
                    self.note(open.node, Some("*"), Amount::Items(missing as usize), "records");
                }
            } else {
                self.report.keys_omitted += missing as usize;
                self.note_keys(id);
            }
            if marked {
                self.separate();
                let examples = self.details.names.get(&(open.node, 0)).map(String::as_str).unwrap_or_default();
                let names = match detail {
                    Some((summary, cut)) if !cut.is_empty() && open.how == Children::Elements => joined(summary, cut),
                    Some((summary, _)) => summary.clone(),
                    None => String::new(),
                };
                let names = listed(&names, examples);
                let marker = self.plan.ground.marks.keys(missing as usize, &names);
                if self.plan.ground.space.indent > 0 {
                    let at = self.plan.ground.marks.sign().len() + 3;
                    self.out.push_str(&marker[..at]);
                    self.out.push(' ');
                    self.out.push_str(&marker[at..]);
                } else {
                    self.out.push_str(&marker);
                }
            }
        }
        let depth = self.levels.len();
        if self.stream() {
            self.levels.pop();
            return;
        }
        self.line(depth - 1);
        self.levels.pop();
        self.out.push(if open.object { '}' } else { ']' });
    }

    /// Notes the omitted keys of a record.
    fn note_keys(&mut self, id: u32) {
        let index = self.plan.ground.index;
        let open = &self.plan.opens[id as usize];
        let Some(level) = self.levels.last().map(|level| level.path) else { return };
        for child in index.children(open.node).filter(|c| !self.plan.kept.contains_key(c)).take(200) {
            let node = index.nodes[child as usize];
            let amount = match index.kind(child) {
                Type::Array if !index.is_empty(child) => Amount::Items(index.children(child).count()),
                _ => Amount::Chars((node.end - node.start) as usize),
            };
            match self.noted.get(&(level, node.key)) {
                Some(Some(at)) => add(&mut self.report.omitted[*at].amount, amount),
                Some(None) => {}
                None => {
                    let noted = self.note(open.node, Some(&step(Children::Fields, index.name(node.key))), amount, "fields");
                    self.noted.insert((level, node.key), noted);
                }
            }
        }
    }

    /// Adds a cut to those that the report names, and says which of them it is: one of a kept node, or of what `inner` leads to from there.
    fn note(&mut self, node: u32, inner: Option<&str>, amount: Amount, lever: &'static str) -> Option<usize> {
        let last = self.step_to(node);
        let steps = last.as_deref().into_iter().chain(inner);
        let length = self.levels.last().map_or(0, |level| level.length) + steps.clone().map(|step| step.len() + 1).sum::<usize>();
        let mut like =
            self.report.omitted.iter().enumerate().filter(|(_, o)| matches!(&o.place, Place::Path(p) if p.len() == length)).peekable();
        // A path is as long as it is deep, so that it is only written where it may be known, or is to be.
        if like.peek().is_none() && self.report.omitted.len() >= MOST_NOTED {
            return None;
        }
        let mut path = self.level_text();
        steps.for_each(|step| {
            path.push('/');
            path.push_str(step);
        });
        if let Some(known) = like.find_map(|(at, o)| matches!(&o.place, Place::Path(p) if *p == path).then_some(at)) {
            add(&mut self.report.omitted[known].amount, amount);
            return Some(known);
        }
        if self.report.omitted.len() >= MOST_NOTED {
            return None;
        }
        self.report.omitted.push(Omitted { place: Place::Path(path), amount, lever });
        Some(self.report.omitted.len() - 1)
    }

    /// The step from the innermost open container to a kept node; nothing where that is the container.
    fn step_to(&self, node: u32) -> Option<String> {
        let around = &self.plan.opens[self.levels.last()?.open as usize];
        let index = self.plan.ground.index;
        (around.node != node).then(|| step(around.how, index.name(index.nodes[node as usize].key)).into_owned())
    }

    /// The JSON Pointer pattern of the innermost open container: `*` for elements of lists.
    fn level_text(&self) -> String {
        let index = self.plan.ground.index;
        let mut path = String::with_capacity(self.levels.last().map_or(0, |level| level.length));
        for (depth, level) in self.levels.iter().enumerate().skip(1) {
            let around = &self.plan.opens[self.levels[depth - 1].open as usize];
            let inner = &self.plan.opens[level.open as usize];
            path.push('/');
            path.push_str(&step(around.how, index.name(index.nodes[inner.node as usize].key)));
        }
        path
    }
}

/// What went, and names of it.
fn listed(summary: &str, names: &str) -> String {
    if summary.is_empty() || names.is_empty() { format!("{summary}{names}") } else { format!("{summary}; {names}") }
}

/// A list's details in one text.
fn joined(summary: &str, cut: &str) -> String {
    match (summary, cut) {
        (summary, "") => summary.to_owned(),
        ("", cut) => format!("keys cut: {cut}"),
        (summary, cut) => format!("{summary}; keys cut: {cut}"),
    }
}

fn step(how: Children, name: &str) -> Cow<'_, str> {
    match how {
        Children::Fields if name.contains(['~', '/']) => Cow::Owned(name.replace('~', "~0").replace('/', "~1")),
        Children::Fields => Cow::Borrowed(name),
        Children::Elements | Children::Cells => Cow::Borrowed("*"),
    }
}
