//! Completion of arguments.

use std::sync::Arc;

use super::{Answer, Session};
use crate::rpc::{Message, Object, code, quote};

impl Session {
    /// Answers `completion/complete`: for a prompt by its name, for a resource by its template.
    pub(super) async fn complete(self: &Arc<Self>, message: &Message) -> Answer {
        let mut params = Object::parse(message.params()).unwrap_or_default();
        let mut reference = params.object("ref").unwrap_or_default();
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
        params.set("ref", reference);
        self.ask(&self.upstreams[server], message.method(), &params.to_string(), message).await
    }
}
