//! The JSON Schema and the reference page say what the types say.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use snugfit_proxy::config::{Format, json_schema, parse, reference};

/// A file of the repository.
fn repository(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).expect(path)
}

#[test]
fn what_is_checked_in_is_what_the_types_say() {
    let how = "is out of date: cargo run -p snugfit-proxy --example config-reference";
    assert!(repository("snugfit.schema.json") == format!("{:#}\n", json_schema()), "snugfit.schema.json {how}");
    assert!(repository("docs/configuration.md").ends_with(&format!("-->\n\n{}", reference())), "docs/configuration.md {how}");
}

#[test]
fn the_schema_takes_and_refuses_what_the_program_does() {
    let schema = json_schema();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let server = |entry: Value| json!({ "servers": { "a": entry } });
    let cases = [
        (json!({}), true),
        (json!({ "$schema": "x", "servers": {} }), true),
        (server(json!({ "command": "run", "args": ["a"], "env": { "A": "1", "B": 2, "C": true }, "cwd": "x" })), true),
        (server(json!({ "transport": "stdio", "command": ["run", "a"] })), true),
        (server(json!({ "type": "http", "url": "https://h/mcp", "headers": { "A": "b" }, "auth": "oauth", "callTimeout": "1m" })), true),
        (server(json!({ "url": "https://h", "auth": { "type": "header", "name": "A", "value": "b" } })), true),
        (server(json!({ "url": "https://h", "auth": { "type": "oauth", "scopes": ["a"] } })), true),
        (server(json!({ "url": "https://h", "auth": { "type": "header", "name": "A" } })), false),
        (server(json!({ "url": "https://h", "auth": "basic" })), false),
        (server(json!({ "url": "https://h", "transport": "htp" })), false),
        (server(json!({ "command": "run", "list": { "compression": "low" }, "results": { "mode": "page" } })), true),
        (server(json!({ "command": "run", "tokn": 1 })), false),
        (json!({ "mcpServers": { "a": { "command": "run", "alwaysAllow": [] } } }), true),
        (json!({ "mcpServers": [] }), false),
        (json!({ "store": { "bytes": "64MiB", "ttl": "1h30m" } }), true),
        (json!({ "store": { "bytes": 1024, "ttl": "250ms", "redis": { "url": "redis://h", "secret": "s" } } }), true),
        (json!({ "store": { "redis": { "url": "redis://h", "onFailure": "passthrough", "maxBytesPerEntry": "1MiB" } } }), true),
        (json!({ "store": { "redis": { "secret": "s" } } }), false),
        (json!({ "store": { "bytes": "lots" } }), false),
        (json!({ "store": { "ttl": 300 } }), false),
        (
            json!({ "results": { "budget": { "tokens": 20000, "encoding": "o200k_base" }, "profile": "codex", "perTool": { "a.*": { "mode": "off" } } } }),
            true,
        ),
        (json!({ "results": { "budget": { "chars": 349 } } }), false),
        (json!({ "results": { "budget": 20000 } }), false),
        (json!({ "results": { "mode": "condence" } }), false),
        (json!({ "names": { "separator": "." } }), false),
        (json!({ "inbound": { "http": { "port": 70000 } } }), false),
        (json!({ "inbound": { "http": { "port": "8787" } } }), false),
        (json!({ "inbound": { "http": { "port": "${PORT:-1}", "enabled": "${ON:-true}" } } }), true),
        (json!({ "limits": { "calls": -1 } }), false),
        (json!({ "filters": { "allow": ["a.*"], "deny": "b" } }), false),
        (json!({ "zebra": 1 }), false),
    ];
    for (config, expected) in cases {
        let read = parse(&config.to_string(), Format::Json, "", Path::new("/"), &|_| None);
        assert_eq!(read.is_ok(), expected, "the program: {config} {read:?}");
        assert_eq!(validator.is_valid(&config), expected, "the schema: {config}");
    }
}
