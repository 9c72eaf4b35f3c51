//! Streamable HTTP: many clients, each with a session of its own, or all with none.

mod events;
mod guard;
mod serve;
mod streams;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, ALLOW, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, Response, StatusCode};
use tokio::time::timeout;

use crate::config::Sessions;
use crate::error::Error;
use crate::observe::health_routes;
use crate::read;
use crate::rpc::{Kind, Message, code};
use crate::session::{Outlet, Session};
use crate::shared::Shared;
use crate::sync::lock;

pub(crate) use serve::listen;
pub(crate) use streams::HttpStreams;
use streams::{Frame, Waiting};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Sessions without a request for so long are over.
const IDLE: Duration = Duration::from_mins(30);
/// Sessions at a time; the one that was idle longest makes room.
const MOST_SESSIONS: usize = 1000;

/// All clients that come in over HTTP.
pub(crate) struct Clients {
    shared: Arc<Shared>,
    guard: guard::Guard,
    /// What all clients share where there are no sessions.
    everybody: Option<Client>,
    sessions: Mutex<HashMap<String, Client>>,
    next_id: AtomicU64,
}

/// One client, or all of them.
#[derive(Clone)]
struct Client {
    session: Arc<Session>,
    streams: Arc<HttpStreams>,
    used: Arc<Mutex<Instant>>,
}

impl Client {
    fn new(shared: &Arc<Shared>, is_everybody: bool) -> Result<Self, Error> {
        let streams = Arc::new(HttpStreams::default());
        let outlet = Outlet::Http(Arc::clone(&streams));
        let session = if is_everybody { Session::for_everybody(shared, outlet)? } else { Session::start(shared, outlet)? };
        Ok(Self { session, streams, used: Arc::new(Mutex::new(Instant::now())) })
    }
}

impl Clients {
    pub(crate) fn new(shared: &Arc<Shared>) -> Result<Arc<Self>, Error> {
        let http = &shared.config.inbound.http;
        let everybody = (http.sessions == Sessions::Stateless).then(|| Client::new(shared, true)).transpose()?;
        Ok(Arc::new(Self {
            guard: guard::Guard::new(http)?,
            shared: Arc::clone(shared),
            everybody,
            sessions: Mutex::default(),
            next_id: AtomicU64::new(1),
        }))
    }

    /// What answers requests.
    pub(crate) fn router(self: &Arc<Self>) -> Router {
        let path = &self.shared.config.inbound.http.path;
        Router::new().route(path, axum::routing::any(answer)).with_state(Arc::clone(self)).merge(health_routes(&self.shared.health))
    }

    /// Ends all sessions, once the calls under way have come to their end.
    pub(crate) async fn close(&self) {
        let sessions: Vec<Client> = lock(&self.sessions).drain().map(|(_, client)| client).collect();
        let all = sessions.into_iter().chain(self.everybody.clone());
        let closing: Vec<_> = all
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

    /// Ends sessions that nobody uses.
    fn sweep(&self) {
        let mut over: Vec<Client> = Vec::new();
        let mut sessions = lock(&self.sessions);
        let used = |client: &Client| *lock(&client.used);
        let idle: Vec<String> = sessions
            .iter()
            .filter(|(_, client)| used(client).elapsed() > IDLE && !client.streams.is_listened_to())
            .map(|(id, _)| id.clone())
            .collect();
        over.extend(idle.iter().filter_map(|id| sessions.remove(id)));
        if sessions.len() >= MOST_SESSIONS
            && let Some(oldest) = sessions.iter().min_by_key(|(_, client)| used(client)).map(|(id, _)| id.clone())
        {
            over.extend(sessions.remove(&oldest));
        }
        drop(sessions);
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
        let limit = self.shared.config.limits.message_bytes.bytes();
        let body = match timeout(self.shared.config.inbound.http.read_timeout.duration(), to_bytes(body, limit)).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => return refuse(StatusCode::PAYLOAD_TOO_LARGE, "the message is too large, or broke off"),
            Err(_) => return refuse(StatusCode::REQUEST_TIMEOUT, "the message took too long to arrive"),
        };
        let mut messages = Vec::new();
        for message in read::messages(body.into(), &self.shared.work).await {
            match message {
                Ok(message) => messages.push(message),
                Err(why) => return failure(StatusCode::BAD_REQUEST, code::PARSE, &why),
            }
        }
        let begins = messages.iter().any(|message| message.kind() == Kind::Request && message.method() == "initialize");
        let (client, new) = match self.client(headers, begins) {
            Ok(found) => found,
            Err(response) => return *response,
        };
        let mut response = self.take(&client, headers, messages).await;
        if let Some(id) = new.as_ref().and_then(|id| HeaderValue::from_str(id).ok()) {
            response.headers_mut().insert(SESSION, id);
        }
        response
    }

    /// The client that a request comes from, and the id of its session where that begins.
    fn client(&self, headers: &HeaderMap, begins: bool) -> Result<(Client, Option<String>), Box<Response<Body>>> {
        if let Some(everybody) = &self.everybody {
            return Ok((everybody.clone(), None));
        }
        if begins {
            self.sweep();
            let client = Client::new(&self.shared, false);
            let client =
                client.map_err(|error| Box::new(failure(StatusCode::INTERNAL_SERVER_ERROR, code::INTERNAL, &error.to_string())))?;
            let mut random = [0; 16];
            getrandom::fill(&mut random)
                .map_err(|error| Box::new(failure(StatusCode::INTERNAL_SERVER_ERROR, code::INTERNAL, &error.to_string())))?;
            let id: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
            lock(&self.sessions).insert(id.clone(), client.clone());
            return Ok((client, Some(id)));
        }
        let Some(id) = headers.get(&SESSION).and_then(|id| id.to_str().ok()) else {
            return Err(Box::new(refuse(StatusCode::BAD_REQUEST, "the header Mcp-Session-Id is missing: begin with initialize")));
        };
        let client = lock(&self.sessions).get(id).cloned();
        let client = client.ok_or_else(|| Box::new(refuse(StatusCode::NOT_FOUND, "there is no such session: begin with initialize")))?;
        *lock(&client.used) = Instant::now();
        Ok((client, None))
    }

    /// Hands messages to the session. The response is the answer, or a stream where there is more.
    async fn take(&self, client: &Client, headers: &HeaderMap, messages: Vec<Message>) -> Response<Body> {
        let waiting = Waiting::new();
        let requests = messages.iter().filter(|message| message.kind() == Kind::Request).count();
        for message in messages {
            if message.kind() == Kind::Request {
                // Ids of our own: two clients may use one id.
                let key = self.next_id.fetch_add(1, Ordering::Relaxed).to_string();
                client.streams.open(&key, message.id(), &waiting);
                if let Some(observe) = self.shared.observe() {
                    observe.comes_from(&key, headers);
                }
                client.session.receive(message.renamed(&key));
            } else if message.method() == "notifications/cancelled" {
                if self.everybody.is_none()
                    && let Some(message) = client.streams.with_own_id(&message)
                {
                    client.session.receive(message);
                }
            } else {
                client.session.receive(message);
            }
        }
        if requests == 0 {
            return empty(StatusCode::ACCEPTED);
        }
        let mut frames = waiting.into_frames();
        match frames.recv().await {
            Some(Frame::Answer(text)) if requests == 1 => json(StatusCode::OK, text),
            Some(first) => events::response(frames, Some(first)),
            // Cancelled.
            None => empty(StatusCode::ACCEPTED),
        }
    }

    fn get(&self, headers: &HeaderMap) -> Response<Body> {
        if self.everybody.is_some() {
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
        if self.everybody.is_some() {
            return not_allowed("POST");
        }
        let client = headers.get(&SESSION).and_then(|id| id.to_str().ok()).and_then(|id| lock(&self.sessions).remove(id));
        match client {
            Some(client) => {
                tokio::spawn(async move { client.session.close().await });
                empty(StatusCode::NO_CONTENT)
            }
            None => refuse(StatusCode::NOT_FOUND, "there is no such session"),
        }
    }
}

async fn answer(State(clients): State<Arc<Clients>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    if let Err(refused) = clients.guard.check(&parts.headers, parts.uri.authority().map(axum::http::uri::Authority::as_str)) {
        return *refused;
    }
    let known = |version: &HeaderValue| version.to_str().is_ok_and(crate::session::is_known_version);
    if parts.headers.get(&VERSION).is_some_and(|version| !known(version)) {
        return refuse(StatusCode::BAD_REQUEST, "the revision in MCP-Protocol-Version is none that is spoken here");
    }
    match parts.method {
        Method::POST => clients.post(&parts.headers, body).await,
        Method::GET => clients.get(&parts.headers),
        Method::DELETE => clients.delete(&parts.headers),
        _ => not_allowed("GET, POST, DELETE"),
    }
}

/// Whether a client takes a kind of answer; one that says nothing takes any.
fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let family = kind.split('/').next().unwrap_or_default();
    let mut all = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).peekable();
    all.peek().is_none()
        || all.any(|one| {
            let one = one.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            one == kind || one == "*/*" || one.strip_suffix("/*") == Some(family)
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
