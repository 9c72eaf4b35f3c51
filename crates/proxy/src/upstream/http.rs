//! Servers behind Streamable HTTP.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::carrier::{Request, Response, chunk};
use super::link::{Incoming, Link, failure, too_large};
use super::run::{GOODBYE, Opened};
use super::target::Target;
use super::{modern, sse};
use crate::config::Size;
use crate::read;
use crate::rpc::{Kind, Object};
use crate::sync::lock;
use crate::work::LARGE;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const BOTH: &str = "application/json, text/event-stream";
const STREAM: &str = "text/event-stream";

/// How often a stream that broke off is taken up again without anything new coming.
const ATTEMPTS: u32 = 5;
/// How long to wait before that, unless the server says otherwise.
const RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(30);

/// The headers of W3C Trace Context that a message has in its `_meta`.
fn trace_context(text: &str) -> Vec<(&'static str, HeaderValue)> {
    // Looking for the word is cheaper than taking the message apart.
    if text.len() > LARGE || memchr::memmem::find(text.as_bytes(), b"\"traceparent\"").is_none() {
        return Vec::new();
    }
    let message = Object::parse(text).unwrap_or_default();
    let params = message.object("params").unwrap_or_default();
    let meta = params.object("_meta").unwrap_or_default();
    let header = |name| Some((name, HeaderValue::from_str(&meta.str(name)?).ok()?));
    ["traceparent", "tracestate"].into_iter().filter_map(header).collect()
}

/// The events of a response.
pub(super) struct EventStream {
    body: Body,
    limit: Size,
    parser: sse::Parser,
    waiting: std::vec::IntoIter<sse::Event>,
}

impl EventStream {
    /// The events of a response, whose messages have at most `limit` bytes.
    pub(super) fn new(response: Response, limit: Size) -> Self {
        Self { body: response.into_body(), limit, parser: sse::Parser::new(limit.bytes()), waiting: Vec::new().into_iter() }
    }

    /// The next event; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<sse::Event>, Cut> {
        loop {
            if let Some(event) = self.waiting.next() {
                return Ok(Some(event));
            }
            let chunk = chunk(&mut self.body).await.map_err(|why| Cut { why, too_large: false })?;
            let Some(chunk) = chunk else { return Ok(None) };
            let events = self.parser.push(&chunk);
            self.waiting = events.map_err(|sse::TooLarge| Cut { why: too_large(self.limit), too_large: true })?.into_iter();
        }
    }
}

/// Why a stream ended before its end.
pub(super) struct Cut {
    pub(super) why: String,
    /// A message is above the limit, so that taking it up again would not help.
    too_large: bool,
}

/// The way to a server behind Streamable HTTP.
pub(crate) struct HttpLink {
    target: Target,
    incoming: mpsc::Sender<Incoming>,
    session: Mutex<Option<HeaderValue>>,
    version: Mutex<Option<HeaderValue>>,
    /// The server knows no handshake: requests repeat in headers what they ask for.
    is_modern: AtomicBool,
    /// Requests that wait for their answers.
    waiting: Mutex<HashMap<u64, AbortHandle>>,
    listening: Mutex<Option<AbortHandle>>,
}

/// Opens a connection by saying hello. `Err(None)` where the server does not know this transport.
pub(super) async fn open(target: &Target, initialize: &str, id: u64) -> Result<Opened, Option<String>> {
    let (to, incoming) = mpsc::channel(16);
    let link = Arc::new(HttpLink {
        target: target.clone(),
        incoming: to,
        session: Mutex::default(),
        version: Mutex::default(),
        is_modern: AtomicBool::new(false),
        waiting: Mutex::default(),
        listening: Mutex::default(),
    });
    let response = link.post(initialize.to_owned()).await.map_err(Some)?;
    match response.status() {
        StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::GONE => {
            // One that knows no handshake says so in an answer; an old one knows no POST at all.
            return match link.take(response, Some(id)).await {
                Ok(()) => Ok(Opened { link: Link::Http(link), incoming, process: None }),
                Err(_) => Err(None),
            };
        }
        status if !status.is_success() => return Err(Some(target.refusal(&response))),
        _ => {}
    }
    *lock(&link.session) = response.headers().get(&SESSION).cloned();
    link.spawn(Some(id), |link| async move { link.take(response, Some(id)).await });
    Ok(Opened { link: Link::Http(link), incoming, process: None })
}

impl HttpLink {
    /// Sends a message; what comes back goes the way of all that comes.
    pub(super) fn send(self: &Arc<Self>, text: String, id: Option<u64>) {
        self.spawn(id, |link| async move {
            let response = link.post(text).await?;
            link.take(response, id).await
        });
    }

    /// Sends what has no answer, and waits until it is there.
    pub(super) async fn deliver(&self, text: String) -> Result<(), String> {
        let response = self.post(text).await?;
        if response.status().is_success() { Ok(()) } else { Err(self.target.refusal(&response)) }
    }

    /// The version that both sides speak from now on.
    pub(super) fn initialized(&self, version: &str) {
        *lock(&self.version) = HeaderValue::from_str(version).ok();
    }

    /// The server knows no handshake.
    pub(super) fn modern(&self) {
        self.is_modern.store(true, Ordering::Relaxed);
        self.initialized(modern::MODERN);
        *lock(&self.session) = None;
    }

    pub(super) fn is_modern(&self) -> bool {
        self.is_modern.load(Ordering::Relaxed)
    }

    /// Nobody waits for this answer any longer: `notice` tells a server with a handshake so; to one without, the end of the response does.
    pub(super) fn cancel(self: &Arc<Self>, id: u64, notice: String) {
        if !self.is_modern() {
            self.send(notice, None);
        }
        if let Some(task) = lock(&self.waiting).remove(&id) {
            task.abort();
        }
    }

    /// Listens for what the server says on its own account, if it offers that.
    pub(super) fn listen(self: &Arc<Self>) {
        let link = Arc::clone(self);
        let task = tokio::spawn(async move {
            let mut last = None;
            let mut wait = RETRY;
            loop {
                match link.get(last.as_deref()).await {
                    Ok(response) if response.status().is_success() => match link.follow(response, None, &mut last).await {
                        Ok((_, again)) => wait = again.unwrap_or(RETRY),
                        Err(why) => link.target.shared.log.warn(format_args!("{}: {why}", link.host())),
                    },
                    // The session is over: the next request finds out.
                    Ok(response) if response.status() == StatusCode::NOT_FOUND && lock(&link.session).is_some() => {
                        link.end("its session is over".to_owned()).await;
                        return;
                    }
                    Ok(response) if response.status().is_client_error() => return,
                    _ => wait = (wait * 2).min(LONGEST_RETRY),
                }
                sleep(wait).await;
            }
        });
        *lock(&self.listening) = Some(task.abort_handle());
    }

    /// Ends the session.
    pub(super) async fn close(&self) {
        if let Some(task) = lock(&self.listening).take() {
            task.abort();
        }
        for (_, task) in lock(&self.waiting).drain() {
            task.abort();
        }
        if lock(&self.session).is_some() {
            let request = self.with_session(self.target.request(Method::DELETE, &self.target.address, BOTH));
            let _ = timeout(GOODBYE, self.target.send(request)).await;
        }
    }

    /// Runs what brings an answer; where it fails, the error is the answer.
    fn spawn<F>(self: &Arc<Self>, id: Option<u64>, work: impl FnOnce(Arc<Self>) -> F)
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        // Boxed, since tasks are moved several times before they run, and the work is large.
        let (link, work) = (Arc::clone(self), Box::pin(work(Arc::clone(self))));
        let task = tokio::spawn(async move {
            let outcome = work.await;
            if let Some(id) = id {
                lock(&link.waiting).remove(&id);
                if let Err(why) = outcome
                    && let Some(failure) = failure(id, &format!("the server gave no result: {why}"))
                {
                    let _ = link.incoming.send(Incoming::Message(failure, None)).await;
                }
            }
        });
        if let Some(id) = id {
            lock(&self.waiting).insert(id, task.abort_handle());
            if task.is_finished() {
                lock(&self.waiting).remove(&id);
            }
        }
    }

    fn with_session<'a>(&self, mut request: Request<'a>) -> Request<'a> {
        for (name, value) in [(SESSION, lock(&self.session).clone()), (VERSION, lock(&self.version).clone())] {
            if let Some(value) = value {
                request.headers.append(name, value);
            }
        }
        request
    }

    async fn post(&self, text: String) -> Result<Response, String> {
        let mut request = self.with_session(self.target.request(Method::POST, &self.target.address, BOTH));
        for (name, value) in trace_context(&text) {
            request.headers.append(name, value);
        }
        let mut text = text;
        if self.is_modern() {
            let routing;
            (routing, text) = self.routing(text).await?;
            request.headers.extend(routing);
        }
        request.headers.append(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.body = text.into();
        self.target.send(request).await
    }

    /// The headers that repeat what a message asks for, and the message.
    async fn routing(&self, text: String) -> Result<(HeaderMap, String), String> {
        let mirrors = Arc::clone(&lock(&self.target.mirrors));
        self.target.shared.work.sized(text.len(), move || (modern::routing(&text, &mirrors).into_iter().collect(), text)).await
    }

    async fn get(&self, last: Option<&str>) -> Result<Response, String> {
        let mut request = self.with_session(self.target.request(Method::GET, &self.target.address, STREAM));
        if let Some(last) = last {
            request.headers.append(LAST_EVENT, HeaderValue::from_str(last).map_err(|error| error.to_string())?);
        }
        self.target.send(request).await
    }

    /// Takes the answer to a POST: nothing, one message, or a stream.
    async fn take(&self, response: Response, id: Option<u64>) -> Result<(), String> {
        let status = response.status();
        if status == StatusCode::NOT_FOUND && lock(&self.session).is_some() {
            self.end("its session is over".to_owned()).await;
            return Err("its session is over, and a new one begins: call again".to_owned());
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
        if status.is_success() && kind.starts_with(STREAM) {
            return self.follow_to_the_end(response, id).await;
        }
        let refusal = (!status.is_success()).then(|| self.target.refusal(&response));
        let limit = self.target.shared.config.limits.message_bytes.bytes();
        let (mut response, mut body) = (response.into_body(), Vec::new());
        while let Some(chunk) = chunk(&mut response).await? {
            if body.len() + chunk.len() > limit {
                return Err(too_large(self.target.shared.config.limits.message_bytes));
            }
            body.extend_from_slice(&chunk);
        }
        let mut answered = false;
        if kind.starts_with("application/json") && !body.is_empty() {
            answered = self.hand_on(body, id).await;
        }
        match (id, refusal) {
            (Some(_), _) if answered => Ok(()),
            (_, Some(refusal)) => Err(refusal),
            (Some(_), None) => Err("it gave no answer".to_owned()),
            (None, None) => Ok(()),
        }
    }

    /// Follows a stream until the answer to `id` is there, taking it up again where it breaks off.
    async fn follow_to_the_end(&self, response: Response, id: Option<u64>) -> Result<(), String> {
        let mut last = None;
        let (mut answered, mut wait) = self.follow(response, id, &mut last).await?;
        let mut attempts = 0;
        while !answered && id.is_some() {
            if last.is_none() || attempts == ATTEMPTS {
                return Err("the connection broke off before its answer was there".to_owned());
            }
            attempts += 1;
            sleep(wait.unwrap_or(RETRY)).await;
            if let Ok(response) = self.get(last.as_deref()).await
                && response.status().is_success()
            {
                let before = last.clone();
                (answered, wait) = self.follow(response, id, &mut last).await?;
                if last != before {
                    attempts = 0;
                }
            }
        }
        Ok(())
    }

    /// Hands on the messages of a stream until it ends: whether the answer to `id` was among them, and how long to wait before going on. An
    /// error is one that going on would not mend.
    async fn follow(&self, response: Response, id: Option<u64>, last: &mut Option<String>) -> Result<(bool, Option<Duration>), String> {
        let mut events = EventStream::new(response, self.target.shared.config.limits.message_bytes);
        let (mut answered, mut wait) = (false, None);
        loop {
            let event = match events.next().await {
                Ok(Some(event)) => event,
                Ok(None) | Err(Cut { too_large: false, .. }) => return Ok((answered, wait)),
                Err(cut) => return Err(cut.why),
            };
            if let Some(id) = event.id {
                *last = (!id.is_empty()).then_some(id);
            }
            wait = event.retry.map(|ms| Duration::from_millis(ms).min(LONGEST_RETRY)).or(wait);
            if !event.data.is_empty() {
                answered |= self.hand_on(event.data, id).await;
            }
        }
    }

    /// Hands on the messages of a frame: whether the answer to `id` was among them.
    async fn hand_on(&self, frame: Vec<u8>, id: Option<u64>) -> bool {
        let text = id.map(|id| id.to_string());
        let mut answered = false;
        for message in read::messages(frame, &self.target.shared.work).await {
            match message {
                Ok(message) => {
                    answered |= message.kind() == Kind::Response && text.as_deref() == Some(message.id().trim_matches('"'));
                    if self.incoming.send(Incoming::Message(message, id)).await.is_err() {
                        return answered;
                    }
                }
                Err(why) => self.target.shared.log.warn(format_args!("{}: sent what is no message of MCP: {why}", self.host())),
            }
        }
        answered
    }

    fn host(&self) -> &str {
        self.target.address.url.host_str().unwrap_or("a server")
    }

    async fn end(&self, why: String) {
        let _ = self.incoming.send(Incoming::Ended(why)).await;
    }
}
