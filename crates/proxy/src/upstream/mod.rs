//! The servers behind the proxy: one [`Upstream`] for each, kept alive, restarted, and asked.

mod backoff;
mod carrier;
mod demand;
mod http;
mod legacy_sse;
mod link;
mod listen;
mod modern;
mod reaper;
mod run;
mod sse;
mod stderr;
mod stdio;
mod target;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::HeaderValue;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::config::{Auth, Server, Transport};
use crate::mirror::Mirrors;
use crate::observe::{Asking, Dir, Stand, Standing};
use crate::rpc::{Message, Object, quote};
use crate::shared::Shared;
use crate::sync::lock;

pub(crate) use carrier::{Carrier, fault, http_client};
pub(crate) use demand::{Demand, Demands};
pub(crate) use link::Link;
pub(crate) use modern::Envelope;
pub(crate) use reaper::Reaper;
pub(crate) use run::{Events, Hello, run};
#[cfg(feature = "fuzzing")]
pub(crate) use sse::Parser as EventParser;
pub(crate) use target::address;

/// One server, as one session sees it.
pub(crate) struct Upstream {
    /// Its place in the configuration.
    pub(crate) index: usize,
    pub(crate) name: String,
    pub(crate) config: Server,
    pub(crate) shared: Arc<Shared>,
    /// What the trace calls the session.
    label: Arc<str>,
    state: watch::Sender<State>,
    pending: Mutex<HashMap<u64, Pending>>,
    next_id: AtomicU64,
    standing: Standing,
    /// What it is listened to for, where it knows no handshake.
    listening: tokio::sync::Mutex<listen::Listening>,
    /// The resources that it is to tell of then.
    told_of: Mutex<BTreeSet<String>>,
    /// Who waits for it to say what it will tell of, by our ids.
    agreeing: Mutex<HashMap<u64, oneshot::Sender<Vec<String>>>>,
    /// The level of log messages that the client has asked for.
    level: Mutex<Option<String>>,
    /// The arguments of its tools that headers repeat.
    mirrors: Arc<Mutex<Arc<Mirrors>>>,
    /// The client's own `Authorization`, for servers that are to see it.
    authorization: Option<HeaderValue>,
    /// What the server wants of the client, where it sees that.
    pub(crate) demands: Demands,
}

/// Where a connection stands.
#[derive(Clone)]
pub(crate) enum State {
    /// It is being made.
    Connecting,
    /// The server has answered `initialize`.
    Ready(Arc<Ready>),
    /// It failed or ended, and will be made again.
    Down(Arc<str>),
}

/// A connection that works.
pub(crate) struct Ready {
    pub(crate) link: Link,
    /// The result of `initialize`, as it was written.
    pub(crate) initialized: String,
    /// What every request says, where the server knows no handshake.
    pub(crate) envelope: Option<Envelope>,
    /// The least severe log messages that the server was told to send.
    pub(crate) least: Mutex<Option<usize>>,
}

impl Ready {
    fn new(link: Link, initialized: String, envelope: Option<Envelope>) -> Self {
        Self { link, initialized, envelope, least: Mutex::default() }
    }

    /// Whether the server knows no handshake.
    pub(crate) fn is_modern(&self) -> bool {
        self.envelope.is_some()
    }

    /// Whether the server has a capability, such as `tools`.
    pub(crate) fn has(&self, capability: &str) -> bool {
        let result = Object::parse(&self.initialized).unwrap_or_default();
        result.object("capabilities").is_some_and(|all| all.get(capability).is_some_and(|value| value != "null"))
    }

    /// Whether the server says when what a capability stands for has changed.
    pub(crate) fn promises_changes(&self, capability: &str) -> bool {
        let result = Object::parse(&self.initialized).unwrap_or_default();
        let promised = result.object("capabilities").and_then(|all| all.object(capability)?.bool("listChanged"));
        promised == Some(true)
    }
}

/// A request to a server.
pub(crate) struct Request<'a> {
    /// One of [`Upstream::next_id`].
    pub(crate) id: u64,
    pub(crate) method: &'a str,
    /// JSON text.
    pub(crate) params: Cow<'a, str>,
    pub(crate) origin: Option<Arc<Origin>>,
    /// The longest to wait for the answer; progress starts it anew.
    pub(crate) wait: Duration,
}

/// The client's request that made us ask.
#[derive(Debug)]
pub(crate) struct Origin {
    /// Its id, as it was written.
    pub(crate) id: String,
    /// Its progress token, as it was written.
    pub(crate) token: Option<String>,
    pub(crate) logs: Logs,
    /// Its client speaks a revision without a handshake.
    pub(crate) is_modern: bool,
}

/// Which log messages belong to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logs {
    /// All that come: how many do is another setting.
    All,
    /// Those of this severity and above.
    From(usize),
    None,
}

struct Pending {
    reply: oneshot::Sender<Message>,
    origin: Option<Arc<Origin>>,
    /// Progress came since somebody looked.
    alive: Arc<AtomicBool>,
}

/// Why a server gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// There is no connection, or it broke off.
    Down(String),
    /// It took too long.
    Late(Duration),
}

impl NoAnswer {
    /// The error as the client is told it.
    pub(crate) fn to_error(&self, server: &str) -> String {
        // The codes that the SDKs give to a closed connection and to a timeout.
        let code = match self {
            Self::Down(_) => -32000,
            Self::Late(_) => -32001,
        };
        Message::error(code, &format!("the server {server:?} {self}"))
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Down(why) => write!(f, "cannot be reached: {why}"),
            Self::Late(after) => write!(
                f,
                "did not answer within {} s. The tool may have run all the same: do not blindly repeat a call that writes",
                after.as_secs_f32()
            ),
        }
    }
}

impl Upstream {
    pub(crate) fn new(
        index: usize,
        name: String,
        config: Server,
        shared: Arc<Shared>,
        label: Arc<str>,
        authorization: Option<HeaderValue>,
    ) -> Self {
        let (state, _) = watch::channel(State::Connecting);
        let standing = shared.health.connection(index);
        Self {
            index,
            name,
            config,
            shared,
            label,
            state,
            pending: Mutex::default(),
            next_id: AtomicU64::new(1),
            standing,
            listening: tokio::sync::Mutex::default(),
            told_of: Mutex::default(),
            agreeing: Mutex::default(),
            level: Mutex::default(),
            mirrors: Arc::default(),
            authorization,
            demands: Demands::default(),
        }
    }

    /// The connection, once it is there.
    pub(crate) async fn ready(&self, wait: Duration) -> Result<Arc<Ready>, NoAnswer> {
        let mut state = self.state.subscribe();
        let settled = timeout_at(Instant::now() + wait, state.wait_for(|state| !matches!(state, State::Connecting))).await;
        match settled {
            Ok(Ok(state)) => match &*state {
                State::Ready(ready) => Ok(Arc::clone(ready)),
                State::Down(why) => Err(NoAnswer::Down(why.to_string())),
                State::Connecting => Err(NoAnswer::Late(wait)),
            },
            _ => Err(NoAnswer::Late(wait)),
        }
    }

    /// The connection, if it is there now.
    pub(crate) fn now(&self) -> Option<Arc<Ready>> {
        match &*self.state.borrow() {
            State::Ready(ready) => Some(Arc::clone(ready)),
            _ => None,
        }
    }

    /// Whether requests show a login of the user's, which is renewed from time to time.
    pub(crate) fn logs_in(&self) -> bool {
        matches!(self.config.transport, Transport::Http { auth: Auth::Oauth { .. }, .. })
    }

    /// The longest that a call may take.
    pub(crate) fn call_timeout(&self) -> Duration {
        self.config.call_timeout.unwrap_or(self.shared.config.limits.call_timeout).duration()
    }

    /// A request of ours, which no client waits for.
    pub(crate) fn own<'a>(&self, method: &'a str, params: impl Into<Cow<'a, str>>, wait: Duration) -> Request<'a> {
        Request { id: self.next_id(), method, params: params.into(), origin: None, wait }
    }

    /// The id of a request.
    pub(crate) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Asks the server. Whoever drops this before the answer is there has the server told that the request is cancelled.
    pub(crate) async fn request(&self, mut request: Request<'_>) -> Result<Message, NoAnswer> {
        let ready = match self.now() {
            Some(ready) => ready,
            None => self.ready(request.wait.min(self.shared.config.limits.connect_timeout.duration())).await?,
        };
        if let Some(envelope) = &ready.envelope {
            request.params = self.enveloped(envelope, &request.params).await?.into();
        }
        let asking = self.shared.observe().map(|observe| Asking::new(observe, &self.label, &self.name, request.method, request.id));
        if let Some(traced) =
            asking.as_ref().and_then(Asking::traceparent).and_then(|parent| with_meta(&request.params, "traceparent", &quote(&parent)))
        {
            request.params = traced.into();
        }
        if let Some(asking) = &asking {
            asking.sent(&request.params).await;
        }
        let answer = self.asked(&ready, request).await;
        if let Some(asking) = asking {
            asking.heard(answer.as_ref().map_err(ToString::to_string)).await;
        }
        answer
    }

    /// Sends a request and waits for its answer.
    async fn asked(&self, ready: &Ready, request: Request<'_>) -> Result<Message, NoAnswer> {
        let Request { id, method, params, origin, wait } = request;
        let (reply, answer) = oneshot::channel();
        let alive = Arc::new(AtomicBool::new(false));
        lock(&self.pending).insert(id, Pending { reply, origin, alive: Arc::clone(&alive) });
        let mut asked = Asked { upstream: self, link: &ready.link, id, open: true };
        ready.link.send(Message::request(&id.to_string(), method, &params), Some(id)).map_err(NoAnswer::Down)?;

        let mut answer = std::pin::pin!(answer);
        loop {
            tokio::select! {
                biased;
                answered = &mut answer => {
                    asked.open = false;
                    return answered.map_err(|_| self.why_down());
                }
                () = sleep_until(Instant::now() + wait) => {
                    if !alive.swap(false, Ordering::Relaxed) {
                        return Err(NoAnswer::Late(wait));
                    }
                }
            }
        }
    }

    /// Parameters that say who asks.
    async fn enveloped(&self, envelope: &Envelope, params: &str) -> Result<String, NoAnswer> {
        let level = lock(&self.level).clone();
        let (envelope, params) = (envelope.clone(), params.to_owned());
        self.shared.work.sized(params.len(), move || envelope.around(&params, level.as_deref())).await.map_err(NoAnswer::Down)
    }

    /// The arguments of its tools that headers repeat from now on.
    pub(crate) fn mirror(&self, mirrors: Mirrors) {
        *lock(&self.mirrors) = Arc::new(mirrors);
    }

    /// The level of log messages that requests of the client ask for from now on, where the server knows no handshake.
    pub(crate) fn set_level(&self, level: &str) {
        *lock(&self.level) = Some(level.to_owned());
    }

    /// Hands a message on as it is, if the server is there.
    pub(crate) fn send(&self, text: String) {
        if let Some(ready) = self.now() {
            if let Some(observe) = self.shared.observe() {
                observe.passed(Dir::Out, &self.label, Some(&self.name), &text);
            }
            let _ = ready.link.send(text, None);
        }
    }

    fn why_down(&self) -> NoAnswer {
        match &*self.state.borrow() {
            State::Down(why) => NoAnswer::Down(why.to_string()),
            _ => NoAnswer::Down("the connection broke off".to_owned()),
        }
    }

    /// An answer came.
    fn answered(&self, message: Message) {
        let pending = message.id().trim_matches('"').parse().ok().and_then(|id: u64| lock(&self.pending).remove(&id));
        match pending {
            Some(pending) => drop(pending.reply.send(message)),
            // Cancelled, late, or a second answer to one request.
            None => self.shared.log.debug(format_args!("{}: an answer to no request, id {}", self.name, message.id())),
        }
    }

    /// The client's request that made us ask under this id, while that is under way.
    fn origin(&self, id: u64) -> Option<Arc<Origin>> {
        lock(&self.pending).get(&id)?.origin.clone()
    }

    /// The request of ours that a progress token stands for, which is under way.
    pub(crate) fn origin_of(&self, token: &str) -> Option<Arc<Origin>> {
        let id: u64 = token.trim_matches('"').parse().ok()?;
        let pending = lock(&self.pending);
        let pending = pending.get(&id)?;
        pending.alive.store(true, Ordering::Relaxed);
        pending.origin.clone()
    }

    /// The client's request that a message of the server most likely belongs to: the oldest that is under way.
    pub(crate) fn oldest_origin(&self) -> Option<Arc<Origin>> {
        lock(&self.pending).iter().filter(|(_, pending)| pending.origin.is_some()).min_by_key(|(id, _)| **id)?.1.origin.clone()
    }

    /// The connection works.
    fn set_ready(&self, ready: Ready) {
        self.standing.set(Stand::Ready);
        self.state.send_replace(State::Ready(Arc::new(ready)));
    }

    /// The connection is gone: nobody waits any longer.
    fn set_down(&self, why: &str) {
        self.standing.set(Stand::Down);
        self.state.send_replace(State::Down(why.into()));
        lock(&self.pending).clear();
    }
}

/// A request that the server works on.
struct Asked<'a> {
    upstream: &'a Upstream,
    link: &'a Link,
    id: u64,
    open: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if self.open && lock(&self.upstream.pending).remove(&self.id).is_some() {
            let params = format!(r#"{{"requestId":{},"reason":{}}}"#, self.id, quote("the client no longer waits for it"));
            self.link.cancel(self.id, Message::notification("notifications/cancelled", &params));
        }
    }
}

/// The parameters with something of ours in their `_meta`; `value` is JSON text.
fn with_meta(params: &str, key: &str, value: &str) -> Option<String> {
    let mut params = Object::parse(params).ok()?;
    let meta = {
        let mut meta = params.object("_meta").unwrap_or_default();
        meta.set(key, value.to_owned());
        meta.to_string()
    };
    params.set("_meta", meta);
    Some(params.to_string())
}
