//! The forms of a log's lines: how often each comes, and the numbers at the ends of its lines.

use std::collections::HashMap;

use crate::text::forms::Level;
use crate::text::hash::Same;
use crate::text::template::template;

/// A line's last number is looked for so far from its end, in bytes.
const NUMBER_WITHIN: usize = 24;

/// The forms of the lines of a text.
pub(super) struct Stats {
    pub(super) forms: Vec<Stat>,
    /// The form of each line, by number.
    pub(super) of_line: Vec<u32>,
}

impl Stats {
    pub(super) fn new(text: &str, lines: &[(u32, u32)]) -> Self {
        let mut numbers: HashMap<u64, u32, Same> = HashMap::default();
        let mut forms: Vec<Stat> = Vec::new();
        let mut of_line = Vec::with_capacity(lines.len());
        // A line often says again what the one before says: it is looked at once.
        let mut last: (&[u8], u32, Option<f32>) = (&[], 0, None);
        for (at, &(start, end)) in lines.iter().enumerate() {
            let line = &text.as_bytes()[start as usize..end as usize];
            if line != last.0 || forms.is_empty() {
                let form = *numbers.entry(template(line)).or_insert_with(|| {
                    forms.push(Stat::default());
                    forms.len() as u32 - 1
                });
                last = (line, form, last_number(line));
            }
            let (_, form, number) = last;
            of_line.push(form);
            let stat = &mut forms[form as usize];
            stat.count += 1;
            if let Some(number) = number {
                stat.numbers.add(number, at as u32);
            }
        }
        Self { forms, of_line }
    }
}

/// How often a form comes, how often it has come so far, what its first line was.
#[derive(Default)]
pub(super) struct Stat {
    pub(super) count: u32,
    pub(super) seen: u32,
    pub(super) trouble: Option<Level>,
    pub(super) numbers: Numbers,
}

/// The last numbers of lines of one form.
#[derive(Default)]
pub(super) struct Numbers {
    count: f32,
    sum: f64,
    squares: f64,
    largest: f32,
    at: u32,
}

impl Numbers {
    fn add(&mut self, number: f32, at: u32) {
        self.count += 1.0;
        self.sum += f64::from(number);
        self.squares += f64::from(number) * f64::from(number);
        if number > self.largest {
            (self.largest, self.at) = (number, at);
        }
    }

    /// The line whose number is far above all others: of `n` numbers none can be more than √(n − 1) deviations above their mean.
    pub(super) fn peak(&self) -> Option<u32> {
        let count = f64::from(self.count);
        let mean = self.sum / count.max(1.0);
        let deviation = (self.squares / count.max(1.0) - mean * mean).max(0.0).sqrt();
        let far = (0.7 * (count - 1.0).max(0.0).sqrt()).min(6.0);
        (count >= 6.0 && deviation > 0.0 && f64::from(self.largest) > mean + far * deviation).then_some(self.at)
    }
}

impl Stat {
    /// How many lines of the form are to be preferred to the next one: the first comes first, then the last.
    pub(super) fn nth(&self) -> u32 {
        self.seen.min((self.count - self.seen.min(self.count)).max(1))
    }
}

/// The last number of a line, if it stands near its end.
pub(super) fn last_number(line: &[u8]) -> Option<f32> {
    let tail = &line[line.len().saturating_sub(NUMBER_WITHIN)..];
    let end = tail.iter().rposition(u8::is_ascii_digit)? + 1;
    let (mut number, mut unit, mut fraction) = (0.0f32, 1.0f32, false);
    for &b in tail[..end].iter().rev() {
        match b {
            b'0'..=b'9' => {
                number += f32::from(b - b'0') * unit;
                unit *= 10.0;
            }
            // What came so far was behind the point.
            b'.' if !fraction => {
                number /= unit;
                (unit, fraction) = (1.0, true);
            }
            _ => break,
        }
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_of_a_line_is_read() {
        for (line, number) in
            [("took 12ms", Some(12.0)), ("in 59.5min", Some(59.5)), ("id 7", Some(7.0)), ("none", None), ("v1.2.3", Some(2.3))]
        {
            assert_eq!(last_number(line.as_bytes()), number, "{line}");
        }
    }

    #[test]
    fn a_peak_is_found_among_alike_numbers_but_not_at_the_end_of_a_count() {
        let peak = |numbers: &[f32]| {
            let mut all = Numbers::default();
            numbers.iter().enumerate().for_each(|(at, &n)| all.add(n, at as u32));
            all.peak()
        };
        let mut times = vec![20.0; 40];
        assert_eq!(peak(&times), None);
        times[17] = 9000.0;
        assert_eq!(peak(&times), Some(17));
        assert_eq!(peak(&(0..40u8).map(f32::from).collect::<Vec<_>>()), None);
    }
}
