//! What kind of content a text is: cheap tests on a bounded sample.

/// The kinds that are fitted each in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Json,
    Log,
    Text,
}

impl Kind {
    /// Whether a text of this kind may be JSON: a container, or one scalar.
    pub(crate) fn may_be_json(self, text: &str) -> bool {
        self == Self::Json || text.trim_start_matches('\u{feff}').trim_start().starts_with(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    }

    /// The name that reports give.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Log => "log",
            Self::Text => "text",
        }
    }
}

/// The kind of `text`. That it looks like JSON is no promise that it scans.
pub(crate) fn detect(text: &str) -> Kind {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with(['{', '[']) {
        return Kind::Json;
    }
    if text.lines().take(50).count() >= 8 { Kind::Log } else { Kind::Text }
}
