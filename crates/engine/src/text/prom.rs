//! Prometheus and `OpenMetrics` exposition text: every family once, its unusual samples, help and types in brief.
//!
//! A sample says its family's name, so `# HELP` and `# TYPE` go first. Of the samples of one name stay the first, those whose value is rare or
//! far from the others', and those that the call names; buckets go before sums and counts.

use std::collections::{HashMap, HashSet};

use super::Ask;
use super::choice::{Form, Gap, choose, write_plain};
use super::column::{Column, hash};
use super::hash::Same;
use super::layout::Lines;
use super::lines::{Line, NONE, split};
use crate::detect::Sample;
use crate::report::Report;

/// What the client libraries say about themselves, in every process alike.
const RUNTIME: [&str; 6] = ["go_", "promhttp_", "process_", "python_", "jvm_", "nodejs_"];
/// What there is of something, and what is left of it.
const CAPACITY: [&str; 8] = ["MemTotal", "MemAvailable", "avail", "free", "size_bytes", "load1", "used", "limit"];
/// What is 1 where all is well.
const HEALTHY: [&str; 6] = ["up", "success", "healthy", "ready", "ok", "available"];
/// So few samples have no usual value.
const FEW: usize = 5;
/// Families that one piece of a marker names.
const NAMED: usize = 4;

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    let comments = sample.lines.iter().filter(|l| comment(l).is_some()).count();
    let samples = sample.lines.iter().filter(|l| parse(l).is_some()).count();
    let labelled = sample.lines.iter().filter(|l| parse(l).is_some_and(|p| !p.labels.is_empty())).count();
    let total = sample.lines.len();
    total >= 3 && (comments > 0 && samples > 0 && (comments + samples) * 10 >= total * 9 || labelled * 10 >= total * 9 && samples == total)
}

/// A line with a value.
#[derive(Debug, PartialEq)]
struct Reading<'t> {
    name: &'t str,
    labels: &'t str,
    value: &'t str,
}

/// The kind of a comment line (`HELP`, `TYPE`, `UNIT`) and the family it speaks of.
fn comment(line: &str) -> Option<(&str, &str)> {
    let mut words = line.strip_prefix("# ")?.splitn(3, ' ');
    let (kind, name) = (words.next()?, words.next()?);
    matches!(kind, "HELP" | "TYPE" | "UNIT").then_some((kind, name))
}

fn parse(line: &str) -> Option<Reading<'_>> {
    let end = line.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b':'))?;
    let name = &line[..end];
    if name.is_empty() || name.as_bytes()[0].is_ascii_digit() {
        return None;
    }
    let (labels, rest) = match line.as_bytes()[end] {
        b'{' => {
            let close = end + closing(&line.as_bytes()[end..])?;
            (&line[end + 1..close], &line[close + 1..])
        }
        _ => ("", &line[end..]),
    };
    let value = rest.strip_prefix(' ')?.split(' ').next()?;
    let number = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-');
    let numeric = value.bytes().all(number) && value.bytes().any(|b| b.is_ascii_digit()) || matches!(value, "NaN" | "+Inf" | "-Inf");
    numeric.then_some(Reading { name, labels, value })
}

/// The offset of the brace that closes the labels; a brace in a quoted value closes nothing.
fn closing(bytes: &[u8]) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, None);
    for at in memchr::memchr3_iter(b'"', b'\\', b'}', bytes) {
        match bytes[at] {
            b'}' if !quoted => return Some(at),
            b'"' if escaped != Some(at) => quoted = !quoted,
            b'\\' if escaped != Some(at) => escaped = Some(at + 1),
            _ => {}
        }
    }
    None
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let lines = Lines { text, ranges: split(text).map(|(s, e)| (s as u32, e as u32)).collect() };
    let (metrics, worths) = Metrics::new(&lines, ask);
    choose(&worths, &metrics, ask, report)
}

struct Metrics<'t> {
    lines: &'t Lines<'t>,
    ask: &'t Ask<'t>,
    /// The family of each line by number.
    family: Vec<u32>,
    names: Vec<&'t str>,
}

/// The samples of one name.
struct Group<'t> {
    name: &'t str,
    first: usize,
    samples: Vec<(u32, Reading<'t>)>,
}

impl<'t> Metrics<'t> {
    fn new(lines: &'t Lines<'t>, ask: &'t Ask<'t>) -> (Self, Vec<Line>) {
        let hits = ask.finder.hits(lines.text, lines.ranges.len());
        let mut next = 0;
        let mut worths = Vec::with_capacity(lines.ranges.len());
        let (mut family, mut names): (Vec<u32>, Vec<&'t str>) = (Vec::with_capacity(lines.ranges.len()), Vec::new());
        let mut groups: Vec<Group<'t>> = Vec::new();
        let mut numbers: HashMap<u64, usize, Same> = HashMap::default();
        for (at, &(start, end)) in lines.ranges.iter().enumerate() {
            let line = lines.get(at);
            let mut hit: f32 = 0.0;
            while let Some(h) = hits.get(next).filter(|h| h.at < end.max(start + 1)) {
                hit = hit.max(h.strength);
                next += 1;
            }
            let mut worth = if line.trim().is_empty() { 0.01 } else { 0.3 };
            if let Some((kind, name)) = comment(line) {
                if names.last() != Some(&name) {
                    names.push(name);
                }
                worth = if kind == "HELP" { 0.1 } else { 0.05 };
            } else if let Some(reading) = parse(line) {
                worth = 0.0;
                if !names.last().is_some_and(|family| reading.name.starts_with(family)) {
                    names.push(reading.name);
                }
                // Buckets, sums and counts of a histogram take turns.
                let number = *numbers.entry(hash(reading.name.as_bytes())).or_insert_with(|| {
                    groups.push(Group { name: reading.name, first: at, samples: Vec::new() });
                    groups.len() - 1
                });
                groups[number].samples.push((at as u32, reading));
            }
            family.push(names.len().saturating_sub(1) as u32);
            worths.push(Line { start, end, worth: worth + 1.2 * hit * if line.starts_with('#') { 0.3 } else { 1.0 }, under: NONE });
        }
        let metrics = Self { lines, ask, family, names };
        metrics.weigh(&groups, &mut worths);
        (metrics, worths)
    }

    fn weigh(&self, groups: &[Group<'t>], worths: &mut [Line]) {
        let mut subsystems: HashMap<u64, u32, Same> = HashMap::default();
        let mut families: HashSet<u32, Same> = HashSet::default();
        let count = groups.len();
        for (nth, group) in groups.iter().enumerate() {
            let base = importance(group.name);
            let seen = subsystems.entry(hash(subsystem(group.name).as_bytes())).or_default();
            *seen += 1;
            let new = families.insert(self.family[group.first]);
            // The first sample stands for its family, and the first families for the part of the system that they are about.
            let share = (*seen as f32).powf(-0.6);
            let first = base * if new { 0.3 + 0.7 * share } else { 0.2 + 0.3 * share };
            let capacity = if is_capacity(group.name) { 0.5 } else { 0.0 };
            let healthy = group.name.split('_').any(|part| HEALTHY.contains(&part));
            let (mut ill, many) = (0, group.samples.len());
            for (sample, (at, reading)) in group.samples.iter().enumerate() {
                let worth = &mut worths[*at as usize].worth;
                if matches!(reading.value, "0" | "0.0" | "NaN") {
                    // Nothing happened: a counter of errors at zero is no error. That something is not well is news.
                    *worth = 0.1 * *worth + 0.35 * if sample == 0 { first } else { 0.05 };
                    if healthy {
                        *worth += 1.2 / (1.0 + 0.15 * ill as f32);
                        ill += 1;
                    }
                    continue;
                }
                let root = if is_root(reading.labels) { 0.3 } else { 0.0 };
                *worth += base * 0.06
                    + if sample == 0 { first } else { 0.25 * base / (1.0 + sample as f32 * 0.5) }
                    + (capacity + root) * if sample < 2 || root > 0.0 { 1.0 } else { 0.2 };
            }
            if nth == 0 || nth + 1 == count {
                worths[group.first].worth += 0.9;
                worths[group.samples[many - 1].0 as usize].worth += if nth > 0 { 0.4 } else { 0.0 };
            }
            // Buckets and quantiles grow by their nature.
            if !group.name.ends_with("_bucket") && many >= FEW {
                let mut values = Column::new();
                for (sample, (_, reading)) in group.samples.iter().enumerate() {
                    values.add(sample as u32, reading.value);
                }
                values.settle();
                values.unusual(|sample, strength| worths[group.samples[sample as usize].0 as usize].worth += base * 0.9 * strength);
            }
        }
    }
}

/// How much a metric says, by what its name says it is.
fn importance(name: &str) -> f32 {
    let kind = if name.ends_with("_bucket") {
        0.15
    } else if name.ends_with("_created") {
        0.2
    } else if name.ends_with("_info") {
        // Versions and names stand in labels; the value is always 1.
        2.2
    } else {
        1.0
    };
    kind * if RUNTIME.iter().any(|r| name.starts_with(r)) { 0.5 } else { 1.0 }
}

/// Whether a name says what there is of something, or what is left.
fn is_capacity(name: &str) -> bool {
    let begins =
        |at: usize, first: u8| CAPACITY.iter().any(|c| c.as_bytes()[0] == first && name.as_bytes()[at..].starts_with(c.as_bytes()));
    name.bytes().enumerate().any(|(at, first)| begins(at, first))
}

/// Whether a label is the root of a file system.
fn is_root(labels: &str) -> bool {
    memchr::memchr_iter(b'/', labels.as_bytes()).any(|at| labels[..at].ends_with("=\"") && labels.as_bytes().get(at + 1) == Some(&b'"'))
}

/// The part of a name that its neighbours share: `node_disk_read_bytes_total` is of `node_disk`.
fn subsystem(name: &str) -> &str {
    name.match_indices('_').nth(1).map_or(name, |(at, _)| &name[..at])
}

impl Form for Metrics<'_> {
    fn line(&self, at: usize, room: usize, out: &mut String) -> bool {
        write_plain(self.lines.get(at), room, self.ask, out)
    }

    fn tell(&self, gaps: &[Gap]) -> Vec<Vec<String>> {
        let mut told: HashSet<u64, Same> = HashSet::default();
        gaps.iter()
            .map(|gap| {
                let mut found: Vec<(&str, u32)> = Vec::new();
                for at in gap.from..gap.to {
                    let Some(name) = self.names.get(self.family[at] as usize) else { continue };
                    if found.last().is_none_or(|f| f.0 != *name) {
                        found.push((name, 0));
                    }
                    if let Some(last) = found.last_mut() {
                        last.1 += u32::from(!self.lines.get(at).starts_with('#'));
                    }
                }
                found.retain(|f| f.1 > 0 && told.insert(hash(f.0.as_bytes())));
                found
                    .chunks(NAMED)
                    .take(4)
                    .map(|names| {
                        names
                            .iter()
                            .map(|(name, count)| if *count > 1 { format!("{name}×{count}") } else { (*name).to_owned() })
                            .collect::<Vec<_>>()
                            .join(" ")
                    })
                    .collect()
            })
            .collect()
    }

    /// Labels are kept whole where that can be.
    fn long(&self) -> usize {
        480
    }

    fn reserve(&self) -> usize {
        6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        assert_eq!(
            parse(r#"a_total{x="}\"",y="1"} 5 1700000000"#),
            Some(Reading { name: "a_total", labels: r#"x="}\"",y="1""#, value: "5" })
        );
        assert_eq!(parse(r#"a{x="\\"} 1"#).map(|r| r.labels), Some(r#"x="\\""#));
        assert_eq!(parse("up 1"), Some(Reading { name: "up", labels: "", value: "1" }));
        assert_eq!(parse("x NaN").map(|r| r.value), Some("NaN"));
        for line in ["", "a ", "a -", "5 a", "a b", "a{x=\"1\" 5", "é 1"] {
            assert_eq!(parse(line), None, "{line}");
        }
        assert_eq!(comment("# TYPE a counter"), Some(("TYPE", "a")));
    }

    #[test]
    fn other_texts_are_no_metrics() {
        for text in
            ["# HELP me\nwith this 1\nand that", "total 5\nused 3\nfree 2", "# A heading\nSome text 1\n", "key: 1\nother: 2\nmore: 3"]
        {
            assert!(!looks(&Sample::new(text)), "{text}");
        }
        assert!(looks(&Sample::new("# TYPE a gauge\na 1\n# TYPE b gauge\nb{x=\"1\"} 2")));
    }
}
