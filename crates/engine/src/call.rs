//! The call that reads a missing part, as it is written where the notice is read: a tool call, a command, a line of code.

use crate::options::{Call, Recovery};

/// The field of a notice that names the file of an original.
pub(crate) const FIELD: &str = "original_response_file";

/// An argument of the call beside the id. Its value is written as inside a JSON string.
pub(crate) struct Argument<'a> {
    pub(crate) name: &'static str,
    pub(crate) value: &'a str,
}

impl Recovery {
    /// Whether this value can be written in the call as it is.
    pub(crate) fn takes(&self, value: &str) -> bool {
        match self.call {
            Call::Tool | Call::Invoke(_) => true,
            // Escapes of JSON are not those of every language, and a shell has none within quotes.
            Call::TypeScript | Call::Python => !value.contains('\\'),
            Call::Command => !value.contains(['\\', '\'']),
            Call::File(_) => false,
        }
    }

    /// The path of the file that the original is in, where it is in one.
    pub(crate) fn file(&self) -> Option<String> {
        match &self.call {
            Call::File(before) => Some(format!("{before}{}.json", self.response_id)),
            _ => None,
        }
    }

    /// The whole call.
    pub(crate) fn example(&self, argument: &Argument<'_>) -> String {
        let Self { tool, response_id, .. } = self;
        let Argument { name, value } = argument;
        match &self.call {
            Call::Tool => format!("{tool}({{\"response_id\":\"{response_id}\",\"{name}\":\"{value}\"}})"),
            Call::Invoke(by) => {
                format!("{by}({{\"tool_name\":\"{tool}\",\"tool_input\":{{\"response_id\":\"{response_id}\",\"{name}\":\"{value}\"}}}})")
            }
            Call::Command => format!("{tool} --response-id {response_id} --{name} {}", quoted(value)),
            Call::TypeScript => format!("{tool}(\"{response_id}\", {{ {name}: \"{value}\" }})"),
            Call::Python => format!("{tool}(response_id=\"{response_id}\", {name}=\"{value}\")"),
            Call::File(before) => format!("{before}{response_id}.json"),
        }
    }

    /// The call, the id only named.
    pub(crate) fn outline(&self, argument: &Argument<'_>) -> String {
        let tool = &self.tool;
        let Argument { name, value } = argument;
        match &self.call {
            Call::Tool => format!("{tool}({{response_id,\"{name}\":\"{value}\"}})"),
            Call::Invoke(by) => format!("{by}({tool}, {{response_id,\"{name}\":\"{value}\"}})"),
            Call::Command => format!("{tool} --response-id ID --{name} {}", quoted(value)),
            Call::TypeScript => format!("{tool}(response_id, {{ {name}: \"{value}\" }})"),
            Call::Python => format!("{tool}(response_id, {name}=\"{value}\")"),
            Call::File(_) => FIELD.to_owned(),
        }
    }

    /// That there is a call, and what it takes.
    pub(crate) fn hint(&self) -> String {
        let tool = &self.tool;
        match &self.call {
            Call::Tool => format!("{tool}(response_id,path|search|lines)"),
            Call::Invoke(by) => format!("{by}({tool}, {{response_id,path|search|lines}})"),
            Call::Command => format!("{tool} --response-id --path|--search|--lines"),
            Call::TypeScript => format!("{tool}(response_id, {{path|search|lines}})"),
            Call::Python => format!("{tool}(response_id, path|search|lines=)"),
            Call::File(_) => FIELD.to_owned(),
        }
    }

    /// How the next page is read.
    pub(crate) fn next_page(&self) -> String {
        let tool = &self.tool;
        match &self.call {
            Call::Tool => format!("{tool} with response_id and cursor"),
            Call::Invoke(by) => format!("{by} of {tool} with response_id and cursor"),
            Call::Command => format!("{tool} --response-id … --cursor …"),
            Call::TypeScript => format!("{tool}(response_id, {{ cursor }})"),
            Call::Python => format!("{tool}(response_id, cursor=…)"),
            Call::File(_) => FIELD.to_owned(),
        }
    }

    /// The call by name, where its arguments are told in words.
    pub(crate) fn name(&self) -> String {
        match &self.call {
            Call::Invoke(by) => format!("{by} of {}", self.tool),
            Call::File(_) => FIELD.to_owned(),
            _ => self.tool.clone(),
        }
    }
}

/// A word for a shell.
fn quoted(value: &str) -> String {
    let plain = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._,:@%+=-".contains(&byte));
    if plain { value.to_owned() } else { format!("'{value}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recovery(call: Call, tool: &str) -> Recovery {
        Recovery { tool: tool.to_owned(), response_id: "ID".to_owned(), call, ..Recovery::default() }
    }

    #[test]
    fn each_reader_is_told_the_call_that_it_can_make() {
        let path = Argument { name: "path", value: "/issues/7/a b" };
        for (call, tool, example, outline, hint) in [
            (
                Call::Tool,
                "recover",
                r#"recover({"response_id":"ID","path":"/issues/7/a b"})"#,
                r#"recover({response_id,"path":"/issues/7/a b"})"#,
                "recover(response_id,path|search|lines)",
            ),
            (
                Call::Invoke("invoke_tool".to_owned()),
                "recover",
                r#"invoke_tool({"tool_name":"recover","tool_input":{"response_id":"ID","path":"/issues/7/a b"}})"#,
                r#"invoke_tool(recover, {response_id,"path":"/issues/7/a b"})"#,
                "invoke_tool(recover, {response_id,path|search|lines})",
            ),
            (
                Call::Command,
                "shop recover",
                "shop recover --response-id ID --path '/issues/7/a b'",
                "shop recover --response-id ID --path '/issues/7/a b'",
                "shop recover --response-id --path|--search|--lines",
            ),
            (
                Call::TypeScript,
                "recover",
                r#"recover("ID", { path: "/issues/7/a b" })"#,
                r#"recover(response_id, { path: "/issues/7/a b" })"#,
                "recover(response_id, {path|search|lines})",
            ),
            (
                Call::Python,
                "recover",
                r#"recover(response_id="ID", path="/issues/7/a b")"#,
                r#"recover(response_id, path="/issues/7/a b")"#,
                "recover(response_id, path|search|lines=)",
            ),
            (
                Call::File("/tmp/response-".to_owned()),
                "recover",
                "/tmp/response-ID.json",
                "original_response_file",
                "original_response_file",
            ),
        ] {
            let recovery = recovery(call, tool);
            assert_eq!([recovery.example(&path), recovery.outline(&path), recovery.hint()], [example, outline, hint]);
        }
    }

    #[test]
    fn a_value_that_needs_escapes_is_no_example_where_they_differ() {
        for (call, value, takes) in [
            (Call::Tool, r#"/a\"b'"#, true),
            (Call::TypeScript, r"/a\/b", false),
            (Call::Python, "/it's", true),
            (Call::Command, "/it's", false),
            (Call::Command, "/a;b $(c)", true),
            (Call::File("/tmp/".to_owned()), "/a", false),
        ] {
            assert_eq!(recovery(call.clone(), "t").takes(value), takes, "{call:?} {value}");
        }
        assert_eq!(["/a/0", "/a;b $(c)", ""].map(quoted), ["/a/0", "'/a;b $(c)'", "''"]);
    }
}
