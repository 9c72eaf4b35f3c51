//! JSON strings that may hold what UTF-8 cannot: lone surrogates.

use snugfit_recovery::envelope::assemble;
use snugfit_recovery::wtf8::encode_surrogate;

/// The bytes of a JSON string, in WTF-8 where it holds lone surrogates; `None` where the text is no JSON string.
#[must_use]
pub fn decode(json: &str) -> Option<Vec<u8>> {
    let mut rest = json.trim_matches([' ', '\t', '\n', '\r']).strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    // One allocation: no escape stands for more bytes than it has.
    let mut text = Vec::with_capacity(rest.len());
    while let Some(at) = memchr::memchr2(b'\\', b'"', rest) {
        let (plain, escape) = rest.split_at(at);
        text.extend_from_slice(plain);
        rest = decode_escape(escape, &mut text)?;
    }
    text.extend_from_slice(rest);
    Some(text)
}

/// Decodes the escape at the beginning, and gives what comes after it.
fn decode_escape<'j>(json: &'j [u8], text: &mut Vec<u8>) -> Option<&'j [u8]> {
    let rest = json.strip_prefix(b"\\")?;
    let (&kind, rest) = rest.split_first()?;
    text.push(match kind {
        b'"' | b'\\' | b'/' => kind,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => return decode_unit(rest, text),
        _ => return None,
    });
    Some(rest)
}

/// Decodes a unit of UTF-16, and its other half where there is one.
fn decode_unit<'j>(json: &'j [u8], text: &mut Vec<u8>) -> Option<&'j [u8]> {
    let (first, rest) = hex(json)?;
    let second = rest.strip_prefix(b"\\u").and_then(hex);
    let (decoded, rest) = match (first, second) {
        (0xd800..=0xdbff, Some((low @ 0xdc00..=0xdfff, after))) => {
            (char::from_u32(0x1_0000 + ((u32::from(first) & 0x3ff) << 10 | (u32::from(low) & 0x3ff))), after)
        }
        _ => (char::from_u32(first.into()), rest),
    };
    match decoded {
        Some(decoded) => text.extend_from_slice(decoded.encode_utf8(&mut [0; 4]).as_bytes()),
        None => text.extend_from_slice(&encode_surrogate(first)),
    }
    Some(rest)
}

/// The number of four hexadecimal digits, and what comes after them.
fn hex(json: &[u8]) -> Option<(u16, &[u8])> {
    let (digits, rest) = json.split_first_chunk::<4>()?;
    let number = digits.iter().try_fold(0, |number, digit| Some(number << 4 | char::from(*digit).to_digit(16)?))?;
    Some((number as u16, rest))
}

/// A text as a JSON string.
#[must_use]
pub fn quote(text: &str) -> String {
    String::from_utf8(assemble(&[b"", b""], &[text.as_bytes()])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use proptest::prelude::*;
    use serde::de::{Error, Visitor};
    use serde::{Deserialize, Deserializer};

    use super::{decode, quote};

    #[test]
    fn strings_come_back_as_they_went_in() {
        for text in ["", "plain", "\"\\\n\u{0}\u{1f600}é"] {
            assert_eq!(decode(&quote(text)).as_deref(), Some(text.as_bytes()), "{text:?}");
        }
        assert_eq!(decode(r#""a\ud800b""#).as_deref(), Some(b"a\xed\xa0\x80b".as_slice()));
        assert_eq!(decode("[1]"), None);
        assert_eq!(decode("12"), None);
    }

    proptest! {
        #[test]
        fn strings_are_read_as_serde_json_reads_them(
            parts in proptest::collection::vec(prop_oneof![
                "[ -~\u{0}-\u{1f}é\u{1f600}]{0,3}",
                r#"\\["\\/bfnrtux]"#,
                r"\\u[0-9a-fA-FgZ]{3,5}",
                r"\\u[dD][89abcdefABCDEF][0-9a-f]{2}",
            ], 0..8),
            ends in prop_oneof![Just(("\"", "\"")), Just((" \"", "\"\n")), Just(("\"", "")), Just(("", "")), Just(("\"", "\" x"))],
        ) {
            let json = format!("{}{}{}", ends.0, parts.concat(), ends.1);
            let expected = serde_json::from_str::<Bytes>(&json).ok().map(|bytes| bytes.0);
            prop_assert_eq!(decode(&json), expected, "{}", json);
        }
    }

    /// A string as `serde_json` reads it.
    struct Bytes(Vec<u8>);

    impl<'de> Deserialize<'de> for Bytes {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Text;
            impl Visitor<'_> for Text {
                type Value = Bytes;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a string")
                }

                fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                    Ok(Bytes(bytes.to_vec()))
                }
            }
            deserializer.deserialize_bytes(Text)
        }
    }
}
