//! Sizes and durations as people write them.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A size in bytes, written as a number of bytes or with a unit: `64MiB`, `1.5GB`, `512 kB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(u64);

/// A length of time, written with a unit: `5m`, `1h30m`, `250ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period(Duration);

const SIZES: [(&str, u64); 8] =
    [("gib", 1 << 30), ("mib", 1 << 20), ("kib", 1 << 10), ("gb", 1_000_000_000), ("mb", 1_000_000), ("kb", 1_000), ("b", 1), ("", 1)];

/// The largest size: a terabyte is more than any process here holds, and no sum of such sizes overflows.
const MAX_SIZE: f64 = 1e12;

/// Milliseconds of each unit.
const PERIODS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// The longest time, in milliseconds: a year. No deadline made with it overflows.
const MAX_PERIOD: u64 = 366 * 86_400_000;

impl Size {
    /// A size in mebibytes.
    #[must_use]
    pub const fn mib(n: u64) -> Self {
        Self(n << 20)
    }

    /// The size in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unit = unit.trim().to_ascii_lowercase();
        let factor = SIZES.iter().find(|(name, _)| *name == unit)?.1;
        let bytes = number.parse::<f64>().ok()? * factor as f64;
        (bytes <= MAX_SIZE && bytes.fract() == 0.0).then_some(Self(bytes as u64))
    }
}

impl fmt::Display for Size {
    /// The shortest exact form: `64MiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, factor) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] {
            if self.0 > 0 && self.0.is_multiple_of(factor) {
                return write!(f, "{}{unit}", self.0 / factor);
            }
        }
        write!(f, "{}", self.0)
    }
}

impl Period {
    /// A length of time in seconds.
    #[must_use]
    pub const fn seconds(n: u64) -> Self {
        Self(Duration::from_secs(n))
    }

    /// The length of time.
    #[must_use]
    pub fn duration(self) -> Duration {
        self.0
    }

    /// The length of time that a text such as `5m` or `1h30m` stands for.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let (number, after) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
            let (unit, after) = after.split_at(after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len()));
            let factor = PERIODS.iter().find(|(name, _)| *name == unit)?.1;
            total = number.parse::<u64>().ok()?.checked_mul(factor)?.checked_add(total)?;
            rest = after.trim_start();
        }
        (!text.trim().is_empty() && total <= MAX_PERIOD).then_some(Self(Duration::from_millis(total)))
    }
}

impl fmt::Display for Period {
    /// The shortest exact form: `5m`, `1h30m`, `0s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = self.0.as_millis() as u64;
        if left == 0 {
            return f.write_str("0s");
        }
        for (unit, factor) in PERIODS {
            if left >= factor {
                write!(f, "{}{unit}", left / factor)?;
                left %= factor;
            }
        }
        Ok(())
    }
}

const SIZE_FORM: &str = "a size such as 64MiB, 500kB or a number of bytes";
const PERIOD_FORM: &str = "a length of time such as 5m, 1h30m or 250ms";

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Size;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(SIZE_FORM)
            }

            fn visit_u64<E: de::Error>(self, n: u64) -> Result<Size, E> {
                if n as f64 <= MAX_SIZE { Ok(Size(n)) } else { Err(E::invalid_value(de::Unexpected::Unsigned(n), &self)) }
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Size, E> {
                Size::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Period;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(PERIOD_FORM)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Period, E> {
                Period::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for Period {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A size: a number of bytes, or with a unit such as `64MiB` or `500kB`.",
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*([kKmMgG]([iI]?[bB])|[bB])?\s*$|\$\{" },
            ],
        })
    }
}

impl JsonSchema for Period {
    fn schema_name() -> Cow<'static, str> {
        "Period".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A length of time with its unit (ms, s, m, h, d), such as `5m` or `1h30m`.",
            "type": "string",
            "pattern": r"^\s*([0-9]+(ms|s|m|h|d)\s*)+$|\$\{",
        })
    }
}
