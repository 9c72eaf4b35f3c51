//! A request to a server, from its going out to its answer.

use std::sync::Arc;
use std::time::Instant;

use crate::rpc::Message;
use crate::sync::lock;

use super::call::current;
use super::otel::{self, Context};
use super::trace::{Dir, Event};
use super::{Observe, is_error};

/// A request to a server, for as long as it is under way.
pub(crate) struct Asking {
    observe: Arc<Observe>,
    session: Arc<str>,
    upstream: String,
    method: String,
    id: String,
    /// The id of the client's request.
    call: Option<String>,
    /// The tool, as the server names it.
    name: Option<String>,
    context: Option<Context>,
    started: Instant,
}

impl Asking {
    pub(crate) fn new(observe: &Arc<Observe>, session: &Arc<str>, upstream: &str, method: &str, id: u64) -> Self {
        let call = current();
        let name = call.as_ref().and_then(|call| lock(&call.noted).target.as_ref().map(|target| target.1.clone()));
        Self {
            observe: Arc::clone(observe),
            session: Arc::clone(session),
            upstream: upstream.to_owned(),
            method: method.to_owned(),
            id: id.to_string(),
            call: call.as_ref().map(|call| call.id.clone()),
            name,
            context: call.and_then(|call| call.context.as_ref().map(Context::inner)),
            started: Instant::now(),
        }
    }

    /// The `traceparent` for the server, where there is a trace.
    pub(crate) fn traceparent(&self) -> Option<String> {
        self.context.as_ref().map(Context::traceparent)
    }

    /// The request goes out.
    pub(crate) async fn sent(&self, params: &str) {
        if let Some(trace) = &self.observe.trace {
            let payload = self.observe.payload(trace, "params", params).await;
            trace.write(Dir::Out, Event { bytes: params.len(), msg: "request", payload, ..self.event() }, &self.observe.redactor);
        }
    }

    /// The answer is there; or why none will be.
    pub(crate) async fn heard(self, answer: Result<&Message, String>) {
        let took = self.started.elapsed();
        let outcome = answer.as_ref().map(|message| message.outcome());
        let is_call = self.method == "tools/call";
        let ok = matches!(outcome, Ok(Ok(result)) if !is_call || !is_error(result));
        if let Some(trace) = &self.observe.trace {
            let (bytes, msg, payload) = match &outcome {
                Ok(Ok(result)) => (result.len(), "response", self.observe.payload(trace, "result", result).await),
                Ok(Err(error)) => (error.len(), "response", self.observe.payload(trace, "error", error).await),
                Err(why) => (0, why.as_str(), None),
            };
            let event = Event { ok: Some(ok), took: Some(took), bytes, msg, payload, ..self.event() };
            trace.write(Dir::In, event, &self.observe.redactor);
        }
        if let (Some(exporter), Some(context)) = (&self.observe.spans, &self.context) {
            let name = self.observe.redactor.text(self.name.as_deref().unwrap_or_default());
            let about = [("mcp.method.name", self.method.as_str()), ("snugfit.upstream", self.upstream.as_str())];
            let title = format!("{} {name}", self.method);
            exporter.span(context, otel::Kind::Client, title.trim_end(), took, (!ok).then_some("error"), &about);
        }
    }

    fn event(&self) -> Event<'_> {
        Event {
            session: &self.session,
            upstream: Some(&self.upstream),
            method: &self.method,
            name: self.name.as_deref(),
            id: &self.id,
            call: self.call.as_deref(),
            ..Event::default()
        }
    }
}
