//! Where originals of shortened results are kept.

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

/// A Redis or Valkey that several proxies share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Redis {
    /// Where it is: `redis://host:6379` or `rediss://…` with TLS.
    pub url: Secret,
    /// What the ids of originals are keyed with; the same for every proxy that shares them.
    pub secret: Secret,
}
