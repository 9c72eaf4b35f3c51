//! What the page shows of a file, for the fuzz target.

use std::path::Path;

use serde::Serialize;
use snugfit_proxy::Replay;
use snugfit_proxy::config::{Budget, Config, Policy, ResultFlags};

use super::lists;
use super::open;
use super::private::Folder;
use super::recording::Piece;
use super::serve::Inspected;

/// What the page shows, as JSON where it is no text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The calls, as they are listed.
    pub calls: Vec<String>,
    /// The tools of each server.
    pub lists: String,
    /// The original of each call, and which of its lines are in its previews: as it was sent, and within a budget.
    pub payloads: Vec<(String, [Vec<[usize; 2]>; 2])>,
}

/// What the page shows of a file, and the recording as it can be saved; `None` where the file cannot be read.
#[must_use]
pub fn shown(path: &Path) -> Option<(Shown, String)> {
    let config = Config::default();
    let policy = Policy::new(&config, &ResultFlags::default(), None).ok()?;
    let inspected = Inspected::new(open::title(path), Replay::new(&config, policy, None).ok()?);
    open::read(path, &inspected, &Folder::new().ok()?).ok()?;
    let calls = inspected.with(|recording| recording.calls.clone());
    let budget = Budget::new(Some(1000), None).ok()?;
    let payload = |number| {
        let opened = inspected.open(number).ok()?;
        let previews = [None, Some(&budget)].map(|budget| opened.compare(&inspected.replay, budget).kept);
        Some((opened.text.clone(), previews))
    };
    let shown = Shown {
        calls: calls.iter().map(|call| json(call.as_ref())).collect(),
        lists: json(&lists::compare(&inspected.with(|recording| lists::pages(recording))).ok()?),
        payloads: (0..calls.len()).map(payload).collect::<Option<_>>()?,
    };
    let saved = inspected.with(|recording| recording.pieces()).iter().map(Piece::read).collect::<Result<String, _>>().ok()?;
    Some((shown, saved))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
