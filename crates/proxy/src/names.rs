//! What tools and prompts of several servers are called: `<server>__<name>`, within what model APIs take for a name.

use std::collections::HashMap;

use snugfit_toolset::names::{tool_name, unique};

/// Characters that model APIs take in a name.
const MOST: usize = 64;
/// Hexadecimal digits of a hash at the end of a name that was too long.
const HASH: usize = 8;

/// The exposed names of `(server, name)` pairs, in their order, no two the same. `separator` stands between server and name; `None` leaves
/// names as they are.
#[must_use]
pub fn exposed(pairs: &[(&str, &str)], separator: Option<&str>, reserved: &[&str]) -> Vec<String> {
    let wanted: Vec<String> = match separator {
        Some(separator) => pairs.iter().map(|(server, name)| one(server, name, separator)).collect(),
        None => pairs.iter().map(|&(_, name)| name.to_owned()).collect(),
    };
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let mut names = unique(&wanted, str::to_owned, "_", reserved);
    // A number may have made a name too long.
    for name in &mut names {
        if name.len() > MOST && separator.is_some() {
            *name = shortened(name, name);
        }
    }
    names
}

/// The exposed name of one.
fn one(server: &str, name: &str, separator: &str) -> String {
    let full = format!("{server}{separator}{name}");
    let usable = full.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if usable && full.len() <= MOST {
        return full;
    }
    if usable {
        return shortened(&full, &full);
    }
    // What models cannot say becomes `_`; the hash keeps apart what that makes the same.
    let clean: String = full.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect();
    shortened(&clean, &full)
}

fn shortened(clean: &str, full: &str) -> String {
    let hash = blake3::hash(full.as_bytes()).to_hex();
    format!("{}_{}", &clean[..clean.len().min(MOST - HASH - 1)], &hash[..HASH])
}

/// What a server is called that nobody named: after its package, its command's file, or its host.
///
/// ```
/// use snugfit_proxy::names::server_name;
/// assert_eq!(server_name(&["npx", "-y", "@modelcontextprotocol/server-filesystem@1.2", "/tmp"]), "filesystem");
/// assert_eq!(server_name(&["https://mcp.linear.app/mcp"]), "linear");
/// ```
#[must_use]
pub fn server_name(command: &[&str]) -> String {
    let Some((program, rest)) = command.split_first() else { return "server".to_owned() };
    if let Some(host) = program.strip_prefix("https://").or_else(|| program.strip_prefix("http://")) {
        return host_name(host);
    }
    const RUNNERS: [&str; 12] = ["npx", "bunx", "uvx", "pnpx", "node", "python", "python3", "uv", "pnpm", "deno", "bun", "docker"];
    const WORDS: [&str; 6] = ["run", "dlx", "exec", "tool", "x", "tsx"];
    let runs = |text: &str| RUNNERS.contains(&file(text).trim_end_matches(".exe").trim_end_matches(".cmd"));
    let chosen = if runs(program) { rest.iter().find(|word| !word.starts_with('-') && !WORDS.contains(word)) } else { None };
    telling(chosen.unwrap_or(program))
}

/// What keeps a text from being the name of a server; nothing where it may be one.
#[must_use]
pub fn unusable(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.contains('.') {
        Some("the name of a server must not be empty and has no `.`, which stands between it and a tool's name")
    } else if name.chars().any(char::is_control) {
        Some("the name of a server has no control characters")
    } else {
        None
    }
}

fn file(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// The last part of a path that says something.
fn telling(path: &str) -> String {
    const NOTHING: [&str; 14] =
        ["index", "main", "server", "cli", "mod", "app", "start", "dist", "build", "src", "bin", "lib", "out", "__main__"];
    let parts = path.rsplit(['/', '\\']).map(short);
    parts.into_iter().find(|name| !NOTHING.contains(&name.as_str())).filter(|name| !name.is_empty()).unwrap_or_else(|| short(file(path)))
}

fn short(file: &str) -> String {
    // A version comes after an @, an extension after a dot.
    let mut name = file.split_once('@').map_or(file, |(name, _)| if name.is_empty() { file } else { name });
    for extension in [".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".exe", ".cmd", ".sh"] {
        name = name.strip_suffix(extension).unwrap_or(name);
    }
    for prefix in ["mcp-server-", "server-", "mcp-", "mcp_server_"] {
        name = name.strip_prefix(prefix).filter(|rest| !rest.is_empty()).unwrap_or(name);
    }
    for suffix in ["-mcp-server", "-mcp", "_mcp", "-server"] {
        name = name.strip_suffix(suffix).filter(|rest| !rest.is_empty()).unwrap_or(name);
    }
    match tool_name(name).as_str() {
        "" => "server".to_owned(),
        clean => clean.to_owned(),
    }
}

fn host_name(url: &str) -> String {
    let host = url.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let numeric = host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let labels: Vec<&str> = host.split('.').filter(|label| !matches!(*label, "" | "www" | "mcp" | "api")).collect();
    match labels[..] {
        _ if numeric || host == "localhost" => "server".to_owned(),
        [] => "server".to_owned(),
        [only] => short(only),
        [.., second, _] => short(second),
    }
}

/// Exposed names and whose they are, for calls.
#[derive(Debug, Clone, Default)]
pub struct Names {
    by_exposed: HashMap<String, (usize, String)>,
}

impl Names {
    /// Keeps which server and name each exposed name stands for.
    #[must_use]
    pub fn new(entries: impl IntoIterator<Item = (String, usize, String)>) -> Self {
        Self { by_exposed: entries.into_iter().map(|(exposed, server, name)| (exposed, (server, name))).collect() }
    }

    /// The server's index and the name that it knows.
    #[must_use]
    pub fn get(&self, exposed: &str) -> Option<(usize, &str)> {
        self.by_exposed.get(exposed).map(|(server, name)| (*server, name.as_str()))
    }

    /// All exposed names.
    pub fn exposed(&self) -> impl Iterator<Item = &str> {
        self.by_exposed.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_stay_within_what_models_can_say() {
        let long = "x".repeat(70);
        let pairs = [("git", "log"), ("git", "a.b"), ("git", "a_b"), ("a", "b__c"), ("a__b", "c"), ("git", &long)];
        let names = exposed(&pairs, Some("__"), &[]);
        assert_eq!(names[0], "git__log");
        assert!(names[1].starts_with("git__a_b_") && names[1].len() == "git__a_b_".len() + HASH, "{}", names[1]);
        assert_eq!(names[2..5], ["git__a_b", "a__b__c", "a__b__c_2"]);
        assert_eq!(names[5].len(), MOST);
        assert_eq!(exposed(&pairs, None, &[])[5], long);
        assert_eq!(exposed(&pairs, Some("__"), &[]), names);
    }

    #[test]
    fn a_number_never_makes_a_name_too_long() {
        let (a, b) = ("a".repeat(60), format!("{}_", "a".repeat(59)));
        let names = exposed(&[(&a, "__b"), (&b, "_b")], Some("_"), &[]);
        assert!(names.iter().all(|name| name.len() <= MOST) && names[0] != names[1], "{names:?}");
    }

    #[test]
    fn a_server_is_called_after_what_it_is() {
        for (command, expected) in [
            (&["npx", "-y", "@modelcontextprotocol/server-filesystem", "/tmp"][..], "filesystem"),
            (&["/usr/bin/npx", "@playwright/mcp@latest"], "mcp"),
            (&["uvx", "mcp-server-git"], "git"),
            (&["node", "/opt/servers/github.mjs"], "github"),
            (&["node", "/opt/node_modules/@modelcontextprotocol/server-memory/dist/index.js"], "memory"),
            (&["deno", "run", "-A", "main.ts"], "main"),
            (&["python3", "-m", "weather_mcp"], "weather"),
            (&["uv", "run", "server.py"], "server"),
            (&["/opt/bin/mcp-server-sqlite", "x.db"], "sqlite"),
            (&["mcp-server-everything"], "everything"),
            (&["https://api.githubcopilot.com/mcp/"], "githubcopilot"),
            (&["http://127.0.0.1:8787/mcp"], "server"),
            (&["http://localhost:1/mcp"], "server"),
            (&["https://user:secret@mcp.example.org/x"], "example"),
            (&["日本"], "server"),
            (&[], "server"),
        ] {
            assert_eq!(server_name(command), expected, "{command:?}");
        }
    }
}
