//! Originals in a real Redis, and what becomes of them when it fails. Where `redis-server` is not installed the tests say so and pass.

mod server;

use std::sync::Arc;
use std::time::Duration;

use server::Server;
use snugfit_recovery::{Error, Key, Uuid};
use snugfit_store_redis::{Namespace, Options, RedisStore};

/// What one process has of a namespace.
struct Process {
    store: Arc<RedisStore>,
    key: Key,
    namespace: Namespace,
}

impl Process {
    fn new(url: impl Into<String>, secret: &str, name: &str) -> Self {
        Self::with(&Options { timeout: Duration::from_millis(400), ..Options::new(url) }, secret, name)
    }

    fn with(options: &Options, secret: &str, name: &str) -> Self {
        let store = Arc::new(RedisStore::new(options).expect("an address"));
        let key = Key::derive(secret, name);
        Self { namespace: Namespace::new(&store, &key), store, key }
    }

    async fn keep(&self, original: &[u8], call: Option<&[u8; 32]>) -> Result<Uuid, Error> {
        let id = self.key.id(original);
        self.namespace.put(self.namespace.seal(id, original)?, call).await?;
        Ok(id)
    }

    async fn recover(&self, id: Uuid) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.namespace.get(id).await?.and_then(|sealed| self.namespace.open(sealed)))
    }
}

fn why<T>(outcome: Result<T, Error>) -> String {
    match outcome {
        Err(Error::StoreFailed(why)) => why,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it must fail"),
    }
}

/// Bytes that do not shrink: those of a linear congruential generator.
fn noise(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(200_000).collect()
}

const CALL: [u8; 32] = [3; 32];

#[tokio::test]
async fn what_one_process_keeps_another_gives_back() {
    let Some(server) = Server::start(&[]) else { return };
    let (one, two) = (Process::new(server.url(), "secret", "a"), Process::new(server.url(), "secret", "a"));
    for original in [b"".to_vec(), "a line of a log\n".repeat(1000).into_bytes(), noise(0), vec![0xff, 0, 0xed, 0xa0, 0x80]] {
        let id = one.keep(&original, Some(&CALL)).await.expect("kept");
        assert!(two.recover(id).await == Ok(Some(original)));
        assert_eq!(two.namespace.id_of(&CALL).await, Ok(Some(id)));
    }
    assert_eq!(two.namespace.id_of(&[4; 32]).await, Ok(None));
}

#[tokio::test]
async fn under_another_secret_or_name_there_is_nothing() {
    let Some(server) = Server::start(&[]) else { return };
    let one = Process::new(server.url(), "secret", "a");
    let id = one.keep(b"original", Some(&CALL)).await.expect("kept");
    for (secret, name) in [("another", "a"), ("secret", "b"), ("secret", "")] {
        let other = Process::new(server.url(), secret, name);
        assert_eq!(other.recover(id).await, Ok(None), "{secret} {name}");
        assert_eq!(other.namespace.id_of(&CALL).await, Ok(None), "{secret} {name}");
    }
}

#[tokio::test]
async fn the_server_learns_neither_an_original_nor_an_id() {
    let Some(server) = Server::start(&[]) else { return };
    let one = Process::new(server.url(), "secret", "tenant-a");
    let id = one.keep(b"a confidential original", Some(&CALL)).await.expect("kept");
    let keys: Vec<String> = server.ask(&["KEYS", "*"]).await;
    assert_eq!(keys.len(), 2);
    for key in keys {
        assert!(key.starts_with("snugfit:") && !key.contains("tenant") && !key.contains(&id.simple().to_string()), "{key}");
        let value: Vec<u8> = server.ask(&["GET", &key]).await;
        let holds = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
        assert!(!holds(b"confidential") && !holds(id.as_bytes()), "{key}");
    }
}

#[tokio::test]
async fn an_entry_that_somebody_wrote_is_none() {
    let Some(server) = Server::start(&[]) else { return };
    let one = Process::new(server.url(), "secret", "a");
    let (first, second) = (one.keep(b"first", None).await.expect("kept"), one.keep(b"second", None).await.expect("kept"));
    let keys: Vec<String> = server.ask(&["KEYS", "*"]).await;
    let () = server.ask(&["COPY", &keys[0], &keys[1], "REPLACE"]).await;
    let found = [one.recover(first).await.expect("an answer"), one.recover(second).await.expect("an answer")];
    assert_eq!(found.iter().flatten().count(), 1, "{found:?}");
    for key in keys {
        let () = server.ask(&["SET", &key, "nonsense"]).await;
    }
    assert_eq!((one.recover(first).await, one.recover(second).await), (Ok(None), Ok(None)));
}

#[tokio::test]
async fn entries_expire_by_themselves_and_a_read_renews_them() {
    let Some(server) = Server::start(&[]) else { return };
    let one = Process::new(server.url(), "secret", "a");
    let id = one.keep(&"long ".repeat(10_000).into_bytes(), None).await.expect("kept");
    let key = server.ask::<Vec<String>>(&["KEYS", "*"]).await.remove(0);
    assert!(server.ask::<usize>(&["STRLEN", &key]).await < 5000, "it is compressed");
    assert!((290..=300).contains(&server.ask::<i64>(&["TTL", &key]).await));
    let () = server.ask(&["EXPIRE", &key, "10"]).await;
    assert!(one.recover(id).await.expect("an answer").is_some());
    assert!((290..=300).contains(&server.ask::<i64>(&["TTL", &key]).await));
    let () = server.ask(&["PEXPIRE", &key, "0"]).await;
    assert_eq!(one.recover(id).await, Ok(None));
}

#[tokio::test]
async fn a_server_that_evicts_gives_nothing_for_what_it_evicted() {
    let Some(server) = Server::start(&[]) else { return };
    let one = Process::new(server.url(), "secret", "a");
    let used = server.ask::<String>(&["INFO", "memory"]).await;
    let used: usize = used.lines().find_map(|line| line.strip_prefix("used_memory:")?.trim().parse().ok()).expect("a figure");
    let () = server.ask(&["CONFIG", "SET", "maxmemory", &(used + 1_500_000).to_string(), "maxmemory-policy", "allkeys-lru"]).await;
    let mut ids = Vec::new();
    for n in 0..20 {
        ids.push(one.keep(&noise(n), None).await.expect("kept"));
    }
    let mut there = 0;
    for (n, id) in (0..).zip(ids) {
        let found = one.recover(id).await.expect("an answer");
        assert!(found.as_ref().is_none_or(|found| *found == noise(n)), "{n}");
        there += usize::from(found.is_some());
    }
    assert!((1..=7).contains(&there), "{there}");
}

#[tokio::test]
async fn a_server_without_room_fails_the_call() {
    let Some(server) = Server::start(&["--maxmemory", "1", "--maxmemory-policy", "noeviction"]) else { return };
    let one = Process::new(server.url(), "secret", "a");
    assert!(why(one.keep(b"original", None).await).contains("OOM"));
}

#[tokio::test]
async fn a_server_that_stands_still_fails_calls_in_time_and_serves_again_after() {
    let Some(server) = Server::start(&[]) else { return };
    let one = Process::new(server.url(), "secret", "a");
    let id = one.keep(b"original", None).await.expect("kept");
    let before = connections(&server).await;
    server.freeze();
    assert!(why(one.keep(b"another", None).await).contains("no answer within 400 ms"));
    let one = Arc::new(one);
    let recover = |_| {
        let one = Arc::clone(&one);
        tokio::spawn(async move { one.recover(id).await })
    };
    for recovering in (0..50).map(recover).collect::<Vec<_>>() {
        let why = why(recovering.await.expect("no panic"));
        assert!(why.contains("no connection") || why.contains("no answer within 400 ms"), "{why}");
    }
    server.thaw();
    // Many at once learned together that there is no connection: none tried for itself, and waited no longer than one does.
    let made = connections(&server).await - before - 1;
    assert!((1..10).contains(&made), "{made} connections were tried");
    while one.store.ping().await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(one.recover(id).await, Ok(Some(b"original".to_vec())));
}

#[tokio::test]
async fn a_server_that_was_killed_fails_calls_and_one_that_was_restarted_fails_none() {
    let Some(mut server) = Server::start(&[]) else { return };
    let one = Process::new(server.url(), "secret", "a");
    let id = one.keep(b"original", None).await.expect("kept");
    assert!(one.store.figures().is_up);
    server.kill();
    assert!(why(one.keep(b"another", None).await).contains("no connection"));
    assert!(!one.store.figures().is_up);
    server.restart();
    while one.store.ping().await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(one.recover(id).await, Ok(None));
    assert_eq!(one.keep(b"original", None).await, Ok(id));
    // The connection ends without anybody asking meanwhile.
    server.kill();
    server.restart();
    assert_eq!(one.keep(b"original", None).await, Ok(id));
    assert_eq!(one.recover(id).await, Ok(Some(b"original".to_vec())));
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_the_connection_in_order() {
    let Some(server) = Server::start(&[]) else { return };
    let one = Process::new(server.url(), "secret", "a");
    let ids = [one.keep(&noise(1), None).await.expect("kept"), one.keep(&noise(2), None).await.expect("kept")];
    for n in 0..20 {
        // Dropped after its request was sent, or before.
        let given_up = one.recover(ids[0]);
        let _ = tokio::time::timeout(Duration::from_micros(n * 50), given_up).await;
        assert!(one.recover(ids[1]).await == Ok(Some(noise(2))), "{n}");
    }
}

#[tokio::test]
async fn whoever_asks_for_many_originals_waits_until_some_are_opened() {
    let Some(server) = Server::start(&[]) else { return };
    let one = Process::new(server.url(), "secret", "a");
    let id = one.keep(b"original", None).await.expect("kept");
    let mut fetched = Vec::new();
    for _ in 0..8 {
        fetched.push(one.namespace.get(id).await.expect("an answer").expect("it is kept"));
    }
    let mut next = std::pin::pin!(one.namespace.get(id));
    assert!(tokio::time::timeout(Duration::from_millis(100), &mut next).await.is_err());
    assert!(fetched.pop().and_then(|sealed| one.namespace.open(sealed)).is_some());
    assert!(next.await.is_ok_and(|found| found.is_some()));
}

#[tokio::test]
async fn a_wrong_password_is_told_and_never_repeated() {
    let Some(server) = Server::start(&["--requirepass", "right"]) else { return };
    let at = |password: &str| format!("redis://{password}127.0.0.1:{}", server.port);
    for wrong in ["", ":hush@"] {
        let said = why(Process::new(at(wrong), "secret", "a").keep(b"original", None).await);
        assert!(said.to_lowercase().contains("auth") && !said.contains("hush"), "{said}");
    }
    assert!(Process::new(at(":right@"), "secret", "a").keep(b"original", None).await.is_ok());
}

#[tokio::test]
async fn a_primary_that_became_a_replica_is_left_for_whoever_has_its_name() {
    let Some(server) = Server::start(&[]) else { return };
    let one = Process::new(server.url(), "secret", "a");
    one.keep(b"original", None).await.expect("kept");
    let before = connections(&server).await;
    let () = server.ask(&["REPLICAOF", "127.0.0.1", "1"]).await;
    let said = why(one.keep(b"original", None).await);
    assert!(said.contains("READONLY"), "{said}");
    let () = server.ask(&["REPLICAOF", "NO", "ONE"]).await;
    assert!(one.keep(b"original", None).await.is_ok());
    assert!(connections(&server).await > before + 2, "it was reached anew");
}

async fn connections(server: &Server) -> usize {
    let stats = server.ask::<String>(&["INFO", "stats"]).await;
    stats.lines().find_map(|line| line.strip_prefix("total_connections_received:")?.trim().parse().ok()).expect("a figure")
}
