//! Results as TOON, where they are JSON and that is shorter.

use snugfit_recovery::wtf8;
use snugfit_toolset::toon::{Form, render};

use super::envelope::Envelope;

/// The result with its JSON texts as TOON; `None` where nothing changes. Errors and results with images stay as they are.
pub(crate) fn toonified(result: &str) -> Option<String> {
    let mut envelope = Envelope::parse(result)?;
    if envelope.is_error() || envelope.has_media() {
        return None;
    }
    let texts: Vec<Option<String>> = envelope.take_texts().into_iter().map(|text| render(&wtf8::decode(&text).0, Form::Toon)).collect();
    texts.iter().any(Option::is_some).then(|| envelope.with_texts(&texts, None))
}
