//! The configuration: what the proxy connects to, what it shows of it, what it does with results.
//!
//! Every type here is what the user writes, with the defaults of the documentation: `Config::default()` is an empty file. The JSON Schema
//! that editors complete from and the reference page are generated from these types and their comments.
//!
//! ```
//! use snugfit_proxy::config::{Config, Mode};
//! let config: Config = serde_json::from_str(r#"{ "servers": { "files": { "command": ["server-files", "/srv"] } } }"#)?;
//! assert_eq!(config.results.mode, Mode::Condense);
//! assert_eq!(config.store.bytes.to_string(), "64MiB");
//! # Ok::<(), serde_json::Error>(())
//! ```

mod check;
mod document;
mod entry;
mod fault;
mod foreign;
mod glob;
mod inbound;
mod limits;
mod list;
mod load;
mod observability;
mod policy;
mod profile;
mod results;
mod schema;
mod script;
mod secret;
mod server;
mod store;
mod surface;
mod turn;
mod units;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use fault::{Fault, Faults, Position};
pub use glob::Glob;
pub use inbound::{Http, Inbound, InboundAuth, Sessions};
pub use limits::Limits;
pub use list::{Compression, Definitions, List, ListOverrides};
pub use load::{FILE_NAMES, Format, Loaded, find, load, load_file, parse};
pub use observability::{Audit, Metrics, Observability, Otel, Prometheus, Trace, TraceSink};
pub use policy::{MAX_TOKENS_VARIABLE, Policy, ResultFlags, ToolPolicy};
pub use results::{Budget, Counting, Handling, Mode, Profile, Results, ResultsOverrides, Structured};
pub use schema::{json_schema, reference};
pub use script::NODE;
pub use secret::Secret;
pub use server::{Auth, Server, Transport};
pub use store::{OnFailure, Redis, Store};
pub use surface::{Surface, SurfaceKind};
pub use turn::TurnBudget;
pub use units::{Period, Size};

/// The whole configuration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(title = "snugfit configuration")]
pub struct Config {
    /// Where the JSON Schema of this file is, for editors.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The MCP servers behind the proxy, each under the name that its tools are shown with. The order counts: what two servers claim
    /// belongs to the first.
    pub servers: IndexMap<String, Server>,
    /// How tools and prompts are named when there are several servers.
    pub names: Names,
    /// Which tools, prompts and resources are shown and can be used.
    pub filters: Filters,
    /// What clients see of tools.
    pub list: List,
    /// What stands in the place of the tools, for agents that work through a shell or write programs.
    pub surface: Surface,
    /// What happens to results.
    pub results: Results,
    /// Where originals of shortened results are kept.
    pub store: Store,
    /// How clients reach the proxy.
    pub inbound: Inbound,
    /// What operators see.
    pub observability: Observability,
    /// Bounds on messages, calls and waiting.
    pub limits: Limits,
}

impl Config {
    /// The servers that are not left out.
    pub fn active(&self) -> impl Iterator<Item = (&String, &Server)> {
        self.servers.iter().filter(|(_, server)| !server.disabled)
    }

    /// Whether a server is shown what clients prove who they are with.
    pub(crate) fn passes_credentials(&self) -> bool {
        self.active().any(|(_, server)| matches!(server.transport, Transport::Http { auth: Auth::Passthrough, .. }))
    }

    /// What stands between a server's name and a tool's; `None` where names stay as they are.
    #[must_use]
    pub fn separator(&self) -> Option<&str> {
        let prefixed = match self.names.prefix {
            Prefix::Auto => self.active().nth(1).is_some(),
            Prefix::Always => true,
            Prefix::Never => false,
        };
        prefixed.then_some(&self.names.separator)
    }
}

/// How tools and prompts are named when there are several servers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Names {
    /// What stands between the server's name and the tool's: letters, digits, `_` and `-`, at most 8.
    #[serde(deserialize_with = "separator")]
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-]{1,8}$"))]
    pub separator: String,
    /// Whether the server's name stands before the tool's at all.
    pub prefix: Prefix,
}

impl Default for Names {
    fn default() -> Self {
        Self { separator: "__".to_owned(), prefix: Prefix::default() }
    }
}

/// Whether the server's name stands before the tool's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Prefix {
    /// Where there are several servers.
    #[default]
    Auto,
    /// Also where there is only one.
    Always,
    /// Not even where there are several; tools of one name are numbered.
    Never,
}

fn separator<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if (1..=8).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
        Ok(text)
    } else {
        let found = serde::de::Unexpected::Str(&text);
        Err(serde::de::Error::invalid_value(found, &"1 to 8 letters, digits, `_` or `-`, which is all that model APIs accept in names"))
    }
}

/// Which tools, prompts and resources are shown and can be used. Patterns match `<server>.<name>`, and resources also by their URI.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Filters {
    /// Only what matches one of these; everything where there is none.
    #[serde(deserialize_with = "glob::list")]
    pub allow: Vec<Glob>,
    /// Nothing that matches one of these; comes after `allow` and always wins.
    #[serde(deserialize_with = "glob::list")]
    pub deny: Vec<Glob>,
}
