//! The pipeline: measure, detect, fit as what it is, write the notice into what is left.

use std::borrow::Cow;

use crate::aim::Aim;
use crate::budget::{Unit, count_chars, measure, measure_to};
use crate::detect::{Kind, Sample, detect, detect_text};
use crate::error::Error;
use crate::explain::Trace;
use crate::json::index::{Index, Type};
use crate::json::{
    self,
    scan::{scan, scan_lines},
};
use crate::marker::Marks;
use crate::meter::{Meter, escape_into};
use crate::notice::Draft;
use crate::options::{Layout, Notice, NoticeForm, Options};
use crate::query;
use crate::report::{Amount, Omitted, Place, Report};
use crate::text::{self, Ask};
use crate::words::Finder;

/// A fitted text and what was cut from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    /// The text, within the budget in every unit.
    pub text: String,
    /// What was cut. Where `complete` is true nothing was, and the text has no notice.
    pub report: Report,
}

/// Fits `input` into the budget of `options`.
///
/// An input within the budget comes back as it was. JSON stays JSON of the same type; text keeps its form.
///
/// # Errors
/// [`Error::BudgetTooSmall`] where not even the smallest preview fits, with the least that would do; [`Error::InvalidOption`].
///
/// ```
/// use snugfit_engine::{Budget, Options, fit};
/// let list: Vec<String> = (0..500).map(|i| format!("{{\"id\":{i},\"state\":\"open\"}}")).collect();
/// let fitted = fit(&format!("[{}]", list.join(",")), &Options::new(Budget::chars(400))).unwrap();
/// assert!(fitted.text.chars().count() <= 400 && fitted.text.contains("omitted"));
/// ```
pub fn fit(input: &str, options: &Options) -> Result<Fitted, Error> {
    fit_traced(input, options, None)
}

/// As [`fit`], leaving on the way what was judged.
pub(crate) fn fit_traced(input: &str, options: &Options, trace: Option<&Trace>) -> Result<Fitted, Error> {
    options.validate()?;
    let error = match attempt(input, options, trace) {
        Err(Error::BudgetTooSmall { budget, needed, unit, with_notice }) => (budget, needed, unit, with_notice),
        other => return other,
    };
    // What is said to do is tried, so that it does.
    let (budget, mut needed, unit, with_notice) = error;
    for _ in 0..MAX_TRIES {
        let mut larger = options.clone();
        larger.budget.set(unit, needed);
        match attempt(input, &larger, None) {
            Err(Error::BudgetTooSmall { needed: more, unit: same, .. }) if same == unit => needed = more.max(needed + needed / 8 + 1),
            _ => break,
        }
    }
    Err(Error::BudgetTooSmall { budget, needed, unit, with_notice })
}

/// How often another limit is tried: where the text that comes of one is not within all, and where a budget that is said to do does not.
const MAX_TRIES: usize = 12;

fn attempt(input: &str, options: &Options, trace: Option<&Trace>) -> Result<Fitted, Error> {
    let mut report = Report { input_chars: count_chars(input.as_bytes()), fits: true, ..Report::default() };
    report.budget = options.budget.limits().next().map_or(0, |l| l.1);
    let size = |unit, limit| if unit == Unit::Chars { report.input_chars } else { measure_to(input, unit, limit) };
    let over = options.budget.limits().find(|&(unit, limit)| size(unit, limit) > limit);
    let Some((unit, limit)) = over else {
        report.complete = true;
        report.kind = detect(input).name();
        report.output_chars = report.input_chars;
        return Ok(Fitted { text: input.to_owned(), report });
    };
    let source = Source::new(input, options, trace);
    let mut aim = Aim::at(unit, limit, &options.budget, input);
    let first = aim.unit;
    let mut best = None;
    for _ in 0..MAX_TRIES {
        let Ok(fitted) = source.fit(aim.unit, aim.limit, report.clone()) else { break };
        let again = match source.over(&fitted.text) {
            Some((unit, limit, size)) => aim.lower(unit, limit, size, &options.budget, input),
            None => {
                let used = source.used(&fitted.text);
                best = Some(fitted);
                aim.raise(used)
            }
        };
        if !again {
            break;
        }
    }
    if let Some(fitted) = best {
        return Ok(fitted);
    }
    let fitted = source.least_of_all(first, &report)?;
    match source.over(&fitted.text) {
        Some((unit, budget, size)) => {
            // The notice names the budget: a larger one may have more digits.
            let digits = size.to_string().len().saturating_sub(budget.to_string().len());
            Err(Error::BudgetTooSmall { budget, needed: size + 2 * digits, unit, with_notice: options.notice.is_some() })
        }
        None => Ok(fitted),
    }
}

/// Fits bytes that may not be UTF-8: what is not becomes U+FFFD and is counted in the report.
pub fn fit_bytes(input: &[u8], options: &Options) -> Result<Fitted, Error> {
    match String::from_utf8_lossy(input) {
        Cow::Borrowed(text) => fit(text, options),
        Cow::Owned(text) => {
            let mut fitted = fit(&text, options)?;
            fitted.report.replaced += memchr::memmem::find_iter(text.as_bytes(), "\u{fffd}").count();
            Ok(fitted)
        }
    }
}

/// An input, and what is found out about it once.
struct Source<'s> {
    input: &'s str,
    options: &'s Options,
    kind: Kind,
    index: Option<Index<'s>>,
    finder: Finder,
    marks: Marks,
    trace: Option<&'s Trace>,
}

/// Where the notice stands, and what its frame costs besides it.
enum Frame {
    /// In an object, as its last key.
    Key,
    /// In an array, as its last element.
    Element,
    /// After a text, on a line of its own.
    Line,
    /// In an envelope: preview and notice are text blocks.
    Envelope,
}

impl<'s> Source<'s> {
    fn new(input: &'s str, options: &'s Options, trace: Option<&'s Trace>) -> Self {
        let mut kind = detect(input);
        let index = if kind.may_be_json(input) { scan(input).or_else(|| scan_lines(input)) } else { None };
        if let Some(index) = &index {
            kind = if index.stream { Kind::Ndjson } else { Kind::Json };
        } else if kind == Kind::Json {
            kind = detect_text(&Sample::new(input));
        }
        Self { input, options, kind, index, finder: Finder::new(query::terms(options)), marks: Marks::for_input(input), trace }
    }

    fn fit(&self, unit: Unit, limit: usize, mut report: Report) -> Result<Fitted, Error> {
        let meter = Meter::new(unit);
        report.kind = self.kind.name();
        // Line feeds are one fewer than lines.
        let aside = kept_free(self.options, unit) + usize::from(unit == Unit::Lines);
        let budget = limit;
        let limit = limit.saturating_sub(aside);
        let too_small = |needed: usize| Error::BudgetTooSmall {
            budget,
            needed: (needed + aside).max(budget + 1),
            unit,
            with_notice: self.options.notice.is_some(),
        };
        let Some(notice) = &self.options.notice else {
            let text = self.preview(&meter, limit, &mut report).ok_or_else(|| too_small(self.least(&meter)))?;
            self.name_cuts(&text, &mut report);
            return Ok(finish(text, report));
        };
        let frame = self.frame(notice);
        let words = self.options.budget.limits().map(|(unit, limit)| format!("{limit} {unit}")).collect::<Vec<_>>().join(", ");
        let draft = Draft::new(notice, words, self.marks.unusual());
        let inner = if matches!(frame, Frame::Envelope) { meter.escaped() } else { meter.clone() };
        let around = meter.cost(frame.around().as_bytes());
        let (least, most) = draft.reserve(limit, &meter);
        // In an envelope the notice stands twice: as a text block and in `_meta`.
        let notice_cost = |object: usize| if matches!(frame, Frame::Envelope) { 2 * object + object / 4 + 40 } else { object };
        let mut last = None;
        for reserve in [most, least] {
            let Some(room) = limit.checked_sub(notice_cost(reserve) + around) else { continue };
            let mut cuts = report.clone();
            let Some(text) = self.preview(&inner, room, &mut cuts) else { continue };
            if !cuts.lost() {
                return Ok(finish(text, cuts));
            }
            self.name_cuts(&text, &mut cuts);
            if let Some(recovery) = &notice.recovery {
                cuts.rebase(&recovery.base);
            }
            cuts.settle();
            let left = limit.saturating_sub(inner.cost(text.as_bytes()) + around);
            let mut object = draft.fill(&cuts, if matches!(frame, Frame::Envelope) { reserve } else { left.max(reserve) }, &meter);
            let mut whole = frame.write(&text, &object);
            if meter.cost(whole.as_bytes()) > limit {
                object = draft.fill(&cuts, least, &meter);
                whole = frame.write(&text, &object);
            }
            if meter.cost(whole.as_bytes()) <= limit {
                return Ok(finish(whole, cuts));
            }
            last = Some(meter.cost(whole.as_bytes()));
        }
        Err(too_small(last.unwrap_or(0).max(notice_cost(least) + around + self.least(&inner))))
    }

    /// Something was lost, so some place must be named where it can be read: the whole, where nothing smaller is known.
    fn name_cuts(&self, preview: &str, cuts: &mut Report) {
        if !cuts.lost() || !cuts.omitted.is_empty() {
            return;
        }
        let lost = cuts.input_chars.saturating_sub(count_chars(preview.as_bytes()));
        let place = match self.index {
            Some(_) => Place::Path(String::new()),
            None => Place::Lines(1, measure(self.input, Unit::Lines)),
        };
        cuts.omitted.push(Omitted { place, amount: Amount::Chars(lost), lever: "texts" });
    }

    /// The limits, with the size that `text` has in the unit of each.
    fn sizes(&self, text: &str) -> impl Iterator<Item = (Unit, usize, usize)> {
        self.options.budget.limits().map(move |(unit, limit)| (unit, limit, measure(text, unit) + kept_free(self.options, unit)))
    }

    /// The first limit that `text` does not keep.
    fn over(&self, text: &str) -> Option<(Unit, usize, usize)> {
        self.sizes(text).find(|&(_, limit, size)| size > limit)
    }

    /// The largest share of a limit that `text` takes.
    fn used(&self, text: &str) -> f64 {
        self.sizes(text).map(|(_, limit, size)| size as f64 / limit as f64).fold(0.0, f64::max)
    }

    /// The preview at the least limit in `unit` that can be planned for.
    fn least_of_all(&self, unit: Unit, report: &Report) -> Result<Fitted, Error> {
        let mut last = self.fit(unit, 1, report.clone());
        for _ in 0..8 {
            let Err(Error::BudgetTooSmall { needed, .. }) = last else { break };
            last = self.fit(unit, needed, report.clone());
        }
        last
    }

    fn frame(&self, notice: &Notice) -> Frame {
        let root = self.index.as_ref().filter(|index| !index.stream).map(|index| index.kind(0));
        match (root, notice.form) {
            (Some(Type::Object), _) if !self.has_truncation() => Frame::Key,
            (Some(Type::Array), NoticeForm::Inline) => Frame::Element,
            (None, NoticeForm::Inline) => Frame::Line,
            _ => Frame::Envelope,
        }
    }

    fn has_truncation(&self) -> bool {
        self.index.as_ref().is_some_and(|index| index.children(0).any(|c| index.name(index.nodes[c as usize].key) == "truncation"))
    }

    fn preview(&self, meter: &Meter, limit: usize, report: &mut Report) -> Option<String> {
        let ask = Ask { finder: &self.finder, meter, marks: &self.marks, limit, depth: 0, trace: self.trace };
        match &self.index {
            Some(index) => {
                let style = json::Style {
                    indent: self.options.indent,
                    lines: self.options.layout == Layout::Lines,
                    protect: &self.options.protect,
                    drop: &self.options.drop,
                };
                json::fit(index, style, &ask, report)
            }
            None => text::fit(self.input, self.kind, &ask, report),
        }
    }

    /// The least limit, by the meter, that a preview without its notice needs.
    fn least(&self, meter: &Meter) -> usize {
        let (mut low, mut high) = (0, 64);
        while high < 1 << 24 && self.preview(meter, high, &mut Report::default()).is_none() {
            low = high;
            high *= 2;
        }
        while low + 1 < high {
            let middle = usize::midpoint(low, high);
            if self.preview(meter, middle, &mut Report::default()).is_some() {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }
}

impl Frame {
    /// What stands around the notice object.
    fn around(&self) -> &'static str {
        match self {
            Self::Key => ",\"truncation\":",
            Self::Element => ",{\"truncation\":}",
            Self::Line => "\n\n{\"truncation\":}",
            Self::Envelope => {
                "{\"content\":[{\"type\":\"text\",\"text\":\"\"},{\"type\":\"text\",\"text\":\"\"}],\"_meta\":{\"truncation\":}}"
            }
        }
    }

    fn write(&self, text: &str, notice: &str) -> String {
        match self {
            Self::Key | Self::Element => {
                let cut = &text[..text.len() - 1];
                let comma = if cut.trim_start_matches('\u{feff}').len() > 1 { "," } else { "" };
                let (open, close) = if matches!(self, Self::Key) { ("\"truncation\":", "}") } else { ("{\"truncation\":", "}]") };
                format!("{cut}{comma}{open}{notice}{close}")
            }
            Self::Line => format!("{text}\n\n{{\"truncation\":{notice}}}"),
            Self::Envelope => {
                let mut out = String::from("{\"content\":[{\"type\":\"text\",\"text\":\"");
                escape_into(&mut out, text);
                out.push_str("\"},{\"type\":\"text\",\"text\":\"");
                escape_into(&mut out, &format!("{{\"truncation\":{notice}}}"));
                out.push_str("\"}],\"_meta\":{\"truncation\":");
                out.push_str(notice);
                out.push_str("}}");
                out
            }
        }
    }
}

/// What is left of a limit for a notice that the caller adds.
fn kept_free(options: &Options, unit: Unit) -> usize {
    unit.of_chars(options.notice_chars)
}

fn finish(text: String, mut report: Report) -> Fitted {
    report.settle();
    report.complete = !report.lost();
    report.pruned = !report.complete;
    report.output_chars = count_chars(text.as_bytes());
    if report.items_omitted > 0 {
        report.levers.push("records");
    }
    if report.keys_omitted > 0 {
        report.levers.push("fields");
    }
    if report.strings_truncated > 0 {
        report.levers.push("texts");
    }
    if report.lines_omitted > 0 {
        report.levers.push("lines");
    }
    Fitted { text, report }
}
