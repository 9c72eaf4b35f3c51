//! What each server lists, and what of it the client sees.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::recording::{Piece, Recording, Span};
use crate::trace::line::Line;

/// Answers to `tools/list`, by who gave them: the last of each, page after page.
#[derive(Default)]
pub(super) struct Lists {
    /// By the servers' names; nothing for what the client was sent.
    pages: BTreeMap<Option<String>, Listed>,
    /// Requests for a later page: who is asked, in which session, and the id.
    later: HashMap<(Option<String>, String, String), Span>,
}

/// The pages of a list, which are of one session.
#[derive(Default)]
struct Listed {
    session: String,
    pages: Vec<Span>,
    /// The requests for the later ones.
    requests: Vec<Span>,
}

/// Pages that are kept of a list.
const MOST_PAGES: usize = 1000;

/// The tools of a server.
#[derive(Debug, Serialize)]
pub(super) struct ServerList {
    server: String,
    before: Vec<Tool>,
    after: Vec<Tool>,
    /// Pages whose file is gone.
    missing: usize,
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
    pub(super) fn add(&mut self, line: &Line<'_>, span: Span) {
        let who = (line.upstream.clone(), line.session.clone(), line.id.clone());
        let is_answer = line.result.is_some();
        if !is_answer {
            if line.params.is_some_and(|params| params.get().contains("\"cursor\"")) && self.later.len() < MOST_PAGES {
                self.later.insert(who, span);
            }
            return;
        }
        let request = self.later.remove(&who);
        let (who, session, _) = who;
        let listed = self.pages.entry(who).or_default();
        match request {
            None => *listed = Listed { session, pages: vec![span], requests: Vec::new() },
            Some(request) if listed.session == session && listed.pages.len() < MOST_PAGES => {
                listed.pages.push(span);
                listed.requests.push(request);
            }
            Some(_) => {}
        }
    }

    /// The lines that the lists are made of.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> {
        self.pages.values().flat_map(|listed| listed.requests.iter().chain(&listed.pages)).copied()
    }
}

/// Where the pages of the lists can be read, by who gave them; nowhere, of those whose file was given up.
pub(super) type Pages = BTreeMap<Option<String>, Vec<Option<Piece>>>;

/// The pages of all lists.
pub(super) fn pages(recording: &Recording) -> Pages {
    let pieces = |listed: &Listed| listed.pages.iter().map(|span| recording.piece(*span)).collect();
    recording.lists.pages.iter().map(|(who, listed)| (who.clone(), pieces(listed))).collect()
}

/// Each server's list before and after; wrappers and tools of ours, which are of no server, come last.
pub(super) fn compare(pages: &Pages) -> io::Result<Vec<ServerList>> {
    let tools = |pieces: &[Option<Piece>]| -> io::Result<Vec<Tool>> {
        let texts = pieces.iter().flatten().map(Piece::read).collect::<io::Result<Vec<_>>>()?;
        Ok(texts.iter().flat_map(|text| of_page(text)).collect())
    };
    let missing = |pieces: &[Option<Piece>]| pieces.iter().filter(|piece| piece.is_none()).count();
    let shown = pages.get(&None).map(Vec::as_slice).unwrap_or_default();
    let (mut sent, missing_of_sent) = (tools(shown)?, missing(shown));
    let mut lists = Vec::new();
    for (server, pieces) in pages.iter().filter_map(|(who, pieces)| Some((who.as_ref()?, pieces))) {
        let before = tools(pieces)?;
        let names: HashSet<&str> = before.iter().map(|tool| tool.name.as_str()).collect();
        let is_own = |tool: &Tool| {
            names.contains(tool.name.strip_prefix(server.as_str()).and_then(|rest| rest.strip_prefix("__")).unwrap_or(&tool.name))
        };
        let (after, rest) = std::mem::take(&mut sent).into_iter().partition(is_own);
        sent = rest;
        lists.push(ServerList { server: server.clone(), before, after, missing: missing(pieces) + missing_of_sent });
    }
    if !sent.is_empty() {
        lists.push(ServerList { server: String::new(), before: Vec::new(), after: sent, missing: missing_of_sent });
    }
    Ok(lists)
}

fn of_page(line: &str) -> Vec<Tool> {
    let page = Line::of(line).and_then(|line| serde_json::from_str::<Page<'_>>(line.result?.get()).ok());
    let tool = |json: &RawValue| {
        let json = json.get();
        let name = serde_json::from_str::<Named>(json).map(|named| named.name).unwrap_or_default();
        Tool { name, bytes: json.len(), text: snugfit_engine::render(json).unwrap_or_else(|| json.to_owned()) }
    };
    page.map(|page| page.tools.into_iter().map(tool).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_two_sessions_are_not_taken_for_one_list() {
        let line = |session: &str, id: u64, more: &str| {
            format!(r#"{{"dir":"in","upstream":"s","session":"{session}","method":"tools/list","id":"{id}",{more}}}"#)
        };
        let (asked, answered) = (r#""params":{"cursor":"2"}"#, r#""result":{"tools":[]}"#);
        let lines = [
            line("a", 1, answered),
            line("a", 2, asked),
            line("b", 1, answered),
            line("b", 2, asked),
            line("a", 2, answered),
            line("b", 2, answered),
        ];
        let mut lists = Lists::default();
        for (at, text) in lines.iter().enumerate() {
            lists.add(&Line::of(text).expect("a line"), Span { file: 0, at: at as u64, len: 1 });
        }
        // The request for a later page makes it one when the lines are opened again.
        assert_eq!(lists.spans().map(|span| span.at).collect::<Vec<_>>(), [3, 2, 5]);
    }
}
