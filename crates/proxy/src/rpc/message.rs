//! One JSON-RPC message.

use std::borrow::Cow;
use std::ops::Range;

use super::object::{Object, text};
use super::string::quote;
use crate::work::Memory;

/// Codes of JSON-RPC errors.
pub mod code {
    /// The message is no JSON.
    pub const PARSE: i32 = -32700;
    /// The message is no request, or comes at the wrong time.
    pub const INVALID_REQUEST: i32 = -32600;
    /// There is no such method.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// The parameters name what there is not.
    pub const INVALID_PARAMS: i32 = -32602;
    /// Something failed.
    pub const INTERNAL: i32 = -32603;
    /// A resource that there is not, as MCP numbers it.
    pub const RESOURCE_NOT_FOUND: i32 = -32002;
    /// The headers of HTTP say something else than the message, as MCP numbers it.
    pub const HEADER_MISMATCH: i32 = -32020;
    /// The client lacks a capability that is needed, as MCP numbers it.
    pub const MISSING_CAPABILITY: i32 = -32021;
    /// The revision is not spoken, as MCP numbers it.
    pub const UNSUPPORTED_VERSION: i32 = -32022;
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Has a method and an id.
    Request,
    /// Has a method and no id.
    Notification,
    /// Answers a request, with a result or an error.
    Response,
}

/// A message, as it was written, and where its parts stand in it.
#[derive(Debug, Clone)]
pub struct Message {
    kind: Kind,
    method: String,
    id: Range<usize>,
    params: Range<usize>,
    result: Range<usize>,
    error: Range<usize>,
    text: String,
    /// The memory that it takes, where it is large.
    memory: Option<Memory>,
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// What is wrong with it, in words, and its id as far as it could be read.
    pub fn parse(text: String) -> Result<Self, String> {
        let object = Object::parse(&text).map_err(|error| format!("not a JSON-RPC message: {error}"))?;
        let place = |key| object.get(key).map_or(0..0, |value| range(&text, value));
        let (id, params, result, error) = (place("id"), place("params"), place("result"), place("error"));
        let method = match object.get("method") {
            Some(method) => Some(self::text(method).ok_or("the method of a message must be a string")?.into_owned()),
            None => None,
        };
        let has_id = !id.is_empty() && &text[id.clone()] != "null";
        let kind = match method {
            Some(_) if has_id => Kind::Request,
            Some(_) => Kind::Notification,
            None if result.is_empty() && error.is_empty() => return Err("a message must have a method, a result or an error".to_owned()),
            None => Kind::Response,
        };
        if has_id && !matches!(text.as_bytes()[id.start], b'"' | b'-' | b'0'..=b'9') {
            return Err("the id of a message must be a string or a number".to_owned());
        }
        let method = method.unwrap_or_default();
        Ok(Self { kind, method, id, params, result, error, text, memory: None })
    }

    /// Holds memory for as long as the message is there; `None` gives it back.
    pub(crate) fn hold(&mut self, memory: Option<Memory>) {
        self.memory = memory;
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its method; empty for responses.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Its id as it was written; empty where it has none.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.text[self.id.clone()]
    }

    /// Its parameters as they were written, or `{}`.
    #[must_use]
    pub fn params(&self) -> &str {
        if self.params.is_empty() { "{}" } else { &self.text[self.params.clone()] }
    }

    /// Its result as it was written, or its error.
    ///
    /// # Errors
    /// The error of the response.
    pub fn outcome(&self) -> Result<&str, &str> {
        if self.error.is_empty() { Ok(&self.text[self.result.clone()]) } else { Err(&self.text[self.error.clone()]) }
    }

    /// The whole message as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of the same message under another id.
    #[must_use]
    pub fn with_id(mut self, id: &str) -> String {
        // In place: a large message is not copied.
        self.text.replace_range(self.id, id);
        self.text
    }

    /// The same message under another id, to be read on.
    #[must_use]
    pub fn renamed(mut self, id: &str) -> Self {
        let (old, longer) = (self.id.clone(), id.len() as isize - self.id.len() as isize);
        self.text.replace_range(old.clone(), id);
        self.id = old.start..old.start + id.len();
        for part in [&mut self.params, &mut self.result, &mut self.error] {
            if part.start >= old.end {
                *part = part.start.wrapping_add_signed(longer)..part.end.wrapping_add_signed(longer);
            }
        }
        self
    }

    /// A request.
    #[must_use]
    pub fn request(id: &str, method: &str, params: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{params}}}"#, quote(method))
    }

    /// A notification.
    #[must_use]
    pub fn notification(method: &str, params: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","method":{},"params":{params}}}"#, quote(method))
    }

    /// The answer to a request.
    #[must_use]
    pub fn result(id: &str, result: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
    }

    /// The answer to a request that failed; `error` is the JSON of the error object.
    #[must_use]
    pub fn failure(id: &str, error: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
    }

    /// The JSON of an error object.
    #[must_use]
    pub fn error(code: i32, message: &str) -> String {
        format!(r#"{{"code":{code},"message":{}}}"#, quote(message))
    }
}

/// The code and text of an error, of which the JSON is `error`. One that has no text is told as it is.
pub(crate) fn error_parts(error: &str) -> (i32, String) {
    let object = Object::parse(error).unwrap_or_default();
    let code = object.get("code").and_then(|code| code.parse().ok()).unwrap_or(code::INTERNAL);
    (code, object.str("message").map_or_else(|| error.to_owned(), Cow::into_owned))
}

/// Where a part of a text stands in it.
fn range(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, Ok(Kind::Request)),
            (r#"{"method":"a","id":"x\"y","params":[1]}"#, Ok(Kind::Request)),
            (r#"{"method":"a","params":{}}"#, Ok(Kind::Notification)),
            (r#"{"method":"a","id":null}"#, Ok(Kind::Notification)),
            (r#"{"id":1,"result":{}}"#, Ok(Kind::Response)),
            (r#"{"id":null,"error":{"code":1,"message":""}}"#, Ok(Kind::Response)),
            (r#"{"id":1}"#, Err("a message must have a method, a result or an error")),
            (r#"{"id":[1],"method":"a"}"#, Err("the id of a message must be a string or a number")),
            (r#"{"method":1}"#, Err("the method of a message must be a string")),
        ] {
            assert_eq!(
                Message::parse(text.to_owned()).map(|message| message.kind()).map_err(|e| e.clone()),
                expected.map_err(str::to_owned),
                "{text}"
            );
        }
        assert!(Message::parse("[1]".to_owned()).is_err() && Message::parse("{\"id\":1,".to_owned()).is_err());
    }

    #[test]
    fn parts_are_given_as_they_were_written() {
        let message = Message::parse(r#" { "id" : 7.0 , "result" : {"n": 1e400} , "x":1}"#.to_owned()).expect("a response");
        assert_eq!((message.id(), message.outcome()), ("7.0", Ok(r#"{"n": 1e400}"#)));
        assert_eq!(message.clone().with_id("\"a\""), r#" { "id" : "a" , "result" : {"n": 1e400} , "x":1}"#);
        let renamed = message.renamed("\"abc\"");
        assert_eq!((renamed.id(), renamed.outcome()), ("\"abc\"", Ok(r#"{"n": 1e400}"#)));
        let request = Message::parse(Message::request("3", "a/b", r#"{"p":[]}"#)).expect("a request");
        assert_eq!((request.id(), request.method(), request.params()), ("3", "a/b", r#"{"p":[]}"#));
        let failed = Message::parse(Message::failure("3", &Message::error(code::INTERNAL, "no \"x\""))).expect("a response");
        assert_eq!(failed.outcome(), Err(r#"{"code":-32603,"message":"no \"x\""}"#));
    }
}
