//! Streamable HTTP: many clients, each with a session of its own, or all with none.

mod body;
mod events;
mod guard;
mod lane;
mod patience;
mod routing;
mod serve;
mod streams;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{ACCEPT, ALLOW, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use axum::http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::service::TowerToHyperService;
use tokio::time::{Instant, sleep};

use crate::config::Sessions;
use crate::error::Error;
use crate::observe::health_routes;
use crate::originals::Principal;
use crate::random;
use crate::read;
use crate::rpc::{Kind, Message, code};
use crate::session::{MODERN, Outlet, Session, is_known_version, unsupported};
use crate::shared::Shared;
use crate::sync::lock;
use crate::upstream::Demand;
use crate::work::LARGE;

pub(crate) use body::{Fault, Received, all as read_body};
pub(crate) use guard::is_loopback;
use lane::{Frame, lane};
use routing::is_modern;
pub(crate) use serve::{Answers, Listener, listen, listen_on_loopback};
pub(crate) use streams::HttpStreams;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Sessions without a request for so long are over.
const IDLE: Duration = Duration::from_mins(30);
/// Sessions at a time; the one that was idle longest makes room, and before others one that nobody waits for.
const MOST_SESSIONS: usize = 1000;

/// All clients that come in over HTTP.
pub(crate) struct Clients {
    shared: Arc<Shared>,
    guard: guard::Guard,
    /// There are no sessions: all clients of one principal share what the proxy keeps.
    stateless: bool,
    clients: Mutex<HashMap<Key, Client>>,
    next_id: AtomicU64,
}

/// What a client is found by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// The id of its session.
    Session(String),
    /// Where there are no sessions.
    Principal(Principal),
}

/// One client, or all of one principal.
#[derive(Clone)]
struct Client {
    principal: Principal,
    session: Arc<Session>,
    streams: Arc<HttpStreams>,
    used: Arc<Mutex<Instant>>,
}

impl Client {
    /// A client with these headers.
    fn new(shared: &Arc<Shared>, principal: Principal, headers: &HeaderMap, is_everybody: bool) -> Result<Self, Error> {
        let streams = Arc::new(HttpStreams::new(shared.log.clone()));
        let outlet = Outlet::Http(Arc::clone(&streams));
        // Whoever sends another is another principal, and has another session.
        let authorization = headers.get(AUTHORIZATION);
        let session = if is_everybody {
            Session::for_everybody(shared, outlet, principal, authorization)?
        } else {
            Session::start(shared, outlet, authorization)?
        };
        Ok(Self { principal, session, streams, used: Arc::new(Mutex::new(Instant::now())) })
    }
}

impl Clients {
    pub(crate) fn new(shared: &Arc<Shared>) -> Result<Arc<Self>, Error> {
        let http = &shared.config.inbound.http;
        let clients = Self {
            guard: guard::Guard::new(http, shared.config.passes_credentials())?,
            shared: Arc::clone(shared),
            stateless: http.sessions == Sessions::Stateless,
            clients: Mutex::default(),
            next_id: AtomicU64::new(1),
        };
        // The servers start at once where it is known for whom.
        if clients.stateless && !clients.guard.tells_apart() {
            clients.of_principal(None, &HeaderMap::new())?;
        }
        Ok(Arc::new(clients))
    }

    /// What answers requests. Those of clients are told by their path at once: finding a route costs more than that.
    pub(crate) fn service(self: &Arc<Self>) -> impl Answers + use<> {
        let (clients, others) = (Arc::clone(self), TowerToHyperService::new(health_routes(&self.shared.health)));
        service_fn(move |request: Request<Incoming>| {
            let (clients, others) = (Arc::clone(&clients), others.clone());
            async move {
                if request.uri().path() == clients.shared.config.inbound.http.path {
                    return Ok(clients.answer(request.map(Body::new)).await);
                }
                others.call(request).await
            }
        })
    }

    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        if let Err(refused) = self.guard.check(&parts.headers, parts.uri.authority().map(axum::http::uri::Authority::as_str)) {
            return *refused;
        }
        let version = parts.headers.get(&VERSION).map(|version| version.to_str().unwrap_or_default());
        if let Some(version) = version.filter(|version| *version != MODERN && !is_known_version(version)) {
            return json(StatusCode::BAD_REQUEST, Message::failure("null", &unsupported(version)));
        }
        match parts.method {
            Method::POST => self.post(&parts.headers, body).await,
            Method::GET => self.get(&parts.headers),
            Method::DELETE => self.delete(&parts.headers),
            _ => not_allowed("GET, POST, DELETE"),
        }
    }

    /// Ends all sessions, once the calls under way have come to their end.
    pub(crate) async fn close(&self) {
        let all: Vec<Client> = lock(&self.clients).drain().map(|(_, client)| client).collect();
        let closing: Vec<_> = all
            .into_iter()
            .map(|client| {
                tokio::spawn(async move {
                    client.session.drain().await;
                    client.session.close().await;
                })
            })
            .collect();
        for task in closing {
            let _ = task.await;
        }
    }

    /// Ends sessions that nobody uses, for as long as this runs: their clients may have gone without a word, and no other come.
    pub(crate) async fn keep_swept(&self) {
        loop {
            sleep(IDLE / 30).await;
            self.sweep();
        }
    }

    /// Ends sessions that nobody uses.
    fn sweep(&self) {
        let mut over: Vec<Client> = Vec::new();
        let mut clients = lock(&self.clients);
        let used = |client: &Client| *lock(&client.used);
        let idle: Vec<Key> = clients
            .iter()
            .filter(|(key, client)| **key != Key::Principal(None) && used(client).elapsed() > IDLE && !client.streams.is_waited_for())
            .map(|(key, _)| key.clone())
            .collect();
        over.extend(idle.iter().filter_map(|key| clients.remove(key)));
        if clients.len() >= MOST_SESSIONS
            && let Some(oldest) =
                clients.iter().min_by_key(|(_, client)| (client.streams.is_waited_for(), used(client))).map(|(key, _)| key.clone())
        {
            over.extend(clients.remove(&oldest));
        }
        drop(clients);
        for client in over {
            tokio::spawn(async move { client.session.close().await });
        }
    }

    async fn post(&self, headers: &HeaderMap, body: Body) -> Response<Body> {
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
        if !kind.starts_with("application/json") {
            return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json");
        }
        if !accepts(headers, "application/json") || !accepts(headers, "text/event-stream") {
            return refuse(StatusCode::NOT_ACCEPTABLE, "Accept must name application/json and text/event-stream");
        }
        let config = &self.shared.config;
        let (limit, longest) = (config.limits.message_bytes.bytes(), config.inbound.http.read_timeout.duration());
        let received = match body::read(body, limit, longest, &self.shared.work).await {
            Ok(received) => received,
            Err(refused) => return *refused,
        };
        let mut messages: Vec<Message> = Vec::new();
        let parsed = read::in_memory(received.bytes, &self.shared.work).await;
        drop(received.memory);
        for message in parsed {
            match message {
                Ok(message) => messages.push(message),
                Err(why) => return failure(StatusCode::BAD_REQUEST, code::PARSE, &why),
            }
        }
        let messages = match self.checked(headers, messages, routing::check).await {
            Ok(messages) => messages,
            Err(refused) => return *refused,
        };
        let begins = messages.iter().any(|message| message.kind() == Kind::Request && message.method() == "initialize");
        let (client, new) = match self.client(headers, begins) {
            Ok(found) => found,
            Err(response) => return *response,
        };
        let mirrored = routing::mirrored(headers, &client.session).await;
        let messages = if mirrored.is_empty() {
            messages
        } else {
            let check = move |headers: &HeaderMap, message: &Message| routing::check_arguments(headers, message, &mirrored);
            match self.checked(headers, messages, check).await {
                Ok(messages) => messages,
                Err(refused) => return *refused,
            }
        };
        let mut response = self.take(&client, headers, messages).await;
        match new {
            // There is nothing that could be gone on with.
            Some(id) if response.status().is_client_error() => {
                lock(&self.clients).remove(&Key::Session(id));
                tokio::spawn(async move { client.session.close().await });
            }
            Some(id) => drop(HeaderValue::from_str(&id).map(|id| response.headers_mut().insert(SESSION, id))),
            None => {}
        }
        response
    }

    /// The messages, where `check` finds nothing wrong with any beside the headers; its error is the answer to the message.
    async fn checked(
        &self,
        headers: &HeaderMap,
        messages: Vec<Message>,
        check: impl Fn(&HeaderMap, &Message) -> Result<(), String> + Send + 'static,
    ) -> Result<Vec<Message>, Box<Response<Body>>> {
        let find = move |headers: &HeaderMap, messages: &[Message]| {
            messages.iter().find_map(|message| Some(Message::failure(message.id(), &check(headers, message).err()?)))
        };
        let found = if messages.iter().all(|message| message.text().len() <= LARGE) {
            Ok((find(headers, &messages), messages))
        } else {
            let headers = headers.clone();
            self.shared.work.run(move || (find(&headers, &messages), messages)).await
        };
        match found {
            Ok((None, messages)) => Ok(messages),
            Ok((Some(fault), _)) => Err(Box::new(json(StatusCode::BAD_REQUEST, fault))),
            Err(why) => Err(Box::new(failure(StatusCode::INTERNAL_SERVER_ERROR, code::INTERNAL, &why))),
        }
    }

    /// Whether a request is of no session: there are none, or it is of the revisions without a handshake, which know none.
    fn has_no_session(&self, headers: &HeaderMap) -> bool {
        self.stateless || is_modern(headers)
    }

    /// The client that a request comes from, and the id of its session where that begins.
    fn client(&self, headers: &HeaderMap, begins: bool) -> Result<(Client, Option<String>), Box<Response<Body>>> {
        let failed = |why: &str| Box::new(failure(StatusCode::INTERNAL_SERVER_ERROR, code::INTERNAL, why));
        let principal = self.guard.principal(headers);
        if self.has_no_session(headers) {
            let client = self.of_principal(principal, headers).map_err(|error| failed(&error.to_string()))?;
            *lock(&client.used) = Instant::now();
            return Ok((client, None));
        }
        if begins {
            self.sweep();
            let client = Client::new(&self.shared, principal, headers, false).map_err(|error| failed(&error.to_string()))?;
            let id = random::text(16).map_err(|error| failed(&error.to_string()))?;
            lock(&self.clients).insert(Key::Session(id.clone()), client.clone());
            return Ok((client, Some(id)));
        }
        let Some(id) = headers.get(&SESSION).and_then(|id| id.to_str().ok()) else {
            return Err(Box::new(refuse(StatusCode::BAD_REQUEST, "the header Mcp-Session-Id is missing: begin with initialize")));
        };
        let client = lock(&self.clients).get(&Key::Session(id.to_owned())).cloned();
        // A session is its principal's alone, whoever learns its id.
        let client = client.filter(|client| client.principal == principal);
        let client = client.ok_or_else(|| Box::new(refuse(StatusCode::NOT_FOUND, "there is no such session: begin with initialize")))?;
        *lock(&client.used) = Instant::now();
        Ok((client, None))
    }

    /// What the clients of a principal share.
    fn of_principal(&self, principal: Principal, headers: &HeaderMap) -> Result<Client, Error> {
        let key = Key::Principal(principal);
        if let Some(client) = lock(&self.clients).get(&key) {
            return Ok(client.clone());
        }
        self.sweep();
        let mut clients = lock(&self.clients);
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        let client = Client::new(&self.shared, principal, headers, true)?;
        clients.insert(key, client.clone());
        Ok(client)
    }

    /// Hands messages to the session. The response is the answer, or a stream where there is more.
    async fn take(&self, client: &Client, headers: &HeaderMap, messages: Vec<Message>) -> Response<Body> {
        let (to, mut frames) = lane();
        let requests = messages.iter().filter(|message| message.kind() == Kind::Request).count();
        let method = messages.first().filter(|_| is_modern(headers)).map(|message| message.method().to_owned());
        for message in messages {
            if message.kind() == Kind::Request {
                // Ids of our own: two clients may use one id.
                let key = self.next_id.fetch_add(1, Ordering::Relaxed).to_string();
                client.streams.open(&key, message.id(), &to);
                if let Some(observe) = self.shared.observe() {
                    observe.comes_from(&key, headers);
                }
                client.session.receive(message.renamed(&key)).await;
            } else if message.method() == "notifications/cancelled" {
                // An id is of the client that gave it, and here nobody knows which that is.
                if !self.has_no_session(headers)
                    && let Some(message) = client.streams.with_own_id(&message)
                {
                    client.session.receive(message).await;
                }
            } else {
                client.session.receive(message).await;
            }
        }
        if requests == 0 {
            return empty(StatusCode::ACCEPTED);
        }
        drop(to);
        match frames.next().await {
            Some(Frame::Answer(text)) if requests == 1 => {
                json(method.map_or(StatusCode::OK, |method| routing::status(&method, &text)), text)
            }
            // What the server says to whoever shows it credentials is what the client has to hear.
            Some(Frame::Refusal(text, Demand { status, challenges })) if requests == 1 => {
                let mut refused = json(status, text);
                refused.headers_mut().extend(challenges.into_iter().map(|challenge| (WWW_AUTHENTICATE, challenge)));
                refused
            }
            Some(first) => events::response(frames, Some(first)),
            // Cancelled.
            None => empty(StatusCode::ACCEPTED),
        }
    }

    fn get(&self, headers: &HeaderMap) -> Response<Body> {
        if self.has_no_session(headers) {
            return not_allowed("POST");
        }
        if !accepts(headers, "text/event-stream") {
            return refuse(StatusCode::NOT_ACCEPTABLE, "Accept must name text/event-stream");
        }
        match self.client(headers, false) {
            Ok((client, _)) => events::response(client.streams.listen(), None),
            Err(response) => *response,
        }
    }

    fn delete(&self, headers: &HeaderMap) -> Response<Body> {
        if self.has_no_session(headers) {
            return not_allowed("POST");
        }
        let client = match self.client(headers, false) {
            Ok(_) => headers.get(&SESSION).and_then(|id| lock(&self.clients).remove(&Key::Session(id.to_str().ok()?.to_owned()))),
            Err(response) => return *response,
        };
        match client {
            Some(client) => {
                tokio::spawn(async move { client.session.close().await });
                empty(StatusCode::NO_CONTENT)
            }
            None => refuse(StatusCode::NOT_FOUND, "there is no such session"),
        }
    }
}

/// Whether a client takes a kind of answer; one that says nothing takes any.
fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let family = kind.split('/').next().unwrap_or_default();
    let mut all = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).peekable();
    all.peek().is_none()
        || all.any(|one| {
            let one = one.split(';').next().unwrap_or_default().trim();
            one.eq_ignore_ascii_case(kind) || one == "*/*" || one.strip_suffix("/*").is_some_and(|of| of.eq_ignore_ascii_case(family))
        })
}

fn json(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A refusal, as JSON-RPC has it.
fn failure(status: StatusCode, code: i32, why: &str) -> Response<Body> {
    json(status, Message::failure("null", &Message::error(code, why)))
}

fn refuse(status: StatusCode, why: &str) -> Response<Body> {
    failure(status, -32000, why)
}

fn not_allowed(allowed: &'static str) -> Response<Body> {
    let mut response = refuse(StatusCode::METHOD_NOT_ALLOWED, "this method is not allowed here");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Policy, ResultFlags};
    use crate::log::{Level, Log};

    fn clients(config: &str) -> Arc<Clients> {
        let config: Config = serde_json::from_str(config).expect("a configuration");
        let policy = Policy::new(&config, &ResultFlags::default(), None).expect("a policy");
        Clients::new(&Arc::new(Shared::new(config, policy, Log::new(Level::Off)).expect("no store to make"))).expect("an address")
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_whose_client_is_gone_ends_though_no_other_begins() {
        let clients = clients(
            r#"{ "servers": { "a": { "command": ["gone"] } }, "inbound": { "http": { "enabled": true, "sessions": "stateful" } } }"#,
        );
        let (gone, _) = clients.client(&HeaderMap::new(), true).expect("a session");
        let (there, _) = clients.client(&HeaderMap::new(), true).expect("a session");
        let _listening = there.streams.listen();
        let swept = Arc::clone(&clients);
        tokio::spawn(async move { swept.keep_swept().await });
        sleep(IDLE / 2).await;
        assert_eq!(lock(&clients.clients).len(), 2);
        sleep(IDLE).await;
        let left: Vec<bool> = lock(&clients.clients).values().map(|client| Arc::ptr_eq(&client.session, &there.session)).collect();
        assert_eq!(left, [true]);
        drop(gone);
    }
}
