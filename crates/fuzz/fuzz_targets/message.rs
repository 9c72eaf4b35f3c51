//! Any text as a message of MCP: split into its parts as serde_json reads them, and put together again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use snugfit_proxy::rpc::Message;

fuzz_target!(|text: &str| {
    let Ok(message) = Message::parse(text.to_owned()) else { return };
    // Lone surrogates are passed on; serde_json has no string for them.
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    assert_eq!(message.method(), value["method"].as_str().unwrap_or_default());
    if message.id().is_empty() {
        return;
    }
    let again: Value = serde_json::from_str(&message.with_id("7")).expect("JSON");
    assert_eq!(again["id"], 7);
    assert_eq!(again["params"], value["params"]);
});
