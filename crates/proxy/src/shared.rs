//! What all sessions of a proxy have in common.

use std::sync::OnceLock;

use tokio::sync::Semaphore;

use crate::config::{Config, Policy};
use crate::log::Log;
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
}

impl Shared {
    pub(crate) fn new(config: Config, policy: Policy, log: Log) -> Self {
        let calls = Semaphore::new(config.limits.calls.clamp(1, Semaphore::MAX_PERMITS));
        Self { config, policy, log, work: Work::default(), reaper: Reaper::default(), calls, http: OnceLock::new() }
    }
}
