//! What requests of the revisions without sessions repeat in their headers, for whoever routes them.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::http::header::{HeaderMap, HeaderName};

use super::VERSION;
use crate::mirror::{Mirrored, decoded, mismatch};
use crate::rpc::{Kind, Message, Object, code, error_parts};
use crate::session::{MODERN, Session};
use crate::work::LARGE;

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Whether a request is of the revisions without a handshake.
pub(super) fn is_modern(headers: &HeaderMap) -> bool {
    headers.get(&VERSION).is_some_and(|version| version == MODERN)
}

/// Whether the headers say what the message says; the error is that of the answer.
pub(super) fn check(headers: &HeaderMap, message: &Message) -> Result<(), String> {
    if message.kind() != Kind::Request {
        return Ok(());
    }
    // Looking for the word is cheaper than taking the parameters apart.
    let said = memchr::memmem::find(message.params().as_bytes(), b"io.modelcontextprotocol/protocolVersion").and_then(|_| {
        let params = Object::parse(message.params()).ok()?;
        Some(params.object("_meta")?.str("io.modelcontextprotocol/protocolVersion")?.into_owned())
    });
    let given = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if said.as_deref().is_some_and(|said| given(&VERSION) != Some(said)) {
        return Err(differs("MCP-Protocol-Version"));
    }
    if !is_modern(headers) {
        return Ok(());
    }
    if given(&METHOD) != Some(message.method()) {
        return Err(differs("Mcp-Method"));
    }
    let key = match message.method() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let params = Object::parse(message.params()).unwrap_or_default();
    match (given(&NAME).and_then(decoded), params.str(key)) {
        (Some(given), Some(said)) if given == said => Ok(()),
        (_, None) => Ok(()),
        _ => Err(differs("Mcp-Name")),
    }
}

/// The arguments that the headers of a call have to repeat.
pub(super) async fn mirrored(headers: &HeaderMap, session: &Arc<Session>) -> Vec<Mirrored> {
    let given = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    match given(&NAME).and_then(decoded) {
        Some(name) if is_modern(headers) && given(&METHOD) == Some("tools/call") => session.mirrored(&name).await,
        _ => Vec::new(),
    }
}

/// Whether the headers say what the arguments of a call say; the error is that of the answer.
pub(super) fn check_arguments(headers: &HeaderMap, message: &Message, mirrored: &[Mirrored]) -> Result<(), String> {
    let params = Object::parse(message.params()).unwrap_or_default();
    mismatch(mirrored, params.get("arguments").unwrap_or("{}"), headers).map_or(Ok(()), |header| Err(differs(header)))
}

fn differs(header: &str) -> String {
    Message::error(code::HEADER_MISMATCH, &format!("the header {header} is missing, or not what the message says"))
}

/// The status of the answer to a request of these revisions: errors of what runs the request are no errors of HTTP.
pub(super) fn status(method: &str, answer: &str) -> StatusCode {
    // Errors of the protocol are short, and looking for their codes is cheaper than taking answers apart.
    if answer.len() > LARGE || memchr::memmem::find(answer.as_bytes(), b"-32").is_none() {
        return StatusCode::OK;
    }
    let answer = Object::parse(answer).unwrap_or_default();
    match answer.get("error").map(|error| error_parts(error).0) {
        Some(code::METHOD_NOT_FOUND) if !matches!(method, "tools/call" | "prompts/get" | "resources/read") => StatusCode::NOT_FOUND,
        Some(code::MISSING_CAPABILITY | code::UNSUPPORTED_VERSION) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_what_the_message_says() {
        let modern = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        for (method, params, headers, expected) in [
            ("tools/list", "{}", &[("mcp-protocol-version", MODERN), ("mcp-method", "tools/list")][..], true),
            ("tools/list", "{}", &[("mcp-protocol-version", MODERN)], false),
            ("tools/list", "{}", &[("mcp-protocol-version", MODERN), ("mcp-method", "tools/call")], false),
            ("tools/list", "{}", &[("mcp-protocol-version", "2025-11-25")], true),
            ("tools/list", &format!("{{{modern}}}"), &[("mcp-protocol-version", MODERN), ("mcp-method", "tools/list")], true),
            ("tools/list", &format!("{{{modern}}}"), &[("mcp-protocol-version", "2025-11-25"), ("mcp-method", "tools/list")], false),
            ("tools/list", &format!("{{{modern}}}"), &[], false),
            ("tools/call", r#"{"name":"a"}"#, &[("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "a")], true),
            (
                "tools/call",
                r#"{"name":"ü"}"#,
                &[("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "=?base64?w7w=?=")],
                true,
            ),
            (
                "tools/call",
                r#"{"name":"a"}"#,
                &[("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "=?base64?w7w=?=")],
                false,
            ),
            ("tools/call", r#"{"name":"a"}"#, &[("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "b")], false),
            ("resources/read", r#"{"uri":"a:b"}"#, &[("mcp-protocol-version", MODERN), ("mcp-method", "resources/read")], false),
        ] {
            let headers = headers.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().expect("a value"))).collect();
            let message = Message::parse(Message::request("1", method, params)).expect("a request");
            assert_eq!(check(&headers, &message).is_ok(), expected, "{method} {params} {headers:?}");
        }
    }

    #[test]
    fn errors_of_the_protocol_are_errors_of_http() {
        let error = |code| Message::failure("1", &Message::error(code, "why"));
        for (method, answer, expected) in [
            ("no/such", error(code::METHOD_NOT_FOUND), 404),
            ("tools/call", error(code::METHOD_NOT_FOUND), 200),
            ("tools/call", error(code::INVALID_PARAMS), 200),
            ("tools/call", error(code::MISSING_CAPABILITY), 400),
            ("tools/list", error(code::UNSUPPORTED_VERSION), 400),
            ("tools/call", Message::result("1", r#"{"text":"-32601"}"#), 200),
        ] {
            assert_eq!(status(method, &answer).as_u16(), expected, "{method} {answer}");
        }
    }
}
