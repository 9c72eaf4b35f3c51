//! What servers say on their own account, on its way to the client, and what the client answers.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::modern::{Question, Waiting};
use super::subscriptions::{Holder, each};
use super::{Answer, Session};
use crate::observe::{self, Dir};
use crate::rpc::{Message, Object, code, quote};
use crate::sync::lock;
use crate::upstream::{Events, Logs, NoAnswer, Origin, Upstream};
use crate::work::LARGE;

/// Requests of servers that the client works on at a time.
const MOST_ASKED: usize = 4096;

/// A request of a server that the client works on.
pub(super) struct Asked {
    pub(super) upstream: usize,
    /// Its id, as the server wrote it.
    pub(super) id: String,
    /// Its progress token, as the server wrote it.
    pub(super) token: Option<String>,
    /// Where the answer goes, where the question came in an answer.
    pub(super) reply: Option<oneshot::Sender<Message>>,
}

/// The parameters as they go to a server under our `id`, and where the request comes from, for what belongs to it: the client's id, and its
/// progress token, for which ours stands.
pub(super) fn prepared(params: String, id: u64, client: String) -> (String, Arc<Origin>) {
    // Looking for the word is cheaper than taking the parameters apart.
    let found = memchr::memmem::find(params.as_bytes(), b"\"progressToken\"").and_then(|_| with_token(&params, id));
    let (params, token) = found.map_or((params, None), |(params, token)| (params, Some(token)));
    let is_modern = memchr::memmem::find(params.as_bytes(), b"io.modelcontextprotocol/protocolVersion").is_some();
    let logs = if is_modern { logs_for(&params) } else { Logs::All };
    (params, Arc::new(Origin { id: client, token, logs, is_modern }))
}

/// The log messages that belong to a request of a revision without a handshake, by what it says of itself.
fn logs_for(params: &str) -> Logs {
    let params = Object::parse(params).unwrap_or_default();
    let level = params.object("_meta").and_then(|meta| severity(&meta.str("io.modelcontextprotocol/logLevel")?));
    level.map_or(Logs::None, Logs::From)
}

/// The levels of log messages, the least severe first.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// How severe a level is.
fn severity(level: &str) -> Option<usize> {
    LEVELS.iter().position(|known| *known == level)
}

/// The longest that a call waits for its server to take in a level of log messages.
const PATIENCE: Duration = Duration::from_millis(500);

/// Has a server with a handshake send log messages from this severity on, where it sends only more severe ones.
pub(super) async fn lower(upstream: &Arc<Upstream>, least: usize) {
    let Some(ready) = upstream.now().filter(|ready| !ready.is_modern() && ready.has("logging")) else { return };
    {
        let mut told = lock(&ready.least);
        if told.is_some_and(|told| told <= least) {
            return;
        }
        *told = Some(least);
    }
    let params = format!(r#"{{"level":{}}}"#, quote(LEVELS[least]));
    // Messages that do not come are no reason to fail a call, nor to hold it up.
    let upstream = Arc::clone(upstream);
    let telling =
        tokio::spawn(async move { drop(upstream.request(upstream.own("logging/setLevel", params, upstream.call_timeout())).await) });
    let _ = timeout(PATIENCE, telling).await;
}

/// The parameters with a progress token of ours in the place of the client's.
pub(super) fn with_token(params: &str, id: u64) -> Option<(String, String)> {
    let mut params = Object::parse(params).ok()?;
    let (meta, token) = {
        let mut meta = params.object("_meta")?;
        let token = meta.get("progressToken")?.to_owned();
        meta.set("progressToken", id.to_string());
        (meta.to_string(), token)
    };
    params.set("_meta", meta);
    Some((params.to_string(), token))
}

/// A notification with one of its parameters replaced.
fn with_param(message: &Message, key: &str, value: String) -> String {
    let mut params = Object::parse(message.params()).unwrap_or_default();
    params.set(key, value);
    Message::notification(message.method(), &params.to_string())
}

fn token_in(params: &str) -> Option<String> {
    Object::parse(params).ok()?.object("_meta")?.get("progressToken").map(str::to_owned)
}

impl Events for Session {
    async fn asked(&self, upstream: usize, message: Message, about: Option<Arc<Origin>>) {
        if self.everybody {
            // It was told that there is nobody to ask.
            let refused = Message::error(code::METHOD_NOT_FOUND, "no client can be asked: the proxy serves many without sessions");
            return self.upstreams[upstream].send(Message::failure(message.id(), &refused));
        }
        if lock(&self.asked).len() >= MOST_ASKED {
            let refused = Message::error(-32000, "too many requests to the client wait for their answers");
            return self.upstreams[upstream].send(Message::failure(message.id(), &refused));
        }
        if self.modern.load(Ordering::Relaxed) {
            return self.question(upstream, message, about).await;
        }
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let Some((message, token)) = self.looked_at(message, |message| token_in(message.params())).await else { return };
        let asked = Asked { upstream, id: message.id().to_owned(), token, reply: None };
        lock(&self.asked).insert(id, asked);
        // Ids of ours are strings of a kind that no client takes for its own.
        self.tell(upstream, about, message.with_id(&format!("\"snugfit-{id}\""))).await;
    }

    async fn told(&self, upstream: usize, message: Message, about: Option<Arc<Origin>>) {
        match message.method() {
            "notifications/tools/list_changed" | "notifications/prompts/list_changed" | "notifications/resources/list_changed" => {
                self.lists[upstream].changed();
                let what = message.method().split('/').nth(1).unwrap_or_default();
                self.tell_list_changed(what).await;
                if !self.modern.load(Ordering::Relaxed) {
                    self.tell(upstream, about, message.text().to_owned()).await;
                }
            }
            "notifications/cancelled" => self.server_cancelled(upstream, &message).await,
            "notifications/resources/updated" => {
                let uri = |message: &Message| Object::parse(message.params()).ok()?.str("uri").map(Cow::into_owned);
                let Some((message, uri)) = self.looked_at(message, uri).await else { return };
                let uri = uri.unwrap_or_default();
                let mut exposed = None;
                for (holder, uri) in self.subscriptions.holders_of(upstream, &uri) {
                    match holder {
                        Holder::Client => exposed = Some(uri),
                        Holder::Listener(key) => self.tell_updated(&key, &uri).await,
                    }
                }
                if self.modern.load(Ordering::Relaxed) {
                    return;
                }
                let known = || self.known_resources().map(|table| table.exposed(upstream, &uri, &self.servers));
                let exposed = exposed.or_else(known).filter(|exposed| *exposed != uri);
                let Some(exposed) = exposed else { return self.tell(upstream, about, message.text().to_owned()).await };
                let with_exposed = move |message: &Message| with_param(message, "uri", quote(&exposed));
                if let Some((_, text)) = self.looked_at(message, with_exposed).await {
                    self.tell(upstream, about, text).await;
                }
            }
            "notifications/message" => {
                let level = |message: &Message| severity(&Object::parse(message.params()).ok()?.str("level")?);
                let Some((message, level)) = self.looked_at(message, level).await else { return };
                let about = about.or_else(|| self.upstreams[upstream].oldest_origin().filter(|_| !self.everybody));
                let wanted = match about.as_ref().map(|origin| origin.logs) {
                    Some(Logs::All) => true,
                    Some(Logs::From(least)) => level.is_none_or(|level| level >= least),
                    Some(Logs::None) => false,
                    None => !self.modern.load(Ordering::Relaxed),
                };
                if wanted {
                    self.tell(upstream, about, message.text().to_owned()).await;
                }
            }
            _ => self.tell(upstream, about, message.text().to_owned()).await,
        }
    }

    async fn progressed(&self, upstream: usize, message: Message) {
        let token = |message: &Message| Object::parse(message.params()).ok()?.get("progressToken").map(str::to_owned);
        let Some((message, Some(token))) = self.looked_at(message, token).await else { return };
        // For a request that is over already: nobody could make anything of it.
        let Some(origin) = self.upstreams[upstream].origin_of(&token) else { return };
        let Some(Waiting { id, token: Some(theirs) }) = self.waiting(&origin) else { return };
        let with_theirs = move |message: &Message| with_param(message, "progressToken", theirs);
        if let Some((_, text)) = self.looked_at(message, with_theirs).await {
            self.send(Some(&id), text).await;
        }
    }

    fn lost(&self, upstream: usize) {
        self.lists[upstream].outdated();
        // What it asked for is of no use to anybody now.
        lock(&self.asked).retain(|_, asked| asked.upstream != upstream);
    }

    async fn connected(self: &Arc<Self>, upstream: usize) {
        self.lists[upstream].changed();
        if self.is_introduced() || !lock(&self.listeners).is_empty() {
            self.after_reconnect(upstream);
            for what in ["tools", "prompts", "resources"] {
                self.tell_changed(what).await;
            }
        }
    }
}

impl Session {
    /// Sends the client something that is no answer.
    pub(super) async fn send(&self, about: Option<&str>, text: String) {
        if let Some(observe) = self.shared.observe() {
            observe.passed(Dir::Out, &self.label, None, &text);
        }
        self.outlet.tell(about, text).await;
    }

    /// Hands a question of a server to the call that it most likely belongs to: the client gets it as the answer to that.
    async fn question(&self, upstream: usize, message: Message, about: Option<Arc<Origin>>) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let about = about.or_else(|| self.upstreams[upstream].oldest_origin());
        let call = about.and_then(|origin| {
            let interrupts = lock(&self.interrupts);
            interrupts.get(&origin.id).filter(|call| call.can_be_asked(message.method())).map(|call| call.questions.clone())
        });
        lock(&self.asked).insert(id, Asked { upstream, id: message.id().to_owned(), token: None, reply: None });
        let question = Question { id, method: message.method().to_owned(), params: message.params().to_owned() };
        let taken = match call {
            Some(call) => call.send(question).await.is_ok(),
            None => false,
        };
        if !taken {
            lock(&self.asked).remove(&id);
            let refused = Message::error(
                code::METHOD_NOT_FOUND,
                "the client can be asked only during one of its calls, and what it says that it can answer",
            );
            self.upstreams[upstream].send(Message::failure(message.id(), &refused));
        }
    }

    /// Sends the client something of a server: beside the call that it is `about`, else beside the oldest that the server works on, which
    /// it most likely belongs to. Where clients share the server, nobody gets what may be another's.
    async fn tell(&self, upstream: usize, about: Option<Arc<Origin>>, text: String) {
        let about = match about {
            None if self.everybody => return,
            None => self.upstreams[upstream].oldest_origin(),
            about => about,
        };
        match about {
            None => self.send(None, text).await,
            Some(origin) => {
                if let Some(Waiting { id, .. }) = self.waiting(&origin) {
                    self.send(Some(&id), text).await;
                }
            }
        }
    }

    /// A message and what is found in it: on a blocking thread where it is large.
    async fn looked_at<T: Send + 'static>(
        &self,
        message: Message,
        look: impl FnOnce(&Message) -> T + Send + 'static,
    ) -> Option<(Message, T)> {
        if message.text().len() <= LARGE {
            let found = look(&message);
            return Some((message, found));
        }
        let looking = move || {
            let found = look(&message);
            (message, found)
        };
        self.shared.work.run(looking).await.ok()
    }

    /// Tells the client that a list is another: of `tools`, `prompts` or `resources`.
    pub(super) async fn tell_changed(&self, what: &str) {
        self.tell_list_changed(what).await;
        // Others have no stream that this could go to.
        if self.everybody || self.modern.load(Ordering::Relaxed) {
            return;
        }
        self.send(None, Message::notification(&format!("notifications/{what}/list_changed"), "{}")).await;
    }

    /// A server no longer wants an answer.
    async fn server_cancelled(&self, upstream: usize, message: &Message) {
        // One that is large is none.
        if message.text().len() > LARGE {
            return;
        }
        let mut params = Object::parse(message.params()).unwrap_or_default();
        let theirs = params.get("requestId").map(str::to_owned);
        let ours = {
            let mut asked = lock(&self.asked);
            let ours = asked.iter().find(|(_, asked)| asked.upstream == upstream && Some(&asked.id) == theirs.as_ref()).map(|(id, _)| *id);
            ours.inspect(|id| drop(asked.remove(id)))
        };
        if ours.is_none() && theirs.is_some_and(|id| self.upstreams[upstream].ended(&id)) {
            return;
        }
        if let Some(id) = ours {
            params.set("requestId", format!("\"snugfit-{id}\""));
            self.tell(upstream, None, Message::notification(message.method(), &params.to_string())).await;
        }
    }

    /// The client answered a request of a server.
    pub(super) fn client_answered(&self, message: Message) {
        let id = message.id().trim_matches('"').strip_prefix("snugfit-").and_then(|id| id.parse::<u64>().ok());
        let asked = id.and_then(|id| lock(&self.asked).remove(&id));
        match asked {
            Some(Asked { reply: Some(reply), .. }) => drop(reply.send(message)),
            Some(asked) => self.upstreams[asked.upstream].send(message.with_id(&asked.id)),
            None => self.shared.log.debug(format_args!("the client answered what nobody asked, id {}", message.id())),
        }
    }

    /// The client tells how far it is with a request of a server.
    pub(super) async fn client_progressed(&self, message: Message) {
        let token = |message: &Message| Object::parse(message.params()).ok()?.get("progressToken").map(str::to_owned);
        let Some((message, token)) = self.looked_at(message, token).await else { return };
        let upstream = lock(&self.asked).values().find(|asked| asked.token.is_some() && asked.token == token).map(|asked| asked.upstream);
        if let Some(upstream) = upstream {
            self.upstreams[upstream].send(message.text().to_owned());
        }
    }

    /// Sets the level of log messages in all servers that have any. Of several, those that do not answer are not waited for longer than for a
    /// list.
    pub(super) async fn set_level(self: &Arc<Self>, message: &Arc<Message>) -> Answer {
        let level = Object::parse(message.params()).ok().and_then(|params| params.str("level").map(Cow::into_owned));
        *lock(&self.level) = Some(message.params().to_owned());
        let (mut asked, mut is_told) = (Vec::new(), false);
        for (server, upstream) in self.upstreams.iter().enumerate() {
            if let Some(level) = level.as_deref().filter(|level| severity(level).is_some()) {
                upstream.set_level(level);
            }
            match upstream.now().filter(|ready| ready.has("logging")) {
                // It is told with every request.
                Some(ready) if ready.is_modern() => is_told = true,
                Some(_) => asked.push(server),
                None => {}
            }
        }
        let limits = &self.shared.config.limits;
        let wait = if self.upstreams.len() == 1 { self.upstreams[0].call_timeout() } else { limits.list_timeout.duration() };
        let call = observe::current();
        let answers = each(asked, |server| {
            let (session, message) = (Arc::clone(self), Arc::clone(message));
            observe::within(call.clone(), async move {
                let upstream = &session.upstreams[server];
                let asking = session.ask(upstream, message.method(), message.params().to_owned(), &message);
                timeout(wait, asking).await.unwrap_or_else(|_| Answer::Error(NoAnswer::Late(wait).to_error(&upstream.name)))
            })
        });
        let mut answers = answers.await;
        // One that sends them as it is told is what was asked for.
        let best = answers.iter().position(|answer| answer.outcome().is_ok()).unwrap_or_default();
        match answers.get(best) {
            Some(answer) if answer.outcome().is_ok() || !is_told => answers.swap_remove(best),
            _ if is_told => Answer::Result("{}".to_owned()),
            _ => Answer::error(code::METHOD_NOT_FOUND, "no server has log messages"),
        }
    }

    /// A server that was gone has forgotten what it was told.
    fn after_reconnect(self: &Arc<Self>, upstream: usize) {
        let upstream = &self.upstreams[upstream];
        // One without a handshake is told otherwise.
        let Some(ready) = upstream.now().filter(|ready| !ready.is_modern()) else { return };
        let level = lock(&self.level).clone().filter(|_| ready.has("logging"));
        if let Some(params) = level {
            let upstream = Arc::clone(upstream);
            tokio::spawn(async move {
                let _ = upstream.request(upstream.own("logging/setLevel", params, upstream.call_timeout())).await;
            });
        }
        let (session, server) = (Arc::clone(self), upstream.index);
        tokio::spawn(async move { session.renew(server).await });
    }
}
