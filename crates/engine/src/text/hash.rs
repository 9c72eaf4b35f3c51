//! Hashes that are mixed once and used as they are, and a quick one of texts.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// 2^64 over the golden ratio: an odd number whose bits are mixed well.
pub(crate) const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes of hashes are themselves.
pub(crate) type Same = BuildHasherDefault<Itself>;

/// A hasher for keys that are hashes already.
#[derive(Default, Clone, Copy)]
pub(crate) struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = (self.0 ^ u64::from(b)).wrapping_mul(MIX);
        }
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
    fn write_u32(&mut self, number: u32) {
        self.0 = u64::from(number).wrapping_mul(MIX);
    }
}

/// A map keyed by what stands in a text.
pub(crate) type TextMap<K, V> = HashMap<K, V, Seeded>;

/// Hashes texts by a seed of this process: as hard to foresee as the standard hash, in a fraction of its steps.
#[derive(Default, Clone, Copy)]
pub(crate) struct Seeded;

static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(MIX));

impl BuildHasher for Seeded {
    type Hasher = Text;

    fn build_hasher(&self) -> Text {
        Text(*SEED)
    }
}

/// The hash of a text, or of a text and numbers.
pub(crate) struct Text(u64);

impl Hasher for Text {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }
    /// What ends a text says nothing more where every key has one text.
    fn write_u8(&mut self, _: u8) {}
    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(MIX).rotate_left(29);
    }
}

/// Hands over bytes as numbers, eight in one, the last of which overlaps with the one before. Bytes of one length differ where their numbers do.
pub(crate) fn by_eight(bytes: &[u8], mut take: impl FnMut(u64)) {
    let eight = |at: usize| bytes[at..].first_chunk().map_or(0, |piece| u64::from_le_bytes(*piece));
    let four = |at: usize| bytes[at..].first_chunk().map_or(0, |piece| u64::from(u32::from_le_bytes(*piece)));
    match bytes.len() {
        len @ 8.. => {
            (0..len - 8).step_by(8).for_each(|at| take(eight(at)));
            take(eight(len - 8));
        }
        len @ 4.. => take(four(0) << 32 | four(len - 4)),
        _ => take(bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(bytes: &[u8]) -> Vec<u64> {
        let mut numbers = Vec::new();
        by_eight(bytes, |number| numbers.push(number));
        numbers
    }

    proptest! {
        #[test]
        fn bytes_of_one_length_are_equal_where_their_numbers_are(bytes in prop::collection::vec(0u8..3, 1..40), at: usize, byte in 0u8..3) {
            let mut other = bytes.clone();
            let at = at % bytes.len();
            other[at] = byte;
            prop_assert_eq!(numbers(&bytes) == numbers(&other), bytes == other);
        }
    }
}
