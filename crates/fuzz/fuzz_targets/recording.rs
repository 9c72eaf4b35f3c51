//! Any bytes as a trace, a recording or a payload: replayed, printed and shown; what the page saves shows the same when it is opened again.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;
use snugfit_cli::fuzzing::{found, printed, shown};

/// The file that is read: one a process, since targets run side by side.
static PATH: LazyLock<PathBuf> = LazyLock::new(|| std::env::temp_dir().join(format!("snugfit-fuzz-{}", std::process::id())));

fuzz_target!(|content: &[u8]| {
    fs::write(&*PATH, content).expect("a file");
    for result in found(&PATH) {
        assert!(result.starts_with('{') && serde_json::from_str::<IgnoredAny>(&result).is_ok(), "{result}");
    }
    for line in String::from_utf8_lossy(content).lines() {
        assert!(!printed(line).contains(|c: char| c.is_control() && c != '\t'));
    }
    let Some((before, saved)) = shown(&PATH) else { return };
    fs::write(&*PATH, saved).expect("a file");
    let (after, _) = shown(&PATH).expect("what was saved can be read");
    assert_eq!(after, before);
});
