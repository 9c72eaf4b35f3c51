//! Several text blocks of one MCP result, sharing a budget.

use crate::budget::{Budget, Unit, count_chars, measure, measure_to};
use crate::error::Error;
use crate::fit::fit;
use crate::marker::Marks;
use crate::meter::Meter;
use crate::notice::{Draft, MAX_CHARS};
use crate::options::{Base, Notice, Options};
use crate::report::Report;

/// The fitted text blocks of an MCP `CallToolResult`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    /// For each block its new text, or `None` where it stays as it was.
    pub texts: Vec<Option<String>>,
    /// The notice object as JSON, for `_meta.truncation`, and the text of one more last block that carries it; `None` where the notice stands
    /// inside the only shortened block, or nothing was cut.
    pub notice: Option<(String, String)>,
    /// What was cut, over all blocks.
    pub report: Report,
}

/// Fits the text blocks of an envelope. They share the budget, large ones giving way first: small blocks stay whole.
///
/// # Errors
/// As [`fit`].
pub fn fit_blocks(texts: &[&str], options: &Options) -> Result<Blocks, Error> {
    fit_blocks_at(texts, &[], options)
}

/// As [`fit_blocks`], with the place of each text in the original: cuts are named as seen from there.
///
/// # Errors
/// As [`fit`].
pub fn fit_blocks_at(texts: &[&str], bases: &[Base], options: &Options) -> Result<Blocks, Error> {
    let base = |at: usize| bases.get(at).cloned().unwrap_or_default();
    options.validate()?;
    let mut report = Report { input_chars: texts.iter().map(|t| count_chars(t.as_bytes())).sum(), fits: true, ..Report::default() };
    report.budget = options.budget.limits().next().map_or(0, |l| l.1);
    report.kind = "envelope";
    let over = options.budget.limits().any(|(unit, limit)| texts.iter().map(|t| measure_to(t, unit, limit)).sum::<usize>() > limit);
    if !over {
        report.complete = true;
        report.output_chars = report.input_chars;
        return Ok(Blocks { texts: vec![None; texts.len()], notice: None, report });
    }
    let kept_free = |room: usize| {
        options
            .budget
            .map(|unit, limit| limit.saturating_sub(if unit == Unit::Lines { usize::from(room > 0) } else { unit.of_chars(room) }))
    };
    // One block that is an object carries its notice itself.
    let large: Vec<usize> = shares(texts, &options.budget).iter().enumerate().filter(|s| s.1.is_some()).map(|s| s.0).collect();
    if let [only] = large[..]
        && (is_open_object(texts[only]) || options.notice.is_none())
    {
        let others = |unit: Unit| texts.iter().enumerate().filter(|t| t.0 != only).map(|t| measure(t.1, unit)).sum::<usize>();
        let budget = options.budget.map(|unit, limit| limit.saturating_sub(others(unit)).max(1));
        let mut options = options.clone();
        if let Some(recovery) = options.notice.as_mut().and_then(|notice| notice.recovery.as_mut()) {
            recovery.base = base(only);
        }
        let mut fitted = fit(texts[only], &Options { budget, ..options.clone() }).map_err(|e| of_whole(e, &options))?;
        if options.notice.as_ref().is_none_or(|notice| notice.recovery.is_none()) {
            fitted.report.rebase(&base(only));
        }
        let mut out = vec![None; texts.len()];
        out[only] = Some(fitted.text);
        return Ok(settle(texts, out, None, report, vec![fitted.report]));
    }
    // The sign of the markers is named where it is not the usual one.
    let marks: Vec<Marks> = large.iter().map(|&at| Marks::for_input(texts[at])).collect();
    let sign = marks.iter().find_map(Marks::unusual);
    let (least, most) = match &options.notice {
        Some(notice) => {
            draft(notice, options, sign).reserve(options.budget.limits().map(|l| l.1).min().unwrap_or(0), &Meter::new(Unit::Chars))
        }
        None => (0, 0),
    };
    let mut last = None;
    for reserve in [most, least] {
        let frame = if options.notice.is_some() { "{\"truncation\":}".len() } else { 0 };
        let budget = kept_free(reserve + frame);
        let shares = shares(texts, &budget);
        let mut out = Vec::with_capacity(texts.len());
        let mut parts = Vec::new();
        for ((at, text), share) in texts.iter().enumerate().zip(shares) {
            let Some(share) = share else {
                out.push(None);
                continue;
            };
            match fit(text, &Options { budget: share, notice: None, notice_chars: 0, ..options.clone() }) {
                Ok(mut fitted) => {
                    fitted.report.rebase(&base(at));
                    parts.push(fitted.report);
                    out.push(Some(fitted.text));
                }
                Err(error) => {
                    last = Some(error);
                    break;
                }
            }
        }
        if out.len() < texts.len() {
            continue;
        }
        let mut blocks = settle(texts, out, None, report.clone(), parts);
        if let Some(notice) = options.notice.as_ref().filter(|_| blocks.report.lost()) {
            let object = draft(notice, options, sign).fill(&blocks.report, reserve.min(MAX_CHARS), &Meter::new(Unit::Chars));
            let block = format!("{{\"truncation\":{object}}}");
            blocks.report.output_chars += count_chars(block.as_bytes());
            blocks.notice = Some((object, block));
        }
        // A share is at least one of each unit, so that many blocks may ask for more than there is.
        let block = blocks.notice.as_ref().map(|n| n.1.as_str());
        let size = |unit| {
            blocks
                .texts
                .iter()
                .zip(texts)
                .map(|(new, old)| new.as_deref().unwrap_or(old))
                .chain(block)
                .map(|t| measure(t, unit))
                .sum::<usize>()
        };
        let over = options.budget.limits().find_map(|(unit, limit)| Some((unit, limit, size(unit))).filter(|o| o.2 > limit));
        let Some((unit, budget, needed)) = over else { return Ok(blocks) };
        last = Some(Error::BudgetTooSmall { budget, needed, unit, with_notice: options.notice.is_some() });
    }
    Err(last.map_or_else(
        || Error::BudgetTooSmall { budget: report.budget, needed: report.budget + 1, unit: Unit::Chars, with_notice: true },
        |error| of_whole(error, options),
    ))
}

/// The error of a share as one of the whole: what the share was too small by, so was the whole.
fn of_whole(error: Error, options: &Options) -> Error {
    match error {
        Error::BudgetTooSmall { budget, needed, unit, .. } => {
            let whole = options.budget.limits().find(|l| l.0 == unit).map_or(budget, |l| l.1);
            Error::BudgetTooSmall {
                budget: whole,
                needed: whole + needed.saturating_sub(budget),
                unit,
                with_notice: options.notice.is_some(),
            }
        }
        other => other,
    }
}

fn draft<'n>(notice: &'n Notice, options: &Options, sign: Option<&'n str>) -> Draft<'n> {
    let words = options.budget.limits().map(|(unit, limit)| format!("{limit} {unit}")).collect::<Vec<_>>().join(", ");
    Draft::new(notice, words, sign)
}

fn settle(texts: &[&str], out: Vec<Option<String>>, notice: Option<(String, String)>, mut report: Report, parts: Vec<Report>) -> Blocks {
    for part in parts {
        for lever in &part.levers {
            if !report.levers.contains(lever) {
                report.levers.push(lever);
            }
        }
        report.absorb(part);
    }
    report.settle();
    report.complete = !report.lost();
    report.pruned = report.lost();
    report.output_chars = texts.iter().zip(&out).map(|(old, new)| count_chars(new.as_deref().unwrap_or(old).as_bytes())).sum();
    Blocks { texts: out, notice, report }
}

fn is_open_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && crate::json::scan::scan(text)
            .is_some_and(|index| !index.children(0).any(|c| index.name(index.nodes[c as usize].key) == "truncation"))
}

/// What each block may take; `None` for those that stay whole. In every unit the largest give way until the rest fits (max-min fair).
fn shares(texts: &[&str], budget: &Budget) -> Vec<Option<Budget>> {
    let level = |unit: Unit, limit: usize| -> usize {
        let mut sizes: Vec<usize> = texts.iter().map(|t| measure_to(t, unit, limit)).collect();
        sizes.sort_unstable();
        let (mut left, mut count) = (limit, sizes.len());
        for size in sizes {
            if size > left / count {
                return left / count;
            }
            left -= size;
            count -= 1;
        }
        usize::MAX
    };
    let levels = budget.map(level);
    let at_least_one = levels.map(|_, level| level.max(1));
    texts.iter().map(|text| (!levels.holds(text)).then_some(at_least_one)).collect()
}
