//! The calls of a recording: what is known of each, and where in the file its payloads are. They stay in the file until somebody looks.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::lists::Lists;

/// Calls that are kept; later ones are counted only.
const MOST_CALLS: usize = 100_000;
/// Calls that wait for their answer.
const MOST_OPEN: usize = 10_000;

/// A piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) file: usize,
    pub(super) at: u64,
    pub(super) len: u64,
}

/// What is known of a call; tokens are by the high estimate.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Call {
    pub(super) time: String,
    pub(super) server: String,
    pub(super) tool: String,
    ok: bool,
    ms: f64,
    before: u64,
    after: u64,
    /// The request of the client, the answer of the server, and the answer to the client, as lines of a trace.
    #[serde(skip)]
    pub(super) asked: Option<Span>,
    #[serde(skip)]
    pub(super) answered: Span,
    #[serde(skip)]
    pub(super) sent: Option<Span>,
}

/// A line of a trace, as far as it concerns us.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(default)]
    time: String,
    #[serde(default)]
    pub(super) dir: String,
    pub(super) upstream: Option<String>,
    #[serde(default)]
    pub(super) method: String,
    name: Option<String>,
    #[serde(default)]
    pub(super) id: String,
    /// The request of the client that a message of a server is about.
    call: Option<String>,
    ok: Option<bool>,
    dur_ms: Option<f64>,
    #[serde(default)]
    bytes: u64,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
}

/// The calls of a recording, in the order in which they were answered.
#[derive(Default)]
pub(super) struct Recording {
    files: Vec<Mutex<File>>,
    pub(super) calls: Vec<Call>,
    /// Requests of the client, and answers of servers to them, by the ids of the requests.
    asked: HashMap<String, Span>,
    open: HashMap<String, Call>,
    pub(super) lists: Lists,
}

impl Recording {
    /// Another file; the spans of its lines name it by its number.
    pub(super) fn add_file(&mut self, file: File) -> usize {
        self.files.push(Mutex::new(file));
        self.files.len() - 1
    }

    /// Takes a line of a trace; says whether it was one.
    pub(super) fn take(&mut self, text: &str, span: Span) -> bool {
        let Ok(line) = serde_json::from_str::<Line<'_>>(text) else { return false };
        match (line.method.as_str(), line.dir.as_str(), &line.upstream) {
            (_, "", _) => return false,
            ("tools/list", ..) => self.lists.take(&line, span),
            ("tools/call", "in", None) if self.asked.len() < MOST_OPEN => {
                self.asked.insert(line.id, span);
            }
            ("tools/call", "in", Some(_)) => self.answered(line, span),
            ("tools/call", "out", None) => self.sent(&line, span),
            _ => {}
        }
        true
    }

    /// A server answered.
    fn answered(&mut self, line: Line<'_>, span: Span) {
        let tokens = line.bytes.div_ceil(3);
        let call = Call {
            time: line.time,
            server: line.upstream.unwrap_or_default(),
            tool: line.name.unwrap_or_default(),
            ok: line.ok.unwrap_or(true),
            ms: line.dur_ms.unwrap_or_default(),
            before: line.tokens_before.unwrap_or(tokens),
            after: line.tokens_after.or(line.tokens_before).unwrap_or(tokens),
            asked: line.call.as_ref().and_then(|id| self.asked.get(id).copied()),
            answered: span,
            sent: None,
        };
        match line.call {
            Some(id) if self.open.len() < MOST_OPEN => {
                self.open.insert(id, call);
            }
            _ => self.add(call),
        }
    }

    /// The client was answered.
    fn sent(&mut self, line: &Line<'_>, span: Span) {
        self.asked.remove(&line.id);
        let Some(mut call) = self.open.remove(&line.id) else { return };
        call.ok = line.ok.unwrap_or(call.ok);
        call.before = line.tokens_before.unwrap_or(call.before);
        call.after = line.tokens_after.unwrap_or_else(|| line.bytes.div_ceil(3));
        call.sent = Some(span);
        self.add(call);
    }

    fn add(&mut self, call: Call) {
        if self.calls.len() < MOST_CALLS {
            self.calls.push(call);
        }
    }

    /// The text of a piece.
    pub(super) fn read(&self, span: Span) -> io::Result<String> {
        let Some(file) = self.files.get(span.file) else { return Err(io::ErrorKind::NotFound.into()) };
        let file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut bytes = vec![0; usize::try_from(span.len).map_err(io::Error::other)?];
        read_at(&file, span.at, &mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// All lines that calls and lists are made of, in their order: a trace that can be opened again.
    pub(super) fn spans(&self) -> Vec<Span> {
        let of_calls = self.calls.iter().flat_map(|call| [call.asked, Some(call.answered), call.sent]).flatten();
        let mut spans: Vec<Span> = of_calls.chain(self.lists.spans()).collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }
}

/// Reads without moving where others who have the file open read on.
#[cfg(unix)]
fn read_at(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    io::Seek::seek(&mut file, io::SeekFrom::Start(at))?;
    io::Read::read_exact(&mut file, bytes)
}

/// A line of a trace for a result that comes from somewhere else.
pub(super) fn line_of(upstream: &str, name: &str, result: &RawValue) -> serde_json::Result<String> {
    let text = result.get();
    let (bytes, tokens_before) = (text.len(), super::preview::tokens(text));
    let line = Written { dir: "in", upstream, method: "tools/call", name, bytes, tokens_before, result };
    Ok(format!("{}\n", serde_json::to_string(&line)?))
}

/// Such a line.
#[derive(Serialize)]
struct Written<'a> {
    dir: &'a str,
    upstream: &'a str,
    method: &'a str,
    name: &'a str,
    bytes: usize,
    #[serde(rename = "tokensBefore")]
    tokens_before: usize,
    result: &'a RawValue,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(recording: &mut Recording, lines: &[&str]) {
        for (at, line) in lines.iter().enumerate() {
            let span = Span { file: 0, at: at as u64, len: 1 };
            assert!(recording.take(line, span), "{line}");
        }
    }

    #[test]
    fn a_call_is_put_together_from_its_lines() {
        let mut recording = Recording::default();
        take(
            &mut recording,
            &[
                r#"{"dir":"in","method":"tools/call","name":"s__a","id":"7","params":{}}"#,
                r#"{"dir":"out","upstream":"s","method":"tools/call","name":"a","id":"1","call":"7"}"#,
                r#"{"time":"T","dir":"in","upstream":"s","method":"tools/call","name":"a","id":"1","call":"7","ok":true,"durMs":2,"bytes":300}"#,
                r#"{"dir":"in","upstream":"s","method":"tools/call","name":"b","id":"2","ok":true,"bytes":30}"#,
                r#"{"dir":"out","method":"tools/call","id":"7","ok":true,"tokensBefore":100,"tokensAfter":40}"#,
            ],
        );
        let found: Vec<_> = recording.calls.iter().map(|call| (call.tool.as_str(), call.before, call.after)).collect();
        assert_eq!(found, [("b", 10, 10), ("a", 100, 40)], "one without an answer to the client is told at once");
        let spans: Vec<u64> = recording.spans().iter().map(|span| span.at).collect();
        assert_eq!(spans, [0, 2, 3, 4]);
        assert!(!recording.take("{}", Span { file: 0, at: 0, len: 1 }) && !recording.take("no", Span { file: 0, at: 0, len: 1 }));
    }
}
