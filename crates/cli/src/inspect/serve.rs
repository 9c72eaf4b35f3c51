//! The page and what it asks for, over HTTP on this machine only.
//!
//! Every path begins with a name that cannot be guessed, so that other users of the machine and pages of other sites see nothing; what names
//! another host is refused, so that no site can point its own name here.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Method, Response, StatusCode};
use bytes::Bytes;
use http_body::Frame;
use serde::Serialize;
use snugfit_proxy::Replay;
use snugfit_proxy::config::Budget;
use snugfit_proxy::random::{self, is_same};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, watch};

use super::lists;
use super::preview::Opened;
use super::recording::{Call, Recording};

/// The page, as it is served.
const FILES: [(&str, &str, &str); 6] = [
    ("", "text/html; charset=utf-8", include_str!("page/index.html")),
    ("style.css", "text/css; charset=utf-8", include_str!("page/style.css")),
    ("app.js", "text/javascript; charset=utf-8", include_str!("page/app.js")),
    ("rows.js", "text/javascript; charset=utf-8", include_str!("page/rows.js")),
    ("compare.js", "text/javascript; charset=utf-8", include_str!("page/compare.js")),
    ("lists.js", "text/javascript; charset=utf-8", include_str!("page/lists.js")),
];

const JSON: &str = "application/json";
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Calls that go out at a time.
const BATCH: usize = 5000;
/// How long is waited for more before calls go out.
const PAUSE: Duration = Duration::from_millis(100);
/// After so long without a call a comment goes out, which shows whether anybody still reads.
const QUIET: Duration = Duration::from_secs(15);
/// Pages that are open at a time.
const MOST_PAGES: usize = 16;
/// Payloads that are worked on at a time.
const MOST_JOBS: usize = 2;

/// What is looked at.
pub(super) struct Inspected {
    title: String,
    pub(super) replay: Replay,
    recording: Mutex<Recording>,
    /// How many calls there are.
    calls: watch::Sender<usize>,
    /// The call that was looked at last.
    opened: Mutex<Option<(usize, Arc<Opened>)>>,
    pages: Arc<Semaphore>,
    jobs: Semaphore,
}

impl Inspected {
    pub(super) fn new(title: String, replay: Replay) -> Arc<Self> {
        Arc::new(Self {
            title,
            replay,
            recording: Mutex::default(),
            calls: watch::Sender::new(0),
            opened: Mutex::default(),
            pages: Arc::new(Semaphore::new(MOST_PAGES)),
            jobs: Semaphore::new(MOST_JOBS),
        })
    }

    /// Looks at the recording or changes it. Nothing that takes long may be done here: the proxy whose calls these are would stand still, since
    /// its thread waits for the recording as well.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Recording) -> T) -> T {
        let mut recording = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        let done = work(&mut recording);
        let count = recording.calls.len() + recording.later;
        self.calls.send_if_modified(|calls| std::mem::replace(calls, count) != count);
        done
    }

    /// A call with its payloads.
    pub(super) fn open(&self, number: usize) -> io::Result<Arc<Opened>> {
        let mut last = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, opened)) = &*last
            && *of == number
        {
            return Ok(Arc::clone(opened));
        }
        let found = self.with(|recording| recording.calls.get(number).map(|call| (Arc::clone(call), recording.payloads(call))));
        let (call, payloads) = found.ok_or(io::ErrorKind::NotFound)?;
        let opened = Arc::new(Opened::new(&call, &payloads)?);
        *last = Some((number, Arc::clone(&opened)));
        Ok(opened)
    }
}

/// A page that is listened for.
pub(super) struct Page {
    listener: TcpListener,
    port: u16,
    token: String,
}

impl Page {
    pub(super) async fn listen(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        Ok(Self { port: listener.local_addr()?.port(), listener, token: random::text(16)? })
    }

    /// Where a browser finds it.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Serves until it is dropped.
    pub(super) async fn serve(self, inspected: Arc<Inspected>) -> io::Result<()> {
        let (port, token) = (self.port, Arc::new(self.token));
        let app = axum::Router::new().fallback(move |request: Request| {
            let (inspected, token) = (Arc::clone(&inspected), Arc::clone(&token));
            async move { answer(&request.into_parts().0, &inspected, port, &token).await }
        });
        axum::serve(self.listener, app).await
    }
}

async fn answer(request: &Parts, inspected: &Arc<Inspected>, port: u16, token: &str) -> Response<Body> {
    if !is_of_this_machine(&request.headers, port) {
        return plain(StatusCode::FORBIDDEN, "this page is for browsers on this machine: open the address that `snugfit inspect` gave");
    }
    let path = request.uri.path().trim_start_matches('/');
    let Some((_, path)) = path.split_once('/').filter(|(name, _)| is_same(token, name)) else {
        return plain(StatusCode::NOT_FOUND, "there is nothing here: open the address that `snugfit inspect` gave, all of it");
    };
    if request.method != Method::GET {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "only GET");
    }
    if let Some((_, kind, text)) = FILES.iter().find(|(name, ..)| *name == path) {
        return response(StatusCode::OK, kind, Body::from(*text));
    }
    match path {
        "events" => events(inspected, from(request)),
        "lists" => {
            let compare = |inspected: &Inspected| Ok(json(&lists::compare(&inspected.with(|recording| lists::pages(recording)))?));
            work(inspected, compare).await
        }
        "session" => session(inspected),
        _ => match path.strip_prefix("calls/").and_then(|path| path.split_once('/')) {
            Some((number, what @ ("original" | "preview"))) => {
                let Ok(number) = number.parse() else { return plain(StatusCode::NOT_FOUND, "there is no such call") };
                let (is_original, budget) = (what == "original", budget(request));
                let show = move |inspected: &Inspected| {
                    let opened = inspected.open(number)?;
                    if !opened.is_whole() {
                        return Ok(plain(StatusCode::GONE, "the recording does not hold this payload"));
                    }
                    if is_original {
                        return Ok(response(StatusCode::OK, "text/plain; charset=utf-8", Body::from(opened.text.clone())));
                    }
                    Ok(json(&opened.compare(&inspected.replay, budget.as_ref())))
                };
                work(inspected, show).await
            }
            _ => plain(StatusCode::NOT_FOUND, "there is no such page"),
        },
    }
}

/// Whether the request names this machine, and comes from no page of another.
fn is_of_this_machine(headers: &HeaderMap, port: u16) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?").to_ascii_lowercase());
    let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
    let is_ours = |host: &str| hosts.iter().any(|ours| ours == host);
    text(header::HOST).is_some_and(|host| is_ours(&host))
        && text(header::ORIGIN).is_none_or(|origin| origin.strip_prefix("http://").is_some_and(is_ours))
}

/// The first call that a page does not know: it says so when it comes back.
fn from(request: &Parts) -> usize {
    let last = request.headers.get("last-event-id").and_then(|id| id.to_str().ok());
    last.and_then(|id| id.parse().ok()).unwrap_or_default()
}

fn budget(request: &Parts) -> Option<Budget> {
    let tokens = request.uri.query()?.strip_prefix("tokens=")?.parse().ok()?;
    Budget::new(Some(tokens), None).ok()
}

/// Runs work on a payload beside everything else.
async fn work(inspected: &Arc<Inspected>, job: impl FnOnce(&Inspected) -> io::Result<Response<Body>> + Send + 'static) -> Response<Body> {
    let _room = inspected.jobs.acquire().await;
    let inspected = Arc::clone(inspected);
    match tokio::task::spawn_blocking(move || job(&inspected)).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => plain(StatusCode::NOT_FOUND, "there is no such call"),
        Ok(Err(error)) => plain(StatusCode::INTERNAL_SERVER_ERROR, &format!("the recording cannot be read: {error}")),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "snugfit failed while it worked on a payload: please report this"),
    }
}

/// Calls, as they come.
fn events(inspected: &Arc<Inspected>, mut from: usize) -> Response<Body> {
    let Ok(page) = Arc::clone(&inspected.pages).try_acquire_owned() else {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "too many pages are open: close one");
    };
    let (send, receive) = mpsc::channel(2);
    let inspected = Arc::clone(inspected);
    let mut calls = inspected.calls.subscribe();
    tokio::spawn(async move {
        let _page = page;
        let about = format!("event: about\ndata: {}\n\n", serde_json::to_string(&inspected.title).unwrap_or_default());
        if send.send(Ok(Bytes::from(about))).await.is_err() {
            return;
        }
        loop {
            let count = *calls.borrow_and_update();
            let (batch, later) = inspected.with(|recording| {
                let end = recording.calls.len().min(from.saturating_add(BATCH));
                (recording.calls.get(from..end).unwrap_or_default().to_vec(), recording.later)
            });
            from += batch.len();
            let is_last = from.saturating_add(later) >= count;
            if send.send(Ok(Bytes::from(told(&batch, from, later)))).await.is_err() {
                return;
            }
            if is_last {
                tokio::select! {
                    changed = calls.changed() => match changed {
                        Ok(()) => tokio::time::sleep(PAUSE).await,
                        Err(_) => return,
                    },
                    () = tokio::time::sleep(QUIET) => {}
                    // Whoever opens the page again and again has only one open.
                    () = send.closed() => return,
                }
            }
        }
    });
    response(StatusCode::OK, "text/event-stream", Body::new(Pieces(receive)))
}

/// Calls as events; a comment where there are none.
fn told(batch: &[Arc<Call>], from: usize, later: usize) -> String {
    let calls: Vec<&Call> = batch.iter().map(AsRef::as_ref).collect();
    let mut text = match (&calls[..], serde_json::to_string(&calls)) {
        ([_, ..], Ok(json)) => format!("id: {from}\ndata: {json}\n\n"),
        _ => ":\n\n".to_owned(),
    };
    if later > 0 {
        text.push_str(&format!("event: later\ndata: {later}\n\n"));
    }
    text
}

/// The recording as a file that can be opened again.
fn session(inspected: &Arc<Inspected>) -> Response<Body> {
    let (send, receive) = mpsc::channel(2);
    let inspected = Arc::clone(inspected);
    tokio::task::spawn_blocking(move || {
        for piece in inspected.with(|recording| recording.pieces()) {
            // A download that fails is known to be no whole one.
            let line = piece.read().map(Bytes::from);
            let failed = line.is_err();
            if send.blocking_send(line).is_err() || failed {
                return;
            }
        }
    });
    let mut response = response(StatusCode::OK, "application/x-ndjson", Body::new(Pieces(receive)));
    let attachment = HeaderValue::from_static("attachment; filename=\"snugfit-session.ndjson\"");
    response.headers_mut().insert(header::CONTENT_DISPOSITION, attachment);
    response
}

/// A body that comes in pieces.
struct Pieces(mpsc::Receiver<io::Result<Bytes>>);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

fn json(value: &impl Serialize) -> Response<Body> {
    match serde_json::to_string(value) {
        Ok(text) => response(StatusCode::OK, JSON, Body::from(text)),
        Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

fn plain(status: StatusCode, text: &str) -> Response<Body> {
    response(status, "text/plain; charset=utf-8", Body::from(format!("{text}\n")))
}

fn response(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
