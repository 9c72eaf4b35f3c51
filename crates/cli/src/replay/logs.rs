//! Results of tools in recordings: our traces, and the messages of the AI SDK and of the two large model APIs, wherever in a log they stand.

use std::collections::{HashMap, HashSet};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::source::Record;
use crate::trace::line::Line;

/// A result of a tool.
#[derive(Debug, PartialEq)]
pub(crate) struct Recorded {
    /// The server, where it is known.
    pub(crate) server: Option<String>,
    pub(crate) tool: String,
    /// As MCP has results, in JSON.
    pub(crate) result: String,
}

/// Finds results, record after record.
#[derive(Default)]
pub(crate) struct Logs {
    /// Names of tools by the ids of their calls.
    names: HashMap<String, String>,
    /// Calls whose results were found: each request of a conversation says again what came before.
    seen: HashSet<String>,
    found: Vec<Recorded>,
    /// Results that a trace mentions without holding them.
    pub(crate) missing: usize,
}

impl Logs {
    /// Looks through a record, and gives the results in it.
    pub(crate) fn read(&mut self, record: &Record) -> Vec<Recorded> {
        match record {
            Record::Line(line) => self.trace(line),
            Record::Value(value) => self.walk(value),
        }
        std::mem::take(&mut self.found)
    }

    /// A line of our trace: what a server answered.
    fn trace(&mut self, line: &str) {
        let Some(Line { dir, method, name, ok, result, upstream: Some(server), .. }) = Line::of(line) else { return };
        if dir != "in" || method != "tools/call" {
            return;
        }
        match result.map(RawValue::get).filter(|result| result.starts_with('{')) {
            Some(result) => self.found.push(Recorded { server: Some(server), tool: name.unwrap_or_default(), result: result.to_owned() }),
            None => self.missing += usize::from(ok == Some(true)),
        }
    }

    /// Recursive: the parser refuses what is nested more than 128 levels deep.
    fn walk(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.walk(item)),
            Value::Object(members) => {
                self.call(value);
                if !self.result(value) {
                    members.values().for_each(|member| self.walk(member));
                }
            }
            _ => {}
        }
    }

    /// Keeps the name of a call in mind, if this is one.
    fn call(&mut self, value: &Value) {
        let (id, name) = match text(value, "type") {
            // Anthropic.
            "tool_use" | "mcp_tool_use" | "server_tool_use" => (text(value, "id"), text(value, "name")),
            // AI SDK.
            "tool-call" => (text(value, "toolCallId"), text(value, "toolName")),
            // OpenAI: responses, and chat completions.
            "function_call" | "mcp_call" => (text(value, "call_id"), text(value, "name")),
            _ => (text(value, "id"), text(&value["function"], "name")),
        };
        if !id.is_empty() && !name.is_empty() {
            self.names.insert(id.to_owned(), name.to_owned());
        }
    }

    /// Takes a result, if this is one.
    fn result(&mut self, value: &Value) -> bool {
        let kind = text(value, "type");
        let (id, name, content, failed) = match kind {
            "tool_result" | "mcp_tool_result" => (text(value, "tool_use_id"), "", &value["content"], value["is_error"] == true),
            "function_call_output" => (text(value, "call_id"), "", &value["output"], false),
            "tool-result" => {
                let output = if value["output"].is_null() { &value["result"] } else { &value["output"] };
                let failed = text(output, "type").starts_with("error");
                (text(value, "toolCallId"), text(value, "toolName"), output, failed)
            }
            _ if text(value, "role") == "tool" && value["tool_call_id"].is_string() => {
                (text(value, "tool_call_id"), text(value, "name"), &value["content"], false)
            }
            // Messages of the AI SDK as its user interfaces keep them.
            _ if value["toolCallId"].is_string() && !value["output"].is_null() => {
                let name = kind.strip_prefix("tool-").unwrap_or_else(|| text(value, "toolName"));
                (text(value, "toolCallId"), name, &value["output"], false)
            }
            _ => return false,
        };
        if !id.is_empty() && !self.seen.insert(id.to_owned()) {
            return true;
        }
        let known = self.names.get(id).map_or("", String::as_str);
        let tool = [name, known, "(unnamed)"].into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned();
        self.found.push(Recorded { server: None, tool, result: as_result(content, failed).to_string() });
        true
    }
}

/// Content in any of the forms as a result of MCP.
fn as_result(content: &Value, failed: bool) -> Value {
    // The AI SDK says of a value what it is.
    let content = match text(content, "type") {
        "text" | "json" | "content" | "error-text" | "error-json" if content["value"] != Value::Null => &content["value"],
        _ => content,
    };
    let mut result = match content {
        Value::Object(result) if result.get("content").is_some_and(Value::is_array) => content.clone(),
        Value::Array(blocks) if !blocks.is_empty() && blocks.iter().all(|block| block["type"].is_string()) => {
            json!({ "content": blocks.iter().map(block).collect::<Vec<_>>() })
        }
        Value::String(text) => json!({ "content": [{ "type": "text", "text": text }] }),
        other => json!({ "content": [{ "type": "text", "text": other.to_string() }] }),
    };
    if failed {
        result["isError"] = true.into();
    }
    result
}

/// A block of content as MCP has it.
fn block(block: &Value) -> Value {
    match (text(block, "type"), block["text"].as_str()) {
        ("text" | "input_text" | "output_text", Some(text)) => json!({ "type": "text", "text": text }),
        ("image" | "image_url" | "input_image" | "media" | "image-data", _) => {
            json!({ "type": "image", "data": "", "mimeType": "image/png" })
        }
        _ => json!({ "type": "text", "text": block.to_string() }),
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_found_in_every_form() {
        let log = json!([
            // Anthropic.
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "a1", "name": "read", "input": {} }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a1", "content": [{ "type": "text", "text": "one" }] }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a2", "content": "two", "is_error": true }] },
            // OpenAI.
            { "role": "assistant", "tool_calls": [{ "id": "o1", "type": "function", "function": { "name": "list", "arguments": "{}" } }] },
            { "role": "tool", "tool_call_id": "o1", "content": "three" },
            { "type": "function_call", "call_id": "r1", "name": "find" },
            { "type": "function_call_output", "call_id": "r1", "output": "four" },
            // AI SDK.
            { "role": "tool", "content": [{ "type": "tool-result", "toolCallId": "s1", "toolName": "get", "output": { "type": "json", "value": { "n": 5 } } }] },
            { "role": "assistant", "parts": [{ "type": "tool-see", "toolCallId": "s2", "state": "output-available", "output": { "content": [] } }] },
            { "role": "tool", "content": [{ "type": "tool-result", "toolCallId": "s3", "toolName": "old", "result": [1] }] },
            // A later request says it all again.
            { "request": { "messages": [{ "role": "tool", "tool_call_id": "o1", "content": "three" }] } },
        ]);
        let plain = |text: &str| json!({ "content": [{ "type": "text", "text": text }] });
        let mut failed = plain("two");
        failed["isError"] = true.into();
        let expected = [
            ("read", plain("one")),
            ("(unnamed)", failed),
            ("list", plain("three")),
            ("find", plain("four")),
            ("get", plain("{\"n\":5}")),
            ("see", json!({ "content": [] })),
            ("old", plain("[1]")),
        ];
        let found = Logs::default().read(&Record::Value(log));
        let found: Vec<_> = found.into_iter().map(|recorded| (recorded.tool, recorded.result)).collect();
        assert_eq!(found, expected.map(|(tool, result)| (tool.to_owned(), result.to_string())));
    }

    #[test]
    fn traces_hold_what_servers_answered() {
        let mut logs = Logs::default();
        let line = |more: Value| {
            let mut line = json!({ "dir": "in", "upstream": "files", "method": "tools/call", "name": "read", "ok": true });
            line.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            Record::Line(line.to_string())
        };
        let found = logs.read(&line(json!({ "result": { "content": [] } })));
        assert_eq!(found, [Recorded { server: Some("files".to_owned()), tool: "read".to_owned(), result: r#"{"content":[]}"#.to_owned() }]);
        assert!(logs.read(&line(json!({ "dir": "out", "params": {} }))).is_empty());
        assert!(logs.read(&line(json!({ "upstream": null, "result": {} }))).is_empty());
        assert!(logs.read(&line(json!({}))).is_empty());
        assert_eq!(logs.missing, 1);
    }
}
