//! The way to a client.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::Answer;
use crate::inbound::HttpStreams;
use crate::upstream::Demand;

/// The way to a client.
#[derive(Clone)]
pub(crate) enum Outlet {
    /// One stream for everything.
    Stream(mpsc::Sender<String>),
    /// A response for each request, and a stream for the rest.
    Http(Arc<HttpStreams>),
}

impl Outlet {
    /// Sends the answer to the request `id`.
    pub(super) async fn answer(&self, id: &str, answer: Answer) {
        match self {
            // A client that is gone needs no answer.
            Self::Stream(out) => drop(out.send(answer.into_text(id)).await),
            Self::Http(streams) => {
                let is_error = answer.outcome().is_err();
                streams.answer(id, is_error, |id| answer.into_text(id));
            }
        }
    }

    /// A server wants something of the client before it does what the request `id` asks for.
    pub(super) fn demand(&self, id: &str, demand: Demand) {
        if let Self::Http(streams) = self {
            streams.demand(id, demand);
        }
    }

    /// The id that the client gave to the request `id`.
    pub(super) fn id_of(&self, id: &str) -> String {
        match self {
            Self::Stream(_) => id.to_owned(),
            Self::Http(streams) => streams.id_of(id),
        }
    }

    /// Comes when the client no longer waits for the answer to the request `id`, where that can be seen.
    pub(super) fn gone(&self, id: &str) -> impl Future<Output = ()> + Send + use<> {
        let lane = if let Self::Http(streams) = self { streams.lane(id) } else { None };
        async move {
            match lane {
                Some(lane) => lane.closed().await,
                None => std::future::pending().await,
            }
        }
    }

    /// The request `id` gets no answer.
    pub(crate) fn abandon(&self, id: &str) {
        if let Self::Http(streams) = self {
            streams.abandon(id);
        }
    }

    /// Sends something that belongs to the request `about`, if it belongs to one.
    pub(crate) async fn tell(&self, about: Option<&str>, text: String) {
        match self {
            Self::Stream(out) => drop(out.send(text).await),
            Self::Http(streams) => streams.tell(about, text),
        }
    }
}
