//! What all sessions of a proxy have in common.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use reqwest::Url;
use snugfit_store_redis::RedisStore;
use tokio::sync::Semaphore;

use crate::config::{Config, Policy};
use crate::error::Error;
use crate::log::Log;
use crate::oauth::Credentials;
use crate::observe::{Health, Observe, Observing};
use crate::originals::redis_store;
use crate::programs::Place;
use crate::sync::lock;
use crate::upstream::{Carrier, Reaper};
use crate::work::Work;

/// What all sessions of a proxy have in common.
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) policy: Policy,
    pub(crate) log: Log,
    pub(crate) work: Work,
    pub(crate) reaper: Reaper,
    /// A server that keeps originals, where the configuration names one.
    pub(crate) store: Option<Arc<RedisStore>>,
    /// Room for calls of all sessions together.
    pub(crate) calls: Semaphore,
    /// For servers behind a URL; made when the first is reached.
    pub(crate) http: OnceLock<Result<Carrier, String>>,
    /// The user's logins, by the servers' names.
    logins: Mutex<HashMap<String, Arc<Credentials>>>,
    pub(crate) health: Arc<Health>,
    /// What operators see.
    pub(crate) observing: Observing,
    /// Where programs are that stand in the place of the tools, if any do.
    place: OnceLock<Place>,
}

impl Shared {
    pub(crate) fn new(config: Config, policy: Policy, log: Log) -> Result<Self, Error> {
        let calls = Semaphore::new(config.limits.calls.clamp(1, Semaphore::MAX_PERMITS));
        let work = Work::new(config.limits.message_bytes.bytes());
        let store = config.store.redis.as_ref().map(|redis| redis_store(redis, config.store.ttl)).transpose()?.map(Arc::new);
        let health = Health::new(config.active().map(|(name, _)| name), store.clone());
        let (reaper, http, logins, observing) = (Reaper::default(), OnceLock::new(), Mutex::default(), Observing::default());
        Ok(Self { config, policy, log, work, reaper, store, calls, http, logins, health, observing, place: OnceLock::new() })
    }

    /// The user's login to a server, which all sessions show.
    pub(crate) fn login(&self, name: &str, url: &Url, http: &reqwest::Client) -> Result<Arc<Credentials>, String> {
        let mut logins = lock(&self.logins);
        if let Some(login) = logins.get(name) {
            return Ok(Arc::clone(login));
        }
        let login = Arc::new(Credentials::new(name, url, http.clone())?);
        logins.insert(name.to_owned(), Arc::clone(&login));
        Ok(login)
    }

    /// What observes the proxy, if anything does.
    pub(crate) fn observe(&self) -> Option<&Arc<Observe>> {
        self.observing.get()
    }

    /// Programs stand in the place of the tools.
    pub(crate) fn place(&self, place: Place) {
        let _ = self.place.set(place);
    }

    /// Where programs are that stand in the place of the tools, if any do.
    pub(crate) fn programs(&self) -> Option<&Place> {
        self.place.get()
    }

    /// The figures, in the text format of Prometheus.
    pub(crate) fn metrics(&self) -> String {
        self.observe().map_or_else(String::new, |observe| observe.metrics(&self.health))
    }
}
