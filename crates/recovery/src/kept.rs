//! An original as it is kept: compressed if that pays.
//!
//! LZ4, since it costs less than the fitting itself: the tool results of the development corpus take 15 % of their size, at some 300 MB/s
//! either way on a busy machine, and what does not shrink is found out early.

use std::borrow::Cow;
use std::fmt;

use crate::error::Error;

/// Below this many bytes compression saves too little to be worth its time.
const COMPRESS_FROM: usize = 4096;
/// Above it originals stay as they are: the block format of LZ4 counts in 32 bits.
const COMPRESS_UP_TO: usize = 1 << 30;
/// How much of a large original is tried first: what does not shrink here will hardly shrink as a whole.
const SAMPLE: usize = 256 << 10;

/// Stands for the size before compression where there was none.
const NOT_PACKED: u64 = u64::MAX;

/// The bytes of one original, exactly as many as are allocated for it.
#[derive(Clone, PartialEq, Eq)]
pub struct Kept {
    bytes: Box<[u8]>,
    /// The size before compression; `None` for bytes that are kept as they came.
    unpacked: Option<usize>,
}

impl Kept {
    /// Keeps an original, in the memory it came in unless compression saves an eighth of it.
    #[must_use]
    pub fn new(original: Cow<'_, [u8]>) -> Self {
        match compress(&original) {
            Some(bytes) => Self { bytes, unpacked: Some(original.len()) },
            None => Self { bytes: original.into_owned().into_boxed_slice(), unpacked: None },
        }
    }

    /// The original, byte for byte.
    pub fn original(&self) -> Result<Vec<u8>, Error> {
        match self.unpacked {
            None => Ok(self.bytes.to_vec()),
            Some(size) => lz4_flex::block::decompress(&self.bytes, size)
                .map_err(|error| Error::StoreFailed(format!("a kept original is damaged: {error}"))),
        }
    }

    /// The bytes it takes.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// All of it as bytes, for another place.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.bytes.into_vec();
        let size = self.unpacked.map_or(NOT_PACKED, |size| size as u64);
        bytes.extend_from_slice(&size.to_le_bytes());
        bytes
    }

    /// What [`into_bytes`](Self::into_bytes) gave; `None` for anything else.
    #[must_use]
    pub fn from_bytes(mut bytes: Vec<u8>) -> Option<Self> {
        let at = bytes.len().checked_sub(size_of::<u64>())?;
        let size = u64::from_le_bytes(bytes[at..].try_into().ok()?);
        bytes.truncate(at);
        let unpacked = match size {
            NOT_PACKED => None,
            size => Some(usize::try_from(size).ok().filter(|size| *size <= COMPRESS_UP_TO)?),
        };
        Some(Self { bytes: bytes.into_boxed_slice(), unpacked })
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("bytes", &self.bytes.len()).field("unpacked", &self.unpacked).finish()
    }
}

/// The compressed form, if it saves at least an eighth.
fn compress(original: &[u8]) -> Option<Box<[u8]>> {
    if !(COMPRESS_FROM..=COMPRESS_UP_TO).contains(&original.len()) {
        return None;
    }
    if original.len() > 4 * SAMPLE {
        let middle = original.len() / 2;
        let sample = &original[middle..middle + SAMPLE];
        if !pays(sample.len(), lz4_flex::block::compress(sample).len()) {
            return None;
        }
    }
    let packed = lz4_flex::block::compress(original);
    pays(original.len(), packed.len()).then(|| packed.into_boxed_slice())
}

fn pays(before: usize, after: usize) -> bool {
    after <= before - before / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes without a pattern: a 64-bit linear congruential generator's high bytes.
    fn noise(len: usize) -> Vec<u8> {
        let mut state = 42u64;
        std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .take(len)
        .collect()
    }

    #[test]
    fn comes_back_byte_for_byte_compressed_only_where_it_pays() {
        let log = "2026-11-30 04:12:55 INFO request served in 12 ms\n".repeat(200).into_bytes();
        let large_log = log.repeat(400);
        let cases: [(&str, Vec<u8>, bool); 7] = [
            ("empty", vec![], false),
            ("small", b"a".repeat(COMPRESS_FROM - 1), false),
            ("repetitive", log, true),
            ("large", large_log, true),
            ("noise", noise(100_000), false),
            ("large noise", noise(3 << 20), false),
            ("not UTF-8", [0xff, 0xed, 0xa0, 0x80, 0x00].repeat(2000), true),
        ];
        for (name, original, compressed) in cases {
            let kept = Kept::new(Cow::Borrowed(&original));
            assert_eq!(kept.original().expect(name), original, "{name}");
            assert_eq!(kept.unpacked.is_some(), compressed, "{name}");
            assert_eq!(Kept::from_bytes(kept.clone().into_bytes()).as_ref(), Some(&kept), "{name}");
            if compressed {
                assert!(kept.size() <= original.len() - original.len() / 8, "{name}");
            } else {
                assert_eq!(kept.size(), original.len(), "{name}");
            }
        }
    }

    #[test]
    fn what_was_never_kept_is_told_apart() {
        let too_large = [b"packed".as_slice(), &(COMPRESS_UP_TO as u64 + 1).to_le_bytes()].concat();
        for bytes in [vec![], vec![0; 7], too_large] {
            assert_eq!(Kept::from_bytes(bytes.clone()), None, "{bytes:?}");
        }
        let nonsense = Kept::from_bytes([b"nonsense".as_slice(), &100u64.to_le_bytes()].concat()).expect("well formed");
        assert!(matches!(nonsense.original(), Err(Error::StoreFailed(_))));
    }

    #[test]
    fn debug_output_hides_the_original() {
        assert_eq!(format!("{:?}", Kept::new(Cow::Borrowed(b"secret"))), "Kept { bytes: 6, unpacked: None }");
    }
}
