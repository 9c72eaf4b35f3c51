//! Servers of the first HTTP transport: one stream for everything that they say, and an endpoint to post to.

use std::sync::Arc;

use axum::http::Method;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::carrier::Address;
use super::http::EventStream;
use super::link::{Incoming, Link, failure};
use super::run::Opened;
use super::target::Target;
use crate::read;

/// The way to a server of the first HTTP transport.
pub(crate) struct SseLink {
    target: Target,
    endpoint: Address,
    incoming: mpsc::Sender<Incoming>,
    listening: AbortHandle,
}

/// Opens the stream and waits for the endpoint that the server names.
pub(super) async fn open(target: &Target) -> Result<Opened, String> {
    let response = target.send(target.request(Method::GET, &target.address, "text/event-stream")).await?;
    if !response.status().is_success() {
        return Err(format!("{}, for a POST and for a GET: is this the URL of an MCP server?", target.refusal(&response)));
    }
    let mut events = EventStream::new(response, target.shared.config.limits.message_bytes);
    let endpoint = loop {
        match events.next().await.map_err(|cut| cut.why)? {
            Some(event) if event.name == "endpoint" => {
                let text = String::from_utf8_lossy(&event.data).into_owned();
                break target.address.url.join(text.trim()).map_err(|error| format!("it names an endpoint that is no URL: {error}"))?;
            }
            Some(_) => {}
            None => return Err("its stream ended before it named an endpoint".to_owned()),
        }
    };
    // Credentials go to the server that they were meant for and to no other.
    if endpoint.origin() != target.address.url.origin() {
        return Err("it names an endpoint on another host".to_owned());
    }
    let (to, incoming) = mpsc::channel(16);
    let (out, shared) = (to.clone(), Arc::clone(&target.shared));
    let listening = tokio::spawn(async move {
        let why = loop {
            match events.next().await {
                Ok(Some(event)) if event.data.is_empty() => {}
                Ok(Some(event)) => {
                    for message in read::messages(event.data, &shared.work).await {
                        match message {
                            Ok(message) => drop(out.send(Incoming::Message(message, None)).await),
                            Err(why) => shared.log.warn(format_args!("a server sent what is no message of MCP: {why}")),
                        }
                    }
                }
                Ok(None) => break "its stream ended".to_owned(),
                Err(cut) => break cut.why,
            }
        };
        let _ = out.send(Incoming::Ended(why)).await;
    });
    let endpoint = target.at(endpoint)?;
    let link = SseLink { target: target.clone(), endpoint, incoming: to, listening: listening.abort_handle() };
    Ok(Opened { link: Link::Sse(Arc::new(link)), incoming, process: None })
}

impl SseLink {
    /// Sends a message; where that fails, the error is the answer.
    pub(super) fn send(self: &Arc<Self>, text: String, id: Option<u64>) {
        let link = Arc::clone(self);
        tokio::spawn(async move {
            if let (Err(why), Some(id)) = (link.deliver(text).await, id)
                && let Some(failure) = failure(id, &format!("the server cannot be reached: {why}"))
            {
                let _ = link.incoming.send(Incoming::Message(failure, None)).await;
            }
        });
    }

    /// Sends a message and waits until the server has it.
    pub(super) async fn deliver(&self, text: String) -> Result<(), String> {
        let mut request = self.target.request(Method::POST, &self.endpoint, "application/json");
        request.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.body = text.into();
        let response = self.target.send(request).await?;
        if response.status().is_success() { Ok(()) } else { Err(self.target.refusal(&response)) }
    }

    /// Ends the stream.
    pub(super) fn close(&self) {
        self.listening.abort();
    }
}
