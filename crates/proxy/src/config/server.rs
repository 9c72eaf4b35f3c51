//! The servers behind the proxy.

use std::path::PathBuf;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::{ListOverrides, Period, ResultsOverrides, Secret};

/// A server behind the proxy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Entry")]
#[schemars(with = "Entry")]
pub struct Server {
    /// How it is reached.
    pub transport: Transport,
    /// It is left out.
    pub disabled: bool,
    /// What its tools have otherwise in lists.
    pub list: ListOverrides,
    /// What its results have otherwise.
    pub results: ResultsOverrides,
    /// The longest that one of its calls may take; `limits.callTimeout` where this is not given.
    pub call_timeout: Option<Period>,
}

impl Server {
    /// A server with a transport and nothing out of the ordinary.
    #[must_use]
    pub fn new(transport: Transport) -> Self {
        Self { transport, disabled: false, list: ListOverrides::default(), results: ResultsOverrides::default(), call_timeout: None }
    }
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Transport {
    /// A process of ours that speaks over its standard input and output.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables of its environment, beside ours.
        env: IndexMap<String, Secret>,
        /// Its working directory; ours where this is not given.
        cwd: Option<PathBuf>,
    },
    /// A Streamable HTTP endpoint.
    Http {
        /// Where it is. May hold a token, so it is shown only up to its path.
        url: Secret,
        /// Headers of every request to it.
        headers: IndexMap<String, Secret>,
        /// How we prove who we are.
        auth: Auth,
        /// Speak the old HTTP+SSE transport from the start.
        sse: bool,
    },
}

impl Transport {
    /// A program with its arguments.
    #[must_use]
    pub fn program(command: impl Into<String>, args: Vec<String>) -> Self {
        Self::Stdio { command: command.into(), args, env: IndexMap::new(), cwd: None }
    }

    /// A Streamable HTTP endpoint, with headers of every request to it.
    #[must_use]
    pub fn endpoint(url: impl Into<String>, headers: impl IntoIterator<Item = (String, Secret)>) -> Self {
        Self::Http { url: Secret::new(url), headers: headers.into_iter().collect(), auth: Auth::None, sse: false }
    }
}

/// How the proxy proves to a server who it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub enum Auth {
    /// Not at all, or by `headers`.
    #[default]
    None,
    /// By the client's own `Authorization` header, request by request.
    Passthrough,
    /// By one header.
    Header {
        /// Its name.
        name: String,
        /// Its value.
        value: Secret,
    },
    /// By OAuth 2.1 in the user's browser.
    Oauth {
        /// The client's id, where the server does not register clients itself.
        client_id: Option<String>,
        /// The client's secret, where it has one.
        client_secret: Option<Secret>,
        /// The scopes to ask for.
        scopes: Vec<String>,
    },
}
