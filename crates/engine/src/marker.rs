//! The signs that say, where it happened, that something was cut.
//!
//! In arrays one string element, `"…[118 omitted]"`; in objects the key `"…"`; in strings `…[+2133 chars]`; in line texts a line
//! `… 214 lines omitted`. No input can fake one: the sign is chosen so that the input does not hold it where we would write it.

/// The signs, in the order in which they are tried.
const SIGNS: [&str; 4] = ["…", "⋯", "‥", "⟨cut⟩"];

/// Numbered signs that are tried after those; an input that holds all of them is beyond any use.
const MAX_SIGNS: usize = 10_000;

/// The markers of one preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marks {
    sign: String,
}

impl Marks {
    /// The first sign that `input` holds neither as a key, nor before `[`, nor at the beginning of a line.
    pub(crate) fn for_input(input: &str) -> Self {
        let sign =
            SIGNS.iter().map(|s| (*s).to_owned()).chain((1..MAX_SIGNS).map(|n| format!("⟨cut {n}⟩"))).find(|sign| !held(input, sign));
        Self { sign: sign.unwrap_or_else(|| SIGNS[0].to_owned()) }
    }

    /// The sign, if it is not the usual one, so that the notice must name it.
    pub(crate) fn unusual(&self) -> Option<&str> {
        (self.sign != SIGNS[0]).then_some(self.sign.as_str())
    }

    /// The sign alone: the key of an object's marker.
    pub(crate) fn sign(&self) -> &str {
        &self.sign
    }

    /// An array's element that stands for `count` elements, as JSON.
    pub(crate) fn items(&self, count: usize) -> String {
        format!("\"{}[{count} omitted]\"", self.sign)
    }

    /// The marker of a list of records: how many went, what they were, which keys were cut from those that stayed. As JSON.
    pub(crate) fn list(&self, count: usize, summary: &str, cut: &str) -> String {
        let mut text = String::new();
        if count > 0 {
            text = format!("{count} omitted");
            if !summary.is_empty() {
                text = format!("{text}: {summary}");
            }
        }
        if !cut.is_empty() {
            text = format!("{text}{}keys cut: {cut}", if count > 0 { "; " } else { "" });
        }
        format!("\"{}[{text}]\"", self.sign)
    }

    /// An object's marker member, as JSON.
    pub(crate) fn keys(&self, count: usize, names: &str) -> String {
        let colon = if names.is_empty() { "" } else { ": " };
        format!("\"{}\":\"{count} {} omitted{colon}{names}\"", self.sign, if count == 1 { "key" } else { "keys" })
    }

    /// The mark inside a text for `count` characters.
    pub(crate) fn chars(&self, count: usize) -> String {
        format!("{}[+{count} chars]", self.sign)
    }

    /// The shortest mark inside a line for `count` characters, beside fuller ones.
    pub(crate) fn more(&self, count: usize) -> String {
        format!("{}[+{count}]", self.sign)
    }

    /// The line that stands for `count` lines.
    pub(crate) fn lines(&self, count: usize, what: &str) -> String {
        let (open, close) = if what.is_empty() { ("", "") } else { (" (", ")") };
        format!("{} {count} {} omitted{open}{what}{close}", self.sign, if count == 1 { "line" } else { "lines" })
    }

    /// The shortest line that stands for `count` lines, beside a fuller one.
    pub(crate) fn gap(&self, count: usize) -> String {
        format!("{} {count}", self.sign)
    }

    /// The same, with what the lines were.
    pub(crate) fn gap_of(&self, count: usize, what: &str) -> String {
        format!("{} {count} ({what})", self.sign)
    }
}

/// Whether the input holds a sign where a marker would stand.
fn held(input: &str, sign: &str) -> bool {
    let escaped: String =
        sign.chars().flat_map(|c| if c.is_ascii() { vec![c] } else { format!("\\u{:04x}", c as u32).chars().collect() }).collect();
    let stands = |at: usize, len: usize| {
        let (before, after) = (input[..at].chars().next_back(), input[at + len..].trim_start_matches('\\'));
        after.starts_with('[')
            || after.starts_with('"') && before == Some('"')
            || after.starts_with(' ') && matches!(before, None | Some('\n'))
    };
    memchr::memmem::find_iter(input.as_bytes(), sign).any(|at| stands(at, sign.len()))
        || memchr::memmem::find_iter(input.as_bytes(), "\\u").any(|at| {
            input.as_bytes().get(at..at + escaped.len()).is_some_and(|b| b.eq_ignore_ascii_case(escaped.as_bytes()))
                && stands(at, escaped.len())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_is_one_that_the_input_cannot_fake() {
        for (input, sign) in [
            ("plain … text", "…"),
            ("{\"…\":1}", "⋯"),
            ("[\"…[3 omitted]\"]", "⋯"),
            ("a\n… 3 lines omitted", "⋯"),
            ("\"\\u2026[\" ⋯[", "‥"),
            ("…[ ⋯[ ‥[ ⟨cut⟩[", "⟨cut 1⟩"),
        ] {
            assert_eq!(Marks::for_input(input).sign(), sign, "{input}");
        }
    }
}
