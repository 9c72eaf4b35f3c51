//! Finds many words in a text at once, letters of ASCII in any case.
//!
//! Wu and Manber's algorithm ("A fast algorithm for multi-pattern searching", 1994) with blocks of two bytes: the block at the end of a window as
//! long as the shortest word says how far the next word can begin, so that most bytes are never looked at.

/// The low five bits of two bytes: letters are the same in either case, other signs share the places of letters.
const BLOCKS: usize = 1 << 10;
/// The longest window; a longer one skips no further, since a shift is bounded by what two bytes tell.
const LONGEST: usize = 8;
/// Bytes that are compared at once before a word is.
const KEY: usize = 4;

/// Some words to be found.
#[derive(Debug)]
pub(crate) struct Matcher {
    words: Vec<Box<[u8]>>,
    /// The length of the shortest word, at least 2.
    window: usize,
    shifts: Box<[u8; BLOCKS]>,
    /// The first bytes of each word and its number, in order.
    keys: Vec<(u32, u32)>,
    /// Whether a key may be among them, by its hash.
    known: [u64; 16],
}

impl Matcher {
    /// For words of two bytes at least; shorter ones are never found.
    pub(crate) fn new<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let words: Vec<Box<[u8]>> = words.map(|word| word.to_ascii_lowercase().into_bytes().into_boxed_slice()).collect();
        let window = words.iter().map(|word| word.len()).filter(|len| *len >= 2).min().unwrap_or(2).min(LONGEST);
        let mut shifts = Box::new([window as u8 - 1; BLOCKS]);
        let mut keys = Vec::with_capacity(words.len());
        let mut known = [0u64; 16];
        for (number, word) in words.iter().enumerate().filter(|(_, word)| word.len() >= window) {
            for end in 1..window {
                let shift = &mut shifts[block(word[end - 1], word[end])];
                *shift = (*shift).min((window - 1 - end) as u8);
            }
            let key = key(word, window);
            let bit = bit(key);
            known[bit / 64] |= 1 << (bit % 64);
            keys.push((key, number as u32));
        }
        keys.sort_unstable();
        Self { words, window, shifts, keys, known }
    }

    /// Every place where a word begins, with the word's number, in the order of the text.
    pub(crate) fn find(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        let mut end = self.window - 1;
        while end < text.len() {
            let shift = self.shifts[block(text[end - 1], text[end])];
            if shift > 0 {
                end += shift as usize;
                continue;
            }
            let start = end + 1 - self.window;
            end += 1;
            let key = key(&text[start..], self.window);
            let bit = bit(key);
            if self.known[bit / 64] >> (bit % 64) & 1 == 0 {
                continue;
            }
            let from = self.keys.partition_point(|known| known.0 < key);
            for &(_, word) in self.keys[from..].iter().take_while(|known| known.0 == key) {
                let bytes = &self.words[word as usize];
                if text.get(start..start + bytes.len()).is_some_and(|there| there.eq_ignore_ascii_case(bytes)) {
                    found(start, word as usize);
                }
            }
        }
    }

    /// The length of a word in bytes.
    pub(crate) fn len_of(&self, word: usize) -> usize {
        self.words[word].len()
    }
}

fn block(first: u8, second: u8) -> usize {
    (first as usize & 31) << 5 | (second as usize & 31)
}

/// The first bytes, as many as the window has and four at the most, in lower case.
fn key(text: &[u8], window: usize) -> u32 {
    const LOWER: u32 = 0x2020_2020;
    match text.first_chunk::<KEY>() {
        Some(bytes) if window >= KEY => u32::from_le_bytes(*bytes) | LOWER,
        _ => text.iter().take(window.min(KEY)).fold(0, |key, byte| key << 8 | u32::from(byte | 0x20)),
    }
}

fn bit(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b1) >> 22) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(words: &[&str], text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        Matcher::new(words.iter().copied()).find(text.as_bytes(), |at, word| found.push((at, word)));
        found.sort_unstable();
        found
    }

    #[test]
    fn words_are_found_in_any_case_and_in_each_other() {
        assert_eq!(found(&["error", "fail", "or"], "ERROR: it failed, Or"), [(0, 0), (3, 2), (10, 1), (18, 2)]);
        assert_eq!(found(&["aa"], "aaaa"), [(0, 0), (1, 0), (2, 0)]);
        assert_eq!(found(&["größe", "ops-12"], "Größe GRößE OPS-12"), [(0, 0), (8, 0), (16, 1)]);
        assert_eq!(found(&[], "nothing"), []);
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_a_plain_search_finds(words in prop::collection::vec("[abAB ]{2,6}", 0..8), text in "[abAB 1]{0,60}") {
            let mut expected = Vec::new();
            for (number, word) in words.iter().enumerate() {
                for at in 0..text.len() {
                    if text.as_bytes()[at..].get(..word.len()).is_some_and(|there| there.eq_ignore_ascii_case(word.as_bytes())) {
                        expected.push((at, number));
                    }
                }
            }
            expected.sort_unstable();
            prop_assert_eq!(found(&words.iter().map(String::as_str).collect::<Vec<_>>(), &text), expected);
        }
    }
}
