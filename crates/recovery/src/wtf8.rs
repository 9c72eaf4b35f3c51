//! WTF-8: how strings of JavaScript are kept that are no valid Unicode.
//!
//! A surrogate without its partner has no UTF-8 form. WTF-8 gives it the three bytes that UTF-8's rule would
//! (<https://simonsapin.github.io/wtf-8/>), so that it comes back as what it was.

use std::borrow::Cow;

/// Bytes as text, and how much had to be replaced by U+FFFD: each lone surrogate, and each sequence that is neither UTF-8 nor WTF-8.
///
/// ```
/// use snugfit_recovery::wtf8;
/// assert_eq!(wtf8::decode(b"a \xed\xa0\x80 b"), ("a \u{fffd} b".into(), 1));
/// ```
#[must_use]
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, usize) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (Cow::Borrowed(text), 0);
    }
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = 0;
    for_each(bytes, |valid, invalid| {
        text.push_str(valid);
        if invalid.is_some() {
            text.push('\u{fffd}');
            replaced += 1;
        }
    });
    (Cow::Owned(text), replaced)
}

/// What stands between valid stretches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invalid {
    /// A surrogate without its partner.
    Surrogate(u16),
    /// Bytes that mean nothing.
    Bytes,
}

/// Calls `each` with every valid stretch and what follows it, until the end.
pub fn for_each(mut bytes: &[u8], mut each: impl FnMut(&str, Option<Invalid>)) {
    while let Some(chunk) = bytes.utf8_chunks().next() {
        let rest = &bytes[chunk.valid().len()..];
        let (invalid, len) = match (rest, chunk.invalid().len()) {
            (_, 0) => (None, 0),
            (&[0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, ..], _) => {
                (Some(Invalid::Surrogate(0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f))), 3)
            }
            (_, len) => (Some(Invalid::Bytes), len),
        };
        each(chunk.valid(), invalid);
        bytes = &rest[len..];
    }
}

/// The three bytes of a surrogate.
#[must_use]
pub fn encode_surrogate(surrogate: u16) -> [u8; 3] {
    [0xe0 | (surrogate >> 12) as u8, 0x80 | (surrogate >> 6 & 0x3f) as u8, 0x80 | (surrogate & 0x3f) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_borrowed_as_it_is() {
        assert!(matches!(decode("Grüße, 世界, 👩".as_bytes()), (Cow::Borrowed("Grüße, 世界, 👩"), 0)));
    }

    #[test]
    fn each_surrogate_and_each_stray_sequence_is_replaced_once() {
        let cases: [(&[u8], &str, usize); 5] = [
            (b"\xed\xa0\x80", "\u{fffd}", 1),
            (b"a\xed\xa0\xbd\xed\xb1\xa7b", "a\u{fffd}\u{fffd}b", 2),
            (b"\xff\xfe", "\u{fffd}\u{fffd}", 2),
            (b"a\xf0\x9f\x91b", "a\u{fffd}b", 1),
            (b"a\xed\xa0", "a\u{fffd}\u{fffd}", 2),
        ];
        for (bytes, text, replaced) in cases {
            assert_eq!(decode(bytes), (Cow::Borrowed(text), replaced));
        }
    }

    #[test]
    fn surrogates_are_read_back() {
        for surrogate in [0xd800, 0xdbff, 0xdc00, 0xdfff] {
            let mut found = vec![];
            for_each(&encode_surrogate(surrogate), |valid, invalid| found.push((valid.to_owned(), invalid)));
            assert_eq!(found, [(String::new(), Some(Invalid::Surrogate(surrogate)))]);
        }
    }
}
