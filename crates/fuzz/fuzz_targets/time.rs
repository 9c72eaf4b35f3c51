//! Any text, over and over until it is large: no more than so much time a byte, at a small budget and a large one.
//!
//! Quadratic paths show up here: what is fast for a page and takes minutes for a book.
#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use snugfit_engine::{Budget, Options, fit};

/// Bytes that a text is repeated to.
const LARGE: usize = 256 * 1024;
/// Far above what any text takes, with the checks that fuzzing adds, and far below what a quadratic path takes.
const MOST: Duration = Duration::from_secs(5);

fuzz_target!(|given: (bool, &str)| {
    let (nested, unit) = given;
    if unit.is_empty() {
        return;
    }
    let (open, close) = unit.split_at(unit.floor_char_boundary(unit.len() / 2));
    let times = LARGE / unit.len() + 1;
    // Things after each other, or in each other.
    let text = if nested { open.repeat(times) + &close.repeat(times) } else { unit.repeat(times) };
    for chars in [300, 20_000, LARGE / 2] {
        let begun = Instant::now();
        let _ = fit(&text, &Options::new(Budget::chars(chars)));
        let took = begun.elapsed();
        assert!(took < MOST, "{took:?} for {} bytes at {chars} characters", text.len());
    }
});
