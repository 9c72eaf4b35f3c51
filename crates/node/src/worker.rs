//! The process's workers: at most four jobs at a time, bounded in bytes, in the order they came.
//!
//! Threads of our own, not libuv's: its pool is small and shared with file system and DNS calls, and with it busy a small job waits for
//! hundreds of milliseconds. All environments of the process (main thread and worker threads) share these workers.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use napi_derive::napi;

use crate::error::{NativeFailure, contain};

/// Jobs at a time.
const THREADS: usize = 4;
/// Bytes of input being fitted at a time. A job that is larger runs alone.
const BYTES_IN_FLIGHT: usize = 256 << 20;

static POOL: Pool = Pool::new(THREADS, BYTES_IN_FLIGHT);

/// Runs `work` on a worker, and then `deliver` with what it gave: on the worker, or here if the job never ran. `weight` is the size of
/// its input in bytes.
pub(crate) fn submit<T: 'static>(
    weight: usize,
    cancel: Option<&Cancel>,
    work: impl FnOnce() -> Result<T, NativeFailure> + Send + 'static,
    deliver: impl FnOnce(Result<T, NativeFailure>) + Send + 'static,
) {
    let job = Job {
        weight,
        cancelled: cancel.map(|cancel| Arc::clone(&cancel.cancelled)),
        run: Box::new(move |start| deliver(start.and_then(|()| contain(work)))),
    };
    POOL.submit(job);
}

/// Takes calls that wait out of the queue. One that runs already is finished.
#[napi]
#[derive(Debug, Default)]
pub struct Cancel {
    cancelled: Arc<AtomicBool>,
}

#[napi]
impl Cancel {
    /// One that nothing has cancelled yet.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends every waiting call that was given this object with `ABORTED`, and every later one at once.
    #[napi(catch_unwind)]
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        POOL.abort_cancelled();
    }
}

struct Job {
    weight: usize,
    cancelled: Option<Arc<AtomicBool>>,
    /// Does the work and delivers its outcome; given a failure, delivers that instead.
    run: Box<dyn FnOnce(Result<(), NativeFailure>) + Send>,
}

impl Job {
    fn is_cancelled(&self) -> bool {
        self.cancelled.as_ref().is_some_and(|cancelled| cancelled.load(Ordering::SeqCst))
    }
}

struct Pool {
    threads: usize,
    bytes: usize,
    state: Mutex<State>,
    /// Signalled when a job comes, and when one that ends makes room.
    changed: Condvar,
}

struct State {
    waiting: VecDeque<Job>,
    /// Threads that exist. They never end: four that sleep cost next to nothing.
    threads: usize,
    running: usize,
    bytes: usize,
}

impl Pool {
    const fn new(threads: usize, bytes: usize) -> Self {
        let state = State { waiting: VecDeque::new(), threads: 0, running: 0, bytes: 0 };
        Self { threads, bytes, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn submit(&'static self, job: Job) {
        let mut state = self.lock();
        // Under the lock, so that a job cancelled meanwhile is seen here or by `abort_cancelled`.
        if job.is_cancelled() {
            drop(state);
            return (job.run)(Err(NativeFailure::aborted()));
        }
        state.waiting.push_back(job);
        if state.threads < self.threads && state.threads < state.running + state.waiting.len() {
            match thread::Builder::new().name("snugfit".into()).spawn(move || self.work()) {
                Ok(_) => state.threads += 1,
                Err(error) if state.threads == 0 => {
                    let job = state.waiting.pop_back();
                    drop(state);
                    if let Some(job) = job {
                        (job.run)(Err(NativeFailure::new("INTERNAL", format!("no thread could be started: {error}"))));
                    }
                    return;
                }
                // Those that exist do the job, later.
                Err(_) => {}
            }
        }
        self.changed.notify_one();
    }

    /// A thread's life.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            let Some(job) = self.next(&mut state) else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let weight = job.weight;
            state.running += 1;
            state.bytes += weight;
            drop(state);
            // The work is contained already; whatever happens while its outcome is delivered must not end this thread either.
            let _ = contain(|| {
                (job.run)(Ok(()));
                Ok(())
            });
            state = self.lock();
            state.running -= 1;
            state.bytes -= weight;
            // There may be room now for more than the one that this thread takes.
            self.changed.notify_all();
        }
    }

    /// The job whose turn it is, if there is room for it. None overtakes another.
    fn next(&self, state: &mut State) -> Option<Job> {
        let first = state.waiting.front()?;
        let room = state.running == 0 || state.bytes.saturating_add(first.weight) <= self.bytes;
        if room { state.waiting.pop_front() } else { None }
    }

    fn abort_cancelled(&self) {
        let aborted: Vec<Job> = {
            let mut state = self.lock();
            let (aborted, waiting) = std::mem::take(&mut state.waiting).into_iter().partition(Job::is_cancelled);
            state.waiting = waiting;
            self.changed.notify_all();
            aborted.into()
        };
        for job in aborted {
            (job.run)(Err(NativeFailure::aborted()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use super::*;

    /// Longer than anything here takes, so that a test fails rather than hangs.
    const LONG: Duration = Duration::from_secs(30);

    fn pool(threads: usize, bytes: usize) -> &'static Pool {
        Box::leak(Box::new(Pool::new(threads, bytes)))
    }

    /// A job that reports its start, then waits to be let go on.
    fn job(
        name: u32,
        weight: usize,
        cancel: Option<&Cancel>,
        started: &Sender<u32>,
    ) -> (Job, Sender<()>, Receiver<Result<(), NativeFailure>>) {
        let (go, wait) = channel();
        let (done, outcome) = channel();
        let started = started.clone();
        let run = Box::new(move |start: Result<(), NativeFailure>| {
            let outcome = start.and_then(|()| {
                contain(|| {
                    started.send(name).expect("the test listens");
                    assert!(wait.recv_timeout(LONG).is_ok(), "let go on by dropping: a panic");
                    Ok(())
                })
            });
            done.send(outcome).expect("the test listens");
        });
        (Job { weight, cancelled: cancel.map(|cancel| Arc::clone(&cancel.cancelled)), run }, go, outcome)
    }

    fn next(started: &Receiver<u32>) -> u32 {
        started.recv_timeout(LONG).expect("a job starts")
    }

    #[test]
    fn runs_so_many_at_a_time_and_the_rest_in_order() {
        let pool = pool(2, 100);
        let (tell, started) = channel();
        let mut jobs: VecDeque<_> = (0..5)
            .map(|name| {
                let (job, go, outcome) = job(name, 1, None, &tell);
                pool.submit(job);
                (go, outcome)
            })
            .collect();
        let mut first = [next(&started), next(&started)];
        first.sort_unstable();
        assert_eq!(first, [0, 1]);
        for name in 2..5 {
            assert!(started.recv_timeout(Duration::from_millis(20)).is_err(), "two run, job {name} has to wait");
            let (go, outcome) = jobs.pop_front().expect("a job that runs");
            go.send(()).expect("it waits");
            assert_eq!(outcome.recv_timeout(LONG), Ok(Ok(())));
            assert_eq!(next(&started), name);
        }
    }

    #[test]
    fn a_job_larger_than_all_room_runs_alone_and_nobody_overtakes_it() {
        let pool = pool(4, 100);
        let (tell, started) = channel();
        let submit = |name, weight| {
            let (job, go, outcome) = job(name, weight, None, &tell);
            pool.submit(job);
            (go, outcome)
        };
        let (small, large, late) = (submit(0, 60), submit(1, 1000), submit(2, 1));
        assert_eq!(next(&started), 0);
        assert!(started.recv_timeout(Duration::from_millis(20)).is_err(), "the large one waits, and the late one behind it");
        small.0.send(()).expect("it waits");
        assert_eq!(next(&started), 1);
        assert!(started.recv_timeout(Duration::from_millis(20)).is_err(), "the large one is alone");
        large.0.send(()).expect("it waits");
        assert_eq!(next(&started), 2);
        late.0.send(()).expect("it waits");
        assert_eq!(late.1.recv_timeout(LONG), Ok(Ok(())));
    }

    #[test]
    fn a_cancelled_call_leaves_the_queue_and_a_running_one_is_finished() {
        let pool = pool(1, 100);
        let (tell, started) = channel();
        let cancel = Cancel::new();
        let (running, go, running_outcome) = job(0, 1, Some(&cancel), &tell);
        let (waiting, _held, waiting_outcome) = job(1, 1, Some(&cancel), &tell);
        let (other, other_go, other_outcome) = job(2, 1, None, &tell);
        pool.submit(running);
        assert_eq!(next(&started), 0);
        pool.submit(waiting);
        pool.submit(other);

        cancel.cancelled.store(true, Ordering::SeqCst);
        pool.abort_cancelled();
        assert_eq!(waiting_outcome.recv_timeout(LONG).expect("ended").expect_err("aborted").code, "ABORTED");
        let (late, _held, late_outcome) = job(3, 1, Some(&cancel), &tell);
        pool.submit(late);
        assert_eq!(late_outcome.recv_timeout(LONG).expect("ended").expect_err("aborted").code, "ABORTED");

        go.send(()).expect("it waits");
        assert_eq!(running_outcome.recv_timeout(LONG), Ok(Ok(())));
        assert_eq!(next(&started), 2);
        other_go.send(()).expect("it waits");
        assert_eq!(other_outcome.recv_timeout(LONG), Ok(Ok(())));
    }

    #[test]
    fn a_panic_ends_its_own_job_only() {
        let pool = pool(1, 100);
        let (tell, started) = channel();
        let (broken, go, outcome) = job(0, 1, None, &tell);
        pool.submit(broken);
        assert_eq!(next(&started), 0);
        drop(go);
        assert_eq!(outcome.recv_timeout(LONG).expect("ended").expect_err("it panicked").code, "INTERNAL");

        let (whole, go, outcome) = job(1, 1, None, &tell);
        pool.submit(whole);
        assert_eq!(next(&started), 1);
        go.send(()).expect("it waits");
        assert_eq!(outcome.recv_timeout(LONG), Ok(Ok(())));
    }
}
