//! The JSON of an envelope of text blocks: put together from its texts, and compared with them.

use snugfit_engine::same_json;

use crate::wtf8::{self, Invalid};

/// The JSON text of an envelope, from its `texts` and what stands `around` them: before the first, between each two, after the last. One
/// part alone is the whole.
///
/// The texts are written as `JSON.stringify` writes them, lone surrogates as escapes. So whoever has the texts as bytes already needs no
/// second copy of them to have the whole.
///
/// ```
/// use snugfit_recovery::envelope::assemble;
/// let around: [&[u8]; 2] = [br#"{"content":[{"type":"text","text":"#, b"}]}"];
/// assert_eq!(assemble(&around, &[b"a \"b\"\n"]), br#"{"content":[{"type":"text","text":"a \"b\"\n"}]}"#);
/// ```
#[must_use]
pub fn assemble(around: &[&[u8]], texts: &[&[u8]]) -> Vec<u8> {
    let size: usize = around.iter().chain(texts).map(|part| part.len() + part.len() / 16 + 2).sum();
    let mut json = Vec::with_capacity(size);
    for (at, part) in around.iter().enumerate() {
        if let Some(text) = at.checked_sub(1).and_then(|before| texts.get(before)) {
            write_string(&mut json, text);
        }
        json.extend_from_slice(part);
    }
    json
}

/// Whether structured content says what the only text says: the same JSON, or an object with nothing but that text, as it is or read as
/// JSON. That is how servers wrap what is no object, under a name of theirs: `{"result": …}`, `{"content": …}`.
#[must_use]
pub fn repeats(texts: &[&str], structured: &str) -> bool {
    let &[text] = texts else { return false };
    if same_json(text, structured) {
        return true;
    }
    let Some(value) = after_first_key(structured) else { return false };
    let as_string = || {
        let mut literal = Vec::with_capacity(text.len() + 2);
        write_string(&mut literal, text.as_bytes());
        std::str::from_utf8(&literal).is_ok_and(|literal| same_json(literal, value))
    };
    same_json(text, value) || as_string()
}

/// What stands between the first colon and the last brace of an object: its value where it has one member, no JSON where it has more.
fn after_first_key(json: &str) -> Option<&str> {
    let members = json.trim().strip_prefix('{')?.strip_suffix('}')?;
    let key = members.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    let end = key.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    key[end + 1..].trim_start().strip_prefix(':')
}

/// Writes WTF-8 as a JSON string.
fn write_string(json: &mut Vec<u8>, text: &[u8]) {
    json.push(b'"');
    wtf8::for_each(text, |valid, invalid| {
        let bytes = valid.as_bytes();
        let mut from = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if byte >= 0x20 && byte != b'"' && byte != b'\\' {
                continue;
            }
            json.extend_from_slice(&bytes[from..at]);
            from = at + 1;
            match byte {
                b'"' | b'\\' => json.extend([b'\\', byte]),
                0x08 => json.extend(b"\\b"),
                0x09 => json.extend(b"\\t"),
                0x0a => json.extend(b"\\n"),
                0x0c => json.extend(b"\\f"),
                0x0d => json.extend(b"\\r"),
                control => json.extend(format!("\\u{control:04x}").bytes()),
            }
        }
        json.extend_from_slice(&bytes[from..]);
        match invalid {
            Some(Invalid::Surrogate(surrogate)) => json.extend(format!("\\u{surrogate:04x}").bytes()),
            Some(Invalid::Bytes) => json.extend("\u{fffd}".bytes()),
            None => {}
        }
    });
    json.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_as_json_stringify_does() {
        let text = b"\"\\\x00\x07\x08\t\n\x0b\x0c\r\x1f /\x7f\xc3\xbc\xed\xa0\x80\xf0\x9f\x98\x80";
        let expected = "\"\\\"\\\\\\u0000\\u0007\\b\\t\\n\\u000b\\f\\r\\u001f /\u{7f}\u{fc}\\ud800\u{1f600}\"";
        assert_eq!(String::from_utf8(assemble(&[b"", b""], &[text])).expect("UTF-8"), expected);
    }

    #[test]
    fn structured_content_that_repeats_the_text_is_told() {
        let cases: [(&[&str], &str, bool); 14] = [
            (&["{\"a\": 1}"], r#"{"a":1}"#, true),
            (&["[1, 2]"], r#"{"result":[1,2]}"#, true),
            (&["plain \"text\""], r#"{"result":"plain \"text\""}"#, true),
            (&["plain \"text\""], r#" { "a\"b\\" : "plain \u0022text\"" } "#, true),
            (&["{\"a\": 1}"], r#"{"content":"{\"a\": 1}"}"#, true),
            (&["{\"a\": 1}"], r#"{"content":{"a":1}}"#, true),
            (&["a"], r#"{"content":"a","more":"a"}"#, false),
            (&["a"], r#"{"content":"b"}"#, false),
            (&["a"], r#"{"content"}"#, false),
            (&["a"], r#"{"con\"#, false),
            (&["{\"a\": 1}"], r#"{"a":1,"b":2}"#, false),
            (&["found 3"], r#"{"items":[1,2,3]}"#, false),
            (&["1", "2"], r#"{"result":[1,2]}"#, false),
            (&[], "{}", false),
        ];
        for (texts, structured, expected) in cases {
            assert_eq!(repeats(texts, structured), expected, "{texts:?} and {structured}");
        }
    }
}
