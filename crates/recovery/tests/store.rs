//! The memory store against a simple model, and its promises one by one.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use snugfit_recovery::{Error, Key, Limits, MemoryStore, Stats, Store, Uuid};

/// A clock that stands still until it is told to go on.
#[derive(Clone, Default)]
struct Clock(Arc<AtomicU64>);

impl Clock {
    fn advance(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }

    fn store(&self, limits: Limits) -> MemoryStore {
        let (ms, start) = (Arc::clone(&self.0), Instant::now());
        MemoryStore::with_clock(limits, move || start + Duration::from_millis(ms.load(Ordering::SeqCst))).unwrap()
    }
}

fn limits(entries: usize, bytes: usize, ttl_ms: u64) -> Limits {
    Limits { entries, bytes, ttl: Duration::from_millis(ttl_ms) }
}

fn id(original: &[u8]) -> Uuid {
    Key::from([9; 32]).id(original)
}

/// What an original counts: as it is kept, with its key.
fn cost(original: &[u8]) -> usize {
    let store = MemoryStore::new(Limits::default()).unwrap();
    store.put(id(original), original.into()).unwrap();
    store.stats().bytes
}

/// Originals of all sorts: empty, text, not UTF-8, and some that are compressed.
fn original(which: u8) -> Vec<u8> {
    match which % 4 {
        0 => vec![0xff, which, 0x00, 0xed, 0xa0, 0x80],
        1 => format!("original {which} ").repeat(usize::from(which)).into_bytes(),
        2 => format!("a line of original {which}\n").repeat(400).into_bytes(),
        _ => vec![],
    }
}

#[derive(Debug, Clone)]
enum Step {
    Put(u8),
    Get(u8),
    Advance(u64),
    Sweep,
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0u8..16).prop_map(Step::Put),
        4 => (0u8..16).prop_map(Step::Get),
        2 => (1u64..60).prop_map(Step::Advance),
        1 => Just(Step::Sweep),
        1 => Just(Step::Clear),
    ]
}

/// The store as a list, from the least to the most recently used.
struct Model {
    limits: Limits,
    now: u64,
    entries: Vec<(Vec<u8>, usize, u64)>,
}

impl Model {
    fn stats(&self) -> Stats {
        Stats { entries: self.entries.len(), bytes: self.entries.iter().map(|(_, cost, _)| cost).sum() }
    }

    fn drop_expired(&mut self) {
        self.entries.retain(|(.., expires)| *expires > self.now);
    }

    fn use_again(&mut self, original: &[u8]) -> bool {
        let expires = self.now + self.limits.ttl.as_millis() as u64;
        let Some(at) = self.entries.iter().position(|(kept, ..)| kept == original) else { return false };
        let (kept, cost, _) = self.entries.remove(at);
        self.entries.push((kept, cost, expires));
        true
    }

    fn put(&mut self, original: &[u8]) -> bool {
        if original.len() + 16 > self.limits.bytes {
            return false;
        }
        self.drop_expired();
        if !self.use_again(original) {
            let cost = cost(original);
            while self.entries.len() >= self.limits.entries || self.stats().bytes + cost > self.limits.bytes {
                self.entries.remove(0);
            }
            self.entries.push((original.to_vec(), cost, 0));
            self.use_again(original);
        }
        true
    }

    fn get(&mut self, original: &[u8]) -> bool {
        self.drop_expired();
        self.use_again(original)
    }
}

proptest! {
    #[test]
    fn does_what_a_simple_model_does_and_stays_within_its_bounds_at_every_step(
        entries in 1usize..6,
        bytes in 1usize..12_000,
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let limits = limits(entries, bytes, 100);
        let clock = Clock::default();
        let store = clock.store(limits);
        let mut model = Model { limits, now: 0, entries: vec![] };
        for step in steps {
            match step {
                Step::Put(which) => {
                    let original = original(which);
                    match store.put(id(&original), original.as_slice().into()) {
                        Ok(()) => prop_assert!(model.put(&original)),
                        Err(Error::OriginalTooLarge { bytes, limit }) => {
                            prop_assert_eq!((bytes, limit), (original.len() + 16, limits.bytes));
                            prop_assert!(!model.put(&original));
                        }
                        Err(other) => prop_assert!(false, "unexpected: {other}"),
                    }
                }
                Step::Get(which) => {
                    let original = original(which);
                    let expected = model.get(&original).then(|| original.clone());
                    prop_assert_eq!(store.get(id(&original)).unwrap(), expected);
                }
                Step::Advance(ms) => {
                    clock.advance(ms);
                    model.now += ms;
                }
                Step::Sweep => {
                    store.sweep();
                    model.drop_expired();
                }
                Step::Clear => {
                    store.clear();
                    model.entries.clear();
                }
            }
            let stats = store.stats();
            prop_assert_eq!(stats, model.stats());
            prop_assert!(stats.entries <= limits.entries && stats.bytes <= limits.bytes, "{:?} over {:?}", stats, limits);
        }
    }

    #[test]
    fn any_bytes_come_back_as_they_were(seed in prop::collection::vec(any::<u8>(), 0..600), times in 1usize..40) {
        let original = seed.repeat(times);
        let store = MemoryStore::new(Limits::default()).unwrap();
        store.put(id(&original), original.as_slice().into()).unwrap();
        prop_assert_eq!(store.get(id(&original)).unwrap(), Some(original));
    }
}

#[test]
fn a_read_renews_the_time_and_what_expires_is_gone() {
    let clock = Clock::default();
    let store = clock.store(limits(8, 1000, 100));
    store.put(id(b"read"), b"read".into()).unwrap();
    store.put(id(b"left"), b"left".into()).unwrap();
    clock.advance(99);
    assert!(store.get(id(b"read")).unwrap().is_some());
    clock.advance(1);
    assert_eq!(store.get(id(b"left")).unwrap(), None, "100 ms after it was put");
    clock.advance(98);
    assert!(store.get(id(b"read")).unwrap().is_some(), "99 ms after it was read");
}

#[test]
fn a_sweep_frees_what_has_expired_without_anybody_asking_for_it() {
    let clock = Clock::default();
    let store = clock.store(limits(8, 1000, 100));
    store.put(id(b"first"), b"first".into()).unwrap();
    clock.advance(50);
    store.put(id(b"second"), b"second".into()).unwrap();
    clock.advance(50);
    assert_eq!(store.stats().entries, 2);
    store.sweep();
    assert_eq!(store.stats(), Stats { entries: 1, bytes: cost(b"second") });
}

#[test]
fn the_expired_make_room_before_the_living() {
    let clock = Clock::default();
    let store = clock.store(limits(2, 1000, 100));
    store.put(id(b"expired"), b"expired".into()).unwrap();
    clock.advance(60);
    store.put(id(b"living"), b"living".into()).unwrap();
    clock.advance(60);
    store.put(id(b"new"), b"new".into()).unwrap();
    assert!(store.get(id(b"living")).unwrap().is_some());
    assert!(store.get(id(b"new")).unwrap().is_some());
}

#[test]
fn the_least_recently_used_makes_room_and_a_read_is_a_use() {
    let store = MemoryStore::new(limits(2, 1000, 100_000)).unwrap();
    store.put(id(b"a"), b"a".into()).unwrap();
    store.put(id(b"b"), b"b".into()).unwrap();
    assert!(store.get(id(b"a")).unwrap().is_some());
    store.put(id(b"c"), b"c".into()).unwrap();
    assert_eq!(store.get(id(b"b")).unwrap(), None);
    assert!(store.get(id(b"a")).unwrap().is_some());
}

#[test]
fn the_default_limits_are_those_of_the_documents() {
    assert_eq!(Limits::default(), limits(128, 64 * 1024 * 1024, 300_000));
}

#[test]
fn limits_of_zero_are_told_by_name() {
    for (limits, option) in [(limits(0, 1, 1), "store.entries"), (limits(1, 0, 1), "store.bytes"), (limits(1, 1, 0), "store.ttlMs")] {
        let error = MemoryStore::new(limits).unwrap_err();
        assert_eq!(error, Error::InvalidOption { option, message: "must be at least 1, not 0".into() });
    }
}

#[test]
fn threads_that_put_the_same_original_store_it_once() {
    let store = MemoryStore::new(Limits::default()).unwrap();
    let original = original(2);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| store.put(id(&original), original.as_slice().into()).unwrap());
        }
    });
    assert_eq!(store.stats(), Stats { entries: 1, bytes: cost(&original) });
}

#[test]
fn debug_output_hides_what_is_kept() {
    let store = MemoryStore::new(Limits::default()).unwrap();
    store.put(id(b"secret"), b"secret".into()).unwrap();
    let debug = format!("{store:?}");
    assert!(debug.contains("entries: 1") && !debug.contains("secret") && !debug.contains(&id(b"secret").to_string()), "{debug}");
}
