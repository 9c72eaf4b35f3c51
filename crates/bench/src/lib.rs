//! What the benches share: payloads made from a seed, and the shrinkfit crate as a host would call it.
#![forbid(unsafe_code)]

pub mod hostile;
pub mod payload;
pub mod peer;
