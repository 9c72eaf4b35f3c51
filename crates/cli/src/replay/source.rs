//! The records of a file: one JSON value, or one a line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::path::Path;

use serde_json::Value;

use crate::error::Error;
use crate::trace::line::Line;

/// The longest record.
const MOST_BYTES: u64 = 512 << 20;
/// Files above this show how far the work is.
const LONG: u64 = 4 << 20;

/// A record.
pub(crate) enum Record {
    /// A line of a trace.
    Line(String),
    /// Anything else.
    Value(Value),
}

pub(crate) struct Source {
    name: String,
    file: BufReader<File>,
    size: u64,
    read: u64,
    /// How much was read before the last record.
    before: u64,
    line: usize,
    progress: Progress,
}

impl Source {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let name = format!("'{}'", path.display());
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (size, file) = opened.map_err(|source| Error::Read { name: name.clone(), source })?;
        let progress = Progress { shown: None, on: size >= LONG && io::stderr().is_terminal() };
        Ok(Self { name, file: BufReader::new(file), size, read: 0, before: 0, line: 0, progress })
    }

    /// The next record. A last line that was broken off is none.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, Error> {
        loop {
            self.before = self.read;
            self.progress.show(self.read, self.size);
            let mut text = Vec::new();
            let failed = |source| Error::Read { name: self.name.clone(), source };
            self.read += self.file.by_ref().take(MOST_BYTES).read_until(b'\n', &mut text).map_err(failed)? as u64;
            self.line += 1;
            if text.is_empty() {
                return Ok(None);
            }
            let line = text.trim_ascii();
            let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            if let Some(line) = str::from_utf8(line).ok().filter(|line| Line::of(line).is_some_and(|line| !line.method.is_empty())) {
                return Ok(Some(Record::Line(line.to_owned())));
            }
            match serde_json::from_slice(line) {
                Ok(value) => return Ok(Some(Record::Value(value))),
                // One value over many lines.
                Err(error) if self.line == 1 && error.is_eof() => {
                    let rest = MOST_BYTES.saturating_sub(text.len() as u64);
                    let failed = |source| Error::Read { name: self.name.clone(), source };
                    self.read += self.file.by_ref().take(rest).read_to_end(&mut text).map_err(failed)? as u64;
                    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&text);
                    return serde_json::from_slice(text).map(|value| Some(Record::Value(value))).map_err(|error| self.no_json(&error));
                }
                // The proxy was killed while it wrote.
                Err(error) if error.is_eof() && !text.ends_with(b"\n") => return Ok(None),
                Err(error) if error.is_eof() && self.line > 1 => {}
                Err(error) => return Err(self.no_json(&error)),
            }
        }
    }

    /// So many of the results in the last record are done. A whole conversation is one record.
    pub(crate) fn done(&mut self, results: usize, of: usize) {
        let part = (self.read - self.before).saturating_mul(results as u64) / of.max(1) as u64;
        self.progress.show(self.before + part, self.size);
    }

    fn no_json(&self, error: &serde_json::Error) -> Error {
        let source = io::Error::other(format!("line {}: not JSON: {error}", self.line));
        Error::Read { name: self.name.clone(), source }
    }
}

/// How far the work is, on a terminal.
struct Progress {
    shown: Option<u64>,
    on: bool,
}

impl Progress {
    fn show(&mut self, read: u64, size: u64) {
        const WIDTH: u64 = 30;
        let percent = (read * 100).checked_div(size).unwrap_or(100).min(100);
        if !self.on || self.shown == Some(percent) {
            return;
        }
        self.shown = Some(percent);
        let done = percent * WIDTH / 100;
        let bar = format!("\r{}{} {percent:3} %", "█".repeat(done as usize), "░".repeat((WIDTH - done) as usize));
        // Nobody needs it where it cannot be shown.
        let _ = io::stderr().write_all(bar.as_bytes()).and_then(|()| io::stderr().flush());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = io::stderr().write_all(b"\r\x1b[K");
        }
    }
}
