//! The originals of one client, and which call gave which: in our memory, or in a Redis that replicas share.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lru::LruCache;
use snugfit_recovery::{Error, Key, Limits, Session, Uuid, wtf8};
use snugfit_store_redis::{Namespace, Options, RedisStore};
use tokio::time::sleep;

use crate::config::{OnFailure, Period, Redis, Store};
use crate::log::Log;
use crate::results::Fate;
use crate::rpc::Message;
use crate::sync::lock;
use crate::work::Work;

/// How often a server is asked whether it answers.
const WATCH: Duration = Duration::from_secs(2);

/// Whose originals they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// One client's, which nobody else can be.
    Client,
    /// A principal's, wherever it comes in.
    Principal(Principal),
}

/// Who sends a request: a hash of what proves it, or nobody in particular where nothing does.
pub(crate) type Principal = Option<[u8; 32]>;

/// What a call is known by: a hash of all that makes it another than the next.
pub(crate) type CallKey = [u8; 32];

/// Why there is no preview, or no original.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    /// The store says so.
    #[error(transparent)]
    Store(Error),
    /// A fault of ours.
    #[error("{0}")]
    Fault(String),
}

/// The originals of one client, or of one principal.
pub(crate) struct Originals {
    /// Makes previews, and has the originals where they are in memory.
    session: Arc<Session>,
    place: Place,
    work: Work,
}

enum Place {
    /// The session's memory. The ids by their calls, as many as there is room for.
    Memory(Mutex<LruCache<CallKey, Uuid>>),
    /// A server that others use as well.
    Redis { namespace: Namespace, on_failure: OnFailure },
}

impl Originals {
    /// The originals of `owner`, on `server` where the configuration names one.
    pub(crate) fn new(store: &Store, server: Option<&Arc<RedisStore>>, owner: Owner, work: Work) -> Result<Self, Error> {
        let Some((redis, server)) = store.redis.as_ref().zip(server) else {
            let limits = Limits { entries: store.entries, bytes: store.bytes.bytes(), ttl: store.ttl.duration() };
            let calls = LruCache::new(NonZeroUsize::new(store.entries).unwrap_or(NonZeroUsize::MIN));
            return Ok(Self { session: Arc::new(Session::in_memory(limits)?), place: Place::Memory(Mutex::new(calls)), work });
        };
        let key = match (owner, redis.secret()) {
            (Owner::Principal(principal), Some(secret)) => Key::derive(secret.expose(), &name(&redis.namespace, principal)),
            // Nobody else looks for what is one client's alone.
            _ => Key::random()?,
        };
        let namespace = Namespace::new(server, &key);
        let session = Session::kept_elsewhere(key, redis.max_bytes_per_entry.bytes());
        Ok(Self { session: Arc::new(session), place: Place::Redis { namespace, on_failure: redis.on_failure }, work })
    }

    /// The session that makes previews.
    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Whether a result that cannot be kept goes out whole.
    pub(crate) fn passes(&self) -> bool {
        matches!(self.place, Place::Redis { on_failure: OnFailure::Passthrough, .. })
    }

    /// Fits the result of a call on a blocking thread, and how long that took. What it names is kept by the time this returns.
    pub(crate) async fn fit(
        self: &Arc<Self>,
        response: &Arc<Message>,
        call: Option<CallKey>,
        fit: impl FnOnce(&str, &Session) -> Fate + Send + 'static,
    ) -> Result<(Fate, Duration), Failed> {
        let (this, response) = (Arc::clone(self), Arc::clone(response));
        let job = move || {
            let result = response.outcome().unwrap_or_default();
            let started = Instant::now();
            let fate = fit(result, &this.session);
            let took = started.elapsed();
            let id = fate.response_id().and_then(|id| Uuid::try_parse(id).ok());
            let sealed = match (&this.place, id) {
                (Place::Redis { namespace, .. }, Some(id)) => Some(namespace.seal(id, result.as_bytes())).transpose(),
                _ => Ok(None),
            };
            sealed.map(|sealed| (fate, took, id, sealed))
        };
        let (fate, took, id, sealed) = self.work.run(job).await.map_err(Failed::Fault)?.map_err(Failed::Store)?;
        let call = call.filter(|_| !fate.is_error());
        match (&self.place, id, call, sealed) {
            (Place::Redis { namespace, .. }, _, call, Some(sealed)) => {
                namespace.put(sealed, call.as_ref()).await.map_err(|error| Failed::Store(Error::NotKept(reason(error))))?;
            }
            (Place::Memory(calls), Some(id), Some(call), _) => drop(lock(calls).put(call, id)),
            _ => {}
        }
        Ok((fate, took))
    }

    /// What `read` makes of an original, on a blocking thread.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        response_id: &str,
        read: impl FnOnce(&str) -> T + Send + 'static,
    ) -> Result<T, Failed> {
        if self.session.is_closed() {
            return Err(Failed::Store(Error::Closed));
        }
        let unavailable = || Failed::Store(Error::ResponseUnavailable);
        let id = Uuid::try_parse(response_id.trim()).map_err(|_| unavailable())?;
        let sealed = match &self.place {
            Place::Memory(_) => None,
            Place::Redis { namespace, .. } => Some(namespace.get(id).await.map_err(unread)?.ok_or_else(unavailable)?),
        };
        let this = Arc::clone(self);
        let job = move || {
            let original = match (&this.place, sealed) {
                (Place::Redis { namespace, .. }, Some(sealed)) => namespace.open(sealed).ok_or(Error::ResponseUnavailable)?,
                _ => this.session.recover(&id.to_string())?,
            };
            Ok(read(&wtf8::decode(&original).0))
        };
        self.work.run(job).await.map_err(Failed::Fault)?.map_err(Failed::Store)
    }

    /// The complete result that a call like this one gave, if it is still kept.
    pub(crate) async fn of_call(self: &Arc<Self>, call: &CallKey) -> Result<Option<String>, Failed> {
        let id = match &self.place {
            Place::Memory(calls) => lock(calls).get(call).copied(),
            Place::Redis { namespace, .. } => namespace.id_of(call).await.map_err(unread)?,
        };
        let Some(id) = id else { return Ok(None) };
        match self.read(&id.to_string(), str::to_owned).await {
            Err(Failed::Store(Error::ResponseUnavailable)) => Ok(None),
            found => found.map(Some),
        }
    }
}

/// The server of a configuration. Nothing is connected yet.
pub(crate) fn redis_store(redis: &Redis, ttl: Period) -> Result<RedisStore, Error> {
    RedisStore::new(&Options {
        url: redis.url.expose().to_owned(),
        prefix: redis.namespace.clone(),
        ttl: ttl.duration(),
        timeout: redis.timeout.duration(),
    })
}

/// Says when a server stops to answer and when it answers again, as long as this runs.
pub(crate) async fn watch(store: Arc<RedisStore>, log: Log) {
    let mut was_up = true;
    loop {
        let answer = store.ping().await;
        match &answer {
            Err(why) if was_up => log.error(format_args!("originals cannot be kept: {why}")),
            Ok(()) if !was_up => log.warn("originals can be kept again"),
            _ => {}
        }
        was_up = answer.is_ok();
        sleep(WATCH).await;
    }
}

/// The name of a principal's part of a server.
fn name(namespace: &str, principal: Principal) -> String {
    let principal = principal.map_or_else(|| "everybody".to_owned(), |hash| blake3::Hash::from_bytes(hash).to_hex().to_string());
    format!("{namespace} {principal}")
}

/// Why an original could not be looked for.
fn unread(error: Error) -> Failed {
    Failed::Store(Error::StoreFailed(format!("{}. The original may still be kept: try again in a few seconds", reason(error))))
}

fn reason(error: Error) -> String {
    match error {
        Error::StoreFailed(why) => why,
        other => other.to_string(),
    }
}
