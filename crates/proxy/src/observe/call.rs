//! A request of a client, from its coming in to its answer. What happens to it is told by whoever does it, by [`at`], [`fitted`] and [`recovered`],
//! without knowing of the request: it is the one of the task that runs.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::sync::lock;

use super::audit::Claims;
use super::otel::{self, Context};
use super::trace::{Dir, Event};
use super::{Observe, is_error, tokens};

/// A request of a client under way.
#[derive(Debug)]
pub(crate) struct Call {
    pub(super) observe: Arc<Observe>,
    pub(super) session: Arc<str>,
    pub(super) method: String,
    pub(super) id: String,
    /// The tool, prompt or resource, as the client names it.
    pub(super) name: Option<String>,
    pub(super) started: Instant,
    pub(super) context: Option<Context>,
    pub(super) claims: Option<Arc<Claims>>,
    pub(super) noted: Mutex<Noted>,
}

/// What becomes known of a request on its way.
#[derive(Debug, Default)]
pub(super) struct Noted {
    /// The server and the tool, as the server names it.
    pub(super) target: Option<(String, String)>,
    /// The number of the call in the audit.
    audit: Option<u64>,
    /// Tokens of the result before it was fitted and after.
    tokens: Option<(u64, u64)>,
}

tokio::task_local! {
    static CALL: Arc<Call>;
}

/// Works on a request.
pub(crate) async fn within<F: Future>(call: Option<Arc<Call>>, work: F) -> F::Output {
    match call {
        Some(call) => CALL.scope(call, work).await,
        None => work.await,
    }
}

/// The request that is worked on, for work on it that goes on elsewhere.
pub(crate) fn current() -> Option<Arc<Call>> {
    CALL.try_with(Arc::clone).ok()
}

/// The request goes to a tool of a server.
pub(crate) fn at(upstream: &str, tool: &str) {
    let _ = CALL.try_with(|call| {
        lock(&call.noted).target = Some((upstream.to_owned(), tool.to_owned()));
        call.audit();
    });
}

/// The result of the request was fitted: bytes before and after.
pub(crate) fn fitted(before: usize, after: usize, took: Duration) {
    let _ = CALL.try_with(|call| call.fitted(tokens(before), tokens(after), took));
}

/// The request asked for an original.
pub(crate) fn recovered(hit: bool) {
    let _ = CALL.try_with(|call| {
        if let Some(metrics) = &call.observe.metrics {
            metrics.recovered(hit);
        }
    });
}

impl Call {
    /// The answer goes out.
    pub(crate) async fn answered(&self, outcome: Result<&str, &str>) {
        let is_call = self.method == "tools/call";
        let ok = outcome.is_ok_and(|result| !is_call || !is_error(result));
        let took = self.started.elapsed();
        let bytes = outcome.map_or_else(str::len, str::len);
        if let Some(trace) = &self.observe.trace {
            let (key, json) = match outcome {
                Ok(result) => ("result", result),
                Err(error) => ("error", error),
            };
            let payload = self.observe.payload(trace, key, json).await;
            let tokens = lock(&self.noted).tokens;
            let event = Event { ok: Some(ok), took: Some(took), bytes, tokens, msg: "response", payload, ..self.event() };
            trace.write(Dir::Out, event, &self.observe.redactor);
        }
        self.ended(if ok { "ok" } else { "error" }, took);
    }

    /// The client no longer wants an answer.
    pub(crate) fn cancelled(&self) {
        let took = self.started.elapsed();
        if let Some(trace) = &self.observe.trace {
            let event = Event { ok: Some(false), took: Some(took), msg: "cancelled by the client", ..self.event() };
            trace.write(Dir::Out, event, &self.observe.redactor);
        }
        self.ended("cancelled", took);
    }

    /// What it is about, for the trace.
    pub(super) fn event(&self) -> Event<'_> {
        Event { session: &self.session, method: &self.method, name: self.name.as_deref(), id: &self.id, ..Event::default() }
    }

    fn ended(&self, outcome: &str, took: Duration) {
        let observe = &self.observe;
        let (target, tokens) = {
            let noted = lock(&self.noted);
            (noted.target.clone(), noted.tokens)
        };
        let (upstream, tool) = (target.as_ref().map(|target| target.0.as_str()), target.as_ref().map(|target| target.1.as_str()));
        if let (Some(metrics), Some((upstream, tool))) = (&observe.metrics, &target) {
            metrics.called(upstream, &observe.redactor.text(tool), outcome == "ok", took);
            if let Some((before, after)) = tokens {
                metrics.saved(upstream, "result", before.saturating_sub(after));
            }
        }
        if self.method == "tools/call"
            && let Some(audit) = &observe.audit
        {
            self.audit();
            let number = lock(&self.noted).audit.unwrap_or_default();
            observe.written(audit.ended(number, (upstream, tool), outcome, took, &observe.redactor));
        }
        if let (Some(exporter), Some(context)) = (&observe.spans, &self.context) {
            let (method, name) = (observe.redactor.text(&self.method), observe.redactor.text(self.name.as_deref().unwrap_or_default()));
            let mut about = vec![("mcp.method.name", method.as_ref())];
            about.extend(self.name.is_some().then_some(("gen_ai.tool.name", name.as_ref())));
            about.extend(upstream.map(|upstream| ("snugfit.upstream", upstream)));
            let title = format!("{method} {name}");
            let failure = (outcome != "ok").then_some(outcome);
            exporter.span(context, otel::Kind::Server, title.trim_end(), took, failure, &about);
        }
    }

    /// Notes the call before anything is done about it, once.
    fn audit(&self) {
        let (Some(audit), "tools/call") = (&self.observe.audit, self.method.as_str()) else { return };
        let mut noted = lock(&self.noted);
        if noted.audit.is_none() {
            let (number, written) = audit.called(self.name.as_deref().unwrap_or_default(), self.claims.as_deref(), &self.observe.redactor);
            noted.audit = Some(number);
            self.observe.written(written);
        }
    }

    fn fitted(&self, before: u64, after: u64, took: Duration) {
        lock(&self.noted).tokens = Some((before, after));
        if let Some(metrics) = &self.observe.metrics {
            metrics.fitted(took);
        }
        if let (Some(exporter), Some(context)) = (&self.observe.spans, &self.context) {
            let (before, after) = (before.to_string(), after.to_string());
            let about = [("snugfit.tokens_before", before.as_str()), ("snugfit.tokens_after", after.as_str())];
            exporter.span(&context.inner(), otel::Kind::Internal, "fit", took, None, &about);
        }
    }
}
