//! Secrets in plain text that are known by the name before them: `"password": "…"` in JSON that is part of a text, quoted however often, and
//! `token=…` as URLs and environments have it.

use std::ops::Range;

/// Longer names are none.
const MOST_NAME: usize = 64;

/// Where values stand whose names are those of secrets, in their order.
pub(super) fn values(text: &str, is_secret: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b':', b'=', &bytes[at..]) {
        let sign = at + next;
        at = sign + 1;
        let value = match bytes[sign] {
            b'=' => assigned(text, sign, &is_secret),
            _ => member(text, sign, &is_secret),
        };
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            at = value.end;
            found.push(value);
        }
    }
    found
}

/// The value after an equals sign, where the name before it is that of a secret. Only then its end is looked for: many signs may share it.
fn assigned(text: &str, sign: usize, is_secret: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let length = bytes[..sign].iter().rev().take(MOST_NAME).take_while(is_of_name).count();
    if !is_secret(&text[sign - length..sign]) {
        return None;
    }
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"&;,\"'`<>()[]{}\\".contains(byte);
    let end = bytes[sign + 1..].iter().position(ends).map_or(bytes.len(), |length| sign + 1 + length);
    Some(sign + 1..end)
}

/// The string after a colon, where the name before it is that of a secret, both in quotes of the same depth.
fn member(text: &str, sign: usize, is_secret: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let before = text[..sign].trim_end();
    let name = before.strip_suffix('"')?;
    // A quote in a string in a string has a backslash, in another string three, and so on.
    let name = name.trim_end_matches('\\');
    let depth = before.len() - 1 - name.len();
    let from = name.as_bytes().iter().rev().take(MOST_NAME).position(|byte| *byte == b'"').map(|length| name.len() - length)?;
    if !is_secret(&name[from..]) {
        return None;
    }
    let after = sign + 1 + bytes[sign + 1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let start = after + depth + 1;
    if !bytes.get(after..start)?.iter().rev().eq([b'"'].iter().chain(std::iter::repeat_n(&b'\\', depth))) {
        return None;
    }
    let mut end = start;
    while let Some(next) = memchr::memchr(b'"', &bytes[end..]) {
        let quote = end + next;
        let slashes = bytes[start..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
        if slashes % (2 * (depth + 1)) == depth {
            return Some(start..quote - depth);
        }
        end = quote + 1;
    }
    Some(start..bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(text: &str) -> Vec<&str> {
        values(text, |name| name == "key").into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn values_are_known_by_their_names() {
        for (text, expected) in [
            ("no: {\"key\":\"a b\", \"other\": \"c\"}", vec!["a b"]),
            ("no: {\"key\" : \"a\\\"b\\\\\", \"key\": 5, \"key\":\"\"}", vec!["a\\\"b\\\\"]),
            ("/x?a=1&key=b%20c&d=2 key=\"", vec!["b%20c"]),
            ("key=é;key = 5", vec!["é"]),
            ("{\"key\":\"broken off", vec!["broken off"]),
            ("\"key:\" \"x\" key: \"y\" :=:\"\"", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn many_names_before_one_end_are_soon_looked_through() {
        let text = "other=".repeat(1_000_000);
        assert_eq!(found(&text), Vec::<&str>::new());
        let mut text = (0..3000).map(|depth| format!("\"n{0}\":{0}\"", "\\".repeat(depth))).collect::<String>();
        text += &"x".repeat(1_000_000);
        assert_eq!(found(&text), Vec::<&str>::new());
    }

    #[test]
    fn however_often_they_are_quoted() {
        let secret = "a\"b\\c\\";
        let mut value = json!({ "key": secret, "more": "key" });
        for depth in 0..5 {
            let text = format!("refused: {value}");
            let [found] = found(&text)[..] else { panic!("{text}") };
            let mut inner = secret.to_owned();
            (0..=depth)
                .for_each(|_| inner = serde_json::to_string(&inner).expect("JSON")[1..].strip_suffix('"').expect("a quote").to_owned());
            assert_eq!(found, inner);
            value = json!({ "text": value.to_string() });
        }
    }
}
