//! What the numbers of a path are like.

/// What the numbers of a path are like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) count: u32,
    sum: f64,
    squares: f64,
    /// The two largest and the two smallest, with where they stand.
    pub(crate) high: [(f64, u32); 2],
    pub(crate) low: [(f64, u32); 2],
    pub(crate) last: u32,
    previous: f64,
    rises: u32,
    falls: u32,
}

impl Numbers {
    /// Whether the numbers go one way, as ids and times do.
    pub(crate) fn ordered(&self) -> bool {
        let steps = self.rises + self.falls;
        steps > 4 && self.rises.max(self.falls) * 10 >= steps * 9
    }

    /// Whether the numbers only rise or only fall.
    pub(crate) fn one_way(&self) -> bool {
        (self.rises == 0) != (self.falls == 0)
    }

    fn mean(&self) -> f64 {
        self.sum / f64::from(self.count.max(1))
    }

    /// Standard deviation without the value that is furthest out, so that one spike does not hide itself.
    fn spread(&self, without: f64) -> f64 {
        let n = f64::from(self.count) - 1.0;
        if n < 2.0 {
            return 0.0;
        }
        let mean = (self.sum - without) / n;
        ((self.squares - without * without) / n - mean * mean).max(0.0).sqrt()
    }

    /// How far out a number is, in standard deviations of the others.
    pub(crate) fn distance(&self, x: f64) -> f32 {
        let (mean, spread) = (self.mean(), self.spread(x));
        if spread > 0.0 {
            ((x - mean).abs() / spread) as f32
        } else if (x - mean).abs() > 1e-9 * mean.abs() {
            100.0
        } else {
            0.0
        }
    }

    /// Of no numbers yet, the first of which stands at `node`.
    pub(super) fn from(node: u32) -> Self {
        Self {
            count: 0,
            sum: 0.0,
            squares: 0.0,
            high: [(f64::NEG_INFINITY, node); 2],
            low: [(f64::INFINITY, node); 2],
            last: node,
            previous: 0.0,
            rises: 0,
            falls: 0,
        }
    }

    pub(super) fn add(&mut self, x: f64, node: u32) {
        self.count += 1;
        self.sum += x;
        self.squares += x * x;
        self.last = node;
        if self.count > 1 {
            self.rises += u32::from(x > self.previous);
            self.falls += u32::from(x < self.previous);
        }
        self.previous = x;
        if x > self.high[0].0 {
            self.high = [(x, node), self.high[0]];
        } else if x > self.high[1].0 {
            self.high[1] = (x, node);
        }
        if x < self.low[0].0 {
            self.low = [(x, node), self.low[0]];
        } else if x < self.low[1].0 {
            self.low[1] = (x, node);
        }
    }
}

/// Whether a string holds a number, as some protocols send them.
pub(super) fn numeric(lexeme: &[u8]) -> bool {
    lexeme.len() <= 26
        && matches!(lexeme[1], b'-' | b'0'..=b'9')
        && lexeme[1..lexeme.len() - 1].iter().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'e' | b'E' | b'+'))
        && lexeme[2..].iter().all(|&b| b != b'-')
}

/// A number's value, near enough for statistics.
pub(super) fn number(bytes: &[u8]) -> f64 {
    if let Some(x) = decimal(bytes) {
        return x;
    }
    if bytes.len() > 64 {
        return 0.0;
    }
    let x = std::str::from_utf8(bytes).ok().and_then(|s| s.parse::<f64>().ok()).unwrap_or(0.0);
    if x.is_finite() { x.clamp(-1e150, 1e150) } else { 0.0 }
}

/// The value of a short number without an exponent: its digits and the power of ten are exact, so their quotient is rounded once, as it should be.
fn decimal(bytes: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, digits) = bytes.strip_prefix(b"-").map_or((false, bytes), |rest| (true, rest));
    if digits.is_empty() || digits.len() >= POWERS.len() {
        return None;
    }
    let (mut sum, mut point) = (0u64, None);
    for (at, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => sum = sum * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let after = point.map_or(0, |at| digits.len() - 1 - at);
    if point.is_some() && digits.len() == 1 {
        return None;
    }
    let x = sum as f64 / POWERS[after];
    Some(if negative { -x } else { x })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn short_numbers_have_the_value_that_the_library_gives(text in "-?[0-9]{0,9}\\.?[0-9]{0,9}(e[0-9])?") {
            if let Some(x) = decimal(text.as_bytes()) {
                prop_assert_eq!(Ok(x.to_bits()), text.parse::<f64>().map(f64::to_bits), "{}", text);
            } else {
                prop_assert!(text.len() >= 16 || text.parse::<f64>().is_err() || text.contains('e'), "{}", text);
            }
        }
    }
}
