//! Calls of generated programs, which are no clients of MCP.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::{Answer, Session};
use crate::config::Mode;
use crate::observe;
use crate::programs::{Place, before_ids};
use crate::results::{Call, Form, Given, for_program};
use crate::rpc::{Message, error_parts, quote};
use crate::work::Work;

impl Session {
    /// The threads for large messages.
    pub(crate) fn work(&self) -> &Work {
        &self.shared.work
    }

    /// Whether nothing more is run.
    pub(crate) fn is_ending(&self) -> bool {
        *self.end.borrow()
    }

    /// Writes the programs once the tools are known, and says where they are.
    pub(crate) async fn announce_programs(self: &Arc<Self>, place: &Place) {
        match self.tools().await {
            Ok(table) => {
                let names: Vec<&str> = table.programs.iter().map(|program| program.name.as_str()).collect();
                self.shared.log.info(format_args!("{} in {}", names.join(", "), place.folder.display()));
            }
            Err(why) => self.shared.log.error(why),
        }
    }

    /// Runs a tool of a server.
    pub(crate) async fn run_for_program(self: &Arc<Self>, server: usize, tool: &str, arguments: &str, form: Form) -> Given {
        let id = format!("\"program-{}\"", self.next_id.fetch_add(1, Ordering::Relaxed));
        let params = format!(r#"{{"name":{},"arguments":{arguments}}}"#, quote(tool));
        let message = match Message::parse(Message::request(&id, "tools/call", &params)) {
            Ok(message) => Arc::new(message),
            Err(message) => return Given::Failed { message, code: Some("INTERNAL") },
        };
        let call = match self.shared.observe() {
            Some(observe) => Some(observe.begin(&self.label, &message).await),
            None => None,
        };
        let run = async {
            let _room = self.room_for(&message).await;
            let upstream = &self.upstreams[server];
            observe::at(&upstream.name, tool);
            let answer = self.ask_for_tool(upstream, params, &message).await;
            if let Some(call) = &call {
                call.answered(answer.outcome()).await;
            }
            self.given(server, tool, arguments, form, answer).await
        };
        observe::within(call.clone(), run).await
    }

    async fn given(&self, server: usize, tool: &str, arguments: &str, form: Form, answer: Answer) -> Given {
        if let Err(error) = answer.outcome() {
            return Given::Failed { message: error_parts(error).1, code: None };
        }
        let mut rules = self.rules().of(&self.servers[server], tool);
        if rules.mode == Mode::Page {
            rules.mode = Mode::Trim;
        }
        let call = Call { tool: tool.to_owned(), arguments: arguments.to_owned(), ..Call::default() };
        let Some(originals) = self.shared.programs().map(|place| Arc::clone(&place.originals)) else {
            return Given::Failed { message: "there are no programs".to_owned(), code: Some("INTERNAL") };
        };
        let before = before_ids(&self.shared.config.surface);
        let fit = move || {
            let started = Instant::now();
            let result = answer.outcome().unwrap_or_default();
            let given = for_program(result, form, &rules, call, &originals, &before);
            (result.len(), given, started.elapsed())
        };
        match self.shared.work.run(fit).await {
            Ok((size, given, took)) => {
                if let Given::Result(text) | Given::Preview { preview: text, .. } = &given {
                    observe::fitted(size, text.len(), took);
                }
                given
            }
            Err(message) => Given::Failed { message, code: Some("INTERNAL") },
        }
    }
}
