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
    let mut at = 0;
    while at < bytes.len() {
        let (from, mut hash, mut digits) = (at, 0u64, false);
        while let Some(letter) = bytes.get(at).map(|&byte| LETTERS[usize::from(byte)]).filter(|&letter| letter > 0) {
            hash = (hash ^ u64::from(letter)).wrapping_mul(MIX).rotate_left(23);
            digits |= letter.is_ascii_digit();
            at += 1;
        }
        if at - from >= 3 {
            found(hash, if digits { 0.25 } else { 1.0 });
        }
        at += 1;
    }
}

/// The bytes of words, in lower case; 0 for the others.
static LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80 {
            letters[byte] = b.to_ascii_lowercase();
        }
        byte += 1;
    }
    letters
};
