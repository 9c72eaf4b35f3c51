//! Parsers of what servers and clients send, as only the fuzz targets see them.

use reqwest::header::{HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use tokio::runtime::Builder;

use crate::config::Config;
use crate::lines::{Line, Lines};
use crate::mirror::decoded;
use crate::oauth::Challenge;
use crate::observe::Redactor;
use crate::upstream::EventParser;

/// The name and data of all events of a stream that comes in pieces of so many bytes; `None` where one is above the limit.
#[must_use]
pub fn events(stream: &[u8], piece: usize, limit: usize) -> Option<Vec<(String, Vec<u8>)>> {
    let mut parser = EventParser::new(limit);
    let mut events = Vec::new();
    for piece in stream.chunks(piece.max(1)) {
        events.extend(parser.push(piece).ok()?.into_iter().map(|event| (event.name, event.data)));
    }
    Some(events)
}

/// The lines of a stream that are not blank, those above the limit as `None`, and what comes after the last.
#[must_use]
pub fn lines(stream: &[u8], limit: usize) -> (Vec<Option<Vec<u8>>>, Vec<u8>) {
    let (mut all, mut lines) = (Vec::new(), Lines::new(stream, limit));
    let Ok(runtime) = Builder::new_current_thread().build() else { return Default::default() };
    while let Ok(Some(line)) = runtime.block_on(lines.next()) {
        match line {
            Line::Whole(line) => all.push(Some(line)),
            Line::TooLong(..) => all.push(None),
            Line::Broken(rest) => return (all, rest),
        }
    }
    (all, Vec::new())
}

/// What a header says of a login, and the text that one stands for: where it describes itself, the scopes, the text.
#[must_use]
pub fn header(value: &[u8]) -> [Option<String>; 3] {
    let Ok(value) = HeaderValue::from_bytes(value) else { return Default::default() };
    let text = value.to_str().ok().and_then(decoded).map(String::from);
    let Challenge { resource_metadata, scope } = Challenge::of(&HeaderMap::from_iter([(WWW_AUTHENTICATE, value.clone())]));
    [resource_metadata, scope, text]
}

/// What strikes the secrets of a configuration out.
#[derive(Debug)]
pub struct Struck(Redactor);

impl Struck {
    /// Knows the secrets of `config`.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self(Redactor::new(config))
    }

    /// A text without secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        self.0.text(text).into_owned()
    }

    /// JSON text without secrets; `None` where it cannot be read.
    #[must_use]
    pub fn json(&self, json: &str) -> Option<String> {
        self.0.json(json)
    }
}
