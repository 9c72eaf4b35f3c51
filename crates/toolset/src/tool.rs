//! Tools as their owners define them.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::error::Error;
use crate::names;

/// One tool's definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The name by which its owner calls it.
    pub name: String,
    /// What it does; may be empty.
    pub description: String,
    /// What it takes: a JSON Schema.
    pub input_schema: Value,
    /// What it gives: a JSON Schema.
    pub output_schema: Option<Value>,
    /// Hints such as `readOnlyHint`, as MCP has them.
    pub annotations: Option<Value>,
}

impl Tool {
    /// A tool that takes what `input_schema`, a JSON text, allows.
    ///
    /// # Errors
    /// [`Error::InvalidTools`] where that is no schema of objects.
    ///
    /// ```
    /// use snugfit_toolset::Tool;
    /// let tool = Tool::new("search", "Finds items.", r#"{"type":"object","properties":{"query":{"type":"string"}}}"#)?;
    /// assert_eq!(tool.name, "search");
    /// # Ok::<(), snugfit_toolset::Error>(())
    /// ```
    pub fn new(name: impl Into<String>, description: impl Into<String>, input_schema: &str) -> Result<Self, Error> {
        let name = name.into();
        let input_schema = parse_schema(&name, "input schema", input_schema)?;
        Ok(Self { name, description: description.into(), input_schema, output_schema: None, annotations: None })
    }

    /// The same tool with what it gives, a JSON Schema as text.
    ///
    /// # Errors
    /// [`Error::InvalidTools`] where that is no schema.
    pub fn with_output_schema(mut self, schema: &str) -> Result<Self, Error> {
        self.output_schema = Some(parse_schema(&self.name, "output schema", schema)?);
        Ok(self)
    }

    /// The same tool with hints, a JSON object as text.
    ///
    /// # Errors
    /// [`Error::InvalidTools`] where that is no JSON.
    pub fn with_annotations(mut self, annotations: &str) -> Result<Self, Error> {
        self.annotations = Some(parse(&self.name, "annotations", annotations)?);
        Ok(self)
    }

    /// Whether the hint of this name is set, such as `readOnlyHint`.
    #[must_use]
    pub fn hint(&self, name: &str) -> Option<bool> {
        self.annotations.as_ref()?.get(name)?.as_bool()
    }

    /// The definition as a model is sent it: name, description and input schema.
    #[must_use]
    pub fn definition(&self) -> Value {
        let mut definition = Map::new();
        definition.insert("name".into(), self.name.clone().into());
        definition.insert("description".into(), self.description.clone().into());
        definition.insert("inputSchema".into(), self.input_schema.clone());
        Value::Object(definition)
    }
}

fn parse_schema(tool: &str, what: &str, text: &str) -> Result<Value, Error> {
    match parse(tool, what, text)? {
        schema @ Value::Object(_) => Ok(schema),
        // `true` allows everything.
        Value::Bool(true) => Ok(Value::Object(Map::new())),
        _ => Err(Error::InvalidTools(format!("the {what} of {tool:?} must be a JSON Schema, an object"))),
    }
}

fn parse(tool: &str, what: &str, text: &str) -> Result<Value, Error> {
    let read = serde_json::from_str(text).or_else(|error| match without_lone_surrogates(text) {
        Some(text) => serde_json::from_str(&text),
        None => Err(error),
    });
    read.map_err(|error| Error::InvalidTools(format!("the {what} of {tool:?} cannot be read: {error}")))
}

/// The JSON text with U+FFFD in the place of each lone surrogate, which no string of ours can hold; `None` where there are none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut whole, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(found) = text[at..].find('\\') {
        at += found;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                whole.push_str(&text[copied..at]);
                whole.push_str("\\ufffd");
                copied = at + 6;
                6
            }
            // What is escaped is one byte, or the first of a character that needs no escape.
            _ => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    (copied > 0).then(|| whole + &text[copied..])
}

/// The tools of one surface, found by name.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    list: Vec<Tool>,
    by_name: HashMap<String, usize>,
}

impl Tools {
    /// The tools in their order.
    ///
    /// # Errors
    /// [`Error::InvalidTools`] where two have one name.
    pub fn new(list: Vec<Tool>) -> Result<Self, Error> {
        let mut by_name = HashMap::with_capacity(list.len());
        for (index, tool) in list.iter().enumerate() {
            if by_name.insert(tool.name.clone(), index).is_some() {
                return Err(Error::InvalidTools(format!("two tools are called {:?}", tool.name)));
            }
        }
        Ok(Self { list, by_name })
    }

    /// All tools, in order.
    #[must_use]
    pub fn list(&self) -> &[Tool] {
        &self.list
    }

    /// The tool of this name.
    ///
    /// # Errors
    /// [`Error::UnknownTool`] with the three closest names.
    pub fn get(&self, name: &str) -> Result<&Tool, Error> {
        self.by_name.get(name).map(|&index| &self.list[index]).ok_or_else(|| Error::UnknownTool {
            name: names::excerpt(name),
            hint: match names::closest(name, self.list.iter().map(|tool| tool.name.as_str()), 3)[..] {
                [] => "there are no tools".to_owned(),
                [only] => format!("did you mean {only}?"),
                ref close => format!("the closest are {}", close.join(", ")),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_in_a_schema_are_replaced() {
        for (written, expected) in [
            (r"a\ud800b", "a\u{fffd}b"),
            (r"\udc00\ud800", "\u{fffd}\u{fffd}"),
            (r"\ud83d\ude00\ud83d", "\u{1f600}\u{fffd}"),
            (r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}"),
            (r"\\ud800 \ud800 \n", "\\ud800 \u{fffd} \n"),
        ] {
            let schema = format!(r#"{{"type":"object","description":"{written}"}}"#);
            let tool = Tool::new("a", "", &schema).expect("a schema");
            assert_eq!(tool.input_schema["description"], expected, "{written}");
        }
        assert!(Tool::new("a", "", r#"{"x":"\ud800"#).is_err());
        assert!(Tool::new("a", "", "{\"x\":\"\\é").is_err());
    }
}
