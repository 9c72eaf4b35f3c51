//! Any schema, as a server may send it: tools with it are listed, made smaller and written as programs in time and size like its own.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snugfit_toolset::Tool;
use snugfit_toolset::definitions::{Options, shrink};
use snugfit_toolset::toon::{Form, render};

fuzz_target!(|given: (&str, &str, &str)| {
    let (name, description, schema) = given;
    let _ = render(schema, Form::Toon);
    let Ok(tool) = Tool::new(name, description, schema) else { return };
    let shrunk = shrink(&tool, &Options::default()).tool;
    let (before, after) = (tool.input_schema.to_string(), shrunk.input_schema.to_string());
    assert!(after.len() <= before.len().max(64) * 2, "{before}\n{after}");
    assert_eq!(shrink(&tool, &Options::default()).tool, shrunk);
});
