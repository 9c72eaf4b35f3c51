//! What no single setting can tell: settings that need or exclude each other.

use super::document::{Node, Value};
use super::fault::Fault;
use super::{Config, Definitions, Glob};

/// The mistakes of a configuration whose every value is right by itself. `root` is what it was read from and knows the places.
pub(super) fn check(config: &Config, root: &Node) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut fault = |path: &[&str], message: &str| {
        let at = nearest(root, path).at;
        faults.push(Fault { position: Some(at), path: path.join("."), message: message.to_owned() });
    };
    let http = &config.inbound.http;
    if http.enabled && !http.is_loopback() && http.auth.as_ref().is_none_or(|auth| auth.bearer.is_empty() && !auth.trust_proxy) {
        fault(
            &["inbound", "http", "host"],
            "anybody who reaches this address could use the servers and their credentials; set `inbound.http.auth` (`bearer`, or \
             `trustProxy` behind a gateway that checks), or listen on 127.0.0.1",
        );
    }
    if http.enabled && !http.path.starts_with('/') {
        fault(&["inbound", "http", "path"], "must begin with /");
    }
    if config.list.definitions == Definitions::Llm && config.list.cache_path.is_none() {
        fault(&["list", "definitions"], "`llm` takes descriptions from the file that `list.cachePath` names, and none is named");
    }
    if config.results.cursor_param.is_empty() {
        fault(&["results", "cursorParam"], "must not be empty");
    }
    for name in config.servers.keys() {
        if name.is_empty() || name.contains('.') {
            fault(&["servers", name], "the name of a server must not be empty and has no `.`, which stands between it and a tool's name");
        }
    }
    for pattern in config.results.per_tool.keys() {
        if let Err(words) = Glob::new(pattern) {
            fault(&["results", "perTool", pattern], &format!("not a pattern ({words}); expected one such as `github.get_*`"));
        }
    }
    faults
}

/// The value at a path, or as near to it as there is one.
fn nearest<'a>(root: &'a Node, path: &[&str]) -> &'a Node {
    let mut node = root;
    for name in path {
        let Value::Map(members) = &node.value else { break };
        let Some((_, member)) = members.iter().find(|(key, _)| key.name == *name) else { break };
        node = member;
    }
    node
}
