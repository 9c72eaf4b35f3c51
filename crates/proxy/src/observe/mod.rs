//! What operators see: trace, figures, audit, spans, health. Off, it costs a look at an empty cell for each message.
//!
//! What happens to a request is told by whoever does it, by [`at`], [`fitted`] and [`recovered`], without knowing of the request: it is the one of
//! the task that runs.

mod audit;
mod health;
mod journal;
mod line;
mod metrics;
mod named;
mod otel;
mod redact;
mod serve;
mod trace;

use std::future::Future;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use lru::LruCache;
use memchr::memmem;
use snugfit_recovery::Session as Originals;

use crate::config::{Config, TraceSink};
use crate::error::Error;
use crate::log::Log;
use crate::random;
use crate::rpc::{Kind, Message, Object};
use crate::sync::lock;
use crate::work::{LARGE, Work};

use audit::{Audit, Claims};
pub(crate) use health::{Health, Stand, Standing};
use journal::Journal;
use metrics::Metrics;
use otel::{Context, Exporter};
use redact::Redactor;
pub(crate) use serve::{HEALTH_PATHS, health_routes, listen};
pub(crate) use trace::Dir;
use trace::{Event, Sink, Trace};

/// Payloads above this are not traced: taking them apart would cost more than they say.
const MOST_PAYLOAD: usize = 16 << 20;

/// What operators see.
#[derive(Debug)]
pub(crate) struct Observe {
    redactor: Arc<Redactor>,
    trace: Option<Trace>,
    metrics: Option<Metrics>,
    audit: Option<Audit>,
    spans: Option<Arc<Exporter>>,
    /// Where requests over HTTP come from, by our ids, until they are looked at.
    callers: Mutex<LruCache<String, Caller>>,
    /// What the names of our sessions begin with: several proxies may write to one trace.
    run: String,
    sessions: AtomicU64,
    work: Work,
    log: Log,
}

/// What the headers of a request say.
#[derive(Debug, Default)]
struct Caller {
    claims: Option<Arc<Claims>>,
    traceparent: Option<String>,
}

/// Requests whose headers are kept in mind.
const MOST_CALLERS: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

impl Observe {
    /// What a configuration asks for; `None` where that is nothing. Must run where tasks can be spawned.
    ///
    /// # Errors
    /// A file cannot be opened, or an endpoint makes no sense.
    pub(crate) fn start(
        config: &Config,
        log: &Log,
        work: &Work,
        client: impl FnOnce() -> Result<reqwest::Client, String>,
    ) -> Result<Option<Arc<Self>>, Error> {
        let asked = &config.observability;
        let spans = Exporter::new(&asked.otel, client, log)?;
        let open = |what: &str, path: &std::path::Path, max_bytes: crate::config::Size, max_files| {
            let opened = Journal::open(path, max_bytes.bytes() as u64, max_files);
            opened.map_err(|source| Error::Io { what: format!("observability.{what}.path {}", path.display()), source })
        };
        let sink = match asked.trace.sink {
            TraceSink::Off => None,
            TraceSink::Stderr => Some(Sink::Stderr(log.clone())),
            TraceSink::File => Some(Sink::File(open("trace", &asked.trace.path, asked.trace.max_bytes, Some(asked.trace.max_files))?)),
            TraceSink::Otlp => {
                let endpoint = || Error::Unusable("observability.trace.sink: otlp needs observability.otel.endpoint".to_owned());
                Some(Sink::Otlp(spans.clone().ok_or_else(endpoint)?))
            }
        };
        let audit = match &asked.audit {
            audit if audit.enabled => Some(Audit::new(open("audit", &audit.path, audit.max_bytes, None)?)),
            _ => None,
        };
        let metrics = asked.metrics.prometheus.enabled.then(Metrics::new);
        if sink.is_none() && audit.is_none() && metrics.is_none() && spans.is_none() {
            return Ok(None);
        }
        let run = random::text(4).map_err(|source| Error::Io { what: "the names of sessions".to_owned(), source })?;
        if let Some(exporter) = &spans {
            tokio::spawn(Arc::clone(exporter).run());
        }
        Ok(Some(Arc::new(Self {
            redactor: Arc::new(Redactor::new(config)),
            trace: sink.map(|sink| Trace::new(sink, asked.trace.payloads, log.clone())),
            metrics,
            audit,
            spans,
            callers: Mutex::new(LruCache::new(MOST_CALLERS)),
            run,
            sessions: AtomicU64::new(1),
            work: work.clone(),
            log: log.clone(),
        })))
    }

    /// Sees to it that what was told so far stays.
    pub(crate) async fn close(&self) {
        if let Some(trace) = &self.trace {
            trace.sync();
        }
        if let Some(audit) = &self.audit {
            self.written(audit.sync());
        }
        if let Some(exporter) = &self.spans {
            let _ = tokio::time::timeout(Duration::from_secs(2), exporter.flush()).await;
        }
    }

    /// A name for another session.
    fn session(&self) -> Arc<str> {
        format!("{}-{}", self.run, self.sessions.fetch_add(1, Ordering::Relaxed)).into()
    }

    /// The headers that a request came with.
    pub(crate) fn comes_from(&self, id: &str, headers: &HeaderMap) {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let claims = text("authorization").filter(|_| self.audit.is_some()).and_then(Claims::of);
        let traceparent = text("traceparent").filter(|_| self.spans.is_some()).map(str::to_owned);
        if claims.is_some() || traceparent.is_some() {
            lock(&self.callers).put(id.to_owned(), Caller { claims, traceparent });
        }
    }

    /// A request of a session's client.
    pub(crate) async fn begin(self: &Arc<Self>, session: &Arc<str>, message: &Message) -> Arc<Call> {
        let started = Instant::now();
        let params = message.params();
        let (name, traceparent) = if params.len() <= LARGE {
            about(params)
        } else {
            let params = params.to_owned();
            self.work.run(move || about(&params)).await.unwrap_or_default()
        };
        let caller = lock(&self.callers).pop(message.id()).unwrap_or_default();
        let traceparent = traceparent.or(caller.traceparent);
        let call = Call {
            observe: Arc::clone(self),
            session: Arc::clone(session),
            method: message.method().to_owned(),
            id: message.id().to_owned(),
            name,
            started,
            context: self.spans.is_some().then(|| Context::under(traceparent.as_deref())),
            claims: caller.claims,
            noted: Mutex::default(),
        };
        if let Some(trace) = &self.trace {
            let payload = self.payload(trace, "params", params).await;
            let event = Event { bytes: message.text().len(), msg: "request", payload, ..call.event() };
            trace.write(Dir::In, event, &self.redactor);
        }
        Arc::new(call)
    }

    /// A message that is no request of a client and no answer to one.
    pub(crate) fn passed(&self, dir: Dir, session: &str, upstream: Option<&str>, text: &str) {
        let Some(trace) = &self.trace else { return };
        let message = if text.len() <= LARGE { Message::parse(text.to_owned()).ok() } else { None };
        let mut event = Event { session, upstream, bytes: text.len(), msg: "a large message", ..Event::default() };
        if let Some(message) = &message {
            let (what, key, carried) = match message.kind() {
                Kind::Request => ("request", "params", Some(message.params())),
                Kind::Notification => ("notification", "params", Some(message.params())),
                Kind::Response => match message.outcome() {
                    Ok(result) => ("response", "result", Some(result)),
                    Err(error) => ("response", "error", Some(error)),
                },
            };
            let payload = carried.filter(|_| trace.payloads).and_then(|json| Some((key, self.redactor.json(json)?)));
            event = Event { method: message.method(), id: message.id(), msg: what, payload, ..event };
        }
        trace.write(dir, event, &self.redactor);
    }

    /// Keeps an eye on a store of originals.
    pub(crate) fn watch(&self, originals: &Arc<Originals>) {
        if let Some(metrics) = &self.metrics {
            metrics.watch(originals);
        }
    }

    /// A list went out that was made smaller by so many bytes, server by server.
    pub(crate) fn listed<'s>(&self, saved: impl Iterator<Item = (&'s str, usize)>) {
        if let Some(metrics) = &self.metrics {
            saved.for_each(|(upstream, bytes)| metrics.saved(upstream, "list", tokens(bytes)));
        }
    }

    /// The figures, in the text format of Prometheus.
    pub(crate) fn metrics(&self, health: &Health) -> String {
        self.metrics.as_ref().map_or_else(String::new, |metrics| metrics.text(health))
    }

    /// What a message carries, if that is traced.
    async fn payload(&self, trace: &Trace, key: &'static str, json: &str) -> Option<(&'static str, String)> {
        if !trace.payloads {
            return None;
        }
        let clean = if json.len() <= LARGE {
            self.redactor.json(json)
        } else if json.len() <= MOST_PAYLOAD {
            let (redactor, json) = (Arc::clone(&self.redactor), json.to_owned());
            self.work.run(move || redactor.json(&json)).await.ok().flatten()
        } else {
            None
        };
        Some((key, clean.unwrap_or_else(|| r#""[omitted]""#.to_owned())))
    }

    fn written(&self, written: std::io::Result<()>) {
        if let Err(error) = written {
            self.log.error(format_args!("the audit cannot be written: {error}"));
        }
    }
}

/// A request of a client under way.
#[derive(Debug)]
pub(crate) struct Call {
    observe: Arc<Observe>,
    session: Arc<str>,
    method: String,
    id: String,
    /// The tool, prompt or resource, as the client names it.
    name: Option<String>,
    started: Instant,
    context: Option<Context>,
    claims: Option<Arc<Claims>>,
    noted: Mutex<Noted>,
}

/// What becomes known of a request on its way.
#[derive(Debug, Default)]
struct Noted {
    /// The server and the tool, as the server names it.
    target: Option<(String, String)>,
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
    fn event(&self) -> Event<'_> {
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
        let call = CALL.try_with(Arc::clone).ok();
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

/// What observes the proxy, once it serves.
#[derive(Debug, Default)]
pub(crate) struct Observing(OnceLock<Arc<Observe>>);

impl Observing {
    pub(crate) fn begin(&self, observe: Option<Arc<Observe>>) {
        if let Some(observe) = observe {
            let _ = self.0.set(observe);
        }
    }

    pub(crate) fn get(&self) -> Option<&Arc<Observe>> {
        self.0.get()
    }

    /// A name for another session; an empty one where nobody observes.
    pub(crate) fn session(&self) -> Arc<str> {
        self.get().map(|observe| observe.session()).unwrap_or_default()
    }
}

/// The name and the trace that a request carries.
fn about(params: &str) -> (Option<String>, Option<String>) {
    let params = Object::parse(params).unwrap_or_default();
    let name = params.str("name").or_else(|| params.str("uri")).map(std::borrow::Cow::into_owned);
    let traceparent = params.object("_meta").and_then(|meta| Some(meta.str("traceparent")?.into_owned()));
    (name, traceparent)
}

/// Whether a result of a tool says that the tool failed. A search: parsing all of a large one would cost more than the answer is worth.
fn is_error(result: &str) -> bool {
    let flag = memmem::rfind(result.as_bytes(), b"\"isError\"").and_then(|at| result.get(at + "\"isError\"".len()..));
    flag.is_some_and(|rest| rest.trim_start_matches([':', ' ', '\t', '\n', '\r']).starts_with("true"))
}

/// Tokens by the high estimate.
fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(3) as u64
}

fn millis(took: Duration) -> f64 {
    took.as_micros() as f64 / 1000.0
}
