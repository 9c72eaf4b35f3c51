//! Choosing among the lines of a text: each kind says what its lines are worth, this says which stay.
//!
//! Lines are taken by worth a character until the limit is full; each gap pays for its marker line. A long line is kept to its beginning and the
//! places in it that hold hits, and grows where that is worth more than another line. Lines may also be parts of one source line (sentences of a
//! paragraph): they stand where one begins at the byte where the one before ends, and a gap between them is marked inside the line.

mod write;

use std::cell::Cell;
use std::collections::{BTreeMap, BinaryHeap};

use super::discount::discount;
use super::novelty::Words;
use super::shorten::LEAST;
pub(crate) use super::shorten::{grapheme_ceil, grapheme_floor, shorten_line};
use super::{Ask, explain};
use crate::budget::{Unit, measure};
use crate::order::Order as _;
use crate::report::Report;

/// No line.
pub(crate) const NONE: u32 = u32::MAX;

/// What a line may cost at each step of its growth; the last step is the whole line.
const STEPS: [usize; 3] = [240, 720, 2_160];
/// What a step is worth of the step before it.
const STEP_WORTH: f32 = 0.55;
/// What any line costs a reader, however short.
const OVERHEAD: usize = 12;
/// Headings above headings, at most so many.
const MAX_CHAIN: usize = 32;
/// Lines that do not fit are passed over, this many in a row.
const MAX_MISSES: usize = 400;
/// Lines that are ranked at once, besides those that the limit has room for.
const SHORTLIST: usize = 2_000;
/// So many lists in a row of which no line fits, each longer than the one before: what is left is not looked through.
const MAX_FRUITLESS: usize = 2;
/// What a line is worth that says nothing new.
const KNOWN_WORTH: f32 = 0.4;
/// A gap of at most so many lines is filled where that costs no more than its marker.
const SMALL_GAP: usize = 6;
/// Gaps that get a note, the largest first.
const MAX_NOTES: usize = 40;

/// A line and what it is worth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// Byte range, without the line feed.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// 0 for a line that nobody misses.
    pub(crate) worth: f32,
    /// A line that must stay if this one does (its heading), by number; [`NONE`] for none.
    pub(crate) under: u32,
}

/// The byte ranges of the lines of `text`, without line feeds (or the carriage returns before them).
pub(crate) fn split(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    let mut start = 0;
    memchr::memchr_iter(b'\n', bytes).chain(std::iter::once(bytes.len())).map(move |end| {
        let line = (start, if end > start && bytes[end - 1] == b'\r' { end - 1 } else { end });
        start = end + 1;
        line
    })
}

/// Says of each gap (from, to), in order, what its lines were.
pub(crate) type Note<'n> = dyn Fn(&[(usize, usize)]) -> Vec<String> + 'n;

/// Lines to choose from, and how.
pub(crate) struct Pick<'c> {
    pub(crate) lines: &'c [Line],
    /// Whether lines that use the words of lines already chosen are worth less.
    pub(crate) novelty: bool,
    /// What the markers of gaps say about their lines; the gaps (from, to) come in order.
    pub(crate) note: Option<&'c Note<'c>>,
    /// What each note may cost at any budget; what is left over at the end goes to notes as well.
    pub(crate) note_room: usize,
}

impl Pick<'_> {
    /// The chosen lines as text; `None` if not even a marker fits.
    pub(crate) fn choose(&self, text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
        let number = |at: usize| measure(&text[..self.lines[at].start as usize], Unit::Lines).max(1);
        explain::leave(self.lines, |line| density(line, 0), number, ask);
        let mut plan = Plan::new(text, self, ask);
        if plan.used > plan.limit {
            return None;
        }
        plan.take_best();
        plan.fill_small_gaps();
        plan.grow_lines();
        plan.shorten();
        if plan.free() * 25 > plan.limit {
            plan.take_best();
            plan.fill_small_gaps();
        }
        plan.cut_one_to_fit();
        Some(plan.write(report))
    }
}

/// The lines kept so far and what they cost, exactly (but for the digits of some markers).
struct Plan<'p> {
    text: &'p str,
    choice: &'p Pick<'p>,
    ask: &'p Ask<'p>,
    limit: usize,
    used: usize,
    /// What is kept of each line kept: what it may cost, [`WHOLE`] for all of it.
    kept: BTreeMap<u32, u32>,
    /// The gap that was looked at last, or that is below the line kept last: lines of the same worth come one after the other.
    last_gap: Cell<Option<Gap>>,
    /// The source line of each line, and how many that are not blank come before it.
    rows: Vec<(u32, u32)>,
    /// The shortened lines, once they are written.
    short: BTreeMap<u32, String>,
    words: Words,
    newline: usize,
    mark: usize,
    gap: usize,
    digit: usize,
}

const WHOLE: u32 = u32::MAX;

/// A gap by the kept lines around it, and what its marker costs.
#[derive(Clone, Copy)]
struct Gap {
    before: Option<u32>,
    after: Option<u32>,
    cost: usize,
}

impl Gap {
    fn holds(&self, at: u32) -> bool {
        self.before.is_none_or(|before| before < at) && self.after.is_none_or(|after| at < after)
    }
}

/// The place of a line among those to be taken, the largest first: by its rank, then by its place in the text.
fn place(rank: u32, at: u32) -> u64 {
    u64::from(rank) << 32 | u64::from(!at)
}

/// The rank and the line of a place.
fn placed(place: u64) -> (u32, u32) {
    ((place >> 32) as u32, !(place as u32))
}

impl<'p> Plan<'p> {
    fn new(text: &'p str, choice: &'p Pick<'p>, ask: &'p Ask<'p>) -> Self {
        let mut rows = Vec::with_capacity(choice.lines.len() + 1);
        let (mut row, mut filled) = (0u32, 0u32);
        let mut end = None;
        let mut blank = true;
        for line in choice.lines {
            if end.is_some_and(|end| end != line.start) {
                row += 1;
                filled += u32::from(!blank);
                blank = true;
            }
            rows.push((row, filled));
            blank &= is_blank(text, line);
            end = Some(line.end);
        }
        rows.push((row + u32::from(end.is_some()), filled + u32::from(!blank)));
        let meter = ask.meter;
        let digit = meter.byte(b'1');
        let mut plan = Self {
            text,
            choice,
            ask,
            limit: ask.limit,
            used: 0,
            kept: BTreeMap::new(),
            last_gap: Cell::new(None),
            rows,
            short: BTreeMap::new(),
            words: Words::default(),
            newline: meter.byte(b'\n'),
            mark: meter.cost(ask.marks.more(text.len()).as_bytes()),
            gap: meter.cost(ask.marks.gap(2).as_bytes()) - digit + choice.note_room,
            digit,
        };
        // The first marker says in words what the numbers of the others mean.
        plan.limit = ask.limit.saturating_sub(meter.cost(ask.marks.lines(2, "").as_bytes()) - meter.cost(ask.marks.gap(2).as_bytes()));
        plan.used = plan.between(None, None);
        plan
    }

    fn line(&self, at: u32) -> &'p str {
        let line = self.choice.lines[at as usize];
        &self.text[line.start as usize..line.end as usize]
    }

    fn cost(&self, at: u32) -> usize {
        self.ask.meter.cost(self.line(at).as_bytes())
    }

    fn free(&self) -> usize {
        self.limit.saturating_sub(self.used)
    }

    /// What stands between two kept lines, or a kept line and an end of the text.
    fn between(&self, before: Option<u32>, after: Option<u32>) -> usize {
        let (first, last) = (before.map_or(0, |a| a as usize + 1), after.map_or(self.choice.lines.len(), |b| b as usize));
        let both = usize::from(before.is_some()) + usize::from(after.is_some());
        if let (Some(a), Some(b)) = (before, after)
            && self.rows[a as usize].0 == self.rows[b as usize].0
        {
            return if first == last { 0 } else { self.mark };
        }
        let (rows, filled) = self.gap_rows(before, after);
        let tail = if self.cuts_tail(before) { self.mark } else { 0 };
        tail + match (rows, filled) {
            (0, _) => self.newline * both.saturating_sub(1),
            (_, 0) => 2 * self.newline * both.saturating_sub(1),
            _ => self.gap + self.digit * digits(rows) + self.newline * both,
        }
    }

    /// Whether the source line of a kept line goes on with a line that is not kept (which is known where the next kept one is elsewhere).
    fn cuts_tail(&self, before: Option<u32>) -> bool {
        before.is_some_and(|a| self.rows[a as usize].0 == self.rows[a as usize + 1].0)
    }

    /// Whole source lines in a gap, and how many of them are not blank.
    fn gap_rows(&self, before: Option<u32>, after: Option<u32>) -> (usize, usize) {
        let start = before.map_or((0, 0), |a| {
            let row = self.rows[a as usize];
            // A kept line is not blank.
            (row.0 + 1, row.1 + 1)
        });
        let end = self.rows[after.map_or(self.choice.lines.len(), |b| b as usize)];
        (end.0.saturating_sub(start.0) as usize, end.1.saturating_sub(start.1) as usize)
    }

    /// The gap that a line is in which is not kept.
    fn gap_of(&self, at: u32) -> Gap {
        if let Some(gap) = self.last_gap.get().filter(|gap| gap.holds(at)) {
            return gap;
        }
        let before = self.kept.range(..at).next_back().map(|k| *k.0);
        let after = self.kept.range(at + 1..).next().map(|k| *k.0);
        let gap = Gap { before, after, cost: self.between(before, after) };
        self.last_gap.set(Some(gap));
        gap
    }

    /// What the marks beside a line cost that is kept in a gap.
    fn beside(&self, gap: Gap, at: u32) -> usize {
        self.between(gap.before, Some(at)) + self.between(Some(at), gap.after)
    }

    fn is_kept(&self, at: u32) -> bool {
        !self.last_gap.get().is_some_and(|gap| gap.holds(at)) && self.kept.contains_key(&at)
    }

    /// Keeps a line to `allowance`, if that fits.
    fn keep(&mut self, at: u32, allowance: usize) -> bool {
        let gap = self.gap_of(at);
        let full = self.cost(at);
        let cost = full.min(allowance);
        let total = self.used + cost + self.beside(gap, at) - gap.cost;
        if total > self.limit {
            return false;
        }
        self.used = total;
        self.kept.insert(at, if cost == full { WHOLE } else { cost as u32 });
        // The next line that is asked about is mostly the one below.
        self.last_gap.set(Some(Gap { before: Some(at), after: gap.after, cost: self.between(Some(at), gap.after) }));
        true
    }

    fn drop(&mut self, at: u32) {
        let Some(allowance) = self.kept.remove(&at) else { return };
        self.last_gap.set(None);
        let cost = if allowance == WHOLE { self.cost(at) } else { allowance as usize };
        let gap = self.gap_of(at);
        self.used = self.used + gap.cost - cost - self.beside(gap, at);
    }

    /// Takes lines by density. The best few are ranked anew with each that is taken; the rest only come in when those are through.
    fn take_best(&mut self) {
        let lines = self.choice.lines;
        let mut all: Vec<u64> = (0..lines.len() as u32)
            .filter(|&at| !is_blank(self.text, &lines[at as usize]))
            .map(|at| place(density(&lines[at as usize], 0).to_bits(), at))
            .collect();
        let mut rest = all.as_mut_slice();
        let mut size = SHORTLIST + self.limit / (8 + self.newline);
        let mut fruitless = 0;
        while !rest.is_empty() && fruitless < MAX_FRUITLESS {
            let many = size.min(rest.len());
            if many < rest.len() {
                rest.select_nth_unstable_by(many, |a, b| b.cmp(a));
            }
            let (list, later) = rest.split_at_mut(many);
            let kept = self.kept.len();
            self.take_from(list);
            fruitless = if self.kept.len() > kept { 0 } else { fruitless + 1 };
            rest = later;
            size *= 8;
            if self.free() * 50 < self.limit {
                break;
            }
        }
    }

    fn take_from(&mut self, list: &[u64]) {
        let mut heap: BinaryHeap<(u64, u8)> = list.iter().map(|&place| (place, 0)).collect();
        let lines = self.choice.lines;
        let mut misses = 0;
        let mut next = None;
        while let Some((best, step)) = next.take().or_else(|| heap.pop()) {
            let (rank, at) = placed(best);
            let line = lines[at as usize];
            if step == 0 && self.is_kept(at) || step > 0 && self.kept.get(&at).is_none_or(|&k| k == WHOLE) {
                continue;
            }
            if step == 0 {
                let now = self.rank(at);
                // It takes the place of the one that comes before it now.
                if now < rank
                    && let Some(mut top) = heap.peek_mut()
                    && placed(top.0).0 > now
                {
                    next = Some(std::mem::replace(&mut *top, (place(now, at), 0)));
                    continue;
                }
            }
            let took = if step == 0 { self.take(at) } else { self.grow(at, STEPS.get(step as usize).copied().unwrap_or(usize::MAX)) };
            if took {
                misses = 0;
                // The lines beside it cost less now.
                for beside in [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter(|_| step == 0) {
                    let wanted = lines.get(beside as usize).is_some_and(|l| !self.kept.contains_key(&beside) && !is_blank(self.text, l));
                    if wanted {
                        heap.push((place(self.rank(beside), beside), 0));
                    }
                }
                if self.kept.get(&at).is_some_and(|&k| k != WHOLE) && (step as usize) < STEPS.len() {
                    heap.push((place(density(&line, step as usize + 1).to_bits(), at), step + 1));
                }
            } else {
                misses += 1;
                if misses > MAX_MISSES {
                    break;
                }
            }
        }
    }

    /// What a line is worth for what it would cost now, as an order of `u32`.
    fn rank(&self, at: u32) -> u32 {
        let line = self.choice.lines[at as usize];
        let novel = if self.choice.novelty { KNOWN_WORTH + (1.0 - KNOWN_WORTH) * self.words.novelty(self.line(at)) } else { 1.0 };
        let gap = self.gap_of(at);
        let gaps = self.beside(gap, at).saturating_sub(gap.cost);
        let cost = ((line.end - line.start) as usize).min(STEPS[0]) + gaps;
        (line.worth.max(0.0) * novel / discount(cost + OVERHEAD)).to_bits()
    }

    /// Takes a line and those that it stands under, or none of them.
    fn take(&mut self, at: u32) -> bool {
        let mut chain = Vec::new();
        let mut next = at;
        while next != NONE && (next as usize) < self.choice.lines.len() && !self.kept.contains_key(&next) && chain.len() < MAX_CHAIN {
            chain.push(next);
            next = self.choice.lines[next as usize].under;
        }
        chain.retain(|&at| !is_blank(self.text, &self.choice.lines[at as usize]));
        for (done, &line) in chain.iter().rev().enumerate() {
            if !self.keep(line, STEPS[0]) {
                for &line in chain.iter().rev().take(done) {
                    self.drop(line);
                }
                return false;
            }
        }
        if self.choice.novelty {
            for &line in &chain {
                self.words.see(self.line(line));
            }
        }
        true
    }

    /// Lets a shortened line grow to `allowance`, or as far as there is room.
    fn grow(&mut self, at: u32, allowance: usize) -> bool {
        let Some(&now) = self.kept.get(&at).filter(|&&k| k != WHOLE) else { return false };
        let full = self.cost(at);
        let cost = full.min(allowance).min(now as usize + self.free());
        if cost <= now as usize {
            return false;
        }
        self.used += cost - now as usize;
        self.kept.insert(at, if cost == full { WHOLE } else { cost as u32 });
        true
    }

    /// Fills gaps of a few lines: first those whose lines cost no more than their marker, then those that there is room for.
    fn fill_small_gaps(&mut self) {
        for pay in [false, true] {
            let mut ends: Vec<Option<u32>> = std::iter::once(None).chain(self.kept.keys().map(|&at| Some(at))).collect();
            ends.push(None);
            for pair in ends.windows(2) {
                let (first, last) = (pair[0].map_or(0, |a| a + 1), pair[1].unwrap_or(self.choice.lines.len() as u32));
                if last <= first || (last - first) as usize > SMALL_GAP {
                    continue;
                }
                let before = self.used;
                let mut whole = true;
                let (limit, full) = (self.limit, self.limit + 2 * self.gap + self.mark + SMALL_GAP * self.newline);
                // While it is half filled a gap may cost more than it does whole.
                self.limit = full;
                let added: Vec<u32> = (first..last).filter(|&at| !is_blank(self.text, &self.choice.lines[at as usize])).collect();
                for &at in &added {
                    whole = whole && self.keep(at, usize::MAX);
                }
                self.limit = limit;
                if !whole || self.used > if pay { limit } else { limit.min(before) } {
                    for &at in &added {
                        self.drop(at);
                    }
                }
            }
        }
    }

    /// What is left goes to the shortened lines, the most valuable first.
    fn grow_lines(&mut self) {
        let mut short: Vec<u32> = self.kept.iter().filter(|k| *k.1 != WHOLE).map(|k| *k.0).collect();
        let worth = |at: u32| self.choice.lines[at as usize].worth;
        short.order_by(|&a, &b| worth(b).total_cmp(&worth(a)).then(a.cmp(&b)));
        for at in short {
            self.grow(at, usize::MAX);
        }
    }

    /// Writes the shortened lines: words and windows that do not fit leave some of what a line may cost.
    fn shorten(&mut self) {
        let short: Vec<(u32, u32)> = self.kept.iter().filter(|k| *k.1 != WHOLE).map(|k| (*k.0, *k.1)).collect();
        for (at, allowance) in short {
            let mut text = String::new();
            shorten_line(self.line(at), allowance as usize, self.ask, &mut text);
            let cost = self.ask.meter.cost(text.as_bytes());
            self.used = self.used + cost - allowance as usize;
            self.kept.insert(at, cost as u32);
            self.short.insert(at, text);
        }
    }

    /// Where much is left over, no line fits whole: the best of those that stand next to a kept one is cut to fit.
    fn cut_one_to_fit(&mut self) {
        if self.free() * 25 < self.limit || self.free() < LEAST + self.mark {
            return;
        }
        let near = |at: u32| [at.checked_sub(1), at.checked_add(1)].into_iter().flatten().chain(self.kept.is_empty().then_some(0));
        let mut best: Vec<u32> = self.kept.keys().copied().chain(self.kept.is_empty().then_some(0)).flat_map(near).collect();
        best.retain(|&at| {
            (at as usize) < self.choice.lines.len() && !self.kept.contains_key(&at) && !is_blank(self.text, &self.choice.lines[at as usize])
        });
        let worth = |at: u32| self.choice.lines[at as usize].worth;
        best.order_by(|&a, &b| worth(b).total_cmp(&worth(a)).then(a.cmp(&b)));
        for at in best.into_iter().take(MAX_MISSES) {
            let gap = self.gap_of(at);
            let room = (self.limit + gap.cost).saturating_sub(self.used + self.beside(gap, at));
            let under = self.choice.lines[at as usize].under;
            if room >= LEAST && (under == NONE || self.kept.contains_key(&under)) && self.keep(at, room) {
                break;
            }
        }
    }
}

/// What a line, or a step of its growth, is worth a character.
pub(crate) fn density(line: &Line, step: usize) -> f32 {
    let length = (line.end - line.start) as usize;
    let (from, to) = (step.checked_sub(1).map_or(0, |s| STEPS[s]), STEPS.get(step).copied().unwrap_or(4 * STEPS[2]));
    let cost = length.min(to).saturating_sub(from);
    line.worth.max(0.0) * STEP_WORTH.powi(step as i32) / discount(cost + OVERHEAD)
}

fn is_blank(text: &str, line: &Line) -> bool {
    text[line.start as usize..line.end as usize].bytes().all(|b| b.is_ascii_whitespace())
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}
