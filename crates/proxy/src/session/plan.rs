//! What a tool call asks for, found out from its parameters and the list without asking anybody.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use snugfit_recovery::Selector;
use snugfit_toolset::{input, listing};

use super::resources::unknown;
use super::{Answer, Session};
use crate::list::{ToolTable, Wrapper, text_result};
use crate::originals::CallKey;
use crate::recovery::request;
use crate::results::failure;
use crate::rpc::{Message, Object, code, quote, text};

/// A call as it goes to a server.
#[derive(Default)]
pub(super) struct Target {
    pub(super) server: usize,
    /// The tool, as its server names it.
    pub(super) tool: String,
    /// The parameters to send.
    pub(super) params: String,
    /// The arguments, as JSON text.
    pub(super) arguments: String,
    /// What the result can be found again by, where it can be asked for again.
    pub(super) key: Option<CallKey>,
    /// The tool takes a cursor of ours.
    pub(super) paged: bool,
    /// The page that is asked for.
    pub(super) cursor: Option<String>,
    /// The result is to go out whole.
    pub(super) full: bool,
}

/// What is to be done.
pub(super) enum Plan {
    /// Call a tool.
    Run(Box<Target>),
    /// Give back the original of an id, or the part that is selected.
    Recover(String, Option<Selector>),
    /// Nothing: this is the answer.
    Answer(Answer),
    /// Nothing, since the list has no such tool: this is the answer, unless there is a newer list.
    Unknown(Answer),
}

/// What plans are made with.
pub(super) struct Planner {
    pub(super) session: Arc<Session>,
    pub(super) table: Arc<ToolTable>,
    /// There may be a newer table.
    pub(super) is_last: bool,
}

impl Planner {
    /// What a call asks for. Not for the threads that move messages where the message is large.
    pub(super) fn plan(&self, message: &Message) -> Plan {
        let params = Object::parse(message.params()).unwrap_or_default();
        let Some(name) = params.str("name") else {
            return Plan::Answer(Answer::error(code::INVALID_PARAMS, "name must be the name of a tool, a string"));
        };
        let name = name.as_ref();
        let arguments = params.get("arguments").unwrap_or("{}");
        if self.table.recovery.as_deref() == Some(name) {
            return recovery(arguments);
        }
        if let (Some(program), Some(place)) = (self.table.program(name), self.session.shared.programs()) {
            let help = program.help(&Object::parse(arguments).unwrap_or_default(), place);
            return Plan::Answer(Answer::Result(help.map_or_else(|mistake| failure(&mistake), |text| text_result(&text))));
        }
        if let Some(&(group, wrapper)) = self.table.wrappers.get(name) {
            return self.wrapped(group, wrapper, &params);
        }
        match self.table.names.get(name) {
            Some((server, tool)) => self.run(name, server, tool, &params, arguments.to_owned(), false, Some(message)),
            None if !self.is_last && self.session.may_be_unlisted(name) => {
                self.run(name, 0, name, &params, arguments.to_owned(), false, Some(message))
            }
            None => Plan::Unknown(Answer::error(code::INVALID_PARAMS, &unknown("tool", name, &self.table.names))),
        }
    }

    /// What a call of one of the tools that stand for others asks for.
    fn wrapped(&self, group: usize, wrapper: Wrapper, params: &Object<'_>) -> Plan {
        let fail = |why: &str| Plan::Answer(Answer::Result(failure(why)));
        let given = params.object("arguments").unwrap_or_default();
        let tools = &self.table.groups[group].tools;
        if wrapper == Wrapper::List {
            let names: Vec<&str> = tools.list().iter().map(|tool| tool.name.as_str()).collect();
            return Plan::Answer(Answer::Result(text_result(&names.join("\n"))));
        }
        let Some(name) = given.str("tool_name") else { return fail("tool_name must be the name of a tool, a string") };
        let wanted = given.get("tool_input");
        if self.table.recovery.as_deref() == Some(name.as_ref()) {
            return recovery(wanted.unwrap_or("{}"));
        }
        let tool = match tools.get(&name) {
            Ok(tool) => tool,
            Err(error) => return fail(&error.to_string()),
        };
        if wrapper == Wrapper::Describe {
            return Plan::Answer(Answer::Result(text_result(&listing::answer(tool))));
        }
        let full = match given.get("full") {
            None | Some("null" | "false") => false,
            Some("true") => true,
            Some(_) => return fail("full must be true or false"),
        };
        let arguments = match input::prepare(tool, wanted.unwrap_or_default()) {
            Ok(arguments) => arguments,
            Err(error) => return fail(&error.to_string()),
        };
        match self.table.names.get(&name) {
            Some((server, own)) => self.run(&name, server, own, params, arguments, full, None),
            None => fail(&unknown("tool", &name, &self.table.names)),
        }
    }

    /// A call of a tool that its server knows as `own`. What `sent` says of it goes on byte for byte, unless something in it is ours.
    #[expect(clippy::too_many_arguments, reason = "each says one thing of the call")]
    fn run(
        &self,
        name: &str,
        server: usize,
        own: &str,
        params: &Object<'_>,
        arguments: String,
        full: bool,
        sent: Option<&Message>,
    ) -> Plan {
        let mut target =
            Target { server, tool: own.to_owned(), arguments, paged: self.table.paged.contains(name), full, ..Target::default() };
        let taken = target.paged && take_cursor(&mut target, &self.session.shared.config.results.cursor_param);
        target.params = match sent {
            Some(message) if own == name && !taken => message.params().to_owned(),
            _ => {
                let mut params = params.clone();
                params.set("name", quote(own));
                if sent.is_none() || taken {
                    params.set("arguments", target.arguments.clone());
                }
                params.to_string()
            }
        };
        let asked_again = full || target.cursor.is_some() || !self.table.wrappers.is_empty() || !self.table.paged.is_empty();
        target.key = if asked_again { key_of(&self.session.servers[server], &target, &context(params)) } else { None };
        Plan::Run(Box::new(target))
    }
}

/// What a call of the recovery tool asks for.
fn recovery(arguments: &str) -> Plan {
    match request(arguments) {
        Ok((id, selector)) => Plan::Recover(id, selector),
        Err(why) => Plan::Answer(Answer::Result(failure(&why))),
    }
}

/// Takes the cursor out of the arguments, and says whether there was one.
fn take_cursor(target: &mut Target, param: &str) -> bool {
    let Ok(mut arguments) = Object::parse(&target.arguments) else { return false };
    let Some(cursor) = arguments.remove(param) else { return false };
    let rest = arguments.to_string();
    // An empty one is what models send for the first page.
    let text = text(&cursor).map_or_else(|| cursor.clone(), Cow::into_owned);
    target.cursor = Some(text).filter(|text| !text.is_empty() && text != "null");
    target.arguments = rest;
    true
}

/// What of `_meta` makes one request another than the next.
fn context(params: &Object<'_>) -> String {
    let mut meta = params.object("_meta").unwrap_or_default();
    for key in ["progressToken", "traceparent", "tracestate", "baggage"] {
        meta.remove(key);
    }
    meta.to_string()
}

/// The key of a call: a hash of server, tool, canonical arguments and context.
pub(super) fn key_of(server: &str, target: &Target, context: &str) -> Option<CallKey> {
    let mut arguments: Value = serde_json::from_str(&target.arguments).ok()?;
    arguments.sort_all_objects();
    let mut hash = blake3::Hasher::new();
    for part in [server, &target.tool, context] {
        hash.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    Some(*hash.update(arguments.to_string().as_bytes()).finalize().as_bytes())
}
