//! What operators see.

use std::path::PathBuf;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Secret, Size};

/// What operators see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Observability {
    /// One line of JSON for each message.
    pub trace: Trace,
    /// Figures for monitoring.
    pub metrics: Metrics,
    /// One line of JSON for each call, with who made it.
    pub audit: Audit,
    /// Spans for OpenTelemetry.
    pub otel: Otel,
}

/// One line of JSON for each message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Trace {
    /// Where the lines go.
    pub sink: TraceSink,
    /// The file of `sink: file`. Relative to this file.
    pub path: PathBuf,
    /// Write arguments and results, too, with secrets struck out.
    pub payloads: bool,
    /// A file this large is set aside and a new one begun.
    pub max_bytes: Size,
    /// Files set aside that are kept.
    pub max_files: usize,
}

impl Default for Trace {
    fn default() -> Self {
        Self {
            sink: TraceSink::default(),
            path: PathBuf::from(".snugfit/trace.ndjson"),
            payloads: false,
            max_bytes: Size::mib(64),
            max_files: 5,
        }
    }
}

/// Where the lines of the trace go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum TraceSink {
    /// Nowhere.
    #[default]
    Off,
    /// To standard error.
    Stderr,
    /// To a file.
    File,
    /// To the OpenTelemetry endpoint.
    Otlp,
}

/// Figures for monitoring.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Metrics {
    /// For Prometheus.
    pub prometheus: Prometheus,
}

/// An endpoint for Prometheus, with `/healthz` and `/readyz`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Prometheus {
    /// Listen at all.
    pub enabled: bool,
    /// The address to listen on.
    pub host: String,
    /// The port to listen on; 0 takes a free one.
    pub port: u16,
}

impl Default for Prometheus {
    fn default() -> Self {
        Self { enabled: false, host: "127.0.0.1".to_owned(), port: 9464 }
    }
}

/// One line of JSON for each call, with the claims of the caller's token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Audit {
    /// Write it at all.
    pub enabled: bool,
    /// The file. Relative to this file.
    pub path: PathBuf,
    /// A file this large is set aside and a new one begun.
    pub max_bytes: Size,
}

impl Default for Audit {
    fn default() -> Self {
        Self { enabled: false, path: PathBuf::from(".snugfit/audit.ndjson"), max_bytes: Size::mib(64) }
    }
}

/// Spans for OpenTelemetry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Otel {
    /// The OTLP/HTTP endpoint; `OTEL_EXPORTER_OTLP_ENDPOINT` where this is not given.
    pub endpoint: Option<String>,
    /// Headers of the requests to it.
    pub headers: IndexMap<String, Secret>,
}
