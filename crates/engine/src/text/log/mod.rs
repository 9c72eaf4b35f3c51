//! Logs, command and CI output: what went wrong, summaries, commands and section titles, what is rare, the start and the end.
//!
//! Lines of one form (time stamps, ids and numbers taken as equal) stand for each other: the first few are looked at, the rest are worth ever
//! less, and the marker of a gap counts what it holds. A progress bar that a carriage return redraws is a line for each state, of which only the
//! last is worth anything.

mod stats;

use std::collections::HashMap;

use super::hash::Same;
use super::lines::{Line, NONE, Pick, split};
use super::template::template;
use super::{Ask, ansi, forms, trace};
use crate::detect::{Kind, Sample, detect, detect_text};
use crate::json::scan::scan;
use crate::report::Report;

use super::forms::{Form, form};
pub(crate) use super::forms::{body, is_stamped};
use stats::{Stat, Stats, last_number};

/// Lines of one form that are looked at each by itself.
const LOOKED_AT: u32 = 6;
/// Lines at either end that say what ran and how it ended, at most.
const MAX_ENDS: usize = 40;

/// What each sign of importance adds to the worth of a line, before it is divided among lines of its form.
mod weight {
    /// Any line.
    pub(super) const LINE: f32 = 0.1;
    /// Of a line's news, where it is indented, or alone has no time stamp: a detail of what stands above.
    pub(super) const INDENTED: f32 = 0.5;
    /// Of its words of trouble, where the line itself says that all is well.
    pub(super) const CALM: f32 = 0.7;
    /// Of all its news, where it says that something went well.
    pub(super) const PASSED: f32 = 0.3;
    /// A line without a letter: rules, carets, brackets.
    pub(super) const WORDLESS: f32 = 0.02;
    /// A form that no other line has.
    pub(super) const RARE: f32 = 0.45;
    /// A word of trouble, or of the call, that few lines have.
    pub(super) const HIT: f32 = 1.3;
    /// The very first or last line.
    pub(super) const END: f32 = 0.8;
    /// A line that reports an error by its form (`##[error]`, `ValueError: …`, `E   assert …`).
    pub(super) const ERROR: f32 = 1.0;
    /// Of a warning.
    pub(super) const WARNING: f32 = 0.25;
    /// A line with totals or a duration.
    pub(super) const SUMMARY: f32 = 0.9;
    /// The title of a section.
    pub(super) const TITLE: f32 = 0.4;
    /// A command line.
    pub(super) const COMMAND: f32 = 0.3;
    /// A line that names an image, digest, commit, version or address.
    pub(super) const FACT: f32 = 0.2;
    /// A number far above those of all lines of its form.
    pub(super) const PEAK: f32 = 0.9;
    /// The largest of the totals or durations that begin alike.
    pub(super) const LONGEST: f32 = 0.4;
    /// Of the best line of its section, for the section's title.
    pub(super) const HEIR: f32 = 0.35;
    /// Of the line above, and of the line two above; what is below counts less.
    pub(super) const NEAR: [f32; 2] = [0.25, 0.12];
    pub(super) const BELOW: f32 = 0.7;
    /// How fast lines of one form lose their worth.
    pub(super) const REPEATED: f32 = 0.7;
}

/// Whether a text is of this kind for certain: escape sequences, redrawn lines, a test protocol, or messages after time stamps.
pub(crate) fn surely(sample: &Sample<'_>) -> bool {
    let Some(first) = sample.lines.first() else { return false };
    let head = sample.head.as_bytes();
    if memchr::memchr(0x1b, head).is_some()
        || first.starts_with("TAP version ")
        || sample.lines.iter().any(|l| l.trim_end_matches('\r').contains('\r'))
    {
        return true;
    }
    let message = |line: &str| line.split(|c: char| !c.is_alphabetic()).filter(|w| w.len() > 1).take(3).count() >= 2;
    if sample.lines.len() < 3 || sample.share(|l| is_stamped(l) && message(body(l))) < 0.4 {
        return false;
    }
    // Rows of a table have the same number of separators each.
    let count = |line: &str, with: u8| memchr::memchr_iter(with, line.as_bytes()).count();
    !b",;|\t".iter().any(|&with| {
        let often = count(sample.lines[sample.lines.len() / 2], with);
        often > 0 && sample.share(|l| count(l, with) == often) > 0.8
    })
}

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    if sample.lines.len() < 8 {
        return false;
    }
    let stamped = sample.share(is_stamped);
    let levelled = sample.share(|l| forms::level(l).is_some());
    let formed = sample.share(|l| !matches!(form(body(l)), Form::Plain | Form::Wordless));
    let mut forms: Vec<u64> = sample.lines.iter().map(|l| template(l.as_bytes())).collect();
    forms.sort_unstable();
    forms.dedup();
    let alike = 1.0 - forms.len() as f32 / sample.lines.len() as f32;
    stamped > 0.3 || levelled > 0.2 || formed > 0.15 || alike > 0.4
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let Some((cleaned, removed)) = ansi::clean(text) else { return fit_clean(text, ask, report) };
    report.replaced += removed;
    if ask.meter.cost(cleaned.as_bytes()) <= ask.limit {
        return Some(cleaned);
    }
    let kind = match detect(&cleaned) {
        Kind::Json if scan(&cleaned).is_none() => detect_text(&Sample::new(&cleaned)),
        kind => kind,
    };
    match kind {
        Kind::Log | Kind::Trace => fit_clean(&cleaned, ask, report),
        kind => super::fit(&cleaned, kind, ask, report),
    }
}

fn fit_clean(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let (lines, redrawn) = states(text);
    let mut stats = Stats::new(text, &lines);
    let lines = value(text, &lines, &redrawn, &mut stats, ask);
    let note = |gaps: &[(usize, usize)]| {
        gaps.iter().map(|&(from, to)| note(text, &lines[from..to], &stats.of_line[from..to], &stats.forms)).collect()
    };
    Pick { lines: &lines, novelty: true, note: Some(&note), note_room: 0 }.choose(text, ask, report)
}

/// The lines of a text, a line for each state of one that carriage returns redraw; and the numbers of those that were redrawn.
fn states(text: &str) -> (Vec<(u32, u32)>, Vec<u32>) {
    let mut lines = Vec::with_capacity(text.len() / 64);
    let mut redrawn = Vec::new();
    let redraw = |start: usize, end: usize| memchr::memchr(b'\r', &text.as_bytes()[start..end]).map(|at| start + at);
    let redraws = redraw(0, text.len()).is_some();
    for (mut start, end) in split(text) {
        while redraws && let Some(at) = redraw(start, end).filter(|&at| at + 1 < end) {
            redrawn.push(lines.len() as u32);
            lines.push((start as u32, at as u32));
            start = at + 1;
        }
        lines.push((start as u32, end as u32));
    }
    (lines, redrawn)
}

/// A line that is looked at by itself.
struct Seen<'t> {
    at: u32,
    body: &'t str,
    form: Form,
    stamped: bool,
    /// The form of its beginning: lines that begin alike say things of one sort.
    opening: u64,
    hit: f32,
}

fn value(text: &str, ranges: &[(u32, u32)], redrawn: &[u32], stats: &mut Stats, ask: &Ask<'_>) -> Vec<Line> {
    let count = ranges.len();
    let hits = ask.finder.hits(text, count);
    let ends = (ask.limit / 250).clamp(4, MAX_ENDS);
    let (mut next_hit, mut next_redrawn) = (0, 0);
    let mut lines: Vec<Line> = Vec::with_capacity(count);
    let mut looked_at: Vec<Seen<'_>> = Vec::new();
    let mut openings: HashMap<u64, u32, Same> = HashMap::default();
    for (at, &(start, end)) in ranges.iter().enumerate() {
        let stat = &mut stats.forms[stats.of_line[at] as usize];
        let nth = stat.nth();
        stat.seen += 1;
        let (mut best, mut sum) = (0.0f32, 0.0);
        while let Some(h) = hits.get(next_hit).filter(|h| h.at < end) {
            if h.at >= start {
                sum += h.strength;
                best = best.max(h.strength);
            }
            next_hit += 1;
        }
        let redraw = redrawn.get(next_redrawn) == Some(&(at as u32));
        next_redrawn += usize::from(redraw);
        lines.push(Line {
            start,
            end,
            worth: if redraw { 0.0 } else { weight::LINE / (1.0 + nth as f32 * weight::REPEATED) },
            under: NONE,
        });
        let near_end = at < ends || count - 1 - at < ends;
        if !redraw && (nth < LOOKED_AT || best > 0.0 || near_end) {
            let line = &text[start as usize..end as usize];
            let body = body(line);
            let form = form(body);
            let level = forms::level(line);
            if stat.seen == 1 {
                stat.trouble = match form {
                    Form::Error => Some(forms::Level::Error),
                    Form::Warning => Some(forms::Level::Warning),
                    _ => level,
                };
            }
            let opening = opening(body);
            *openings.entry(opening).or_default() += 1;
            let calm = match form {
                Form::Passed => weight::PASSED,
                _ if level == Some(forms::Level::Calm) => weight::CALM,
                _ => 1.0,
            };
            looked_at.push(Seen {
                at: at as u32,
                body,
                form,
                stamped: is_stamped(line),
                opening,
                hit: calm * (best + (sum - best).min(0.3) * 0.5),
            });
        }
    }
    let stamped = looked_at.iter().filter(|s| s.stamped).count() * 10 > looked_at.len() * 7;
    let last = lines.iter().rposition(|l| l.end > l.start).unwrap_or(0);
    let scale = (count.max(2) as f32).ln();
    let scarce = |times: u32| (1.0 - (times.max(1) as f32).ln() / scale).clamp(0.0, 1.0).powi(2);
    for seen in &looked_at {
        let at = seen.at as usize;
        let stat = &stats.forms[stats.of_line[at] as usize];
        let repeated = lines[at].worth / weight::LINE;
        if seen.form == Form::Wordless {
            lines[at].worth = weight::WORDLESS * repeated;
            continue;
        }
        let rare = scarce(stat.count) * (0.4 + 0.6 * scarce(openings[&seen.opening]));
        // A detail is indented, and a short line says little.
        let inner = seen.body.starts_with("  ") || seen.body.starts_with('\t') || stamped && !seen.stamped;
        let detail = if inner { weight::INDENTED } else { 1.0 };
        let says = (seen.body.len() as f32 / 40.0).min(1.0);
        let told = match seen.form {
            Form::Error => weight::ERROR,
            Form::Warning => weight::WARNING,
            Form::Summary(sure) => weight::SUMMARY * sure,
            Form::Title => weight::TITLE,
            Form::Command => weight::COMMAND,
            Form::Fact => weight::FACT,
            Form::Plain | Form::Passed | Form::Wordless => 0.0,
        };
        let rare = if seen.form == Form::Passed { rare * weight::PASSED } else { rare };
        let near = |distance: usize| (1.0 - distance as f32 / ends as f32).max(0.0) + if distance == 0 { 0.5 } else { 0.0 };
        let place = (0.75 * near(at)).max(near(last.saturating_sub(at)));
        let worth = weight::LINE
            + weight::RARE * rare * detail * says
            + weight::HIT * seen.hit * detail.sqrt()
            + told * (0.3 + 0.7 * rare) * detail.sqrt();
        let repeated = if seen.form == Form::Error { repeated.sqrt() } else { repeated };
        lines[at].worth = worth * repeated + weight::END * place;
    }
    for at in stats.forms.iter().filter_map(|s| s.numbers.peak()) {
        lines[at as usize].worth += weight::PEAK;
    }
    longest(&looked_at, |at| lines[at as usize].worth += weight::LONGEST);
    let bodies: Vec<(u32, &str)> = looked_at.iter().map(|s| (s.at, s.body)).collect();
    trace::value(&bodies, |at, more| {
        let seen = stats.forms[stats.of_line[at as usize] as usize].count.min(LOOKED_AT) - 1;
        lines[at as usize].worth += more / (1.0 + seen as f32 * 0.3);
    });
    let titles: Vec<u32> = looked_at.iter().filter(|s| s.form == Form::Title).map(|s| s.at).collect();
    share(&mut lines, &titles);
    lines
}

/// Finds the largest numbers among totals and durations that begin alike.
fn longest(looked_at: &[Seen<'_>], mut found: impl FnMut(u32)) {
    let mut groups: HashMap<u64, (u32, f32, u32), Same> = HashMap::default();
    for seen in looked_at.iter().filter(|s| matches!(s.form, Form::Summary(_))) {
        let Some(number) = last_number(seen.body.as_bytes()) else { continue };
        let group = groups.entry(seen.opening).or_insert((0, 0.0, seen.at));
        group.0 += 1;
        if number > group.1 {
            (group.1, group.2) = (number, seen.at);
        }
    }
    groups.into_values().filter(|g| g.0 > 2).for_each(|g| found(g.2));
}

/// The first two words of a line, hashed (or its first sign: `+`, `>`, `✓`); numbers are all the same.
fn opening(body: &str) -> u64 {
    let line = body.trim_start().as_bytes();
    let words = usize::from(line.first().is_some_and(u8::is_ascii_alphanumeric));
    let end = memchr::memchr_iter(b' ', line).nth(words).unwrap_or(line.len()).min(48);
    template(&line[..end]) ^ u64::from(body.starts_with([' ', '\t']))
}

/// A line next to a telling one helps to read it; the title of a section says where its telling lines are.
fn share(lines: &mut [Line], titles: &[u32]) {
    let mut best: f32 = 0.0;
    let mut next = titles.len();
    for at in (0..lines.len()).rev() {
        if next > 0 && titles[next - 1] == at as u32 {
            next -= 1;
            lines[at].worth += weight::HEIR * best;
            best = 0.0;
        } else {
            best = best.max(lines[at].worth);
        }
    }
    let mut above = [0.0f32; 2];
    for at in 0..lines.len() {
        let own = lines[at].worth;
        if lines[at].end == lines[at].start || own == 0.0 {
            continue;
        }
        let below = |d: usize| lines.get(at + d).map_or(0.0, |l| l.worth * weight::BELOW);
        lines[at].worth += above[0].max(below(1)) * weight::NEAR[0] + above[1].max(below(2)) * weight::NEAR[1];
        above = [own, above[0]];
    }
}

/// What a gap held: how many errors and warnings, how many kinds of lines, and the commonest of them.
fn note(text: &str, lines: &[Line], forms_of: &[u32], stats: &[Stat]) -> String {
    let mut kinds: HashMap<u32, (u32, u32), Same> = HashMap::default();
    for (at, form) in forms_of.iter().enumerate().filter(|(at, _)| lines[*at].end > lines[*at].start) {
        kinds.entry(*form).or_insert((0, at as u32)).0 += 1;
    }
    let (mut errors, mut warnings) = (0, 0);
    for (&form, (count, _)) in &kinds {
        match stats[form as usize].trouble {
            Some(forms::Level::Error) => errors += count,
            Some(forms::Level::Warning) => warnings += count,
            _ => {}
        }
    }
    let mut note = Vec::new();
    for (count, one, more) in [(errors, "error", "errors"), (warnings, "warning", "warnings")] {
        if count > 0 {
            note.push(format!("{count} {}", if count == 1 { one } else { more }));
        }
    }
    let commonest = kinds.values().max_by_key(|k| (k.0, std::cmp::Reverse(k.1)));
    if let Some(&(count, at)) = commonest.filter(|k| k.0 > 2) {
        let line = lines[at as usize];
        let body = body(&text[line.start as usize..line.end as usize]).trim();
        let end = super::lines::grapheme_floor(body, 48);
        let end = if end < body.len() { body[..end].rfind(' ').unwrap_or(end) } else { end };
        let cut = if end < body.len() { " …" } else { "" };
        if end > 3 {
            note.push(format!("{} {}: {}{cut} ×{count}", kinds.len(), if kinds.len() == 1 { "kind" } else { "kinds" }, &body[..end]));
        }
    }
    note.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_told_from_tables_and_prose() {
        let stamped: String = (0..20).map(|i| format!("2026-05-01T00:00:{i:02}Z worker finished batch {i}\n")).collect();
        let csv: String = (0..20).map(|i| format!("2026-05-01T00:00:{i:02}Z,open,first line,{i}\n")).collect();
        let tsv: String = (0..20).map(|i| format!("2026-05-{i:02}\t{i}\tnorth east\n")).collect();
        for (text, is) in [
            (stamped.as_str(), true),
            (csv.as_str(), false),
            (tsv.as_str(), false),
            ("\u{1b}[32mok\u{1b}[0m", true),
            ("10%\r50%\rdone", true),
            ("TAP version 13\nok 1", true),
            ("It was late.\nSo we went.\nHome.", false),
        ] {
            assert_eq!(surely(&Sample::new(text)), is, "{text:.60}");
        }
    }

    #[test]
    fn redrawn_lines_are_states() {
        let (lines, redrawn) = states("a\r\n10%\r50%\r100%\ndone\r");
        assert_eq!(lines.len(), 5);
        assert_eq!(redrawn, [1, 2]);
    }
}
