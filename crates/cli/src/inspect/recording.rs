//! The calls of a recording: what is known of each, and where in the file its payloads are. They stay in the file until somebody looks.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use super::lists::Lists;
use crate::trace::line::Line;

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

/// A request of a client: its session and its id, which other sessions have as well.
type Key = (String, String);

/// The calls of a recording, in the order in which they were answered.
#[derive(Default)]
pub(super) struct Recording {
    /// The files that are open, and how many there were before them.
    files: VecDeque<Arc<File>>,
    gone: usize,
    pub(super) calls: Vec<Arc<Call>>,
    /// Calls that were one too many.
    pub(super) later: usize,
    /// Requests of clients, and answers of servers to them.
    asked: HashMap<Key, Span>,
    open: HashMap<Key, Call>,
    pub(super) lists: Lists,
}

impl Recording {
    /// Another file; the spans of its lines name it by its number.
    pub(super) fn add_file(&mut self, file: Arc<File>) -> usize {
        self.files.push_back(file);
        self.gone + self.files.len() - 1
    }

    /// The oldest file that is open, and how many there are.
    pub(super) fn oldest_file(&self) -> Option<(Arc<File>, usize)> {
        Some((Arc::clone(self.files.front()?), self.files.len()))
    }

    /// Gives up the oldest file: its calls stay, without their payloads.
    pub(super) fn drop_oldest_file(&mut self) {
        self.gone += usize::from(self.files.pop_front().is_some());
    }

    /// Takes a line of a trace.
    pub(super) fn add(&mut self, line: Line<'_>, span: Span) {
        match (line.method.as_str(), line.dir.as_str(), &line.upstream) {
            ("tools/list", ..) => self.lists.add(&line, span),
            ("tools/call", "in", None) if self.asked.len() < MOST_OPEN => {
                self.asked.insert((line.session, line.id), span);
            }
            ("tools/call", "in", Some(_)) => self.answered(line, span),
            ("tools/call", "out", None) => self.sent(line, span),
            _ => {}
        }
    }

    /// A server answered.
    fn answered(&mut self, line: Line<'_>, span: Span) {
        let tokens = line.bytes.div_ceil(3);
        let key = line.call.map(|id| (line.session, id));
        let call = Call {
            time: line.time,
            server: line.upstream.unwrap_or_default(),
            tool: line.name.unwrap_or_default(),
            ok: line.ok.unwrap_or(true),
            ms: line.dur_ms.unwrap_or_default(),
            before: line.tokens_before.unwrap_or(tokens),
            after: line.tokens_after.or(line.tokens_before).unwrap_or(tokens),
            asked: key.as_ref().and_then(|key| self.asked.get(key).copied()),
            answered: span,
            sent: None,
        };
        match key {
            Some(key) if self.open.len() < MOST_OPEN => {
                self.open.insert(key, call);
            }
            _ => self.keep(call),
        }
    }

    /// A client was answered.
    fn sent(&mut self, line: Line<'_>, span: Span) {
        let key = (line.session, line.id);
        self.asked.remove(&key);
        let Some(mut call) = self.open.remove(&key) else { return };
        call.ok = line.ok.unwrap_or(call.ok);
        call.before = line.tokens_before.unwrap_or(call.before);
        call.after = line.tokens_after.unwrap_or_else(|| line.bytes.div_ceil(3));
        call.sent = Some(span);
        self.keep(call);
    }

    fn keep(&mut self, call: Call) {
        if self.calls.len() < MOST_CALLS {
            self.calls.push(Arc::new(call));
        } else {
            self.later += 1;
        }
    }

    /// Where a piece can be read; nowhere if its file was given up.
    pub(super) fn piece(&self, span: Span) -> Option<Piece> {
        let file = self.files.get(span.file.checked_sub(self.gone)?)?;
        Some(Piece { file: Arc::clone(file), span })
    }

    /// The payloads of a call.
    pub(super) fn payloads(&self, call: &Call) -> Payloads {
        let piece = |span: Option<Span>| span.and_then(|span| self.piece(span));
        Payloads { asked: piece(call.asked), answered: self.piece(call.answered), sent: piece(call.sent) }
    }

    /// All lines that calls and lists are made of, in their order: a trace that can be opened again.
    pub(super) fn pieces(&self) -> Vec<Piece> {
        let of_calls = self.calls.iter().flat_map(|call| [call.asked, Some(call.answered), call.sent]).flatten();
        let mut spans: Vec<Span> = of_calls.chain(self.lists.spans()).collect();
        spans.sort_unstable();
        spans.dedup();
        spans.into_iter().filter_map(|span| self.piece(span)).collect()
    }
}

/// Where the payloads of a call can be read.
pub(super) struct Payloads {
    pub(super) asked: Option<Piece>,
    pub(super) answered: Option<Piece>,
    pub(super) sent: Option<Piece>,
}

/// A piece of a file that is open.
pub(super) struct Piece {
    file: Arc<File>,
    span: Span,
}

impl Piece {
    /// Its text.
    pub(super) fn read(&self) -> io::Result<String> {
        let mut bytes = vec![0; usize::try_from(self.span.len).map_err(io::Error::other)?];
        read_at(&self.file, self.span.at, &mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Reads without moving where others who have the file open read on.
#[cfg(unix)]
fn read_at(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut at: u64, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        at += read as u64;
        bytes = &mut bytes[read..];
    }
    Ok(())
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

    fn file() -> Arc<File> {
        Arc::new(File::open(std::env::current_exe().expect("a program")).expect("a file"))
    }

    fn recorded(lines: &[&str]) -> Recording {
        let mut recording = Recording::default();
        for (at, line) in lines.iter().enumerate() {
            recording.add(Line::of(line).expect(line), Span { file: 0, at: at as u64, len: 1 });
        }
        recording
    }

    #[test]
    fn a_call_is_put_together_from_its_lines() {
        let mut recording = recorded(&[
            r#"{"dir":"in","method":"tools/call","name":"s__a","id":"7","params":{}}"#,
            r#"{"dir":"out","upstream":"s","method":"tools/call","name":"a","id":"1","call":"7"}"#,
            r#"{"time":"T","dir":"in","upstream":"s","method":"tools/call","name":"a","id":"1","call":"7","ok":true,"durMs":2,"bytes":300}"#,
            r#"{"dir":"in","upstream":"s","method":"tools/call","name":"b","id":"2","ok":true,"bytes":30}"#,
            r#"{"dir":"out","method":"tools/call","id":"7","ok":true,"tokensBefore":100,"tokensAfter":40}"#,
        ]);
        let found: Vec<_> = recording.calls.iter().map(|call| (call.tool.as_str(), call.before, call.after)).collect();
        assert_eq!(found, [("b", 10, 10), ("a", 100, 40)], "one without an answer to the client is told at once");
        assert!(recording.pieces().is_empty(), "there is no file");
        recording.add_file(file());
        assert_eq!(recording.pieces().iter().map(|piece| piece.span.at).collect::<Vec<_>>(), [0, 2, 3, 4]);
        assert!(Line::of("{}").is_none() && Line::of("no").is_none());
    }

    #[test]
    fn calls_of_clients_that_use_the_same_ids_stay_apart() {
        let line = |session: &str, dir: &str, upstream: &str, more: &str| {
            format!(r#"{{"dir":"{dir}","session":"{session}",{upstream}"method":"tools/call","id":"1"{more}}}"#)
        };
        let server = r#""upstream":"s","#;
        let lines = [
            line("a", "in", "", r#","params":{"arguments":{}}"#),
            line("b", "in", "", r#","params":{"arguments":{}}"#),
            line("a", "in", server, r#","name":"of_a","call":"1","bytes":300"#),
            line("b", "in", server, r#","name":"of_b","call":"1","bytes":30"#),
            line("a", "out", "", r#","ok":true,"bytes":30"#),
            line("b", "out", "", r#","ok":false,"bytes":3"#),
        ];
        let recording = recorded(&lines.each_ref().map(String::as_str));
        let at = |span: Option<Span>| span.map(|span| span.at);
        let found: Vec<_> =
            recording.calls.iter().map(|call| (call.tool.as_str(), call.ok, at(call.asked), call.answered.at, at(call.sent))).collect();
        assert_eq!(found, [("of_a", true, Some(0), 2, Some(4)), ("of_b", false, Some(1), 3, Some(5))]);
    }

    #[test]
    fn calls_that_are_too_many_are_counted() {
        let line = r#"{"dir":"in","upstream":"s","method":"tools/call","name":"a","bytes":3}"#;
        let mut recording = recorded(&[]);
        for _ in 0..MOST_CALLS + 3 {
            recording.add(Line::of(line).expect("a line"), Span { file: 0, at: 0, len: 1 });
        }
        assert_eq!((recording.calls.len(), recording.later), (MOST_CALLS, 3));
    }

    #[test]
    fn what_was_in_a_file_that_was_given_up_is_nowhere() {
        let mut recording = Recording::default();
        let numbers = [recording.add_file(file()), recording.add_file(file())];
        recording.drop_oldest_file();
        let third = recording.add_file(file());
        assert_eq!((numbers, third), ([0, 1], 2));
        let is_there = |file| recording.piece(Span { file, at: 0, len: 1 }).is_some();
        assert_eq!([0, 1, 2, 3].map(is_there), [false, true, true, false]);
    }
}
