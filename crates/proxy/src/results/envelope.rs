//! A `CallToolResult`, as far as fitting concerns it; the rest stays as it was written.

use crate::rpc::{Object, decode, items_of_json, quote};

/// A result, one level deep, and its content blocks.
#[derive(Clone)]
pub(super) struct Envelope<'a> {
    result: Object<'a>,
    blocks: Vec<Block<'a>>,
    /// Blocks of ours, as JSON text.
    added: Vec<String>,
}

/// A content block.
#[derive(Clone)]
struct Block<'a> {
    json: &'a str,
    /// The text of one that counts.
    text: Option<Vec<u8>>,
    media: bool,
    /// It is a text, whoever that is for.
    plain: bool,
}

impl<'a> Envelope<'a> {
    /// Reads a result, the JSON of which was read as part of its message; `None` where it is none with content, such as that of a task.
    pub(super) fn parse(json: &'a str) -> Option<Self> {
        let result = Object::of_json(json)?;
        let blocks = items_of_json(result.written("content")?)?.into_iter().map(Block::parse).collect();
        Some(Self { result, blocks, added: Vec::new() })
    }

    pub(super) fn is_error(&self) -> bool {
        self.result.bool("isError") == Some(true)
    }

    /// Whether there is an image, audio or an embedded resource.
    pub(super) fn has_media(&self) -> bool {
        self.blocks.iter().any(|block| block.media)
    }

    /// Whether there is nothing but text.
    pub(super) fn is_plain(&self) -> bool {
        self.blocks.iter().all(|block| block.plain)
    }

    /// Whether there are no blocks.
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Takes the texts that count, in order.
    pub(super) fn take_texts(&mut self) -> Vec<Vec<u8>> {
        self.blocks.iter_mut().filter_map(|block| block.text.as_mut().map(std::mem::take)).collect()
    }

    /// The structured content as it was written.
    pub(super) fn structured(&self) -> Option<&'a str> {
        self.result.written("structuredContent").filter(|json| *json != "null")
    }

    /// Adds a text block of ours at the end.
    pub(super) fn add_text(&mut self, text: &str) {
        self.added.push(format!(r#"{{"type":"text","text":{}}}"#, quote(text)));
    }

    /// Takes the structured content out.
    pub(super) fn drop_structured(&mut self) {
        self.result.remove("structuredContent");
    }

    /// Replaces the structured content.
    pub(super) fn set_structured(&mut self, json: String) {
        self.result.set("structuredContent", json);
    }

    /// The result with other texts in place of its own (`None` leaves one as it is) and with a notice: an object for `_meta.truncation`, and
    /// the text of one more block.
    pub(super) fn with_texts(mut self, texts: &[Option<String>], notice: Option<&(String, String)>) -> String {
        let mut texts = texts.iter();
        let mut content: Vec<String> = Vec::with_capacity(self.blocks.len() + 1);
        for block in &self.blocks {
            let new = if block.text.is_some() { texts.next().and_then(Option::as_ref) } else { None };
            content.push(match new {
                None => block.json.to_owned(),
                Some(text) => {
                    let mut object = Object::of_json(block.json).unwrap_or_default();
                    object.set("text", quote(text));
                    object.to_string()
                }
            });
        }
        if let Some((meta, block)) = notice {
            self.add_text(block);
            let mut own = self.result.object("_meta").unwrap_or_default();
            // A `truncation` of the server's own is never touched; the block says the same.
            if own.get("truncation").is_none() {
                own.set("truncation", meta.clone());
            }
            let own = own.to_string();
            self.result.set("_meta", own);
        }
        content.append(&mut self.added);
        self.result.set("content", format!("[{}]", content.join(",")));
        self.result.to_string()
    }
}

/// The text of the first text block of a result.
pub(crate) fn first_text(result: &str) -> Option<String> {
    let text = Envelope::parse(result)?.take_texts().into_iter().next()?;
    Some(String::from_utf8(text).unwrap_or_else(|text| snugfit_recovery::wtf8::decode(text.as_bytes()).0.into_owned()))
}

/// A later page of a result: its first text alone, replaced. What else there was came with the first page.
pub(crate) fn with_first_text(result: &str, text: &str) -> String {
    let Some(mut envelope) = Envelope::parse(result) else { return result.to_owned() };
    envelope.drop_structured();
    let first = envelope.blocks.iter().position(|block| block.text.is_some());
    envelope.blocks = first.map(|at| envelope.blocks.swap_remove(at)).into_iter().collect();
    envelope.with_texts(&[Some(text.to_owned())], None)
}

impl<'a> Block<'a> {
    fn parse(json: &'a str) -> Self {
        let block = Object::of_json(json).unwrap_or_default();
        let kind = block.str("type").unwrap_or_default();
        let media = matches!(kind.as_ref(), "image" | "audio" | "resource");
        let text = (kind == "text" && !is_for_the_user_alone(&block)).then(|| decode(block.get("text")?)).flatten();
        Self { json, text, media, plain: kind == "text" }
    }
}

/// Whether a block is meant for the user and not for the model.
fn is_for_the_user_alone(block: &Object<'_>) -> bool {
    let annotations = block.object("annotations");
    annotations.and_then(|annotations| Some(annotations.array("audience")? == ["\"user\""])).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_replaced_changes() {
        let json = r#"{"content":[{"type":"text","text":"a\ud800","annotations":{"priority":1.0}},{"type":"image","data":"AA==","mimeType":"image/png"},
            {"type":"text","text":"for the user","annotations":{"audience":["user"]}},{"type":"text","text":"b"}],"x-new":[1e400],"_meta":{"k":1}}"#;
        let mut envelope = Envelope::parse(json).expect("an envelope");
        assert_eq!(envelope.take_texts(), [b"a\xed\xa0\x80".to_vec(), b"b".to_vec()]);
        assert!(envelope.has_media() && !envelope.is_error() && envelope.structured().is_none());
        let notice = (r#"{"complete":false}"#.to_owned(), "cut".to_owned());
        assert_eq!(
            envelope.with_texts(&[None, Some("\"new\"".to_owned())], Some(&notice)),
            r#"{"content":[{"type":"text","text":"a\ud800","annotations":{"priority":1.0}},{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"text","text":"for the user","annotations":{"audience":["user"]}},{"type":"text","text":"\"new\""},{"type":"text","text":"cut"}],"x-new":[1e400],"_meta":{"k":1,"truncation":{"complete":false}}}"#
        );
    }

    #[test]
    fn what_has_no_content_is_none() {
        for json in [r#"{"task":{"taskId":"1"}}"#, "[]", r#"{"content":"text"}"#, "{"] {
            assert!(Envelope::parse(json).is_none(), "{json}");
        }
    }
}
