//! Lists: gathered from all servers at once, merged, and kept as long as no server's list is another.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use tokio::time::timeout;

use super::{Answer, Session};
use crate::list::{Entries, Kind, Known, PromptTable, ResourceTable, Setting, ToolTable, build_tools, fetch};
use crate::mirror::Mirrored;
use crate::rpc::{Message, Object, code};
use crate::sync::lock;
use crate::upstream::Upstream;

/// The tools of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTools {
    /// What the configuration calls the server.
    pub name: String,
    /// The definitions as the server wrote them, each JSON text; or why there are none.
    pub tools: Result<Vec<String>, String>,
}

/// The merged lists, each with what it was made from.
#[derive(Default)]
pub(super) struct Tables {
    tools: Mutex<Option<(Vec<Entries>, Arc<ToolTable>)>>,
    prompts: Mutex<Option<(Vec<Entries>, Arc<PromptTable>)>>,
    resources: Mutex<Option<(Vec<Entries>, Arc<ResourceTable>)>>,
    /// Held while the tools are merged: whoever asks meanwhile waits for the same table, and goes on in the order of asking.
    merging: tokio::sync::Mutex<()>,
}

impl Tables {
    /// The resources as they were listed last.
    pub(super) fn resources(&self) -> Option<Arc<ResourceTable>> {
        lock(&self.resources).as_ref().map(|(_, table)| Arc::clone(table))
    }
}

/// What is kept of one kind, if it was made from these.
fn kept<T>(table: &Mutex<Option<(Vec<Entries>, Arc<T>)>>, from: &[Entries]) -> Option<Arc<T>> {
    let table = lock(table);
    let (made_from, table) = table.as_ref()?;
    let same = made_from.len() == from.len() && made_from.iter().zip(from).all(|(a, b)| Arc::ptr_eq(a, b));
    same.then(|| Arc::clone(table))
}

impl Session {
    /// Answers a list request.
    pub(super) async fn list(self: &Arc<Self>, message: &Arc<Message>) -> Answer {
        let cursor = |message: &Message| Object::parse(message.params()).ok()?.str("cursor").map(Cow::into_owned);
        let cursor = match self.read(message, cursor).await {
            Ok(cursor) => cursor,
            Err(why) => return why,
        };
        let page = match message.method() {
            "tools/list" => self.tools().await.map(|table| table.pages.get(cursor.as_deref()).map(str::to_owned)),
            "prompts/list" => Ok(self.prompts().await.pages.get(cursor.as_deref()).map(str::to_owned)),
            "resources/list" => Ok(self.resources().await.resources.get(cursor.as_deref()).map(str::to_owned)),
            _ => Ok(self.resources().await.templates.get(cursor.as_deref()).map(str::to_owned)),
        };
        // A lone server that lets nobody see its list says what it wants.
        if let ([only], [lists]) = (&self.upstreams[..], &self.lists[..])
            && only.demands.now().is_some()
            && Kind::ALL.iter().any(|kind| kind.method() == message.method() && lists.has_failed(*kind))
        {
            self.hand_on_demand(only, message);
            return Answer::error(-32000, &format!("the server {:?} wants other credentials", only.name));
        }
        if message.method() == "tools/list"
            && let (Some(observe), Some(table)) = (self.shared.observe(), lock(&self.tables.tools).as_ref())
        {
            observe.listed(self.servers.iter().map(String::as_str).zip(table.1.saved.iter().copied()));
        }
        match page {
            Ok(Some(page)) => Answer::Result(page),
            Ok(None) => Answer::error(code::INVALID_PARAMS, "this cursor is none that a page gave: list again without a cursor"),
            Err(why) => Answer::error(code::INTERNAL, &why),
        }
    }

    /// A list of all servers, asked at once. One that gave none is not waited for again: what it gives later is told to the client.
    async fn gather(self: &Arc<Self>, kind: Kind) -> Vec<Entries> {
        let ask = |upstream: &Arc<Upstream>, again| {
            let (session, upstream) = (Arc::clone(self), Arc::clone(upstream));
            async move { session.lists[upstream.index].get(kind, &upstream, again).await }
        };
        let known: Vec<_> = self
            .upstreams
            .iter()
            .zip(&self.lists)
            .map(|(upstream, lists)| match lists.known(kind) {
                Known::Current(entries) | Known::Failed(entries, false) => Ok(entries),
                Known::Failed(none, true) => {
                    let (session, asking, failed) = (Arc::clone(self), ask(upstream, true), Arc::clone(&none));
                    tokio::spawn(async move {
                        if !Arc::ptr_eq(&asking.await, &failed) {
                            session.tell_changed(kind.capability()).await;
                        }
                    });
                    Ok(none)
                }
                Known::Nothing => Err(tokio::spawn(ask(upstream, false))),
            })
            .collect();
        let mut all = Vec::with_capacity(known.len());
        for entries in known {
            all.push(match entries {
                Ok(entries) => entries,
                Err(asking) => asking.await.unwrap_or_default(),
            });
        }
        all
    }

    /// The tools of each server as it defines them, or why it gave none. Nothing is kept.
    pub(crate) async fn definitions(self: &Arc<Self>) -> Vec<ServerTools> {
        let wait = self.shared.config.limits.connect_timeout.duration();
        let asked = self.upstreams.iter().map(|upstream| {
            let upstream = Arc::clone(upstream);
            let name = upstream.name.clone();
            (name, tokio::spawn(async move { timeout(wait, fetch(Kind::Tools, &upstream, wait)).await }))
        });
        let asked: Vec<_> = asked.collect();
        let mut all = Vec::with_capacity(asked.len());
        for (name, task) in asked {
            let tools = match task.await {
                Ok(Ok(fetched)) => fetched.map(|(entries, _)| entries),
                _ => Err(format!("it gave no list within {} s", wait.as_secs_f32())),
            };
            all.push(ServerTools { name, tools });
        }
        all
    }

    /// The tools of all servers.
    pub(crate) async fn tools(self: &Arc<Self>) -> Result<Arc<ToolTable>, String> {
        let lists = self.gather(Kind::Tools).await;
        if let Some(table) = kept(&self.tables.tools, &lists) {
            return Ok(table);
        }
        let _merging = self.tables.merging.lock().await;
        if let Some(table) = kept(&self.tables.tools, &lists) {
            return Ok(table);
        }
        let (session, from) = (Arc::clone(self), lists.clone());
        let table = Arc::new(self.shared.work.run(move || session.make_tools(&from)).await?);
        for warning in &table.warnings {
            self.shared.log.warn(warning);
        }
        *lock(&self.tables.tools) = Some((lists, Arc::clone(&table)));
        Ok(table)
    }

    /// The tools as they were listed last.
    pub(super) fn last_tools(&self) -> Option<Arc<ToolTable>> {
        lock(&self.tables.tools).as_ref().map(|(_, table)| Arc::clone(table))
    }

    /// Whether a tool that is in no list may be called: a lone server may have tools that it does not list.
    pub(super) fn may_be_unlisted(&self, name: &str) -> bool {
        self.shared.programs().is_none()
            && self.separator.is_none()
            && self.upstreams.len() == 1
            && self.filter.allows(&self.servers[0], name)
    }

    /// The arguments of a tool that clients over HTTP repeat in headers.
    pub(crate) async fn mirrored(self: &Arc<Self>, name: &str) -> Vec<Mirrored> {
        let table = match self.last_tools().filter(|table| table.has(name)) {
            Some(table) => Ok(table),
            None => self.tools().await,
        };
        table.ok().and_then(|table| table.mirrors.get(name).cloned()).unwrap_or_default()
    }

    fn make_tools(&self, lists: &[Entries]) -> ToolTable {
        let config = &self.shared.config;
        let programs = self.shared.programs().map(|place| (config.surface.kind, place));
        build_tools(&Setting { programs, ..Setting::new(config, &self.filter, self.rules()) }, lists)
    }

    /// The prompts of all servers.
    pub(super) async fn prompts(self: &Arc<Self>) -> Arc<PromptTable> {
        let lists = self.gather(Kind::Prompts).await;
        if let Some(table) = kept(&self.tables.prompts, &lists) {
            return table;
        }
        let table = Arc::new(PromptTable::new(&lists, &self.servers, &self.filter, self.separator.as_deref()));
        *lock(&self.tables.prompts) = Some((lists, Arc::clone(&table)));
        table
    }

    /// The resources and templates of all servers.
    pub(super) async fn resources(self: &Arc<Self>) -> Arc<ResourceTable> {
        let (resources, templates) = tokio::join!(self.gather(Kind::Resources), self.gather(Kind::Templates));
        let both: Vec<Entries> = resources.iter().chain(&templates).cloned().collect();
        if let Some(table) = kept(&self.tables.resources, &both) {
            return table;
        }
        let table = Arc::new(ResourceTable::new(&resources, &templates, &self.servers, &self.filter));
        *lock(&self.tables.resources) = Some((both, Arc::clone(&table)));
        table
    }
}
