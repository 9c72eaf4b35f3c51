//! The store in process memory: bounded in entries, bytes and time.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;
use uuid::Uuid;

use crate::error::Error;
use crate::kept::Kept;
use crate::store::{Stats, Store};

/// The limits of a [`MemoryStore`]; all hold at every moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Originals at most.
    pub entries: usize,
    /// Bytes at most, of originals as they are kept and of their keys. An original that is larger before compression is refused.
    pub bytes: usize,
    /// How long an original is kept after it was stored or read last.
    pub ttl: Duration,
}

impl Default for Limits {
    /// 128 entries, 64 MiB, 5 minutes.
    fn default() -> Self {
        Self { entries: 128, bytes: 64 << 20, ttl: Duration::from_mins(5) }
    }
}

impl Limits {
    fn validate(&self) -> Result<(), Error> {
        let zero = [("store.entries", self.entries == 0), ("store.bytes", self.bytes == 0), ("store.ttlMs", self.ttl.is_zero())];
        match zero.into_iter().find(|(_, zero)| *zero) {
            Some((option, _)) => Err(Error::InvalidOption { option, message: "must be at least 1, not 0".into() }),
            None => Ok(()),
        }
    }
}

/// A clock: tells the time, never going back.
type Clock = Box<dyn Fn() -> Instant + Send + Sync>;

/// Keeps originals in memory; the least recently used makes room first, and whatever has expired goes before that.
pub struct MemoryStore {
    limits: Limits,
    clock: Clock,
    entries: Mutex<Entries>,
}

/// What the bytes of a key count.
const KEY_BYTES: usize = size_of::<Uuid>();

impl MemoryStore {
    /// An empty store with these limits.
    pub fn new(limits: Limits) -> Result<Self, Error> {
        Self::with_clock(limits, Instant::now)
    }

    /// An empty store that asks `clock` for the time.
    pub fn with_clock(limits: Limits, clock: impl Fn() -> Instant + Send + Sync + 'static) -> Result<Self, Error> {
        limits.validate()?;
        Ok(Self { limits, clock: Box::new(clock), entries: Mutex::new(Entries::default()) })
    }

    /// The entries without those that have expired, and the time. The clock is read under the lock, so that the order of uses is the
    /// order of their times.
    fn live(&self) -> (MutexGuard<'_, Entries>, Instant) {
        let mut entries = self.lock();
        let now = (self.clock)();
        entries.drop_expired(now);
        (entries, now)
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn put(&self, id: Uuid, original: Cow<'_, [u8]>) -> Result<(), Error> {
        let size = original.len() + KEY_BYTES;
        if size > self.limits.bytes {
            return Err(Error::OriginalTooLarge { bytes: size, limit: self.limits.bytes });
        }
        {
            let (mut entries, now) = self.live();
            if entries.renew(&id, now + self.limits.ttl).is_some() {
                return Ok(());
            }
        }
        // Compressing takes long and needs nobody's lock.
        let kept = Arc::new(Kept::new(original));
        let (mut entries, now) = self.live();
        entries.insert(id, kept, now + self.limits.ttl, &self.limits);
        Ok(())
    }

    fn get(&self, id: Uuid) -> Result<Option<Vec<u8>>, Error> {
        let kept = {
            let (mut entries, now) = self.live();
            entries.renew(&id, now + self.limits.ttl)
        };
        kept.map(|kept| kept.original()).transpose()
    }

    fn sweep(&self) {
        drop(self.live());
    }

    fn clear(&self) {
        *self.lock() = Entries::default();
    }

    fn stats(&self) -> Stats {
        let entries = self.lock();
        Stats { entries: entries.by_use.len(), bytes: entries.bytes }
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("limits", &self.limits).field("stats", &self.stats()).finish_non_exhaustive()
    }
}

struct Entry {
    kept: Arc<Kept>,
    expires: Instant,
}

impl Entry {
    fn size(&self) -> usize {
        self.kept.size() + KEY_BYTES
    }
}

/// Entries from the least to the most recently used. Every use renews an entry by the same time, so this is the order in which they
/// expire, too.
struct Entries {
    by_use: LruCache<Uuid, Entry>,
    bytes: usize,
}

impl Default for Entries {
    fn default() -> Self {
        Self { by_use: LruCache::unbounded(), bytes: 0 }
    }
}

impl Entries {
    fn drop_expired(&mut self, now: Instant) {
        while self.by_use.peek_lru().is_some_and(|(_, entry)| entry.expires <= now) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some((_, entry)) = self.by_use.pop_lru() {
            self.bytes -= entry.size();
        }
    }

    /// Makes an entry the most recently used one.
    fn renew(&mut self, id: &Uuid, expires: Instant) -> Option<Arc<Kept>> {
        let entry = self.by_use.get_mut(id)?;
        entry.expires = expires;
        Some(Arc::clone(&entry.kept))
    }

    /// Adds an entry after it has made room for it.
    fn insert(&mut self, id: Uuid, kept: Arc<Kept>, expires: Instant, limits: &Limits) {
        // Another thread may have put the same original meanwhile.
        if self.renew(&id, expires).is_some() {
            return;
        }
        let entry = Entry { kept, expires };
        let room = limits.bytes - entry.size();
        while self.by_use.len() >= limits.entries || self.bytes > room {
            self.drop_oldest();
        }
        self.bytes += entry.size();
        self.by_use.put(id, entry);
    }
}
