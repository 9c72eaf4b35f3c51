//! Records in plain text: entries of `Name: value` lines, a blank line or a rule between them, as `git log`, `dpkg -s`, `pip show`, LDIF and many
//! tools print them. As for JSON: records × fields. Many entries with what they are called are worth more than few with everything.

use std::collections::HashSet;

use super::Ask;
use super::hash::TextMap;
use super::lines::{Line, NONE, Pick, density, split};
use crate::detect::Sample;
use crate::json::names::name_weight;
use crate::report::Report;

/// Entries that a sample must hold, and the share of them that must hold a second field.
const LEAST: usize = 3;
const SHARED: f32 = 0.7;
/// The entries begin within so many lines.
const MAX_TITLE: usize = 4;
/// A field's name is no longer than this.
const MAX_NAME: usize = 32;
/// The first entry shows what the others are like, the last is where the list ends; the others lose half of their worth after so many, but
/// never more than to the floor.
const FIRST: f32 = 2.0;
const LAST: f32 = 1.5;
const HALF: f32 = 20.0;
const FLOOR: f32 = 0.3;
/// What a field is worth that says what it said in the entry before, one that tells entries apart, and an opaque id.
const SAME: f32 = 0.15;
const DISTINCT: f32 = 1.5;
const OPAQUE: f32 = 0.6;
/// A field of less worth, as a date, does not name its entry.
const NAMES: f32 = 0.8;
/// What the running text of an entry is worth: its first line, and the others, less with each.
const TITLE: f32 = 1.5;
const BODY: f32 = 0.25;
const BODY_HALF: f32 = 3.0;
/// How much a word of trouble or of the call adds, and a value that few entries have.
const HIT: f32 = 2.5;
const RARE: f32 = 1.0;
/// Values of one field that are told apart.
const MAX_VALUES: usize = 4_096;

/// The name of the field that a line is, and where its value begins.
fn field(line: &str) -> Option<(&str, usize)> {
    if let Some(rest) = line.strip_prefix("commit ") {
        let id = rest.split(' ').next().unwrap_or_default();
        return (id.len() >= 7 && id.bytes().all(|b| b.is_ascii_hexdigit())).then_some(("commit", 7));
    }
    if !line.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let at = line.bytes().take(MAX_NAME + 1).position(|b| matches!(b, b':' | b'='))?;
    let name = line[..at].trim_end();
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '(' | ')' | ';' | '@');
    let spaced = line.as_bytes()[at] == b'=' || matches!(line.as_bytes().get(at + 1), None | Some(b' ' | b'\t' | b':'));
    (spaced && name.chars().all(word) && name.matches(' ').count() < 3).then_some((name, at + 1))
}

/// Whether a line stands between entries.
fn parts(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.len() >= 3 && line.bytes().all(|b| matches!(b, b'-' | b'=' | b'*'))
}

/// The field that begins each entry, if lines are entries of fields.
fn opener<'t>(lines: impl Iterator<Item = &'t str> + Clone) -> Option<&'t str> {
    let mut counts: TextMap<&str, usize> = TextMap::default();
    let (mut read, mut fields) = (0usize, 0usize);
    let mut above = "";
    for line in lines.clone() {
        read += 1;
        let inner = line.trim_start();
        if inner.len() < line.len() && above.trim_end().ends_with(':') && (inner.starts_with("- ") || field(inner).is_some()) {
            // What nests is YAML.
            return None;
        }
        above = line;
        if let Some((name, _)) = field(line) {
            fields += 1;
            *counts.entry(name).or_default() += 1;
        }
    }
    // A line or two before the entries may say what they are.
    let first = lines.clone().take(MAX_TITLE).filter_map(field);
    let (opener, _) = first.into_iter().find(|f| counts.get(f.0).is_some_and(|&count| count >= LEAST))?;
    let (mut entries, mut apart) = (0usize, 0usize);
    let mut within: TextMap<&str, (usize, usize)> = TextMap::default();
    let mut above = "";
    for line in lines {
        if let Some((name, _)) = field(line) {
            if name == opener {
                entries += 1;
                apart += usize::from(parts(above) || entries == 1);
            }
            let count = within.entry(name).or_default();
            if count.1 != entries {
                *count = (count.0 + 1, entries);
            }
        }
        above = line;
    }
    // The last entry may be cut off in a sample.
    let most = (entries.saturating_sub(1)) as f32 * SHARED;
    let shared = within.iter().any(|(name, count)| *name != opener && count.0 as f32 >= most);
    (apart * 10 >= entries * 9 && shared && fields * 8 >= read).then_some(opener)
}

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    opener(sample.head.lines()).is_some()
}

/// What is known of a field over all entries.
#[derive(Default)]
struct Stats<'t> {
    count: usize,
    values: TextMap<&'t str, usize>,
    opaque: usize,
    weight: f32,
}

impl Stats<'_> {
    fn distinct(&self) -> bool {
        self.values.len() * 10 >= self.count.min(MAX_VALUES) * 9
    }

    /// How rare a value is among few values, 0 to 1.
    fn rarity(&self, value: &str) -> f32 {
        let few = self.values.len() * 4 <= self.count && self.count >= 8;
        let count = self.values.get(value).copied().unwrap_or(0);
        if few && count > 0 { (1.0 - 8.0 * count as f32 / self.count as f32).max(0.0) } else { 0.0 }
    }
}

/// A line of an entry.
enum Part<'t> {
    Field(usize, &'t str),
    /// The n-th line of running text.
    Body(usize),
    Gap,
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let Some(opener) = opener(Sample::new(text).head.lines()) else { return super::plain::fit(text, ask, report) };
    let mut names: TextMap<&str, usize> = TextMap::default();
    let mut stats: Vec<Stats<'_>> = Vec::new();
    let mut lines: Vec<(usize, usize, Part<'_>, usize)> = Vec::new();
    let (mut entry, mut body, mut bodies) = (0, 0, 0);
    // Fields stand at an entry's beginning: what looks like one in its text is text.
    let mut headed = true;
    let mut above = "";
    for (start, end) in split(text) {
        let line = &text[start..end];
        let found = field(line).filter(|f| headed && entry > 0 || f.0 == opener);
        if let Some((name, _)) = found.filter(|f| f.0 == opener && (entry == 0 || parts(above))) {
            entry += 1;
            (body, headed) = (0, true);
            names.entry(name).or_insert(stats.len());
        }
        let part = if parts(line) {
            headed &= entry == 0;
            Part::Gap
        } else if let Some((name, at)) = found {
            let id = *names.entry(name).or_insert(stats.len());
            if id == stats.len() {
                stats.push(Stats { weight: name_weight(name), ..Stats::default() });
            }
            let value = line[at..].trim();
            let stat = &mut stats[id];
            stat.count += 1;
            if stat.values.len() < MAX_VALUES || stat.values.contains_key(value) {
                *stat.values.entry(value).or_default() += 1;
            }
            stat.opaque += usize::from(value.len() >= 16 && value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-'));
            Part::Field(id, value)
        } else {
            body += 1;
            bodies += usize::from(body == 1);
            Part::Body(body - 1)
        };
        lines.push((start, end, part, entry));
        above = line;
    }
    // An entry is called what its text begins with, or what its fields that differ say.
    let weights: Vec<f32> = stats
        .iter()
        .map(|stat| {
            let opaque = stat.opaque * 2 > stat.count;
            let distinct = if stat.distinct() && stat.weight >= NAMES { DISTINCT } else { 1.0 };
            if opaque { OPAQUE } else { stat.weight * distinct }
        })
        .collect();
    let named = stats.iter().zip(&weights).any(|(stat, weight)| stat.distinct() && stat.count * 2 > entry && *weight >= DISTINCT);
    let titled = bodies * 10 >= entry * 6 && !named;
    let hits = ask.finder.hits(text, entry);
    let mut next_hit = 0;
    let mut before: Vec<&str> = vec![""; stats.len()];
    // Of each entry its head and how dense that is.
    let mut heads: Vec<(u32, f32)> = Vec::new();
    let mut chosen = Vec::with_capacity(lines.len());
    let mut seen: HashSet<&str> = HashSet::new();
    for (start, end, part, at) in &lines {
        let mut hit: f32 = 0.0;
        while let Some(h) = hits.get(next_hit).filter(|h| (h.at as usize) < *end) {
            hit = hit.max(h.strength);
            next_hit += 1;
        }
        let place = match at {
            0 | 1 => FIRST,
            _ if *at == entry => LAST,
            _ => (1.0 / (1.0 + *at as f32 / HALF)).max(FLOOR),
        };
        let (own, news) = match part {
            Part::Gap => (0.0, 0.0),
            // What stands before the first entry says what the list is.
            Part::Body(nth) if *at == 0 => (2.0 / (1.0 + *nth as f32), 0.0),
            Part::Body(0) if titled => (TITLE, 0.0),
            Part::Body(nth) => {
                let again = if seen.insert(text[*start..*end].trim()) { 1.0 } else { SAME };
                (again * BODY / (1.0 + *nth as f32 / BODY_HALF), 0.0)
            }
            Part::Field(id, value) => {
                let same = std::mem::replace(&mut before[*id], value) == *value;
                (weights[*id] * if same { SAME } else { 1.0 }, RARE * stats[*id].rarity(value))
            }
        };
        let worth = (own + news) * place * (1.0 + HIT * hit);
        chosen.push(Line { start: *start as u32, end: *end as u32, worth, under: NONE });
        if *at > heads.len() {
            heads.push((chosen.len() as u32 - 1, 0.0));
        }
        // Of each entry the line that says most for its length is its head, which stays if any other line of it does.
        let density = density(&Line { worth: own, ..chosen[chosen.len() - 1] }, 0);
        if let Some(head) = heads.last_mut().filter(|head| density > head.1) {
            *head = (chosen.len() as u32 - 1, density);
        }
    }
    for (at, line) in chosen.iter_mut().enumerate() {
        let head = lines[at].3.checked_sub(1).and_then(|entry| heads.get(entry));
        line.under = head.map_or(NONE, |head| head.0);
        if line.under == at as u32 {
            line.under = NONE;
        }
    }
    Pick { lines: &chosen, novelty: false, note: None, note_room: 0 }.choose(text, ask, report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_the_field_that_begins_each() {
        for (text, begins) in [
            (
                "commit 1a2b3c4d5\nAuthor: A\n\n    x\n\ncommit 2a2b3c4d5\nAuthor: B\n\n    y\n\ncommit 3a2b3c4d5\nAuthor: B\n",
                Some("commit"),
            ),
            ("List:\nId: 1\nName: a\n\nId: 2\nName: b\n\nId: 3\nName: c\n", Some("Id")),
            ("Name: a\nVersion: 1\n---\nName: b\nVersion: 2\n---\nName: c\nVersion: 3\n", Some("Name")),
            ("Id=a\nState=on\n\nId=b\nState=off\n\nId=c\nState=on\n", Some("Id")),
            ("name: a\nversion: 1\nname: b\nversion: 2\nname: c\nversion: 3\n", None),
            ("Note: one thing.\n\nNote: another thing.\n\nNote: and a third.\n", None),
            ("INFO: started\nINFO: listening\nWARN: slow\nINFO: done\n", None),
            ("kind: A\nspec:\n  x: 1\n---\nkind: B\nspec:\n  x: 2\n---\nkind: C\nspec:\n  x: 1\n", None),
            ("fn a() {\n}\n\nfn b() {\n}\n\nfn c() {\n}\n", None),
        ] {
            assert_eq!(opener(text.lines()), begins, "{text}");
        }
    }
}
