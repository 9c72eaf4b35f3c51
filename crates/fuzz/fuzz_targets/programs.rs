//! A tool of any name, description and schema as a command and as modules, called with any words and any input: JSON for the tool, or a message.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use snugfit_toolset::argv::{Command, Parsed};
use snugfit_toolset::client::Bridge;
use snugfit_toolset::client::code::{Client, Language};
use snugfit_toolset::input::prepare;
use snugfit_toolset::{Level, Tool, Tools, listing};

fn is_object(json: &str) -> bool {
    serde_json::from_str::<Value>(json).is_ok_and(|value| value.is_object())
}

fuzz_target!(|given: (&str, &str, &str, &str, Vec<&str>)| {
    let (name, description, schema, input, words) = given;
    let Ok(tool) = Tool::new(name, description, schema) else { return };
    if let Ok(prepared) = prepare(&tool, input) {
        assert!(is_object(&prepared), "{prepared}");
    }
    let Ok(tools) = Tools::new(vec![tool]) else { return };
    for level in [Level::Low, Level::Medium, Level::High, Level::Max] {
        assert!(listing::listing(&tools, level).lines().count() <= 1 + description.lines().count(), "{level:?}");
    }
    for language in [Language::TypeScript, Language::Python] {
        let client = Client::new("any", &tools, language);
        let bridge = Bridge { url: "http://127.0.0.1:1".to_owned(), token: "t".to_owned() };
        assert!(client.files(&bridge).iter().all(|file| !file.content.is_empty()));
        assert_eq!(client.functions().len(), 1);
    }
    let command = Command::new("any", tools);
    let subcommand = command.subcommands().map(|(name, _)| name.to_owned()).next();
    let args: Vec<String> = subcommand.into_iter().chain(words.into_iter().map(str::to_owned)).collect();
    match command.parse(&args, Some(input)) {
        Parsed::Call { input, .. } => assert!(is_object(&input), "{input}"),
        Parsed::Help(text) | Parsed::Usage(text) => assert!(!text.is_empty()),
    }
});
