//! Names: their words, the forms that commands and code want, and which known name a wrong one means.

use std::collections::HashSet;

/// The words of a name in any case style, in lower case: `listHTTPServers` is `list`, `http`, `servers`.
///
/// Letters and digits of ASCII count; everything else separates.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, &c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            continue;
        }
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        // A capital begins a word after a small letter or a digit, and where an acronym ends: the `S` of `HTTPServers`. The plural of an
        // acronym, as in `listURLs`, is no new word.
        let plural = after == Some(&'s') && chars.get(at + 2).is_none_or(|next| !next.is_ascii_lowercase());
        let hump = c.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit() && after.is_some_and(char::is_ascii_lowercase)
                    || before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase) && !plural
            });
        if hump && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.push(c.to_ascii_lowercase());
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// `get-confluence-page` for `getConfluencePage`; `tool` for a name without a letter or digit of ASCII.
#[must_use]
pub fn kebab(name: &str) -> String {
    let words = words(name);
    if words.is_empty() { "tool".to_owned() } else { words.join("-") }
}

/// A name that a shell takes for a command: `[a-z0-9_-]`, not starting with a digit or a hyphen.
#[must_use]
pub fn command(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.trim().chars() {
        match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9' | '_') => out.push(c),
            // No hyphen at the start, and never two in a row.
            _ if out.is_empty() || out.ends_with('-') => {}
            _ => out.push('-'),
        }
    }
    let out = out.trim_end_matches('-');
    match out.chars().next() {
        None => "tools".to_owned(),
        Some('0'..='9') => format!("_{out}"),
        Some(_) => out.to_owned(),
    }
}

/// A name that model APIs take for a tool: `[A-Za-z0-9_-]`, at most 64 characters.
#[must_use]
pub fn tool_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.trim().chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => out.push(c),
            _ if out.is_empty() || out.ends_with('_') => {}
            _ => out.push('_'),
        }
    }
    out.truncate(64);
    out.trim_end_matches('_').to_owned()
}

/// A form of each name such that no two are the same: a name that is its own form keeps it, others that would get a form that is taken get
/// `2`, `3` … after `separator`, in order. `reserved` forms go to nobody.
#[must_use]
pub fn unique(names: &[&str], form: impl Fn(&str) -> String, separator: &str, reserved: &[&str]) -> Vec<String> {
    let mut taken: HashSet<String> = reserved.iter().map(|&name| name.to_owned()).collect();
    let mut forms: Vec<Option<String>> = vec![None; names.len()];
    for (slot, &name) in forms.iter_mut().zip(names) {
        if form(name) == name && taken.insert(name.to_owned()) {
            *slot = Some(name.to_owned());
        }
    }
    // Where the numbers of a form have got to: names that all collide must not each count from two.
    let mut next = std::collections::HashMap::<String, usize>::new();
    for (slot, name) in forms.iter_mut().zip(names) {
        if slot.is_some() {
            continue;
        }
        let base = form(name);
        let mut candidate = base.clone();
        let number = next.entry(base.clone()).or_insert(2);
        while !taken.insert(candidate.clone()) {
            candidate = format!("{base}{separator}{number}");
            *number += 1;
        }
        *slot = Some(candidate);
    }
    forms.into_iter().flatten().collect()
}

/// The known names closest to a wrong one, closest first, at most `most`.
#[must_use]
pub fn closest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let wrong = excerpt(wrong).to_lowercase();
    let mut ranked: Vec<(usize, &str)> = known.map(|name| (distance(&wrong, &excerpt(name).to_lowercase()), name)).collect();
    // A stable sort: names equally close stay in the order of the list.
    ranked.sort_by_key(|ranked| ranked.0);
    ranked.truncate(most);
    ranked.into_iter().map(|ranked| ranked.1).collect()
}

/// The known name that a wrong one most likely means, if any is close.
#[must_use]
pub fn meant<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = closest(wrong, known, 1).first().copied()?;
    let (wrong, close) = (excerpt(wrong).to_lowercase(), name.to_lowercase());
    let length = wrong.chars().count();
    let near = distance(&wrong, &close) <= (length / 3).max(2).min(length.saturating_sub(1));
    // A part of a name means it as well: `labels` for `issue-labels`.
    (near || wrong.len() >= 3 && (close.contains(&wrong) || wrong.contains(&close) && close.len() >= 3)).then_some(name)
}

/// As much of a name as a message shows, and as a comparison costs.
#[must_use]
pub fn excerpt(name: &str) -> String {
    const MOST: usize = 80;
    if name.chars().nth(MOST).is_none() { name.to_owned() } else { name.chars().take(MOST).chain(['…']).collect() }
}

/// The Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &d) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(c != d);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_any_style_has_the_same_words() {
        for (name, expected) in [
            ("getConfluencePage", "get-confluence-page"),
            ("get_confluence_page", "get-confluence-page"),
            ("GetConfluencePage", "get-confluence-page"),
            ("GET_CONFLUENCE_PAGE", "get-confluence-page"),
            ("listHTTPServers", "list-http-servers"),
            ("HTMLToPDF", "html-to-pdf"),
            ("parseURL", "parse-url"),
            ("listURLs", "list-urls"),
            ("listURLsOfID", "list-urls-of-id"),
            ("getV2Item", "get-v2-item"),
            ("oauth2Token", "oauth2-token"),
            ("s3Get", "s3-get"),
            ("server.tool/name", "server-tool-name"),
            ("--x--", "x"),
            ("a", "a"),
            ("", "tool"),
            ("検索", "tool"),
            ("café", "caf"),
        ] {
            assert_eq!(kebab(name), expected, "{name}");
        }
    }

    #[test]
    fn a_command_is_fit_for_a_shell() {
        for (name, expected) in [
            ("inventory", "inventory"),
            ("My Server", "my-server"),
            ("@scope/pkg", "scope-pkg"),
            ("123", "_123"),
            ("-rf", "rf"),
            ("a;rm -rf /", "a-rm-rf"),
            ("../../etc", "etc"),
            ("$(x)", "x"),
            ("", "tools"),
            ("日本", "tools"),
            ("under_score", "under_score"),
        ] {
            assert_eq!(command(name), expected, "{name}");
        }
    }

    #[test]
    fn a_tool_name_is_one_that_model_apis_take() {
        for (name, expected) in [("my server!", "my_server"), ("@a/b", "a_b"), ("ok-name_1", "ok-name_1"), ("…", "")] {
            assert_eq!(tool_name(name), expected, "{name}");
        }
        assert_eq!(tool_name(&"x".repeat(100)).len(), 64);
    }

    #[test]
    fn names_that_collide_get_numbers_and_a_name_that_fits_keeps_it() {
        let form = |names: &[&str], reserved: &[&str]| unique(names, kebab, "-", reserved);
        assert_eq!(form(&["getUser", "get-user", "get_user"], &[]), ["get-user-2", "get-user", "get-user-3"]);
        assert_eq!(form(&["getUser", "get_user", "get-user-2"], &[]), ["get-user", "get-user-3", "get-user-2"]);
        assert_eq!(form(&["json", "help"], &["json", "help"]), ["json-2", "help-2"]);
        assert_eq!(form(&["一", "二"], &[]), ["tool", "tool-2"]);
    }

    #[test]
    fn many_collisions_cost_no_more_than_their_number() {
        let names = vec!["一"; 20_000];
        let forms = unique(&names, kebab, "-", &[]);
        assert_eq!(forms.last().map(String::as_str), Some("tool-20000"));
    }

    #[test]
    fn a_wrong_name_finds_what_it_means() {
        let known = ["search_issues", "search_code", "get_issue", "create_issue"];
        assert_eq!(closest("serch_issue", known.into_iter(), 2), ["search_issues", "get_issue"]);
        assert_eq!(meant("getissue", known.into_iter()), Some("get_issue"));
        assert_eq!(meant("code", known.into_iter()), Some("search_code"));
        assert_eq!(meant("zzzzzzzz", known.into_iter()), None);
        assert_eq!(meant("x", std::iter::empty()), None);
    }
}
