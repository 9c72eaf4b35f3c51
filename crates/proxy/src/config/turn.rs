//! One allowance for the results of calls that a client makes at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use snugfit_recovery::Allowance;

use super::Period;

/// What the results of a turn may take together: the calls of a session that begin within a window of the first. Small results pass whole,
/// and what they leave goes to the larger ones in equal parts. The budget of each result holds as well. Not over HTTP without sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, try_from = "Limits")]
pub struct TurnBudget {
    /// Tokens, as the budget of each result counts them; this or `chars`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// Unicode characters; this or `tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chars: Option<usize>,
    /// How long after the first call of a turn others are still part of it, and the most that a large result waits for them.
    pub window: Period,
}

/// What the results of a turn may take together.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "TurnBudget")]
struct Limits {
    /// Tokens, as the budget of each result counts them; this or `chars`.
    tokens: Option<usize>,
    /// Unicode characters; this or `tokens`.
    chars: Option<usize>,
    /// How long after the first call of a turn others are still part of it, and the most that a large result waits for them.
    #[serde(default = "two_seconds")]
    window: Period,
}

fn two_seconds() -> Period {
    Period::seconds(2)
}

impl TryFrom<Limits> for TurnBudget {
    type Error = String;

    fn try_from(Limits { tokens, chars, window }: Limits) -> Result<Self, String> {
        let budget = Self { tokens, chars, window };
        let Some(allowance) = budget.of_one_unit() else {
            return Err("expected one of `tokens` and `chars`, such as { tokens: 30000 }".to_owned());
        };
        let least = allowance.least();
        if tokens.or(chars).is_some_and(|limit| limit < least) {
            return Err(format!("too small: a preview and its notice need at least {least}"));
        }
        Ok(budget)
    }
}

impl TurnBudget {
    fn of_one_unit(&self) -> Option<Allowance> {
        match (self.tokens, self.chars) {
            (Some(tokens), None) => Some(Allowance::Tokens(tokens)),
            (None, Some(chars)) => Some(Allowance::Chars(chars)),
            _ => None,
        }
    }

    /// The allowance.
    #[must_use]
    pub fn allowance(&self) -> Allowance {
        self.of_one_unit().unwrap_or(Allowance::Chars(usize::MAX))
    }
}
