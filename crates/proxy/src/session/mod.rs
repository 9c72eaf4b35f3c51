//! One client and the servers that work for it: every message is sent where it belongs.

mod call;
mod complete;
mod direct;
mod initialize;
mod inputs;
mod listen;
mod lists;
mod modern;
mod outlet;
mod plan;
mod program;
mod relay;
mod resources;
mod subscriptions;
mod tasks;
mod turn;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use axum::http::HeaderValue;
use lru::LruCache;
use snugfit_toolset::names::excerpt;
use tokio::sync::{Semaphore, SemaphorePermit, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::error::Error;
use crate::filter::Filter;
use crate::list::Lists;
use crate::observe::{self, Dir};
use crate::originals::{Originals, Owner, Principal};
use crate::results::Rules;
use crate::rpc::{Kind, Message, Object, code};
use crate::shared::Shared;
use crate::sync::lock;
use crate::upstream::{Hello, Logs, Request, Upstream, run};
use crate::work::LARGE;

pub(crate) use initialize::is_known_version;
pub use lists::ServerTools;
pub(crate) use modern::{MODERN, unsupported};
pub(crate) use outlet::Outlet;
use relay::lower;
use subscriptions::Holder;

/// What a request under way counts for beside its bytes.
const REQUEST: usize = 16 << 10;
/// Requests under way, by that count and beside one message of the largest size; more are refused.
const MOST_UNDER_WAY: usize = 4096 * REQUEST;

/// Calls that wait for the answer to a question.
const MOST_SUSPENDED: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Tasks whose servers are kept in mind.
const MOST_TASKS: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// One client and the servers that work for it.
pub(crate) struct Session {
    shared: Arc<Shared>,
    /// What the trace calls it.
    label: Arc<str>,
    outlet: Outlet,
    upstreams: Vec<Arc<Upstream>>,
    /// The servers' names, in the order of the configuration.
    servers: Vec<String>,
    /// What stands between a server's name and a tool's; `None` where names stay as they are.
    separator: Option<String>,
    filter: Filter,
    /// The lists of each server.
    lists: Vec<Lists>,
    tables: lists::Tables,
    /// What the client said of itself, once it has.
    hello: watch::Sender<Option<Arc<Hello>>>,
    rules: OnceLock<Rules>,
    originals: Arc<Originals>,
    turns: turn::Turns,
    /// The client's requests that are under way, by their ids.
    running: Mutex<HashMap<String, oneshot::Sender<()>>>,
    /// What the requests under way take: their bytes and [`REQUEST`] for each.
    under_way: AtomicUsize,
    /// Requests of servers that the client works on, by our ids.
    asked: Mutex<HashMap<u64, relay::Asked>>,
    /// Which server made a task.
    task_owners: Mutex<LruCache<String, usize>>,
    subscriptions: subscriptions::Subscriptions,
    /// The parameters of the last `logging/setLevel`.
    level: Mutex<Option<String>>,
    introduced: AtomicBool,
    /// The client speaks a revision without a handshake.
    modern: AtomicBool,
    /// Where questions of servers go during a request of such a client.
    interrupts: Mutex<HashMap<String, modern::Asking>>,
    /// Calls that wait for the answer to a question.
    suspended: Mutex<LruCache<u64, modern::Suspended>>,
    /// Such clients that listen for changes, by the ids of their requests.
    listeners: Mutex<HashMap<String, listen::Listener>>,
    /// All clients share this session.
    everybody: bool,
    next_id: AtomicU64,
    room: Semaphore,
    end: watch::Sender<bool>,
    tasks: Mutex<JoinSet<()>>,
}

/// What a request is answered with.
pub(crate) enum Answer {
    /// What a server answered, as it was written.
    Whole(Message),
    /// A result, as JSON text.
    Result(String),
    /// The JSON of an error object.
    Error(String),
}

impl Answer {
    /// An error.
    fn error(code: i32, message: &str) -> Self {
        Self::Error(Message::error(code, message))
    }

    /// The result, or the error.
    fn outcome(&self) -> Result<&str, &str> {
        match self {
            Self::Whole(answer) => answer.outcome(),
            Self::Result(result) => Ok(result),
            Self::Error(error) => Err(error),
        }
    }

    /// The error that there is no such method.
    fn no_method(method: &str) -> Self {
        Self::error(code::METHOD_NOT_FOUND, &format!("there is no method {}", excerpt(method)))
    }

    /// The whole message, under the id of its request.
    fn into_text(self, id: &str) -> String {
        match self {
            Self::Whole(answer) => answer.with_id(id),
            Self::Result(result) => Message::result(id, &result),
            Self::Error(error) => Message::failure(id, &error),
        }
    }
}

/// The answer to what is of one client, where all share a session.
fn needs_a_session(what: &str) -> Answer {
    Answer::error(code::METHOD_NOT_FOUND, &format!("{what} need inbound.http.sessions: stateful"))
}

impl Session {
    /// A session for a client that is spoken to through `outlet`. Its servers are started at once.
    /// Those that are to see it are shown the client's own `authorization`.
    pub(crate) fn start(shared: &Arc<Shared>, outlet: Outlet, authorization: Option<&HeaderValue>) -> Result<Arc<Self>, Error> {
        Self::of(shared, outlet, Owner::Client, authorization)
    }

    /// A session that all clients of a principal share: its servers are told of no capabilities, since nobody could be asked anything.
    pub(crate) fn for_everybody(
        shared: &Arc<Shared>,
        outlet: Outlet,
        principal: Principal,
        authorization: Option<&HeaderValue>,
    ) -> Result<Arc<Self>, Error> {
        Self::of(shared, outlet, Owner::Principal(principal), authorization)
    }

    fn of(shared: &Arc<Shared>, outlet: Outlet, owner: Owner, authorization: Option<&HeaderValue>) -> Result<Arc<Self>, Error> {
        let everybody = owner != Owner::Client;
        let hello = everybody.then(|| Arc::new(Hello::of_ours()));
        let config = &shared.config;
        let active: Vec<_> = config.active().collect();
        let servers: Vec<String> = active.iter().map(|(name, _)| (*name).clone()).collect();
        let separator = config.separator().map(str::to_owned);
        let label = shared.observing.session();
        let upstreams: Vec<Arc<Upstream>> = active
            .iter()
            .zip(&servers)
            .enumerate()
            .map(|(index, ((_, server), name))| {
                let (label, shared) = (Arc::clone(&label), Arc::clone(shared));
                Arc::new(Upstream::new(index, name.clone(), (*server).clone(), shared, label, authorization.cloned()))
            })
            .collect();
        let originals = Arc::new(Originals::new(&config.store, shared.store.as_ref(), owner, shared.work.clone())?);
        let (hello, heard) = watch::channel(hello);
        let (end, ended) = watch::channel(false);
        let session = Arc::new(Self {
            lists: upstreams.iter().map(|_| Lists::default()).collect(),
            tables: lists::Tables::default(),
            filter: Filter::from(&config.filters),
            shared: Arc::clone(shared),
            label,
            outlet,
            servers,
            separator,
            hello,
            rules: OnceLock::new(),
            originals,
            turns: turn::Turns::new(config.results.turn_budget.clone().filter(|_| !everybody)),
            running: Mutex::default(),
            under_way: AtomicUsize::new(0),
            asked: Mutex::default(),
            task_owners: Mutex::new(LruCache::new(MOST_TASKS)),
            subscriptions: subscriptions::Subscriptions::default(),
            level: Mutex::default(),
            introduced: AtomicBool::new(false),
            modern: AtomicBool::new(false),
            interrupts: Mutex::default(),
            suspended: Mutex::new(LruCache::new(MOST_SUSPENDED)),
            listeners: Mutex::default(),
            everybody,
            next_id: AtomicU64::new(1),
            room: Semaphore::new(config.limits.calls_per_session.clamp(1, Semaphore::MAX_PERMITS)),
            end,
            tasks: Mutex::default(),
            upstreams,
        });
        if let Some(observe) = shared.observe() {
            observe.watch(session.originals.session());
        }
        {
            let mut tasks = lock(&session.tasks);
            for upstream in &session.upstreams {
                tasks.spawn(run(Arc::clone(upstream), heard.clone(), Arc::clone(&session), ended.clone()));
            }
            let originals = Arc::downgrade(session.originals.session());
            tasks.spawn(async move {
                while let Some(originals) = originals.upgrade() {
                    originals.sweep();
                    drop(originals);
                    sleep(Duration::from_secs(30)).await;
                }
            });
        }
        Ok(session)
    }

    /// Takes a message of the client. Answers go out through the outlet, in whatever order they come. This waits only for a client that
    /// asks more than may be under way and does not take the refusal.
    pub(crate) async fn receive(self: &Arc<Self>, mut message: Message) {
        if message.kind() != Kind::Request
            && let Some(observe) = self.shared.observe()
        {
            observe.passed(Dir::In, &self.label, None, message.text());
        }
        // What waits for servers must not keep others waiting for memory.
        message.hold(None);
        match message.kind() {
            Kind::Request => self.accept(message).await,
            Kind::Response => self.client_answered(message),
            Kind::Notification => self.client_told(message).await,
        }
    }

    /// Works on a request.
    async fn accept(self: &Arc<Self>, message: Message) {
        let size = message.text().len() + REQUEST;
        let most = MOST_UNDER_WAY + self.shared.config.limits.message_bytes.bytes();
        if self.under_way.fetch_add(size, Ordering::Relaxed) + size > most {
            self.under_way.fetch_sub(size, Ordering::Relaxed);
            let refused = Answer::error(-32000, "too many requests are under way: wait for their answers");
            return self.outlet.answer(message.id(), refused).await;
        }
        let (cancel, cancelled) = oneshot::channel();
        let id = message.id().to_owned();
        lock(&self.running).insert(id.clone(), cancel);
        let session = Arc::clone(self);
        tokio::spawn(async move {
            let message = Arc::new(message);
            let call = match session.shared.observe() {
                Some(observe) => Some(observe.begin(&session.label, &message).await),
                None => None,
            };
            // Held until the client has its answer: whoever does not read what it asked for cannot ask for ever more.
            // Boxed, since a future is moved several times before it runs, and this one is large.
            let answer =
                Box::pin(async { (session.room_for(&message).await, observe::within(call.clone(), session.answer(&message)).await) });
            let answered = tokio::select! {
                biased;
                // A second request under the same id takes the place of the sender, which is no cancellation.
                Ok(()) = cancelled => None,
                answer = answer => Some(answer),
            };
            match (&answered, &call) {
                (_, None) => {}
                (Some((_, answer)), Some(call)) => call.answered(answer.outcome()).await,
                (None, Some(call)) => call.cancelled(),
            }
            if let Some((_room, answer)) = answered {
                session.outlet.answer(&id, answer).await;
            } else {
                session.outlet.abandon(&id);
            }
            lock(&session.running).remove(&id);
            session.under_way.fetch_sub(size, Ordering::Relaxed);
        });
    }

    /// Room for what a request makes servers do: of its session, and of all.
    async fn room_for(&self, message: &Message) -> Option<[SemaphorePermit<'_>; 2]> {
        if matches!(
            message.method(),
            "initialize"
                | "server/discover"
                | "subscriptions/listen"
                | "ping"
                | "tools/list"
                | "prompts/list"
                | "resources/list"
                | "resources/templates/list"
        ) {
            return None;
        }
        let own = self.room.acquire().await.ok()?;
        Some([own, self.shared.calls.acquire().await.ok()?])
    }

    async fn answer(self: &Arc<Self>, message: &Arc<Message>) -> Answer {
        if *self.end.borrow() {
            return Answer::error(code::INVALID_REQUEST, "the proxy is shutting down");
        }
        match message.method() {
            "initialize" => return self.initialize(message).await,
            "ping" => return Answer::Result("{}".to_owned()),
            _ => {}
        }
        // Whoever shook hands says no more of itself.
        if !self.is_introduced() || self.modern.load(Ordering::Relaxed) {
            match self.read(message, modern::envelope).await {
                Ok(Some(envelope)) => return self.modern(message, envelope).await,
                Ok(None) if self.hello.borrow().is_none() => {
                    let why = format!("{} comes before initialize", excerpt(message.method()));
                    return Answer::error(code::METHOD_NOT_FOUND, &why);
                }
                Ok(None) => {}
                Err(why) => return why,
            }
        }
        self.route(message).await
    }

    /// Sends a request where it belongs.
    async fn route(self: &Arc<Self>, message: &Arc<Message>) -> Answer {
        match message.method() {
            "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => self.list(message).await,
            "tools/call" => self.call(message).await,
            "prompts/get" => self.get_prompt(message).await,
            "resources/subscribe" | "resources/unsubscribe" if self.everybody => needs_a_session("subscriptions"),
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => self.resource(&Holder::Client, message).await,
            "completion/complete" => self.complete(message).await,
            "logging/setLevel" if self.everybody => needs_a_session("log messages"),
            "logging/setLevel" => self.set_level(message).await,
            _ => self.other(message).await,
        }
    }

    /// The client told something.
    async fn client_told(&self, message: Message) {
        match message.method() {
            // The servers were told when they answered.
            "notifications/initialized" => {}
            "notifications/cancelled" if message.text().len() > LARGE => {}
            "notifications/cancelled" => {
                let id = Object::parse(message.params()).ok().and_then(|params| params.get("requestId").map(str::to_owned));
                if let Some(cancel) = id.and_then(|id| lock(&self.running).remove(&id)) {
                    let _ = cancel.send(());
                }
            }
            // One client does not speak for all.
            _ if self.everybody => {}
            "notifications/progress" => self.client_progressed(message).await,
            // Servers without a handshake are told nothing but requests.
            _ => {
                let with_handshake = |upstream: &&Arc<Upstream>| upstream.now().is_some_and(|ready| !ready.is_modern());
                self.upstreams.iter().filter(with_handshake).for_each(|upstream| upstream.send(message.text().to_owned()));
            }
        }
    }

    /// Requests that only one server can be meant by, or nobody.
    async fn other(self: &Arc<Self>, message: &Arc<Message>) -> Answer {
        match &self.upstreams[..] {
            [only] => {
                let answer = self.ask(only, message.method(), message.params().to_owned(), message).await;
                if message.method() == "tasks/result" { self.task_result(0, answer).await } else { answer }
            }
            _ => self.task_request(message).await,
        }
    }

    /// Asks a server for what a request of the client wants.
    async fn ask(&self, upstream: &Arc<Upstream>, method: &str, params: String, message: &Message) -> Answer {
        let (id, client) = (upstream.next_id(), message.id().to_owned());
        let prepared = self.shared.work.sized(message.text().len(), move || relay::prepared(params, id, client)).await;
        let (params, origin) = match prepared {
            Ok(prepared) => prepared,
            Err(why) => return Answer::error(code::INTERNAL, &why),
        };
        if let Logs::From(least) = origin.logs {
            lower(upstream, least).await;
        }
        let request = Request { id, method, params: (&*params).into(), origin: Some(Arc::clone(&origin)), wait: upstream.call_timeout() };
        let answer = upstream.request(request).await;
        self.hand_on_demand(upstream, message);
        match answer {
            Ok(answer) if upstream.now().is_some_and(|ready| ready.is_modern()) => {
                self.satisfied(upstream, method, &params, &origin, answer).await
            }
            Ok(answer) => Answer::Whole(answer),
            Err(error) => Answer::Error(error.to_error(&upstream.name)),
        }
    }

    /// A server that wants other credentials of the client says so in the answer to `message`, if that is an error.
    fn hand_on_demand(&self, upstream: &Upstream, message: &Message) {
        if let Some(demand) = upstream.demands.now() {
            self.outlet.demand(message.id(), demand);
        }
    }

    /// Reads a message: on a blocking thread where it is large. What fails there is the answer.
    async fn read<T: Send + 'static>(
        &self,
        message: &Arc<Message>,
        read: impl FnOnce(&Message) -> T + Send + 'static,
    ) -> Result<T, Answer> {
        if message.text().len() <= LARGE {
            return Ok(read(message));
        }
        let message = Arc::clone(message);
        self.shared.work.run(move || read(&message)).await.map_err(|why| Answer::error(code::INTERNAL, &why))
    }

    /// Whether the client knows what there is, so that it can be told of changes.
    fn is_introduced(&self) -> bool {
        self.introduced.load(Ordering::SeqCst)
    }

    fn rules(&self) -> &Rules {
        self.rules.get_or_init(|| {
            let hello = self.hello.borrow().clone();
            let info = hello.as_ref().and_then(|hello| Object::parse(&hello.client_info).ok());
            let rules = Rules::new(self.shared.policy.clone(), info.as_ref().and_then(|info| info.str("name")).as_deref());
            if let Some(warning) = rules.warning() {
                self.shared.log.warn(warning);
            }
            rules
        })
    }

    /// Lets requests under way come to their end, for a while.
    pub(crate) async fn drain(&self) {
        let until = Instant::now() + self.shared.config.limits.shutdown_timeout.duration();
        // Who listens never comes to an end.
        while lock(&self.running).len() > lock(&self.listeners).len() && Instant::now() < until {
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Lets the servers end by themselves.
    pub(crate) fn end(&self) {
        self.end.send_replace(true);
    }

    /// Ends the requests under way, and the servers.
    pub(crate) async fn close(&self) {
        self.end();
        lock(&self.running).clear();
        let mut tasks = std::mem::take(&mut *lock(&self.tasks));
        // The servers say goodbye within seconds of their own.
        let _ = timeout(Duration::from_secs(6), async {
            for _ in &self.upstreams {
                tasks.join_next().await;
            }
        })
        .await;
        tasks.abort_all();
        self.originals.session().close();
    }
}
