//! Changes that a server without a handshake tells of: asked for in one long request, which another takes the place of where more is wanted.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::backoff::Backoff;
use super::run::Events;
use super::{NoAnswer, Upstream};
use crate::rpc::{Message, Object, code, text};
use crate::sync::lock;

/// As long as anything lasts.
const LONG: Duration = Duration::from_hours(365 * 24);

/// What a server is listened to for.
#[derive(Default)]
pub(super) struct Listening {
    /// The resources that it was asked to tell of, and those that it has agreed to.
    asked: BTreeSet<String>,
    agreed: HashSet<String>,
    _task: Option<Task>,
}

/// A task that ends when nobody holds it any longer, and its request with it.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The resources that a server has agreed to tell of, or the error that it answered with.
type Agreed = Result<Vec<String>, String>;

impl Upstream {
    /// Has the server tell of changes of its lists and of the resources that somebody wants to know of. For new connections.
    pub(super) async fn listen<E: Events>(self: &Arc<Self>, events: &Arc<E>) {
        let mut listening = self.listening.lock().await;
        let asked = lock(&self.told_of).clone();
        let task = Task(tokio::spawn(keep(Arc::clone(self), Arc::clone(events), asked.clone(), None)));
        *listening = Listening { asked, agreed: HashSet::new(), _task: Some(task) };
    }

    /// Has the server tell of changes of a resource from now on, or no longer.
    ///
    /// # Errors
    /// The error that says why it does not.
    pub(crate) async fn tell_of<E: Events>(self: &Arc<Self>, events: &Arc<E>, uri: &str, wanted: bool) -> Result<(), String> {
        if wanted {
            lock(&self.told_of).insert(uri.to_owned());
        } else {
            lock(&self.told_of).remove(uri);
        }
        let told = self.ask_to_tell(events, uri, wanted).await;
        if told.is_err() {
            lock(&self.told_of).remove(uri);
        }
        told
    }

    async fn ask_to_tell<E: Events>(self: &Arc<Self>, events: &Arc<E>, uri: &str, wanted: bool) -> Result<(), String> {
        let mut listening = self.listening.lock().await;
        let is_told = if wanted { listening.agreed.contains(uri) } else { !listening.asked.contains(uri) };
        if is_told {
            return Ok(());
        }
        // What many ask for at a time goes in one request; where that is refused, each has to ask for itself.
        let all = lock(&self.told_of).clone();
        let alone: BTreeSet<String> = all.iter().filter(|known| *known == uri || listening.agreed.contains(*known)).cloned().collect();
        let mut heard = self.begin_listening(events, all.clone()).await;
        if heard.is_err() && alone != all {
            heard = self.begin_listening(events, alone).await;
        }
        *listening = heard?;
        if wanted && !listening.agreed.contains(uri) {
            return Err(Message::error(
                code::INVALID_PARAMS,
                &format!("the server {:?} does not tell when this resource changes", self.name),
            ));
        }
        Ok(())
    }

    /// Asks the server to tell of these resources, and waits for what it says to that.
    async fn begin_listening<E: Events>(self: &Arc<Self>, events: &Arc<E>, asked: BTreeSet<String>) -> Result<Listening, String> {
        let (agree, agreed) = oneshot::channel();
        let task = Task(tokio::spawn(keep(Arc::clone(self), Arc::clone(events), asked.clone(), Some(agree))));
        let wait = self.shared.config.limits.list_timeout.duration();
        match timeout(wait, agreed).await {
            Ok(Ok(agreed)) => Ok(Listening { asked, agreed: agreed?.into_iter().collect(), _task: Some(task) }),
            _ => Err(NoAnswer::Late(wait).to_error(&self.name)),
        }
    }

    /// The server says what it will tell of.
    pub(super) fn acknowledged(&self, message: &Message) {
        let params = Object::parse(message.params()).unwrap_or_default();
        let id = params.object("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/subscriptionId")?.trim_matches('"').parse().ok());
        let Some(agree) = id.and_then(|id: u64| lock(&self.agreeing).remove(&id)) else { return };
        let agreed = params.object("notifications").unwrap_or_default();
        let uris = agreed.array("resourceSubscriptions").unwrap_or_default().into_iter().filter_map(text);
        let _ = agree.send(uris.map(std::borrow::Cow::into_owned).collect());
    }

    /// The server ends a request of ours that it has not answered. Says whether there was one that no client waits for.
    pub(crate) fn ended(&self, id: &str) -> bool {
        let Ok(id) = id.trim_matches('"').parse() else { return false };
        let mut pending = lock(&self.pending);
        pending.get(&id).is_some_and(|pending| pending.origin.is_none()) && pending.remove(&id).is_some()
    }
}

/// Listens for as long as the connection is there; the first agreement is told to `first`.
async fn keep<E: Events>(upstream: Arc<Upstream>, events: Arc<E>, uris: BTreeSet<String>, first: Option<oneshot::Sender<Agreed>>) {
    let mut first = first;
    let mut backoff = Backoff::new();
    let mut again = false;
    let wanted = wanted(&uris);
    loop {
        backoff.begin();
        let request = upstream.own("subscriptions/listen", &*wanted, LONG);
        let id = request.id;
        let (agree, agreed) = oneshot::channel();
        lock(&upstream.agreeing).insert(id, agree);
        let agreeing = Agreeing { upstream: &upstream, id };
        let mut answer = std::pin::pin!(upstream.request(request));
        let mut heard = false;
        let answer = tokio::select! {
            answer = &mut answer => answer,
            Ok(uris) = agreed => {
                heard = true;
                if let Some(first) = first.take() {
                    let _ = first.send(Ok(uris));
                }
                // What changed meanwhile nobody has told.
                if std::mem::replace(&mut again, true) {
                    events.connected(upstream.index).await;
                }
                answer.await
            }
        };
        drop(agreeing);
        let refused = match &answer {
            Ok(answer) => answer.outcome().err().map(str::to_owned),
            Err(why) => Some(why.to_error(&upstream.name)),
        };
        if let Some(first) = first.take() {
            let ended = || Message::error(code::INTERNAL, &format!("the server {:?} does not tell of changes", upstream.name));
            let _ = first.send(Err(refused.unwrap_or_else(ended)));
            return;
        }
        // One that has nothing to tell may refuse; a new connection is listened to by a task of its own.
        if !(heard || again) || upstream.now().is_none() {
            return;
        }
        sleep(backoff.failed()).await;
    }
}

/// An agreement that nobody waits for any longer.
struct Agreeing<'a> {
    upstream: &'a Upstream,
    id: u64,
}

impl Drop for Agreeing<'_> {
    fn drop(&mut self) {
        lock(&self.upstream.agreeing).remove(&self.id);
    }
}

/// The parameters of a request to be told of changes of lists and of these resources.
fn wanted(uris: &BTreeSet<String>) -> String {
    let mut wanted = json!({ "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true });
    if !uris.is_empty() {
        wanted["resourceSubscriptions"] = json!(uris);
    }
    json!({ "notifications": wanted }).to_string()
}
