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
    serde_json::from_str(text).map_err(|error| Error::InvalidTools(format!("the {what} of {tool:?} cannot be read: {error}")))
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
