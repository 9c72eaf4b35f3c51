//! What operators see: trace, figures, audit, spans, health. Off, it costs a look at an empty cell for each message.

mod asking;
mod audit;
mod call;
mod health;
mod journal;
mod line;
mod metrics;
mod named;
mod otel;
mod redact;
mod serve;
mod trace;

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

pub(crate) use asking::Asking;
use audit::{Audit, Claims};
pub(crate) use call::{Call, at, current, fitted, recovered, within};
pub(crate) use health::{Health, Stand, Standing};
use journal::Journal;
use metrics::Metrics;
use otel::{Context, Exporter};
pub(crate) use redact::Redactor;
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
