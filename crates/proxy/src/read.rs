//! Messages from the bytes that a transport framed.

use serde_json::value::RawValue;

use crate::rpc::Message;
use crate::work::{LARGE, Work};

/// The messages of one frame: one, or those of a batch. Large ones are parsed on a blocking thread, once there is memory for them.
pub(crate) async fn messages(frame: Vec<u8>, work: &Work) -> Vec<Result<Message, String>> {
    if frame.len() <= LARGE {
        return parse(frame);
    }
    let memory = work.memory(frame.len()).await;
    let mut messages = in_memory(frame, work).await;
    for message in messages.iter_mut().flatten() {
        message.hold(memory.clone());
    }
    messages
}

/// As [`messages`], where there is memory already.
pub(crate) async fn in_memory(frame: Vec<u8>, work: &Work) -> Vec<Result<Message, String>> {
    if frame.len() <= LARGE {
        return parse(frame);
    }
    work.run(move || parse(frame)).await.unwrap_or_else(|why| vec![Err(why)])
}

fn parse(frame: Vec<u8>) -> Vec<Result<Message, String>> {
    // What is no UTF-8 is replaced, so that whoever reads the message next can.
    let text = String::from_utf8(frame).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned());
    if !text.trim_start().starts_with('[') {
        return vec![Message::parse(text)];
    }
    match serde_json::from_str::<Vec<&RawValue>>(&text) {
        Ok(batch) if batch.is_empty() => vec![Err("an empty batch".to_owned())],
        Ok(batch) => batch.into_iter().map(|message| Message::parse(message.get().to_owned())).collect(),
        Err(error) => vec![Err(format!("not a JSON-RPC message: {error}"))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_frame_holds_one_message_or_a_batch() {
        let work = Work::new(1 << 20);
        for (frame, expected) in [
            (&br#"{"id":1,"method":"a"}"#[..], &[Some("a")][..]),
            (br#" [{"id":1,"method":"a"},{"method":"b"},3]"#, &[Some("a"), Some("b"), None]),
            (b"[]", &[None]),
            (b"[{\"id\":1", &[None]),
            (b"log line", &[None]),
            (b"{\"method\":\"\xff\"}", &[Some("\u{fffd}")]),
        ] {
            let found = messages(frame.to_vec(), &work).await;
            let methods: Vec<Option<&str>> = found.iter().map(|message| message.as_ref().ok().map(Message::method)).collect();
            assert_eq!(methods, expected);
        }
        let large = format!(r#"{{"id":1,"result":"{}"}}"#, "x".repeat(LARGE));
        assert_eq!(messages(large.clone().into_bytes(), &work).await[0].as_ref().map(Message::text), Ok(large.as_str()));
    }
}
