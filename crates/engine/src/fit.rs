//! The pipeline: measure, detect, plan, write.

use crate::error::Error;
use crate::notice;
use crate::options::Options;
use crate::report::Report;

/// A fitted text and what was cut from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    /// The text, within the budget in every unit.
    pub text: String,
    /// What was cut.
    pub report: Report,
}

/// Fits `input` into the budget of `options`.
pub fn fit(input: &str, options: &Options) -> Result<Fitted, Error> {
    options.validate()?;
    let chars = input.chars().count();
    let mut report = Report { input_chars: chars, output_chars: chars, budget: options.budget.chars.unwrap_or(0), kind: "text", complete: true, fits: true, ..Report::default() };
    if options.budget.holds(input) {
        return Ok(Fitted { text: input.to_owned(), report });
    }
    report.complete = false;
    report.pruned = true;
    report.lines_omitted = 1;
    let tail = options.notice.as_ref().map(|n| notice::line(n, &report)).unwrap_or_default();
    let keep = report.budget.saturating_sub(tail.chars().count() + 40);
    let text: String = input.chars().take(keep).chain("\n… cut\n\n".chars()).chain(tail.chars()).collect();
    report.output_chars = text.chars().count();
    Ok(Fitted { text, report })
}

/// Fits bytes that may not be UTF-8: what is not becomes U+FFFD and is counted.
pub fn fit_bytes(input: &[u8], options: &Options) -> Result<Fitted, Error> {
    fit(&String::from_utf8_lossy(input), options)
}
