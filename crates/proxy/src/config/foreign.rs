//! `mcpServers`, as Claude Desktop, Cursor and others write it: taken over into `servers`.

use std::collections::HashSet;

use snugfit_toolset::names::excerpt;

use super::document::{Key, Node, Value};
use super::fault::{Fault, MAX_FAULTS};

const FOREIGN: &str = "mcpServers";

/// The keys of a configuration of ours.
const OURS: [&str; 9] = ["servers", "names", "filters", "list", "results", "store", "inbound", "observability", "limits"];

/// What counts of a foreign entry; the rest is the client's own business. Second: what we call it.
const TAKEN: [(&str, &str); 11] = [
    ("type", "type"),
    ("transport", "transport"),
    ("command", "command"),
    ("args", "args"),
    ("env", "env"),
    ("cwd", "cwd"),
    ("url", "url"),
    // Gemini CLI and Windsurf.
    ("httpUrl", "url"),
    ("serverUrl", "url"),
    ("headers", "headers"),
    ("disabled", "disabled"),
];

/// Moves the entries of `mcpServers` to `servers`, after those that are there. A file with nothing else of ours is a client's: what more it
/// has does not count.
pub(super) fn adopt(root: &mut Node) -> Vec<Fault> {
    let Some(entries) = root.take(FOREIGN) else { return Vec::new() };
    let Value::Map(entries) = entries.value else {
        return vec![Fault { path: FOREIGN.to_owned(), ..Fault::at(entries.at, "expected a map of servers") }];
    };
    if let Value::Map(members) = &mut root.value
        && !members.iter().any(|(key, _)| OURS.contains(&key.name.as_str()))
    {
        members.clear();
    }
    let mut faults = Vec::new();
    let mut servers = root.take("servers").filter(|servers| !servers.is_null()).unwrap_or_else(|| Node::empty(root.at));
    let ours: HashSet<String> = servers.members().iter().map(|(name, _)| name.name.clone()).collect();
    for (name, mut entry) in entries {
        if faults.len() == MAX_FAULTS {
            break;
        }
        if let Value::Map(members) = &mut entry.value {
            members.retain_mut(|(key, _)| {
                let taken = TAKEN.iter().find(|(theirs, _)| *theirs == key.name);
                key.name = taken.map_or("", |(_, ours)| ours).to_owned();
                taken.is_some()
            });
        }
        if ours.contains(&name.name) {
            let message = format!("`{}` is here and in `servers`", excerpt(&name.name));
            faults.push(Fault { path: FOREIGN.to_owned(), ..Fault::at(name.at, message) });
        } else if let Value::Map(members) = &mut servers.value {
            members.push((name, entry));
        }
    }
    if let Value::Map(members) = &mut root.value {
        members.push((Key { at: servers.at, name: "servers".to_owned() }, servers));
    }
    faults
}
