//! How clients reach the proxy.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Period, Secret};

/// How clients reach the proxy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Inbound {
    /// Over standard input and output.
    pub stdio: bool,
    /// Over Streamable HTTP.
    pub http: Http,
}

impl Default for Inbound {
    fn default() -> Self {
        Self { stdio: true, http: Http::default() }
    }
}

/// Streamable HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Http {
    /// Listen at all.
    pub enabled: bool,
    /// The address to listen on: an IP address or `localhost`. Anything but loopback needs `auth`.
    pub host: String,
    /// The port to listen on; 0 takes a free one.
    pub port: u16,
    /// The path of the endpoint.
    pub path: String,
    /// Whether the proxy remembers clients between requests.
    pub sessions: Sessions,
    /// Who may come in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<InboundAuth>,
    /// Names, beside the address, that the `Host` header may have.
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages that may call.
    pub allowed_origins: Vec<String>,
    /// The longest that a request may take to arrive.
    pub read_timeout: Period,
}

impl Default for Http {
    fn default() -> Self {
        Self {
            enabled: false,
            host: "127.0.0.1".to_owned(),
            port: 8787,
            path: "/mcp".to_owned(),
            sessions: Sessions::default(),
            auth: None,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            read_timeout: Period::seconds(30),
        }
    }
}

impl Http {
    /// Whether only this machine can reach the address.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// Whether the proxy remembers clients between requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Sessions {
    /// Every request stands alone, so that any replica can answer it.
    #[default]
    Stateless,
    /// A session for each client, in this process.
    Stateful,
}

/// Who may come in over HTTP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct InboundAuth {
    /// Bearer tokens, one of which a request must have.
    pub bearer: Vec<Secret>,
    /// A gateway in front has checked requests already.
    pub trust_proxy: bool,
}
