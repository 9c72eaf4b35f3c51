//! Prompts and resources.

use std::sync::Arc;

use super::{Answer, Session};
use crate::list::ResourceTable;
use crate::names::Names;
use crate::rpc::{Message, Object, code, quote};
use snugfit_toolset::names::{closest, excerpt};

impl Session {
    /// Answers `prompts/get`.
    pub(super) async fn get_prompt(self: &Arc<Self>, message: &Message) -> Answer {
        let mut params = Object::parse(message.params()).unwrap_or_default();
        let Some(name) = params.str("name").map(std::borrow::Cow::into_owned) else {
            return Answer::error(code::INVALID_PARAMS, "name must be the name of a prompt, a string");
        };
        let table = self.prompts().await;
        let Some((server, own)) = table.names.get(&name) else {
            return Answer::error(code::INVALID_PARAMS, &unknown("prompt", &name, &table.names));
        };
        if own == name {
            return self.ask(&self.upstreams[server], message.method(), message.params(), message).await;
        }
        params.set("name", quote(own));
        self.ask(&self.upstreams[server], message.method(), &params.to_string(), message).await
    }

    /// Answers requests about one resource.
    pub(super) async fn resource(self: &Arc<Self>, message: &Message) -> Answer {
        let mut params = Object::parse(message.params()).unwrap_or_default();
        let Some(uri) = params.str("uri").map(std::borrow::Cow::into_owned) else {
            return Answer::error(code::INVALID_PARAMS, "uri must be the URI of a resource, a string");
        };
        let candidates = self.resources().await.candidates(&uri, &self.servers, &self.filter);
        let mut last = None;
        for (server, own) in candidates {
            let upstream = &self.upstreams[server];
            if !upstream.now().is_none_or(|ready| ready.has("resources")) {
                continue;
            }
            params.set("uri", quote(&own));
            let sent = if own == uri { message.params().to_owned() } else { params.to_string() };
            let answer = self.ask(upstream, message.method(), &sent, message).await;
            let failed = match &answer {
                Answer::Whole(answer) => answer.outcome().is_err(),
                Answer::Result(_) => false,
                Answer::Error(_) => true,
            };
            if !failed {
                self.remember(message.method(), server, &own);
                return match answer {
                    Answer::Whole(answer) if own != uri && message.method() == "resources/read" => {
                        Answer::Result(with_uri(&answer, &own, &uri))
                    }
                    answer => answer,
                };
            }
            // The likeliest server's error says most.
            last = last.or(Some(answer));
        }
        last.unwrap_or_else(|| Answer::error(code::RESOURCE_NOT_FOUND, &format!("there is no resource {:?}", excerpt(&uri))))
    }

    /// Keeps in mind what the client is subscribed to.
    fn remember(&self, method: &str, server: usize, uri: &str) {
        let mut subscriptions = crate::sync::lock(&self.subscriptions);
        match method {
            "resources/subscribe" => drop(subscriptions.insert((server, uri.to_owned()))),
            "resources/unsubscribe" => drop(subscriptions.remove(&(server, uri.to_owned()))),
            _ => {}
        }
    }

    /// What is known of resources without asking anybody.
    pub(super) fn known_resources(&self) -> Option<Arc<ResourceTable>> {
        self.tables.resources()
    }
}

/// The contents of a resource under the URI that the client knows.
fn with_uri(answer: &Message, own: &str, exposed: &str) -> String {
    let mut result = Object::parse(answer.outcome().unwrap_or("{}")).unwrap_or_default();
    let contents = result.array("contents").unwrap_or_default().into_iter().map(|content| match Object::parse(content) {
        Ok(mut content) if content.str("uri").as_deref() == Some(own) => {
            content.set("uri", quote(exposed));
            content.to_string()
        }
        _ => content.to_owned(),
    });
    let contents = format!("[{}]", contents.collect::<Vec<_>>().join(","));
    result.set("contents", contents);
    result.to_string()
}

/// What a client is told that names what there is not.
pub(super) fn unknown(what: &str, name: &str, names: &Names) -> String {
    let mut known: Vec<&str> = names.exposed().collect();
    known.sort_unstable();
    let close = closest(name, known.into_iter(), 3);
    let hint = if close.is_empty() { format!("there are no {what}s") } else { format!("the closest are {}", close.join(", ")) };
    format!("there is no {what} {:?}; {hint}", excerpt(name))
}
