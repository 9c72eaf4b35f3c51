//! Opaque cursors: a few numbers and a text as base64url, with a check, so that one that was made up or damaged is told from ours.
//!
//! They hold all that is needed to go on: nothing is stored between calls, and another process takes them too.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of the check at the end.
const CHECK: usize = 3;

/// A cursor of a `kind` (what it is for, and the version of its form).
///
/// ```
/// use snugfit_engine::cursor::{open, seal};
/// let cursor = seal(1, &[120, 7], "/issues");
/// assert_eq!(open(1, 2, &cursor), Some((vec![120, 7], "/issues".to_owned())));
/// assert_eq!(open(1, 2, &cursor[1..]), None);
/// assert_eq!(open(2, 2, &cursor), None, "of another kind");
/// ```
#[must_use]
pub fn seal(kind: u8, numbers: &[u64], text: &str) -> String {
    let mut bytes = vec![kind];
    for &number in numbers {
        let mut rest = number;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes.extend_from_slice(text.as_bytes());
    let check = xxh3_64(&bytes).to_le_bytes();
    bytes.extend_from_slice(&check[..CHECK]);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// What [`seal`] made a cursor of; `None` where it is not one of this kind with so many numbers.
#[must_use]
pub fn open(kind: u8, count: usize, cursor: &str) -> Option<(Vec<u64>, String)> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (body, check) = bytes.split_at_checked(bytes.len().checked_sub(CHECK)?)?;
    let (&first, mut rest) = body.split_first()?;
    if first != kind || xxh3_64(body).to_le_bytes()[..CHECK] != *check {
        return None;
    }
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        let len = rest.iter().position(|&byte| byte < 0x80)? + 1;
        let number = rest[..len].iter().rev().try_fold(0u64, |number, &byte| {
            let shifted = number.checked_mul(0x80)?;
            Some(shifted | u64::from(byte & 0x7f))
        })?;
        numbers.push(number);
        rest = &rest[len..];
    }
    Some((numbers, String::from_utf8(rest.to_vec()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_sealed_is_opened(kind: u8, numbers: Vec<u64>, text: String) {
            prop_assert_eq!(open(kind, numbers.len(), &seal(kind, &numbers, &text)), Some((numbers, text)));
        }

        #[test]
        fn what_was_not_is_refused(cursor in "[A-Za-z0-9_-]{0,3}|[^A-Za-z0-9_-]{1,20}|.{0,40}=") {
            prop_assert_eq!(open(1, 1, &cursor), None);
        }
    }
}
