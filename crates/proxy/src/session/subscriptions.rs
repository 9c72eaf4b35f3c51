//! Resources that servers tell of, and for whom. A server is told when somebody wants to know of one, and when nobody does any longer.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex};

use tokio::task::JoinSet;

use super::{Answer, Session};
use crate::rpc::{Message, quote};
use crate::sync::lock;

/// Resources that the clients of a session are told of.
const MOST: usize = 4096;
/// Resources that servers are told of at a time.
const AT_A_TIME: usize = 64;

/// Who wants to be told of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Holder {
    /// The client, which said so with `resources/subscribe`.
    Client,
    /// A request that listens, by its id.
    Listener(String),
}

/// A server, and the URI that it knows a resource by.
pub(super) type Resource = (usize, String);

/// Who wants to be told of what.
#[derive(Default)]
pub(super) struct Subscriptions(Mutex<HashMap<Resource, Subscription>>);

#[derive(Default)]
struct Subscription {
    /// Who wants it, and the URI that they know it by.
    holders: HashMap<Holder, String>,
    /// Held while the server is told, so that what it hears last is what holds.
    telling: Arc<tokio::sync::Mutex<()>>,
}

impl Subscriptions {
    /// Takes in a holder: whether it is a new one. `None` where there are too many.
    fn add(&self, resource: &Resource, holder: &Holder, exposed: &str) -> Option<bool> {
        let mut all = lock(&self.0);
        if all.len() >= MOST && !all.contains_key(resource) {
            return None;
        }
        Some(all.entry(resource.clone()).or_default().holders.insert(holder.clone(), exposed.to_owned()).is_none())
    }

    /// What a holder has, under one URI or all.
    fn of(&self, holder: &Holder, exposed: Option<&str>) -> Vec<Resource> {
        let held = |subscription: &Subscription| {
            subscription.holders.get(holder).is_some_and(|known| exposed.is_none_or(|exposed| exposed == known))
        };
        lock(&self.0).iter().filter(|(_, subscription)| held(subscription)).map(|(resource, _)| resource.clone()).collect()
    }

    /// Takes out a holder: whether nobody else holds the resource.
    fn remove(&self, resource: &Resource, holder: &Holder) -> bool {
        let mut all = lock(&self.0);
        all.get_mut(resource).is_some_and(|subscription| subscription.holders.remove(holder).is_some() && subscription.holders.is_empty())
    }

    /// The resources that a server is to tell of.
    fn of_server(&self, server: usize) -> Vec<Resource> {
        let wanted = |resource: &Resource, subscription: &Subscription| resource.0 == server && !subscription.holders.is_empty();
        let all = lock(&self.0);
        all.iter().filter(|(resource, subscription)| wanted(resource, subscription)).map(|(resource, _)| resource.clone()).collect()
    }

    /// Who is to be told that a resource has changed, and the URI that they know it by. One that lies within another is told of as well.
    pub(super) fn holders_of(&self, server: usize, uri: &str) -> Vec<(Holder, String)> {
        let mut told = HashMap::new();
        for ((owner, known), subscription) in lock(&self.0).iter() {
            if let Some(rest) = within(uri, known).filter(|_| *owner == server) {
                told.extend(subscription.holders.iter().map(|(holder, exposed)| (holder.clone(), format!("{exposed}{rest}"))));
            }
        }
        told.into_iter().collect()
    }

    fn telling(&self, resource: &Resource) -> Option<Arc<tokio::sync::Mutex<()>>> {
        lock(&self.0).get(resource).map(|subscription| Arc::clone(&subscription.telling))
    }

    fn is_held(&self, resource: &Resource) -> bool {
        lock(&self.0).get(resource).is_some_and(|subscription| !subscription.holders.is_empty())
    }

    /// Forgets a resource that nobody holds and nobody waits to tell the server of.
    fn forget(&self, resource: &Resource) {
        let mut all = lock(&self.0);
        // One is of the map, the other of whoever calls this.
        if all.get(resource).is_some_and(|known| known.holders.is_empty() && Arc::strong_count(&known.telling) <= 2) {
            all.remove(resource);
        }
    }
}

/// What follows in `uri` after `resource`, where it is the resource or lies within it.
fn within<'a>(uri: &'a str, resource: &str) -> Option<&'a str> {
    let rest = uri.strip_prefix(resource)?;
    (rest.is_empty() || resource.ends_with('/') || rest.starts_with(['/', '?', '#'])).then_some(rest)
}

impl Session {
    /// Has a server tell `holder` of a resource, which that knows as `exposed`, by the request `message` with these `params`.
    pub(super) async fn subscribe(
        self: &Arc<Self>,
        holder: &Holder,
        resource: Resource,
        exposed: &str,
        (params, message): (String, &Message),
    ) -> Answer {
        let Some(is_new) = self.subscriptions.add(&resource, holder, exposed) else {
            return Answer::error(-32000, &format!("{MOST} subscriptions are all that there may be: end some first"));
        };
        let mut holding = Holding { session: self, holder, resource: &resource, kept: !is_new, refused: false };
        let Some(telling) = self.subscriptions.telling(&resource) else { return Answer::Result("{}".to_owned()) };
        let _alone = telling.lock().await;
        let answer = self.tell_server(&resource, true, Some((params, message))).await;
        let is_ok = answer.outcome().is_ok();
        holding.kept |= is_ok;
        holding.refused = !is_ok && matches!(answer, Answer::Whole(_));
        answer
    }

    /// The client no longer wants to be told of the resource that it knows as `exposed`: the answer, where it was.
    pub(super) async fn unsubscribe(self: &Arc<Self>, exposed: &str) -> Option<Answer> {
        let held = self.subscriptions.of(&Holder::Client, Some(exposed));
        let mut answer = None;
        for resource in held {
            let told = if self.subscriptions.remove(&resource, &Holder::Client) {
                let session = Arc::clone(self);
                // Whoever gives up waiting has said it all the same.
                tokio::spawn(async move { session.settle(&resource).await }).await.ok().flatten()
            } else {
                None
            };
            answer = Some(told.unwrap_or_else(|| Answer::Result("{}".to_owned())));
        }
        answer
    }

    /// A request that listened is over: servers need not tell what nobody listens for.
    pub(super) fn release(self: &Arc<Self>, holder: &Holder) {
        let mut held = self.subscriptions.of(holder, None);
        held.retain(|resource| self.subscriptions.remove(resource, holder));
        if held.is_empty() || *self.end.borrow() {
            return;
        }
        let session = Arc::clone(self);
        tokio::spawn(async move {
            each(held, |resource| {
                let session = Arc::clone(&session);
                async move { drop(session.settle(&resource).await) }
            })
            .await;
        });
    }

    /// A server that was gone has forgotten what it was to tell of.
    pub(super) async fn renew(self: &Arc<Self>, server: usize) {
        each(self.subscriptions.of_server(server), |resource| {
            let session = Arc::clone(self);
            async move {
                let Some(telling) = session.subscriptions.telling(&resource) else { return };
                let _alone = telling.lock().await;
                if session.subscriptions.is_held(&resource) {
                    session.tell_server(&resource, true, None).await;
                }
            }
        })
        .await;
    }

    /// Tells the server of a resource that nobody wants to know of it, if that is so. One that is not there has forgotten by itself.
    async fn settle(self: &Arc<Self>, resource: &Resource) -> Option<Answer> {
        let telling = self.subscriptions.telling(resource)?;
        let _alone = telling.lock().await;
        if self.subscriptions.is_held(resource) {
            return None;
        }
        let answer = self.tell_server(resource, false, None).await;
        self.subscriptions.forget(resource);
        Some(answer)
    }

    /// Tells a server whether it is to tell of a resource: with a request of the client's, or with one of ours.
    async fn tell_server(self: &Arc<Self>, (server, uri): &Resource, wanted: bool, request: Option<(String, &Message)>) -> Answer {
        let upstream = &self.upstreams[*server];
        match upstream.now() {
            Some(ready) if ready.is_modern() => {
                return upstream.tell_of(self, uri, wanted).await.map_or_else(Answer::Error, |()| Answer::Result("{}".to_owned()));
            }
            None if !wanted => return Answer::Result("{}".to_owned()),
            _ => {}
        }
        let method = if wanted { "resources/subscribe" } else { "resources/unsubscribe" };
        if let Some((params, message)) = request {
            return self.ask(upstream, method, params, message).await;
        }
        let params = format!(r#"{{"uri":{}}}"#, quote(uri));
        match upstream.request(upstream.own(method, params, upstream.call_timeout())).await {
            Ok(answer) => Answer::Whole(answer),
            Err(error) => Answer::Error(error.to_error(&upstream.name)),
        }
    }
}

/// Does something with each, some at a time; what is not done yet when this is dropped is given up. What came of it, in no order.
pub(super) async fn each<T, R, F>(all: Vec<T>, work: impl Fn(T) -> F) -> Vec<R>
where
    R: Send + 'static,
    F: Future<Output = R> + Send + 'static,
{
    let mut rest = all.into_iter();
    let mut running: JoinSet<R> = rest.by_ref().take(AT_A_TIME).map(&work).collect();
    let mut done = Vec::new();
    while let Some(one) = running.join_next().await {
        done.extend(one);
        if let Some(next) = rest.next() {
            running.spawn(work(next));
        }
    }
    done
}

/// Somebody about to hold a resource: no longer, unless the server takes it.
struct Holding<'a> {
    session: &'a Arc<Session>,
    holder: &'a Holder,
    resource: &'a Resource,
    kept: bool,
    /// The server will not tell of it.
    refused: bool,
}

impl Drop for Holding<'_> {
    fn drop(&mut self) {
        let subscriptions = &self.session.subscriptions;
        if self.kept || !subscriptions.remove(self.resource, self.holder) || *self.session.end.borrow() {
            return;
        }
        if self.refused {
            return subscriptions.forget(self.resource);
        }
        // The server may have heard it, though nobody has heard from the server.
        let (session, resource) = (Arc::clone(self.session), self.resource.clone());
        tokio::spawn(async move { drop(session.settle(&resource).await) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_within_another_belongs_to_it() {
        for (uri, resource, expected) in [
            ("file:///a", "file:///a", Some("")),
            ("file:///a/b", "file:///a", Some("/b")),
            ("file:///a/b", "file:///a/", Some("b")),
            ("db://t?row=1", "db://t", Some("?row=1")),
            ("file:///ab", "file:///a", None),
            ("file:///a", "file:///a/b", None),
        ] {
            assert_eq!(within(uri, resource), expected, "{uri} {resource}");
        }
    }

    #[test]
    fn holders_come_and_go_each_for_itself() {
        let subscriptions = Subscriptions::default();
        let (client, listener) = (Holder::Client, Holder::Listener("1".to_owned()));
        let resource = (1, "test://a".to_owned());
        assert_eq!(subscriptions.add(&resource, &client, "x-b+test://a"), Some(true));
        assert_eq!(subscriptions.add(&resource, &listener, "test://a"), Some(true));
        assert_eq!(subscriptions.add(&resource, &client, "x-b+test://a"), Some(false));
        let mut told = subscriptions.holders_of(1, "test://a/1");
        told.sort_by(|(_, a), (_, b)| a.cmp(b));
        assert_eq!(told, [(listener.clone(), "test://a/1".to_owned()), (client.clone(), "x-b+test://a/1".to_owned())]);
        assert!(subscriptions.holders_of(0, "test://a").is_empty());
        assert!(!subscriptions.remove(&resource, &client), "another holds it");
        assert!(!subscriptions.remove(&resource, &client), "it does not hold it any longer");
        assert_eq!(subscriptions.of_server(1), std::slice::from_ref(&resource));
        assert!(subscriptions.remove(&resource, &listener));
        assert!(subscriptions.of_server(1).is_empty());
        subscriptions.forget(&resource);
        assert!(subscriptions.telling(&resource).is_none());
    }

    #[test]
    fn there_is_an_end_to_subscriptions() {
        let subscriptions = Subscriptions::default();
        let add = |n: usize| subscriptions.add(&(0, n.to_string()), &Holder::Client, "");
        assert!((0..MOST).all(|n| add(n) == Some(true)));
        assert_eq!((add(MOST), add(0)), (None, Some(false)));
    }
}
