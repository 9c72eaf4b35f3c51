//! A result as a program gets it: one text, or a value.

use std::borrow::Cow;

use serde_json::json;
use snugfit_engine::{Call as Reading, Notice, Options};
use snugfit_recovery::{Error, Session, wtf8};

use super::envelope::Envelope;
use super::fit::{Call, options};
use super::rules::surely_holds;
use crate::config::{Handling, Mode, ToolPolicy};

/// What a program asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A text.
    Text,
    /// A value as JSON, all of it.
    Typed,
}

/// What it gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Given {
    /// The result.
    Result(String),
    /// What went wrong, and the code of an error of ours.
    Failed { message: String, code: Option<&'static str> },
    /// A part, in the place of a value, and the notice of what is missing as JSON.
    Preview { preview: String, notice: serde_json::Value },
}

/// A result for a program, the JSON text of a `CallToolResult`. What is over the budget is condensed, its original kept in a file whose path
/// is `before`, an id and `.json`. Not for the threads that move messages.
pub(crate) fn for_program(result: &str, form: Form, rules: &ToolPolicy, call: Call, originals: &Session, before: &str) -> Given {
    let Some(mut envelope) = Envelope::parse(result) else { return Given::Result(result.to_owned()) };
    let structured = envelope.structured();
    let (is_error, is_plain, is_empty) = (envelope.is_error(), envelope.is_plain(), envelope.is_empty());
    let mut texts = envelope.take_texts();
    let text = if texts.len() == 1 { texts.swap_remove(0) } else { texts.join(&b'\n') };
    let text: Cow<'_, [u8]> = match (form, structured) {
        _ if is_error => return failed(if text.is_empty() { result.as_bytes() } else { &text }, rules),
        (Form::Typed, Some(structured)) => structured.as_bytes().into(),
        (Form::Typed, None) if !is_plain => {
            let message = "the result has no structured content, but more beside its text: call the function that returns text".to_owned();
            return Given::Failed { message, code: Some("INVALID_ANSWER") };
        }
        // A picture cannot be condensed, and half of one is none.
        (Form::Text, _) if !is_plain => return Given::Result(result.to_owned()),
        (Form::Text, structured) if is_empty => structured.unwrap_or_default().as_bytes().into(),
        _ => text.into(),
    };
    if rules.mode == Mode::Off || surely_holds(&rules.budget, text.len()) {
        return Given::Result(wtf8::decode(&text).0.into_owned());
    }
    let mut options = options(rules, call);
    if let Some(Notice { recovery: Some(recovery), .. }) = &mut options.notice {
        recovery.call = Reading::File(before.to_owned());
    }
    let outcome = match originals.fit_text(&text, result.as_bytes(), options) {
        Ok(outcome) => outcome,
        Err(error) => return Given::from(&error),
    };
    match (form, outcome.text, outcome.response_id) {
        (_, None, _) => Given::Result(wtf8::decode(&text).0.into_owned()),
        (Form::Typed, Some(preview), Some(id)) => {
            let file = format!("{before}{id}.json");
            let message = format!("the value is larger than its budget: the complete result, an MCP CallToolResult, is in {file}");
            Given::Preview { preview, notice: json!({ "complete": false, "message": message, "original_response_file": file }) }
        }
        (_, Some(text), _) => Given::Result(text),
    }
}

/// What an error says, within the budget. Nothing of it is kept.
fn failed(text: &[u8], rules: &ToolPolicy) -> Given {
    let shortened = if rules.mode == Mode::Off || rules.errors == Handling::Keep || surely_holds(&rules.budget, text.len()) {
        Ok(None)
    } else {
        let options = Options { notice: Some(Notice::default()), ..Options::new(rules.budget) };
        Session::without_store().fit(text.to_vec(), options).map(|outcome| outcome.text)
    };
    match shortened {
        Ok(shortened) => Given::Failed { message: shortened.unwrap_or_else(|| wtf8::decode(text).0.into_owned()), code: None },
        Err(error) => Given::from(&error),
    }
}

impl From<&Error> for Given {
    fn from(error: &Error) -> Self {
        Self::Failed { message: error.to_string(), code: Some(error.code()) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use snugfit_engine::Budget;
    use snugfit_recovery::Limits;

    use super::*;
    use crate::config::Structured;

    fn given(result: &Value, form: Form) -> Given {
        let rules = ToolPolicy {
            mode: Mode::Condense,
            budget: Budget::chars(2000),
            structured: Structured::Auto,
            errors: Handling::Fit,
            multimodal: Handling::Fit,
        };
        let originals = Session::in_memory(Limits::default()).expect("limits");
        for_program(&result.to_string(), form, &rules, Call::default(), &originals, "/files/response-")
    }

    #[test]
    fn a_program_gets_one_text_or_a_value() {
        let text = |text: &str| json!({ "type": "text", "text": text });
        let image = json!({ "content": [{ "type": "image", "data": "A".repeat(5000), "mimeType": "image/png" }, text("a")] });
        let result = |text: &str| Given::Result(text.to_owned());
        let failed = |message: &str| Given::Failed { message: message.to_owned(), code: None };
        for (name, envelope, as_text, as_value) in [
            ("texts", json!({ "content": [text("a"), text("b")] }), result("a\nb"), result("a\nb")),
            (
                "a value beside a text",
                json!({ "content": [text("a")], "structuredContent": { "n": 1 } }),
                result("a"),
                result(r#"{"n":1}"#),
            ),
            ("a value alone", json!({ "content": [], "structuredContent": { "n": 1 } }), result(r#"{"n":1}"#), result(r#"{"n":1}"#)),
            ("an error", json!({ "content": [text("gone")], "isError": true }), failed("gone"), failed("gone")),
            ("no envelope", json!({ "task": {} }), result(r#"{"task":{}}"#), result(r#"{"task":{}}"#)),
        ] {
            assert_eq!((given(&envelope, Form::Text), given(&envelope, Form::Typed)), (as_text, as_value), "{name}");
        }
        assert_eq!(given(&image, Form::Text), Given::Result(image.to_string()), "a picture is given whole");
        assert!(matches!(given(&image, Form::Typed), Given::Failed { code: Some("INVALID_ANSWER"), .. }));
    }

    #[test]
    fn what_is_cut_names_the_file_of_the_original() {
        let lines = |n: usize| (0..n).map(|n| format!("line {n} of many")).collect::<Vec<_>>();
        let value = json!({ "lines": lines(1000) });
        let envelope = json!({ "content": [{ "type": "text", "text": value.to_string() }], "structuredContent": value });
        let Given::Result(preview) = given(&envelope, Form::Text) else { panic!("a preview") };
        assert!(preview.chars().count() <= 2000 && preview.contains(r#""original_response_file":"/files/response-"#), "{preview}");
        assert!(!preview.contains("response_id"), "{preview}");
        let Given::Preview { preview, notice } = given(&envelope, Form::Typed) else { panic!("a preview") };
        let file = notice["original_response_file"].as_str().expect("a file");
        assert!(preview.contains(file) && notice["message"].as_str().is_some_and(|message| message.contains(file)), "{preview}");
        let failed = json!({ "content": [{ "type": "text", "text": lines(1000).join("\n") }], "isError": true });
        let Given::Failed { message, code: None } = given(&failed, Form::Text) else { panic!("an error") };
        assert!(message.chars().count() <= 2000 && !message.contains("/files/"), "{message}");
    }
}
