//! Where an encoding cuts text before it looks for tokens: what its published regular expression matches, by hand.
//!
//! The expressions need look-ahead and backtracking, which costs a regular-expression engine as large as the rest of the addon. Written out, each
//! rule reads a run of characters and ends; a character is read a bounded number of times, whatever the text.

use super::class::Class;

/// The rules of an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    /// `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`
    Cl100k,
    /// `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
    /// then `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
    /// then `\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
    O200k,
}

impl Rules {
    /// The end of the piece that begins at `at`, which is before the end of the text.
    pub(super) fn piece(self, text: &str, at: usize) -> usize {
        let word = match self {
            Self::Cl100k => contraction(text, at).or_else(|| plain_word(text, at)),
            Self::O200k => cased_word(text, at),
        };
        word.or_else(|| number(text, at)).or_else(|| self.symbols(text, at)).unwrap_or_else(|| self.space(text, at))
    }

    /// A run of symbols with the space before it and the line breaks after it.
    fn symbols(self, text: &str, at: usize) -> Option<usize> {
        let from = if text[at..].starts_with(' ') { at + 1 } else { at };
        let end = run(text, from, Class::is_symbol);
        if end == from {
            return None;
        }
        let tail = |b: &u8| matches!(b, b'\r' | b'\n') || self == Self::O200k && *b == b'/';
        Some(end + text.as_bytes()[end..].iter().take_while(|b| tail(b)).count())
    }

    /// White space: up to its last line break; else all but the last character, which goes with what follows.
    fn space(self, text: &str, at: usize) -> usize {
        let end = run(text, at, Class::is_space);
        let space = &text[at..end];
        let last_break = space.rfind(['\r', '\n']).map(|found| at + found + 1);
        if self == Self::Cl100k && end == text.len() {
            return end;
        }
        if let Some(end) = last_break {
            return end;
        }
        match space.char_indices().next_back() {
            Some((last, _)) if last > 0 && end < text.len() => at + last,
            _ => end,
        }
    }
}

/// Where the run of characters of a class ends that begins at `from`.
fn run(text: &str, from: usize, of: impl Fn(Class) -> bool) -> usize {
    text[from..].char_indices().find(|&(_, c)| !of(Class::of(c))).map_or(text.len(), |(at, _)| from + at)
}

/// Where the first character from `at` ends, if it may lead a word.
fn lead(text: &str, at: usize) -> Option<usize> {
    text[at..].chars().next().filter(|&c| Class::of(c).leads()).map(|c| at + c.len_utf8())
}

fn number(text: &str, at: usize) -> Option<usize> {
    let digits = text[at..].chars().take(3).take_while(|&c| Class::of(c) == Class::Number);
    Some(at + digits.map(char::len_utf8).sum::<usize>()).filter(|&end| end > at)
}

/// `'s` and its like.
fn contraction(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].strip_prefix('\'')?;
    let mut chars = rest.chars();
    let (first, second) = (chars.next()?, chars.next());
    let end = at + 1 + first.len_utf8();
    match (first.to_ascii_lowercase(), second.map(|c| c.to_ascii_lowercase())) {
        // The long s is an s where case does not count.
        ('s' | 'd' | 'm' | 't' | 'ſ', _) => Some(end),
        ('l', Some('l')) | ('v' | 'r', Some('e')) => Some(end + 1),
        _ => None,
    }
}

/// Letters, with what leads them.
fn plain_word(text: &str, at: usize) -> Option<usize> {
    let from = lead(text, at).unwrap_or(at);
    Some(run(text, from, Class::is_letter)).filter(|&end| end > from)
}

/// Capitals, then small letters, with what leads them and a contraction.
fn cased_word(text: &str, at: usize) -> Option<usize> {
    let led = lead(text, at);
    let end = led
        .and_then(|from| small_word(text, from))
        .or_else(|| small_word(text, at))
        .or_else(|| led.and_then(|from| capital_word(text, from)))
        .or_else(|| capital_word(text, at))?;
    Some(contraction(text, end).unwrap_or(end))
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
fn may_begin(class: Class) -> bool {
    matches!(class, Class::Upper | Class::Letter | Class::Mark)
}

/// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
fn may_end(class: Class) -> bool {
    matches!(class, Class::Lower | Class::Letter | Class::Mark)
}

/// Any number of the first class, at least one of the second. The first takes all that it can and gives back as little as it must.
fn small_word(text: &str, from: usize) -> Option<usize> {
    let middle = run(text, from, may_begin);
    let end = run(text, middle, may_end);
    if end > middle {
        return Some(end);
    }
    text[from..middle].char_indices().rfind(|&(_, c)| may_end(Class::of(c))).map(|(last, c)| from + last + c.len_utf8())
}

/// At least one of the first class, any number of the second.
fn capital_word(text: &str, from: usize) -> Option<usize> {
    let middle = run(text, from, may_begin);
    (middle > from).then(|| run(text, middle, may_end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(rules: Rules, text: &str) -> Vec<&str> {
        let mut at = 0;
        std::iter::from_fn(|| {
            let from = at;
            (from < text.len()).then(|| {
                at = rules.piece(text, from);
                &text[from..at]
            })
        })
        .collect()
    }

    #[test]
    fn o200k_cuts_where_its_expression_does() {
        for (text, expected) in [
            ("Hello world's end", vec!["Hello", " world's", " end"]),
            ("getHTTPUrl2", vec!["get", "HTTPUrl", "2"]),
            ("中AB文", vec!["中AB文"]),
            ("中AB", vec!["中", "AB"]),
            ("\u{301}ABC", vec!["\u{301}", "ABC"]),
            ("1234567", vec!["123", "456", "7"]),
            ("((x", vec!["((", "x"]),
            (" //\n/x", vec![" //\n/", "x"]),
            ("a  \n  b", vec!["a", "  \n", " ", " b"]),
            ("a  ", vec!["a", "  "]),
            ("a\n  ", vec!["a", "\n", "  "]),
            ("it'ſ IT'LL", vec!["it'ſ", " IT'LL"]),
        ] {
            assert_eq!(pieces(Rules::O200k, text), expected, "{text:?}");
        }
    }

    #[test]
    fn cl100k_cuts_where_its_expression_does() {
        for (text, expected) in [
            ("Hello world's end", vec!["Hello", " world", "'s", " end"]),
            ("getHTTPUrl2", vec!["getHTTPUrl", "2"]),
            ("'sort", vec!["'s", "ort"]),
            (" //\n/x", vec![" //\n", "/x"]),
            ("e\u{301}x", vec!["e", "\u{301}x"]),
            ("a  \n  b", vec!["a", "  \n", " ", " b"]),
            ("a\n  ", vec!["a", "\n  "]),
        ] {
            assert_eq!(pieces(Rules::Cl100k, text), expected, "{text:?}");
        }
    }
}
