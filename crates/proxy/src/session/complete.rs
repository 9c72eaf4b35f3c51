//! Completion of arguments.

use std::sync::Arc;

use super::{Answer, Session};
use crate::rpc::{Message, Object, code, quote};
use crate::work::LARGE;

impl Session {
    /// Answers `completion/complete`: for a prompt by its name, for a resource by its template.
    pub(super) async fn complete(self: &Arc<Self>, message: &Arc<Message>) -> Answer {
        let reference = |message: &Message| {
            let reference = Object::parse(message.params()).ok()?.get("ref")?.to_owned();
            (reference.len() <= LARGE).then_some(reference)
        };
        let reference = match self.read(message, reference).await {
            Ok(reference) => reference.unwrap_or_default(),
            Err(why) => return why,
        };
        let mut reference = Object::parse(&reference).unwrap_or_default();
        let found = match reference.str("type").as_deref() {
            Some("ref/prompt") => {
                let name = reference.str("name").unwrap_or_default().into_owned();
                self.prompts().await.names.get(&name).map(|(server, own)| (server, "name", own.to_owned()))
            }
            _ => {
                let uri = reference.str("uri").unwrap_or_default().into_owned();
                let candidates = self.resources().await.candidates(&uri, &self.servers, &self.filter);
                candidates.into_iter().next().map(|(server, own)| (server, "uri", own))
            }
        };
        let Some((server, key, own)) = found else {
            return Answer::error(code::INVALID_PARAMS, "ref names no prompt and no resource that there is");
        };
        reference.set(key, quote(&own));
        let reference = reference.to_string();
        let params = move |message: &Message| {
            let mut params = Object::parse(message.params()).unwrap_or_default();
            params.set("ref", reference);
            params.to_string()
        };
        match self.read(message, params).await {
            Ok(params) => self.ask(&self.upstreams[server], message.method(), params, message).await,
            Err(why) => why,
        }
    }
}
