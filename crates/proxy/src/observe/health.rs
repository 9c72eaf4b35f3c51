//! Which servers are up: what `/healthz` and `/readyz` say.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

use serde_json::{Map, Value, json};
use snugfit_store_redis::{Figures, RedisStore};

/// Where one connection to a server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stand {
    Connecting = 0,
    Ready = 1,
    /// It failed or ended, and will be made again.
    Down = 2,
}

/// How the connections to all servers stand.
#[derive(Debug)]
pub(crate) struct Health {
    servers: Vec<Server>,
    /// A server that keeps originals, where there is one.
    store: Option<Arc<RedisStore>>,
}

#[derive(Debug)]
struct Server {
    name: String,
    /// Connections of all sessions by their [`Stand`].
    connections: [AtomicUsize; 3],
    /// How often a connection was lost or could not be made.
    failures: AtomicU64,
}

impl Health {
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n String>, store: Option<Arc<RedisStore>>) -> Arc<Self> {
        let server = |name: &String| Server { name: name.clone(), connections: Default::default(), failures: AtomicU64::new(0) };
        Arc::new(Self { servers: names.map(server).collect(), store })
    }

    /// A new connection to a server, by its place in the configuration.
    pub(crate) fn connection(self: &Arc<Self>, server: usize) -> Standing {
        self.count(server, Stand::Connecting).fetch_add(1, Ordering::Relaxed);
        Standing { health: Arc::clone(self), server, now: AtomicU8::new(Stand::Connecting as u8) }
    }

    /// Names of the servers, and whether each is up.
    pub(super) fn servers(&self) -> impl Iterator<Item = (&str, bool)> {
        self.servers.iter().enumerate().map(|(at, server)| (server.name.as_str(), self.stands(at, Stand::Ready)))
    }

    /// How requests to the server that keeps originals went, where there is one.
    pub(super) fn store(&self) -> Option<Figures> {
        self.store.as_ref().map(|store| store.figures())
    }

    /// Whether calls would get anywhere: a server is up, or all wait for the first client to be started for.
    pub(crate) fn is_ready(&self) -> bool {
        let idle = |server: &Server| server.connections.iter().all(|count| count.load(Ordering::Relaxed) == 0);
        (0..self.servers.len()).any(|server| self.stands(server, Stand::Ready)) || self.servers.iter().all(idle)
    }

    /// The state of every server, for people and for probes.
    pub(crate) fn report(&self) -> String {
        let state = |server: usize| match () {
            () if self.stands(server, Stand::Ready) => "ready",
            () if self.stands(server, Stand::Down) => "down",
            () if self.stands(server, Stand::Connecting) => "connecting",
            () => "idle",
        };
        let upstreams: Map<String, Value> = self
            .servers
            .iter()
            .enumerate()
            .map(|(at, server)| {
                let failures = server.failures.load(Ordering::Relaxed);
                (server.name.clone(), json!({ "state": state(at), "failures": failures }))
            })
            .collect();
        let mut report = json!({ "status": if self.is_ready() { "ready" } else { "not ready" }, "upstreams": upstreams });
        // Without it most calls still get somewhere, and no replica would be better off than another: it does not count for readiness.
        if let Some(figures) = self.store() {
            report["store"] = json!({ "state": if figures.is_up { "ready" } else { "down" }, "failures": figures.failed });
        }
        report.to_string()
    }

    fn stands(&self, server: usize, stand: Stand) -> bool {
        self.count(server, stand).load(Ordering::Relaxed) > 0
    }

    fn count(&self, server: usize, stand: Stand) -> &AtomicUsize {
        &self.servers[server].connections[stand as usize]
    }
}

/// One connection; it counts until it is dropped.
#[derive(Debug)]
pub(crate) struct Standing {
    health: Arc<Health>,
    server: usize,
    now: AtomicU8,
}

impl Standing {
    pub(crate) fn set(&self, stand: Stand) {
        let before = self.now.swap(stand as u8, Ordering::Relaxed);
        if before != stand as u8 {
            let server = &self.health.servers[self.server];
            server.connections[usize::from(before)].fetch_sub(1, Ordering::Relaxed);
            server.connections[stand as usize].fetch_add(1, Ordering::Relaxed);
            server.failures.fetch_add(u64::from(stand == Stand::Down), Ordering::Relaxed);
        }
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        let now = self.now.load(Ordering::Relaxed);
        self.health.servers[self.server].connections[usize::from(now)].fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_as_their_connections_stand() {
        let names = ["a".to_owned(), "b".to_owned()];
        let health = Health::new(names.iter(), None);
        let states = || {
            let report: Value = serde_json::from_str(&health.report()).expect("JSON");
            (report["status"].clone(), ["a", "b"].map(|name| report["upstreams"][name]["state"].clone()))
        };
        let expect = |status: &str, a: &str, b: &str| assert_eq!(states(), (json!(status), [json!(a), json!(b)]));
        expect("ready", "idle", "idle");
        let (first, second) = (health.connection(0), health.connection(1));
        expect("not ready", "connecting", "connecting");
        first.set(Stand::Down);
        first.set(Stand::Down);
        expect("not ready", "down", "connecting");
        second.set(Stand::Ready);
        expect("ready", "down", "ready");
        assert_eq!(health.servers().collect::<Vec<_>>(), [("a", false), ("b", true)]);
        let other = health.connection(0);
        other.set(Stand::Ready);
        expect("ready", "ready", "ready");
        drop((first, second, other));
        expect("ready", "idle", "idle");
        assert!(health.report().contains(r#""a":{"failures":1"#) || health.report().contains(r#""a":{"state":"idle","failures":1"#));
    }
}
