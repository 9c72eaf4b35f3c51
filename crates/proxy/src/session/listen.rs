//! Clients that listen for changes: `subscriptions/listen` of the revisions without a handshake.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::time::timeout;

use super::subscriptions::{Holder, each};
use super::{Answer, Session};
use crate::observe;
use crate::rpc::{Message, Object, quote};
use crate::sync::lock;

/// Changes that are kept for one who listens until it is told that it does.
const MOST_EARLY: usize = 256;

/// What one listens for.
#[derive(Clone)]
pub(super) struct Listener {
    /// The id of its request, as the client wrote it.
    id: String,
    /// Kinds of lists: `tools`, `prompts`, `resources`.
    lists: Vec<&'static str>,
    /// Held while it is told something, which comes after the word that it listens.
    gate: Arc<tokio::sync::Mutex<Gate>>,
}

/// What comes before the word that one listens.
#[derive(Default)]
struct Gate {
    is_open: bool,
    /// Each once: that something is another says all of it.
    early: BTreeSet<String>,
}

const LISTS: [(&str, &str); 3] = [("toolsListChanged", "tools"), ("promptsListChanged", "prompts"), ("resourcesListChanged", "resources")];

impl Session {
    /// Answers `subscriptions/listen`: with what is told, until the client or the proxy ends it.
    pub(super) async fn listen(self: &Arc<Self>, message: &Arc<Message>) -> Answer {
        let wanted = |message: &Message| {
            let params = Object::parse(message.params()).unwrap_or_default();
            let filter = params.object("notifications").unwrap_or_default();
            let lists = LISTS.iter().filter(|(key, _)| filter.bool(key) == Some(true)).map(|(_, kind)| *kind).collect::<Vec<_>>();
            let uris = filter.array("resourceSubscriptions").unwrap_or_default().into_iter().filter_map(crate::rpc::text);
            (lists, uris.map(std::borrow::Cow::into_owned).collect::<BTreeSet<_>>())
        };
        let (lists, uris) = match self.read(message, wanted).await {
            Ok(wanted) => wanted,
            Err(why) => return why,
        };
        let key = message.id().to_owned();
        let listener = Listener { id: self.outlet.id_of(&key), lists, gate: Arc::default() };
        lock(&self.listeners).insert(key.clone(), listener.clone());
        let _listening = Listening { session: self, key: &key };
        let told_of = self.told_of(&key, uris).await;
        let mut honored = Object::default();
        for (name, _) in LISTS.iter().filter(|(_, kind)| listener.lists.contains(kind)) {
            honored.set(name, "true".to_owned());
        }
        if !told_of.is_empty() {
            honored.set("resourceSubscriptions", format!("[{}]", told_of.iter().map(|uri| quote(uri)).collect::<Vec<_>>().join(",")));
        }
        let params = format!(r#"{{"_meta":{},"notifications":{honored}}}"#, meta(&listener.id));
        {
            let mut gate = listener.gate.lock().await;
            self.send(Some(&key), Message::notification("notifications/subscriptions/acknowledged", &params)).await;
            for early in std::mem::take(&mut gate.early) {
                self.send(Some(&key), early).await;
            }
            gate.is_open = true;
        }
        let mut ended = self.end.subscribe();
        let _ = ended.wait_for(|ended| *ended).await;
        Answer::Result(format!(r#"{{"_meta":{}}}"#, meta(&listener.id)))
    }

    /// Has servers tell of resources for the request `key`: of which they do. One that says nothing is not waited for longer than for a list.
    async fn told_of(self: &Arc<Self>, key: &str, uris: BTreeSet<String>) -> BTreeSet<String> {
        let wait = self.shared.config.limits.list_timeout.duration();
        let call = observe::current();
        let told = each(uris.into_iter().collect(), |uri| {
            let (session, key) = (Arc::clone(self), key.to_owned());
            observe::within(call.clone(), async move {
                let request = Message::request(&key, "resources/subscribe", &format!(r#"{{"uri":{}}}"#, quote(&uri)));
                let request = Arc::new(Message::parse(request).ok()?);
                let answer = timeout(wait, session.resource(&Holder::Listener(key), &request)).await.ok()?;
                answer.outcome().is_ok().then_some(uri)
            })
        });
        told.await.into_iter().flatten().collect()
    }

    /// Tells whoever listens that a list is another: of `tools`, `prompts` or `resources`.
    pub(super) async fn tell_list_changed(&self, what: &str) {
        let method = format!("notifications/{what}/list_changed");
        let listeners = lock(&self.listeners).clone();
        for (key, listener) in listeners.into_iter().filter(|(_, listener)| listener.lists.contains(&what)) {
            self.tell_listener(&key, &listener, Message::notification(&method, &format!(r#"{{"_meta":{}}}"#, meta(&listener.id)))).await;
        }
    }

    /// Tells the request `key`, which listens, that a resource is another.
    pub(super) async fn tell_updated(&self, key: &str, uri: &str) {
        let Some(listener) = lock(&self.listeners).get(key).cloned() else { return };
        let params = format!(r#"{{"_meta":{},"uri":{}}}"#, meta(&listener.id), quote(uri));
        self.tell_listener(key, &listener, Message::notification("notifications/resources/updated", &params)).await;
    }

    async fn tell_listener(&self, key: &str, listener: &Listener, text: String) {
        let mut gate = listener.gate.lock().await;
        if gate.is_open {
            self.send(Some(key), text).await;
        } else if gate.early.len() < MOST_EARLY {
            gate.early.insert(text);
        }
    }
}

/// What tells the client which of its requests a notification belongs to.
fn meta(id: &str) -> String {
    format!(r#"{{"io.modelcontextprotocol/subscriptionId":{id}}}"#)
}

/// Whoever no longer waits for an answer no longer listens, and servers need not tell what nobody listens for.
struct Listening<'a> {
    session: &'a Arc<Session>,
    key: &'a str,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        lock(&self.session.listeners).remove(self.key);
        self.session.release(&Holder::Listener(self.key.to_owned()));
    }
}
