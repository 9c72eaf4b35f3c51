//! Any text around a secret of the configuration, as a trace would write it: the secret is never in it, and JSON stays JSON.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use snugfit_proxy::fuzzing::Struck;

const SECRET: &str = "k9\"Qz/7é%Lm2";

static REDACTOR: LazyLock<Struck> = LazyLock::new(|| {
    let config = json!({ "servers": { "s": { "command": "x", "env": { "KEY": SECRET } } } });
    Struck::new(&serde_json::from_value(config).expect("a configuration"))
});

fuzz_target!(|given: (u8, &str, &str)| {
    let (depth, before, after) = given;
    let text = format!("{before}{SECRET}{after}");
    let clean = REDACTOR.text(&text);
    assert!(!clean.contains(SECRET), "{clean:?}");
    if let Some(json) = REDACTOR.json(before) {
        serde_json::from_str::<Value>(&json).expect("JSON stays JSON");
    }
    let nested = (0..depth % 4).fold(json!({ after: text }), |value, _| json!([value.to_string()]));
    let clean = REDACTOR.json(&nested.to_string()).expect("JSON");
    assert!(!clean.replace('\\', "").contains(&SECRET.replace('\\', "")), "{clean:?}");
});
