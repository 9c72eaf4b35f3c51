//! Any argument list and any standard input for a command of tools: JSON for the tool, or a message; never a panic.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use snugfit_toolset::argv::{Command, Parsed};
use snugfit_toolset::{Tool, Tools};

/// The tools of the table that the tests of argument lists use.
static COMMAND: LazyLock<Command> = LazyLock::new(|| {
    let table: Value = serde_json::from_str(include_str!("../../toolset/tests/fixtures/arguments.json")).expect("a JSON fixture");
    let text = |tool: &Value, key: &str| tool[key].as_str().unwrap_or_default().to_owned();
    let tools = table["tools"].as_array().into_iter().flatten();
    let tools =
        tools.map(|tool| Tool::new(text(tool, "name"), text(tool, "description"), &tool["inputSchema"].to_string()).expect("a tool"));
    Command::new("command", Tools::new(tools.collect()).expect("distinct names"))
});

fuzz_target!(|given: (u8, Vec<&str>, Option<&str>)| {
    let (tool, words, stdin) = given;
    let names: Vec<&str> = COMMAND.subcommands().map(|(name, _)| name).collect();
    let name = names.get(usize::from(tool)).map(|name| (*name).to_owned());
    let args: Vec<String> = name.into_iter().chain(words.into_iter().map(str::to_owned)).collect();
    match COMMAND.parse(&args, stdin) {
        Parsed::Call { input, .. } => assert!(serde_json::from_str::<Value>(&input).is_ok_and(|input| input.is_object()), "{input}"),
        Parsed::Help(text) | Parsed::Usage(text) => assert!(!text.is_empty()),
    }
});
