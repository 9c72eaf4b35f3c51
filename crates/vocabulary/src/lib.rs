#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

/// The vocabulary of GPT-4 and GPT-3.5.
pub const CL100K_BASE: &[u8] = include_bytes!("../data/cl100k_base.bpe");

/// The vocabulary of GPT-4o and later.
pub const O200K_BASE: &[u8] = include_bytes!("../data/o200k_base.bpe");

/// The packed vocabulary of an encoding that has one.
#[must_use]
pub fn named(encoding: &str) -> Option<&'static [u8]> {
    match encoding {
        "cl100k_base" => Some(CL100K_BASE),
        "o200k_base" => Some(O200K_BASE),
        _ => None,
    }
}
