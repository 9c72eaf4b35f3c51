//! Fits one result.

use snugfit_engine::{Budget, Layout, Mode as Shape, Next, Notice, Options, PageOptions, Recovery, Unit, measure, page};
use snugfit_recovery::envelope::repeats;
use snugfit_recovery::{Allowance, Error, Session, Structured as Outcome, wtf8};

use super::envelope::Envelope;
use super::rules::surely_exceeds;
use crate::config::{Handling, Mode, Structured, ToolPolicy};
use crate::rpc::{Object, decode, quote};

/// The call whose result it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Call {
    /// The tool, as its server names it.
    pub(crate) tool: String,
    /// Its arguments as JSON text.
    pub(crate) arguments: String,
    /// What the recovery tool is called.
    pub(crate) recovery_tool: String,
    /// The tool that gives a result in full when it is asked to, where there is one.
    pub(crate) invoke_tool: Option<String>,
    /// The parameter that asks for the next page, where the tool takes one.
    pub(crate) cursor_param: Option<String>,
}

/// What became of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It stays as it was.
    Whole,
    /// It goes out as this JSON.
    Changed {
        result: String,
        /// Characters of text before and after.
        chars: (usize, usize),
        /// The id that recovers the original.
        response_id: Option<String>,
        is_error: bool,
    },
}

impl Fate {
    /// The id that recovers the original, where something is to be kept.
    pub(crate) fn response_id(&self) -> Option<&str> {
        match self {
            Self::Whole => None,
            Self::Changed { response_id, .. } => response_id.as_deref(),
        }
    }

    /// Whether what was changed is an error.
    pub(crate) fn is_error(&self) -> bool {
        matches!(self, Self::Changed { is_error: true, .. })
    }
}

/// Larger arguments are content rather than a question, and would only cost time.
const MOST_ARGUMENTS: usize = 64 << 10;

/// Fits a result, the JSON text of a `CallToolResult`, by the rules of its tool. Not for the threads that move messages.
pub(crate) fn fit(result: &str, rules: &ToolPolicy, call: Call, originals: &Session) -> Fate {
    let Some(Counted { mut envelope, texts, structured, drops }) = counted(result, rules) else { return Fate::Whole };
    let is_error = envelope.is_error();
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let counted = texts.iter().copied().chain(structured.map(str::as_bytes));
    let before: usize = counted.clone().map(chars).sum();
    if holds(&rules.budget, &counted) {
        if !drops {
            return Fate::Whole;
        }
        return Fate::Changed { result: envelope.with_texts(&[], None), chars: (before, before), response_id: None, is_error };
    }

    // Pages are of a lone text: where more would go with them, the notice of a preview says what is missing.
    if let (Some(param), [text]) = (&call.cursor_param, &texts[..])
        && structured.is_none_or(|structured| repeats(&[wtf8::decode(text).0.as_ref()], structured))
        && let Some(fate) = first_page(envelope.clone(), result, text, rules, param, originals)
    {
        return fate;
    }
    let full = call.invoke_tool.as_ref().map(|tool| {
        let message = format!("The original is too large to be kept: {tool} with full: true runs the tool again and returns everything.");
        format!(r#"{{"truncation":{{"complete":false,"message":{}}}}}"#, quote(&message))
    });
    let mut options = options(rules, call);
    let mut too_large = false;
    let fitted = originals.fit_blocks(&texts, structured.map(str::as_bytes), result.as_bytes(), options.clone());
    let fitted = match fitted {
        // There is no way back to it, and the notice says so.
        Err(Error::OriginalTooLarge { .. }) => {
            too_large = true;
            options.notice_chars = full.as_ref().map_or(0, String::len);
            Session::without_store().fit_blocks(&texts, structured.map(str::as_bytes), Vec::new(), options)
        }
        other => other,
    };
    match fitted {
        Ok(outcome) => {
            let mut after = outcome.blocks.report.output_chars;
            match outcome.structured {
                // All texts fit beside each other, so what did not fit beside them says the same again.
                Outcome::Kept
                    if structured.is_some() && outcome.response_id.is_none() && outcome.blocks.texts.iter().all(Option::is_none) =>
                {
                    envelope.drop_structured();
                }
                Outcome::Kept => {}
                Outcome::Repeats => envelope.drop_structured(),
                Outcome::Fitted(json) => envelope.set_structured(json),
            }
            if after == 0 {
                after = before;
            }
            if let Some(notice) = full.filter(|_| too_large) {
                envelope.add_text(&notice);
            }
            let result = envelope.with_texts(&outcome.blocks.texts, outcome.blocks.notice.as_ref());
            Fate::Changed { result, chars: (before, after), response_id: outcome.response_id, is_error }
        }
        Err(error) => Fate::Changed { result: failure(&error.to_string()), chars: (before, 0), response_id: None, is_error: true },
    }
}

/// A result, and what of it counts against the budget.
struct Counted<'a> {
    envelope: Envelope<'a>,
    texts: Vec<Vec<u8>>,
    structured: Option<&'a str>,
    /// There was a structured part, which goes.
    drops: bool,
}

/// Takes a result apart; `None` where it passes as it is.
fn counted<'a>(result: &'a str, rules: &ToolPolicy) -> Option<Counted<'a>> {
    let mut envelope = Envelope::parse(result)?;
    if rules.mode == Mode::Off
        || (envelope.is_error() && rules.errors == Handling::Keep)
        || (envelope.has_media() && rules.multimodal == Handling::Keep)
    {
        return None;
    }
    // A structured part that is all there is cannot be dropped: it is fitted.
    let texts = envelope.take_texts();
    let drops = rules.structured == Structured::Drop && envelope.structured().is_some() && !texts.is_empty();
    let counts = rules.structured != Structured::Keep && !drops;
    let structured = envelope.structured().filter(|_| counts);
    if drops {
        envelope.drop_structured();
    }
    Some(Counted { envelope, texts, structured, drops })
}

/// What a result needs of an allowance; `None` where nothing of it counts. Not for the threads that move messages.
pub(crate) fn demand(result: &str, rules: &ToolPolicy, allowance: Allowance) -> Option<usize> {
    let Counted { texts, structured, .. } = counted(result, rules)?;
    let texts: Vec<_> = texts.iter().map(|text| wtf8::decode(text).0).collect();
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).chain(structured).collect();
    Some(allowance.demand(&texts, &rules.budget))
}

/// The first page of a result with a single text; `None` where it has no pages. Others follow when the tool is called with the cursor.
fn first_page(mut envelope: Envelope<'_>, result: &str, text: &[u8], rules: &ToolPolicy, param: &str, originals: &Session) -> Option<Fate> {
    let (text, _) = wtf8::decode(text);
    let options = PageOptions { next: Next::Again { param: param.to_owned() }, ..PageOptions::default() };
    let page = page(&text, &rules.budget, &options).ok()?;
    let is_error = envelope.is_error();
    if rules.structured != Structured::Keep {
        envelope.drop_structured();
    }
    let response_id = if page.whole { None } else { originals.keep(result.as_bytes()).ok().flatten() };
    let chars = (measure(&text, Unit::Chars), measure(&page.text, Unit::Chars));
    let texts = [(!page.whole).then_some(page.text)];
    Some(Fate::Changed { result: envelope.with_texts(&texts, None), chars, response_id, is_error })
}

/// Shortens the message of an error, the JSON of an error object, to the budget. Nothing of it is kept.
pub(crate) fn fit_error(error: &str, budget: &Budget) -> Option<String> {
    let mut object = Object::parse(error).ok()?;
    let message = decode(object.get("message")?)?;
    let options = Options { notice: Some(Notice::default()), ..Options::new(*budget) };
    let fitted = Session::without_store().fit(message, options).ok()?.text?;
    object.set("message", quote(&fitted));
    Some(object.to_string())
}

/// A result that says what went wrong, for the model to act on.
pub(crate) fn failure(message: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":{}}}],"isError":true}}"#, quote(message))
}

pub(super) fn options(rules: &ToolPolicy, call: Call) -> Options {
    let Call { tool, arguments, recovery_tool, .. } = call;
    Options {
        tool_name: tool,
        arguments: if arguments.len() > MOST_ARGUMENTS { String::new() } else { arguments },
        notice: Some(Notice { recovery: Some(Recovery { tool: recovery_tool, ..Recovery::default() }), ..Notice::default() }),
        // Clients that cut long lines find one record on each.
        layout: Layout::Lines,
        mode: match rules.mode {
            Mode::Page => Shape::Page,
            Mode::Trim => Shape::Trim,
            Mode::Condense | Mode::Off => Shape::Condense,
        },
        ..Options::new(rules.budget)
    }
}

/// The characters of a text in WTF-8.
fn chars(text: &[u8]) -> usize {
    measure(&wtf8::decode(text).0, Unit::Chars)
}

/// Whether texts are within the budget together.
fn holds<'t>(budget: &Budget, texts: &(impl Iterator<Item = &'t [u8]> + Clone)) -> bool {
    if surely_exceeds(budget, texts.clone().map(<[u8]>::len).sum()) {
        return false;
    }
    budget.limits().all(|(unit, limit)| texts.clone().map(|text| measure(&wtf8::decode(text).0, unit)).sum::<usize>() <= limit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use snugfit_recovery::{Limits, RECOVERY_TOOL};

    use super::*;

    fn policy(chars: usize) -> ToolPolicy {
        ToolPolicy {
            mode: Mode::Condense,
            budget: Budget::chars(chars),
            structured: Structured::Auto,
            errors: Handling::Fit,
            multimodal: Handling::Fit,
        }
    }

    fn call() -> Call {
        Call { tool: "list".to_owned(), recovery_tool: RECOVERY_TOOL.to_owned(), ..Call::default() }
    }

    fn records(n: usize) -> Value {
        let record = |n: usize| json!({ "id": n, "title": format!("Record {n}"), "body": "some words ".repeat(10) });
        json!({ "records": (0..n).map(record).collect::<Vec<_>>() })
    }

    fn text(value: &Value) -> Value {
        json!({ "type": "text", "text": value.to_string() })
    }

    /// The result that goes out, and how many characters of it count.
    fn outcome(result: &Value, rules: &ToolPolicy) -> (Value, usize) {
        let session = Session::in_memory(Limits::default()).expect("limits");
        let out = match fit(&result.to_string(), rules, call(), &session) {
            Fate::Whole => result.clone(),
            Fate::Changed { result, .. } => serde_json::from_str(&result).expect("JSON"),
        };
        let texts = out["content"].as_array().expect("content").iter();
        let for_all = texts.filter(|block| block["annotations"]["audience"] != json!(["user"]));
        let mut size: usize = for_all.filter_map(|block| block["text"].as_str()).map(|text| text.chars().count()).sum();
        if rules.structured != Structured::Keep {
            size += out.get("structuredContent").map_or(0, |part| part.to_string().chars().count());
        }
        (out, size)
    }

    #[test]
    fn settings_say_what_becomes_of_each_part() {
        let large = records(200);
        let both = json!({ "content": [text(&large)], "structuredContent": large });
        let richer = json!({ "content": [{ "type": "text", "text": "found 200" }], "structuredContent": large });
        let failed = json!({ "content": [text(&large)], "isError": true });
        let image = json!({ "content": [{ "type": "image", "data": "AA==", "mimeType": "image/png" }, text(&large)] });
        let base = policy(2000);
        type Case<'c> = (&'c str, &'c Value, ToolPolicy, &'c dyn Fn(&Value) -> bool);
        let cases: [Case<'_>; 9] = [
            ("a repetition goes", &both, base, &|out| out.get("structuredContent").is_none()),
            ("a richer part is fitted", &richer, base, &|out| out["structuredContent"]["truncation"]["complete"] == json!(false)),
            ("keep", &both, ToolPolicy { structured: Structured::Keep, ..base }, &|out| out["structuredContent"] == large),
            ("drop", &both, ToolPolicy { structured: Structured::Drop, ..base }, &|out| out.get("structuredContent").is_none()),
            ("an error stays one", &failed, base, &|out| out["isError"] == json!(true) && *out != failed),
            ("errors: keep", &failed, ToolPolicy { errors: Handling::Keep, ..base }, &|out| *out == failed),
            ("an image stays", &image, base, &|out| out["content"][0] == image["content"][0] && *out != image),
            ("multimodal: keep", &image, ToolPolicy { multimodal: Handling::Keep, ..base }, &|out| *out == image),
            ("off", &both, ToolPolicy { mode: Mode::Off, ..base }, &|out| *out == both),
        ];
        for (name, result, rules, holds) in cases {
            let (out, _) = outcome(result, &rules);
            assert!(holds(&out), "{name}: {out}");
        }
    }

    #[test]
    fn an_original_that_cannot_be_kept_still_gives_a_preview() {
        let session = Session::in_memory(Limits { bytes: 1000, ..Limits::default() }).expect("limits");
        let result = json!({ "content": [text(&records(200))] }).to_string();
        let invoke = Call { invoke_tool: Some("invoke_tool".to_owned()), ..call() };
        for (call, named) in [(call(), false), (invoke, true)] {
            let Fate::Changed { result, response_id, .. } = fit(&result, &policy(2000), call, &session) else { panic!("it is too large") };
            assert_eq!(response_id, None);
            assert!(!result.contains("response_id"), "{result}");
            assert_eq!(result.contains("invoke_tool with full: true"), named, "{result}");
            let out: Value = serde_json::from_str(&result).expect("JSON");
            let size: usize =
                out["content"].as_array().expect("content").iter().filter_map(|block| block["text"].as_str()).map(str::len).sum();
            assert!(size <= 2000, "{size}");
        }
    }

    #[test]
    fn a_long_error_message_is_shortened() {
        let error = format!(r#"{{"code":-32000,"message":"first\n{}last","data":[1.0]}}"#, "at frame\\n".repeat(1000));
        let fitted = fit_error(&error, &Budget::chars(600)).expect("too long");
        let fitted: Value = serde_json::from_str(&fitted).expect("JSON");
        let message = fitted["message"].as_str().expect("a message");
        assert!(message.chars().count() <= 600 && message.starts_with("first") && message.contains("last"), "{message}");
        assert_eq!((&fitted["code"], &fitted["data"]), (&json!(-32000), &json!([1.0])));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_result_is_over_its_budget(
            sizes in proptest::collection::vec((0usize..60, 0usize..4), 1..4),
            structured in proptest::option::of(0usize..60),
            chars in 600usize..5000,
            mode in prop_oneof![Just(Mode::Condense), Just(Mode::Trim), Just(Mode::Page)],
            setting in prop_oneof![Just(Structured::Auto), Just(Structured::Keep), Just(Structured::Drop)],
        ) {
            let block = |&(n, kind): &(usize, usize)| match kind {
                0 => text(&records(n)),
                1 => json!({ "type": "text", "text": "a line of a log\n".repeat(n * 8) }),
                2 => json!({ "type": "text", "text": "for the user", "annotations": { "audience": ["user"] } }),
                _ => json!({ "type": "image", "data": "A".repeat(n * 100), "mimeType": "image/png" }),
            };
            let mut result = json!({ "content": sizes.iter().map(block).collect::<Vec<_>>() });
            if let Some(n) = structured {
                result["structuredContent"] = records(n);
            }
            let rules = ToolPolicy { mode, structured: setting, ..policy(chars) };
            let (out, size) = outcome(&result, &rules);
            prop_assert!(size <= chars, "{} > {}: {}", size, chars, out);
        }
    }
}
