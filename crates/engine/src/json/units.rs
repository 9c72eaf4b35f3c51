//! Characters of a string as it is written.

/// Where each of the first characters ends, at most so many. With `escaped`, an escape, or a pair of them for one character, is one.
///
/// ```
/// assert_eq!(snugfit_engine::json::char_ends(r"a\n\u00e9", true, 9), [1, 3, 9]);
/// ```
#[must_use]
pub fn char_ends(raw: &str, escaped: bool, most: usize) -> Vec<usize> {
    let bytes = raw.as_bytes();
    let mut ends = vec![];
    let mut at = 0;
    while at < bytes.len() && ends.len() < most {
        at += match bytes[at] {
            b'\\' if escaped => escape_len(&bytes[at..]),
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        ends.push(at.min(bytes.len()));
    }
    ends
}

/// How many characters there are.
#[must_use]
pub fn char_count(raw: &str, escaped: bool) -> usize {
    if escaped && raw.contains('\\') { char_ends(raw, true, usize::MAX).len() } else { raw.chars().count() }
}

/// The length of an escape; of both for a surrogate pair.
fn escape_len(bytes: &[u8]) -> usize {
    let surrogate = |at: usize, letters: &[u8]| {
        bytes.get(at..at + 2) == Some(b"\\u")
            && matches!(bytes.get(at + 2), Some(b'd' | b'D'))
            && bytes.get(at + 3).is_some_and(|b| letters.contains(b))
    };
    match bytes.get(1) {
        Some(b'u') if surrogate(0, b"89abAB") && surrogate(6, b"cdefCDEF") => 12,
        Some(b'u') => 6,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_is_one_character() {
        assert_eq!(char_ends(r"a\n\u00e9\ud83d\ude00\ud83dx😀", true, 99), [1, 3, 9, 21, 27, 28, 32]);
        assert_eq!(char_count(r"a\n", true), 2);
        assert_eq!(char_count(r"a\n", false), 3);
    }
}
