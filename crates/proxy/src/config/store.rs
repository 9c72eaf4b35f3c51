//! Where originals of shortened results are kept.

use std::env;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Period, Secret, Size};

/// Where originals of shortened results are kept, and how many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Store {
    /// The most originals for each client.
    pub entries: usize,
    /// The most bytes of originals for each client.
    pub bytes: Size,
    /// How long an original is kept after its last use.
    pub ttl: Period,
    /// A Redis or Valkey that several proxies share; without it originals are kept in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redis: Option<Redis>,
}

impl Default for Store {
    fn default() -> Self {
        Self { entries: 128, bytes: Size::mib(64), ttl: Period::seconds(300), redis: None }
    }
}

/// A Redis or Valkey that several proxies share. Its memory is bounded by its own `maxmemory`, rather than by `entries` and `bytes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Redis {
    /// Where it is: `redis://[user:password@]host:6379[/database]`, or `rediss://…` with TLS.
    pub url: Secret,
    /// What ids are made and originals encrypted with: long and random, the same for every proxy that shares them. Required, here or as the
    /// environment variable `SNUGFIT_STORE_SECRET`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Secret>,
    /// What the names of all entries begin with, before a colon; keeps them apart from others on the same server.
    #[serde(default = "namespace")]
    pub namespace: String,
    /// A result of more bytes, before compression, cannot be kept.
    #[serde(default = "max_bytes_per_entry")]
    pub max_bytes_per_entry: Size,
    /// What becomes of a call whose result cannot be kept, because the server does not answer.
    #[serde(default)]
    pub on_failure: OnFailure,
    /// The longest that a request to it may take.
    #[serde(default = "timeout")]
    pub timeout: Period,
}

/// What becomes of a call whose result cannot be kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum OnFailure {
    /// It fails, rather than promise a recovery.
    #[default]
    Error,
    /// Its complete result goes out, over any budget.
    Passthrough,
}

/// The environment variable that holds the secret.
const SECRET_VARIABLE: &str = "SNUGFIT_STORE_SECRET";

impl Redis {
    /// The secret, here or in the environment; `None` where there is none.
    #[must_use]
    pub fn secret(&self) -> Option<Secret> {
        let variable = || env::var(SECRET_VARIABLE).ok().map(Secret::new);
        self.secret.clone().or_else(variable).filter(|secret| !secret.expose().is_empty())
    }
}

fn namespace() -> String {
    "snugfit".to_owned()
}

fn max_bytes_per_entry() -> Size {
    Size::mib(64)
}

fn timeout() -> Period {
    Period::seconds(2)
}
