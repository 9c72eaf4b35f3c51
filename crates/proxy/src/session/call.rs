//! Tool calls: to the server that has the tool, and the result within its budget back.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use lru::LruCache;
use serde_json::Value;
use snugfit_engine::{Next, PageOptions, page};
use snugfit_recovery::wtf8;
use snugfit_toolset::{input, listing};

use super::resources::unknown;
use super::{Answer, Session};
use crate::config::{Handling, Mode, Structured, ToolPolicy};
use crate::list::{ToolTable, Wrapper, text_result};
use crate::observe;
use crate::recovery;
use crate::results::{Call, Fate, failure, first_text, fit, fit_error, surely_holds, toonified, with_first_text};
use crate::rpc::{Message, Object, code, quote};
use crate::sync::lock;
use crate::work::LARGE;

/// The ids of kept originals by what was asked for, as many as the store keeps.
pub(super) struct Recalls(LruCache<[u8; 32], String>);

impl Recalls {
    pub(super) fn new(entries: usize) -> Self {
        Self(LruCache::new(NonZeroUsize::new(entries).unwrap_or(NonZeroUsize::MIN)))
    }
}

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
    /// `_meta` but for what differs with every request.
    pub(super) context: String,
    /// The page that is asked for.
    pub(super) cursor: Option<String>,
    /// The result is to go out whole.
    pub(super) full: bool,
}

impl Session {
    /// Answers `tools/call`.
    pub(super) async fn call(self: &Arc<Self>, message: &Message) -> Answer {
        let room = tokio::try_join!(self.room.acquire(), self.shared.calls.acquire());
        let Ok(_room) = room else { return Answer::error(code::INTERNAL, "the session is closed") };
        let params =
            match self.off_thread(message.params(), |params| Object::parse(params).map(|_| ()).map_err(|error| error.to_string())).await {
                Ok(()) => Object::parse(message.params()).unwrap_or_default(),
                Err(why) => return Answer::error(code::INVALID_PARAMS, &why),
            };
        let Some(name) = params.str("name").map(std::borrow::Cow::into_owned) else {
            return Answer::error(code::INVALID_PARAMS, "name must be the name of a tool, a string");
        };
        let table = match self.tools_with(&name).await {
            Ok(table) => table,
            Err(why) => return Answer::error(code::INTERNAL, &why),
        };
        let arguments = params.get("arguments").unwrap_or("{}").to_owned();
        if table.recovery.as_deref() == Some(&name) {
            return self.recover(arguments).await;
        }
        if let Some(&(group, wrapper)) = table.wrappers.get(&name) {
            return self.wrapper(&table, group, wrapper, &arguments, &params, message).await;
        }
        let (server, tool) = match table.names.get(&name) {
            Some((server, tool)) => (server, tool.to_owned()),
            // A lone server may have tools that it does not list.
            None if self.separator.is_none() && self.upstreams.len() == 1 && self.filter.allows(&self.servers[0], &name) => {
                (0, name.clone())
            }
            None => return Answer::error(code::INVALID_PARAMS, &unknown("tool", &name, &table.names)),
        };
        let mut target = Target { server, tool, params: String::new(), arguments, context: context(&params), cursor: None, full: false };
        let mut sent = params;
        let paged = table.paged.contains(&name) && take_cursor(&mut target, &mut sent, &self.shared.config.results.cursor_param);
        if target.tool != name {
            sent.set("name", quote(&target.tool));
        }
        target.params = if target.tool == name && !paged { message.params().to_owned() } else { sent.to_string() };
        self.run(&table, target, message).await
    }

    /// Answers a call of one of the tools that stand for others.
    async fn wrapper(
        self: &Arc<Self>,
        table: &Arc<ToolTable>,
        group: usize,
        wrapper: Wrapper,
        arguments: &str,
        params: &Object<'_>,
        message: &Message,
    ) -> Answer {
        let given = Object::parse(arguments).unwrap_or_default();
        let group = &table.groups[group];
        if wrapper == Wrapper::List {
            let names: Vec<&str> = group.tools.list().iter().map(|tool| tool.name.as_str()).collect();
            return Answer::Result(text_result(&names.join("\n")));
        }
        let Some(name) = given.str("tool_name") else {
            return Answer::Result(failure("tool_name must be the name of a tool, a string"));
        };
        let name = name.into_owned();
        if table.recovery.as_deref() == Some(&name) {
            return self.recover(given.get("tool_input").unwrap_or("{}").to_owned()).await;
        }
        let tool = match group.tools.get(&name) {
            Ok(tool) => tool,
            Err(error) => return Answer::Result(failure(&error.to_string())),
        };
        if wrapper == Wrapper::Describe {
            return Answer::Result(text_result(&listing::answer(tool)));
        }
        let full = match given.get("full") {
            None | Some("null" | "false") => false,
            Some("true") => true,
            Some(_) => return Answer::Result(failure("full must be true or false")),
        };
        let input = given.get("tool_input").unwrap_or_default().to_owned();
        let tool = tool.clone();
        let prepared = match self.off_thread(&input, move |input| input::prepare(&tool, input).map_err(|error| error.to_string())).await {
            Ok(prepared) => prepared,
            Err(why) => return Answer::Result(failure(&why)),
        };
        let Some((server, own)) = table.names.get(&name) else {
            return Answer::Result(failure(&unknown("tool", &name, &table.names)));
        };
        let mut sent = params.clone();
        sent.set("name", quote(own));
        sent.set("arguments", prepared.clone());
        let mut target = Target {
            server,
            tool: own.to_owned(),
            params: String::new(),
            arguments: prepared,
            context: context(params),
            cursor: None,
            full,
        };
        if table.paged.contains(&name) {
            take_cursor(&mut target, &mut sent, &self.shared.config.results.cursor_param);
        }
        target.params = sent.to_string();
        self.run(table, target, message).await
    }

    /// Runs a tool, unless what is asked for is still there.
    async fn run(self: &Arc<Self>, table: &Arc<ToolTable>, target: Target, message: &Message) -> Answer {
        let upstream = &self.upstreams[target.server];
        let rules = self.rules().of(&upstream.name, &target.tool);
        observe::at(&upstream.name, &target.tool);
        let keeps = target.full || target.cursor.is_some() || table.wrappers.len() + table.paged.len() > 0;
        let key =
            if keeps { self.off_thread(&target.arguments, key_of(target.server, &target.tool, &target.context)).await.ok() } else { None };
        if let Some(key) = key.filter(|_| target.full || target.cursor.is_some())
            && let Some(original) = self.original_of(&key).await
        {
            observe::recovered(true);
            return match &target.cursor {
                Some(cursor) => self.next_page(original, cursor.clone(), rules, target.tool.clone()).await,
                None => Answer::Result(original),
            };
        }
        let answer = self.ask(upstream, "tools/call", &target.params, message).await;
        let Answer::Whole(response) = answer else { return answer };
        if let Err(error) = response.outcome() {
            return match self.fitted_error(error, rules).await {
                Some(error) => Answer::Error(error),
                None => Answer::Whole(response),
            };
        }
        if target.full {
            return Answer::Whole(response);
        }
        self.remember_task(target.server, &response);
        if let Some(cursor) = &target.cursor {
            let original = response.outcome().unwrap_or_default().to_owned();
            return self.next_page(original, cursor.clone(), rules, target.tool).await;
        }
        self.fitted(table, target, rules, key, response).await
    }

    /// The result within its budget.
    pub(super) async fn fitted(
        self: &Arc<Self>,
        table: &ToolTable,
        target: Target,
        rules: ToolPolicy,
        key: Option<[u8; 32]>,
        response: Message,
    ) -> Answer {
        let size = response.outcome().unwrap_or_default().len();
        if rules.mode == Mode::Off && self.shared.config.results.toonify {
            return self.toonified(response).await;
        }
        if rules.mode == Mode::Off || (surely_holds(&rules.budget, size) && rules.structured != Structured::Drop) {
            return Answer::Whole(response);
        }
        let Target { server, tool, arguments, .. } = target;
        let pages = rules.mode == Mode::Page && !table.paged.is_empty();
        let call = Call {
            tool: tool.clone(),
            arguments,
            recovery_tool: table.recovery.clone().unwrap_or_else(|| snugfit_recovery::RECOVERY_TOOL.to_owned()),
            invoke_tool: table.invoke_tool().map(str::to_owned),
            cursor_param: pages.then(|| self.shared.config.results.cursor_param.clone()),
        };
        let originals = Arc::clone(&self.originals);
        let response = Arc::new(response);
        let kept = Arc::clone(&response);
        let fit = move || {
            let started = Instant::now();
            (fit(kept.outcome().unwrap_or_default(), &rules, call, &originals), started.elapsed())
        };
        let fate = self.shared.work.run(fit).await;
        match fate {
            Ok((Fate::Changed { result, chars: (before, after), response_id, is_error }, took)) => {
                observe::fitted(size, result.len(), took);
                self.shared.log.info(format_args!("{}.{tool}: {before} characters to {after}", self.servers[server]));
                if let (Some(key), Some(id), false) = (key, response_id, is_error) {
                    lock(&self.recalls).0.put(key, id);
                }
                Answer::Result(result)
            }
            Ok((Fate::Whole, _)) => whole(response),
            // A fault of ours must not cost the client its result.
            Err(why) => {
                self.shared.log.error(why);
                whole(response)
            }
        }
    }

    /// The error within the budget; `None` where it stays as it is.
    async fn fitted_error(&self, error: &str, rules: ToolPolicy) -> Option<String> {
        if rules.mode == Mode::Off || rules.errors == Handling::Keep || surely_holds(&rules.budget, error.len()) {
            return None;
        }
        let error = error.to_owned();
        self.shared.work.run(move || fit_error(&error, &rules.budget)).await.ok()?
    }

    /// The result as TOON, where that is shorter.
    async fn toonified(&self, response: Message) -> Answer {
        let response = Arc::new(response);
        let kept = Arc::clone(&response);
        match self.shared.work.run(move || toonified(kept.outcome().unwrap_or_default())).await {
            Ok(Some(result)) => Answer::Result(result),
            _ => whole(response),
        }
    }

    /// The complete result that a call like this one gave, if it is still kept.
    async fn original_of(self: &Arc<Self>, key: &[u8; 32]) -> Option<String> {
        let id = lock(&self.recalls).0.get(key).cloned()?;
        let originals = Arc::clone(&self.originals);
        let original = self.shared.work.run(move || originals.recover(&id).map(|bytes| wtf8::decode(&bytes).0.into_owned())).await;
        original.ok()?.ok()
    }

    /// A later page of a result.
    async fn next_page(self: &Arc<Self>, original: String, cursor: String, rules: ToolPolicy, tool: String) -> Answer {
        let param = self.shared.config.results.cursor_param.clone();
        let made = self.shared.work.run(move || {
            let text = first_text(&original).unwrap_or_default();
            let options = PageOptions { cursor: Some(cursor), next: Next::Again { param }, ..PageOptions::default() };
            page(&text, &rules.budget, &options).map(|page| with_first_text(&original, &page.text))
        });
        match made.await {
            Ok(Ok(result)) => Answer::Result(result),
            Ok(Err(error)) => Answer::Result(failure(&error.to_string())),
            Err(why) => Answer::error(code::INTERNAL, &format!("{tool}: {why}")),
        }
    }

    /// Answers a call of the recovery tool.
    async fn recover(&self, arguments: String) -> Answer {
        let (originals, budget) = (Arc::clone(&self.originals), self.rules().budget());
        match self.shared.work.run(move || recovery::answer(&arguments, &originals, &budget).map(|text| text_result(&text))).await {
            Ok(Ok(result)) => {
                observe::recovered(true);
                Answer::Result(result)
            }
            Ok(Err(message)) => {
                observe::recovered(false);
                Answer::Result(failure(&message))
            }
            Err(why) => Answer::error(code::INTERNAL, &why),
        }
    }

    /// Works on a text: on a blocking thread where it is large.
    async fn off_thread<T: Send + 'static>(
        &self,
        text: &str,
        work: impl FnOnce(&str) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        if text.len() <= LARGE {
            return work(text);
        }
        let text = text.to_owned();
        self.shared.work.run(move || work(&text)).await?
    }
}

/// The response that nobody else holds any longer.
fn whole(response: Arc<Message>) -> Answer {
    Answer::Whole(Arc::try_unwrap(response).unwrap_or_else(|shared| (*shared).clone()))
}

/// Takes the cursor out of the arguments, and says whether there was one.
fn take_cursor(target: &mut Target, sent: &mut Object<'_>, param: &str) -> bool {
    let Ok(mut arguments) = Object::parse(&target.arguments) else { return false };
    let Some(cursor) = arguments.remove(param) else { return false };
    let rest = arguments.to_string();
    // An empty one is what models send for the first page.
    let text = crate::rpc::text(&cursor).map_or_else(|| cursor.clone(), std::borrow::Cow::into_owned);
    target.cursor = Some(text).filter(|text| !text.is_empty() && text != "null");
    sent.set("arguments", rest.clone());
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
fn key_of(server: usize, tool: &str, context: &str) -> impl FnOnce(&str) -> Result<[u8; 32], String> + Send + use<> {
    let mut hash = blake3::Hasher::new();
    for part in [server.to_string().as_str(), tool, context] {
        hash.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    move |arguments| {
        let mut value: Value = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
        value.sort_all_objects();
        hash.update(value.to_string().as_bytes());
        Ok(*hash.finalize().as_bytes())
    }
}
