//! What each server lists, and what of it the client sees.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::recording::{Line, Recording, Span};

/// Answers to `tools/list`, by who gave them: the last of each, page after page.
#[derive(Default)]
pub(super) struct Lists {
    /// The servers' names; nothing for what the client was sent.
    pages: BTreeMap<Option<String>, Vec<Span>>,
    /// Requests for a later page: who is asked, and the id.
    later: HashSet<(Option<String>, String)>,
}

/// Pages that are kept of a list.
const MOST_PAGES: usize = 1000;

/// The tools of a server.
#[derive(Debug, Serialize)]
pub(super) struct ServerList {
    server: String,
    before: Vec<Tool>,
    after: Vec<Tool>,
}

/// A definition.
#[derive(Debug, Clone, Serialize)]
struct Tool {
    name: String,
    bytes: usize,
    text: String,
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

impl Lists {
    /// Takes a line about `tools/list`.
    pub(super) fn take(&mut self, line: &Line<'_>, span: Span) {
        let who = (line.upstream.clone(), line.id.clone());
        let is_answer = line.result.is_some();
        if !is_answer {
            if line.params.is_some_and(|params| params.get().contains("\"cursor\"")) && self.later.len() < MOST_PAGES {
                self.later.insert(who);
            }
            return;
        }
        let is_later = self.later.remove(&who);
        let pages = self.pages.entry(who.0).or_default();
        if !is_later {
            pages.clear();
        }
        if pages.len() < MOST_PAGES {
            pages.push(span);
        }
    }

    pub(super) fn spans(&self) -> impl Iterator<Item = Span> {
        self.pages.values().flatten().copied()
    }
}

/// Each server's list before and after; wrappers and tools of ours, which are of no server, come last.
pub(super) fn compare(recording: &Recording) -> Vec<ServerList> {
    let tools = |who: &Option<String>| -> Vec<Tool> {
        let spans = recording.lists.pages.get(who).into_iter().flatten();
        spans.filter_map(|span| recording.read(*span).ok()).flat_map(|text| of_page(&text)).collect()
    };
    let mut sent = tools(&None);
    let servers: Vec<&String> = recording.lists.pages.keys().flatten().collect();
    let mut lists: Vec<ServerList> = servers
        .iter()
        .map(|server| {
            let before = tools(&Some((*server).clone()));
            let is_own = |tool: &Tool| {
                let name = tool.name.strip_prefix(server.as_str()).and_then(|rest| rest.strip_prefix("__")).unwrap_or(&tool.name);
                before.iter().any(|before| before.name == name)
            };
            let (after, rest) = std::mem::take(&mut sent).into_iter().partition(is_own);
            sent = rest;
            ServerList { server: (*server).clone(), before, after }
        })
        .collect();
    if !sent.is_empty() {
        lists.push(ServerList { server: String::new(), before: Vec::new(), after: sent });
    }
    lists
}

fn of_page(line: &str) -> Vec<Tool> {
    let page = serde_json::from_str::<Line<'_>>(line).ok().and_then(|line| serde_json::from_str::<Page<'_>>(line.result?.get()).ok());
    let tool = |json: &RawValue| {
        let json = json.get();
        let name = serde_json::from_str::<Named>(json).map(|named| named.name).unwrap_or_default();
        Tool { name, bytes: json.len(), text: snugfit_engine::render(json).unwrap_or_else(|| json.to_owned()) }
    };
    page.map(|page| page.tools.into_iter().map(tool).collect()).unwrap_or_default()
}
