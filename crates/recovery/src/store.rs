//! Where originals are kept between a preview and its recovery.

use std::borrow::Cow;

use uuid::Uuid;

use crate::error::Error;

/// Keeps originals under their ids. Implementations are shared by threads and never show what they hold.
pub trait Store: Send + Sync {
    /// Keeps an original. Once this has returned, [`get`](Self::get) gives it back until it expires or has to make room.
    ///
    /// An id stands for one original only, so that putting it again merely renews it. An original that can never be kept is
    /// [`Error::OriginalTooLarge`].
    fn put(&self, id: Uuid, original: Cow<'_, [u8]>) -> Result<(), Error>;

    /// The original of an id, byte for byte, and renews it; `None` if it is unknown, has expired or had to make room.
    fn get(&self, id: Uuid) -> Result<Option<Vec<u8>>, Error>;

    /// Frees what has expired. Meant for a timer: nothing that has expired is ever handed out, swept or not.
    fn sweep(&self);

    /// Forgets everything and frees its memory.
    fn clear(&self);

    /// How much is kept now.
    fn stats(&self) -> Stats;
}

/// How much a store keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Originals.
    pub entries: usize,
    /// Bytes of originals as they are kept (compressed or not), and of their keys.
    pub bytes: usize,
}
