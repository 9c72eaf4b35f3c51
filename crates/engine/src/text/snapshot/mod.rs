//! Accessibility snapshots of pages (Playwright's `- link "Home" [ref=e12]`, `DevTools`' `uid=1_23 link "Home"`): what can be acted on stays with
//! its reference, role and name as long as the limit can hold it, then headings and states, then links' targets and texts. Wrappers that say
//! nothing go first, and what is kept moves up to the next kept line around it.

mod element;

use super::discount::discount;
use super::hash::TextMap;
use super::lines::{shorten_line, split};
use super::{Ask, plain};
use crate::detect::Sample;
use crate::order::Ranked;
use crate::report::{Amount, Omitted, Place, Report};
use element::{Class, Part, RECORDS, class_of, named, referenced};

const NONE: u32 = u32::MAX;
/// A long text costs at first at most so much.
const LONG: usize = 150;
/// An element's line is kept whole up to this length.
const LONG_ELEMENT: usize = 400;
/// Further elements of one role in one section lose value: half after so many, but never more than to the floor.
const HALF: f32 = 8.0;
const FLOOR: f32 = 0.3;
/// The last of them is worth so much of the first.
const LAST: f32 = 0.7;
/// What stands after the last element is worth so many times more.
const END: f32 = 12.0;
/// Lines that do not fit are passed over, this many in a row.
const MAX_MISSES: usize = 400;
/// A gap of fewer texts than this between kept lines has no marker of its own.
const TEXTS: usize = 6;
/// Attributes in brackets that stand on more lines than this, and say nothing of a state, are said once.
const COMMON: usize = 12;

/// Words in brackets that say how an element is or which it is.
const STATES: &[&str] =
    &["ref", "level", "checked", "disabled", "expanded", "selected", "active", "pressed", "invalid", "required", "readonly", "focused"];

#[derive(Debug, Clone, Copy)]
struct Line {
    start: u32,
    end: u32,
    /// The line around it, or [`NONE`].
    above: u32,
    class: Class,
    worth: f32,
    /// A line that stays if this one does, or [`NONE`]: what a property belongs to, what a text is the name of.
    needs: u32,
}

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    let references = sample.lines.iter().filter(|l| referenced(l)).count();
    references >= 3 && references * 6 >= sample.lines.len() || sample.lines.len() >= 6 && sample.share(named) >= 0.4
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let mut page = Page::read(text, ask);
    page.find_common();
    let mut order = page.ranked();
    let mut limit = ask.limit;
    let mut best: Option<(usize, String, Report)> = None;
    for _ in 0..8 {
        let kept = page.choose(&mut order, limit, ask);
        let mut cuts = Report::default();
        let out = page.write(&kept, ask, &mut cuts);
        let cost = ask.meter.cost(out.as_bytes());
        if cost > ask.limit {
            let Some(less) = limit.checked_sub((cost - ask.limit) + (cost - ask.limit) / 8 + 2) else { break };
            limit = less;
            continue;
        }
        let left = ask.limit - cost;
        let better = best.as_ref().is_none_or(|b| b.0 < cost);
        if better {
            best = Some((cost, out, cuts));
        }
        if !better || left < 16 + ask.limit / 100 {
            break;
        }
        limit += left - left / 8;
    }
    match best {
        Some((_, out, cuts)) => {
            report.absorb(cuts);
            Some(out)
        }
        None => plain::fit(text, ask, report),
    }
}

struct Page<'t> {
    text: &'t str,
    lines: Vec<Line>,
    /// Brackets that are said once, such as ` [cursor=pointer]`.
    common: Vec<&'t str>,
}

impl<'t> Page<'t> {
    fn read(text: &'t str, ask: &Ask<'_>) -> Self {
        let ranges: Vec<(usize, usize)> = split(text).collect();
        let hits = ask.finder.hits(text, ranges.len());
        let mut next_hit = 0;
        let mut lines: Vec<Line> = Vec::with_capacity(ranges.len());
        // The lines around the current one: indentation, number, section.
        let mut around: Vec<(usize, u32, u32)> = Vec::new();
        let mut ranks: TextMap<(u32, &str), u32> = TextMap::default();
        let mut elements: Vec<(u32, &str)> = Vec::new();
        // What elements without a name are worth.
        let mut unnamed: Vec<f32> = Vec::with_capacity(ranges.len());
        let mut last: TextMap<(u32, &str), (u32, f32)> = TextMap::default();
        let mut roles: TextMap<&str, u32> = TextMap::default();
        for (at, &(start, end)) in ranges.iter().enumerate() {
            let line = &text[start..end];
            let mut hit: f32 = 0.0;
            while let Some(h) = hits.get(next_hit).filter(|h| (h.at as usize) < end) {
                hit = hit.max(h.strength);
                next_hit += 1;
            }
            if line.is_empty() {
                around.clear();
                unnamed.push(0.0);
                lines.push(Line { start: start as u32, end: end as u32, above: NONE, class: Class::Wrapper, worth: 0.0, needs: NONE });
                continue;
            }
            let part = Part::new(line);
            let indent = line.len() - line.trim_start_matches(' ').len();
            while around.last().is_some_and(|a| a.0 >= indent || !part.tree) {
                around.pop();
            }
            let above = around.last().map_or(NONE, |a| a.1);
            let section = around.last().map_or(0, |a| a.2);
            let (class, mut worth) = class_of(line, &part, at, ranges.len());
            let parent_line =
                if above == NONE { "" } else { &text[lines[above as usize].start as usize..lines[above as usize].end as usize] };
            let mut needs = if class == Class::Property { above } else { NONE };
            if class == Class::Property && above != NONE {
                // Where the foremost links lead is worth more than where the others do.
                worth *= (lines[above as usize].worth / 8.0).clamp(0.6, 3.0);
            }
            let said = if part.name.is_empty() { part.text } else { part.name };
            if class == Class::Text && !said.is_empty() && parent_line.contains(said) {
                worth = 0.02;
            }
            if class == Class::Element {
                let rank = ranks.entry((section, part.role)).or_default();
                let place = (1.0 / (1.0 + *rank as f32 / HALF)).max(FLOOR);
                last.insert((section, part.role), (at as u32, place));
                worth *= place;
                *rank += 1;
                *roles.entry(part.role).or_default() += 1;
                elements.push((at as u32, part.role));
            } else if class == Class::Region || class == Class::Text {
                let rank = ranks.entry((section, "")).or_default();
                worth *= (1.0 / (1.0 + *rank as f32 / (4.0 * HALF))).max(FLOOR);
                *rank += 1;
            }
            worth *= 1.0 + 3.0 * hit;
            if !said.is_empty()
                && class != Class::Property
                && let Some(owner) = owner(&lines, above).filter(|&o| unnamed[o as usize] > 0.0)
            {
                // What an element without a name is called stands below it: the first says it, the others go on.
                let own = unnamed[owner as usize];
                worth = worth.max(if lines[owner as usize].worth > 0.1 { own } else { 0.4 * own });
                lines[owner as usize].worth = 0.05;
                needs = owner;
            }
            unnamed.push(if class == Class::Element && said.is_empty() { worth } else { 0.0 });
            lines.push(Line { start: start as u32, end: end as u32, above, class, worth, needs });
            if part.tree {
                let opens = class == Class::Region && !RECORDS.contains(&part.role)
                    || matches!(part.role, "list" | "listbox" | "group" | "dialog" | "alert");
                around.push((indent, at as u32, if opens { at as u32 + 1 } else { section }));
            }
        }
        for &(at, place) in last.values() {
            lines[at as usize].worth *= LAST.max(place) / place;
        }
        // The page's end: its last element, where that leads, and what is said after it.
        if let Some(&(at, _)) = elements.last() {
            lines[at as usize].worth *= 2.0;
            for line in &mut lines[at as usize + 1..] {
                line.worth *= match line.class {
                    Class::Property | Class::Text => END,
                    _ => 1.0,
                };
            }
        }
        // One search box among a thousand links is worth finding.
        for (at, role) in elements {
            let count = roles.get(role).copied().unwrap_or(1) as f32;
            lines[at as usize].worth *= 1.0 + 0.6 * (1.0 - count.ln() / (lines.len().max(3) as f32).ln());
        }
        Self { text, lines, common: Vec::new() }
    }

    fn line(&self, at: usize) -> &'t str {
        let line = self.lines[at];
        &self.text[line.start as usize..line.end as usize]
    }

    /// Finds the brackets that many lines have and that say nothing of a state.
    fn find_common(&mut self) {
        let mut counts: TextMap<&str, usize> = TextMap::default();
        for at in 0..self.lines.len() {
            if !matches!(self.lines[at].class, Class::Element | Class::Wrapper) {
                continue;
            }
            let line = self.line(at);
            for open in memchr::memchr_iter(b'[', line.as_bytes()).filter(|&open| line[..open].ends_with(' ')) {
                let Some(close) = line[open..].find(']') else { break };
                let bracket = &line[open - 1..=open + close];
                let word = bracket[2..].split(['=', ']']).next().unwrap_or("");
                if !STATES.contains(&word) && bracket.len() < 40 {
                    *counts.entry(bracket).or_default() += 1;
                }
            }
        }
        self.common = counts.into_iter().filter(|c| c.1 > COMMON).map(|c| c.0).collect();
        self.common.sort_unstable();
    }

    /// A line without its indentation and without what is said once.
    fn shown(&self, at: usize) -> String {
        let mut line = self.line(at).trim().to_owned();
        if self.lines[at].class == Class::Element || self.lines[at].class == Class::Wrapper {
            for bracket in &self.common {
                if let Some(found) = line.rfind(bracket) {
                    line.replace_range(found..found + bracket.len(), "");
                }
            }
        }
        line
    }

    /// The lines by what they are worth for their length.
    fn ranked(&self) -> Ranked {
        let lines = self.lines.iter().enumerate().filter(|(_, line)| line.worth > 0.0);
        Ranked::new(lines.map(|(at, line)| {
            let cost = ((line.end - line.start) as usize).min(LONG) + 4;
            (line.worth / discount(cost), at as u32)
        }))
    }

    /// The lines that stay, each with what it may cost.
    fn choose(&self, order: &mut Ranked, limit: usize, ask: &Ask<'_>) -> Vec<usize> {
        let meter = ask.meter;
        let newline = meter.byte(b'\n');
        let mut kept = vec![0usize; self.lines.len()];
        let mut longs = Vec::new();
        let mut used = meter.cost(ask.marks.lines(self.lines.len(), "").as_bytes());
        let mut misses = 0;
        for at in (0..limit.max(2_000)).map_while(|nth| order.get(nth)) {
            let mut chain = vec![at];
            let line = self.lines[at as usize];
            if line.needs != NONE {
                chain.push(line.needs);
            }
            chain.retain(|&l| kept[l as usize] == 0);
            let mut cost = 0;
            let mut costs = Vec::with_capacity(2);
            for &l in &chain {
                let full = meter.cost(self.shown(l as usize).as_bytes());
                let most = if self.lines[l as usize].class == Class::Text { LONG } else { LONG_ELEMENT };
                let indent = meter.byte(b' ') * 2 * self.depth(l, &kept);
                costs.push((l, full.min(most), full));
                cost += full.min(most) + indent + newline;
            }
            if used + cost > limit {
                misses += 1;
                if misses > MAX_MISSES {
                    break;
                }
                continue;
            }
            misses = 0;
            used += cost;
            for (l, cost, full) in costs {
                kept[l as usize] = if cost < full { cost } else { usize::MAX };
                if cost < full {
                    longs.push((l, full));
                }
            }
        }
        for (l, full) in longs {
            let more = (full - kept[l as usize]).min(limit.saturating_sub(used));
            used += more;
            kept[l as usize] = if kept[l as usize] + more == full { usize::MAX } else { kept[l as usize] + more };
        }
        kept
    }

    /// How many kept lines stand around a line.
    fn depth(&self, at: u32, kept: &[usize]) -> usize {
        let (mut above, mut depth, mut steps) = (self.lines[at as usize].above, 0, 0);
        while above != NONE && steps < 64 {
            depth += usize::from(kept[above as usize] > 0);
            above = self.lines[above as usize].above;
            steps += 1;
        }
        depth
    }

    fn write(&self, kept: &[usize], ask: &Ask<'_>, report: &mut Report) -> String {
        let mut holds = vec![false; self.lines.len()];
        for at in (0..self.lines.len()).filter(|&at| kept[at] > 0) {
            let mut above = self.lines[at].above;
            let mut steps = 0;
            while above != NONE && steps < 64 {
                if kept[above as usize] > 0 {
                    holds[above as usize] = true;
                    break;
                }
                above = self.lines[above as usize].above;
                steps += 1;
            }
        }
        let mut out = String::new();
        let mut gap = Gap::default();
        // What went without a marker line of its own: wrappers, properties, texts, and lines that the end of a kept line counts.
        let mut quiet = [0usize; 4];
        let mut cut = 0;
        for at in 0..self.lines.len() {
            if kept[at] == 0 {
                gap.add(at, self.lines[at].class, self.lines[at].end == self.lines[at].start);
                continue;
            }
            Self::close_gap(&mut gap, &mut quiet, ask, &mut out, report);
            if at > 0 && !out.is_empty() {
                out.push('\n');
            }
            let depth = self.depth(at as u32, kept);
            let raw = self.line(at);
            let step = if raw.trim_start().starts_with("uid=") { 1 } else { 2 };
            out.extend(std::iter::repeat_n(' ', depth * step));
            let mut shown = self.shown(at);
            cut += usize::from(shown.len() < raw.trim().len());
            if !holds[at] && shown.ends_with(':') && matches!(self.lines[at].class, Class::Element | Class::Wrapper | Class::Region) {
                shown.pop();
            }
            if kept[at] == usize::MAX {
                out.push_str(&shown);
            } else {
                shorten_line(&shown, kept[at], ask, &mut out);
                report.strings_truncated += 1;
            }
        }
        Self::close_gap(&mut gap, &mut quiet, ask, &mut out, report);
        let total: usize = quiet.iter().sum();
        let mut what: Vec<String> = ["wrappers", "properties", "texts"]
            .iter()
            .zip(quiet)
            .filter(|q| q.1 > 0)
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        if quiet[3] > 0 {
            what.push(format!("{} where {}[+n] stands", quiet[3], ask.marks.sign()));
        }
        if cut > 0 {
            what.push(format!("{} cut from {cut} lines", self.common.iter().map(|c| c.trim()).collect::<Vec<_>>().join(" ")));
            report.strings_truncated += cut;
        }
        if !what.is_empty() {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&ask.marks.lines(total, &what.join(", ")));
        }
        out
    }

    fn close_gap(gap: &mut Gap, quiet: &mut [usize; 4], ask: &Ask<'_>, out: &mut String, report: &mut Report) {
        let gap = std::mem::take(gap);
        let lines = gap.to - gap.from;
        if gap.elements > 0 || gap.texts >= TEXTS {
            let line = &out[out.rfind('\n').map_or(0, |n| n + 1)..];
            if line.is_empty() || line.ends_with(':') || line.starts_with("```") {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(&ask.marks.lines(lines, ""));
            } else {
                out.push_str(&format!(" {}[+{lines}]", ask.marks.sign()));
                quiet[3] += lines;
            }
        } else {
            quiet[0] += gap.wrappers;
            quiet[1] += gap.properties;
            quiet[2] += gap.texts;
        }
        if lines > 0 {
            report.lines_omitted += lines;
            report.omitted.push(Omitted { place: Place::Lines(gap.from + 1, gap.to), amount: Amount::Items(lines), lever: "lines" });
        }
    }
}

/// Lines that are left out between two that stay.
#[derive(Default)]
struct Gap {
    from: usize,
    to: usize,
    elements: usize,
    texts: usize,
    properties: usize,
    wrappers: usize,
}

impl Gap {
    fn add(&mut self, at: usize, class: Class, blank: bool) {
        if self.to == 0 {
            self.from = at;
        }
        self.to = at + 1;
        match class {
            _ if blank => self.wrappers += 1,
            Class::Element | Class::Page => self.elements += 1,
            Class::Text | Class::Region => self.texts += 1,
            Class::Property => self.properties += 1,
            Class::Wrapper => self.wrappers += 1,
        }
    }
}

/// The nearest element around a line whose own line is `above`, a few levels up.
fn owner(lines: &[Line], above: u32) -> Option<u32> {
    let mut at = above;
    for _ in 0..4 {
        let line = lines.get(at as usize)?;
        match line.class {
            Class::Element => return Some(at),
            Class::Region | Class::Page => return None,
            _ => at = line.above,
        }
    }
    None
}
