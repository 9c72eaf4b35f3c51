//! Shorter descriptions by rules: deterministic, and grammatical where they were.

use crate::markdown;
use crate::sentence::{Inside, end, one_line};

/// What a text that starts a sentence is replaced by; what follows becomes its start.
const OPENINGS: &[(&str, &str)] = &[
    ("you can use this tool to ", ""),
    ("you can use this to ", ""),
    ("use this tool in order to ", ""),
    ("use this tool to ", ""),
    ("use this tool when ", "use when "),
    ("use this tool if ", "use if "),
    ("use this tool for ", "use for "),
    ("use this function to ", ""),
    ("use this function when ", "use when "),
    ("use this to ", ""),
    ("use this when ", "use when "),
    ("this tool is used to ", ""),
    ("this tool is used for ", "for "),
    ("this tool can be used to ", ""),
    ("this tool allows you to ", ""),
    ("this tool lets you ", ""),
    ("this tool enables you to ", ""),
    ("this tool helps you ", "helps "),
    ("this tool will ", ""),
    ("this function is used to ", ""),
    ("this function allows you to ", ""),
    ("this endpoint allows you to ", ""),
    ("a tool to ", ""),
    ("a tool that ", ""),
    ("tool to ", ""),
];
/// "This tool searches …": a verb in the third person needs no subject.
const SUBJECTS: &[&str] = &["this tool ", "this function ", "this endpoint ", "this method ", "this command "];
/// Whole phrases, wherever they stand.
const PHRASES: &[(&str, &str)] = &[
    ("please note that ", ""),
    ("it is important to note that ", ""),
    ("it should be noted that ", ""),
    ("note that ", ""),
    ("please ", ""),
    ("in order to ", "to "),
    ("returns a json object containing ", "returns "),
    ("returns a json object with ", "returns "),
    ("returning a json object containing ", "returning "),
    ("return a json object containing ", "return "),
    ("due to the fact that ", "because "),
    ("in the event that ", "if "),
    ("for the purpose of ", "for "),
    ("has the ability to ", "can "),
    ("utilizes ", "uses "),
    ("utilized ", "used "),
    ("utilizing ", "using "),
    ("utilize ", "use "),
];

/// A description in at most about `most` characters: without decoration, boilerplate and filler, cut at a sentence or a word.
///
/// ```
/// use snugfit_toolset::describe::shrink;
/// assert_eq!(shrink("This tool **searches** items. Please note that it is slow.", 160), "Searches items. It is slow.");
/// ```
#[must_use]
pub fn shrink(text: &str, most: usize) -> String {
    let plain = one_line(&markdown::plain(text));
    cut(&without_filler(&plain), most)
}

/// The text without openings and phrases, none of which is touched inside quotes or code.
fn without_filler(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut inside = Inside::default();
    let mut before = None;
    let mut at = 0;
    // A capital that a removed opening leaves to the next word.
    let mut capital = false;
    while at < text.len() {
        let at_word = before.is_none_or(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '\'' | '/' | '.')));
        if at_word && !inside.is_quoted() {
            let starts = starts_sentence(&out);
            if let Some((length, instead)) = replacement(&lower[at..], starts) {
                capital |= starts;
                at += length;
                push(&mut out, instead, &mut capital);
                before = Some(' ');
                continue;
            }
        }
        let Some(c) = text[at..].chars().next() else { break };
        at += c.len_utf8();
        inside.step(c, before, text[at..].chars().next());
        push(&mut out, c.encode_utf8(&mut [0; 4]), &mut capital);
        before = Some(c);
    }
    out
}

fn push(out: &mut String, text: &str, capital: &mut bool) {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if *capital => {
            *capital = false;
            out.extend(first.to_uppercase());
            out.push_str(chars.as_str());
        }
        _ => out.push_str(text),
    }
}

fn starts_sentence(out: &str) -> bool {
    let out = out.trim_end();
    out.is_empty() || out.ends_with(['.', '!', '?', ':']) && end(&format!("{out} X"), out.len()).is_some() || out.ends_with(':')
}

/// How many bytes go, and what takes their place.
fn replacement(lower: &str, starts: bool) -> Option<(usize, &'static str)> {
    let of = |list: &'static [(&str, &str)]| list.iter().find(|(phrase, _)| lower.starts_with(phrase));
    let opening = starts.then(|| of(OPENINGS)).flatten();
    if let Some((phrase, instead)) = opening.or_else(|| of(PHRASES)) {
        // "If you please" is no filler, and nothing is left of a sentence that is only the phrase.
        return lower[phrase.len()..].starts_with(char::is_alphanumeric).then_some((phrase.len(), *instead));
    }
    let subject = SUBJECTS.iter().find(|subject| starts && lower.starts_with(**subject))?;
    let verb: &str = lower[subject.len()..].split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let third_person =
        verb.len() > 3 && verb.ends_with('s') && !verb.ends_with("ss") && !matches!(verb, "does" | "always" | "this" | "uses");
    third_person.then_some((subject.len(), ""))
}

/// The text up to the first sentence that ends past `most` characters, if that is not far; else up to a word, with an ellipsis.
fn cut(text: &str, most: usize) -> String {
    let Some((limit, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let far = text.char_indices().nth(most + most / 4).map_or(text.len(), |(at, _)| at);
    if let Some(stop) = end(text, limit).filter(|&stop| stop <= far) {
        return text[..stop].to_owned();
    }
    // A sentence that ends well before is better than half of one.
    let mut whole = None;
    let mut from = 0;
    while let Some(stop) = end(text, from).filter(|&stop| stop <= limit) {
        whole = Some(stop);
        from = stop + 1;
    }
    if let Some(stop) = whole.filter(|&stop| stop * 2 >= limit) {
        return text[..stop].to_owned();
    }
    let word = if text[limit..].starts_with(' ') { limit } else { text[..limit].rfind(' ').unwrap_or(limit) };
    format!("{}…", text[..word].trim_end_matches([' ', ',', ';', ':', '-', '(']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boilerplate_and_filler_go_and_sentences_stay_grammatical() {
        for (text, expected) in [
            ("This tool searches items.", "Searches items."),
            ("This tool is a wrapper.", "This tool is a wrapper."),
            ("Use this tool to find files.", "Find files."),
            ("Use this tool when you need files.", "Use when you need files."),
            ("Finds it. Use this tool to look.", "Finds it. Look."),
            ("Please provide an id in order to look it up.", "Provide an id to look it up."),
            ("Note that it utilizes a cache, utilizing disk.", "It uses a cache, using disk."),
            ("Returns a JSON object containing the total.", "Returns the total."),
            ("It returns a JSON object containing the total.", "It returns the total."),
            // Only whole phrases, never in quotes or code.
            ("Say \"please note that x\" and `in order to y`.", "Say \"please note that x\" and `in order to y`."),
            ("Displease nobody; footnote that page.", "Displease nobody; footnote that page."),
            ("If you please.", "If you please."),
            ("The in-order-to flag.", "The in-order-to flag."),
            ("Please.", "Please."),
            ("This tool does it all.", "This tool does it all."),
            ("Compares this tool searches.", "Compares this tool searches."),
        ] {
            assert_eq!(shrink(text, 160), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_text_is_cut_at_a_sentence_or_a_word() {
        assert_eq!(shrink("One is short. Two is short. Three is short.", 20), "One is short.");
        assert_eq!(shrink("One is short. Two is.  Three is short.", 20), "One is short. Two is.");
        assert_eq!(shrink("words that go on and on without any end", 20), "words that go on and…");
        assert_eq!(shrink(&"x".repeat(30), 20), format!("{}…", "x".repeat(20)));
        assert_eq!(shrink("ünï wörds thät gö ön", 10), "ünï wörds…");
    }

    #[test]
    fn the_same_text_gives_the_same_again() {
        for text in ["This tool searches **items** of a_b.", "Please utilize `x` in order to y. Note that z is so.", "a\n\n- b\n- c"] {
            let once = shrink(text, 160);
            assert_eq!(shrink(text, 160), once);
            assert_eq!(shrink(&once, 160), once, "{text}");
        }
    }
}
