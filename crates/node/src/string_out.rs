//! Text on its way out: brought into one of V8's two representations on the worker, so that the event loop only copies, and large texts
//! not even that: they become external strings.
#![allow(unsafe_code)]

use std::ffi::c_void;
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

/// From this many units a text stays where it is and JavaScript gets a string that points to it: a copy would hold the event loop.
const EXTERNAL_FROM: usize = 64 << 10;

impl ToNapiValue for Text {
    unsafe fn to_napi_value(env: sys::napi_env, text: Self) -> Result<sys::napi_value> {
        // SAFETY: napi calls this with a live environment.
        unsafe {
            match text {
                Self::Latin1(bytes) => create(env, bytes, sys::node_api_create_external_string_latin1, sys::napi_create_string_latin1),
                Self::Units(units) => create(env, units, sys::node_api_create_external_string_utf16, sys::napi_create_string_utf16),
            }
        }
    }
}

/// Makes a string of units: external if it is long and this Node can, else a copy.
///
/// # Safety
/// `env` must be alive, and the functions must be those of Node for strings of `Unit`s, which it may see as `Char`s.
unsafe fn create<Unit, Char>(
    env: sys::napi_env,
    units: Vec<Unit>,
    external: unsafe fn(
        sys::napi_env,
        *const Char,
        isize,
        sys::node_api_basic_finalize,
        *mut c_void,
        *mut sys::napi_value,
        *mut bool,
    ) -> sys::napi_status,
    copy: unsafe fn(sys::napi_env, *const Char, isize, *mut sys::napi_value) -> sys::napi_status,
) -> Result<sys::napi_value> {
    let mut value = ptr::null_mut();
    let len = units.len() as isize;
    if units.len() >= EXTERNAL_FROM {
        let owner = Box::into_raw(Box::new(units));
        let mut copied = false;
        // SAFETY: the owner lives until the finalizer frees it, which Node calls once where this succeeds, and never where it fails.
        unsafe {
            let data = (*owner).as_ptr().cast();
            if external(env, data, len, Some(free::<Unit>), owner.cast(), &raw mut value, &raw mut copied) == sys::Status::napi_ok {
                return Ok(value);
            }
            let units = Box::from_raw(owner);
            created(copy(env, units.as_ptr().cast(), len, &raw mut value), value)
        }
    } else {
        // SAFETY: Node copies as many units as the length says.
        unsafe { created(copy(env, units.as_ptr().cast(), len, &raw mut value), value) }
    }
}

/// Frees the text of a string that JavaScript has let go.
///
/// # Safety
/// `owner` must be the box that [`create`] made, freed by nobody else.
unsafe extern "C" fn free<Unit>(_env: sys::node_api_basic_env, _data: *mut c_void, owner: *mut c_void) {
    // SAFETY: Node calls this once, when the string is gone.
    drop(unsafe { Box::from_raw(owner.cast::<Vec<Unit>>()) });
}

fn created(status: sys::napi_status, value: sys::napi_value) -> Result<sys::napi_value> {
    if status == sys::Status::napi_ok {
        Ok(value)
    } else {
        Err(Error::new(Status::from(status), "the text is longer than a JavaScript string can be"))
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
