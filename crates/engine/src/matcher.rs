//! Finds many words in a text at once, letters of ASCII in any case.
//!
//! Wu and Manber's algorithm ("A fast algorithm for multi-pattern searching", 1994) with blocks of three bytes: the block at the end of a window says
//! how far the next word can begin, so that most bytes are never looked at. The window is two bytes longer than the shortest word: shorter words
//! stand at its end, behind bytes of any sort.

/// What the low five bits of three bytes make: letters are the same in either case, other signs share the places of letters.
const BLOCKS: usize = 1 << (3 * BITS);
const BITS: usize = 5;
/// The longest part of a word that counts for the window; a longer one skips no further.
const LONGEST: usize = 6;
/// Bytes of any sort before the shortest words.
const PADDING: usize = 2;

/// Walks side by side, and how far each goes before their finds are looked at.
const LANES: usize = 4;
const LANE: usize = 1 << 12;

/// Some words to be found.
#[derive(Debug)]
pub(crate) struct Matcher {
    words: Vec<Box<[u8]>>,
    /// The length of the shortest word, from 2 to [`LONGEST`].
    least: usize,
    shifts: Box<[u8; BLOCKS]>,
    /// The blocks that windows end with, each with the number of a word, in order.
    ends: Vec<(u16, u32)>,
}

impl Matcher {
    /// For words of two bytes at least; shorter ones are never found.
    #[allow(clippy::large_stack_arrays, reason = "32 KB, on their way to the heap")]
    pub(crate) fn new<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let words: Vec<Box<[u8]>> = words.map(|word| word.to_ascii_lowercase().into_bytes().into_boxed_slice()).collect();
        let least = words.iter().map(|word| word.len()).filter(|len| *len >= 2).min().unwrap_or(2).min(LONGEST);
        let window = least + PADDING;
        let mut shifts = Box::new([window as u8 - 2; BLOCKS]);
        let mut ends = Vec::with_capacity(words.len());
        for (number, word) in words.iter().enumerate().filter(|(_, word)| word.len() >= 2) {
            let word = &word[..word.len().min(window)];
            let padding = window - word.len();
            for end in padding.max(2)..window {
                let shift = (window - 1 - end) as u8;
                for [a, b, c] in blocks(|at| at.checked_sub(padding).map(|at| word[at]), end) {
                    let block = block(u32::from_le_bytes([0, a, b, c]));
                    shifts[block] = shifts[block].min(shift);
                    if shift == 0 {
                        ends.push((block as u16, number as u32));
                    }
                }
            }
        }
        ends.sort_unstable();
        ends.dedup();
        Self { words, least, shifts, ends }
    }

    /// Every place where a word begins, with the word's number, in the order of the text.
    pub(crate) fn find(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        let mut waiting = Vec::new();
        if self.least < 3 {
            // Before the third byte no block is whole.
            (0..self.words.len()).filter(|&word| self.words[word].len() == 2).for_each(|word| self.check(text, 0, word, &mut waiting));
        }
        if self.least <= 3 && text.len() >= 3 {
            // The walks read a byte more than a block.
            self.stopped(text, 2, &mut waiting);
        }
        let first = self.least.max(4) - 1;
        let mut stops: [Vec<usize>; LANES] = Default::default();
        for from in (first..text.len()).step_by(LANES * LANE) {
            self.stops(&text[..text.len().min(from + LANES * LANE)], from, &mut stops);
            for end in stops.iter_mut().flat_map(|lane| lane.drain(..)) {
                self.stopped(text, end, &mut waiting);
                // A longer word that begins before a shorter one is seen after it.
                if let Some(last) = (end + 1).checked_sub(self.least + PADDING) {
                    flush(&mut waiting, last, &mut found);
                }
            }
        }
        flush(&mut waiting, text.len(), &mut found);
    }

    /// The places from `from` on whose block a window may end with. Each step waits for the one before, so that several walks side by side take
    /// hardly longer than one.
    fn stops(&self, text: &[u8], from: usize, stops: &mut [Vec<usize>; LANES]) {
        let mut ends: [usize; LANES] = std::array::from_fn(|lane| from + lane * LANE);
        let limits: [usize; LANES] = std::array::from_fn(|lane| text.len().min(from + (lane + 1) * LANE));
        let step = |end: &mut usize, stops: &mut Vec<usize>| {
            let four = text[*end - 3..].first_chunk().map_or(0, |four| u32::from_le_bytes(*four));
            let shift = self.shifts[block(four)];
            if shift == 0 {
                stops.push(*end);
            }
            *end += usize::from(shift.max(1));
        };
        while (0..LANES).all(|lane| ends[lane] < limits[lane]) {
            for (end, stops) in ends.iter_mut().zip(stops.iter_mut()) {
                step(end, stops);
            }
        }
        for ((end, stops), limit) in ends.iter_mut().zip(stops).zip(limits) {
            while *end < limit {
                step(end, stops);
            }
        }
    }

    /// The words whose window ends at `end`.
    fn stopped(&self, text: &[u8], end: usize, waiting: &mut Vec<(usize, usize)>) {
        let block = block(u32::from_le_bytes([0, text[end - 2], text[end - 1], text[end]]));
        let from = self.ends.partition_point(|known| usize::from(known.0) < block);
        for &(_, word) in self.ends[from..].iter().take_while(|known| usize::from(known.0) == block) {
            let seen = self.words[word as usize].len().min(self.least + PADDING);
            if let Some(start) = (end + 1).checked_sub(seen) {
                self.check(text, start, word as usize, waiting);
            }
        }
    }

    fn check(&self, text: &[u8], start: usize, word: usize, found: &mut Vec<(usize, usize)>) {
        let bytes = &self.words[word];
        if text.get(start..start + bytes.len()).is_some_and(|there| there.eq_ignore_ascii_case(bytes)) {
            found.push((start, word));
        }
    }

    /// The length of a word in bytes.
    pub(crate) fn len_of(&self, word: usize) -> usize {
        self.words[word].len()
    }
}

/// Tells of the words that begin up to `last`.
fn flush(waiting: &mut Vec<(usize, usize)>, last: usize, found: &mut impl FnMut(usize, usize)) {
    if waiting.is_empty() {
        return;
    }
    waiting.sort_unstable();
    let done = waiting.partition_point(|word| word.0 <= last);
    waiting.drain(..done).for_each(|(start, word)| found(start, word));
}

/// The place of the last three of four bytes. Of the fifteen bits that count one is lost where the second byte is folded over the others: a few
/// blocks share a place, which costs a look and saves steps at every byte.
fn block(four: u32) -> usize {
    let bits = (four >> 8) & 0x001f_1f1f;
    (bits ^ bits >> 6) as usize & (BLOCKS - 1)
}

fn fold(byte: u8) -> u8 {
    byte & ((1 << BITS) - 1)
}

/// The three bytes up to `end`, folded, in all ways where `byte` does not know them.
fn blocks(byte: impl Fn(usize) -> Option<u8>, end: usize) -> impl Iterator<Item = [u8; 3]> {
    let ranges = [end - 2, end - 1, end].map(|at| byte(at).map_or(0..1 << BITS, |byte| fold(byte)..fold(byte) + 1));
    let [first, second, third] = ranges;
    first.flat_map(move |a| {
        let third = third.clone();
        second.clone().flat_map(move |b| third.clone().map(move |c| [a, b, c]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(words: &[&str], text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        Matcher::new(words.iter().copied()).find(text.as_bytes(), |at, word| found.push((at, word)));
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
