//! Limits on the text a model sees, and how text is measured against them.

use std::fmt;

use crate::tokens::{Encoding, estimate};

/// A unit in which text is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Unicode scalar values.
    Chars,
    /// UTF-8 bytes.
    Bytes,
    /// Lines: line feeds plus one, for text that is not empty.
    Lines,
    /// Tokens of an encoding.
    Tokens(Encoding),
}

impl Unit {
    /// What `chars` ASCII characters of JSON take in this unit at most, the lines aside.
    pub(crate) fn of_chars(self, chars: usize) -> usize {
        match self {
            Self::Chars | Self::Bytes => chars,
            Self::Lines => 0,
            Self::Tokens(encoding) if encoding.is_estimate() => estimate(chars),
            Self::Tokens(_) => chars.div_ceil(2),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chars => "characters",
            Self::Bytes => "bytes",
            Self::Lines => "lines",
            Self::Tokens(_) => "tokens",
        })
    }
}

/// One or more limits; all that are named must hold.
///
/// ```
/// use snugfit_engine::Budget;
/// let budget = Budget { chars: Some(6000), lines: Some(100), ..Budget::default() };
/// assert!(budget.holds("short"));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// At most this many Unicode scalar values.
    pub chars: Option<usize>,
    /// At most this many UTF-8 bytes.
    pub bytes: Option<usize>,
    /// At most this many lines.
    pub lines: Option<usize>,
    /// At most this many tokens of [`encoding`](Self::encoding).
    pub tokens: Option<usize>,
    /// How tokens are counted.
    pub encoding: Encoding,
}

impl Budget {
    /// A budget in characters, the usual one.
    #[must_use]
    pub fn chars(limit: usize) -> Self {
        Self { chars: Some(limit), ..Self::default() }
    }

    /// A budget in tokens of an encoding.
    #[must_use]
    pub fn tokens(limit: usize, encoding: Encoding) -> Self {
        Self { tokens: Some(limit), encoding, ..Self::default() }
    }

    /// The limits that are named, with their units.
    pub fn limits(&self) -> impl Iterator<Item = (Unit, usize)> {
        [(Unit::Chars, self.chars), (Unit::Bytes, self.bytes), (Unit::Lines, self.lines), (Unit::Tokens(self.encoding), self.tokens)]
            .into_iter()
            .filter_map(|(unit, limit)| limit.map(|limit| (unit, limit)))
    }

    /// Sets the limit of a unit.
    pub(crate) fn set(&mut self, unit: Unit, limit: usize) {
        match unit {
            Unit::Chars => self.chars = Some(limit),
            Unit::Bytes => self.bytes = Some(limit),
            Unit::Lines => self.lines = Some(limit),
            Unit::Tokens(encoding) => (self.tokens, self.encoding) = (Some(limit), encoding),
        }
    }

    /// The budget with another limit in each unit that is named.
    pub(crate) fn map(&self, limit: impl Fn(Unit, usize) -> usize) -> Self {
        let mut mapped = *self;
        for (unit, given) in self.limits() {
            mapped.set(unit, limit(unit, given));
        }
        mapped
    }

    /// How full `text` makes the budget: 1.0 is exactly full, more is over it.
    #[must_use]
    pub fn fill(&self, text: &str) -> f64 {
        self.limits().map(|(unit, limit)| measure(text, unit) as f64 / limit.max(1) as f64).fold(0.0, f64::max)
    }

    /// What is left of the budget beside `text`, at least 1 of each unit.
    #[must_use]
    pub fn beside(&self, text: &str) -> Self {
        self.map(|unit, limit| limit.saturating_sub(measure(text, unit)).max(1))
    }

    /// A share of the budget, at least 1 of each unit.
    #[must_use]
    pub fn share(&self, share: f64) -> Self {
        self.map(|_, limit| ((limit as f64 * share) as usize).max(1))
    }

    /// Whether `text` is within every limit.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        self.limits().all(|(unit, limit)| measure_to(text, unit, limit) <= limit)
    }
}

/// The size of `text` in a unit.
#[must_use]
pub fn measure(text: &str, unit: Unit) -> usize {
    measure_to(text, unit, usize::MAX)
}

/// The size of `text` where it is at most `most`; else a size above it, without having looked at more than that needs.
pub(crate) fn measure_to(text: &str, unit: Unit, most: usize) -> usize {
    match unit {
        Unit::Tokens(encoding) => encoding.count_to(text, most),
        Unit::Bytes => text.len(),
        Unit::Chars => count_chars(text.as_bytes()),
        Unit::Lines if text.is_empty() => 0,
        Unit::Lines => memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1,
    }
}

/// Unicode scalar values in UTF-8 bytes: all bytes but continuations. A sum of bytes over a short piece is one the compiler vectorises well.
pub(crate) fn count_chars(bytes: &[u8]) -> usize {
    bytes.chunks(255).map(|piece| usize::from(piece.iter().fold(0u8, |count, &b| count + u8::from((b as i8) >= -0x40)))).sum()
}
