//! Where messages to a client go: into the response to the request that they belong to, or into the stream for all others.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use tokio::sync::mpsc::{self, error::TrySendError};

use crate::rpc::{Message, Object};
use crate::sync::lock;

/// Frames that wait for a client that does not read; whoever has more waits.
const WAITING: usize = 16;
/// Messages that are kept for a client that does not listen yet.
const KEPT: usize = 64;

/// A message on its way.
#[derive(Debug)]
pub(super) enum Frame {
    /// The answer to a request.
    Answer(String),
    /// Anything else.
    Other(String),
}

impl Frame {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Answer(text) | Self::Other(text) => text,
        }
    }
}

/// The response to one or more requests, which ends with the answer to the last.
pub(super) struct Waiting {
    to: mpsc::Sender<Frame>,
    frames: mpsc::Receiver<Frame>,
}

impl Waiting {
    pub(super) fn new() -> Self {
        let (to, frames) = mpsc::channel(WAITING);
        Self { to, frames }
    }

    pub(super) fn into_frames(self) -> mpsc::Receiver<Frame> {
        self.frames
    }
}

/// The streams of one client.
#[derive(Default)]
pub(crate) struct HttpStreams {
    /// By our ids: the client's own id and where the answer goes.
    requests: Mutex<HashMap<String, (String, mpsc::Sender<Frame>)>>,
    others: Mutex<Others>,
}

/// The stream for what belongs to no request.
#[derive(Default)]
struct Others {
    listener: Option<mpsc::Sender<Frame>>,
    kept: VecDeque<String>,
}

impl HttpStreams {
    /// A request that the client knows as `id`, and we as `key`.
    pub(super) fn open(&self, key: &str, id: &str, waiting: &Waiting) {
        lock(&self.requests).insert(key.to_owned(), (id.to_owned(), waiting.to.clone()));
    }

    /// The stream for what belongs to no request; it takes the place of an earlier one.
    pub(super) fn listen(&self) -> mpsc::Receiver<Frame> {
        let (to, frames) = mpsc::channel(WAITING + KEPT);
        let mut others = lock(&self.others);
        for text in std::mem::take(&mut others.kept) {
            let _ = to.try_send(Frame::Other(text));
        }
        others.listener = Some(to);
        frames
    }

    /// Whether somebody listens.
    pub(super) fn is_listened_to(&self) -> bool {
        lock(&self.others).listener.as_ref().is_some_and(|listener| !listener.is_closed())
    }

    /// A cancellation with our id in the place of the client's.
    pub(super) fn with_own_id(&self, message: &Message) -> Option<Message> {
        let mut params = Object::parse(message.params()).ok()?;
        let theirs = params.get("requestId")?.to_owned();
        let key = lock(&self.requests).iter().find(|(_, (id, _))| *id == theirs).map(|(key, _)| key.clone())?;
        params.set("requestId", key);
        Message::parse(Message::notification(message.method(), &params.to_string())).ok()
    }

    /// Sends the answer to a request, and with it the end of its response.
    pub(crate) async fn answer(&self, key: &str, answer: impl FnOnce(&str) -> String) {
        let stream = lock(&self.requests).remove(key);
        if let Some((id, stream)) = stream {
            let _ = stream.send(Frame::Answer(answer(&id))).await;
        }
    }

    /// A request gets no answer.
    pub(crate) fn abandon(&self, key: &str) {
        lock(&self.requests).remove(key);
    }

    /// Sends something that belongs to a request, or to none.
    pub(crate) async fn tell(&self, about: Option<&str>, text: String) {
        let stream = about.and_then(|key| lock(&self.requests).get(key).map(|(_, stream)| stream.clone()));
        match stream {
            Some(stream) => drop(stream.send(Frame::Other(text)).await),
            None => self.tell_others(text),
        }
    }

    fn tell_others(&self, text: String) {
        let mut others = lock(&self.others);
        let text = match &others.listener {
            None => text,
            Some(listener) => match listener.try_send(Frame::Other(text)) {
                Ok(()) => return,
                // A client that listens and does not read loses the oldest of what it has not read.
                Err(TrySendError::Full(frame) | TrySendError::Closed(frame)) => frame.text().to_owned(),
            },
        };
        if others.kept.len() == KEPT {
            others.kept.pop_front();
        }
        others.kept.push_back(text);
    }
}
