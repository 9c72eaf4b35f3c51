//! The kept lines in their order, and what stands in each gap.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::shorten::shorten_line;
use super::{MAX_NOTES, Plan, WHOLE};
use crate::order::Order as _;
use crate::report::{Amount, Omitted, Place, Report};

impl Plan<'_> {
    pub(super) fn write(&self, report: &mut Report) -> String {
        let said = self.said();
        let mut out = String::new();
        let mut seen = Feeds { text: self.text.as_bytes(), at: 0, lines: 1 };
        let ends: Vec<Option<u32>> =
            std::iter::once(None).chain(self.kept.keys().map(|&at| Some(at))).chain(std::iter::once(None)).collect();
        for pair in ends.windows(2) {
            self.write_gap(pair[0], pair[1], &said, &mut seen, &mut out, report);
            let Some(at) = pair[1] else { break };
            match self.kept.get(&at) {
                Some(&allowance) if allowance != WHOLE => {
                    match self.short.get(&at) {
                        Some(text) => out.push_str(text),
                        None => shorten_line(self.line(at), allowance as usize, self.ask, &mut out),
                    }
                    report.strings_truncated += 1;
                }
                _ => out.push_str(self.line(at)),
            }
        }
        out
    }

    fn write_gap(
        &self,
        before: Option<u32>,
        after: Option<u32>,
        said: &BTreeMap<usize, Said>,
        seen: &mut Feeds<'_>,
        out: &mut String,
        report: &mut Report,
    ) {
        let lines = self.choice.lines;
        let (first, last) = (before.map_or(0, |a| a as usize + 1), after.map_or(lines.len(), |b| b as usize));
        let same = matches!((before, after), (Some(a), Some(b)) if self.rows[a as usize].0 == self.rows[b as usize].0);
        if same && first == last {
            return;
        }
        if same || self.cuts_tail(before) {
            let row = self.rows[first].0;
            let part = first..first + self.rows[first..last].partition_point(|r| r.0 == row);
            let gone = &self.text[lines[part.start].start as usize..lines[part.end - 1].end as usize];
            out.push_str(&self.ask.marks.more(gone.chars().count()));
            report.strings_truncated += 1;
            if same {
                return;
            }
        }
        let (rows, filled) = self.gap_rows(before, after);
        if before.is_some() && (after.is_some() || filled > 0) {
            out.push('\n');
        }
        if filled > 0 {
            out.push_str(&match said.get(&first) {
                Some(said) if said.word => self.ask.marks.lines(rows, &said.note),
                Some(said) if !said.note.is_empty() => self.ask.marks.gap_of(rows, &said.note),
                _ => self.ask.marks.gap(rows),
            });
            report.lines_omitted += rows;
            let head = first + self.rows[first..last].partition_point(|r| before.is_some_and(|a| r.0 == self.rows[a as usize].0));
            let place = Place::Lines(seen.line(lines[head].start as usize), seen.line(lines[last - 1].end as usize));
            report.omitted.push(Omitted { place, amount: Amount::Items(rows), lever: "lines" });
        }
        if after.is_some() && (filled > 0 || rows > 0 && before.is_some()) {
            out.push('\n');
        }
    }

    /// What is said in each gap besides the number of its lines, by the first line of the gap: the word for them in the first one always, a
    /// note and the word in the others as far as there is room, the largest first.
    fn said(&self) -> BTreeMap<usize, Said> {
        let meter = self.ask.meter;
        let marks = self.ask.marks;
        let cost = |text: String| meter.cost(text.as_bytes());
        let gaps = self.gaps();
        let mut said: BTreeMap<usize, Said> = BTreeMap::new();
        if let Some(first) = gaps.first() {
            said.insert(first.from, Said { word: true, note: String::new() });
        }
        let mut by_size: Vec<usize> = (0..gaps.len()).collect();
        by_size.order_by_key(|&gap| (Reverse(gaps[gap].rows), gap));
        let mut room = self.free() + gaps.len() * self.choice.note_room;
        if let Some(note) = self.choice.note {
            let many = if self.choice.note_room > 0 { gaps.len() } else { MAX_NOTES.min(gaps.len()) };
            let mut wanted = by_size[..many].to_vec();
            wanted.sort_unstable();
            let ranges: Vec<(usize, usize)> = wanted.iter().map(|&gap| (gaps[gap].from, gaps[gap].to)).collect();
            let mut notes: BTreeMap<usize, String> = wanted.into_iter().zip(note(&ranges)).filter(|n| !n.1.is_empty()).collect();
            for (done, gap) in by_size.iter().enumerate() {
                let Some(note) = notes.remove(gap).filter(|_| gaps[*gap].rows > 1) else { continue };
                let here = said.entry(gaps[*gap].from).or_default();
                // The gaps that follow keep their room.
                let later = (gaps.len() - 1 - done) * self.choice.note_room;
                // What follows a colon are examples.
                for note in [note.as_str(), note.split(": ").next().unwrap_or_default()] {
                    let more = cost(marks.gap_of(2, note)) - cost(marks.gap(2));
                    if more + later <= room && here.note.is_empty() {
                        room -= more;
                        note.clone_into(&mut here.note);
                    }
                }
            }
        }
        let word = cost(marks.lines(2, "")) - cost(marks.gap(2));
        for gap in by_size {
            let here = said.entry(gaps[gap].from).or_default();
            if word <= room && !here.word {
                room -= word;
                here.word = true;
            }
        }
        said
    }

    /// The gaps between the lines kept that hold whole lines, in order.
    fn gaps(&self) -> Vec<Gap> {
        let ends: Vec<Option<u32>> =
            std::iter::once(None).chain(self.kept.keys().map(|&at| Some(at))).chain(std::iter::once(None)).collect();
        let gap = |pair: &[Option<u32>]| {
            let (rows, filled) = self.gap_rows(pair[0], pair[1]);
            let (from, to) = (pair[0].map_or(0, |a| a as usize + 1), pair[1].map_or(self.choice.lines.len(), |b| b as usize));
            (filled > 0).then_some(Gap { rows, from, to })
        };
        ends.windows(2).filter_map(gap).collect()
    }
}

/// Lines left out between two that stay.
struct Gap {
    /// Whole source lines.
    rows: usize,
    from: usize,
    to: usize,
}

/// What a marker says besides a number.
#[derive(Default)]
struct Said {
    /// Whether it says in words what the number means.
    word: bool,
    note: String,
}

/// Counts line feeds as it goes.
struct Feeds<'t> {
    text: &'t [u8],
    at: usize,
    lines: usize,
}

impl Feeds<'_> {
    /// The number of the source line that holds the byte `at`, which is not before the last one asked for.
    fn line(&mut self, at: usize) -> usize {
        if at > self.at {
            self.lines += memchr::memchr_iter(b'\n', &self.text[self.at..at]).count();
            self.at = at;
        }
        self.lines
    }
}
