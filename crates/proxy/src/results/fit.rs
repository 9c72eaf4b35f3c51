//! Fits one result.

use snugfit_engine::{Budget, Layout, Mode as Shape, Next, Notice, Options, PageOptions, Recovery, measure, page};
use snugfit_recovery::{Error, Session, Structured as Outcome, wtf8};

use super::envelope::Envelope;
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

/// Larger arguments are content rather than a question, and would only cost time.
const MOST_ARGUMENTS: usize = 64 << 10;

/// Fits a result, the JSON text of a `CallToolResult`, by the rules of its tool. Not for the threads that move messages.
pub(crate) fn fit(result: &str, rules: &ToolPolicy, call: Call, originals: &Session) -> Fate {
    let Some(mut envelope) = Envelope::parse(result) else { return Fate::Whole };
    let is_error = envelope.is_error();
    if rules.mode == Mode::Off
        || (is_error && rules.errors == Handling::Keep)
        || (envelope.has_media() && rules.multimodal == Handling::Keep)
    {
        return Fate::Whole;
    }
    let structured = match rules.structured {
        Structured::Auto => envelope.structured().map(str::to_owned),
        Structured::Keep | Structured::Drop => None,
    };
    // Without any text, what is dropped would leave nothing.
    let drops = rules.structured == Structured::Drop && envelope.structured().is_some() && !envelope.texts().is_empty();
    if drops {
        envelope.drop_structured();
    }
    let texts: Vec<Vec<u8>> = envelope.texts().into_iter().map(<[u8]>::to_vec).collect();
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let counted = texts.iter().copied().chain(structured.as_ref().map(String::as_bytes));
    let before: usize = counted.clone().map(|text| wtf8::decode(text).0.chars().count()).sum();
    if holds(&rules.budget, &counted) {
        if !drops {
            return Fate::Whole;
        }
        return Fate::Changed { result: envelope.with_texts(&[], None), chars: (before, before), response_id: None, is_error };
    }

    if let (Some(param), [text]) = (&call.cursor_param, &texts[..])
        && let Some(fate) = first_page(result, text, rules, param, is_error, originals)
    {
        return fate;
    }
    let full = call.invoke_tool.as_ref().map(|tool| {
        let message = format!("The original is too large to be kept: {tool} with full: true runs the tool again and returns everything.");
        format!(r#"{{"truncation":{{"complete":false,"message":{}}}}}"#, quote(&message))
    });
    let mut options = options(rules, call);
    let mut too_large = false;
    let fitted = originals.fit_blocks(&texts, structured.as_deref().map(str::as_bytes), result.as_bytes().to_vec(), options.clone());
    let fitted = match fitted {
        // There is no way back to it, and the notice says so.
        Err(Error::OriginalTooLarge { .. }) => {
            too_large = true;
            options.notice_chars = full.as_ref().map_or(0, String::len);
            Session::without_store().fit_blocks(&texts, structured.as_deref().map(str::as_bytes), Vec::new(), options)
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

/// The first page of a result with a single text; `None` where it has no pages. Others follow when the tool is called with the cursor.
fn first_page(result: &str, text: &[u8], rules: &ToolPolicy, param: &str, is_error: bool, originals: &Session) -> Option<Fate> {
    let (text, _) = wtf8::decode(text);
    let options = PageOptions { next: Next::Again { param: param.to_owned() }, ..PageOptions::default() };
    let page = page(&text, &rules.budget, &options).ok()?;
    let mut envelope = Envelope::parse(result)?;
    envelope.drop_structured();
    let response_id = if page.whole { None } else { originals.keep(result.as_bytes().to_vec()).ok().flatten() };
    let chars = (text.chars().count(), page.text.chars().count());
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

fn options(rules: &ToolPolicy, call: Call) -> Options {
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

/// Whether texts are within the budget together.
fn holds<'t>(budget: &Budget, texts: &(impl Iterator<Item = &'t [u8]> + Clone)) -> bool {
    budget.limits().all(|(unit, limit)| texts.clone().map(|text| measure(&wtf8::decode(text).0, unit)).sum::<usize>() <= limit)
}
