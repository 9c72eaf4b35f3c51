//! Prompts and resources.

use std::borrow::Cow;
use std::sync::Arc;

use super::subscriptions::Holder;
use super::{Answer, Session};
use crate::list::ResourceTable;
use crate::names::Names;
use crate::rpc::{Message, Object, code, quote};
use snugfit_toolset::names::{closest, excerpt};

impl Session {
    /// Answers `prompts/get`.
    pub(super) async fn get_prompt(self: &Arc<Self>, message: &Arc<Message>) -> Answer {
        let name = match self.read(message, member("name")).await {
            Ok(Some(name)) => name,
            Ok(None) => return Answer::error(code::INVALID_PARAMS, "name must be the name of a prompt, a string"),
            Err(why) => return why,
        };
        let table = self.prompts().await;
        let Some((server, own)) = table.names.get(&name) else {
            return Answer::error(code::INVALID_PARAMS, &unknown("prompt", &name, &table.names));
        };
        match self.read(message, with_member("name", &name, own)).await {
            Ok(params) => self.ask(&self.upstreams[server], message.method(), params, message).await,
            Err(why) => why,
        }
    }

    /// Answers requests about one resource: those of the client, and to be told of one those of a listener.
    pub(super) async fn resource(self: &Arc<Self>, holder: &Holder, message: &Arc<Message>) -> Answer {
        let uri = match self.read(message, member("uri")).await {
            Ok(Some(uri)) => uri,
            Ok(None) => return Answer::error(code::INVALID_PARAMS, "uri must be the URI of a resource, a string"),
            Err(why) => return why,
        };
        if message.method() == "resources/unsubscribe"
            && let Some(answer) = self.unsubscribe(&uri).await
        {
            return answer;
        }
        let candidates = self.resources().await.candidates(&uri, &self.servers, &self.filter);
        let mut last = None;
        for (server, own) in candidates {
            let upstream = &self.upstreams[server];
            if !upstream.now().is_none_or(|ready| ready.has("resources")) {
                continue;
            }
            let params = match self.read(message, with_member("uri", &uri, &own)).await {
                Ok(params) => params,
                Err(why) => return why,
            };
            let answer = match message.method() {
                "resources/subscribe" => self.subscribe(holder, (server, own.clone()), &uri, (params, message)).await,
                method => self.ask(upstream, method, params, message).await,
            };
            if answer.outcome().is_ok() {
                return match answer {
                    Answer::Whole(answer) if own != uri && message.method() == "resources/read" => {
                        match self.read(&Arc::new(answer), move |answer| with_uri(answer, &own, &uri)).await {
                            Ok(result) => Answer::Result(result),
                            Err(why) => why,
                        }
                    }
                    answer => answer,
                };
            }
            // The likeliest server's error says most.
            last = last.or(Some(answer));
        }
        last.unwrap_or_else(|| Answer::error(code::RESOURCE_NOT_FOUND, &format!("there is no resource {:?}", excerpt(&uri))))
    }

    /// What is known of resources without asking anybody.
    pub(super) fn known_resources(&self) -> Option<Arc<ResourceTable>> {
        self.tables.resources()
    }
}

/// Reads a parameter that is a string.
fn member(key: &'static str) -> impl FnOnce(&Message) -> Option<String> + Send + 'static {
    move |message| Object::parse(message.params()).ok()?.str(key).map(Cow::into_owned)
}

/// The parameters with one of them as its server knows it; as they were written where that is the same.
fn with_member(key: &'static str, known: &str, own: &str) -> impl FnOnce(&Message) -> String + Send + 'static {
    let own = (known != own).then(|| quote(own));
    move |message| {
        let Some(own) = own else { return message.params().to_owned() };
        let mut params = Object::parse(message.params()).unwrap_or_default();
        params.set(key, own);
        params.to_string()
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
