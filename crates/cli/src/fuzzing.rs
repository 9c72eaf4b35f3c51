//! The readers of traces and recordings, as only the fuzz target sees them.

use std::path::Path;

pub use crate::inspect::fuzzing::{Shown, shown};
use crate::replay::logs::{Logs, Recorded};
use crate::replay::source::Source;
use crate::trace::pretty;

/// The results that `snugfit replay` finds in a file, as JSON: those before the first that cannot be read.
#[must_use]
pub fn found(path: &Path) -> Vec<String> {
    let Ok(mut source) = Source::open(path) else { return Vec::new() };
    let (mut logs, mut found) = (Logs::default(), Vec::new());
    while let Ok(Some(record)) = source.next() {
        found.extend(logs.read(&record).into_iter().map(|Recorded { result, .. }| result));
    }
    found
}

/// A line as `snugfit trace tail` prints it where there are no colors.
#[must_use]
pub fn printed(line: &str) -> String {
    pretty::line(line, false)
}
