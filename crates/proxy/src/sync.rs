//! Locks that a panic elsewhere does not lock for ever.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The guard of a mutex, whether or not somebody panicked with it: what is behind these is whole at every moment.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
