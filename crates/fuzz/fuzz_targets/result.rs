//! Any result of a tool, as the proxy fits it: JSON stays JSON, its text is within the budget, and fitting it again gives the same.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use snugfit_proxy::Replay;
use snugfit_proxy::config::{Budget, Config, Policy, ResultFlags};

static MODES: LazyLock<Vec<Replay>> = LazyLock::new(|| {
    let replay = |results: &str| {
        let config: Config =
            serde_json::from_str(&format!(r#"{{"servers":{{"s":{{"command":["x"]}}}},"results":{results}}}"#)).expect("a configuration");
        let policy = Policy::new(&config, &ResultFlags::default(), None).expect("a policy");
        Replay::new(&config, policy, None).expect("a store")
    };
    [r#"{}"#, r#"{"mode":"page"}"#, r#"{"mode":"trim"}"#, r#"{"structured":"keep"}"#, r#"{"structured":"drop","errors":"keep"}"#]
        .map(replay)
        .into()
});

fuzz_target!(|given: (u8, u8, bool, &str, &str)| {
    let (mode, size, is_text, arguments, given) = given;
    let replay = &MODES[usize::from(mode) % MODES.len()];
    let chars = 350 + 4 * usize::from(size);
    let budget = Budget::new(None, Some(chars)).expect("a budget");
    // Few texts are results; any is the text of one.
    let result = if is_text { json!({ "content": [{ "type": "text", "text": given }] }).to_string() } else { given.to_owned() };
    let preview = || replay.preview("s", "tool", arguments, &result, Some(&budget));
    let Some(fitted) = preview() else { return };
    assert_eq!(preview().as_ref(), Some(&fitted));
    // Lone surrogates are passed on; serde_json has no string for them.
    if serde_json::from_str::<Value>(&result).is_err() {
        return;
    }
    let value: Value = serde_json::from_str(&fitted).expect("JSON stays JSON");
    if is_text {
        let text = value["content"][0]["text"].as_str().expect("a text stays one");
        assert!(text.chars().count() <= chars, "{fitted}");
    }
});
