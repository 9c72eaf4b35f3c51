//! Hashes that are mixed once and used as they are.

use std::hash::{BuildHasherDefault, Hasher};

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
