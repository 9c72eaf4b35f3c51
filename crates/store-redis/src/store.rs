//! A server that keeps originals.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use redis::{Client, ConnectionAddr, FromRedisValue, IntoConnectionInfo, Pipeline};
use snugfit_recovery::Error;
use tokio::sync::Semaphore;

use crate::link::Link;

/// Originals that may be in memory at a time, fetched and not opened: whoever asks for many large ones waits.
const MOST_FETCHED: usize = 8;

/// Where originals are kept, and how.
#[derive(Clone, PartialEq, Eq)]
pub struct Options {
    /// `redis://[user:password@]host[:port][/database]`, or `rediss://…` with TLS.
    pub url: String,
    /// What the names of all entries begin with, before a colon.
    pub prefix: String,
    /// How long an original is kept after it was stored or read last.
    pub ttl: Duration,
    /// The longest that a request to the server may take.
    pub timeout: Duration,
}

impl Options {
    /// A server with five minutes for originals and two seconds for requests.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), prefix: "snugfit".to_owned(), ttl: Duration::from_mins(5), timeout: Duration::from_secs(2) }
    }
}

/// A server that keeps originals. Nothing is connected until something is asked of it.
pub struct RedisStore {
    link: Link,
    /// Room for originals that were fetched and are not opened yet.
    pub(crate) fetching: Arc<Semaphore>,
    pub(crate) prefix: String,
    pub(crate) ttl: Duration,
    is_up: AtomicBool,
    answered: AtomicU64,
    failed: AtomicU64,
    nanos: AtomicU64,
}

/// How requests to a server went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// The last request was answered.
    pub is_up: bool,
    /// Requests that were answered.
    pub answered: u64,
    /// Requests that failed.
    pub failed: u64,
    /// What all requests took together.
    pub took: Duration,
}

impl RedisStore {
    /// The server at an address.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] where the address cannot be read, or would leave the server's certificate unchecked.
    pub fn new(options: &Options) -> Result<Self, Error> {
        let invalid = |message: String| Error::InvalidOption { option: "store.redis.url", message };
        // The reason may repeat the address, which may hold a password.
        let unread = |_| invalid("cannot be read: expected redis://host:6379, or rediss://host:6379 with TLS".to_owned());
        let info = options.url.as_str().into_connection_info().map_err(unread)?;
        if matches!(info.addr(), ConnectionAddr::TcpTls { insecure: true, .. }) {
            return Err(invalid(
                "#insecure would leave the server's certificate unchecked; name its authority in SSL_CERT_FILE".to_owned(),
            ));
        }
        let client = Client::open(info).map_err(unread)?;
        Ok(Self {
            link: Link::new(client, options.timeout),
            fetching: Arc::new(Semaphore::new(MOST_FETCHED)),
            prefix: options.prefix.clone(),
            ttl: options.ttl,
            is_up: AtomicBool::new(false),
            answered: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            nanos: AtomicU64::new(0),
        })
    }

    /// Whether the server answers.
    ///
    /// # Errors
    /// [`Error::StoreFailed`] with the reason where it does not.
    pub async fn ping(&self) -> Result<(), Error> {
        self.ask(redis::pipe().cmd("PING").ignore()).await
    }

    /// How requests went so far.
    #[must_use]
    pub fn figures(&self) -> Figures {
        Figures {
            is_up: self.is_up.load(Ordering::Relaxed),
            answered: self.answered.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            took: Duration::from_nanos(self.nanos.load(Ordering::Relaxed)),
        }
    }

    pub(crate) async fn ask<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, Error> {
        let started = Instant::now();
        let answer = self.link.ask(commands).await;
        self.nanos.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.is_up.store(answer.is_ok(), Ordering::Relaxed);
        if answer.is_ok() { &self.answered } else { &self.failed }.fetch_add(1, Ordering::Relaxed);
        answer.map_err(|why| Error::StoreFailed(format!("Redis: {why}")))
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("prefix", &self.prefix).field("figures", &self.figures()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_cannot_be_used_is_told_without_its_password() {
        for url in ["cache:6379", "http://h", "redis://", "redis://:hush@h:x", "redis://u:hush@h/x", "rediss://:hush@h/#insecure", ""] {
            let error = RedisStore::new(&Options::new(url)).expect_err(url);
            assert!(matches!(error, Error::InvalidOption { option: "store.redis.url", .. }), "{url}: {error}");
            assert!(!error.to_string().contains("hush"), "{error}");
        }
        for url in ["redis://cache", "redis://:hush@cache:6380/3", "rediss://user:hush@cache"] {
            let store = RedisStore::new(&Options::new(url)).expect(url);
            assert!(!format!("{store:?}").contains("hush"), "{store:?}");
        }
    }
}
