//! Any text: read or refused, never a panic.

use std::path::Path;

use proptest::prelude::*;
use snugfit_proxy::config::{Format, parse};

use super::{read, variable};

/// Texts that get far: made of what configurations are made of.
fn likely() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("servers"),
        Just(": "),
        Just("\n"),
        Just("  "),
        Just("- "),
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just("\""),
        Just("'"),
        Just("command"),
        Just("url"),
        Just("mcpServers"),
        Just("results"),
        Just("mode"),
        Just("page"),
        Just("${"),
        Just("TOKEN}"),
        Just("&a "),
        Just("*a"),
        Just("|\n"),
        Just("# "),
        Just("store"),
        Just("ttl"),
        Just("5m"),
        Just("null"),
        Just("1e9"),
        Just("\t"),
        Just("é"),
        Just("---\n"),
        Just("? "),
        Just("!!str "),
        Just("<<"),
        Just("\\u00"),
        Just("\u{feff}"),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn never_panics(text in prop_oneof![any::<String>(), likely()]) {
        for format in [Format::Yaml, Format::Json, Format::Package] {
            if let Err(faults) = parse(&text, format, "file", Path::new("/"), &variable) {
                prop_assert!(!faults.faults.is_empty());
                for fault in faults.faults {
                    let lines = text.split('\n').count() + text.matches(['\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
                    prop_assert!(!fault.message.is_empty() && fault.position.is_none_or(|at| at.line >= 1 && at.column >= 1 && at.line <= lines + 1));
                }
            }
        }
    }

    #[test]
    fn json_is_read_as_yaml_reads_it(mode in "condense|page|of", tokens in 0usize..400, keys in proptest::collection::vec("[a-c]", 0..4)) {
        let servers: Vec<String> = keys.iter().map(|key| format!("{key:?}: {{ \"command\": [\"x\"] }}")).collect();
        let text = format!("{{\n \"results\": {{ \"mode\": {mode:?},\n \"budget\": {{ \"tokens\": {tokens} }} }}, \"servers\": {{ {} }} }}", servers.join(", "));
        prop_assert_eq!(read(&text, Format::Json), read(&text, Format::Yaml));
    }
}
