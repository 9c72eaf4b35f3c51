//! The blocking threads: payloads are parsed and fitted here, never on the threads that move messages.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Jobs that run at a time.
const JOBS: usize = 4;

/// Messages above this are parsed here; below it the way here costs more.
pub(crate) const LARGE: usize = 64 << 10;

/// What is counted of memory at a time.
const UNIT: usize = 4 << 10;

/// Runs work that takes long, and bounds the bytes of the large messages that are worked on.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    room: Arc<Semaphore>,
    memory: Arc<Semaphore>,
    /// The units of the memory in all.
    units: usize,
}

impl Work {
    /// Work on messages of at most `largest` bytes, of which two fit into memory at a time.
    pub(crate) fn new(largest: usize) -> Self {
        let units = (2 * largest.div_ceil(UNIT)).clamp(2 * LARGE / UNIT, (u32::MAX as usize).min(Semaphore::MAX_PERMITS));
        Self { room: Arc::new(Semaphore::new(JOBS)), memory: Arc::new(Semaphore::new(units)), units }
    }

    /// Runs `job` on a blocking thread, once there is room; more wait in order.
    ///
    /// # Errors
    /// Where the job panicked; what it said is on stderr.
    pub(crate) async fn run<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
        let room = Arc::clone(&self.room).acquire_owned().await.map_err(|error| error.to_string())?;
        let done = tokio::task::spawn_blocking(move || {
            let _room = room;
            job()
        });
        done.await.map_err(|_| "snugfit failed while it worked on a message: please report this".to_owned())
    }

    /// Does what takes a message of so many bytes apart: as [`run`](Self::run) does where it is large, else at once.
    pub(crate) async fn sized<T: Send + 'static>(&self, bytes: usize, job: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
        if bytes <= LARGE { Ok(job()) } else { self.run(job).await }
    }

    /// Memory for a message of so many bytes, once there is any. Whoever waits for it must hold none.
    pub(crate) async fn memory(&self, bytes: usize) -> Option<Memory> {
        Arc::clone(&self.memory).acquire_many_owned(self.count(bytes)).await.ok().map(Arc::new)
    }

    /// As [`memory`](Self::memory), if there is any now.
    pub(crate) fn memory_now(&self, bytes: usize) -> Option<Memory> {
        Arc::clone(&self.memory).try_acquire_many_owned(self.count(bytes)).ok().map(Arc::new)
    }

    fn count(&self, bytes: usize) -> u32 {
        bytes.div_ceil(UNIT).min(self.units) as u32
    }
}

/// Memory that a large message takes, until nobody holds this any longer.
pub(crate) type Memory = Arc<OwnedSemaphorePermit>;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn no_more_jobs_run_than_there_is_room_for() {
        let work = Work::new(LARGE);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let jobs: Vec<_> = (0..32)
            .map(|_| {
                let (work, running, most) = (work.clone(), Arc::clone(&running), Arc::clone(&most));
                tokio::spawn(async move {
                    let job = move || {
                        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        running.fetch_sub(1, Ordering::SeqCst);
                    };
                    work.run(job).await
                })
            })
            .collect();
        for job in jobs {
            job.await.expect("no panic").expect("no panic");
        }
        assert!((1..=JOBS).contains(&most.load(Ordering::SeqCst)));
    }

    #[tokio::test]
    async fn large_messages_take_turns_where_memory_is_short() {
        let work = Work::new(1 << 20);
        let first = work.memory(2 << 20).await.expect("memory");
        assert!(work.memory_now(LARGE).is_none());
        drop(first);
        // One above all that there is takes all, and no more.
        assert!(work.memory_now(1 << 30).is_some());
        assert!(work.memory_now(LARGE).is_some());
    }
}
