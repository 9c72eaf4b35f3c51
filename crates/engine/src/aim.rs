//! Several limits, and limits in tokens, kept by a plan that counts in one unit.
//!
//! The plan's costs are exact in characters, bytes and lines. Of the limits that the input is over, the first is planned for, and the text that
//! comes of it is measured in every other: where that is too much the plan aims lower, where much is left it aims higher, a few times at most.
//! Tokens are no sum over characters: they are planned for in bytes, as many as a token of the input takes.

use crate::budget::{Budget, Unit};

/// A text that uses this share of a limit is as good as one that uses it all.
const ENOUGH: f64 = 0.95;
/// What an aim is raised to, of what would use all: costs are not quite the same all over.
const CAUTION: f64 = 0.985;
/// How often a text that is within the limits is tried to be bettered.
const MAX_RAISES: usize = 3;
/// A unit that is over by half is the one to plan in.
const FAR: usize = 2;
/// Limits below this are planned in their own unit, since a few markers decide.
const SMALL: usize = 400;

/// What the plan aims at.
pub(crate) struct Aim {
    /// The unit that is planned in: no tokens.
    pub(crate) unit: Unit,
    /// How much of it.
    pub(crate) limit: usize,
    /// What the limits allow of it, as far as that is known beforehand.
    most: usize,
    /// The highest aim that was within all limits, the lowest that was not.
    held: usize,
    failed: usize,
    raises: usize,
    turned: bool,
}

impl Aim {
    /// The aim at a limit of the budget that `input` is over.
    pub(crate) fn at(unit: Unit, limit: usize, budget: &Budget, input: &str) -> Self {
        let (unit, limit, most) = match unit {
            Unit::Tokens(encoding) => {
                let bytes = (limit as f64 * encoding.bytes_per_token(input)) as usize;
                (Unit::Bytes, bytes, if encoding.is_estimate() { bytes } else { budget.bytes.unwrap_or(usize::MAX) })
            }
            _ => (unit, limit, limit),
        };
        Self { unit, limit: limit.min(most), most, held: 0, failed: usize::MAX, raises: 0, turned: false }
    }

    /// A text of this aim was within all limits, and used this share of the one that is nearest. Whether a higher aim is worth trying.
    pub(crate) fn raise(&mut self, used: f64) -> bool {
        self.held = self.limit;
        let whole = (self.limit as f64 * CAUTION / used.max(0.1)) as usize;
        self.go_on(used < ENOUGH, whole.min(self.most))
    }

    /// A text of this aim took `size` where `limit` is allowed in `unit`. Whether a lower aim may do.
    pub(crate) fn lower(&mut self, unit: Unit, limit: usize, size: usize, budget: &Budget, input: &str) -> bool {
        self.failed = self.failed.min(self.limit);
        let share = (self.limit as f64 * limit as f64 / size.max(1) as f64) as usize;
        if self.held > 0 {
            return self.go_on(true, share);
        }
        if unit == self.unit {
            self.limit = self.limit.saturating_sub(size - limit);
        } else if !self.turned && !matches!(unit, Unit::Tokens(_)) && (FAR * (size - limit) > limit || limit < SMALL) {
            *self = Self { turned: true, ..Self::at(unit, limit, budget, input) };
        } else {
            self.limit = share.min(self.limit.saturating_sub(1));
        }
        true
    }

    /// The next aim, between the highest that held and the lowest that did not.
    fn go_on(&mut self, worthwhile: bool, next: usize) -> bool {
        let next = if next > self.held && next < self.failed { next } else { usize::midpoint(self.held, self.failed.min(self.most)) };
        self.raises += 1;
        self.limit = next;
        worthwhile && self.raises <= MAX_RAISES && next > self.held
    }
}
