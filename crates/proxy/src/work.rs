//! The blocking threads: payloads are parsed and fitted here, never on the threads that move messages.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// Jobs that run at a time.
const JOBS: usize = 4;

/// Messages above this are parsed here; below it the way here costs more.
pub(crate) const LARGE: usize = 64 << 10;

/// Runs work that takes long.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    room: Arc<Semaphore>,
}

impl Default for Work {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(JOBS)) }
    }
}

impl Work {
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
}
