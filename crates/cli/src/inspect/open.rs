//! What a file is: a trace, which is followed, messages that hold results, or a payload.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::private::Folder;
use super::recording::{Line, Span, line_of};
use super::serve::Inspected;
use crate::error::Error;
use crate::replay::logs::Logs;
use crate::replay::source::Source;
use crate::trace::follow::Follow;

/// The largest payload, and the longest line that is looked at.
const MOST_BYTES: u64 = 256 << 20;

/// Reads a file for the page: a trace goes on for as long as the process, everything else is read at once.
pub(super) fn open(path: &Path, inspected: &Arc<Inspected>, folder: &Folder) -> Result<(), Error> {
    let name = format!("'{}'", path.display());
    let failed = |source| Error::Read { name: name.clone(), source };
    let mut first = String::new();
    let file = File::open(path).map_err(failed)?;
    let begins = BufReader::new(file).take(MOST_BYTES).read_line(&mut first);
    // What is no text is no trace.
    let is_trace = begins.is_ok() && (first.is_empty() || serde_json::from_str::<Line<'_>>(&first).is_ok_and(|line| !line.dir.is_empty()));
    if is_trace {
        return follow(path, inspected);
    }
    let lines = match results_of(path) {
        Ok(lines) if !lines.is_empty() => lines,
        _ => {
            let content = File::open(path).and_then(|file| {
                let mut content = Vec::new();
                file.take(MOST_BYTES).read_to_end(&mut content).map(|_| content)
            });
            let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            vec![payload(&file_name, &String::from_utf8_lossy(&content.map_err(failed)?)).map_err(failed)?]
        }
    };
    let mut file = folder.file("results.ndjson").map_err(failed)?;
    inspected
        .add(|recording| {
            let number = recording.add_file(file.try_clone()?);
            let mut at = 0;
            for line in &lines {
                file.write_all(line.as_bytes())?;
                recording.take(line, Span { file: number, at, len: line.len() as u64 });
                at += line.len() as u64;
            }
            Ok(())
        })
        .map_err(failed)
}

/// Reads a trace, and follows it on a thread of its own.
pub(super) fn follow(path: &Path, inspected: &Arc<Inspected>) -> Result<(), Error> {
    let failed = |source| Error::Read { name: format!("'{}'", path.display()), source };
    // A proxy makes its trace when it begins.
    let is_there = path.exists();
    let lines = Follow::from_start(path, !is_there).map_err(failed)?;
    let mut reader = Reader { lines, path: path.to_owned(), files: None, number: 0 };
    if is_there {
        reader.read(inspected).map_err(failed)?;
        reader.lines.go_on();
    }
    let inspected = Arc::clone(inspected);
    // Where the trace can be read no longer, the page stays with what there is.
    std::thread::spawn(move || reader.read(&inspected));
    Ok(())
}

/// Reads lines into a recording.
struct Reader {
    lines: Follow,
    path: PathBuf,
    /// How many files there were before the one that is read, and its number in the recording.
    files: Option<usize>,
    number: usize,
}

impl Reader {
    fn read(&mut self, inspected: &Inspected) -> io::Result<()> {
        while let Some(line) = self.lines.next_line()? {
            let Some((file, files, [begin, end])) = self.lines.place() else { continue };
            inspected.add(|recording| {
                if self.files != Some(files) {
                    self.number = recording.add_file(again(file, &self.path)?);
                    self.files = Some(files);
                }
                recording.take(&line, Span { file: self.number, at: begin, len: end - begin });
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// A file once more, to read pieces of it while it is followed.
#[cfg(unix)]
fn again(file: &File, _: &Path) -> io::Result<File> {
    file.try_clone()
}

/// Where a copy would share the place that is read next, the file is opened anew.
#[cfg(not(unix))]
fn again(_: &File, path: &Path) -> io::Result<File> {
    File::open(path)
}

/// The results in messages of model APIs, as lines of a trace.
fn results_of(path: &Path) -> Result<Vec<String>, Error> {
    let (mut logs, mut source, mut lines) = (Logs::default(), Source::open(path)?, Vec::new());
    while let Some(record) = source.next()? {
        for recorded in logs.read(&record) {
            let result = serde_json::value::to_raw_value(&recorded.result);
            lines.extend(result.and_then(|result| line_of(recorded.server.as_deref().unwrap_or_default(), &recorded.tool, &result)).ok());
        }
    }
    Ok(lines)
}

/// A payload as the only result. One that is a result of MCP stays what it is.
fn payload(name: &str, text: &str) -> io::Result<String> {
    let is_result = text.trim_start().starts_with('{')
        && serde_json::from_str::<Value>(text)
            .is_ok_and(|value| value["content"].as_array().is_some_and(|blocks| blocks.iter().all(|block| block["type"].is_string())));
    let result = if is_result {
        RawValue::from_string(text.trim().to_owned())
    } else {
        serde_json::value::to_raw_value(&json!({ "content": [{ "type": "text", "text": text }] }))
    };
    Ok(line_of("", name, &result?)?)
}

/// The names of what is looked at, for the page's title.
pub(super) fn title(path: &Path) -> String {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).file_name().unwrap_or_default().to_string_lossy().into_owned()
}
