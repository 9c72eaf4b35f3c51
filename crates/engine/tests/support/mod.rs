//! What the tests share: a strict JSON reader of their own, the checks of what always holds, and generators of inputs.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::pedantic, reason = "each test binary, fuzz target and bench uses its part")]

pub mod check;
pub mod make;
pub mod random;
pub mod tree;
