//! What always holds, whatever names, texts and arguments come.

use proptest::prelude::*;
use serde_json::Value;
use snugfit_toolset::argv::{Command, Parsed};
use snugfit_toolset::{Tool, Tools, describe, names};

fn command() -> Command {
    let schema = r#"{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"},"on":{"type":"boolean"},
        "list":{"type":"array","items":{"type":"string"}},"any":{}}}"#;
    Command::new("probe", Tools::new(vec![Tool::new("run", "", schema).expect("a schema")]).expect("one name"))
}

fn input_of(args: &[String]) -> Option<Value> {
    match command().parse(args, None) {
        Parsed::Call { input, .. } => serde_json::from_str(&input).ok(),
        _ => None,
    }
}

proptest! {
    #[test]
    fn a_text_arrives_as_it_was_sent(text in ".*", other in "[^-].*") {
        let inline = input_of(&["run".into(), format!("--text={text}")]);
        prop_assert_eq!(inline, Some(serde_json::json!({ "text": text })));
        let after = input_of(&["run".into(), "--text".into(), "--".into(), text.clone()]);
        prop_assert_eq!(after, Some(serde_json::json!({ "text": text })));
        let next = input_of(&["run".into(), "--text".into(), other.clone()]);
        prop_assert_eq!(next, Some(serde_json::json!({ "text": other })));
    }

    #[test]
    fn a_list_arrives_in_order(items in proptest::collection::vec("[^\\[].*", 2..6)) {
        let args: Vec<String> = std::iter::once("run".to_owned()).chain(items.iter().map(|item| format!("--list={item}"))).collect();
        prop_assert_eq!(input_of(&args), Some(serde_json::json!({ "list": items })));
    }

    #[test]
    fn whatever_the_arguments_there_is_an_answer(args in proptest::collection::vec("(--|-)?(text|n|on|list|any|json|no-on|help|run)?(=)?.{0,6}", 0..6)) {
        let whole: Vec<String> = std::iter::once("run".to_owned()).chain(args).collect();
        match command().parse(&whole, Some("{}")) {
            Parsed::Call { input, .. } => prop_assert!(serde_json::from_str::<Value>(&input).is_ok_and(|input| input.is_object())),
            Parsed::Help(text) | Parsed::Usage(text) => prop_assert!(!text.is_empty()),
        }
    }

    #[test]
    fn names_that_are_made_are_fit_and_differ(given in proptest::collection::vec(".{0,12}", 1..20)) {
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        let forms = names::unique(&given, names::kebab, "-", &["help"]);
        let distinct: std::collections::HashSet<&String> = forms.iter().collect();
        prop_assert_eq!(distinct.len(), given.len());
        for form in &forms {
            prop_assert!(form != "help" && !form.is_empty() && form.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
        }
        for name in given {
            let command = names::command(name);
            prop_assert!(command.starts_with(|c: char| c.is_ascii_lowercase() || c == '_'), "{command}");
            prop_assert!(command.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_'));
        }
    }

    #[test]
    fn a_description_stays_within_its_limit(text in "[a-zA-Z .,*_`<>\\[\\]()#\n\"-]{0,400}", most in 10_usize..200) {
        let shrunk = describe::shrink(&text, most);
        prop_assert!(shrunk.chars().count() <= most + most / 4 + 1, "{shrunk}");
    }
}
