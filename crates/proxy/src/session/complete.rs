//! Completion of arguments, and requests about tasks.

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

    /// Answers requests about tasks, which belong to the server that made the task.
    pub(super) async fn task_request(self: &Arc<Self>, message: &Message) -> Answer {
        let params = Object::parse(message.params()).unwrap_or_default();
        let server = params.str("taskId").and_then(|id| crate::sync::lock(&self.task_owners).get(id.as_ref()).copied());
        match server {
            Some(server) => {
                let answer = self.ask(&self.upstreams[server], message.method(), message.params(), message).await;
                if message.method() == "tasks/result" { self.task_result(server, answer).await } else { answer }
            }
            None if message.method().starts_with("tasks/") => Answer::error(code::INVALID_PARAMS, "there is no such task"),
            None => Answer::error(code::METHOD_NOT_FOUND, &format!("there is no method {}", message.method())),
        }
    }
}
