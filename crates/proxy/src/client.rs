//! The proxy inside a program: the same servers, lists, budgets and recovery, without a client in between.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;

use crate::config::{Budget, Compression, Config, Mode, Policy, ResultFlags, Server, Transport};
use crate::error::Error;
use crate::log::{Level, Log};
use crate::proxy::Proxy;
use crate::results::first_text;
use crate::rpc::Object;
use crate::session::{Outlet, Session};
use crate::shared::Shared;

/// The least budget of [`Builder::shrinkfit`].
const LEAST_SHRINKFIT: usize = 1024;

/// Puts a [`Proxy`] together.
#[derive(Debug, Clone)]
pub struct Builder {
    config: Config,
    mode: Option<Mode>,
    shrinkfit: Option<usize>,
    log: Option<Log>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self { config: Config::default(), mode: None, shrinkfit: None, log: None }
    }

    /// Everything that a configuration says, in place of what was said so far.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// One more server. Its name is what its tools are called after where there are several.
    #[must_use]
    pub fn server(mut self, name: impl Into<String>, transport: Transport) -> Self {
        self.config.servers.insert(name.into(), Server::new(transport));
        self
    }

    /// Lists `get_tool_schema` and `invoke_tool` in place of the tools, with so much said of each.
    #[must_use]
    pub fn compression(mut self, level: Compression) -> Self {
        self.config.list.compression = level;
        self
    }

    /// Fits results into so many characters, at least 1,024; the most important is kept.
    #[must_use]
    pub fn shrinkfit(mut self, chars: usize) -> Self {
        self.shrinkfit = Some(chars);
        self
    }

    /// What is done with results over their budget. They are condensed where nothing else is said.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Where the proxy says what happens. Warnings and errors go to stderr where nothing else is said.
    #[must_use]
    pub fn log(mut self, log: Log) -> Self {
        self.log = Some(log);
        self
    }

    /// The proxy. No server is started before it is needed.
    ///
    /// # Errors
    /// [`Error::Unusable`] where there is no server, a budget is too small, or something else cannot be served, as
    /// [`usable::check`](crate::usable::check) tells it.
    pub fn build(self) -> Result<Proxy, Error> {
        if let Some(chars) = self.shrinkfit.filter(|chars| *chars < LEAST_SHRINKFIT) {
            return Err(Error::Unusable(format!("shrinkfit: {chars} characters are too few; the least is {LEAST_SHRINKFIT}")));
        }
        let budget = self.shrinkfit.map(|chars| Budget::new(None, Some(chars))).transpose().map_err(Error::Unusable)?;
        let mode = self.mode.or(budget.as_ref().map(|_| Mode::Condense));
        let policy = Policy::new(&self.config, &ResultFlags { mode, budget }, None)?;
        Proxy::new(self.config, policy, self.log.unwrap_or_else(|| Log::new(Level::Warn)))
    }
}

/// A result of a tool: a `CallToolResult` of MCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult(String);

impl CallResult {
    /// The whole result as JSON text, every byte of it as the server wrote it where nothing was cut.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.0
    }

    /// The first text in it.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        first_text(&self.0)
    }

    /// The tool failed, or its result could not be fitted or kept.
    #[must_use]
    pub fn is_error(&self) -> bool {
        Object::parse(&self.0).is_ok_and(|result| result.bool("isError") == Some(true))
    }
}

/// Calls of tools. They need a `tokio` runtime with I/O and time; the servers are started by the first and stay until [`Proxy::close`], or until
/// the proxy is dropped.
impl Proxy {
    /// A builder of a proxy without servers.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// What a model sees of the tools: their definitions in JSON text, names, filters, wrappers and the recovery tool as a client would be listed
    /// them. What it calls goes to [`call`](Self::call).
    ///
    /// # Errors
    /// The list cannot be made. Servers that give none are left out.
    pub async fn tools(&self) -> Result<Vec<String>, Error> {
        self.inside().await?.listing().await.map_err(Error::Call)
    }

    /// Calls what [`tools`](Self::tools) lists, by its name there: a tool, a wrapper, or the recovery tool.
    ///
    /// # Errors
    /// [`Error::Call`] where there is no such tool, or its server cannot be reached or answers with an error. A tool that fails gives a result.
    pub async fn call(&self, name: &str, arguments: &Value) -> Result<CallResult, Error> {
        self.inside().await?.call_named(name, arguments).await.map(CallResult).map_err(Error::Call)
    }

    /// Calls a tool of a server, both by their own names; the result is within its budget.
    ///
    /// # Errors
    /// As those of [`call`](Self::call).
    pub async fn invoke(&self, server: &str, tool: &str, input: &Value) -> Result<CallResult, Error> {
        self.invoke_with_full(server, tool, input, false).await
    }

    /// As [`invoke`](Self::invoke); with `full` the result is complete: what the same call gave before if that is still kept, and else the server is
    /// called again. Never repeat a write so.
    ///
    /// # Errors
    /// As those of [`call`](Self::call).
    pub async fn invoke_with_full(&self, server: &str, tool: &str, input: &Value, full: bool) -> Result<CallResult, Error> {
        self.inside().await?.call_tool(server, tool, input, full).await.map(CallResult).map_err(Error::Call)
    }

    /// Ends the servers. Another call would start them again.
    pub async fn close(&self) {
        let inside = self.inside.lock().await.take();
        if let Some(inside) = inside {
            inside.0.close().await;
        }
    }

    async fn inside(&self) -> Result<Arc<Session>, Error> {
        let mut inside = self.inside.lock().await;
        if let Some(inside) = &*inside {
            return Ok(Arc::clone(&inside.0));
        }
        Ok(Arc::clone(&inside.insert(Inside::start(&self.shared)?).0))
    }
}

/// The session of the program itself. Its servers end with it.
pub(crate) struct Inside(pub(crate) Arc<Session>);

impl Inside {
    /// A session whose servers can ask nobody anything.
    pub(crate) fn start(shared: &Arc<Shared>) -> Result<Self, Error> {
        let (out, mut unread) = mpsc::channel(32);
        tokio::spawn(async move { while unread.recv().await.is_some() {} });
        Ok(Self(Session::for_everybody(shared, Outlet::Stream(out), None, None)?))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.end();
    }
}
