//! Text on its way out: brought into one of V8's two representations on the worker, so that the event loop only copies.
#![allow(unsafe_code)]

use std::ptr;

use encoding_rs::mem::{convert_str_to_utf16, convert_utf8_to_latin1_lossy, convert_utf8_to_utf16_without_replacement, is_utf8_latin1};
use napi::bindgen_prelude::ToNapiValue;
use napi::{Error, Result, Status, sys};
use snugfit_recovery::wtf8::{self, Invalid};

/// A text that is ready to cross the border.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// One byte a character.
    Latin1(Vec<u8>),
    /// UTF-16 code units.
    Units(Vec<u16>),
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::from(text.into_bytes())
    }
}

impl From<Vec<u8>> for Text {
    /// UTF-8 as it is, WTF-8 with its lone surrogates; what is neither becomes U+FFFD.
    fn from(bytes: Vec<u8>) -> Self {
        if bytes.is_ascii() {
            return Self::Latin1(bytes);
        }
        if is_utf8_latin1(&bytes) {
            let mut latin1 = vec![0; bytes.len()];
            let len = convert_utf8_to_latin1_lossy(&bytes, &mut latin1);
            latin1.truncate(len);
            return Self::Latin1(latin1);
        }
        Self::Units(utf16(&bytes))
    }
}

/// WTF-8 as UTF-16.
fn utf16(bytes: &[u8]) -> Vec<u16> {
    // A byte makes at most one unit; the converter wants one more to work in.
    let mut units = vec![0; bytes.len() + 1];
    let len = convert_utf8_to_utf16_without_replacement(bytes, &mut units).unwrap_or_else(|| {
        let mut written = 0;
        wtf8::for_each(bytes, |valid, invalid| {
            written += convert_str_to_utf16(valid, &mut units[written..]);
            if let Some(invalid) = invalid {
                units[written] = if let Invalid::Surrogate(surrogate) = invalid { surrogate } else { 0xfffd };
                written += 1;
            }
        });
        written
    });
    units.truncate(len);
    units
}

impl ToNapiValue for Text {
    unsafe fn to_napi_value(env: sys::napi_env, text: Self) -> Result<sys::napi_value> {
        let mut value = ptr::null_mut();
        // SAFETY: napi calls this with a live environment, and copies as many units as the length says.
        let status = unsafe {
            match &text {
                Self::Latin1(bytes) => sys::napi_create_string_latin1(env, bytes.as_ptr().cast(), bytes.len() as isize, &raw mut value),
                Self::Units(units) => sys::napi_create_string_utf16(env, units.as_ptr(), units.len() as isize, &raw mut value),
            }
        };
        if status == sys::Status::napi_ok {
            Ok(value)
        } else {
            Err(Error::new(Status::from(status), "the text is longer than a JavaScript string can be"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::string_in::Input;
    use proptest::prelude::*;

    #[test]
    fn takes_the_narrowest_form() {
        assert_eq!(Text::from("plain".to_owned()), Text::Latin1(b"plain".to_vec()));
        assert_eq!(Text::from("Grüße".to_owned()), Text::Latin1(b"Gr\xfc\xdfe".to_vec()));
        assert_eq!(Text::from("世".to_owned()), Text::Units(vec![0x4e16]));
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        assert_eq!(Text::from(b"a\xff\xe4\xb8b".to_vec()), Text::Units(vec![0x61, 0xfffd, 0xfffd, 0x62]));
    }

    proptest! {
        #[test]
        fn any_string_survives_the_way_in_and_out(units: Vec<u16>) {
            let out = match Text::from(Input::Units(units.clone()).into_bytes()) {
                Text::Latin1(bytes) => bytes.into_iter().map(u16::from).collect(),
                Text::Units(units) => units,
            };
            prop_assert_eq!(out, units);
        }
    }
}
