//! Sentences: where the first one ends, and texts on one line.

/// Words after whose dot a sentence goes on.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "eg", "ie", "vs", "cf", "viz", "incl", "excl", "approx", "resp", "ca", "fig", "eq", "sec", "ver", "vol", "dr", "mr",
    "mrs", "ms", "st", "prof", "a.k.a", "aka", "w.r.t", "max", "min", "no", "nos", "ed", "al",
];
/// Words after whose dot a sentence ends only if a capital follows.
const ENDINGS: &[&str] = &["etc", "inc", "ltd", "corp", "co", "jr", "sr", "p.m", "a.m", "u.s"];

/// A text with every run of white space made one space.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The first sentence of a text, on one line. Abbreviations ("e.g."), version numbers, file names and what stands in quotes or code do not
/// end one; a blank line and a list do.
///
/// ```
/// use snugfit_toolset::sentence::first;
/// assert_eq!(first("Finds items, e.g. bolts of v1.2. Fast."), "Finds items, e.g. bolts of v1.2.");
/// ```
#[must_use]
pub fn first(text: &str) -> String {
    let paragraph = paragraph(text.trim());
    one_line(&paragraph[..end(paragraph, 0).unwrap_or(paragraph.len())])
}

/// The text up to a blank line or the first item of a list.
fn paragraph(text: &str) -> &str {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let item = content.starts_with("- ") || content.starts_with("* ") || content.starts_with("+ ") || content.starts_with("• ");
        if at > 0 && (content.is_empty() || item) {
            break;
        }
        at += line.len();
    }
    text[..at].trim_end()
}

/// Where the first sentence ends that ends at byte `from` or later, its full stop and closing brackets included.
pub(crate) fn end(text: &str, from: usize) -> Option<usize> {
    let mut inside = Inside::default();
    let mut chars = text.char_indices().peekable();
    let mut before = None;
    while let Some((at, c)) = chars.next() {
        let quoted = inside.step(c, before, chars.peek().map(|next| next.1));
        let previous = before.replace(c);
        if quoted || !matches!(c, '.' | '!' | '?' | '。' | '！' | '？') {
            continue;
        }
        let mut stop = at + c.len_utf8();
        while let Some(&(at, closing)) = chars.peek() {
            if !matches!(closing, '.' | '!' | '?' | ')' | ']' | '"' | '\'' | '”' | '’') {
                break;
            }
            inside.step(closing, before, None);
            before = Some(closing);
            stop = at + closing.len_utf8();
            chars.next();
        }
        let rest = &text[stop..];
        let wide = matches!(c, '。' | '！' | '？');
        if stop >= from && (wide || ends(c, previous, &text[..at], rest)) {
            return Some(stop);
        }
    }
    None
}

/// Whether a dot (or `!`, `?`) after `before` ends a sentence, with `rest` behind it.
fn ends(stop: char, previous: Option<char>, before: &str, rest: &str) -> bool {
    if rest.is_empty() {
        return true;
    }
    if !rest.starts_with(char::is_whitespace) {
        return false;
    }
    if stop != '.' {
        return true;
    }
    let next = rest.trim_start().chars().next();
    let start = before
        .rfind(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '/' | ','))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let word = before[start..].to_ascii_lowercase();
    if ABBREVIATIONS.contains(&word.as_str()) {
        // "min." and "no." are also plain words at an end: "… or no. The …".
        return matches!(word.as_str(), "max" | "min" | "no") && next.is_some_and(char::is_uppercase);
    }
    if ENDINGS.contains(&word.as_str()) {
        return next.is_some_and(char::is_uppercase);
    }
    // The number of an item, an initial.
    let numbers_a_line = word.bytes().all(|byte| byte.is_ascii_digit()) && before[..start].trim_end_matches([' ', '\t']).ends_with(['\n']);
    let first_number = start == 0 && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let initial = word.len() == 1 && previous.is_some_and(|c| c.is_ascii_uppercase());
    !(numbers_a_line || first_number || initial || next.is_some_and(char::is_lowercase))
}

/// Whether a place is inside code, quotes or brackets.
#[derive(Default)]
pub(crate) struct Inside {
    code: bool,
    quote: bool,
    brackets: usize,
}

impl Inside {
    /// Whether the next character stands in code or quotes.
    pub(crate) fn is_quoted(&self) -> bool {
        self.code || self.quote
    }

    /// Steps over `c`; whether it stands inside. Quotes that open count as outside, those that close as inside.
    pub(crate) fn step(&mut self, c: char, before: Option<char>, after: Option<char>) -> bool {
        let inside = self.code || self.quote || self.brackets > 0;
        match c {
            '`' => self.code = !self.code,
            _ if self.code => {}
            '“' => self.quote = true,
            '”' => self.quote = false,
            // An inch or a stray quote opens nothing: a quote opens before a word and closes after one.
            '"' if self.quote => self.quote = false,
            '"' if before.is_none_or(|c| !c.is_alphanumeric()) && after.is_some_and(|c| !c.is_whitespace()) => self.quote = true,
            '(' | '[' | '{' => self.brackets += 1,
            ')' | ']' | '}' => self.brackets = self.brackets.saturating_sub(1),
            // Nothing is left open over a blank line or for ever.
            '\n' if after == Some('\n') => *self = Self::default(),
            _ => {}
        }
        inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_sentence_is_a_whole_one() {
        for (text, expected) in [
            ("One. Two.", "One."),
            ("No end", "No end"),
            ("", ""),
            ("Finds items, e.g. bolts. Fast.", "Finds items, e.g. bolts."),
            ("Finds items (e.g. Bolts. Nuts). Fast.", "Finds items (e.g. Bolts. Nuts)."),
            ("Uses API v1.2. Fast.", "Uses API v1.2."),
            ("Reads package.json files. Fast.", "Reads package.json files."),
            ("Supports Node.js and etc. Then more.", "Supports Node.js and etc."),
            ("Lists files, dirs, etc. in a folder. Fast.", "Lists files, dirs, etc. in a folder."),
            ("Is it fast? Yes.", "Is it fast?"),
            ("Waits... then goes on. Fast.", "Waits... then goes on."),
            ("By J. Smith for all. Fast.", "By J. Smith for all."),
            ("Runs `a. B` and \"c. D\" now. Fast.", "Runs `a. B` and \"c. D\" now."),
            ("Title line\n\nBody.", "Title line"),
            ("Does this:\n- one. x\n- two", "Does this:"),
            ("Spread over\nlines. Fast.", "Spread over lines."),
            ("検索します。速い。", "検索します。"),
            ("Compares one vs. another. Fast.", "Compares one vs. another."),
            ("Sees fig. 3. Fast.", "Sees fig. 3."),
            ("1. First. Then.", "1. First."),
            ("A 5\" disk. Fast.", "A 5\" disk."),
        ] {
            assert_eq!(first(text), expected, "{text:?}");
        }
    }

    #[test]
    fn white_space_becomes_one_space() {
        assert_eq!(one_line("  a\n\tb \u{a0} c "), "a b c");
    }
}
