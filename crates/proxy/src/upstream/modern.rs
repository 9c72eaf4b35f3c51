//! Servers of the revisions without a handshake: found out where they refuse one, and told with every request who asks.

use axum::http::header::{HeaderName, HeaderValue};

use super::Hello;
use crate::mirror::{self, Mirrors, encoded};
use crate::rpc::{Object, quote};

/// The revision without a handshake that is spoken.
pub(super) const MODERN: &str = "2026-07-28";
const PREFIX: &str = "io.modelcontextprotocol/";
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What every request to such a server says of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Envelope {
    capabilities: String,
    client_info: String,
}

impl Envelope {
    pub(super) fn new(hello: &Hello) -> Self {
        Self { capabilities: hello.capabilities.clone(), client_info: hello.client_info.clone() }
    }

    /// The parameters with this in their `_meta`, unless the client has said it itself; `level` is that of log messages, where there is one.
    pub(crate) fn around(&self, params: &str, level: Option<&str>) -> String {
        let mut params = Object::parse(params).unwrap_or_default();
        let meta = {
            let mut meta = params.object("_meta").unwrap_or_default();
            if meta.get(&format!("{PREFIX}protocolVersion")).is_none() {
                meta.set(&format!("{PREFIX}protocolVersion"), quote(MODERN));
                meta.set(&format!("{PREFIX}clientCapabilities"), self.capabilities.clone());
                meta.set(&format!("{PREFIX}clientInfo"), self.client_info.clone());
                if let Some(level) = level {
                    meta.set(&format!("{PREFIX}logLevel"), quote(level));
                }
            }
            meta.to_string()
        };
        params.set("_meta", meta);
        params.to_string()
    }
}

/// What such a server says of itself, as the result of a handshake.
pub(super) fn introduction(discovered: &str) -> Result<String, String> {
    let discovered = Object::parse(discovered).map_err(|error| format!("its answer to server/discover cannot be read: {error}"))?;
    let versions = discovered.array("supportedVersions").unwrap_or_default();
    if !versions.contains(&quote(MODERN).as_str()) {
        return Err(format!("it speaks none of the revisions that are spoken here, but {}", versions.join(", ")));
    }
    let mut result = Object::default();
    result.set("protocolVersion", quote(MODERN));
    result.set("capabilities", discovered.get("capabilities").unwrap_or("{}").to_owned());
    let info = discovered.object("_meta").and_then(|meta| meta.get(&format!("{PREFIX}serverInfo")).map(str::to_owned));
    if let Some(info) = info.or_else(|| discovered.get("serverInfo").map(str::to_owned)) {
        result.set("serverInfo", info);
    }
    if let Some(instructions) = discovered.get("instructions") {
        result.set("instructions", instructions.to_owned());
    }
    Ok(result.to_string())
}

/// The headers that a message has for whoever routes it: its method, what it names, and the arguments that the tool wants repeated.
pub(super) fn routing(text: &str, mirrors: &Mirrors) -> Vec<(HeaderName, HeaderValue)> {
    let message = Object::parse(text).unwrap_or_default();
    let Some(method) = message.str("method") else { return Vec::new() };
    let mut headers: Vec<_> = encoded(&method).map(|method| (METHOD, method)).into_iter().collect();
    let key = match method.as_ref() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return headers,
    };
    let params = message.object("params").unwrap_or_default();
    let Some(name) = params.str(key) else { return headers };
    headers.extend(encoded(&name).map(|name| (NAME, name)));
    if let Some(mirrored) = mirrors.get(name.as_ref()).filter(|_| method == "tools/call") {
        headers.extend(mirror::headers(mirrored, params.get("arguments").unwrap_or("{}")));
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_say_who_asks_unless_they_do_already() {
        let hello = Hello {
            version: "2025-11-25".to_owned(),
            capabilities: r#"{"roots":{}}"#.to_owned(),
            client_info: r#"{"name":"c"}"#.to_owned(),
        };
        let envelope = Envelope::new(&hello);
        assert_eq!(
            envelope.around(r#"{"name":"a","_meta":{"progressToken":1}}"#, None),
            r#"{"name":"a","_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"c"}}}"#
        );
        let own = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
        assert_eq!(envelope.around(own, Some("debug")), own);
        assert!(envelope.around("{}", Some("debug")).contains(r#""io.modelcontextprotocol/logLevel":"debug""#));
    }

    #[test]
    fn a_discovery_reads_as_a_handshake() {
        let discovered = r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}},"instructions":"i"}"#;
        assert_eq!(
            introduction(discovered).as_deref(),
            Ok(r#"{"protocolVersion":"2026-07-28","capabilities":{"tools":{}},"serverInfo":{"name":"s"},"instructions":"i"}"#)
        );
        assert!(introduction(r#"{"supportedVersions":["2027-01-01"]}"#).is_err());
    }
}
