//! A line for each message that comes in or goes out.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::journal::Journal;
use super::line::Line;
use super::otel::Exporter;
use super::redact::Redactor;
use crate::log::{Level, Log};

/// Which way a message goes, seen from the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dir {
    In,
    Out,
}

/// What is told of a message.
#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    /// The session that it is of; nothing outside of all.
    pub(super) session: &'a str,
    /// The server at the other end; the client where there is none.
    pub(super) upstream: Option<&'a str>,
    pub(super) method: &'a str,
    /// The tool, prompt or resource that it is about.
    pub(super) name: Option<&'a str>,
    /// The JSON-RPC id, as it was written.
    pub(super) id: &'a str,
    /// The id of the client's request that a message to or from a server is about.
    pub(super) call: Option<&'a str>,
    pub(super) ok: Option<bool>,
    pub(super) took: Option<Duration>,
    pub(super) bytes: usize,
    /// Tokens of a result before it was fitted and after.
    pub(super) tokens: Option<(u64, u64)>,
    pub(super) msg: &'a str,
    /// What the message carries, under its key: JSON without secrets, if it is wanted.
    pub(super) payload: Option<(&'a str, String)>,
}

/// Where lines go.
#[derive(Debug)]
pub(super) enum Sink {
    Stderr(Log),
    File(Journal),
    Otlp(Arc<Exporter>),
}

/// The trace.
#[derive(Debug)]
pub(super) struct Trace {
    sink: Sink,
    /// Carry what messages carry.
    pub(super) payloads: bool,
    log: Log,
    failed: AtomicBool,
}

impl Trace {
    pub(super) fn new(sink: Sink, payloads: bool, log: Log) -> Self {
        Self { sink, payloads, log, failed: AtomicBool::new(false) }
    }

    pub(super) fn write(&self, dir: Dir, event: Event<'_>, redactor: &Redactor) {
        let Event { session, upstream, method, name, id, call, ok, took, bytes, tokens, msg, payload } = event;
        let name: Option<Cow<'_, str>> = name.map(|name| redactor.text(name));
        let id = Some(redactor.text(id)).filter(|id| !id.is_empty());
        let level = if ok == Some(false) { "warn" } else { "info" };
        let mut line = Line::now()
            .text("level", level)
            .text("dir", if dir == Dir::In { "in" } else { "out" })
            .maybe("upstream", upstream)
            .text("method", &redactor.text(method))
            .maybe("name", name.as_deref())
            .maybe("id", id.as_deref())
            .maybe("session", Some(session).filter(|session| !session.is_empty()))
            .maybe("call", call.map(|call| redactor.text(call)).as_deref());
        if let Some(ok) = ok {
            line = line.plain("ok", ok);
        }
        if let Some(took) = took {
            line = line.plain("durMs", super::millis(took));
        }
        line = line.plain("bytes", bytes);
        if let Some((before, after)) = tokens {
            line = line.plain("tokensBefore", before).plain("tokensAfter", after);
        }
        line = line.text("msg", &redactor.text(msg));
        if let Some((key, json)) = &payload {
            line = line.json(key, json);
        }
        let line = line.end();
        match &self.sink {
            Sink::Stderr(log) => log.line(Level::Error, line.trim_end()),
            Sink::Otlp(exporter) => exporter.log(level, line.trim_end()),
            Sink::File(journal) => {
                let written = journal.write(&line);
                // Said once for each time that it begins to fail.
                if let (Err(error), false) = (&written, self.failed.swap(written.is_err(), Ordering::Relaxed)) {
                    self.log.error(format_args!("the trace cannot be written: {error}"));
                }
            }
        }
    }

    pub(super) fn sync(&self) {
        if let Sink::File(journal) = &self.sink
            && let Err(error) = journal.sync()
        {
            self.log.error(format_args!("the trace cannot be written: {error}"));
        }
    }
}
