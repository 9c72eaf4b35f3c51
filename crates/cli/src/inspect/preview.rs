//! The original of a call and a preview of it, as people read them.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use snugfit_proxy::Replay;
use snugfit_proxy::config::Budget;

use super::align::{Original, Runs};
use super::recording::{Call, Payloads, Piece};
use crate::trace::line::Line;

/// A call whose payloads were read.
pub(super) struct Opened {
    server: String,
    tool: String,
    arguments: String,
    /// The result of the server, as JSON text.
    result: Option<String>,
    /// What the client was sent.
    sent: Option<String>,
    /// The result as people read it.
    pub(super) text: String,
    lines: Original,
}

/// A preview beside its original.
#[derive(Debug, Serialize)]
pub(super) struct Compared {
    text: String,
    /// Tokens by the high estimate.
    before: usize,
    after: usize,
    /// Lines of the original that are in the preview, and lines of the preview that are of the original.
    pub(super) kept: Runs,
    own: Runs,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult<'a> {
    #[serde(default)]
    content: Vec<Block>,
    #[serde(borrow)]
    structured_content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(default, rename = "type")]
    kind: String,
    text: Option<String>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl Opened {
    pub(super) fn new(call: &Call, payloads: &Payloads) -> io::Result<Self> {
        let read = |piece: &Option<Piece>| piece.as_ref().map(Piece::read).transpose();
        let result = read(&payloads.answered)?.as_deref().and_then(payload);
        let sent = read(&payloads.sent)?.as_deref().and_then(payload);
        let asked = read(&payloads.asked)?.unwrap_or_default();
        let params = Line::of(&asked).and_then(|line| line.params);
        let arguments = params.and_then(|params| serde_json::from_str::<Params<'_>>(params.get()).ok()?.arguments);
        let arguments = arguments.map(|arguments| arguments.get().to_owned()).unwrap_or_default();
        let text = result.as_deref().map(readable).unwrap_or_default();
        let lines = Original::new(&text);
        Ok(Self { server: call.server.clone(), tool: call.tool.clone(), arguments, result, sent, text, lines })
    }

    /// Whether the recording holds the payload.
    pub(super) fn is_whole(&self) -> bool {
        self.result.is_some()
    }

    /// The preview within a budget; without one, what the client was sent, or would have been.
    pub(super) fn compare(&self, replay: &Replay, budget: Option<&Budget>) -> Compared {
        let result = self.result.as_deref().unwrap_or_default();
        let sent = self.sent.as_deref().filter(|_| budget.is_none()).map(str::to_owned);
        let preview = sent.or_else(|| replay.preview(&self.server, &self.tool, &self.arguments, result, budget));
        let preview = preview.as_deref().unwrap_or(result);
        let text = readable(preview);
        let (kept, own) = self.lines.align(&text);
        Compared { text, before: tokens(result), after: tokens(preview), kept, own }
    }
}

/// The result in a line of a trace. What was too large to be traced is not in it.
fn payload(line: &str) -> Option<String> {
    let json = Line::of(line)?.result?.get();
    json.starts_with('{').then(|| json.to_owned())
}

/// What a model reads of a result: its texts, JSON of them indented. Other blocks are named.
fn readable(result: &str) -> String {
    let Ok(ToolResult { content, structured_content }) = serde_json::from_str(result) else {
        return snugfit_engine::render(result).unwrap_or_else(|| result.to_owned());
    };
    let blocks = content.into_iter().map(|block| match block.text {
        Some(text) => snugfit_engine::render(&text).filter(|_| text.trim_start().starts_with(['{', '['])).unwrap_or(text),
        None => format!("[{}]", block.kind),
    });
    let structured = structured_content.map(|json| {
        let json = json.get();
        format!("structuredContent\n{}", snugfit_engine::render(json).unwrap_or_else(|| json.to_owned()))
    });
    blocks.chain(structured).collect::<Vec<_>>().join("\n")
}

/// Tokens of what counts against a budget, by the high estimate.
pub(super) fn tokens(result: &str) -> usize {
    let Ok(ToolResult { content, structured_content }) = serde_json::from_str(result) else { return result.len().div_ceil(3) };
    let texts = content.iter().filter_map(|block| block.text.as_deref()).chain(structured_content.map(RawValue::get));
    texts.map(str::len).sum::<usize>().div_ceil(3)
}
