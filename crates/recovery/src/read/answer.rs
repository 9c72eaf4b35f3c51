//! An answer as it is written, and how it is brought within the budget.

use snugfit_engine::json::escape_into;
use snugfit_engine::{Budget, Options, Unit, fit, measure};

use crate::error::Error;

/// What surrounds a part: how much of what it is.
#[derive(Debug, Default)]
pub(super) struct About {
    pub(super) of: String,
    pub(super) matches: Option<usize>,
    pub(super) next_cursor: Option<String>,
}

impl About {
    /// The answer for JSON.
    pub(super) fn json(&self, part: &str) -> String {
        format!("{{\"part\":{part},{}", &self.line()[1..])
    }

    /// The answer for text: its lines, and what is said of them on the last one.
    pub(super) fn text(&self, lines: &str) -> String {
        if lines.is_empty() { self.line() } else { format!("{lines}\n{}", self.line()) }
    }

    fn line(&self) -> String {
        let mut out = String::from("{\"of\":");
        push_string(&mut out, &self.of);
        if let Some(matches) = self.matches {
            out.push_str(&format!(",\"matches\":{matches}"));
        }
        if let Some(cursor) = &self.next_cursor {
            out.push_str(&format!(",\"next_cursor\":\"{cursor}\""));
        }
        out.push('}');
        out
    }
}

/// Appends a text as a JSON string.
pub(super) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    escape_into(out, text);
    out.push('"');
}

/// The answer if it is within the budget, else what would do.
pub(super) fn within(answer: String, budget: &Budget) -> Result<String, Error> {
    let over = budget.limits().map(|(unit, limit)| (unit, limit, measure(&answer, unit))).find(|&(_, limit, size)| size > limit);
    match over {
        None => Ok(answer),
        Some((unit, budget, needed)) => Err(too_small(unit, budget, needed)),
    }
}

fn too_small(unit: Unit, budget: usize, needed: usize) -> Error {
    Error::RecoveryBudgetTooSmall { budget, needed, unit }
}

/// One value that is too large for a page by itself, shortened to what `frame` leaves of the budget. `write` puts it into its answer.
pub(super) fn shortened(value: &str, frame: &str, budget: &Budget, write: impl Fn(&str) -> String) -> Result<String, Error> {
    let mut left = budget.beside(frame);
    for _ in 0..6 {
        let Ok(fitted) = fit(value, &Options::new(left)) else { break };
        let answer = write(fitted.text.trim());
        if budget.holds(&answer) {
            return Ok(answer);
        }
        left = left.share(0.9);
    }
    within(write(&format!("\"…[+{} chars]\"", value.chars().count())), budget)
}

/// Roughly how many characters the budget holds; a measure for windows, never a promise.
pub(super) fn rough_chars(budget: &Budget) -> usize {
    let sizes = budget.limits().filter(|(unit, _)| *unit != Unit::Lines);
    sizes.map(|(unit, limit)| if matches!(unit, Unit::Chars | Unit::Bytes) { limit } else { limit.saturating_mul(3) }).min().unwrap_or(6000)
}
