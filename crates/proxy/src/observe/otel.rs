//! Spans and log records for OpenTelemetry, in the JSON form of OTLP over HTTP.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::config::Otel;
use crate::error::Error;
use crate::log::Log;
use crate::sync::lock;

/// Records that wait to be sent; more are left out.
const WAITING: usize = 4096;
/// Records that are sent at once.
const ENOUGH: usize = 256;
/// How long the first of a few waits.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest that the other side may take.
const PATIENCE: Duration = Duration::from_secs(10);

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";

/// Where a span belongs: its trace, itself, and the span that it is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Context {
    trace: u128,
    span: u64,
    parent: Option<u64>,
    /// Whoever began the trace wants it recorded.
    sampled: bool,
}

impl Context {
    /// A span within the one that a `traceparent` names, or a trace of its own.
    pub(super) fn under(traceparent: Option<&str>) -> Self {
        traceparent.and_then(Self::parse).map_or_else(
            || Self { trace: u128::from(random()) << 64 | u128::from(random()), span: random(), parent: None, sampled: true },
            |outer| outer.inner(),
        )
    }

    /// A span within this one.
    pub(super) fn inner(&self) -> Self {
        Self { span: random(), parent: Some(self.span), ..*self }
    }

    /// As the header of W3C Trace Context has it.
    pub(super) fn traceparent(&self) -> String {
        format!("00-{:032x}-{:016x}-{:02x}", self.trace, self.span, u8::from(self.sampled))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let hex = |text: &str, digits: usize| text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !hex(version, 2)
            || version == "ff"
            || !hex(trace, 32)
            || !hex(span, 16)
            || !hex(flags, 2)
            || (version == "00" && parts.next().is_some())
        {
            return None;
        }
        let (trace, span) = (u128::from_str_radix(trace, 16).ok()?, u64::from_str_radix(span, 16).ok()?);
        let sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
        (trace != 0 && span != 0).then_some(Self { trace, span, parent: None, sampled })
    }
}

/// A random number that is not zero.
fn random() -> u64 {
    // Without a source of randomness ids are as good as the clock.
    getrandom::u64().unwrap_or_else(|_| nanos(SystemTime::now()) as u64).max(1)
}

/// What a span stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Internal = 1,
    Server = 2,
    Client = 3,
}

/// Sends records in the background.
#[derive(Debug)]
pub(super) struct Exporter {
    client: reqwest::Client,
    traces: Url,
    logs: Url,
    headers: HeaderMap,
    waiting: Mutex<Waiting>,
    enough: Notify,
    log: Log,
}

#[derive(Debug, Default)]
struct Waiting {
    spans: Vec<Value>,
    logs: Vec<Value>,
    dropped: usize,
}

impl Exporter {
    /// An exporter, if an endpoint is configured or named by the environment.
    pub(super) fn new(
        config: &Otel,
        client: impl FnOnce() -> Result<reqwest::Client, String>,
        log: &Log,
    ) -> Result<Option<Arc<Self>>, Error> {
        let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let Some(endpoint) = config.endpoint.clone().or_else(|| variable(ENDPOINT)) else { return Ok(None) };
        let unusable = |what: &str| Error::Unusable(format!("observability.otel: {what}"));
        let base = endpoint.trim_end_matches('/').trim_end_matches("/v1/traces").trim_end_matches('/');
        let url = |signal: &str| Url::parse(&format!("{base}/v1/{signal}")).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let (Some(traces), Some(logs)) = (url("traces"), url("logs")) else {
            return Err(unusable("the endpoint must be a URL such as http://127.0.0.1:4318"));
        };
        let mut headers = HeaderMap::new();
        let named: Vec<(String, String)> = config.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect();
        let from_variable = variable(HEADERS).unwrap_or_default();
        let pairs = from_variable.split(',').filter_map(|pair| pair.split_once('='));
        let pairs = pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
        // What the configuration says counts more.
        for (name, value) in pairs.chain(named) {
            let name = HeaderName::try_from(name).map_err(|_| unusable("the name of a header cannot be sent"))?;
            let mut value = HeaderValue::from_str(&value).map_err(|_| unusable("the value of a header cannot be sent"))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let client = client().map_err(|why| unusable(&why))?;
        let (waiting, enough) = (Mutex::default(), Notify::new());
        Ok(Some(Arc::new(Self { client, traces, logs, headers, waiting, enough, log: log.clone() })))
    }

    /// A span that has just ended.
    pub(super) fn span(&self, context: &Context, kind: Kind, name: &str, took: Duration, failure: Option<&str>, about: &[(&str, &str)]) {
        if !context.sampled {
            return;
        }
        let end = nanos(SystemTime::now());
        let attributes: Vec<Value> = about.iter().map(|(key, value)| attribute(key, value)).collect();
        let status = failure.map_or_else(|| json!({}), |message| json!({ "code": 2, "message": message }));
        let mut span = json!({
            "traceId": format!("{:032x}", context.trace),
            "spanId": format!("{:016x}", context.span),
            "name": name,
            "kind": kind as u8,
            "startTimeUnixNano": end.saturating_sub(took.as_nanos()).to_string(),
            "endTimeUnixNano": end.to_string(),
            "attributes": attributes,
            "status": status,
        });
        if let Some(parent) = context.parent {
            span["parentSpanId"] = format!("{parent:016x}").into();
        }
        self.add(|waiting| &mut waiting.spans, span);
    }

    /// A line of the trace.
    pub(super) fn log(&self, level: &str, line: &str) {
        let severity = if level == "warn" { 13 } else { 9 };
        let record = json!({
            "timeUnixNano": nanos(SystemTime::now()).to_string(),
            "severityNumber": severity,
            "severityText": level,
            "body": { "stringValue": line },
        });
        self.add(|waiting| &mut waiting.logs, record);
    }

    fn add(&self, queue: impl FnOnce(&mut Waiting) -> &mut Vec<Value>, record: Value) {
        let mut waiting = lock(&self.waiting);
        if waiting.spans.len() + waiting.logs.len() >= WAITING {
            waiting.dropped += 1;
            return;
        }
        queue(&mut waiting).push(record);
        if waiting.spans.len() + waiting.logs.len() >= ENOUGH {
            self.enough.notify_one();
        }
    }

    /// Sends what there is, again and again.
    pub(super) async fn run(self: Arc<Self>) {
        let mut failing = false;
        loop {
            tokio::select! {
                () = self.enough.notified() => {}
                () = tokio::time::sleep(PAUSE) => {}
            }
            let sent = self.flush().await;
            // Said once for each time that it begins to fail.
            if let (Err(why), false) = (&sent, failing) {
                self.log.warn(format_args!("OpenTelemetry: {why}"));
            }
            failing = sent.is_err();
        }
    }

    /// Sends what there is; what cannot be sent is dropped.
    pub(super) async fn flush(&self) -> Result<(), String> {
        let Waiting { spans, logs, dropped } = std::mem::take(&mut *lock(&self.waiting));
        let scope = json!({ "name": "snugfit", "version": env!("CARGO_PKG_VERSION") });
        let resource = json!({ "attributes": [
            attribute("service.name", &std::env::var("OTEL_SERVICE_NAME").unwrap_or_else(|_| "snugfit".to_owned())),
            attribute("service.version", env!("CARGO_PKG_VERSION")),
        ] });
        let mut outcome = Ok(());
        if !spans.is_empty() {
            let body = json!({ "resourceSpans": [{ "resource": resource, "scopeSpans": [{ "scope": scope, "spans": spans }] }] });
            outcome = self.post(&self.traces, &body).await;
        }
        if !logs.is_empty() {
            let body = json!({ "resourceLogs": [{ "resource": resource, "scopeLogs": [{ "scope": scope, "logRecords": logs }] }] });
            outcome = outcome.and(self.post(&self.logs, &body).await);
        }
        if dropped > 0 {
            return Err(format!("{dropped} records were left out: the endpoint does not keep up"));
        }
        outcome
    }

    async fn post(&self, url: &Url, body: &Value) -> Result<(), String> {
        let request = self.client.post(url.clone()).headers(self.headers.clone()).timeout(PATIENCE).body(body.to_string());
        let response = request.send().await.map_err(|error| error.without_url().to_string())?;
        let status = response.status();
        if status.is_success() { Ok(()) } else { Err(format!("the endpoint answers {status}")) }
    }
}

fn attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn nanos(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_goes_on_from_the_one_before() {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let context = Context::under(Some(parent));
        assert_eq!(context.parent, Some(0xb7ad_6b71_6920_3331));
        assert!(context.traceparent().starts_with("00-0af7651916cd43dd8448eb211c80319c-") && context.traceparent().ends_with("-01"));
        assert_eq!(context.inner().parent, Some(context.span));
        assert!(!Context::under(Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")).sampled);
        for text in [
            "",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
        ] {
            assert_eq!(Context::under(Some(text)).parent, None, "{text}");
        }
    }
}
