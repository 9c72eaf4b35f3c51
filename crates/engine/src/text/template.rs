//! The form of a line: what stays of it when numbers, ids and time stamps are taken as equal.

use super::hash::{MIX, by_eight};

/// A line's form: numbers, ids and time stamps are all the same.
pub(crate) fn template(line: &[u8]) -> u64 {
    let mut hash = 0u64;
    let mut at = 0;
    while let Some(&b) = line.get(at) {
        let (start, mut classes) = (at, 0);
        while let Some(class) = line.get(at).map(|&b| CLASS[usize::from(b)]).filter(|class| *class >= LETTER) {
            classes |= class;
            at += 1;
        }
        if at > start {
            let word = if classes & DIGIT > 0 { kind_of_number(line, start, at) } else { hash_of_word(&line[start..at]) };
            hash = (hash ^ word).wrapping_mul(MIX).rotate_left(29);
            continue;
        }
        at += 1;
        if CLASS[usize::from(b)] == MARK {
            hash = (hash ^ u64::from(b)).wrapping_mul(MIX);
        }
    }
    hash ^ hash >> 31
}

/// A word's hash.
fn hash_of_word(word: &[u8]) -> u64 {
    let mut hash = word.len() as u64;
    by_eight(word, |letters| hash = (hash.rotate_left(23) ^ letters).wrapping_mul(MIX));
    hash
}

const SPACE: u8 = 0;
const MARK: u8 = 1;
const LETTER: u8 = 2;
const DIGIT: u8 = 4;
/// What bytes are, as far as forms are concerned.
static CLASS: [u8; 256] = {
    let mut classes = [MARK; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b == b' ' || b == b'\t' {
            classes[byte] = SPACE;
        } else if b.is_ascii_digit() {
            classes[byte] = DIGIT;
        } else if b.is_ascii_alphabetic() || b >= 0x80 {
            classes[byte] = LETTER;
        }
        byte += 1;
    }
    classes
};

/// Numbers are equal but for the few that say how something went: none at all, and an HTTP status by its hundreds (`" 404`, `status=404`).
fn kind_of_number(line: &[u8], start: usize, end: usize) -> u64 {
    let word = &line[start..end];
    match word {
        b"0" if start == 0 || matches!(line[start - 1], b' ' | b'=' | b':') => 3,
        [b'1'..=b'5', _, _] if word.iter().all(u8::is_ascii_digit) => {
            let before = &line[start.saturating_sub(8)..start];
            let status =
                before.ends_with(b"\" ") || before.ends_with(b"status=") || before.ends_with(b"status: ") || before.ends_with(b"tatus\":");
            if status { 10 + u64::from(word[0] - b'0') } else { 1 }
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_in_numbers_have_one_form() {
        let same = |a: &str, b: &str| template(a.as_bytes()) == template(b.as_bytes());
        assert!(same("2026-05-01 00:00:01 INFO worker 3 done in 12ms", "2026-05-02 11:10:09 INFO worker 4 done in 9ms"));
        assert!(same("task a1b2c3 ok", "task 99ffe0 ok"));
        assert!(!same("INFO worker 3 done", "INFO worker 3 failed"));
        assert!(!same("\"GET /a HTTP/1.1\" 200 17", "\"GET /b HTTP/1.1\" 404 17"));
        assert!(!same("exit code 0", "exit code 2"));
        assert!(!same("abcdefgh", "hgfedcba"));
    }
}
