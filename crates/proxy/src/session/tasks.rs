//! Requests about tasks, which belong to the server that made the task.

use std::borrow::Cow;
use std::sync::Arc;

use super::plan::Target;
use super::{Answer, Session};
use crate::rpc::{Message, Object, code};
use crate::sync::lock;
use crate::work::LARGE;

impl Session {
    /// Answers a request about a task.
    pub(super) async fn task_request(self: &Arc<Self>, message: &Arc<Message>) -> Answer {
        let id = |message: &Message| Object::parse(message.params()).ok()?.str("taskId").map(Cow::into_owned);
        let server = match self.read(message, id).await {
            Ok(id) => id.and_then(|id| lock(&self.task_owners).get(&id).copied()),
            Err(why) => return why,
        };
        match server {
            Some(server) => {
                let answer = self.ask(&self.upstreams[server], message.method(), message.params().to_owned(), message).await;
                if message.method() == "tasks/result" { self.task_result(server, answer).await } else { answer }
            }
            None if message.method().starts_with("tasks/") => Answer::error(code::INVALID_PARAMS, "there is no such task"),
            None => Answer::no_method(message.method()),
        }
    }

    /// A result of a task, within the budget of all.
    pub(super) async fn task_result(self: &Arc<Self>, server: usize, answer: Answer) -> Answer {
        let Answer::Whole(response) = answer else { return answer };
        let Ok(table) = self.tools().await else { return Answer::Whole(response) };
        let rules = self.rules().of(&self.servers[server], "");
        let target = Target { server, ..Target::default() };
        self.fitted(&table, target, rules, Arc::new(response)).await
    }

    /// Keeps in mind whose a task is, where the result is one.
    pub(super) fn remember_task(&self, server: usize, response: &Message) {
        let result = response.outcome().unwrap_or_default();
        if self.upstreams.len() > 1 && result.len() < LARGE && result.contains("\"taskId\"") {
            let id = Object::parse(result).ok().and_then(|result| result.object("task")?.str("taskId").map(std::borrow::Cow::into_owned));
            if let Some(id) = id {
                lock(&self.task_owners).put(id, server);
            }
        }
    }
}
