//! What requests of the revisions without sessions repeat in their headers, for whoever routes them.

use axum::http::header::{HeaderMap, HeaderName};

use crate::rpc::{Kind, Message, Object};

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Whether the headers say what the message says; the error is that of the answer.
pub(super) fn check(headers: &HeaderMap, message: &Message) -> Result<(), String> {
    if message.kind() != Kind::Request {
        return Ok(());
    }
    let mismatch = |what: &str| Err(Message::error(-32020, &format!("the header {what} is missing, or not what the message says")));
    let given = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if given(&METHOD) != Some(message.method()) {
        return mismatch("Mcp-Method");
    }
    let key = match message.method() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let params = Object::parse(message.params()).unwrap_or_default();
    match (given(&NAME), params.str(key)) {
        (Some(given), Some(said)) if given == said || is_encoded(given) => Ok(()),
        (_, None) => Ok(()),
        _ => mismatch("Mcp-Name"),
    }
}

/// Whether a value is written in Base64, as names are that a header cannot hold. Nothing here is routed by it, so it is not read.
fn is_encoded(value: &str) -> bool {
    value.starts_with("=?base64?") && value.ends_with("?=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_what_the_message_says() {
        for (method, params, headers, expected) in [
            ("tools/list", "{}", &[("mcp-method", "tools/list")][..], true),
            ("tools/list", "{}", &[], false),
            ("tools/list", "{}", &[("mcp-method", "tools/call")], false),
            ("tools/call", r#"{"name":"a"}"#, &[("mcp-method", "tools/call"), ("mcp-name", "a")], true),
            ("tools/call", r#"{"name":"ü"}"#, &[("mcp-method", "tools/call"), ("mcp-name", "=?base64?w7w=?=")], true),
            ("tools/call", r#"{"name":"a"}"#, &[("mcp-method", "tools/call"), ("mcp-name", "b")], false),
            ("resources/read", r#"{"uri":"a:b"}"#, &[("mcp-method", "resources/read")], false),
        ] {
            let headers = headers.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().expect("a value"))).collect();
            let message = Message::parse(Message::request("1", method, params)).expect("a request");
            assert_eq!(check(&headers, &message).is_ok(), expected, "{method} {params} {headers:?}");
        }
    }
}
