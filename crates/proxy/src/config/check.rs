//! What no single setting can tell: settings that need or exclude each other.

use std::net::IpAddr;
use std::time::Duration;

use snugfit_toolset::names::excerpt;

use super::document::{Node, Value};
use super::fault::{Fault, MAX_FAULTS};
use super::glob::MAX_GLOBS;
use super::{Config, Definitions, Glob, Transport};
use crate::names::unusable;
use crate::observe::HEALTH_PATHS;

/// The mistakes of a configuration whose every value is right by itself. `root` is what it was read from and knows the places.
pub(super) fn check(config: &Config, root: &Node) -> Vec<Fault> {
    let mut checked = Check { root, faults: Vec::new() };
    checked.inbound(config);
    checked.limits(config);
    checked.lists_and_results(config);
    checked.servers(config);
    checked.faults
}

/// The most originals that a store is made for: room for them is there from the start.
const MOST_ENTRIES: usize = 100_000;

/// The most bytes of an original in Redis, where a value has room for 512 MiB.
const MOST_REDIS_KEEPS: usize = 500 << 20;

/// The shortest time-out of requests to Redis.
const LEAST_REDIS_TIMEOUT: Duration = Duration::from_millis(10);

/// The smallest file that is set aside, in bytes.
const LEAST_FILE: usize = 4 << 10;

struct Check<'a> {
    root: &'a Node,
    faults: Vec<Fault>,
}

impl Check<'_> {
    fn fault(&mut self, path: &[&str], message: &str) {
        // Each looks for its place anew, so they must not be many.
        if self.faults.len() < MAX_FAULTS {
            let at = nearest(self.root, path).at;
            let path = path.iter().map(|name| excerpt(name)).collect::<Vec<_>>().join(".");
            self.faults.push(Fault { position: Some(at), path, message: message.to_owned() });
        }
    }

    fn inbound(&mut self, config: &Config) {
        let http = &config.inbound.http;
        if !config.inbound.stdio && !http.enabled {
            self.fault(&["inbound"], "both `stdio` and `http` are off, so that no client could come in");
        }
        if !http.enabled {
            return;
        }
        if http.host != "localhost" && http.host.trim_matches(['[', ']']).parse::<IpAddr>().is_err() {
            self.fault(&["inbound", "http", "host"], "expected an IP address or `localhost`");
        } else if !http.is_loopback() && http.auth.as_ref().is_none_or(|auth| auth.bearer.is_empty() && !auth.trust_proxy) {
            self.fault(
                &["inbound", "http", "host"],
                "anybody who reaches this address could use the servers and their credentials; set `inbound.http.auth` (`bearer`, or \
                 `trustProxy` behind a gateway that checks), or listen on 127.0.0.1",
            );
        }
        if !http.path.starts_with('/') {
            self.fault(&["inbound", "http", "path"], "must begin with /");
        } else if !http.path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte)) {
            self.fault(&["inbound", "http", "path"], "has only letters, digits and / - . _ ~");
        }
        if HEALTH_PATHS.contains(&http.path.as_str()) {
            self.fault(&["inbound", "http", "path"], "is where the health of the proxy is asked for; choose another");
        }
        if http.auth.iter().flat_map(|auth| &auth.bearer).any(|token| !is_token(token.expose())) {
            self.fault(&["inbound", "http", "auth", "bearer"], "a token is not empty and has only visible ASCII characters");
        }
    }

    fn limits(&mut self, config: &Config) {
        let limits = &config.limits;
        for (name, is_zero) in [
            ("messageBytes", limits.message_bytes.bytes() == 0),
            ("callsPerSession", limits.calls_per_session == 0),
            ("calls", limits.calls == 0),
            ("callTimeout", limits.call_timeout.duration().is_zero()),
            ("listTimeout", limits.list_timeout.duration().is_zero()),
            ("connectTimeout", limits.connect_timeout.duration().is_zero()),
        ] {
            if is_zero {
                self.fault(&["limits", name], "must be more than 0, or nothing could ever be done");
            }
        }
        for (name, size) in [("trace", config.observability.trace.max_bytes), ("audit", config.observability.audit.max_bytes)] {
            if size.bytes() < LEAST_FILE {
                self.fault(&["observability", name, "maxBytes"], "must be at least 4KiB, or every line would have a file of its own");
            }
        }
        let store = &config.store;
        if store.entries > MOST_ENTRIES {
            self.fault(&["store", "entries"], "must be at most 100000; `store.bytes` bounds what they hold");
        }
        if let Some(redis) = &store.redis {
            let path = |name| ["store", "redis", name];
            if redis.namespace.is_empty() || !redis.namespace.bytes().all(|byte| byte.is_ascii_graphic()) {
                self.fault(&path("namespace"), "is not empty and has only visible ASCII characters");
            }
            if !(1..=MOST_REDIS_KEEPS).contains(&redis.max_bytes_per_entry.bytes()) {
                self.fault(&path("maxBytesPerEntry"), "must be more than 0 and at most 500MiB: a value in Redis holds no more than 512");
            }
            if redis.timeout.duration() < LEAST_REDIS_TIMEOUT {
                self.fault(&path("timeout"), "must be at least 10ms, or no request could be answered in time");
            }
        }
        for (name, is_zero) in
            [("entries", store.entries == 0), ("bytes", store.bytes.bytes() == 0), ("ttl", store.ttl.duration().is_zero())]
        {
            if is_zero {
                self.fault(&["store", name], "must be more than 0, or no original could be kept");
            }
        }
    }

    fn lists_and_results(&mut self, config: &Config) {
        if config.list.definitions == Definitions::Llm && config.list.cache_path.is_none() {
            let message = "`llm` takes descriptions from the file that `list.cachePath` names, and none is named";
            self.fault(&["list", "definitions"], message);
        }
        if config.results.cursor_param.is_empty() {
            self.fault(&["results", "cursorParam"], "must not be empty");
        }
        if config.results.per_tool.len() > MAX_GLOBS {
            let message = format!("more than {MAX_GLOBS} entries; write fewer with `*` and `{{a,b}}`");
            return self.fault(&["results", "perTool"], &message);
        }
        for pattern in config.results.per_tool.keys() {
            if let Err(words) = Glob::new(pattern) {
                let message = format!("not a pattern ({words}); expected one such as `github.get_*`");
                self.fault(&["results", "perTool", pattern], &message);
            }
        }
    }

    fn servers(&mut self, config: &Config) {
        for (name, server) in &config.servers {
            if let Some(message) = unusable(name) {
                // Not by a name that would act on the terminal.
                let path: &[&str] = if name.chars().any(char::is_control) { &["servers"] } else { &["servers", name] };
                self.fault(path, message);
            }
            if server.call_timeout.is_some_and(|timeout| timeout.duration().is_zero()) {
                self.fault(&["servers", name, "callTimeout"], "must be more than 0");
            }
            if let Transport::Stdio { command, args, env, cwd } = &server.transport {
                let texts = args.iter().chain([command]).map(String::as_str);
                let texts = texts.chain(env.iter().flat_map(|(key, value)| [key.as_str(), value.expose()]));
                if texts.chain(cwd.iter().filter_map(|cwd| cwd.to_str())).any(|text| text.contains('\0')) {
                    self.fault(&["servers", name], "a NUL character cannot be handed to a program");
                }
                if env.keys().any(|key| key.is_empty() || key.contains('=')) {
                    self.fault(&["servers", name, "env"], "the name of a variable is not empty and has no `=`");
                }
            }
        }
    }
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
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
