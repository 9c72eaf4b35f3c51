//! Any text as a configuration, in YAML and JSON: read, or refused with mistakes that have a place in the text.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use snugfit_proxy::config::{Format, parse};

fuzz_target!(|given: (bool, &str)| {
    let (yaml, text) = given;
    let format = if yaml { Format::Yaml } else { Format::Json };
    let lookup = |name: &str| (name.len() < 3).then(|| format!("value of {name}"));
    match parse(text, format, "config", Path::new("/"), &lookup) {
        Ok(loaded) => drop(loaded.config.active().count()),
        Err(faults) => assert!(faults.to_string().contains("config"), "{faults}"),
    }
});
