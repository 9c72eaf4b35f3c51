//! What servers without a handshake ask in an answer, put to a client that is asked by requests.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::oneshot;

use super::relay::{Asked, with_token};
use super::{Answer, Session};
use crate::rpc::{Message, Object, code};
use crate::sync::lock;
use crate::upstream::{Origin, Request, Upstream};
use crate::work::LARGE;

/// How often one request may come back with questions.
const ROUNDS: usize = 10;

/// The questions in an answer, each with its key, method and parameters, and the state that goes back with the replies.
struct Inputs {
    requests: Vec<(String, String, String)>,
    state: Option<String>,
}

/// The questions of a result that has any.
fn inputs(result: &str) -> Option<Inputs> {
    let result = Object::parse(result).ok()?;
    if result.str("resultType").as_deref() != Some("input_required") {
        return None;
    }
    let asked = result.object("inputRequests").unwrap_or_default();
    let request = |(key, request): (&str, &str)| {
        let request = Object::parse(request).ok()?;
        Some((key.to_owned(), request.str("method")?.into_owned(), request.get("params").unwrap_or("{}").to_owned()))
    };
    Some(Inputs { requests: asked.members().filter_map(request).collect(), state: result.get("requestState").map(str::to_owned) })
}

/// The parameters of a request that goes on with the replies.
fn with_replies(params: &str, replies: &[(String, String)], state: Option<String>) -> String {
    let mut params = Object::parse(params).unwrap_or_default();
    let mut all = Object::default();
    for (key, reply) in replies {
        all.set(key, reply.clone());
    }
    params.set("inputResponses", all.to_string());
    match state {
        Some(state) => params.set("requestState", state),
        None => drop(params.remove("requestState")),
    }
    params.to_string()
}

impl Session {
    /// The answer to a request, once the client has answered what the server asks in it.
    pub(super) async fn satisfied(&self, upstream: &Upstream, method: &str, params: &str, origin: &Arc<Origin>, answer: Message) -> Answer {
        let mut answer = answer;
        for _ in 0..ROUNDS {
            let asked = match answer.outcome() {
                // A client of the same revisions answers by itself.
                Ok(result) if result.len() <= LARGE && !origin.is_modern => inputs(result),
                _ => None,
            };
            let Some(Inputs { requests, state }) = asked else { return Answer::Whole(answer) };
            let mut replies = Vec::with_capacity(requests.len());
            for (key, method, params) in requests {
                match self.put(upstream, &method, &params, origin).await {
                    Ok(reply) => replies.push((key, reply)),
                    Err(error) => return Answer::Error(error),
                }
            }
            let (id, mut params) = (upstream.next_id(), with_replies(params, &replies, state));
            // Progress comes under the id of the request that it is about.
            if let Some((renewed, _)) = origin.token.as_ref().and_then(|_| with_token(&params, id)) {
                params = renewed;
            }
            let origin = Some(Arc::clone(origin));
            answer = match upstream.request(Request { id, method, params: params.into(), origin, wait: upstream.call_timeout() }).await {
                Ok(answer) => answer,
                Err(error) => return Answer::Error(error.to_error(&upstream.name)),
            };
        }
        Answer::error(code::INTERNAL, &format!("the server {:?} asked the client more than {ROUNDS} times", upstream.name))
    }

    /// Puts one question to the client; the error is that of the answer.
    async fn put(&self, upstream: &Upstream, method: &str, params: &str, origin: &Origin) -> Result<String, String> {
        if self.everybody {
            return Err(Message::error(code::METHOD_NOT_FOUND, "no client can be asked: the proxy serves many without sessions"));
        }
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (reply, replied) = oneshot::channel();
        lock(&self.asked).insert(id, Asked { upstream: upstream.index, id: String::new(), token: None, reply: Some(reply) });
        let asked = Unasked { session: self, id };
        let text = Message::request(&format!("\"snugfit-{id}\""), method, params);
        self.send(Some(&origin.id), text).await;
        let reply = replied.await;
        drop(asked);
        let reply = reply.map_err(|_| Message::error(code::INTERNAL, "the client gave no answer to what the server asked"))?;
        reply.outcome().map(str::to_owned).map_err(str::to_owned)
    }
}

/// A question that nobody waits for any longer is none.
struct Unasked<'a> {
    session: &'a Session,
    id: u64,
}

impl Drop for Unasked<'_> {
    fn drop(&mut self) {
        lock(&self.session.asked).remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_and_replies_go_back_with_the_state() {
        let result = r#"{"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"roots/list"}}}"#;
        let found = inputs(result).expect("questions");
        assert_eq!(found.requests, [("k".to_owned(), "roots/list".to_owned(), "{}".to_owned())]);
        assert_eq!(
            with_replies(r#"{"name":"a"}"#, &[("k".to_owned(), r#"{"roots":[]}"#.to_owned())], found.state),
            r#"{"name":"a","inputResponses":{"k":{"roots":[]}},"requestState":"s"}"#
        );
        assert!(inputs(r#"{"resultType":"complete"}"#).is_none() && inputs("{}").is_none());
    }
}
