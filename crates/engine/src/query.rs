//! What the caller is after: words from the call's arguments, the tool's name and the relevance text.

use crate::json::index::Type;
use crate::json::scan::scan;
use crate::options::Options;
use crate::order::Order as _;

/// A word or phrase that the caller used.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term {
    /// In lower case.
    pub(crate) text: String,
    /// 0 to 1: how surely a place that holds it is what the caller means.
    pub(crate) strength: f32,
}

/// What is looked for at the most; arguments may hold whole documents.
const MAX_TERMS: usize = 48;
/// A value longer than this is looked at word by word only, and only so far.
const MAX_PHRASE: usize = 64;
const MAX_SCANNED: usize = 2_000;
/// Things that one value asks for.
const MAX_PHRASES: usize = 6;
/// Names are of so many words at the most.
const MAX_JOINED: usize = 4;

/// Arguments that say how much to return or how, not what.
const PAGING: [&str; 26] = [
    "limit",
    "per_page",
    "perpage",
    "page",
    "page_size",
    "pagesize",
    "max_results",
    "maxresults",
    "first",
    "last",
    "offset",
    "count",
    "depth",
    "size",
    "start",
    "format",
    "sort",
    "order",
    "direction",
    "step",
    "timeout",
    "cursor",
    "encoding",
    "verbose",
    "recursive",
    "method",
];

const STOP_WORDS: [&str; 56] = [
    "and", "the", "for", "not", "from", "with", "select", "where", "order", "limit", "this", "that", "are", "was", "all", "any", "has",
    "have", "get", "list", "true", "false", "null", "none", "asc", "desc", "http", "https", "www", "com", "org", "json", "api", "like",
    "group", "having", "join", "left", "using", "into", "what", "which", "when", "who", "how", "why", "does", "did", "can", "will",
    "should", "about", "please", "empty", "is", "in",
];

/// The terms of a call, strongest first, each once.
pub(crate) fn terms(options: &Options) -> Vec<Term> {
    let mut found = Vec::new();
    if let Some(index) = scan(&options.arguments) {
        for node in 0..index.nodes.len() as u32 {
            let key = index.name(index.nodes[node as usize].key);
            if PAGING.iter().any(|p| p.eq_ignore_ascii_case(key)) {
                continue;
            }
            match index.kind(node) {
                Type::String => {
                    let lexeme = index.lexeme(node);
                    value_terms(&lexeme[1..lexeme.len() - 1], &mut found);
                }
                Type::Number if index.lexeme(node).len() >= 2 => push(&mut found, index.lexeme(node), 0.9),
                _ => {}
            }
            if found.len() > 4 * MAX_TERMS {
                break;
            }
        }
    }
    value_terms(&options.relevance, &mut found);
    for word in name_words(&options.tool_name) {
        push(&mut found, &word, 0.15);
    }
    found.order_by(|a, b| b.strength.total_cmp(&a.strength));
    found.truncate(MAX_TERMS);
    found
}

fn value_terms(value: &str, found: &mut Vec<Term>) {
    let value = value.trim();
    if value.len() <= MAX_PHRASE && value.contains(|c: char| !c.is_alphanumeric()) {
        push(found, value, 1.0);
    }
    let scanned = &value[..value.floor_char_boundary(MAX_SCANNED)];
    // Of a few things that are asked for each is a phrase; more of them are prose or code, whose words count.
    let parts = scanned.split([',', ';', '|', '\n', '"', '\'']).map(str::trim);
    let phrases = parts.filter(|part| part.len() <= MAX_PHRASE && part.contains(' '));
    let few = phrases.clone().count() <= MAX_PHRASES;
    for phrase in phrases.filter(|_| few) {
        push(found, phrase, 1.0);
        // Names and paths join words otherwise than sentences do.
        let words = phrase.split(' ').filter(|word| !word.is_empty());
        if words.clone().count() <= MAX_JOINED && words.clone().all(|word| word.chars().all(|c| c.is_alphanumeric() || c == '-')) {
            for by in ["-", "_", "/"] {
                push(found, &words.clone().collect::<Vec<_>>().join(by), 0.9);
            }
        }
    }
    for word in scanned.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@'))) {
        let word = word.trim_matches(['-', '_', '.']);
        let pointed = word.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '.' | '@'))
            || word.contains(char::is_uppercase) && word.contains(char::is_lowercase);
        push(found, word, if pointed { 0.9 } else { 0.6 });
        for part in word.split(['-', '_', '.', '@']).filter(|part| part.len() < word.len() && part.len() > 3) {
            push(found, part, 0.3);
        }
    }
}

fn push(found: &mut Vec<Term>, text: &str, strength: f32) {
    let text = text.to_lowercase();
    let short = text.chars().count() < if text.is_ascii() { 3 } else { 2 } && !text.bytes().all(|b| b.is_ascii_digit());
    if short || text.len() < 2 || text.len() > MAX_PHRASE || STOP_WORDS.contains(&text.as_str()) {
        return;
    }
    match found.iter_mut().find(|term| term.text == text) {
        Some(term) => term.strength = term.strength.max(strength),
        None => found.push(Term { text, strength }),
    }
}

/// The words of a name in any case style, in lower case: `listHTTPServers` is `list`, `http`, `servers`.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().take(200).collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|i| chars[i]);
        let starts = c.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || chars.get(at + 1).is_some_and(|n| n.is_lowercase()) && before.is_some_and(char::is_uppercase));
        if (starts || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_into_words() {
        for (name, words) in [
            ("listHTTPServers", "list http servers"),
            ("get_confluence_page", "get confluence page"),
            ("created-at", "created at"),
            ("ID", "id"),
            ("avatarURL", "avatar url"),
        ] {
            assert_eq!(name_words(name).join(" "), words);
        }
    }

    #[test]
    fn a_few_parts_of_a_value_are_phrases_and_many_are_prose() {
        let of = |text: &str| -> Vec<String> {
            terms(&Options { relevance: text.to_owned(), ..Options::default() }).into_iter().map(|t| t.text).collect()
        };
        let few = of("open alerts, failed jobs of runners and more of them");
        for term in ["open alerts", "open-alerts", "open_alerts", "open/alerts", "failed jobs of runners and more of them", "jobs"] {
            assert!(few.iter().any(|t| t == term), "{term}: {few:?}");
        }
        let many = of(&(0..30).map(|i| format!("clause number{i} holds zeppelin{i}")).collect::<Vec<_>>().join(", "));
        assert!(many.iter().all(|t| !t.contains(' ')) && many.iter().any(|t| t == "zeppelin20"), "{many:?}");
    }

    #[test]
    fn arguments_give_their_words_but_not_their_paging() {
        let options = Options {
            arguments: r#"{"jql":"assignee = Marta and key = OPS-12","limit":50}"#.into(),
            tool_name: "searchIssues".into(),
            ..Options::default()
        };
        let found: Vec<_> = terms(&options).into_iter().map(|t| t.text).collect();
        assert_eq!(found, ["assignee = marta and key = ops-12", "marta", "ops-12", "assignee", "key", "search", "issues"]);
    }
}
