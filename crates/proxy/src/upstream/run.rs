//! The life of a connection: made, used, and made again when it ends.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};

use super::backoff::Backoff;
use super::link::{Incoming, Link};
use super::stdio::Process;
use super::target::Target;
use super::{Envelope, Origin, Ready, State, Upstream, http, legacy_sse, modern, stdio};
use crate::config::Transport;
use crate::observe::{Dir, Stand};
use crate::rpc::{Kind, Message, Object, error_parts, quote};

/// What servers say on their own account goes here.
pub(crate) trait Events: Send + Sync + 'static {
    /// A request of a server to the client, and the client's request that it is about, where the transport tells.
    fn asked(&self, upstream: usize, message: Message, about: Option<Arc<Origin>>) -> impl Future<Output = ()> + Send;
    /// A notification of a server, and the client's request that it is about, where the transport tells.
    fn told(&self, upstream: usize, message: Message, about: Option<Arc<Origin>>) -> impl Future<Output = ()> + Send;
    /// A notification about the progress of a request.
    fn progressed(&self, upstream: usize, message: Message) -> impl Future<Output = ()> + Send;
    /// A connection is there.
    fn connected(self: &Arc<Self>, upstream: usize) -> impl Future<Output = ()> + Send;
    /// A connection is there no longer.
    fn lost(&self, upstream: usize);
}

/// What a client says of itself, handed on to the servers as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hello {
    pub(crate) version: String,
    pub(crate) capabilities: String,
    pub(crate) client_info: String,
}

impl Hello {
    fn params(&self) -> String {
        let Self { version, capabilities, client_info } = self;
        format!(r#"{{"protocolVersion":{},"capabilities":{capabilities},"clientInfo":{client_info}}}"#, quote(version))
    }
}

/// A transport that is open; nothing was said yet.
pub(super) struct Opened {
    pub(super) link: Link,
    pub(super) incoming: mpsc::Receiver<Incoming>,
    /// What has to be ended with it.
    pub(super) process: Option<Process>,
}

/// Keeps a server connected until this is told to end.
pub(crate) async fn run<E: Events>(
    upstream: Arc<Upstream>,
    mut client: watch::Receiver<Option<Arc<Hello>>>,
    events: Arc<E>,
    mut end: watch::Receiver<bool>,
) {
    let mut backoff = Backoff::new();
    loop {
        backoff.begin();
        let mut opened = None;
        let why = tokio::select! {
            why = connect(&upstream, &mut client, &events, &mut opened) => Some(why),
            _ = end.wait_for(|end| *end) => None,
        };
        upstream.set_down(why.as_deref().unwrap_or("the proxy is shutting down"));
        if let Some(Opened { link, process, incoming }) = opened {
            link.close().await;
            // What still comes is read away, so that the server is not held up while it ends.
            let drain = tokio::spawn(drain(incoming));
            if let Some(process) = process {
                process.close().await;
            }
            drain.abort();
        }
        let Some(why) = why else { return };
        let delay = backoff.failed();
        upstream.shared.log.warn(format_args!("{}: {why}; the next attempt is in {:.1} s", upstream.name, delay.as_secs_f32()));
        events.lost(upstream.index);
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            _ = end.wait_for(|end| *end) => return,
        }
        upstream.standing.set(Stand::Connecting);
        upstream.state.send_replace(State::Connecting);
    }
}

async fn drain(mut incoming: mpsc::Receiver<Incoming>) {
    while incoming.recv().await.is_some() {}
}

/// Connects, and serves until the connection ends; says why it did.
async fn connect<E: Events>(
    upstream: &Arc<Upstream>,
    client: &mut watch::Receiver<Option<Arc<Hello>>>,
    events: &Arc<E>,
    opened: &mut Option<Opened>,
) -> String {
    // A program is started at once, so that it is up when the client says hello.
    let started = match &upstream.config.transport {
        Transport::Stdio { command, args, env, cwd } => {
            Some(stdio::open(&upstream.name, (command, args, env, cwd.as_deref()), &upstream.shared))
        }
        Transport::Http { .. } => None,
    };
    if let Some(started) = started {
        match started {
            Ok(started) => *opened = Some(started),
            Err(why) => return why,
        }
    }
    let hello = match client.wait_for(Option::is_some).await {
        Ok(hello) => hello.clone(),
        Err(_) => None,
    };
    let Some(hello) = hello else { return "there is no client".to_owned() };
    let deadline = Instant::now() + upstream.shared.config.limits.connect_timeout.duration();
    match timeout_at(deadline, greet(upstream, &hello, opened)).await {
        Ok(Ok(early)) => {
            if upstream.now().is_some_and(|ready| ready.is_modern()) {
                let (upstream, events) = (Arc::clone(upstream), Arc::clone(events));
                tokio::spawn(async move { upstream.listen(&events).await });
            }
            events.connected(upstream.index).await;
            for message in early {
                receive(upstream, &**events, message, None).await;
            }
        }
        Ok(Err(why)) => return why,
        Err(_) => return format!("it did not answer within {}", upstream.shared.config.limits.connect_timeout),
    }
    let Some(opened) = opened else { return "there is no connection".to_owned() };
    loop {
        match opened.incoming.recv().await {
            Some(Incoming::Message(message, about)) => receive(upstream, &**events, message, about).await,
            Some(Incoming::Ended(why)) => return why,
            None => return "the connection broke off".to_owned(),
        }
    }
}

/// Says hello, and gives what came before the answer.
async fn greet(upstream: &Arc<Upstream>, hello: &Hello, opened: &mut Option<Opened>) -> Result<Vec<Message>, String> {
    const ID: u64 = 0;
    let initialize = Message::request(&ID.to_string(), "initialize", &hello.params());
    if opened.is_none()
        && let Transport::Http { url, headers, auth, sse } = &upstream.config.transport
    {
        let target = Target::new(upstream, url, headers, auth)?;
        let tried = if *sse { Err(None) } else { http::open(&target, &initialize, ID).await };
        *opened = Some(match tried {
            Ok(opened) => opened,
            // An old server does not know how to take a POST here.
            Err(None) => {
                let opened = legacy_sse::open(&target).await?;
                opened.link.send(initialize, Some(ID))?;
                opened
            }
            Err(Some(why)) => return Err(why),
        });
    } else if let Some(opened) = opened {
        opened.link.send(initialize, Some(ID))?;
    }
    let Some(Opened { link, incoming, .. }) = opened else { return Err("there is no connection".to_owned()) };
    let mut early = Vec::new();
    let answer = answer_to(ID, incoming, &mut early).await?;
    let refused = match answer.outcome() {
        Ok(_) => None,
        Err(error) => Some(format!("it refused to initialize: {}", error_parts(error).1)),
    };
    if let Some(refused) = refused {
        // Those of the revisions without a handshake say so when they are asked what they speak.
        let envelope = Envelope::new(hello);
        if let Link::Http(http) = link {
            http.modern();
        }
        link.send(Message::request(&ID.to_string(), "server/discover", &envelope.around("{}", None)), Some(ID))?;
        let answer = answer_to(ID, incoming, &mut early).await?;
        let Ok(discovered) = answer.outcome() else { return Err(refused) };
        upstream.set_ready(Ready::new(link.clone(), modern::introduction(discovered)?, Some(envelope)));
        return Ok(early);
    }
    let initialized = answer.outcome().map_err(|error| format!("it refused to initialize: {}", error_parts(error).1))?.to_owned();
    let version = Object::parse(&initialized).ok().and_then(|result| result.str("protocolVersion").map(std::borrow::Cow::into_owned));
    let version = version.ok_or("its answer to initialize names no protocolVersion")?;
    if let Link::Http(http) = link {
        http.initialized(&version);
    }
    link.deliver(Message::notification("notifications/initialized", "{}")).await?;
    if let Link::Http(http) = link {
        http.listen();
    }
    upstream.set_ready(Ready::new(link.clone(), initialized, None));
    Ok(early)
}

/// The answer to our request `id`; what comes before it is kept.
async fn answer_to(id: u64, incoming: &mut mpsc::Receiver<Incoming>, early: &mut Vec<Message>) -> Result<Message, String> {
    let id = id.to_string();
    loop {
        match incoming.recv().await {
            Some(Incoming::Message(message, _)) if message.kind() == Kind::Response && message.id().trim_matches('"') == id => {
                return Ok(message);
            }
            Some(Incoming::Message(message, _)) => early.push(message),
            Some(Incoming::Ended(why)) => return Err(why),
            None => return Err("the connection broke off".to_owned()),
        }
    }
}

/// Sees to one message of a server, which came in the response to our request `about`, where the transport tells.
async fn receive<E: Events>(upstream: &Arc<Upstream>, events: &E, message: Message, about: Option<u64>) {
    let origin = || about.and_then(|id| upstream.origin(id));
    if message.kind() != Kind::Response
        && let Some(observe) = upstream.shared.observe()
    {
        observe.passed(Dir::In, &upstream.label, Some(&upstream.name), message.text());
    }
    match message.kind() {
        Kind::Response => upstream.answered(message),
        Kind::Request if message.method() == "ping" => upstream.send(Message::result(message.id(), "{}")),
        Kind::Request => events.asked(upstream.index, message, origin()).await,
        Kind::Notification if message.method() == "notifications/progress" => events.progressed(upstream.index, message).await,
        Kind::Notification if message.method() == "notifications/subscriptions/acknowledged" => upstream.acknowledged(&message),
        Kind::Notification => events.told(upstream.index, message, origin()).await,
    }
}

/// The longest that goodbyes may take.
pub(super) const GOODBYE: Duration = Duration::from_millis(800);
