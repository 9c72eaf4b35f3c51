//! What text costs against a limit, byte by byte.
//!
//! Every unit that the planner counts in is a sum of weights of bytes: characters (continuation bytes are free), bytes, line feeds. Text that
//! will stand inside a JSON string costs more where it must be escaped, twice more inside a string in a string; that is one more table.

use crate::budget::{Unit, count_chars};

/// Weights of bytes in one unit at one depth of string nesting.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    weights: [u8; 256],
    plain: Option<Unit>,
    unit: Unit,
}

impl Meter {
    /// A meter for text that stands as it is.
    pub(crate) fn new(unit: Unit) -> Self {
        let mut weights = [0; 256];
        for (byte, weight) in weights.iter_mut().enumerate() {
            *weight = match unit {
                // Tokens are planned for in bytes.
                Unit::Bytes | Unit::Tokens(_) => 1,
                Unit::Chars => u8::from((byte as u8 as i8) >= -0x40),
                Unit::Lines => u8::from(byte == usize::from(b'\n')),
            };
        }
        Self { weights, plain: Some(unit), unit }
    }

    /// The meter for text that will be escaped into a JSON string of text that this meter measures.
    pub(crate) fn escaped(&self) -> Self {
        let mut weights = self.weights;
        for byte in 0u8..=0xff {
            let escape = escape_of(byte);
            if !escape.is_empty() {
                weights[usize::from(byte)] = escape.bytes().fold(0u8, |sum, b| sum.saturating_add(self.weights[usize::from(b)]));
            }
        }
        Self { weights, plain: None, unit: self.unit }
    }

    /// What `bytes` cost.
    pub(crate) fn cost(&self, bytes: &[u8]) -> usize {
        match self.plain {
            Some(Unit::Bytes | Unit::Tokens(_)) => bytes.len(),
            Some(Unit::Chars) => count_chars(bytes),
            _ => bytes.iter().map(|&b| usize::from(self.weights[usize::from(b)])).sum(),
        }
    }

    /// What one byte costs.
    pub(crate) fn byte(&self, byte: u8) -> usize {
        usize::from(self.weights[usize::from(byte)])
    }

    /// Whether text costs nothing but its line feeds.
    pub(crate) fn counts_lines(&self) -> bool {
        self.unit == Unit::Lines
    }

    /// The longest prefix of `text` that costs at most `limit`, as a byte length on a character boundary.
    pub(crate) fn prefix(&self, text: &str, limit: usize) -> usize {
        let (mut cost, mut end) = (0, 0);
        for (at, c) in text.char_indices() {
            let next = at + c.len_utf8();
            cost += self.cost(&text.as_bytes()[at..next]);
            if cost > limit {
                break;
            }
            end = next;
        }
        end
    }

    /// The longest suffix of `text` that costs at most `limit`, as the byte offset where it begins.
    pub(crate) fn suffix(&self, text: &str, limit: usize) -> usize {
        let (mut cost, mut start) = (0, text.len());
        for (at, c) in text.char_indices().rev() {
            cost += self.cost(&text.as_bytes()[at..at + c.len_utf8()]);
            if cost > limit {
                break;
            }
            start = at;
        }
        start
    }
}

/// How a byte is written inside a JSON string, or nothing where it stands for itself.
pub(crate) fn escape_of(byte: u8) -> &'static str {
    const CONTROL: [&str; 32] = [
        "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007", "\\b", "\\t", "\\n", "\\u000b", "\\f",
        "\\r", "\\u000e", "\\u000f", "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017", "\\u0018",
        "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f",
    ];
    match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        0..0x20 => CONTROL[usize::from(byte)],
        _ => "",
    }
}

/// Appends `text` as the inside of a JSON string.
pub fn escape_into(out: &mut String, text: &str) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = escape_of(byte);
        if !escape.is_empty() {
            out.push_str(&text[from..at]);
            out.push_str(escape);
            from = at + 1;
        }
    }
    out.push_str(&text[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_follow_unit_and_depth() {
        let text = "é\"\n\u{1}";
        let chars = Meter::new(Unit::Chars);
        for (meter, cost) in [
            (chars.clone(), 4),
            (chars.escaped(), 1 + 2 + 2 + 6),
            (chars.escaped().escaped(), 1 + 4 + 3 + 7),
            (Meter::new(Unit::Bytes), 5),
            (Meter::new(Unit::Bytes).escaped(), 2 + 2 + 2 + 6),
            (Meter::new(Unit::Lines), 1),
        ] {
            assert_eq!(meter.cost(text.as_bytes()), cost, "{meter:?}");
        }
    }

    #[test]
    fn escaped_text_costs_what_the_meter_says() {
        let meter = Meter::new(Unit::Chars);
        let text = "a\"\\\t\u{7f}ü🙂";
        let mut written = String::new();
        escape_into(&mut written, text);
        assert_eq!(meter.escaped().cost(text.as_bytes()), meter.cost(written.as_bytes()));
    }
}
