//! What a file is: a trace, which is followed, messages that hold results, or a payload.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::private::Folder;
use super::recording::{Recording, Span, line_of};
use super::serve::Inspected;
use super::tell;
use crate::error::Error;
use crate::input::decode_utf16;
use crate::replay::logs::Logs;
use crate::replay::source::Source;
use crate::trace::follow::Follow;
use crate::trace::line::Line;

/// The largest payload, and the longest line that is looked at.
const MOST_BYTES: u64 = 256 << 20;
/// Files of a trace that are open at a time.
const MOST_FILES: usize = 64;

/// Reads a file for the page: a trace goes on for as long as the process, everything else is read at once.
pub(super) fn open(path: &Path, inspected: &Arc<Inspected>, folder: &Folder) -> Result<(), Error> {
    if let Some(reader) = read(path, inspected, folder)? {
        reader.go_on(inspected);
    }
    Ok(())
}

/// Reads what is there of a file; where it is a trace, gives what reads on.
pub(super) fn read(path: &Path, inspected: &Inspected, folder: &Folder) -> Result<Option<Reader>, Error> {
    let failed = |source| Error::Read { name: format!("'{}'", path.display()), source };
    let plain = plain(path, folder).map_err(failed)?;
    if is_trace(&plain).map_err(failed)? {
        return Reader::new(&plain, inspected).map(Some);
    }
    let mut results = Results::new(inspected, folder).map_err(failed)?;
    let read = add_results(&plain, &mut results);
    if results.at > 0 {
        if let Err(error) = read {
            tell(&format!("warning: what comes after is not shown: {error}")).map_err(Error::Write)?;
        }
    } else {
        let content = content(&mut File::open(&plain).map_err(failed)?).map_err(failed)?;
        let replaced = content.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
        if replaced > 0 {
            let said = format!("warning: '{}' is no UTF-8: {replaced} places in it are shown as \u{fffd}", path.display());
            tell(&said).map_err(Error::Write)?;
        }
        let text = String::from_utf8_lossy(&content);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let line = payload(&name, text.strip_prefix('\u{feff}').unwrap_or(&text)).map_err(failed)?;
        results.add(&line).map_err(failed)?;
    }
    results.out.flush().map_err(failed)?;
    Ok(None)
}

/// A file that can be read more than once, in UTF-8: the one that is named, or what came out of it.
fn plain(path: &Path, folder: &Folder) -> io::Result<PathBuf> {
    let mut file = File::open(path)?;
    if file.metadata()?.is_file() {
        let mut mark = Vec::new();
        File::open(path)?.take(4).read_to_end(&mut mark)?;
        if decode_utf16(&mark).is_none() {
            return Ok(path.to_owned());
        }
    }
    let mut content = content(&mut file)?;
    if let Some((text, replaced)) = decode_utf16(&content) {
        if replaced > 0 {
            tell(&format!("warning: '{}' is broken UTF-16: {replaced} places in it are shown as \u{fffd}", path.display()))?;
        }
        content = text.into_bytes();
    }
    folder.file("input")?.write_all(&content)?;
    Ok(folder.path().join("input"))
}

/// All of a file. Part of one would look like all of it.
fn content(file: &mut File) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    if file.take(MOST_BYTES + 1).read_to_end(&mut content)? as u64 > MOST_BYTES {
        return Err(io::Error::other(format!("it has more than the {} MiB that can be shown", MOST_BYTES >> 20)));
    }
    Ok(content)
}

fn is_trace(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    BufReader::new(File::open(path)?).take(MOST_BYTES).read_until(b'\n', &mut first)?;
    // What is no text is no trace.
    Ok(first.is_empty() || str::from_utf8(&first).is_ok_and(|line| Line::of(line).is_some()))
}

/// Results that are in no trace: they are written to one of ours.
struct Results<'i> {
    inspected: &'i Inspected,
    out: BufWriter<File>,
    number: usize,
    at: u64,
}

impl<'i> Results<'i> {
    fn new(inspected: &'i Inspected, folder: &Folder) -> io::Result<Self> {
        let file = folder.file("results.ndjson")?;
        let to_read = Arc::new(again(&file, &folder.path().join("results.ndjson"))?);
        let number = inspected.with(|recording| recording.add_file(to_read));
        Ok(Self { inspected, out: BufWriter::new(file), number, at: 0 })
    }

    fn add(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        let span = Span { file: self.number, at: self.at, len: text.len() as u64 };
        self.at += span.len;
        if let Some(line) = Line::of(text) {
            self.inspected.with(|recording| recording.add(line, span));
        }
        Ok(())
    }
}

/// Adds the results in messages of model APIs.
fn add_results(path: &Path, results: &mut Results<'_>) -> Result<(), Error> {
    let (mut logs, mut source) = (Logs::default(), Source::open(path)?);
    while let Some(record) = source.next()? {
        for recorded in logs.read(&record) {
            let result = RawValue::from_string(recorded.result);
            let line = result.and_then(|result| line_of(recorded.server.as_deref().unwrap_or_default(), &recorded.tool, &result));
            line.map_err(io::Error::from).and_then(|line| results.add(&line)).map_err(Error::Write)?;
        }
    }
    Ok(())
}

/// Reads a trace, and follows it on a thread of its own.
pub(super) fn follow(path: &Path, inspected: &Arc<Inspected>) -> Result<(), Error> {
    Reader::new(path, inspected)?.go_on(inspected);
    Ok(())
}

/// Reads lines into a recording.
pub(super) struct Reader {
    lines: Follow,
    path: PathBuf,
    /// How many files there were before the one that is read, and its number in the recording.
    files: Option<usize>,
    number: usize,
}

impl Reader {
    /// Reads the lines that are there.
    fn new(path: &Path, inspected: &Inspected) -> Result<Self, Error> {
        let failed = |source| Error::Read { name: format!("'{}'", path.display()), source };
        // A proxy makes its trace when it begins.
        let is_there = path.exists();
        let lines = Follow::from_start(path, !is_there).map_err(failed)?;
        let mut reader = Self { lines, path: path.to_owned(), files: None, number: 0 };
        if is_there {
            reader.read(inspected).map_err(failed)?;
            reader.lines.go_on();
        }
        Ok(reader)
    }

    /// Reads what comes.
    fn go_on(mut self, inspected: &Arc<Inspected>) {
        let inspected = Arc::clone(inspected);
        std::thread::spawn(move || {
            if let Err(error) = self.read(&inspected) {
                // The page stays with what there is; where nobody reads this, nobody can be told.
                let _ = tell(&format!("warning: '{}' can be read no longer: {error}", self.path.display()));
            }
        });
    }

    fn read(&mut self, inspected: &Inspected) -> io::Result<()> {
        while let Some(text) = self.lines.next_line()? {
            let (Some(line), Some((file, files, [begin, end]))) = (Line::of(&text), self.lines.place()) else { continue };
            if self.files != Some(files) {
                give_up_files(inspected)?;
                let file = Arc::new(again(file, &self.path)?);
                self.number = inspected.with(|recording| recording.add_file(file));
                self.files = Some(files);
            }
            let span = Span { file: self.number, at: begin, len: end - begin };
            inspected.with(|recording| recording.add(line, span));
        }
        Ok(())
    }
}

/// Gives up files that were removed, which would go on taking room on the disk, and the oldest ones of many.
fn give_up_files(inspected: &Inspected) -> io::Result<()> {
    while let Some((oldest, count)) = inspected.with(|recording| recording.oldest_file()) {
        if count < MOST_FILES && !is_removed(&oldest)? {
            break;
        }
        inspected.with(Recording::drop_oldest_file);
    }
    Ok(())
}

#[cfg(unix)]
fn is_removed(file: &File) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) == 0)
}

/// Where files do not tell, their number alone counts.
#[cfg(not(unix))]
fn is_removed(_: &File) -> io::Result<bool> {
    Ok(false)
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
