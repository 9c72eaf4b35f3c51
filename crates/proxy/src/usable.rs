//! Whether a configuration that is well formed can be served: what would keep the proxy from starting, and what a user should look into.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use snugfit_toolset::names::{excerpt, tool_name};

use crate::config::{Auth, Compression, Config, Definitions, Glob, Policy, Secret, Server, SurfaceKind, TraceSink, Transport};
use crate::error::Error;
use crate::list::read_cache;
use crate::oauth::secure;
use crate::originals::redis_store;
use crate::upstream::address;

/// The length of a secret that nobody finds by trying.
const GOOD_SECRET: usize = 16;

/// Looks at a configuration, and the policy that is made of it, as the proxy does before it starts; what it gives is what a user should look into.
///
/// # Errors
/// [`Error::Unusable`] with everything that would keep the proxy from starting, a line each.
pub fn check(config: &Config, policy: &Policy) -> Result<Vec<String>, Error> {
    let active: Vec<(&String, &Server)> = config.active().collect();
    let mut faults = Vec::new();
    let mut warnings = Vec::new();
    if active.is_empty() {
        faults.push(
            "there is no server: name one after --, such as `snugfit proxy -- npx -y SERVER`, or under `servers` in a configuration; \
             `snugfit --help` tells of every command"
                .to_owned(),
        );
    }
    for (name, server) in &active {
        let shown = excerpt(name);
        match &server.transport {
            Transport::Http { url, headers, auth, .. } => {
                if *auth == Auth::Passthrough && !config.inbound.http.enabled {
                    faults.push(format!(
                        "servers.{shown}.auth: passthrough shows the server what clients over HTTP send; set inbound.http.enabled, or use \
                         `headers`"
                    ));
                }
                if *auth == Auth::Passthrough && config.inbound.http.auth.as_ref().is_some_and(|auth| !auth.bearer.is_empty()) {
                    warnings.push(format!(
                        "servers.{shown}.auth: passthrough shows the server the tokens of inbound.http.auth.bearer, which it could use on this \
                         proxy; let a gateway check who comes in (trustProxy), or give the server credentials of its own"
                    ));
                }
                match address(url, headers, auth) {
                    Err(why) => faults.push(format!("servers.{shown}: {why}")),
                    Ok((url, _)) if matches!(auth, Auth::Oauth { .. }) => {
                        faults.extend(secure(url.as_str()).err().map(|why| format!("servers.{shown}.auth: oauth: {why}")));
                    }
                    Ok(_) => {}
                }
            }
            Transport::Stdio { command, env, cwd, .. } => {
                if let Some(cwd) = cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
                    warnings.push(format!("servers.{shown}.cwd: {} is no directory", cwd.display()));
                } else if !is_there(command, env, cwd.as_deref()) {
                    warnings.push(format!("servers.{shown}.command: there is no program {:?} here", excerpt(command)));
                }
            }
        }
    }
    if let Some(redis) = &config.store.redis {
        match redis.secret() {
            None => faults.push(
                "store.redis.secret: there is none; set it, or SNUGFIT_STORE_SECRET, to a long random text that all proxies of this Redis have"
                    .to_owned(),
            ),
            Some(secret) if secret.expose().len() < GOOD_SECRET => warnings.push(format!(
                "store.redis.secret: has fewer than {GOOD_SECRET} characters; who can read the Redis may find it by trying, and read originals"
            )),
            Some(_) => {}
        }
        if let Err(why) = redis_store(redis, config.store.ttl) {
            faults.push(why.to_string());
        }
    }
    if config.surface.kind != SurfaceKind::Tools {
        if config.inbound.http.enabled || !config.inbound.stdio {
            faults.push(
                "surface.kind: commands and modules are for this machine, and clients over HTTP may be elsewhere; leave inbound.http out"
                    .to_owned(),
            );
        }
        if config.list.compression != Compression::Off || active.iter().any(|(_, server)| server.list.compression.is_some()) {
            faults.push("surface.kind: commands and modules stand in the place of the tools already; leave compression out".to_owned());
        }
    }
    let prometheus = &config.observability.metrics.prometheus;
    let http = &config.inbound.http;
    if prometheus.enabled && http.enabled && prometheus.port != 0 && (&prometheus.host, prometheus.port) == (&http.host, http.port) {
        faults.push("observability.metrics.prometheus and inbound.http have the same port; give one of them another".to_owned());
    }
    faults.extend(colliding(config, &active));
    let observability = &config.observability;
    let trace = (observability.trace.sink == TraceSink::File).then_some(("trace", &observability.trace.path));
    let audit = observability.audit.enabled.then_some(("audit", &observability.audit.path));
    for (name, path) in trace.into_iter().chain(audit).filter(|(_, path)| path.is_dir()) {
        faults.push(format!("observability.{name}.path: {} is a directory; name a file in it", path.display()));
    }
    if let Some(path) = &config.list.cache_path
        && active.iter().any(|(_, server)| server.list.definitions.unwrap_or(config.list.definitions) == Definitions::Llm)
        && let Err(why) = read_cache(path)
    {
        warnings.push(format!("list.cachePath: {why}"));
    }
    if config.results.toonify && !policy.lets_pass() {
        warnings.push(
            "results.toonify: is for results that are not fitted, and all are; set mode: off for those that are to be TOON".to_owned(),
        );
    }
    warnings.extend(pointless(config));
    if faults.is_empty() { Ok(warnings) } else { Err(Error::Unusable(faults.join("\n"))) }
}

/// Patterns that cannot match anything of the servers that there are.
fn pointless(config: &Config) -> Vec<String> {
    let filters = &config.filters;
    // The URI of a resource is matched without its server, too.
    let named = |globs: &'_ [Glob]| globs.iter().map(|glob| glob.as_str().to_owned()).filter(|pattern| !pattern.contains(':')).collect();
    let lists: [(&str, Vec<String>); 3] = [
        ("results.perTool", config.results.per_tool.keys().cloned().collect()),
        ("filters.allow", named(&filters.allow)),
        ("filters.deny", named(&filters.deny)),
    ];
    let Some(server) = config.servers.keys().next() else { return Vec::new() };
    let mut told = Vec::new();
    for (list, patterns) in lists {
        for pattern in patterns.iter().filter(|pattern| !config.servers.keys().any(|server| may_match(pattern, server))) {
            let meant = if pattern.contains('.') { format!("{server}.*") } else { format!("*.{pattern}") };
            let (shown, meant) = (excerpt(pattern), excerpt(&meant));
            told.push(format!(
                "{list}: {shown:?} matches nothing of any server here: a pattern is for `<server>.<name>`, such as {meant:?}"
            ));
        }
    }
    told
}

/// Whether a pattern may match something of a server: what it begins with, up to the first wildcard, says so.
fn may_match(pattern: &str, server: &str) -> bool {
    let plain = pattern.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
    let of_server = format!("{server}.");
    of_server.starts_with(plain) || plain.starts_with(&of_server)
}

/// Servers whose wrappers would have the same names.
fn colliding(config: &Config, active: &[(&String, &Server)]) -> Vec<String> {
    let all = config.list.compression;
    let mut taken: HashMap<String, &str> = HashMap::new();
    let own = active.iter().filter(|(_, server)| server.list.compression.is_some_and(|level| level != all && level.level().is_some()));
    own.filter_map(|(name, _)| {
        let prefix = tool_name(name);
        if prefix.is_empty() {
            return Some(format!("servers.{}: a server with a compression of its own needs letters or digits in its name", excerpt(name)));
        }
        let other = taken.insert(prefix, name)?;
        let (name, other) = (excerpt(name), excerpt(other));
        Some(format!("servers.{name}: its wrappers would be called as those of servers.{other}; rename one of them"))
    })
    .collect()
}

/// Whether a program can be found as the system would look for it.
fn is_there(command: &str, env: &IndexMap<String, Secret>, cwd: Option<&Path>) -> bool {
    let path = env.get("PATH").map(|path| OsString::from(path.expose())).or_else(|| env::var_os("PATH")).unwrap_or_default();
    let is_path = Path::new(command).components().count() > 1;
    let folders: Vec<PathBuf> = match cwd {
        _ if !is_path => env::split_paths(&path).collect(),
        Some(cwd) => vec![cwd.to_owned()],
        None => vec![PathBuf::new()],
    };
    // On Windows a program is also found without the end of its name.
    let ends = if cfg!(windows) { vec!["", ".exe", ".cmd", ".bat"] } else { vec![""] };
    folders.iter().any(|folder| ends.iter().any(|end| is_program(&folder.join(format!("{command}{end}")))))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

// The programs of the cases are those of Unix.
#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::config::{Format, ResultFlags, parse};

    fn checked(yaml: &str) -> Result<Vec<String>, String> {
        let loaded = parse(yaml, Format::Yaml, "file", Path::new("/"), &|_| None).expect("well formed");
        let policy = Policy::new(&loaded.config, &ResultFlags::default(), None).expect("a policy");
        check(&loaded.config, &policy).map_err(|error| error.to_string())
    }

    #[test]
    fn what_keeps_the_proxy_from_starting_is_told() {
        for (yaml, said) in [
            ("servers:", "there is no server"),
            ("servers: { a: { command: sh, disabled: true } }", "there is no server"),
            (
                "servers: { a: { url: 'https://h', auth: passthrough } }",
                "servers.a.auth: passthrough shows the server what clients over HTTP",
            ),
            ("servers: { a: { url: 'http://h/mcp', auth: oauth } }", "servers.a.auth: oauth: \"http://h/mcp\" is not secure"),
            ("servers: { a: { url: 'https://[' } }", "servers.a: its url cannot be read"),
            ("servers: { a: { url: 'https://h', headers: { 'a b': c } } }", "\"a b\" is no name of a header"),
            ("servers: { a: { url: 'https://h', headers: { a: \"b\\n\" } } }", "the value of the header a cannot be sent"),
            ("servers: { a: { command: sh } }\nstore: { redis: { url: 'redis://h' } }", "store.redis.secret: there is none"),
            ("servers: { a: { command: sh } }\nstore: { redis: { url: 'redis://h', secret: '' } }", "store.redis.secret: there is none"),
            ("servers: { a: { command: sh } }\nstore: { redis: { url: h, secret: s } }", "store.redis.url: cannot be read"),
            (
                "servers: { a: { command: sh } }\nobservability: { trace: { sink: file, path: '' } }",
                "observability.trace.path: / is a directory",
            ),
            (
                "servers: { a: { command: sh } }\ninbound: { http: { enabled: true, port: 9464 } }\nobservability: { metrics: { prometheus: { enabled: true } } }",
                "have the same port",
            ),
            (
                "servers: { a: { command: sh } }\nsurface: { kind: cli }\ninbound: { http: { enabled: true } }",
                "clients over HTTP may be elsewhere",
            ),
            ("servers: { a: { command: sh } }\nsurface: { kind: python }\nlist: { compression: max }", "leave compression out"),
            (
                "servers: { a b: { command: sh, list: { compression: low } }, a_b: { command: sh, list: { compression: max } } }",
                "servers.a_b: its wrappers would be called as those of servers.a b",
            ),
            ("servers: { 日本: { command: sh, list: { compression: low } } }", "needs letters or digits in its name"),
        ] {
            let told = checked(yaml).expect_err(yaml);
            assert!(told.contains(said), "{yaml}: {told}");
        }
    }

    #[test]
    fn what_a_user_should_look_into_is_told() {
        for (yaml, said) in [
            ("servers: { a: { command: sh } }", None),
            ("servers: { a: { url: 'https://h', auth: oauth } }", None),
            ("servers: { a: { url: 'http://h', auth: passthrough } }\ninbound: { http: { enabled: true } }", None),
            (
                "servers: { a: { url: 'http://h', auth: passthrough } }\ninbound: { http: { enabled: true, auth: { bearer: [t] } } }",
                Some("servers.a.auth: passthrough shows the server the tokens of inbound.http.auth.bearer"),
            ),
            ("servers: { a: { command: /bin/sh } }", None),
            ("servers: { a: { command: bin/sh, cwd: / } }", None),
            ("servers: { a: { command: no-such-program } }", Some("servers.a.command: there is no program \"no-such-program\" here")),
            ("servers: { a: { command: sh, env: { PATH: /nowhere } } }", Some("there is no program \"sh\"")),
            ("servers: { a: { command: /dev } }", Some("there is no program \"/dev\"")),
            ("servers: { a: { command: sh, cwd: no/such } }", Some("servers.a.cwd: /no/such is no directory")),
            ("servers: { a: { command: sh } }\nlist: { definitions: llm, cachePath: dev }", Some("list.cachePath: /dev")),
            ("servers: { a: { command: sh } }\nstore: { redis: { url: 'redis://h', secret: a long random secret } }", None),
            (
                "servers: { a: { command: sh } }\nstore: { redis: { url: 'redis://h', secret: s } }",
                Some("store.redis.secret: has fewer than 16"),
            ),
            ("servers: { a: { command: sh } }\nresults: { toonify: true }", Some("results.toonify: is for results that are not fitted")),
            ("servers: { a: { command: sh } }\nresults: { toonify: true, mode: 'off' }", None),
            ("servers: { a: { command: sh } }\nresults: { toonify: true, perTool: { a.b: { mode: 'off' } } }", None),
            ("servers: { a: { command: sh, results: { mode: 'off' } } }\nresults: { toonify: true }", None),
            (
                "servers: { git: { command: sh } }\nresults: { perTool: { 'git.*': {}, '*_log': {}, 'g?t.log': {}, '{git,hub}.*': {} } }",
                None,
            ),
            (
                "servers: { git: { command: sh } }\nresults: { perTool: { 'git_log': {} } }",
                Some(
                    r#"results.perTool: "git_log" matches nothing of any server here: a pattern is for `<server>.<name>`, such as "*.git_log""#,
                ),
            ),
            ("servers: { git: { command: sh, disabled: true }, a: { command: sh } }\nfilters: { allow: ['git.*'], deny: ['a.b'] }", None),
            (
                "servers: { git: { command: sh } }\nfilters: { allow: ['hub.*'] }",
                Some(r#""hub.*" matches nothing of any server here: a pattern is for `<server>.<name>`, such as "git.*""#),
            ),
            ("servers: { git: { command: sh } }\nfilters: { deny: ['delete_*'] }", Some(r#"filters.deny: "delete_*" matches nothing"#)),
            ("servers: { git: { command: sh } }\nfilters: { deny: ['file:///secret/*'] }", None),
        ] {
            let told = checked(yaml).expect(yaml);
            assert_eq!(told.len(), usize::from(said.is_some()), "{yaml}: {told:?}");
            assert!(said.is_none_or(|said| told[0].contains(said)), "{yaml}: {told:?}");
        }
    }
}
