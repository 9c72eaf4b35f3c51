//! Reads what is to be fitted: a file or standard input, in whatever encoding it comes.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use crate::error::Error;

/// The bytes of `file`; of standard input where it is `-` or not given.
pub(crate) fn read(file: Option<&Path>) -> Result<Vec<u8>, Error> {
    match file {
        Some(path) if path != "-" => fs::read(path).map_err(|source| Error::Read { name: format!("'{}'", path.display()), source }),
        None if io::stdin().is_terminal() => {
            Err(Error::Usage("no FILE given and standard input is a terminal; name a file, pipe something in, or pass - to type it".into()))
        }
        _ => {
            let mut bytes = Vec::new();
            match io::stdin().lock().read_to_end(&mut bytes) {
                Ok(_) => Ok(bytes),
                Err(source) => Err(Error::Read { name: "standard input".into(), source }),
            }
        }
    }
}

/// UTF-16 that says so with a byte-order mark, decoded without it, and the number of units that had to be replaced (lone surrogates,
/// an odd last byte). `None` for everything else, which the engine takes as it is.
pub(crate) fn decode_utf16(bytes: &[u8]) -> Option<(String, usize)> {
    let (unit, body): (fn([u8; 2]) -> u16, _) = match bytes {
        // FF FE 00 00 is the mark of UTF-32, which nothing writes but which is not UTF-16 either.
        [0xFF, 0xFE, 0, 0, ..] => return None,
        [0xFF, 0xFE, body @ ..] => (u16::from_le_bytes, body),
        [0xFE, 0xFF, body @ ..] => (u16::from_be_bytes, body),
        _ => return None,
    };
    let (units, odd) = body.as_chunks::<2>();
    let mut replaced = odd.len();
    let mut text = String::with_capacity(body.len() / 2);
    text.extend(char::decode_utf16(units.iter().map(|&pair| unit(pair))).map(|c| {
        c.unwrap_or_else(|_| {
            replaced += 1;
            char::REPLACEMENT_CHARACTER
        })
    }));
    text.extend(odd.iter().map(|_| char::REPLACEMENT_CHARACTER));
    Some((text, replaced))
}

#[cfg(test)]
mod tests {
    use super::decode_utf16;

    #[test]
    fn utf16_is_decoded_where_a_mark_says_so() {
        let cases: [(&[u8], _); 8] = [
            (b"plain", None),
            (b"", None),
            (b"\xEF\xBB\xBFutf-8 with a mark", None),
            (b"\xFF\xFE\0\0utf-32", None),
            (b"\xFF\xFE", Some(("", 0))),
            (b"\xFF\xFEh\0\xE9\0", Some(("hé", 0))),
            (b"\xFE\xFF\xD8\x3D\xDE\x00", Some(("😀", 0))),
            (b"\xFE\xFF\xD8\x3D\0a\0", Some(("\u{FFFD}a\u{FFFD}", 2))),
        ];
        for (bytes, expected) in cases {
            assert_eq!(decode_utf16(bytes).as_ref().map(|(text, n)| (text.as_str(), *n)), expected, "{bytes:?}");
        }
    }
}
