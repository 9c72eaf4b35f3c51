//! Any text: counted as the published tokenizers count, and fitted into half of its tokens.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use snugfit_engine::{Budget, Encoding, Options, fit};

static ENCODINGS: LazyLock<[Encoding; 2]> = LazyLock::new(|| {
    [snugfit_vocabulary::O200K_BASE, snugfit_vocabulary::CL100K_BASE].map(|packed| Encoding::from_vocabulary(packed).expect("a vocabulary"))
});

fuzz_target!(|text: &str| {
    let published = [tiktoken_rs::o200k_base_singleton(), tiktoken_rs::cl100k_base_singleton()];
    for (encoding, published) in ENCODINGS.iter().zip(published) {
        let count = encoding.count(text);
        assert_eq!(count, published.encode_ordinary(text).len(), "{encoding:?}");
        if let Ok(fitted) = fit(text, &Options::new(Budget::tokens((count / 2).max(1), *encoding))) {
            assert!(encoding.count(&fitted.text) <= (count / 2).max(1), "{encoding:?}");
        }
    }
});
