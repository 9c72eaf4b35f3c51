//! Clients that listen for changes: `subscriptions/listen` of the revisions without a handshake.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Answer, Session};
use crate::rpc::{Message, Object, quote};
use crate::sync::lock;

/// What one listens for.
pub(super) struct Listener {
    /// The id of its request, as the client wrote it.
    id: String,
    /// Kinds of lists: `tools`, `prompts`, `resources`.
    lists: Vec<&'static str>,
    /// URIs of resources, as the client knows them.
    uris: HashSet<String>,
}

const LISTS: [(&str, &str); 3] = [("toolsListChanged", "tools"), ("promptsListChanged", "prompts"), ("resourcesListChanged", "resources")];

impl Session {
    /// Answers `subscriptions/listen`: with what is told, until the client or the proxy ends it.
    pub(super) async fn listen(self: &Arc<Self>, message: &Arc<Message>) -> Answer {
        let everybody = self.everybody;
        let wanted = move |message: &Message| {
            let params = Object::parse(message.params()).unwrap_or_default();
            let filter = params.object("notifications").unwrap_or_default();
            let lists = LISTS.iter().filter(|(key, _)| filter.bool(key) == Some(true)).map(|(_, kind)| *kind).collect::<Vec<_>>();
            let uris = filter.array("resourceSubscriptions").unwrap_or_default().into_iter().filter_map(crate::rpc::text);
            // Subscriptions are of one client, and servers that are shared cannot tell them apart.
            (lists, if everybody { HashSet::new() } else { uris.map(std::borrow::Cow::into_owned).collect::<HashSet<_>>() })
        };
        let (lists, uris) = match self.read(message, wanted).await {
            Ok(wanted) => wanted,
            Err(why) => return why,
        };
        let key = message.id().to_owned();
        let id = self.outlet.id_of(&key);
        let mut told_of = HashSet::new();
        for uri in uris {
            if self.tells_of(&key, &uri, true).await {
                told_of.insert(uri);
            }
        }
        let mut honored = Object::default();
        for (name, _) in LISTS.iter().filter(|(_, kind)| lists.contains(kind)) {
            honored.set(name, "true".to_owned());
        }
        if !told_of.is_empty() {
            honored.set("resourceSubscriptions", format!("[{}]", told_of.iter().map(|uri| quote(uri)).collect::<Vec<_>>().join(",")));
        }
        let listening = Listening { session: self, key: &key };
        let params = format!(r#"{{"_meta":{},"notifications":{honored}}}"#, meta(&id));
        self.send(Some(&key), Message::notification("notifications/subscriptions/acknowledged", &params)).await;
        lock(&self.listeners).insert(key.clone(), Listener { id: id.clone(), lists, uris: told_of });
        let mut ended = self.end.subscribe();
        let _ = ended.wait_for(|ended| *ended).await;
        drop(listening);
        Answer::Result(format!(r#"{{"_meta":{}}}"#, meta(&id)))
    }

    /// Has a server tell of a resource, or no longer, for the request `key`; says whether it does as it is told.
    async fn tells_of(self: &Arc<Self>, key: &str, uri: &str, wanted: bool) -> bool {
        let method = if wanted { "resources/subscribe" } else { "resources/unsubscribe" };
        match Message::parse(Message::request(key, method, &format!(r#"{{"uri":{}}}"#, quote(uri)))) {
            Ok(request) => self.resource(&Arc::new(request)).await.outcome().is_ok(),
            Err(_) => false,
        }
    }

    /// Tells whoever listens that a list is another: of `tools`, `prompts` or `resources`.
    pub(super) async fn tell_list_changed(&self, what: &str) {
        let method = format!("notifications/{what}/list_changed");
        self.tell_listeners(&method, |listener| listener.lists.contains(&what).then(|| format!(r#"{{"_meta":{}}}"#, meta(&listener.id))))
            .await;
    }

    /// Tells whoever listens that a resource is another.
    pub(super) async fn tell_updated(&self, uri: &str) {
        let params = |listener: &Listener| {
            let params = format!(r#"{{"_meta":{},"uri":{}}}"#, meta(&listener.id), quote(uri));
            listener.uris.contains(uri).then_some(params)
        };
        self.tell_listeners("notifications/resources/updated", params).await;
    }

    async fn tell_listeners(&self, method: &str, params: impl Fn(&Listener) -> Option<String>) {
        let told: Vec<(String, String)> =
            lock(&self.listeners).iter().filter_map(|(key, listener)| Some((key.clone(), params(listener)?))).collect();
        for (key, params) in told {
            self.send(Some(&key), Message::notification(method, &params)).await;
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
        let mut listeners = lock(&self.session.listeners);
        let Some(Listener { mut uris, .. }) = listeners.remove(self.key) else { return };
        uris.retain(|uri| !listeners.values().any(|other| other.uris.contains(uri)));
        if !uris.is_empty() && !*self.session.end.borrow() {
            let (session, key) = (Arc::clone(self.session), self.key.to_owned());
            tokio::spawn(async move {
                for uri in uris {
                    session.tells_of(&key, &uri, false).await;
                }
            });
        }
    }
}
