//! Calls of the program that the proxy is part of.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use snugfit_toolset::names::excerpt;

use super::plan::{Target, key_of};
use super::{Answer, Session};
use crate::rpc::{Message, Object, error_parts};

impl Session {
    /// What a client would see of the tools, each definition JSON text.
    pub(crate) async fn listing(self: &Arc<Self>) -> Result<Vec<String>, String> {
        let table = self.tools().await?;
        let pages = table.pages.all().iter().filter_map(|page| Object::parse(page).ok());
        Ok(pages.flat_map(|page| page.array("tools").unwrap_or_default().into_iter().map(str::to_owned).collect::<Vec<_>>()).collect())
    }

    /// Calls a tool by the name that a client knows it by.
    pub(crate) async fn call_named(self: &Arc<Self>, name: &str, arguments: &Value) -> Result<String, String> {
        let message = Arc::new(self.message(name, arguments)?);
        let _room = self.room_for(&message).await;
        outcome(&self.call(&message).await)
    }

    /// Calls a tool of a server, as the server names it.
    pub(crate) async fn call_tool(self: &Arc<Self>, server: &str, tool: &str, arguments: &Value, full: bool) -> Result<String, String> {
        let Some(at) = self.servers.iter().position(|name| name == server) else {
            return Err(format!("there is no server {}; there are {}", excerpt(server), self.servers.join(", ")));
        };
        if !self.filter.allows(server, tool) {
            return Err(format!("there is no tool {} of {}", excerpt(tool), excerpt(server)));
        }
        let table = self.tools().await?;
        let message = self.message(tool, arguments)?;
        let _room = self.room_for(&message).await;
        let (params, arguments) = (message.params().to_owned(), arguments.to_string());
        let mut target = Target { server: at, tool: tool.to_owned(), params, arguments, full, ..Target::default() };
        target.key = key_of(server, &target, "{}");
        outcome(&self.run(&table, target, &message).await)
    }

    fn message(&self, name: &str, arguments: &Value) -> Result<Message, String> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed).to_string();
        let params = json!({ "name": name, "arguments": arguments }).to_string();
        Message::parse(Message::request(&id, "tools/call", &params))
    }
}

fn outcome(answer: &Answer) -> Result<String, String> {
    answer.outcome().map(str::to_owned).map_err(|error| error_parts(error).1)
}
