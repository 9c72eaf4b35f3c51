//! One table of argument lists: the input that each comes to, or the message. The same table is run in Node through Just Bash and through
//! the generated command.

use serde_json::Value;
use snugfit_toolset::argv::{Command, Parsed};
use snugfit_toolset::{Tool, Tools};

fn table() -> (Command, Vec<Value>) {
    let table: Value = serde_json::from_str(include_str!("fixtures/arguments.json")).expect("a JSON fixture");
    let text = |tool: &Value, key: &str| tool[key].as_str().unwrap_or_default().to_owned();
    let tools = table["tools"].as_array().into_iter().flatten();
    let tools =
        tools.map(|tool| Tool::new(text(tool, "name"), text(tool, "description"), &tool["inputSchema"].to_string()).expect("a tool"));
    let command = Command::new(&text(&table, "command"), Tools::new(tools.collect()).expect("distinct names"));
    (command, table["cases"].as_array().cloned().unwrap_or_default())
}

#[test]
fn each_argument_list_comes_to_its_input_or_its_message() {
    let (command, cases) = table();
    assert!(cases.len() >= 150, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let args: Vec<String> = case["args"].as_array().into_iter().flatten().filter_map(|arg| Some(arg.as_str()?.to_owned())).collect();
        let right = match command.parse(&args, case["stdin"].as_str()) {
            Parsed::Call { tool, input } => {
                case["tool"] == tool && serde_json::from_str::<Value>(&input).is_ok_and(|input| input == case["input"])
            }
            Parsed::Usage(message) => case["message"] == message,
            Parsed::Help(text) => case["help"].as_str().is_some_and(|part| text.contains(part)),
        };
        if !right {
            wrong.push(format!("{case}\n  gave {:?}", command.parse(&args, case["stdin"].as_str())));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
