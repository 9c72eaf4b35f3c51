//! How long to wait before a server is started again.

use std::time::{Duration, Instant};

const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(30);
/// A connection that held this long was a good one: the next failure is a first one.
const GOOD: Duration = Duration::from_mins(1);

/// Waiting times that double, with jitter, up to a cap.
#[derive(Debug)]
pub(crate) struct Backoff {
    failures: u32,
    since: Instant,
}

impl Backoff {
    pub(crate) fn new() -> Self {
        Self { failures: 0, since: Instant::now() }
    }

    /// A connection begins.
    pub(crate) fn begin(&mut self) {
        self.since = Instant::now();
    }

    /// A connection ended: how long to wait.
    pub(crate) fn failed(&mut self) -> Duration {
        if self.since.elapsed() >= GOOD {
            self.failures = 0;
        }
        let delay = FIRST.saturating_mul(1 << self.failures.min(10)).min(LONGEST);
        self.failures += 1;
        // Between half and all of it, so that many proxies do not come back at one moment.
        let mut byte = [128];
        let _ = getrandom::fill(&mut byte);
        delay / 2 + delay * u32::from(byte[0]) / 510
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_cap() {
        let mut backoff = Backoff::new();
        let waits: Vec<Duration> = (0..12).map(|_| backoff.failed()).collect();
        for (at, wait) in waits.iter().enumerate() {
            let full = FIRST.saturating_mul(1 << at).min(LONGEST);
            assert!(*wait >= full / 2 && *wait <= full, "{at}: {wait:?}");
        }
    }
}
