//! Listings of folders: `tree`, `ls -l`, `ls -R`, `find`, `git ls-files`.
//!
//! All top levels and as many folders as fit, with how much is in them; of the files the first of each folder, the large ones, those of
//! unusual kinds, those that projects are known by, and those that the call names.

use std::collections::{HashMap, HashSet};

use super::cells::Cut;
use super::choice::{Form, Gap, choose, write_plain};
use super::column::hash;
use super::hash::Same;
use super::layout::Lines;
use super::lines::{Line, split};
use super::listing::{Entry, Role, Style, extension, long, root};
use super::rows::Rows;
use super::squeeze::Squeeze;
use super::template::template;
use super::{Ask, plain};
use crate::detect::Sample;
use crate::json::ids::IdMap;
use crate::order::Order as _;
use crate::report::Report;

/// Large files that are worth a line.
const LARGE: usize = 12;
/// Files that say what a folder is for.
const NOTABLE: [&str; 16] = [
    "readme",
    "license",
    "makefile",
    "dockerfile",
    "package.json",
    "cargo.toml",
    "pyproject.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "tsconfig.json",
    "main.",
    "index.",
    "lib.rs",
    "mod.rs",
    "__init__.py",
];
/// Folders and endings that a marker names.
const NAMED: usize = 8;

/// Whether a file's name says what its folder is for.
fn notable(name: &str) -> bool {
    let first = name.as_bytes().first().map_or(0, u8::to_ascii_lowercase);
    NOTABLE.iter().any(|n| n.as_bytes()[0] == first && name.get(..n.len()).is_some_and(|start| start.eq_ignore_ascii_case(n)))
}

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    Style::of(&sample.lines).is_some()
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let Some(style) = Style::of(&Sample::new(text).lines) else { return plain::fit(text, ask, report) };
    let lines = Lines { text, ranges: split(text).map(|(s, e)| (s as u32, e as u32)).collect() };
    let tree = Tree::new(&lines, style, ask);
    let worths = tree.worths();
    choose(&worths, &tree, ask, report)
}

struct Tree<'t> {
    lines: &'t Lines<'t>,
    ask: &'t Ask<'t>,
    style: Style,
    /// How much all paths share.
    root: usize,
    entries: Vec<Entry<'t>>,
    /// The ending of each entry's name by number; 0 for none.
    endings: Vec<u32>,
    names: Vec<&'t str>,
    /// How many entries each folder's line has below it.
    inside: Vec<u32>,
    /// The columns of `ls -l`.
    columns: Option<(Rows<'t>, Vec<usize>)>,
    squeeze: Squeeze<'t>,
}

impl<'t> Tree<'t> {
    fn new(lines: &'t Lines<'t>, style: Style, ask: &'t Ask<'t>) -> Self {
        let entries = style.entries(lines);
        let mut numbers: HashMap<u64, u32, Same> = HashMap::default();
        let mut names = vec!["no ending"];
        let mut inside = vec![0; entries.len()];
        let mut endings = Vec::with_capacity(entries.len());
        for entry in &entries {
            if let Some(count) = inside.get_mut(entry.parent as usize).filter(|_| matches!(entry.role, Role::File | Role::Folder)) {
                *count += 1;
            }
            endings.push(match extension(entry.name).filter(|_| entry.role == Role::File) {
                Some(ending) => *numbers.entry(hash(ending.as_bytes())).or_insert_with(|| {
                    names.push(ending);
                    names.len() as u32 - 1
                }),
                None => 0,
            });
        }
        let columns = (style == Style::Long).then(|| {
            let ranges: Vec<_> = entries
                .iter()
                .zip(&lines.ranges)
                .filter(|(e, _)| matches!(e.role, Role::File | Role::Folder))
                .map(|(_, &(start, end))| start..end)
                .collect();
            let first = ranges.first().and_then(|r| long(&lines.text[r.start as usize..r.end as usize]));
            let (cells, dated) = first.map_or((9, 5), |l| (l.cells, l.dated));
            let rows = Rows::study(lines.text, Cut::Words(cells), Vec::new(), ranges);
            // The beginning of a line tells which line it is; a time that is the same in all lines is said once.
            let caps = (0..rows.columns.len())
                .map(|c| if c >= dated && c + 1 < cells && rows.columns[c].constant().is_some() { 0 } else { usize::MAX })
                .collect();
            (rows, caps)
        });
        Self {
            lines,
            ask,
            style,
            root: if style == Style::Paths { root(lines) } else { 0 },
            entries,
            endings,
            names,
            inside,
            columns,
            squeeze: Squeeze::new(lines.text, ask),
        }
    }

    fn worths(&self) -> Vec<Line> {
        let text = self.lines.text;
        let files = self.entries.iter().filter(|e| e.role == Role::File).count().max(1) as f32;
        let mut counts = vec![0u32; self.names.len()];
        for (entry, &ending) in self.entries.iter().zip(&self.endings) {
            counts[ending as usize] += u32::from(entry.role == Role::File);
        }
        let entropy: f32 = counts.iter().filter(|&&c| c > 0).map(|&c| c as f32 / files).map(|p| -p * p.ln()).sum();
        let news = |ending: u32| (((files / counts[ending as usize].max(1) as f32).ln() - entropy) / files.max(3.0).ln()).clamp(0.0, 1.0);
        let large = self.large();
        let mut seen: HashMap<u64, u32, Same> = HashMap::default();
        let mut shapes: HashMap<u64, u32, Same> = HashMap::default();
        let mut endings = vec![0u32; self.names.len()];
        let mut tops: HashSet<u64, Same> = HashSet::default();
        let hits = self.ask.finder.hits(text, self.lines.ranges.len());
        let mut next = 0;
        let last = self.entries.iter().rposition(|e| e.role != Role::Note).unwrap_or(0);
        self.entries
            .iter()
            .zip(&self.lines.ranges)
            .enumerate()
            .map(|(at, (entry, &(start, end)))| {
                let mut hit: f32 = 0.0;
                while let Some(h) = hits.get(next).filter(|h| h.at < end.max(start + 1)) {
                    hit = hit.max(h.strength);
                    next += 1;
                }
                let depth = 1.0 + 0.6 * f32::from(entry.level);
                let nth = seen.entry(entry.folder).or_default();
                *nth += 1;
                let worth = match entry.role {
                    Role::Note if start == end => 0.01,
                    Role::Note => {
                        if at > last || at < 2 {
                            1.5
                        } else {
                            0.08
                        }
                    }
                    Role::Heading => 0.1 + 0.9 / (1.0 + f32::from(entry.level)),
                    Role::Folder => 0.25 + 1.1 / depth + 0.1 * (self.inside[at] as f32).ln_1p() / depth,
                    Role::File => {
                        let ending = self.endings[at];
                        let shape = shapes.entry(entry.folder ^ template(entry.name.as_bytes())).or_default();
                        *shape += 1;
                        endings[ending as usize] += 1;
                        let times = endings[ending as usize] as f32;
                        let unusual = 0.9 * news(ending) / (1.0 + 0.4 * (times - 1.0));
                        let name = entry.name.rsplit('/').next().unwrap_or(entry.name);
                        let notable = if notable(name) { 0.3 / depth } else { 0.0 };
                        // A first file stands for its folder; files that look alike stand for each other.
                        let first = 0.7 / depth / (1.0 + 0.6 * (*nth - 1) as f32);
                        let top = if entry.level == 0 { 0.45 } else { 0.0 };
                        (0.06 + first + top + notable) / (1.0 + 0.15 * (*shape - 1) as f32) + unusual
                    }
                };
                // A path stands for the folder at the top that it is the first of.
                let top = self.style == Style::Paths && entry.level > 0 && tops.insert(hash(self.top(entry.name).as_bytes()));
                let worth = if top { worth + 0.6 } else { worth };
                let end_bonus = if at == last {
                    1.3
                } else if at == 0 {
                    0.8
                } else {
                    0.0
                };
                let worth = worth + large.get(&(at as u32)).copied().unwrap_or(0.0) + 1.6 * hit + end_bonus;
                let under = if self.style == Style::Paths { super::lines::NONE } else { entry.parent };
                Line { start, end, worth, under }
            })
            .collect()
    }

    /// A path down to its first folder that not all paths are in.
    fn top(&self, path: &'t str) -> &'t str {
        let from = self.root.min(path.len());
        path.get(from..).and_then(|rest| rest.find('/')).map_or(path, |slash| &path[..from + slash])
    }

    /// The largest files, and what they are worth.
    fn large(&self) -> IdMap<u32, f32> {
        let mut sizes: Vec<(f64, u32)> = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, e)| e.role == Role::File)
            .filter_map(|(at, e)| e.size.map(|s| (s, at as u32)))
            .collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if sizes.len() > LARGE {
            sizes.select_nth_unstable_by(LARGE, order);
            sizes.truncate(LARGE);
        }
        sizes.order_by(order);
        let mut large: IdMap<u32, f32> =
            sizes.into_iter().enumerate().map(|(rank, (_, at))| (at, 1.4 * 0.85f32.powi(rank as i32))).collect();
        // And the one of each folder that is much larger than the others in it.
        let mut folders: HashMap<u64, (u32, f64, f64, u32), Same> = HashMap::default();
        for (at, entry) in self.entries.iter().enumerate().filter(|(_, e)| e.role == Role::File) {
            let Some(size) = entry.size else { continue };
            let folder = folders.entry(entry.folder).or_insert((0, 0.0, -1.0, 0));
            folder.0 += 1;
            folder.1 += size;
            if size > folder.2 {
                (folder.2, folder.3) = (size, at as u32);
            }
        }
        for (count, sum, most, at) in folders.into_values().filter(|f| f.0 > 2) {
            let times = most / ((sum - most) / f64::from(count - 1)).max(1.0);
            let worth = large.entry(at).or_insert(0.0);
            *worth = worth.max(0.9 * ((times.max(2.0).ln() - 2f64.ln()) / (30f64.ln() - 2f64.ln())).min(1.0) as f32);
        }
        large
    }

    /// The folders of a gap that are next to each other and how many entries each has, the fullest first; and the folder that they are all in.
    fn folders(&self, gap: &Gap) -> (&'t str, Vec<(&'t str, u32)>) {
        let mut paths: Vec<(&'t str, u32)> = Vec::new();
        for at in gap.from..gap.to {
            let entry = &self.entries[at];
            let inside = self.inside[at];
            match (self.style, entry.role) {
                (Style::Paths, Role::File | Role::Folder) => paths.push((entry.name, 1)),
                (Style::Long | Style::Short, Role::Heading) | (Style::Drawn | Style::Indented, Role::Folder) => {
                    paths.push((entry.name.trim_end_matches('/'), inside));
                }
                _ => {}
            }
        }
        let Some(&(first, _)) = paths.first() else { return ("", Vec::new()) };
        let shared =
            paths.iter().fold(first.len(), |shared, p| first.bytes().zip(p.0.bytes()).take(shared).take_while(|(a, b)| a == b).count());
        let mut from = first.as_bytes()[..shared].iter().rposition(|&b| b == b'/').map_or(0, |s| s + 1);
        // One folder and what is in it: the folder is what they are all in.
        if self.style != Style::Paths
            && paths.len() > 1
            && paths[1..].iter().all(|p| p.0.as_bytes().get(first.len()) == Some(&b'/') && p.0.starts_with(first))
        {
            from = first.len() + 1;
        }
        let within = paths.iter().find_map(|p| p.0.get(..from)).unwrap_or_default();
        let mut places: HashMap<u64, usize, Same> = HashMap::default();
        let mut found: Vec<(&str, u32)> = Vec::new();
        for (path, count) in paths {
            let Some(rest) = path.get(from..) else { continue };
            let slash = rest.find('/');
            if self.style == Style::Paths && slash.is_none() {
                continue;
            }
            let name = &rest[..slash.unwrap_or(rest.len())];
            let place = *places.entry(hash(name.as_bytes())).or_insert_with(|| {
                found.push((name, 0));
                found.len() - 1
            });
            found[place].1 += count;
        }
        found.order_by_key(|f| std::cmp::Reverse(f.1));
        (within, found)
    }

    /// The files of a gap at the top, where a line costs much more than its name.
    fn top_files(&self, gap: &Gap) -> Vec<&'t str> {
        let top = |e: &&Entry<'t>| e.role == Role::File && e.level == 0 && self.style == Style::Long;
        self.entries[gap.from..gap.to].iter().filter(top).take(12).map(|e| e.name).collect()
    }
}

impl Form for Tree<'_> {
    fn urgent(&self, gap: &Gap) -> bool {
        !self.top_files(gap).is_empty()
    }

    fn line(&self, at: usize, room: usize, out: &mut String) -> bool {
        let line = self.lines.get(at);
        match &self.columns {
            Some((rows, caps)) if matches!(self.entries[at].role, Role::File | Role::Folder) => {
                let whole = rows.ranges.first().is_some_and(|r| r.start == self.lines.ranges[at].0);
                self.squeeze.row(line, &rows.cut, if whole { &[] } else { caps }, false, out)
            }
            _ => write_plain(line, room, self.ask, out),
        }
    }

    fn tell(&self, gaps: &[Gap]) -> Vec<Vec<String>> {
        let mut counts = vec![0u32; self.names.len()];
        gaps.iter()
            .map(|gap| {
                let mut pieces = Vec::new();
                let (within, folders) = self.folders(gap);
                for (nth, chunk) in folders.chunks(NAMED / 2).take(6).enumerate() {
                    let names: Vec<String> =
                        chunk.iter().map(|(name, count)| if *count > 0 { format!("{name} {count}") } else { (*name).to_owned() }).collect();
                    let place = if nth == 0 && !within.is_empty() { format!("in {within}: ") } else { String::new() };
                    pieces.push(format!("{place}{}", names.join(", ")));
                }
                let top = self.top_files(gap);
                pieces.extend(top.chunks(3).map(|names| names.join(", ")));
                let mut seen: Vec<u32> = Vec::new();
                let mut seen_files = 0;
                for at in (gap.from..gap.to).filter(|&at| self.entries[at].role == Role::File) {
                    let ending = self.endings[at];
                    seen_files += 1;
                    counts[ending as usize] += 1;
                    if counts[ending as usize] == 1 {
                        seen.push(ending);
                    }
                }
                seen.order_by_key(|&e| (std::cmp::Reverse(counts[e as usize]), e));
                let told: Vec<String> =
                    seen.iter().take(NAMED).map(|&e| format!("{}×{}", self.names[e as usize], counts[e as usize])).collect();
                for &ending in &seen {
                    counts[ending as usize] = 0;
                }
                if !told.is_empty() && seen_files > top.len() {
                    pieces.insert(pieces.len().min(1), told.join(" "));
                }
                pieces
            })
            .collect()
    }

    fn reserve(&self) -> usize {
        5
    }
}
