//! Which words of a line have been said by the lines chosen before it.

use std::collections::HashSet;

use super::hash::{MIX, Same};

/// The words of the lines that were chosen.
#[derive(Default)]
pub(crate) struct Words {
    seen: HashSet<u64, Same>,
}

impl Words {
    /// The share of a line's words that are new; numbers and ids count little.
    pub(crate) fn novelty(&self, line: &str) -> f32 {
        let (mut all, mut new) = (0.0, 0.0);
        words(line, |hash, weight| {
            all += weight;
            new += if self.seen.contains(&hash) { 0.0 } else { weight };
        });
        if all > 0.0 { new / all } else { 1.0 }
    }

    pub(crate) fn see(&mut self, line: &str) {
        words(line, |hash, _| {
            self.seen.insert(hash);
        });
    }
}

/// The words of a line's beginning, hashed.
fn words(line: &str, mut found: impl FnMut(u64, f32)) {
    let bytes = &line.as_bytes()[..line.len().min(400)];
    for word in bytes.split(|b| !(b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80)).filter(|w| w.len() >= 3) {
        let hash = word.iter().fold(0u64, |hash, b| (hash ^ u64::from(b.to_ascii_lowercase())).wrapping_mul(MIX).rotate_left(23));
        found(hash, if word.iter().any(u8::is_ascii_digit) { 0.25 } else { 1.0 });
    }
}
