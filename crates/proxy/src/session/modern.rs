//! Clients of the revisions without a handshake: each request says itself who sends it, nobody is asked outside of an answer, and changes are
//! told to whoever listens for them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::initialize::VERSIONS;
use super::relay::Asked;
use super::{Answer, Session};
use crate::observe;
use crate::rpc::{Message, Object, code, quote};
use crate::sync::lock;
use crate::upstream::{Hello, Origin};

/// The revision without a handshake that is spoken.
pub(crate) const MODERN: &str = "2026-07-28";
/// What stands before the keys that a request describes itself with.
const PREFIX: &str = "io.modelcontextprotocol/";
/// What stands before the states of ours.
const STATE: &str = "snugfit-";
/// Methods whose results say how long they hold.
const CACHEABLE: [&str; 6] =
    ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read", "server/discover"];

/// What a request says of itself.
pub(super) struct Envelope {
    version: String,
    hello: Hello,
    /// Its progress token, as it was written.
    token: Option<String>,
    /// The call of ours that it goes on with, and what the client answers.
    resumes: Option<(u64, Vec<(u64, String)>)>,
}

/// A question of a server to the client of a call.
pub(super) struct Question {
    pub(super) id: u64,
    pub(super) method: String,
    pub(super) params: String,
}

/// A call during which its client may be asked something.
pub(super) struct Asking {
    pub(super) questions: mpsc::Sender<Question>,
    /// What the client says that it can, as JSON text.
    capabilities: String,
    /// The request that waits for the answer now; `None` while the client looks for the answer to a question.
    waiting: Option<Waiting>,
}

impl Asking {
    /// Whether the client says that it answers such questions.
    pub(super) fn can_be_asked(&self, method: &str) -> bool {
        let needed = match method {
            "sampling/createMessage" => "sampling",
            "elicitation/create" => "elicitation",
            "roots/list" => "roots",
            _ => return false,
        };
        Object::parse(&self.capabilities).is_ok_and(|capabilities| capabilities.get(needed).is_some_and(|value| value != "null"))
    }
}

/// A request of the client that waits for an answer, and its progress token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) id: String,
    pub(super) token: Option<String>,
}

/// A call that goes on while its client looks for the answer to a question.
pub(super) struct Suspended {
    /// The id of its first request.
    first: String,
    running: Running,
    questions: mpsc::Receiver<Question>,
}

/// A task that ends when nobody waits for it any longer.
struct Running(JoinHandle<Answer>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A call that is over asks nothing more.
struct Asks<'a> {
    session: &'a Session,
    id: String,
}

impl Drop for Asks<'_> {
    fn drop(&mut self) {
        lock(&self.session.interrupts).remove(&self.id);
    }
}

/// What a request says of itself, where it does.
pub(super) fn envelope(message: &Message) -> Option<Envelope> {
    // Looking for the word is cheaper than taking the parameters apart.
    memchr::memmem::find(message.params().as_bytes(), b"io.modelcontextprotocol/protocolVersion")?;
    let params = Object::parse(message.params()).ok()?;
    let meta = params.object("_meta")?;
    let own = |key: &str| meta.get(&format!("{PREFIX}{key}")).filter(|json| json.starts_with('{')).unwrap_or("{}").to_owned();
    let number = |text: &str| text.strip_prefix(STATE)?.parse().ok();
    let resumes = params.str("requestState").and_then(|state| number(&state)).map(|state| {
        let answers = params.object("inputResponses").unwrap_or_default();
        (state, answers.members().filter_map(|(key, answer)| Some((number(key)?, answer.to_owned()))).collect())
    });
    Some(Envelope {
        version: meta.str(&format!("{PREFIX}protocolVersion"))?.into_owned(),
        // The servers behind us are greeted with the last revision that knows a greeting.
        hello: Hello { version: VERSIONS[0].to_owned(), capabilities: own("clientCapabilities"), client_info: own("clientInfo") },
        token: meta.get("progressToken").map(str::to_owned),
        resumes,
    })
}

/// The revisions that are spoken, newest first.
fn supported() -> Vec<&'static str> {
    std::iter::once(MODERN).chain(VERSIONS).collect()
}

/// The error that a request of another revision is answered with.
pub(crate) fn unsupported(requested: &str) -> String {
    let message = format!("the revision {requested:?} of MCP is not spoken here");
    json!({ "code": code::UNSUPPORTED_VERSION, "message": message, "data": { "supported": supported(), "requested": requested } })
        .to_string()
}

impl Session {
    /// Answers a request that says itself who sends it.
    pub(super) async fn modern(self: &Arc<Self>, message: &Arc<Message>, envelope: Envelope) -> Answer {
        let Envelope { version, hello, token, resumes } = envelope;
        if version != MODERN {
            return Answer::Error(unsupported(&version));
        }
        let capabilities = hello.capabilities.clone();
        if !self.everybody {
            self.modern.store(true, Ordering::SeqCst);
            self.hello.send_if_modified(|known| known.is_none() && known.replace(Arc::new(hello)).is_none());
        }
        let gone = self.outlet.gone(message.id());
        let waiting = Waiting { id: message.id().to_owned(), token };
        let answering = async {
            match (message.method(), resumes) {
                ("server/discover", _) => self.discover(message).await,
                ("subscriptions/listen", _) => self.listen(message).await,
                ("logging/setLevel" | "resources/subscribe" | "resources/unsubscribe", _) => Answer::no_method(message.method()),
                ("tools/call" | "prompts/get" | "resources/read", Some((state, answers))) => self.resume(state, answers, waiting).await,
                ("tools/call" | "prompts/get" | "resources/read", None) if !self.everybody => {
                    self.interruptible(message, waiting, capabilities).await
                }
                _ => self.route(message).await,
            }
        };
        let answer = tokio::select! {
            answer = answering => answer,
            // Who closes the response cancels the request.
            () = gone => return Answer::error(code::INTERNAL, "the client no longer waits for it"),
        };
        self.finished(message.method(), answer).await
    }

    /// Answers `server/discover`.
    async fn discover(self: &Arc<Self>, message: &Message) -> Answer {
        let introduction = match self.introduction(MODERN, message).await {
            Ok(introduction) => introduction,
            Err(answer) => return answer,
        };
        let mut result = Object::parse(&introduction).unwrap_or_default();
        result.remove("protocolVersion");
        let info = result.remove("serverInfo").unwrap_or_else(|| "{}".to_owned());
        let meta = {
            let mut meta = result.object("_meta").unwrap_or_default();
            meta.set(&format!("{PREFIX}serverInfo"), info);
            meta.to_string()
        };
        result.set("_meta", meta);
        result.set("supportedVersions", json!(supported()).to_string());
        Answer::Result(result.to_string())
    }

    /// Answers a request during which a server may ask the client something.
    async fn interruptible(self: &Arc<Self>, message: &Arc<Message>, waiting: Waiting, capabilities: String) -> Answer {
        let (ask, questions) = mpsc::channel(16);
        let (session, message, first) = (Arc::clone(self), Arc::clone(message), waiting.id.clone());
        let (call, id) = (observe::current(), first.clone());
        lock(&self.interrupts).insert(id.clone(), Asking { questions: ask, capabilities, waiting: Some(waiting) });
        let running = tokio::spawn(async move {
            let _asks = Asks { session: &session, id };
            observe::within(call, session.route(&message)).await
        });
        self.wait(Suspended { first, running: Running(running), questions }).await
    }

    /// Goes on with a call that asked its client something.
    async fn resume(self: &Arc<Self>, state: u64, answers: Vec<(u64, String)>, waiting: Waiting) -> Answer {
        let suspended = lock(&self.suspended).pop(&state);
        let Some(suspended) = suspended else {
            return Answer::error(code::INVALID_PARAMS, "this requestState is none, or no longer one: call again without it");
        };
        self.waits(&suspended.first, Some(waiting));
        for (id, answer) in answers {
            if let Some(Asked { upstream, id, .. }) = lock(&self.asked).remove(&id) {
                self.upstreams[upstream].send(Message::result(&id, &answer));
            }
        }
        self.wait(suspended).await
    }

    /// Waits for the answer, or for a question that comes before it.
    async fn wait(self: &Arc<Self>, mut call: Suspended) -> Answer {
        tokio::select! {
            answer = &mut call.running.0 => answer.unwrap_or_else(|_| Answer::error(code::INTERNAL, "the call was given up")),
            Some(Question { id, method, params }) = call.questions.recv() => {
                self.waits(&call.first, None);
                lock(&self.suspended).put(id, call);
                Answer::Result(format!(
                    r#"{{"resultType":"input_required","inputRequests":{{"{STATE}{id}":{{"method":{},"params":{params}}}}},"requestState":"{STATE}{id}"}}"#,
                    quote(&method)
                ))
            }
        }
    }

    /// The request that waits for the answer to a call is another.
    fn waits(&self, first: &str, waiting: Option<Waiting>) {
        if let Some(asking) = lock(&self.interrupts).get_mut(first) {
            asking.waiting = waiting;
        }
    }

    /// The request of the client that waits for what a server does for `origin`, if one does now.
    pub(super) fn waiting(&self, origin: &Origin) -> Option<Waiting> {
        match lock(&self.interrupts).get(&origin.id) {
            Some(asking) => asking.waiting.clone(),
            None => Some(Waiting { id: origin.id.clone(), token: origin.token.clone() }),
        }
    }

    /// An answer with what results of this revision have beside the result itself.
    async fn finished(&self, method: &str, answer: Answer) -> Answer {
        let result = match &answer {
            Answer::Whole(response) => response.outcome().ok(),
            Answer::Result(result) => Some(result.as_str()),
            Answer::Error(_) => None,
        };
        let Some(result) = result else { return answer };
        let mut added = vec![("resultType", "\"complete\"")];
        if CACHEABLE.contains(&method) {
            added.extend([("ttlMs", "0"), ("cacheScope", "\"private\"")]);
        }
        if !added.iter().any(|(key, _)| memchr::memmem::find(result.as_bytes(), key.as_bytes()).is_some()) {
            return with_members(result, &added).map_or(answer, Answer::Result);
        }
        let (size, result) = (result.len(), result.to_owned());
        let add = move || {
            let known = Object::parse(&result).ok()?;
            added.retain(|(key, _)| known.get(key).is_none());
            with_members(&result, &added)
        };
        let finished = self.shared.work.sized(size, add).await.ok().flatten();
        finished.map_or(answer, Answer::Result)
    }
}

/// A JSON object with more members before its own.
fn with_members(object: &str, added: &[(&str, &str)]) -> Option<String> {
    let rest = object.trim_start().strip_prefix('{')?;
    let empty = rest.trim_start().starts_with('}');
    let added: Vec<String> = added.iter().map(|(key, value)| format!(r#""{key}":{value}"#)).collect();
    let comma = if empty || added.is_empty() { "" } else { "," };
    Some(["{", &added.join(","), comma, rest].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_before_those_that_are_there() {
        for (object, expected) in
            [("{}", Some(r#"{"a":1,"b":2}"#)), (r#" { "x" : [1.0] }"#, Some(r#"{"a":1,"b":2, "x" : [1.0] }"#)), ("[]", None)]
        {
            assert_eq!(with_members(object, &[("a", "1"), ("b", "2")]).as_deref(), expected, "{object}");
        }
        assert_eq!(with_members(r#"{"x":1}"#, &[]).as_deref(), Some(r#"{"x":1}"#));
    }

    #[test]
    fn a_request_says_who_sends_it() {
        let request = |params: &str| envelope(&Message::parse(Message::request("1", "tools/call", params)).expect("a request"));
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;
        let first = request(&format!("{{{meta}}}")).expect("an envelope");
        assert_eq!((first.version.as_str(), first.hello.capabilities.as_str()), (MODERN, r#"{"elicitation":{}}"#));
        assert!(first.resumes.is_none());
        let resumed = request(&format!(r#"{{{meta},"requestState":"snugfit-7","inputResponses":{{"snugfit-7":{{"action":"accept"}}}}}}"#));
        assert_eq!(resumed.and_then(|envelope| envelope.resumes), Some((7, vec![(7, r#"{"action":"accept"}"#.to_owned())])));
        let theirs = request(&format!(r#"{{{meta},"requestState":"of the server"}}"#)).expect("an envelope");
        assert!(theirs.resumes.is_none());
        assert!(request("{}").is_none() && request(r#"{"_meta":{}}"#).is_none());
    }
}
