//! What all sessions of a proxy have in common.

use std::sync::{Arc, OnceLock};

use tokio::sync::Semaphore;

use crate::config::{Config, Policy};
use crate::log::Log;
use crate::observe::{Health, Observe, Observing};
use crate::upstream::Reaper;
use crate::work::Work;

/// What all sessions of a proxy have in common.
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) policy: Policy,
    pub(crate) log: Log,
    pub(crate) work: Work,
    pub(crate) reaper: Reaper,
    /// Room for calls of all sessions together.
    pub(crate) calls: Semaphore,
    /// For servers behind a URL; made when the first is reached.
    pub(crate) http: OnceLock<Result<reqwest::Client, String>>,
    pub(crate) health: Arc<Health>,
    /// What operators see.
    pub(crate) observing: Observing,
}

impl Shared {
    pub(crate) fn new(config: Config, policy: Policy, log: Log) -> Self {
        let calls = Semaphore::new(config.limits.calls.clamp(1, Semaphore::MAX_PERMITS));
        let work = Work::new(config.limits.message_bytes.bytes());
        let health = Health::new(config.active().map(|(name, _)| name));
        Self { config, policy, log, work, reaper: Reaper::default(), calls, http: OnceLock::new(), health, observing: Observing::default() }
    }

    /// What observes the proxy, if anything does.
    pub(crate) fn observe(&self) -> Option<&Arc<Observe>> {
        self.observing.get()
    }

    /// The figures, in the text format of Prometheus.
    pub(crate) fn metrics(&self) -> String {
        self.observe().map_or_else(String::new, |observe| observe.metrics(&self.health))
    }
}
