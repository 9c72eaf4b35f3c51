//! The same tools in fewer words, for clients that want the real ones.

use std::collections::HashMap;

use crate::describe;
use crate::schema;
use crate::tool::Tool;

/// How definitions are made smaller.
#[derive(Debug, Clone)]
pub struct Options {
    /// Characters of a tool's description; a sentence that ends a little past them is finished.
    pub max_description_chars: usize,
    /// How schemas are made smaller.
    pub schema: schema::Options,
    /// Descriptions that somebody wrote, by [`key`]; they are taken as they are. `None` for rules alone.
    pub written: Option<HashMap<String, String>>,
}

impl Default for Options {
    fn default() -> Self {
        let schema = schema::Options { max_description_chars: 100, dedupe: true, keep_dialect: false };
        Self { max_description_chars: 160, schema, written: None }
    }
}

/// A smaller definition, and whether its description was to be found among the written ones and was not.
#[derive(Debug, Clone, PartialEq)]
pub struct Shrunk {
    /// The tool.
    pub tool: Tool,
    /// The rules stood in for a description that nobody had written.
    pub missed: bool,
}

/// The tool with a shorter description and a smaller schema. The same tool gives the same bytes.
///
/// ```
/// use snugfit_toolset::{Tool, definitions::{Options, shrink}};
/// let tool = Tool::new("search", "This tool **searches** items.", "{}")?;
/// assert_eq!(shrink(&tool, &Options::default()).tool.description, "Searches items.");
/// # Ok::<(), snugfit_toolset::Error>(())
/// ```
#[must_use]
pub fn shrink(tool: &Tool, options: &Options) -> Shrunk {
    let written = options.written.as_ref().map(|written| written.get(&key(&tool.description)));
    let description = match written.flatten() {
        Some(text) => text.clone(),
        None => describe::shrink(&tool.description, options.max_description_chars),
    };
    let input_schema = schema::shrink(&tool.input_schema, &tool.name, options.schema);
    let missed = written.is_some_and(|found| found.is_none()) && !tool.description.is_empty();
    Shrunk { tool: Tool { description, input_schema, ..tool.clone() }, missed }
}

/// The key of a description among written ones: the first 32 hexadecimal digits of its BLAKE3.
#[must_use]
pub fn key(description: &str) -> String {
    blake3::hash(description.as_bytes()).to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_descriptions_come_first_and_misses_are_told() {
        let tool = Tool::new("a", "This tool searches.", "{}").expect("a schema");
        let written = HashMap::from([(key("This tool searches."), "Looks.".to_owned())]);
        let options = Options { written: Some(written), ..Options::default() };
        let found = shrink(&tool, &options);
        assert_eq!((found.tool.description.as_str(), found.missed), ("Looks.", false));
        let other = shrink(&Tool { description: "This tool finds.".into(), ..tool }, &options);
        assert_eq!((other.tool.description.as_str(), other.missed), ("Finds.", true));
    }
}
