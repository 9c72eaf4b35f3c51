//! What stands in the place of the tools.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands in the place of the tools, for agents that work through a shell or write programs on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Surface {
    /// How the tools are reached.
    pub kind: SurfaceKind,
    /// The folder for commands and modules; without it one of their own in the system's temporary folder, which goes with the proxy. Relative
    /// to this file.
    pub output_dir: Option<PathBuf>,
    /// The folder for the complete results of shortened ones, which stay there; without it the system's temporary folder. Relative to this
    /// file.
    pub files_dir: Option<PathBuf>,
}

/// How the tools are reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum SurfaceKind {
    /// As tools.
    #[default]
    Tools,
    /// By a command for each server, with a subcommand for each tool.
    Cli,
    /// By a module of TypeScript for each server, with a function for each tool.
    TypeScript,
    /// By a module of Python for each server, with a function for each tool.
    Python,
}
