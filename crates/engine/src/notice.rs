//! The notice: what was cut and how to get it back, in JSON, within what is left of the budget.
//!
//! Its cost is known before the text is fitted: the shortest form with every counter at its widest is reserved, and what the text leaves free is
//! filled up to [`MAX_CHARS`], the list of the largest cuts being the first to shrink. Message, report and id are never dropped.

use crate::call::{Argument, FIELD};
use crate::meter::{Meter, escape_into};
use crate::options::{Notice, Recovery};
use crate::report::{Amount, Place, Report};

/// A notice is at most this long, and its list of cuts this many entries.
pub(crate) const MAX_CHARS: usize = 600;
const MAX_OMITTED: usize = 5;
/// Share of a budget that a notice may take once the shortest form fits: one part in this many.
const SHARE: usize = 8;

/// A notice before its counters are known.
pub(crate) struct Draft<'n> {
    notice: &'n Notice,
    budget: String,
    marker: Option<&'n str>,
}

impl<'n> Draft<'n> {
    /// `budget` says the limit in words, `marker` the sign where it is not the usual one.
    pub(crate) fn new(notice: &'n Notice, budget: String, marker: Option<&'n str>) -> Self {
        Self { notice, budget, marker }
    }

    /// What the notice object may cost at least and at most, out of `limit`.
    pub(crate) fn reserve(&self, limit: usize, meter: &Meter) -> (usize, usize) {
        let widest = Report {
            items_omitted: 9_999_999,
            keys_omitted: 9_999_999,
            strings_truncated: 9_999_999,
            lines_omitted: 9_999_999,
            ..Report::default()
        };
        let least = meter.cost(self.object(&widest, Length::Short, 0).as_bytes());
        (least, (limit / SHARE).clamp(least, least.max(MAX_CHARS)))
    }

    /// The notice object, as full as `room` allows; the shortest form if it allows nothing.
    pub(crate) fn fill(&self, report: &Report, room: usize, meter: &Meter) -> String {
        let fits = |text: &String| meter.cost(text.as_bytes()) <= room && text.chars().count() <= MAX_CHARS;
        let forms = (0..=MAX_OMITTED).rev().map(|omitted| (Length::Long, omitted)).chain([(Length::Middle, 0)]);
        let mut texts = forms.map(|(length, omitted)| self.object(report, length, omitted.min(report.omitted.len())));
        texts.find(fits).unwrap_or_else(|| self.object(report, Length::Short, 0))
    }

    /// What the notice says where a call reads the original, or nothing does.
    fn message(&self, report: &Report, length: Length) -> String {
        match (&self.notice.recovery, length) {
            (Some(recovery), Length::Long) => {
                let (call, others) = example(recovery, report, Recovery::example);
                format!(
                    "Partial view, cut by snugfit to {}; absence here proves nothing. If the task needs a missing part, read just that: {call} (or {others}). Calling the tool again gives the same cut.",
                    self.budget
                )
            }
            (Some(recovery), Length::Middle) => {
                let (call, others) = example(recovery, report, Recovery::outline);
                format!("Partial view. Read a missing part: {call} (or {others})")
            }
            (Some(recovery), Length::Short) => format!("Partial; see {}", recovery.hint()),
            (None, Length::Long) => {
                format!(
                    "Partial view, cut by snugfit to {}; absence here proves nothing. The original is not kept: narrow the request to see a missing part.",
                    self.budget
                )
            }
            (None, Length::Middle | Length::Short) => "Partial view; the original is not kept.".to_owned(),
        }
    }

    /// What it says where the original is in a file.
    fn message_of_file(&self, file: &str, length: Length) -> String {
        match length {
            Length::Long => format!(
                "Partial view, cut by snugfit to {}; absence here proves nothing. The complete result of the tool, an MCP CallToolResult, is in {file}: read a missing part there, with jq or grep. Calling the tool again gives the same cut.",
                self.budget
            ),
            Length::Middle => {
                format!("Partial view. The complete result of the tool, an MCP CallToolResult, is in {FIELD}: read a missing part there.")
            }
            Length::Short => format!("Partial; see {FIELD}"),
        }
    }

    fn object(&self, report: &Report, length: Length, omitted: usize) -> String {
        let mut out = String::from("{\"complete\":false,\"message\":\"");
        let file = self.notice.recovery.as_ref().and_then(Recovery::file);
        let message = match &file {
            Some(file) => self.message_of_file(file, length),
            None => self.message(report, length),
        };
        escape_into(&mut out, &message);
        out.push_str("\",\"report\":{\"pruned\":true,\"fits\":true,\"items_omitted\":");
        out.push_str(&report.items_omitted.to_string());
        out.push_str(&format!(",\"keys_omitted\":{},\"strings_truncated\":{}", report.keys_omitted, report.strings_truncated));
        if report.lines_omitted > 0 {
            out.push_str(&format!(",\"lines_omitted\":{}", report.lines_omitted));
        }
        out.push('}');
        match (&self.notice.recovery, file) {
            (_, Some(file)) => {
                out.push_str(&format!(",\"{FIELD}\":\""));
                escape_into(&mut out, &file);
                out.push('"');
            }
            (Some(recovery), None) => out.push_str(&format!(",\"response_id\":\"{}\"", recovery.response_id)),
            (None, None) => {}
        }
        if let Some(marker) = self.marker {
            out.push_str(&format!(",\"marker\":\"{marker}\""));
        }
        if omitted > 0 {
            out.push_str(",\"omitted\":[");
            for (at, cut) in report.omitted.iter().take(omitted).enumerate() {
                if at > 0 {
                    out.push(',');
                }
                match &cut.place {
                    Place::Path(path) => {
                        out.push_str("{\"path\":\"");
                        // A path is made of keys as they are written, which are escaped already.
                        out.push_str(path);
                        out.push('"');
                    }
                    Place::Lines(from, to) => out.push_str(&format!("{{\"lines\":\"{from}-{to}\"")),
                }
                match cut.amount {
                    Amount::Items(n) => out.push_str(&format!(",\"items\":{n}}}")),
                    Amount::Chars(n) => out.push_str(&format!(",\"chars\":{n}}}")),
                }
            }
            out.push(']');
        }
        out.push('}');
        out
    }
}

/// How much a notice says.
#[derive(Clone, Copy)]
enum Length {
    /// Everything.
    Long,
    /// How a part that was cut is read.
    Middle,
    /// That there is a way.
    Short,
}

/// A place longer than this is no example.
const MAX_EXAMPLE: usize = 100;

/// The call that reads the largest cut, and the other ways.
fn example(recovery: &Recovery, report: &Report, call: fn(&Recovery, &Argument<'_>) -> String) -> (String, &'static str) {
    let found = report.omitted.iter().find_map(|cut| match &cut.place {
        // A path is made of keys as they are written, which are escaped already.
        Place::Path(path) if path.len() <= MAX_EXAMPLE && recovery.takes(path) => {
            Some((call(recovery, &Argument { name: "path", value: path }), "search, lines"))
        }
        Place::Path(_) => None,
        Place::Lines(from, to) => Some((call(recovery, &Argument { name: "lines", value: &format!("{from}-{to}") }), "search, path")),
    });
    found.unwrap_or_else(|| (call(recovery, &Argument { name: "search", value: "…" }), "path, lines"))
}
