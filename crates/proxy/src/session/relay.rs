//! What servers say on their own account, on its way to the client, and what the client answers.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Answer, Session};
use crate::observe::Dir;
use crate::rpc::{Message, Object, code, quote};
use crate::sync::lock;
use crate::upstream::{Events, Origin};

/// A request of a server that the client works on.
pub(super) struct Asked {
    upstream: usize,
    /// Its id, as the server wrote it.
    id: String,
    /// Its progress token, as the server wrote it.
    token: Option<String>,
}

/// Where a request of the client comes from, for what belongs to it.
pub(super) fn origin(id: &str, params: &str) -> Arc<Origin> {
    // Looking for the word is cheaper than taking the parameters apart.
    let token = if memchr::memmem::find(params.as_bytes(), b"\"progressToken\"").is_some() { token_in(params) } else { None };
    Arc::new(Origin { id: id.to_owned(), token })
}

fn token_in(params: &str) -> Option<String> {
    Object::parse(params).ok()?.object("_meta")?.get("progressToken").map(str::to_owned)
}

impl Events for Session {
    async fn asked(&self, upstream: usize, message: Message) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let asked = Asked { upstream, id: message.id().to_owned(), token: token_in(message.params()) };
        lock(&self.asked).insert(id, asked);
        // Ids of ours are strings of a kind that no client takes for its own.
        self.tell(upstream, message.with_id(&format!("\"snugfit-{id}\""))).await;
    }

    async fn told(&self, upstream: usize, message: Message) {
        match message.method() {
            "notifications/tools/list_changed" | "notifications/prompts/list_changed" | "notifications/resources/list_changed" => {
                self.lists[upstream].changed();
                self.tell(upstream, message.text().to_owned()).await;
            }
            "notifications/cancelled" => self.server_cancelled(upstream, &message).await,
            "notifications/resources/updated" if self.upstreams.len() > 1 => {
                let mut params = Object::parse(message.params()).unwrap_or_default();
                let uri = params.str("uri").map(std::borrow::Cow::into_owned).unwrap_or_default();
                let exposed = match self.known_resources() {
                    Some(table) => table.exposed(upstream, &uri, &self.servers),
                    None => uri,
                };
                params.set("uri", quote(&exposed));
                self.tell(upstream, Message::notification(message.method(), &params.to_string())).await;
            }
            _ => self.tell(upstream, message.text().to_owned()).await,
        }
    }

    async fn progressed(&self, origin: &Origin, message: Message) {
        let Some(token) = &origin.token else { return };
        let mut params = Object::parse(message.params()).unwrap_or_default();
        params.set("progressToken", token.clone());
        let text = Message::notification(message.method(), &params.to_string());
        self.send(Some(&origin.id), text).await;
    }

    fn lost(&self, upstream: usize) {
        self.lists[upstream].changed();
        // What it asked for is of no use to anybody now.
        lock(&self.asked).retain(|_, asked| asked.upstream != upstream);
    }

    async fn connected(&self, upstream: usize) {
        self.lists[upstream].changed();
        if self.is_introduced() {
            self.after_reconnect(upstream);
            for what in ["tools", "prompts", "resources"] {
                self.send(None, Message::notification(&format!("notifications/{what}/list_changed"), "{}")).await;
            }
        }
    }
}

impl Session {
    /// Sends the client something of a server: beside the oldest call that the server works on, which it most likely belongs to.
    async fn tell(&self, upstream: usize, text: String) {
        let about = self.upstreams[upstream].oldest_origin();
        self.send(about.as_ref().map(|origin| origin.id.as_str()), text).await;
    }

    /// Sends the client something that is no answer.
    async fn send(&self, about: Option<&str>, text: String) {
        if let Some(observe) = self.shared.observe() {
            observe.passed(Dir::Out, None, &text);
        }
        self.outlet.tell(about, text).await;
    }

    /// A server no longer wants an answer.
    async fn server_cancelled(&self, upstream: usize, message: &Message) {
        let mut params = Object::parse(message.params()).unwrap_or_default();
        let theirs = params.get("requestId").map(str::to_owned);
        let ours = {
            let mut asked = lock(&self.asked);
            let ours = asked.iter().find(|(_, asked)| asked.upstream == upstream && Some(&asked.id) == theirs.as_ref()).map(|(id, _)| *id);
            ours.inspect(|id| drop(asked.remove(id)))
        };
        if let Some(id) = ours {
            params.set("requestId", format!("\"snugfit-{id}\""));
            self.tell(upstream, Message::notification(message.method(), &params.to_string())).await;
        }
    }

    /// The client answered a request of a server.
    pub(super) fn client_answered(&self, message: &Message) {
        let id = message.id().trim_matches('"').strip_prefix("snugfit-").and_then(|id| id.parse::<u64>().ok());
        let asked = id.and_then(|id| lock(&self.asked).remove(&id));
        match asked {
            Some(asked) => self.upstreams[asked.upstream].send(message.with_id(&asked.id)),
            None => self.shared.log.debug(format_args!("the client answered what nobody asked, id {}", message.id())),
        }
    }

    /// The client tells how far it is with a request of a server.
    pub(super) fn client_progressed(&self, message: &Message) {
        let token = Object::parse(message.params()).ok().and_then(|params| params.get("progressToken").map(str::to_owned));
        let upstream = lock(&self.asked).values().find(|asked| asked.token.is_some() && asked.token == token).map(|asked| asked.upstream);
        if let Some(upstream) = upstream {
            self.upstreams[upstream].send(message.text().to_owned());
        }
    }

    /// Sets the level of log messages in all servers that have any.
    pub(super) async fn set_level(&self, message: &Message) -> Answer {
        *lock(&self.level) = Some(message.params().to_owned());
        let mut last = None;
        for upstream in &self.upstreams {
            if upstream.now().is_some_and(|ready| ready.has("logging")) {
                last = Some(self.ask(upstream, message.method(), message.params(), message).await);
            }
        }
        last.unwrap_or_else(|| Answer::error(code::METHOD_NOT_FOUND, "no server has log messages"))
    }

    /// A server that was gone has forgotten what it was told.
    fn after_reconnect(&self, upstream: usize) {
        let upstream = &self.upstreams[upstream];
        let Some(ready) = upstream.now() else { return };
        let level = lock(&self.level).clone().filter(|_| ready.has("logging"));
        let subscriptions: Vec<String> =
            lock(&self.subscriptions).iter().filter(|(server, _)| *server == upstream.index).map(|(_, uri)| uri.clone()).collect();
        let requests = level.map(|params| ("logging/setLevel", params)).into_iter();
        let requests = requests.chain(subscriptions.iter().map(|uri| ("resources/subscribe", format!(r#"{{"uri":{}}}"#, quote(uri)))));
        for (method, params) in requests {
            let upstream = Arc::clone(upstream);
            tokio::spawn(async move {
                let wait = upstream.call_timeout();
                let _ = upstream.request(method, &params, None, wait).await;
            });
        }
    }
}
