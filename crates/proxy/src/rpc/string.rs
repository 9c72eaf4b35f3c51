//! JSON strings that may hold what UTF-8 cannot: lone surrogates.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use snugfit_recovery::envelope::assemble;

/// The bytes of a JSON string, in WTF-8 where it holds lone surrogates; `None` where the text is no JSON string.
#[must_use]
pub fn decode(json: &str) -> Option<Vec<u8>> {
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
    serde_json::from_str::<Bytes>(json).ok().map(|bytes| bytes.0)
}

/// A text as a JSON string.
#[must_use]
pub fn quote(text: &str) -> String {
    String::from_utf8(assemble(&[b"", b""], &[text.as_bytes()])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
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
}
