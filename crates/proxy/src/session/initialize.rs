//! The handshake: what the client says goes to all servers, and what they answer becomes one answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Map, Value, json};

use super::modern::MODERN;
use super::{Answer, Session};
use crate::rpc::{Message, Object, quote};
use crate::upstream::{Hello, Ready};

/// The revisions of MCP with a handshake, newest first.
pub(super) const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Whether a revision is one that we speak.
pub(crate) fn is_known_version(version: &str) -> bool {
    VERSIONS.contains(&version)
}

/// What we say of ourselves where there is no client of whom to say it.
impl Hello {
    pub(super) fn of_ours() -> Self {
        let client_info = json!({ "name": "snugfit", "version": env!("CARGO_PKG_VERSION") }).to_string();
        Self { version: VERSIONS[0].to_owned(), capabilities: "{}".to_owned(), client_info }
    }
}

/// A revision that the client and we speak.
fn negotiated(asked: &str) -> &'static str {
    VERSIONS.into_iter().find(|version| *version == asked).unwrap_or(VERSIONS[0])
}

impl Session {
    pub(super) async fn initialize(&self, message: &Arc<Message>) -> Answer {
        let hello = |message: &Message| {
            let params = Object::parse(message.params()).unwrap_or_default();
            let own = |key: &str| params.get(key).filter(|json| json.starts_with('{')).unwrap_or("{}").to_owned();
            let version = negotiated(&params.str("protocolVersion").unwrap_or_default());
            (version, Hello { version: version.to_owned(), capabilities: own("capabilities"), client_info: own("clientInfo") })
        };
        let (version, hello) = match self.read(message, hello).await {
            Ok(hello) => hello,
            Err(why) => return why,
        };
        if !self.everybody {
            self.hello.send_replace(Some(Arc::new(hello)));
        }

        match self.introduction(version, message).await {
            Ok(introduction) => {
                self.introduced.store(!self.everybody, Ordering::SeqCst);
                // Whoever tried for a revision without a handshake first has settled for one with.
                self.modern.store(false, Ordering::SeqCst);
                Answer::Result(introduction)
            }
            Err(answer) => answer,
        }
    }

    /// What the servers say of themselves, as one answer to `message`: the result of `initialize`. A lone server that cannot be reached is an error.
    pub(super) async fn introduction(&self, version: &str, message: &Message) -> Result<String, Answer> {
        let limits = &self.shared.config.limits;
        // One server may take its time; of several the slow ones come later.
        let wait = if self.upstreams.len() == 1 { limits.connect_timeout } else { limits.list_timeout }.duration();
        let waiting: Vec<_> = self
            .upstreams
            .iter()
            .map(|upstream| {
                let upstream = Arc::clone(upstream);
                tokio::spawn(async move { upstream.ready(wait).await })
            })
            .collect();
        let mut answers = Vec::new();
        for task in waiting {
            answers.push(task.await.map_err(|error| error.to_string()).and_then(|ready| ready.map_err(|error| error.to_string())));
        }
        if let [Err(why)] = &answers[..] {
            self.hand_on_demand(&self.upstreams[0], message);
            return Err(Answer::error(-32000, &format!("the server {:?} {why}", self.servers[0])));
        }
        let servers: Vec<Option<Arc<Ready>>> = answers.into_iter().map(Result::ok).collect();
        let all: Vec<Option<Object<'_>>> =
            servers.iter().map(|ready| ready.as_ref().and_then(|ready| Object::parse(&ready.initialized).ok())).collect();
        let mut capabilities = Map::new();
        for of in all.iter().flatten().filter_map(|result| result.get("capabilities")) {
            if let Ok(Value::Object(more)) = serde_json::from_str(of) {
                merge(&mut capabilities, more, 0);
            }
        }
        // What a server has that is not up yet comes with a notification, so the client must be ready for it.
        if all.iter().any(Option::is_none)
            && let Value::Object(any) =
                json!({ "tools": {}, "prompts": {}, "resources": { "subscribe": true }, "logging": {}, "completions": {} })
        {
            merge(&mut capabilities, any, 0);
        }
        // Whoever has no session is told of changes where it listens for them, which the revisions with a handshake do not.
        let is_told = !self.everybody || version == MODERN;
        for key in ["tools", "prompts", "resources"] {
            if let Some(Value::Object(capability)) = capabilities.get_mut(key) {
                capability.insert("listChanged".to_owned(), is_told.into());
                // What needs a stream of the client's own.
                if !is_told {
                    capability.remove("subscribe");
                }
            }
        }
        if self.everybody {
            capabilities.remove("logging");
        }
        let own_info = || json!({ "name": "snugfit", "title": "snugfit", "version": env!("CARGO_PKG_VERSION") }).to_string();
        let mut result = match &all[..] {
            // Everything that a lone server says of itself stays.
            [Some(only)] => only.clone(),
            _ => Object::default(),
        };
        result.set("protocolVersion", quote(version));
        result.set("capabilities", Value::Object(capabilities).to_string());
        if result.get("serverInfo").is_none() {
            result.set("serverInfo", own_info());
        }
        match self.instructions(&all) {
            Some(text) => result.set("instructions", quote(&text)),
            None => drop(result.remove("instructions")),
        }
        Ok(result.to_string())
    }

    /// The servers' instructions, each under its server's name, and our own line.
    fn instructions(&self, all: &[Option<Object<'_>>]) -> Option<String> {
        let mut parts = Vec::new();
        for (result, name) in all.iter().zip(&self.servers) {
            let Some(text) = result.as_ref().and_then(|result| result.str("instructions")).filter(|text| !text.trim().is_empty()) else {
                continue;
            };
            parts.push(if all.len() == 1 { text.into_owned() } else { format!("# {name}\n{text}") });
        }
        if !self.rules().is_off() {
            parts.push(format!(
                "A long tool result comes as a partial view with a truncation notice; {} reads what is missing by its response_id.",
                snugfit_recovery::RECOVERY_TOOL
            ));
        }
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }
}

/// The deepest that capabilities are merged; nobody has any below.
const DEEPEST: usize = 8;

/// Takes in the capabilities of one more server.
fn merge(all: &mut Map<String, Value>, more: Map<String, Value>, depth: usize) {
    for (key, value) in more {
        match (all.get_mut(&key), value) {
            (Some(Value::Object(known)), Value::Object(more)) if depth < DEEPEST => merge(known, more, depth + 1),
            // What one server can, all together can.
            (Some(known @ Value::Bool(false)), value) => *known = value,
            (Some(_), _) => {}
            (None, value) => drop(all.insert(key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_server_can_all_together_can() {
        let servers = [
            json!({ "tools": {}, "resources": { "subscribe": false }, "logging": {} }),
            json!({ "tools": { "listChanged": true }, "resources": { "subscribe": true, "listChanged": false }, "experimental": { "x": { "y": 1 } } }),
        ];
        let mut all = Map::new();
        for server in servers {
            let Value::Object(server) = server else { continue };
            merge(&mut all, server, 0);
        }
        assert_eq!(
            Value::Object(all),
            json!({ "tools": { "listChanged": true }, "resources": { "subscribe": true, "listChanged": false }, "logging": {}, "experimental": { "x": { "y": 1 } } })
        );
    }

    #[test]
    fn the_clients_revision_holds_if_it_is_one() {
        for (asked, expected) in
            [("2025-03-26", "2025-03-26"), ("2025-11-25", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("", "2025-11-25")]
        {
            assert_eq!(negotiated(asked), expected);
        }
    }
}
