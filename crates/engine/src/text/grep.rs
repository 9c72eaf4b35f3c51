//! What `grep`, `rg`, `git grep` and compilers in their short form print: every file with matches before every match.

use std::collections::HashMap;

use super::choice::{Form, Gap, choose, write_plain};
use super::column::hash;
use super::hash::Same;
use super::layout::Lines;
use super::lines::{Line, NONE, grapheme_floor, split};
use super::template::template;
use super::{Ask, plain};
use crate::detect::Sample;
use crate::report::Report;

/// The first line shows how a match looks.
const FIRST: usize = 200;
/// Files that one piece of a marker names.
const NAMED: usize = 4;
/// Where matches are rarely meant.
const ASIDE: [&str; 10] =
    ["node_modules/", "vendor/", "dist/", "target/", ".min.", ".lock", "-lock.", "generated", "__snapshots__", ".svg"];
/// How a line begins that says what a name is.
const DECLARES: [&str; 24] = [
    "fn ",
    "pub ",
    "def ",
    "class ",
    "func ",
    "function ",
    "export ",
    "type ",
    "struct ",
    "enum ",
    "trait ",
    "impl ",
    "interface ",
    "const ",
    "static ",
    "public ",
    "private ",
    "#define ",
    "CREATE ",
    "module ",
    "async ",
    "abstract ",
    "let ",
    "var ",
];

/// How a search's results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `file:12:text`, with `file-12-text` around it.
    Numbered,
    /// `file:text`.
    Plain,
    /// A file's name, then `12:text`.
    Headed,
}

/// A line of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'t> {
    Match {
        file: &'t str,
        text: &'t str,
    },
    Context {
        file: &'t str,
    },
    /// The name of a file on a line of its own.
    File(&'t str),
    Note,
}

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    style(&sample.lines).is_some()
}

fn style(lines: &[&str]) -> Option<Style> {
    let share = |test: &dyn Fn(&str) -> bool| lines.iter().filter(|l| test(l)).count() * 100 / lines.len().max(1);
    if lines.len() < 3 {
        return None;
    }
    let separators = share(&|l| l == "--");
    if share(&|l| numbered(l, ':').is_some()) + separators >= 80
        || separators > 0 && share(&|l| numbered(l, ':').or_else(|| numbered(l, '-')).is_some()) + separators >= 90
    {
        return Some(Style::Numbered);
    }
    let headings = lines.windows(2).filter(|w| file_name(w[0]) && counted(w[1]).is_some()).count();
    let counts = share(&|l| counted(l).is_some());
    if headings > 0 && counts >= 40 && share(&|l| counted(l).is_some() || file_name(l) || l == "--") >= 95 {
        return Some(Style::Headed);
    }
    (share(&|l| prefixed(l).is_some()) >= 90).then_some(Style::Plain)
}

/// Whether a word may name a file: a path, or a name with an ending.
fn file_name(word: &str) -> bool {
    let ended = word.rsplit('/').next().and_then(|n| n.rsplit_once('.')).is_some_and(|(stem, end)| {
        (1..=10).contains(&end.len())
            && end.bytes().all(|b| b.is_ascii_alphanumeric())
            && end.bytes().any(|b| b.is_ascii_alphabetic())
            && !stem.bytes().all(|b| b.is_ascii_digit())
    });
    let path = word.contains('/') && word.contains(|c: char| c.is_ascii_alphabetic());
    (ended || path)
        && word.len() < 300
        && !word.contains(['"', '<', '>', '=', '(', ')', '{', '|', ',', '\t'])
        && !word.contains("://")
        && word.matches(' ').count() < 3
        && !word.starts_with([' ', '-'])
}

/// `file:12:text` or, with `-` for the sign, `file-12-text`: the file and the text.
fn numbered(line: &str, sign: char) -> Option<(&str, &str)> {
    // A Windows drive has a colon of its own.
    let skip = if line.as_bytes().get(1) == Some(&b':') && line.as_bytes()[0].is_ascii_alphabetic() { 2 } else { 0 };
    let looked = &line[..line.floor_char_boundary(400)];
    looked.match_indices(sign).filter(|(at, _)| *at >= skip).take(20).find_map(|(at, _)| {
        let rest = &line[at + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let text = rest.get(digits..).and_then(|r| r.strip_prefix(sign))?;
        (digits > 0 && digits < 8 && file_name(&line[..at])).then_some((&line[..at], text))
    })
}

/// `file:12:text` of the file that the match before was in.
fn again<'t>(line: &'t str, file: &str) -> Option<(&'t str, &'t str)> {
    let rest = line.strip_prefix(file).filter(|_| !file.is_empty())?.strip_prefix(':')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let text = rest[digits..].strip_prefix(':')?;
    (digits > 0 && digits < 8).then_some((&line[..file.len()], text))
}

/// `file:text`.
fn prefixed(line: &str) -> Option<(&str, &str)> {
    let (file, text) = line.split_once(':')?;
    (file_name(file) && !file.contains(' ')).then_some((file, text))
}

/// `12:text` or `12-text`: whether it is a match, and the text.
fn counted(line: &str) -> Option<(bool, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).filter(|_| (1..8).contains(&digits))?;
    rest.strip_prefix(':').map(|t| (true, t)).or_else(|| rest.strip_prefix('-').map(|t| (false, t)))
}

fn part<'t>(line: &'t str, style: Style, file: &'t str) -> Part<'t> {
    match style {
        Style::Numbered => match again(line, file).or_else(|| numbered(line, ':')) {
            Some((file, text)) => Part::Match { file, text },
            None => numbered(line, '-').map_or(Part::Note, |(file, _)| Part::Context { file }),
        },
        Style::Plain => prefixed(line).map_or(Part::Note, |(file, text)| Part::Match { file, text }),
        Style::Headed => match counted(line) {
            Some((true, text)) => Part::Match { file, text },
            Some((false, _)) => Part::Context { file },
            None if file_name(line) => Part::File(line),
            None => Part::Note,
        },
    }
}

/// What stands after the place of a match.
fn text_of(line: &str, style: Style) -> &str {
    match part(line, style, "") {
        Part::Match { text, .. } => text,
        _ => "",
    }
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let Some(style) = style(&Sample::new(text).lines) else { return plain::fit(text, ask, report) };
    let lines = Lines { text, ranges: split(text).map(|(s, e)| (s as u32, e as u32)).collect() };
    let (results, worths) = Results::new(&lines, style, ask);
    choose(&worths, &results, ask, report)
}

struct Results<'t> {
    lines: &'t Lines<'t>,
    ask: &'t Ask<'t>,
    /// The file of each line by number, from 1; 0 for none.
    file: Vec<u32>,
    /// Each file's name, how many matches it has, and the line of the first.
    files: Vec<(&'t str, u32, u32)>,
    matches: Vec<bool>,
    long: usize,
    style: Style,
    /// A text that does not hold the sign can have it alone where a line was cut.
    signed: bool,
}

impl<'t> Results<'t> {
    fn new(lines: &'t Lines<'t>, style: Style, ask: &'t Ask<'t>) -> (Self, Vec<Line>) {
        let hits = ask.finder.hits(lines.text, lines.ranges.len());
        let mut next = 0;
        let mut numbers: HashMap<u64, u32, Same> = HashMap::default();
        let mut shapes: HashMap<u64, u32, Same> = HashMap::default();
        let mut this = Self {
            lines,
            ask,
            file: Vec::new(),
            files: Vec::new(),
            matches: Vec::new(),
            long: 0,
            style,
            signed: memchr::memmem::find(lines.text.as_bytes(), ask.marks.sign().as_bytes()).is_none(),
        };
        let mut worths = Vec::with_capacity(lines.ranges.len());
        let (mut heading, mut current) = (NONE, "");
        // What the name of each file makes of the worth of its matches.
        let mut asides: Vec<f32> = Vec::new();
        for (at, &(start, end)) in lines.ranges.iter().enumerate() {
            let line = lines.get(at);
            let mut hit: f32 = 0.0;
            while let Some(h) = hits.get(next).filter(|h| h.at < end.max(start + 1)) {
                hit = hit.max(h.strength);
                next += 1;
            }
            let part = part(line, style, current);
            let file = match part {
                Part::Match { file, .. } | Part::Context { file } | Part::File(file) => {
                    *numbers.entry(hash(file.as_bytes())).or_insert_with(|| {
                        this.files.push((file, 0, at as u32));
                        asides.push(if ASIDE.iter().any(|a| file.contains(a)) { 0.5 } else { 1.0 });
                        this.files.len() as u32
                    })
                }
                Part::Note => 0,
            };
            let start_bonus = if at == 0 { 0.8 } else { 0.0 };
            let worth = match part {
                Part::Match { file: name, text } => {
                    let entry = &mut this.files[file as usize - 1];
                    entry.1 += 1;
                    if entry.1 == 1 {
                        entry.2 = at as u32;
                    }
                    let nth = entry.1 as f32 - 1.0;
                    let shape = shapes.entry(template(text.trim().as_bytes())).or_default();
                    *shape += 1;
                    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':').trim_start();
                    let declares = if DECLARES.iter().any(|d| d.as_bytes().first() == text.as_bytes().first() && text.starts_with(d)) {
                        0.25
                    } else {
                        0.0
                    };
                    if style == Style::Numbered {
                        current = name;
                    }
                    let aside = asides[file as usize - 1];
                    let first = if nth == 0.0 { 1.2 } else { 0.45 / (1.0 + 0.5 * (nth - 1.0)) };
                    aside * (0.06 + first + declares / (1.0 + 0.3 * nth))
                        / (1.0 + if nth == 0.0 { 0.02 } else { 0.15 } * (*shape - 1) as f32)
                }
                Part::Context { .. } => 0.08,
                Part::File(name) => {
                    (heading, current) = (at as u32, name);
                    1.0
                }
                Part::Note if line.trim().is_empty() || line == "--" => 0.01,
                Part::Note => 0.8,
            };
            let under = if style == Style::Headed && heading != at as u32 { heading } else { NONE };
            this.file.push(file);
            this.matches.push(matches!(part, Part::Match { .. }));
            worths.push(Line { start, end, worth: worth + start_bonus + 1.4 * hit, under });
        }
        // Rather a short line of every file than the whole of a few.
        this.long = (ask.limit * 4 / 5 / (this.files.len() + 1)).clamp(60, 240);
        (this, worths)
    }
}

impl Form for Results<'_> {
    fn line(&self, at: usize, room: usize, out: &mut String) -> bool {
        let line = self.lines.get(at);
        let room = if at == 0 { room.max(FIRST) } else { room };
        if self.ask.meter.cost(line.as_bytes()) <= room || !self.signed {
            return write_plain(line, room, self.ask, out);
        }
        // The place is kept whole, of the text so many words as there is room for.
        let place = line.len() - text_of(line, self.style).len();
        let end = grapheme_floor(line, self.ask.meter.prefix(line, room - 1));
        let end = line[..end].rfind(' ').filter(|&space| space > place).unwrap_or(place).max(place);
        if end + 1 >= line.len() {
            out.push_str(line);
            return false;
        }
        out.push_str(line[..end].trim_end());
        out.push_str(self.ask.marks.sign());
        true
    }

    fn tell(&self, gaps: &[Gap]) -> Vec<Vec<String>> {
        let total: u32 = self.files.iter().map(|f| f.1).sum();
        gaps.iter()
            .enumerate()
            .map(|(rank, gap)| {
                // A file of which a match stays is not told again.
                let found: Vec<u32> = (gap.from..gap.to)
                    .filter(|&at| self.matches[at] && self.files[self.file[at] as usize - 1].2 as usize == at)
                    .map(|at| self.file[at])
                    .collect();
                let mut pieces: Vec<String> = found
                    .chunks(NAMED)
                    .take(8)
                    .map(|files| {
                        files
                            .iter()
                            .map(|&file| &self.files[file as usize - 1])
                            .map(|(name, count, _)| format!("{name}×{count}"))
                            .collect::<Vec<_>>()
                            .join(" ")
                    })
                    .collect();
                if rank == 0 {
                    pieces.insert(0, format!("of {total} matches in {} files:", self.files.len()));
                }
                pieces
            })
            .collect()
    }

    fn long(&self) -> usize {
        self.long
    }

    fn reserve(&self) -> usize {
        if self.files.len() * self.long > self.ask.limit { 3 } else { 8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_found_in_their_forms() {
        for (text, style) in [
            ("src/a.rs:12:fn main() {\nsrc/a.rs:40:9: let x\nREADME.md:3:text", Some(Style::Numbered)),
            ("a.c-11-before\na.c:12:match\na.c-13-after\n--\nb.c:1:x", Some(Style::Numbered)),
            ("C:\\src\\a.rs:12:x\nC:\\src\\a.rs:13:y\nC:\\src\\b.rs:1:z", Some(Style::Numbered)),
            ("src/a.rs\n12:fn main\n13-  x\n\nsrc/b.rs\n1:y", Some(Style::Headed)),
            ("src/a.rs:fn main\nsrc/b.rs:x\nc.py:y", Some(Style::Plain)),
            ("12:30:01 started\n12:30:02 done\n12:30:03 end", None),
            ("key: value\nother: b\nmore: c", None),
            ("http://a.b/c:1:x\nhttp://a.b/c:2:x\nhttp://a.b/c:3:x", None),
            ("2026-05-01 10:00:00 INFO a\n2026-05-01 10:00:01 INFO b\n2026-05-01 10:00:02 INFO c", None),
            ("error: x\n  --> src/a.rs:3:4\nhelp: y", None),
        ] {
            let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty()).collect();
            assert_eq!(super::style(&lines), style, "{text}");
        }
    }
}
