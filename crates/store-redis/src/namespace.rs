//! The part of a server that belongs to one client of ours, or to one principal.

use std::fmt;
use std::sync::Arc;

use redis::Pipeline;
use snugfit_recovery::{Error, Kept, Key, Uuid};
use tokio::sync::OwnedSemaphorePermit;

use crate::seal::Seal;
use crate::store::RedisStore;

/// The part of a server that a key opens: ids of another mean nothing in it.
pub struct Namespace {
    store: Arc<RedisStore>,
    names: [u8; 32],
    seal: Seal,
}

/// An original as it stands on the server.
pub struct Sealed {
    id: Uuid,
    bytes: Vec<u8>,
    /// What it takes of the room for originals that were fetched.
    _room: Option<OwnedSemaphorePermit>,
}

/// What an entry is.
#[derive(Clone, Copy)]
enum Entry<'a> {
    /// The original of an id.
    Original(Uuid),
    /// The id of the original that a call gave.
    Call(&'a [u8; 32]),
}

impl Namespace {
    /// The namespace of the key that its ids are made with.
    #[must_use]
    pub fn new(store: &Arc<RedisStore>, key: &Key) -> Self {
        Self {
            store: Arc::clone(store),
            names: key.for_purpose("snugfit 2026-11-30 names of entries in Redis"),
            seal: Seal::new(key.for_purpose("snugfit 2026-11-30 values of entries in Redis")),
        }
    }

    /// An original, compressed if that pays, and encrypted. Takes time where it is large.
    ///
    /// # Errors
    /// The system has no random numbers to give.
    pub fn seal(&self, id: Uuid, original: &[u8]) -> Result<Sealed, Error> {
        let bytes = self.seal.seal(&self.name(Entry::Original(id)), Kept::new(original.into()).into_bytes())?;
        Ok(Sealed { id, bytes, _room: None })
    }

    /// The original; `None` where this namespace never sealed it. Takes time where it is large.
    #[must_use]
    pub fn open(&self, sealed: Sealed) -> Option<Vec<u8>> {
        let kept = self.seal.open(&self.name(Entry::Original(sealed.id)), sealed.bytes)?;
        Kept::from_bytes(kept)?.original().ok()
    }

    /// Keeps an original, and remembers which call gave it.
    ///
    /// # Errors
    /// [`Error::StoreFailed`] where the server has not confirmed that it keeps it.
    pub async fn put(&self, original: Sealed, call: Option<&[u8; 32]>) -> Result<(), Error> {
        let mut commands = redis::pipe();
        self.set(&mut commands, Entry::Original(original.id), &original.bytes);
        if let Some(call) = call.map(Entry::Call) {
            let id = self.seal.seal(&self.name(call), original.id.as_bytes().to_vec())?;
            self.set(&mut commands, call, &id);
        }
        self.store.ask(&commands).await
    }

    /// The original of an id, and renews it; `None` if it is unknown, has expired or had to make room. Waits while many were fetched that nobody has
    /// opened yet.
    ///
    /// # Errors
    /// [`Error::StoreFailed`] where the server does not answer.
    pub async fn get(&self, id: Uuid) -> Result<Option<Sealed>, Error> {
        let room = Arc::clone(&self.store.fetching).acquire_owned().await.ok();
        Ok(self.value(Entry::Original(id)).await?.map(|bytes| Sealed { id, bytes, _room: room }))
    }

    /// The id of the original that a call gave, and renews it.
    ///
    /// # Errors
    /// [`Error::StoreFailed`] where the server does not answer.
    pub async fn id_of(&self, call: &[u8; 32]) -> Result<Option<Uuid>, Error> {
        let call = Entry::Call(call);
        let sealed = self.value(call).await?;
        Ok(sealed.and_then(|sealed| Uuid::from_slice(&self.seal.open(&self.name(call), sealed)?).ok()))
    }

    fn set(&self, commands: &mut Pipeline, entry: Entry<'_>, value: &[u8]) {
        commands.cmd("SET").arg(self.key(entry)).arg(value).arg("PX").arg(self.millis()).ignore();
    }

    async fn value(&self, entry: Entry<'_>) -> Result<Option<Vec<u8>>, Error> {
        let mut commands = redis::pipe();
        commands.cmd("GETEX").arg(self.key(entry)).arg("PX").arg(self.millis());
        let (value,) = self.store.ask(&commands).await?;
        Ok(value)
    }

    fn millis(&self) -> u64 {
        self.store.ttl.as_millis().clamp(1, u128::from(u64::MAX)) as u64
    }

    /// The key of an entry on the server.
    fn key(&self, entry: Entry<'_>) -> String {
        let name = self.name(entry).map(|byte| format!("{byte:02x}")).concat();
        format!("{}:{name}", self.store.prefix)
    }

    /// The name of an entry: a keyed hash, from which nobody learns what it stands for.
    fn name(&self, entry: Entry<'_>) -> [u8; 16] {
        let (kind, stands_for): (u8, &[u8]) = match &entry {
            Entry::Original(id) => (0, id.as_bytes()),
            Entry::Call(call) => (1, *call),
        };
        let hash = blake3::Hasher::new_keyed(&self.names).update(&[kind]).update(stands_for).finalize();
        let mut name = [0; 16];
        name.copy_from_slice(&hash.as_bytes()[..16]);
        name
    }
}

impl fmt::Debug for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Namespace").field("store", &self.store).finish_non_exhaustive()
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealed").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}
