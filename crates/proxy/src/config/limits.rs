//! Bounds on messages, calls and waiting.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Period, Size};

/// Bounds on messages, calls and waiting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    /// The largest message in either direction.
    pub message_bytes: Size,
    /// Calls of one session under way at once; more wait.
    #[schemars(range(min = 1))]
    pub calls_per_session: usize,
    /// Calls of all sessions under way at once; more wait.
    #[schemars(range(min = 1))]
    pub calls: usize,
    /// The longest that a call may take; progress from the server starts it anew.
    pub call_timeout: Period,
    /// The longest that listings wait for a server.
    pub list_timeout: Period,
    /// The longest that starting or reaching a server may take.
    pub connect_timeout: Period,
    /// How long calls under way may go on when the proxy is told to end.
    pub shutdown_timeout: Period,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: Size::mib(256),
            calls_per_session: 64,
            calls: 512,
            call_timeout: Period::seconds(300),
            list_timeout: Period::seconds(10),
            connect_timeout: Period::seconds(30),
            shutdown_timeout: Period::seconds(5),
        }
    }
}
