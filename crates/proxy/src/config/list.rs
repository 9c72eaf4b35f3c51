//! What clients see of tools.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use snugfit_toolset::Level;

/// What clients see of tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct List {
    /// `off` lists the real tools; the levels list `get_tool_schema` and `invoke_tool` in their place.
    pub compression: Compression,
    /// How descriptions and schemas of real tools are made smaller.
    pub definitions: Definitions,
    /// Characters of a tool's description; a sentence that ends a little past them is finished.
    pub max_description_chars: usize,
    /// Characters of a parameter's description.
    pub max_parameter_description_chars: usize,
    /// Move equal parts of a schema into `$defs`.
    pub dedupe_schemas: bool,
    /// Keep `$schema` where it names the usual dialect.
    pub keep_dialect: bool,
    /// File of shrunk definitions, safe to check in; `definitions: llm` takes its descriptions from here. Relative to this file.
    pub cache_path: Option<PathBuf>,
}

impl Default for List {
    fn default() -> Self {
        Self {
            compression: Compression::default(),
            definitions: Definitions::default(),
            max_description_chars: 160,
            max_parameter_description_chars: 100,
            dedupe_schemas: true,
            keep_dialect: false,
            cache_path: None,
        }
    }
}

/// What one server has otherwise than `list` says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ListOverrides {
    /// See `list.compression`.
    pub compression: Option<Compression>,
    /// See `list.definitions`.
    pub definitions: Option<Definitions>,
}

/// How many words a list of tools takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Compression {
    /// The real tools.
    #[default]
    Off,
    /// Names, parameters and whole descriptions.
    Low,
    /// Names, parameters and the first sentence of descriptions.
    Medium,
    /// Names and parameters.
    High,
    /// Names, through `list_tools`.
    Max,
}

impl Compression {
    /// The level of the listing; `None` for the real tools.
    #[must_use]
    pub fn level(self) -> Option<Level> {
        match self {
            Self::Off => None,
            Self::Low => Some(Level::Low),
            Self::Medium => Some(Level::Medium),
            Self::High => Some(Level::High),
            Self::Max => Some(Level::Max),
        }
    }
}

/// How descriptions and schemas of real tools are made smaller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Definitions {
    /// By fixed rules.
    #[default]
    Rules,
    /// Not at all.
    Off,
    /// Descriptions from the cache file; by the rules where it has none.
    Llm,
}
