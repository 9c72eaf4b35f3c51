//! The scanner beside serde_json and the tests' own reader: all three accept the same texts, and ours finds the same values.
#![no_main]

#[path = "../../engine/tests/support/tree.rs"]
#[allow(dead_code, unreachable_pub)]
mod tree;

use libfuzzer_sys::fuzz_target;
use snugfit_engine::fuzzing;

fuzz_target!(|text: &str| {
    let ours = fuzzing::scan(text);
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let theirs = serde_json::from_str::<serde::de::IgnoredAny>(bare).is_ok();
    assert_eq!(ours.is_some(), theirs, "serde_json says {theirs}");
    let tree = tree::Tree::parse(text);
    assert_eq!(ours.is_some(), tree.is_ok(), "the tests' reader says {tree:?}");
    if let (Some(ours), Ok(tree)) = (ours, tree) {
        let values: Vec<(&str, &str)> = tree.nodes.iter().map(|n| (n.key, n.lexeme)).collect();
        assert_eq!(ours, values);
    }
});
