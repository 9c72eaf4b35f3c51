//! Tools behind `get_tool_schema` and `invoke_tool`, in place of the real ones.

use serde_json::Value;
use snugfit_toolset::listing::{WrapperNames, is_larger, wrappers};
use snugfit_toolset::{Level, Tool, Tools, names::tool_name};

use super::tools::Setting;
use crate::rpc::{Object, quote};

/// What a wrapper does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrapper {
    /// Answers with a schema.
    Describe,
    /// Runs a tool.
    Invoke,
    /// Lists the names.
    List,
}

/// Tools that stand behind one set of wrappers.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) tools: Tools,
    pub(crate) servers: Vec<usize>,
    pub(crate) names: Vec<(String, Wrapper)>,
    /// The wrappers' definitions, as JSON text.
    pub(crate) definitions: Vec<String>,
    /// The wrappers are listed; not so where they would be larger than what they replace.
    pub(crate) listed: bool,
}

/// The groups: all servers that have the level of all, and each server with a level of its own.
pub(super) fn groups<'a>(
    setting: &Setting<'_>,
    tools: &(impl Iterator<Item = (usize, &'a str, &'a str)> + Clone),
    warnings: &mut Vec<String>,
) -> Vec<Group> {
    let all = setting.list.compression;
    let of = |server: usize| setting.servers[server].1.unwrap_or(all);
    let mut groups = Vec::new();
    let mut add = |level: Level, prefix: &str, servers: Vec<usize>| {
        let own = tools.clone().filter(|(server, ..)| servers.contains(server)).filter_map(|(_, name, json)| tool(name, json)).collect();
        let Ok(own) = Tools::new(own) else { return };
        if own.list().is_empty() {
            return;
        }
        groups.push(group(own, level, prefix, servers, warnings));
    };
    if let Some(level) = all.level() {
        add(level, setting.prefix, (0..setting.servers.len()).filter(|&server| of(server) == all).collect());
    }
    for (server, (name, ..)) in setting.servers.iter().enumerate() {
        if let Some(level) = of(server).level().filter(|_| of(server) != all) {
            add(level, &tool_name(name), vec![server]);
        }
    }
    groups
}

fn group(tools: Tools, level: Level, prefix: &str, servers: Vec<usize>, warnings: &mut Vec<String>) -> Group {
    let names = WrapperNames::with_prefix(prefix);
    let made = wrappers(&tools, level, &names);
    let listed = !is_larger(&tools, &made);
    if !listed {
        warnings.push(format!(
            "{} is listed as it is: wrappers would be larger than what they replace",
            if tools.list().len() == 1 { "the tool".to_owned() } else { format!("a list of {} tools", tools.list().len()) }
        ));
    }
    let definitions = made
        .iter()
        .map(|wrapper| {
            let mut definition = wrapper.definition();
            if wrapper.name == names.invoke_tool {
                definition["inputSchema"]["properties"]["full"] = full();
            }
            definition.to_string()
        })
        .collect();
    let does = |name: &str| {
        if name == names.get_tool_schema {
            Wrapper::Describe
        } else if name == names.invoke_tool {
            Wrapper::Invoke
        } else {
            Wrapper::List
        }
    };
    let names = made.iter().map(|wrapper| (wrapper.name.clone(), does(&wrapper.name))).collect();
    Group { tools, servers, names, definitions, listed }
}

/// The parameter that asks for a result in full.
fn full() -> Value {
    serde_json::json!({
        "type": "boolean",
        "description": "Whole result, unshortened. Only when the preview lacks what the task needs; never to repeat a write",
    })
}

/// A tool as the listing takes it; one whose schema cannot be read takes anything.
pub(super) fn tool(name: &str, json: &str) -> Option<Tool> {
    let object = Object::parse(json).ok()?;
    let description = object.str("description").map(std::borrow::Cow::into_owned).unwrap_or_default();
    let schema = object.get("inputSchema").unwrap_or("{}");
    let tool = Tool::new(name, description.clone(), schema).or_else(|_| Tool::new(name, description, "{}")).ok()?;
    let tool = match object.get("outputSchema") {
        Some(schema) => tool.clone().with_output_schema(schema).unwrap_or(tool),
        None => tool,
    };
    Some(match object.get("annotations") {
        Some(hints) => tool.clone().with_annotations(hints).unwrap_or(tool),
        None => tool,
    })
}

/// The text result of a tool of ours, as JSON.
pub(crate) fn text_result(text: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":{}}}]}}"#, quote(text))
}
