//! Where messages to a client go: into the response to the request that they belong to, or into the stream for all others.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use super::lane::{Frame, Frames, Lane, Refused, lane};
use crate::log::Log;
use crate::rpc::{Message, Object};
use crate::sync::lock;
use crate::upstream::Demand;
use crate::work::LARGE;

/// Messages, and bytes of them, that are kept for a client that does not listen yet.
const KEPT: usize = 64;
const KEPT_BYTES: usize = 1 << 20;

/// The streams of one client.
pub(crate) struct HttpStreams {
    /// By our ids.
    requests: Mutex<HashMap<String, Waiting>>,
    others: Mutex<Others>,
    log: Log,
}

/// A request that waits for its answer.
struct Waiting {
    /// The client's own id.
    id: String,
    /// Where the answer goes.
    lane: Lane,
    /// What a server wants of the client before it does what is asked.
    demand: Option<Demand>,
}

/// The stream for what belongs to no request.
#[derive(Default)]
struct Others {
    listener: Option<Lane>,
    kept: VecDeque<String>,
    kept_bytes: usize,
}

impl HttpStreams {
    pub(super) fn new(log: Log) -> Self {
        Self { requests: Mutex::default(), others: Mutex::default(), log }
    }

    /// A request that the client knows as `id`, and we as `key`; its answer goes to `lane`.
    pub(super) fn open(&self, key: &str, id: &str, lane: &Lane) {
        lock(&self.requests).insert(key.to_owned(), Waiting { id: id.to_owned(), lane: lane.clone(), demand: None });
    }

    /// The stream for what belongs to no request; it takes the place of an earlier one.
    pub(super) fn listen(&self) -> Frames {
        let (to, frames) = lane();
        let mut others = lock(&self.others);
        for text in std::mem::take(&mut others.kept) {
            let _ = to.send(Frame::Other(text));
        }
        others.kept_bytes = 0;
        others.listener = Some(to);
        frames
    }

    /// Whether somebody listens, or waits for an answer.
    pub(super) fn is_waited_for(&self) -> bool {
        lock(&self.others).listener.as_ref().is_some_and(|listener| !listener.is_closed())
            || lock(&self.requests).values().any(|waiting| !waiting.lane.is_closed())
    }

    /// A cancellation with our id in the place of the client's.
    pub(super) fn with_own_id(&self, message: &Message) -> Option<Message> {
        let mut params = Object::parse(message.params()).ok().filter(|_| message.text().len() <= LARGE)?;
        let theirs = params.get("requestId")?.to_owned();
        let key = lock(&self.requests).iter().find(|(_, waiting)| waiting.id == theirs).map(|(key, _)| key.clone())?;
        params.set("requestId", key);
        Message::parse(Message::notification(message.method(), &params.to_string())).ok()
    }

    /// Sends the answer to a request, and with it the end of its response. An error says what a server wants of the client, if one does.
    pub(crate) fn answer(&self, key: &str, is_error: bool, answer: impl FnOnce(&str) -> String) {
        let request = lock(&self.requests).remove(key);
        if let Some(Waiting { id, lane, demand }) = request {
            let text = answer(&id);
            // A client that is gone needs no answer.
            let _ = lane.send(match demand.filter(|_| is_error) {
                Some(demand) => Frame::Refusal(text, demand),
                None => Frame::Answer(text),
            });
        }
    }

    /// A server wants something of the client before it does what a request asks for.
    pub(crate) fn demand(&self, key: &str, demand: Demand) {
        if let Some(waiting) = lock(&self.requests).get_mut(key) {
            waiting.demand = Some(demand);
        }
    }

    /// The id that the client gave to a request.
    pub(crate) fn id_of(&self, key: &str) -> String {
        lock(&self.requests).get(key).map_or_else(|| key.to_owned(), |waiting| waiting.id.clone())
    }

    /// Where the answer to a request goes.
    pub(crate) fn lane(&self, key: &str) -> Option<Lane> {
        lock(&self.requests).get(key).map(|waiting| waiting.lane.clone())
    }

    /// A request gets no answer.
    pub(crate) fn abandon(&self, key: &str) {
        lock(&self.requests).remove(key);
    }

    /// Sends something that belongs to a request, or to none.
    pub(crate) fn tell(&self, about: Option<&str>, text: String) {
        let lane = about.and_then(|key| Some((key, lock(&self.requests).get(key)?.lane.clone())));
        let Some((key, lane)) = lane else { return self.tell_others(text) };
        if let Err(Refused::Full) = lane.send(Frame::Other(text)) {
            self.abandon(key);
            self.log.warn("a client over HTTP does not read the response to one of its requests: the response is ended");
        }
    }

    fn tell_others(&self, text: String) {
        let mut others = lock(&self.others);
        let text = match &others.listener {
            None => text,
            Some(listener) => match listener.send(Frame::Other(text)) {
                Ok(()) => return,
                Err(Refused::Full) => {
                    others.listener = None;
                    self.log.warn("a client over HTTP does not read the stream that it listens to: the stream is ended");
                    return;
                }
                Err(Refused::Gone(text)) => text,
            },
        };
        others.keep(text);
    }
}

impl Others {
    /// Keeps a message until somebody listens; the oldest make room.
    fn keep(&mut self, text: String) {
        self.kept_bytes += text.len();
        self.kept.push_back(text);
        while self.kept.len() > KEPT || self.kept_bytes > KEPT_BYTES {
            self.kept_bytes -= self.kept.pop_front().map_or(self.kept_bytes, |oldest| oldest.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Level;

    #[test]
    fn who_waits_for_an_answer_is_there() {
        let streams = HttpStreams::new(Log::new(Level::Off));
        let (to, frames) = lane();
        assert!(!streams.is_waited_for());
        streams.open("1", "1", &to);
        assert!(streams.is_waited_for(), "one request is not answered yet");
        drop(frames);
        assert!(!streams.is_waited_for(), "its client is gone");
        let listening = streams.listen();
        assert!(streams.is_waited_for());
        drop(listening);
        assert!(!streams.is_waited_for());
    }
}
