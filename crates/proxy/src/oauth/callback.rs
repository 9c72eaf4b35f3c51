//! Where the browser comes back to after a login: an address of this machine, for as long as the login takes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::response::Html;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::sync::lock;

const PATH: &str = "/callback";

/// An address that is listened on.
pub(super) struct Callback {
    listener: TcpListener,
    /// The address, as an authorization server is told it.
    pub(super) redirect: String,
}

/// What the browser brought.
pub(super) type Answer = HashMap<String, String>;

type Waiting = Arc<Mutex<Option<oneshot::Sender<Answer>>>>;

impl Callback {
    /// Listens on a port; 0 takes a free one.
    pub(super) async fn open(port: u16) -> Result<Self, String> {
        let failed = |error| format!("cannot listen on 127.0.0.1:{port}: {error}");
        let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(failed)?;
        let redirect = format!("http://{}{PATH}", listener.local_addr().map_err(failed)?);
        Ok(Self { listener, redirect })
    }

    /// Waits for the browser that brings the answer with this `state`; others are told so, and waited on.
    pub(super) async fn answer(self, state: &str) -> Result<Answer, String> {
        let (to, answer) = oneshot::channel();
        let waiting: Waiting = Arc::new(Mutex::new(Some(to)));
        let state = (state.to_owned(), waiting);
        let router = Router::new().route(PATH, get(arrived)).with_state(state);
        let served = axum::serve(self.listener, router);
        let (end, ended) = oneshot::channel::<()>();
        let serving = tokio::spawn(served.with_graceful_shutdown(async { drop(ended.await) }).into_future());
        let answer = answer.await.map_err(|_| "nobody came back from the browser".to_owned());
        drop(end);
        // The page is still on its way to the browser, which may keep its connection.
        let _ = tokio::time::timeout(std::time::Duration::from_secs(1), serving).await;
        answer
    }
}

async fn arrived(State((state, waiting)): State<(String, Waiting)>, RawQuery(query): RawQuery) -> Html<&'static str> {
    let query = query.unwrap_or_default();
    let answer: Answer = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    // Any page can send a browser here: only the login that was begun has this.
    if answer.get("state").is_none_or(|given| *given != state) {
        return Html("<!doctype html><title>snugfit</title><p>This is not the login that snugfit waits for.");
    }
    if let Some(waiting) = lock(&waiting).take() {
        let _ = waiting.send(answer);
    }
    Html("<!doctype html><title>snugfit</title><p>snugfit has the answer: this page can be closed.")
}
