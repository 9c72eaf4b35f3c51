//! Where a text speaks of trouble, or of what the caller asked about: one pass for each.

use std::sync::LazyLock;

use crate::matcher::Matcher;
use crate::order::Order as _;
use crate::query::Term;

/// A place in a text that is worth keeping.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    /// Byte offset.
    pub(crate) at: u32,
    /// 0 to 1, before it is weighed by how rare the word is.
    pub(crate) strength: f32,
    /// The word is one that the caller used.
    pub(crate) asked: bool,
    /// The number of the word.
    pub(crate) word: u16,
}

/// Words of trouble and how strongly they speak of it. Stems, so that `failed`, `failure` and `FAIL` are one.
const TROUBLE: [(&str, f32); 44] = [
    ("error", 0.7),
    ("fail", 0.7),
    ("fatal", 0.9),
    ("panic", 0.9),
    ("critical", 0.8),
    ("exception", 0.7),
    ("traceback", 0.8),
    ("denied", 0.7),
    ("timeout", 0.6),
    ("timed out", 0.7),
    ("refused", 0.7),
    ("unauthorized", 0.6),
    ("forbidden", 0.6),
    ("crash", 0.8),
    ("abort", 0.6),
    ("cannot", 0.5),
    ("unable to", 0.6),
    ("not found", 0.5),
    ("warn", 0.4),
    ("deprecat", 0.4),
    ("conflict", 0.4),
    ("expired", 0.5),
    ("reject", 0.5),
    ("killed", 0.6),
    ("unhealthy", 0.7),
    ("unavailable", 0.5),
    ("exceeded", 0.5),
    ("corrupt", 0.7),
    ("invalid", 0.5),
    ("missing", 0.4),
    ("mismatch", 0.5),
    ("undefined", 0.3),
    ("vulnerab", 0.4),
    ("blocked", 0.4),
    ("overflow", 0.4),
    ("violation", 0.5),
    ("outage", 0.7),
    ("degraded", 0.6),
    ("assert", 0.5),
    ("segfault", 0.9),
    ("out of memory", 0.9),
    ("oomkilled", 0.9),
    ("must not", 0.3),
    ("unexpected", 0.5),
];

/// Hits of one word that are looked at; a word that comes oftener says nothing.
const MAX_HITS: usize = 2_000;

/// A word of the call in the middle of a name, beside one at its end.
const QUALIFIED: f32 = 0.6;

/// A whole value that is a word of the call is meant, however plain the word.
const WHOLE: f32 = 0.9;

/// The words of trouble are the same for every call, so their automaton is built once.
static TROUBLE_FINDER: LazyLock<Matcher> = LazyLock::new(|| Matcher::new(TROUBLE.iter().map(|(word, _)| *word)));

/// Finds the words of trouble and the terms of one call.
pub(crate) struct Finder {
    asked: Option<Matcher>,
    terms: Vec<Term>,
}

impl Finder {
    pub(crate) fn new(terms: Vec<Term>) -> Self {
        let asked = (!terms.is_empty()).then(|| Matcher::new(terms.iter().map(|t| t.text.as_str())));
        Self { asked, terms }
    }

    /// The terms of the call.
    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Every match in `text` that counts: where it begins, the number of its word, and the word's own strength.
    fn matches(&self, text: &str, mut found: impl FnMut(usize, usize, f32)) {
        TROUBLE_FINDER.find(text.as_bytes(), |at, word| {
            if real_trouble(text, at, at + TROUBLE[word].0.len()) {
                found(at, word, TROUBLE[word].1);
            }
        });
        self.asked_for(text, |at, word, strength| found(at, TROUBLE.len() + word, strength));
    }

    /// Every term of the call in `text`: where it begins, its number, and its strength.
    fn asked_for(&self, text: &str, mut found: impl FnMut(usize, usize, f32)) {
        let Some(asked) = &self.asked else { return };
        asked.find(text.as_bytes(), |at, word| {
            if whole(text, at, at + asked.len_of(word)) {
                found(at, word, self.terms[word].strength);
            }
        });
    }

    /// The names that hold terms of the call, with the number of the word and its strength, weighed by how few of the names hold it.
    pub(crate) fn named<'t>(&self, names: impl ExactSizeIterator<Item = &'t str>) -> Vec<(u32, u16, f32)> {
        if self.asked.is_none() {
            return Vec::new();
        }
        let all = names.len().max(1) as f32;
        let mut counts = vec![0u32; self.terms.len()];
        let mut found: Vec<(u32, u16, f32)> = Vec::new();
        for (at, name) in names.enumerate() {
            let from = found.len();
            self.asked_for(name, |start, word, strength| {
                // The end of a name says what it is the name of.
                let end = start + self.terms[word].text.len() >= name.len();
                let strength = if end { strength } else { strength * QUALIFIED };
                if found[from..].iter().all(|f| usize::from(f.1) != word) {
                    counts[word] += 1;
                    if counts[word] as usize <= MAX_HITS {
                        found.push((at as u32, word as u16, strength));
                    }
                }
            });
        }
        for (_, word, strength) in &mut found {
            *strength *= (1.0 - counts[usize::from(*word)] as f32 / all).powi(2);
            *word += TROUBLE.len() as u16;
        }
        found
    }

    /// The hits in `text`, in order, weighed by rarity among `records` (how many places there are).
    pub(crate) fn hits(&self, text: &str, records: usize) -> Vec<Hit> {
        // A whole value that is a word of the call is a word of its own: it names what the call is about, however often texts mention that.
        let all = TROUBLE.len() + self.terms.len();
        let mut counts = vec![0usize; all + self.terms.len()];
        let mut found: Vec<(u32, usize, f32)> = Vec::new();
        self.matches(text, |at, word, strength| {
            let asked = word.checked_sub(TROUBLE.len()).filter(|&term| whole_value(text, at, self.terms[term].text.len()));
            let (word, strength) = asked.map_or((word, strength), |term| (all + term, strength.max(WHOLE)));
            counts[word] += 1;
            if counts[word] <= MAX_HITS {
                found.push((at as u32, word, strength));
            }
        });
        let scale = (records.max(2) as f32).ln();
        let rarity = |word: usize| (1.0 - (counts[word] as f32).ln() / scale).clamp(0.0, 1.0);
        let mut hits: Vec<Hit> = found
            .into_iter()
            .map(|(at, word, strength)| Hit { at, strength: rarity(word) * strength, asked: word >= TROUBLE.len(), word: word as u16 })
            .filter(|hit| hit.strength > 0.02)
            .collect();
        hits.order_by_key(|hit| hit.at);
        hits
    }

    /// How strongly a short text speaks of trouble or of the call, 0 to 1.
    #[cfg(test)]
    fn strength(&self, text: &str) -> f32 {
        let mut best: f32 = 0.0;
        self.matches(text, |_, _, strength| best = best.max(strength));
        best
    }
}

/// Whether a match is a whole string of JSON, and no key.
fn whole_value(text: &str, start: usize, len: usize) -> bool {
    let (before, after) = (&text.as_bytes()[..start], &text.as_bytes()[start + len..]);
    before.last() == Some(&b'"') && after.first() == Some(&b'"') && after.get(1) != Some(&b':')
}

/// Whether a match is a word of its own.
fn whole(text: &str, start: usize, end: usize) -> bool {
    let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (before, after) = (text[..start].chars().next_back(), text[end..].chars().next());
    let first = text[start..end].chars().next();
    let last = text[start..end].chars().next_back();
    let (joined_before, joined_after) = (joins(first) && joins(before), joins(last) && joins(after));
    !joined_before && !joined_after
}

/// Whether a word of trouble is not denied right before it (`0 errors`, `no failures`).
///
/// Nor is it one in the middle of a longer word (`pipefail`), but for case (`TypeError`).
///
/// Nor what is counted as none (`errors: 0`, `"failed":0,`).
fn real_trouble(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    if counted_as_none(&bytes[end..]) {
        return false;
    }
    if start > 0 && bytes[start].is_ascii_lowercase() && bytes[start - 1].is_ascii_lowercase() {
        return false;
    }
    let before = text[..start].trim_end_matches([' ', '_', '-', '"', ':']);
    let denied = ["no", "0", "without", "non", "NO", "No", "zero"].iter().any(|word| {
        before
            .strip_suffix(word)
            .is_some_and(|rest| rest.len() < start && !rest.ends_with(char::is_alphanumeric) && !rest.ends_with(['.', ',']))
    });
    !denied
}

/// Whether a word goes on to a zero and nothing else: `s: 0`, `ures="0"`, ` errors      0`.
fn counted_as_none(rest: &[u8]) -> bool {
    /// Columns are padded so far at the most.
    const FAR: usize = 64;
    let rest = &rest[..rest.len().min(FAR)];
    let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic() || **b == b'_').count();
    let signs = rest[letters..].iter().take_while(|b| matches!(b, b' ' | b':' | b'=' | b'"' | b'\t')).count();
    let after = &rest[letters + signs..];
    signs > 0
        && after.first() == Some(&b'0')
        && after.get(1).is_none_or(|b| matches!(b, b'\n' | b'\r' | b',' | b';' | b')' | b'}' | b']' | b'"' | b'|'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_is_found_unless_denied() {
        let finder = Finder::new(vec![Term { text: "ops-12".into(), strength: 1.0 }]);
        for (text, strong) in [
            ("login failed", true),
            ("0 errors", false),
            ("no failures", false),
            ("TypeError: x", true),
            ("10 errors", true),
            ("all good", false),
            ("see OPS-12", true),
            ("see OPS-123", false),
            ("set -o pipefail", false),
            ("failures: 0", false),
            ("read errors      0", false),
            ("{\"errors\":0,\"total\":3}", false),
            ("errors: 10", true),
            ("error 0x80070005", true),
            ("failed 0 of 3", true),
        ] {
            assert_eq!(finder.strength(text) > 0.3, strong, "{text}");
        }
    }

    #[test]
    fn a_word_in_every_record_says_nothing() {
        let finder = Finder::new(Vec::new());
        assert!(finder.hits(&"error ".repeat(300), 300).is_empty());
        assert_eq!(finder.hits(&format!("{}panic", "error ".repeat(300)), 300).len(), 1);
    }
}
