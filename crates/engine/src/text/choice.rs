//! Choosing among lines whose gaps say what went: tables, listings, search results, metrics.
//!
//! Like [`super::lines::choose`], but each kind writes its lines in its own form (padding squeezed, wide cells cut) and tells in a few words what
//! a gap held. A gap costs `… 12` at first; what is left in the end goes to the telling, the largest gap first: `… 389 lines omitted (state ok×389)`.

use std::collections::BTreeSet;

use super::discount::discount;
use super::lines::{Line, NONE, shorten_line};
use super::{Ask, explain};
use crate::order::{Order as _, Ranked, best_first};
use crate::report::{Amount, Omitted, Place, Report};

/// Headings above headings, at most so many.
const MAX_CHAIN: usize = 32;
/// Lines that do not fit are passed over, this many in a row, once no more than one part in so many of the limit is left.
const MAX_MISSES: usize = 400;
const LEFT: usize = 32;
/// Lines and the telling of gaps give each other what they leave, so often.
const MAX_ROUNDS: usize = 8;
/// A marker longer than this is not read.
const MAX_MARKER: usize = 190;
/// Gaps that are described at the most.
const MAX_TOLD: usize = 400;

/// Neighbouring lines that were left out: the first, and the one after the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// How a kind writes its lines and its gaps.
pub(crate) trait Form {
    /// Writes a line, if its form allows within `room` by the meter; says whether something of it was cut.
    fn line(&self, at: usize, room: usize, out: &mut String) -> bool;
    /// Whether what a gap held is to be told before the others'.
    fn urgent(&self, _gap: &Gap) -> bool {
        false
    }
    /// What each gap held, in pieces, the most telling first. The urgent gaps come first, then the largest.
    fn tell(&self, gaps: &[Gap]) -> Vec<Vec<String>>;
    /// Lines of the text before line `at`, where a line is more than one.
    fn number(&self, at: usize) -> usize {
        at
    }
    /// A line costs at first at most so much of itself.
    fn long(&self) -> usize {
        240
    }
    /// The share of the limit that is kept free for telling, as its divisor.
    fn reserve(&self) -> usize {
        8
    }
}

/// Writes a line as it stands, shortened to `room`.
pub(crate) fn write_plain(line: &str, room: usize, ask: &Ask<'_>, out: &mut String) -> bool {
    if room == usize::MAX || line.len() <= room && !ask.meter.counts_lines() || ask.meter.cost(line.as_bytes()) <= room {
        out.push_str(line);
        return false;
    }
    shorten_line(line, room, ask, out);
    true
}

/// The chosen lines as text, with a marker line in each gap; `None` if not even a marker fits.
pub(crate) fn choose(lines: &[Line], form: &impl Form, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let newline = ask.meter.byte(b'\n');
    // One newline more than lines is counted; a trailing one is never written.
    let limit = ask.limit + newline;
    let digit = ask.meter.byte(b'1');
    let gap = ask.meter.cost(ask.marks.gap(1).as_bytes()) - digit + newline;
    let rooms = vec![0; lines.len()];
    let mut plan = Plan {
        lines,
        form,
        ask,
        rooms,
        kept: BTreeSet::new(),
        around: Around::default(),
        used: 0,
        gap,
        digit,
        newline,
        long: form.long(),
        scratch: String::new(),
        held: Held::default(),
    };
    plan.used = plan.between(None, None);
    if lines.is_empty() || plan.used > limit {
        return None;
    }
    explain::leave(lines, |line| density(line, form.long()), |at| form.number(at) + 1, ask);
    let mut order = Ranked::new(lines.iter().enumerate().map(|(at, line)| (density(line, form.long()), at as u32)));
    let kept_free = if limit < 200 { 0 } else { limit / form.reserve() };
    plan.take(&mut order, limit - kept_free);
    plan.widen(limit - kept_free);
    plan.fill(limit - kept_free);
    // What the telling leaves goes to more lines, and what they leave to the telling of the gaps that are then there.
    let most = limit / form.reserve();
    let (_, mut told) = plan.tell(most.min(limit - plan.used));
    for _ in 0..MAX_ROUNDS {
        let before = (plan.used, plan.kept.len(), told);
        plan.take(&mut order, limit - told);
        plan.fill(limit - told);
        plan.widen(limit - told);
        (_, told) = plan.tell(most.min(limit - plan.used));
        if (limit - plan.used - told) * LEFT < limit || before == (plan.used, plan.kept.len(), told) {
            break;
        }
    }
    let (markers, _) = plan.tell(limit - plan.used);
    Some(plan.write(&markers, report))
}

/// What a line is worth, its cost taken into account.
fn density(line: &Line, long: usize) -> f32 {
    let cost = ((line.end - line.start) as usize).min(long) + 8;
    line.worth / discount(cost)
}

/// Which lines stay, and what they may cost each.
struct Plan<'p, F> {
    lines: &'p [Line],
    form: &'p F,
    ask: &'p Ask<'p>,
    /// 0 for a line that goes.
    rooms: Vec<u32>,
    kept: BTreeSet<u32>,
    /// The kept lines around the place that was looked at last, until another line is kept there: many lines of one worth stand side by side.
    around: Around,
    used: usize,
    /// What a marker costs besides its digits, and each of those.
    gap: usize,
    digit: usize,
    newline: usize,
    long: usize,
    scratch: String,
    held: Held,
}

/// The kept lines next to a gap.
#[derive(Clone, Copy, Default)]
struct Around {
    before: Option<u32>,
    after: Option<u32>,
}

impl Around {
    fn holds(self, at: u32) -> bool {
        self.before.is_none_or(|before| before < at) && self.after.is_none_or(|after| at < after)
    }
}

/// What the gaps hold, as their form tells it.
#[derive(Default)]
struct Held {
    gaps: Vec<Gap>,
    /// The gaps that are told, by number, in the order of their telling.
    order: Vec<usize>,
    pieces: Vec<Vec<String>>,
}

impl<F: Form> Plan<'_, F> {
    fn cost(&mut self, at: usize, room: usize) -> (usize, bool) {
        self.scratch.clear();
        let cut = self.form.line(at, room, &mut self.scratch);
        (self.ask.meter.cost(self.scratch.as_bytes()) + self.newline, cut)
    }

    fn kept(&self, at: usize) -> bool {
        self.rooms.get(at).is_none_or(|&r| r > 0)
    }

    fn keep(&mut self, at: usize) {
        self.rooms[at] = self.long as u32;
        self.kept.insert(at as u32);
        if self.around.holds(at as u32) {
            self.around.before = Some(at as u32);
        }
    }

    /// What the marker between two kept lines costs, or between one and an end of the text.
    fn between(&self, before: Option<usize>, after: Option<usize>) -> usize {
        let (from, to) = (before.map_or(0, |b| b + 1), after.unwrap_or(self.lines.len()));
        if from >= to {
            return 0;
        }
        let count = self.form.number(to) - self.form.number(from);
        self.gap + self.digit * (count.checked_ilog10().unwrap_or(0) as usize + 1)
    }

    /// What the markers cost more where a line is kept.
    fn gaps_at(&mut self, at: usize) -> isize {
        let line = at as u32;
        if !self.around.holds(line) {
            self.around =
                Around { before: self.kept.range(..line).next_back().copied(), after: self.kept.range(line + 1..).next().copied() };
        }
        let [before, after] = [self.around.before, self.around.after].map(|line| line.map(|line| line as usize));
        (self.between(before, Some(at)) + self.between(Some(at), after)) as isize - self.between(before, after) as isize
    }

    /// Takes lines in their order, each with those it stands under, as long as they fit.
    fn take(&mut self, order: &mut Ranked, limit: usize) {
        let mut misses = 0;
        let mut chain = Vec::new();
        // A line costs something: more than this cannot be kept.
        let most = limit.saturating_add(2 * MAX_MISSES);
        for at in (0..most).map_while(|nth| order.get(nth)) {
            if self.rooms[at as usize] > 0 {
                continue;
            }
            chain.clear();
            let mut next = at;
            while next != NONE && self.rooms[next as usize] == 0 && chain.len() < MAX_CHAIN {
                chain.push(next);
                next = self.lines[next as usize].under;
            }
            let mut done = false;
            for line in chain.iter().rev().map(|&l| l as usize) {
                let (cost, _) = self.cost(line, self.long);
                let Some(total) = (self.used + cost).checked_add_signed(self.gaps_at(line)) else { continue };
                if total > limit {
                    break;
                }
                self.used = total;
                self.keep(line);
                done = true;
            }
            misses = if done { 0 } else { misses + 1 };
            if misses > MAX_MISSES && limit.saturating_sub(self.used) * LEFT < limit {
                break;
            }
        }
    }

    /// Gives what is left to the lines that were cut, the most valuable first.
    fn widen(&mut self, limit: usize) {
        let mut kept: Vec<(f32, u32)> = self.kept.iter().map(|&at| (density(&self.lines[at as usize], self.long), at)).collect();
        best_first(&mut kept, usize::MAX);
        for at in kept.into_iter().map(|line| line.1 as usize) {
            if self.used >= limit {
                break;
            }
            if self.rooms[at] != self.long as u32 {
                continue;
            }
            let (before, cut) = self.cost(at, self.long);
            if !cut {
                continue;
            }
            let room = (before + limit - self.used).saturating_sub(self.newline);
            for room in [usize::MAX, room] {
                let (cost, _) = self.cost(at, room);
                if room > self.long && self.used + cost <= limit + before {
                    self.used = self.used + cost - before;
                    self.rooms[at] = room.min(u32::MAX as usize) as u32;
                    break;
                }
            }
        }
    }

    /// Fills the gaps whose lines cost no more than their marker, or that what is left can hold.
    fn fill(&mut self, limit: usize) {
        for Gap { from, to } in self.gaps() {
            let gap = self.between(from.checked_sub(1), Some(to).filter(|&to| to < self.lines.len()));
            let most = gap + limit.saturating_sub(self.used).min(self.long);
            let mut cost = 0;
            for at in from..to {
                cost += self.cost(at, self.long).0;
                if cost > most {
                    break;
                }
            }
            if cost <= most && self.used + cost <= limit + gap {
                self.used = self.used + cost - gap;
                (from..to).for_each(|at| self.keep(at));
            }
        }
    }

    fn gaps(&self) -> Vec<Gap> {
        let mut gaps = Vec::new();
        let mut open = None;
        for at in 0..=self.rooms.len() {
            if !self.kept(at) {
                open.get_or_insert(at);
            } else if let Some(from) = open.take() {
                gaps.push(Gap { from, to: at });
            }
        }
        gaps
    }

    /// Asks the form what the gaps hold, where they are others than the last time.
    fn hold(&mut self) {
        let gaps = self.gaps();
        if gaps == self.held.gaps {
            return;
        }
        let mut order: Vec<usize> = (0..gaps.len()).collect();
        let calm: Vec<bool> = gaps.iter().map(|gap| !self.form.urgent(gap)).collect();
        order.order_by_key(|&g| (calm[g], std::cmp::Reverse(gaps[g].to - gaps[g].from), g));
        order.truncate(MAX_TOLD);
        let told: Vec<Gap> = order.iter().map(|&g| gaps[g]).collect();
        self.held = Held { pieces: self.form.tell(&told), gaps, order };
    }

    /// The markers of the gaps in their order, and what they cost together beyond their short form.
    fn tell(&mut self, room: usize) -> (Vec<String>, usize) {
        self.hold();
        let Held { gaps, order, pieces } = &self.held;
        let count = |gap: &Gap| self.form.number(gap.to) - self.form.number(gap.from);
        let mut markers: Vec<String> = gaps.iter().map(|gap| self.ask.marks.gap(count(gap))).collect();
        let cost = |text: &str| self.ask.meter.cost(text.as_bytes());
        let mut told = 0;
        for (rank, (&g, pieces)) in order.iter().zip(pieces).enumerate() {
            let replaced = (self.lines[gaps[g].to - 1].end - self.lines[gaps[g].from].start) as usize;
            let short = cost(&markers[g]);
            let mut what = String::new();
            // One marker that says in full what a marker is will do; the others are longer only where they tell something.
            for round in usize::from(rank > 0)..=pieces.len() {
                let before = what.len();
                if let Some(piece) = round.checked_sub(1).map(|at| &pieces[at]) {
                    what.push_str(if what.is_empty() || what.ends_with(':') { "" } else { "; " });
                    if what.ends_with(':') {
                        what.push(' ');
                    }
                    what.push_str(piece);
                }
                let said = what.trim_end_matches(':');
                let marker = if rank == 0 {
                    self.ask.marks.lines(count(&gaps[g]), said)
                } else {
                    format!("{} ({said})", self.ask.marks.gap(count(&gaps[g])))
                };
                let more = cost(&marker).saturating_sub(cost(&markers[g]));
                if marker.len() > replaced.max(if rank == 0 { 24 } else { 0 })
                    || marker.chars().count() > MAX_MARKER
                    || told + more > room
                    || cost(&marker) < short
                {
                    what.truncate(before);
                    // A list with a hole would look whole.
                    if before > 0 && !what.ends_with(':') {
                        break;
                    }
                    continue;
                }
                told += more;
                markers[g] = marker;
            }
        }
        (markers, told)
    }

    fn write(&self, markers: &[String], report: &mut Report) -> String {
        let mut out = String::new();
        let mut markers = markers.iter();
        let mut first = true;
        let mut at = 0;
        while at < self.rooms.len() {
            if !std::mem::take(&mut first) {
                out.push('\n');
            }
            if self.rooms[at] > 0 {
                let room = if self.rooms[at] == u32::MAX { usize::MAX } else { self.rooms[at] as usize };
                report.strings_truncated += usize::from(self.form.line(at, room, &mut out));
                at += 1;
                continue;
            }
            let from = at;
            while at < self.rooms.len() && self.rooms[at] == 0 {
                at += 1;
            }
            out.push_str(markers.next().map_or("", String::as_str));
            let (from, to) = (self.form.number(from), self.form.number(at));
            report.lines_omitted += to - from;
            report.omitted.push(Omitted { place: Place::Lines(from + 1, to), amount: Amount::Items(to - from), lever: "lines" });
        }
        out
    }
}
