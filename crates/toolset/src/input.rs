//! The input of `invoke_tool`: models send it as JSON text, or parts of it so; what the schema asks for decides.

use serde_json::{Map, Value};

use crate::error::Error;
use crate::object::{branches, properties, resolve};
use crate::tool::Tool;

/// The input for a tool as JSON text, from what a model sent as `tool_input` (JSON text; empty where it sent none).
///
/// # Errors
/// [`Error::InvalidInput`] that names what is missing and shows the schema.
pub fn prepare(tool: &Tool, sent: &str) -> Result<String, Error> {
    let sent = if sent.trim().is_empty() { Value::Object(Map::new()) } else { read(tool, sent)? };
    let input = match sent {
        Value::Object(input) => input,
        Value::Null => Map::new(),
        Value::String(text) if text.trim().is_empty() => Map::new(),
        Value::String(text) => match read(tool, &text)? {
            Value::Object(input) => input,
            other => return Err(wrong_kind(tool, &other)),
        },
        other => return Err(wrong_kind(tool, &other)),
    };
    let properties = properties(&tool.input_schema);
    let missing: Vec<String> = properties
        .iter()
        .filter(|property| property.required && !input.contains_key(property.name))
        .map(|property| format!("{:?}", property.name))
        .collect();
    if !missing.is_empty() {
        return Err(Error::InvalidInput(format!(
            "{} was not run: tool_input lacks {}. Its input schema: {}",
            tool.name,
            missing.join(", "),
            tool.input_schema
        )));
    }
    let by_name: std::collections::HashMap<&str, &Value> = properties.iter().map(|property| (property.name, property.schema)).collect();
    let decoded = input.into_iter().map(|(name, value)| {
        let value = match by_name.get(name.as_str()) {
            Some(schema) => decode(&tool.input_schema, schema, value),
            None => value,
        };
        (name, value)
    });
    Ok(Value::Object(decoded.collect()).to_string())
}

fn read(tool: &Tool, text: &str) -> Result<Value, Error> {
    serde_json::from_str(text)
        .map_err(|error| Error::InvalidInput(format!("{} was not run: tool_input is a text that is no JSON object ({error})", tool.name)))
}

fn wrong_kind(tool: &Tool, value: &Value) -> Error {
    let kind = match value {
        Value::Array(_) => "an array",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        _ => "a string",
    };
    Error::InvalidInput(format!(
        "{} was not run: tool_input must be an object, not {kind}. Its input schema: {}",
        tool.name, tool.input_schema
    ))
}

/// A text that holds the object or array that the schema wants becomes that; all else stays. A schema that also takes texts keeps the text.
fn decode(root: &Value, schema: &Value, value: Value) -> Value {
    let Value::String(text) = &value else { return value };
    let wanted = Wanted::of(root, schema, 0);
    if wanted.string || !(wanted.object || wanted.array) {
        return value;
    }
    match serde_json::from_str(text) {
        Ok(decoded @ Value::Object(_)) if wanted.object => decoded,
        Ok(decoded @ Value::Array(_)) if wanted.array => decoded,
        _ => value,
    }
}

/// The structured types, and text, that a schema takes.
#[derive(Default)]
struct Wanted {
    string: bool,
    object: bool,
    array: bool,
}

impl Wanted {
    fn of(root: &Value, schema: &Value, depth: usize) -> Self {
        let schema = resolve(root, schema);
        let mut wanted = Self::default();
        match schema.get("type") {
            Some(Value::String(name)) => wanted.add(name),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).for_each(|name| wanted.add(name)),
            _ if depth < 8 => {
                for part in ["anyOf", "oneOf", "allOf"].into_iter().flat_map(|key| branches(schema, key)) {
                    let of_part = Self::of(root, part, depth + 1);
                    wanted.string |= of_part.string;
                    wanted.object |= of_part.object;
                    wanted.array |= of_part.array;
                }
                wanted.object |= schema.get("properties").is_some();
                wanted.array |= schema.get("items").is_some();
            }
            _ => {}
        }
        wanted
    }

    fn add(&mut self, name: &str) {
        match name {
            "string" => self.string = true,
            "object" => self.object = true,
            "array" => self.array = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> Tool {
        let schema = r##"{"type":"object","properties":{"id":{"type":"string"},"tags":{"type":"array"},"filter":{"$ref":"#/$defs/f"},
            "any":{"anyOf":[{"type":"string"},{"type":"object"}]},"maybe":{"type":["array","null"]},"n":{"type":"integer"}},
            "required":["id"],"$defs":{"f":{"type":"object"}}}"##;
        Tool::new("probe", "", schema).expect("a schema")
    }

    #[test]
    fn what_models_send_becomes_what_the_tool_takes() {
        for (sent, expected) in [
            (r#"{"id":"x"}"#, r#"{"id":"x"}"#),
            (r#""{\"id\":\"x\"}""#, r#"{"id":"x"}"#),
            (r#"{"id":"[1]","tags":"[1,2]","filter":"{\"a\":1}"}"#, r#"{"id":"[1]","tags":[1,2],"filter":{"a":1}}"#),
            (r#"{"id":"x","any":"{}","maybe":"[]","n":"5"}"#, r#"{"id":"x","any":"{}","maybe":[],"n":"5"}"#),
            (r#"{"id":"x","tags":"not json","filter":"[1]"}"#, r#"{"id":"x","tags":"not json","filter":"[1]"}"#),
            (r#"{"z":1,"id":"x","extra":"{}"}"#, r#"{"z":1,"id":"x","extra":"{}"}"#),
        ] {
            assert_eq!(prepare(&tool(), sent).as_deref(), Ok(expected), "{sent}");
        }
    }

    #[test]
    fn what_is_missing_is_named_and_the_schema_shown() {
        for sent in ["", "{}", "null", r#""""#, r#"{"tags":[]}"#] {
            let error = prepare(&tool(), sent).expect_err("id is missing").to_string();
            assert!(error.starts_with(r#"probe was not run: tool_input lacks "id". Its input schema: {"type":"object""#), "{error}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for (sent, said) in [("[1]", "not an array"), ("3", "not a number"), (r#""x""#, "no JSON object"), ("{", "no JSON object")] {
            let error = prepare(&tool(), sent).expect_err("no object").to_string();
            assert!(error.contains(said), "{sent}: {error}");
        }
    }
}
