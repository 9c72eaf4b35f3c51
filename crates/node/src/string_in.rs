//! Text on its way in: taken from JavaScript as fast as memory can be copied, and made UTF-8 on the worker.
//!
//! V8 keeps strings as Latin-1 or UTF-16. Reading them as UTF-16 is a plain copy (0.1 ms per million units), where reading them as UTF-8
//! transcodes on the event loop. Large ones come in pieces ([`Intake`]). Byte arrays are copied, too: JavaScript may write to them, or give them away, while a worker reads.
#![allow(unsafe_code)]

use std::ptr;

use encoding_rs::mem::{convert_utf16_to_utf8, utf16_valid_up_to};
use napi::bindgen_prelude::{FromNapiMutRef, FromNapiValue, JavaScriptClassExt, TypeName, Uint8ArraySlice, Unknown, ValidateNapiValue};
use napi::{Env, Error, JsValue, Result, Status, ValueType, sys};
use napi_derive::napi;
use snugfit_recovery::wtf8::encode_surrogate;

/// A text that has crossed the border.
#[derive(Debug)]
pub enum Input {
    /// A string's UTF-16 code units.
    Units(Vec<u16>),
    /// The bytes of a `Buffer` or `Uint8Array`.
    Bytes(Vec<u8>),
}

impl Input {
    /// The bytes of memory it takes until it is fitted.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Units(units) => size_of_val(units.as_slice()),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// The text as UTF-8. Lone surrogates become three bytes each (WTF-8), so that they come back as what they were.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Units(units) => utf8(&units),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// UTF-16 as WTF-8.
fn utf8(units: &[u16]) -> Vec<u8> {
    // Three bytes a unit is the most it can be; pages that are never written cost nothing.
    let mut bytes = vec![0; units.len() * 3];
    let (mut read, mut written) = (0, 0);
    while read < units.len() {
        let valid = utf16_valid_up_to(&units[read..]);
        written += convert_utf16_to_utf8(&units[read..read + valid], &mut bytes[written..]);
        read += valid;
        if let Some(&lone) = units.get(read) {
            bytes[written..written + 3].copy_from_slice(&encode_surrogate(lone));
            written += 3;
            read += 1;
        }
    }
    bytes.truncate(written);
    bytes.shrink_to_fit();
    bytes
}

impl TypeName for Input {
    fn type_name() -> &'static str {
        "string | Uint8Array"
    }

    fn value_type() -> ValueType {
        ValueType::Unknown
    }
}

impl ValidateNapiValue for Input {
    unsafe fn validate(_env: sys::napi_env, _value: sys::napi_value) -> Result<sys::napi_value> {
        // `from_napi_value` looks at the type anyway.
        Ok(ptr::null_mut())
    }
}

impl FromNapiValue for Input {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: napi calls this with an environment and a value that are alive for the call.
        unsafe {
            let mut units = Vec::new();
            if append(env, value, &mut units)? {
                return Ok(Self::Units(units));
            }
            if let Ok(bytes) = Uint8ArraySlice::from_napi_value(env, value) {
                return Ok(Self::Bytes(bytes.to_vec()));
            }
            let unknown = Unknown::from_napi_value(env, value)?;
            if unknown.get_type()? == ValueType::Object && Intake::instance_of(&Env::from_raw(env), &unknown)? {
                return Ok(Self::Units(std::mem::take(&mut Intake::from_napi_mut_ref(env, value)?.units)));
            }
            Err(Error::new(Status::InvalidArg, "the input must be a string, a Buffer, a Uint8Array or an Intake"))
        }
    }
}

/// A large string on its way in, a piece at a time, so that the event loop turns between the pieces. Give it in place of the string, once.
#[napi]
#[derive(Debug)]
pub struct Intake {
    units: Vec<u16>,
}

#[napi]
impl Intake {
    /// One with room for as many UTF-16 code units; it grows where they are not enough.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new(length: f64) -> Self {
        let mut units = Vec::new();
        // Only a hint: without room now, it is made when it is needed.
        let _ = units.try_reserve_exact(length as usize);
        Self { units }
    }

    /// Adds the next piece.
    #[napi(catch_unwind)]
    pub fn push(&mut self, env: Env, piece: Unknown<'_>) -> Result<()> {
        // SAFETY: both are alive for the call.
        let added = unsafe { append(env.raw(), piece.raw(), &mut self.units)? };
        if added { Ok(()) } else { Err(Error::new(Status::StringExpected, "a piece must be a string")) }
    }
}

/// Copies the units of a string behind those that are there, into memory that nobody has to clear first; `false` for what is no string.
///
/// # Safety
/// `env` and `value` must be alive.
unsafe fn append(env: sys::napi_env, value: sys::napi_value, units: &mut Vec<u16>) -> Result<bool> {
    let mut len = 0;
    // SAFETY: without a buffer napi only says how long the string is.
    match unsafe { sys::napi_get_value_string_utf16(env, value, ptr::null_mut(), 0, &raw mut len) } {
        sys::Status::napi_ok => {}
        sys::Status::napi_string_expected => return Ok(false),
        status => return Err(Error::new(Status::from(status), "the string could not be read")),
    }
    // One more for the terminator that napi writes.
    units.reserve(len + 1);
    let mut written = 0;
    // SAFETY: there is room for `len + 1` more units; napi writes at most `len` and the terminator, and says how many it wrote.
    unsafe {
        let end = units.as_mut_ptr().add(units.len());
        let status = sys::napi_get_value_string_utf16(env, value, end, len + 1, &raw mut written);
        if status != sys::Status::napi_ok {
            return Err(Error::new(Status::from(status), "the string could not be read"));
        }
        units.set_len(units.len() + written.min(len));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units_of(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    #[test]
    fn well_formed_text_is_utf8() {
        for text in ["", "plain", "Grüße, 世界, 👩‍👩‍👧", "\0\u{ffff}"] {
            assert_eq!(Input::Units(units_of(text)).into_bytes(), text.as_bytes());
        }
    }

    #[test]
    fn a_lone_surrogate_is_three_bytes() {
        let units = [&units_of("a👧")[..], &[0xd83d], &units_of("é")[..], &[0xdc67, 0xd800]].concat();
        assert_eq!(Input::Units(units).into_bytes(), b"a\xf0\x9f\x91\xa7\xed\xa0\xbd\xc3\xa9\xed\xb1\xa7\xed\xa0\x80");
    }

    #[test]
    fn bytes_stay_as_they_are() {
        let bytes = b"a\xff\xf0\x9f\x91b".to_vec();
        assert_eq!(Input::Bytes(bytes.clone()).into_bytes(), bytes);
    }
}
