//! The connection to the server: made when it is first needed, and anew after it failed.
//!
//! One for all requests, which share it without waiting for each other's answers. A connection on which an answer is late is given up: after a
//! network was cut, nothing else would tell for minutes that it is dead, and requests without answers would pile up in memory.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, ErrorKind, FromRedisValue, Pipeline, RedisError, ServerErrorKind};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

/// How long a server that could not be reached is left alone: requests meanwhile fail at once.
const PAUSE: Duration = Duration::from_millis(500);

pub(crate) struct Link {
    client: Client,
    timeout: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    current: Option<MultiplexedConnection>,
    /// Connections that were made so far; the number of the current one.
    made: u64,
    /// When the last attempt failed, and why.
    failed: Option<(Instant, String)>,
}

/// A connection to send a request on.
struct Taken {
    connection: MultiplexedConnection,
    number: u64,
    /// It was there before, so that it may have ended since.
    reused: bool,
}

impl Link {
    pub(crate) fn new(client: Client, timeout: Duration) -> Self {
        Self { client, timeout, state: Mutex::default() }
    }

    /// What the server answers to commands that do the same when they are sent twice; why there is no answer in time.
    pub(crate) async fn ask<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, String> {
        let deadline = Instant::now() + self.timeout;
        let late = || format!("no answer within {} ms", self.timeout.as_millis());
        loop {
            let mut taken = timeout_at(deadline, self.take()).await.map_err(|_| late())??;
            match timeout_at(deadline, commands.query_async(&mut taken.connection)).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) if !is_over(&error) => return Err(said(&error)),
                Ok(Err(error)) => {
                    self.give_up(taken.number).await;
                    if !taken.reused {
                        return Err(said(&error));
                    }
                }
                Err(_) => {
                    self.give_up(taken.number).await;
                    return Err(late());
                }
            }
        }
    }

    /// The connection, made now if there is none.
    async fn take(&self) -> Result<Taken, String> {
        let mut state = self.state.lock().await;
        if let Some(connection) = &state.current {
            return Ok(Taken { connection: connection.clone(), number: state.made, reused: true });
        }
        if let Some((_, why)) = state.failed.as_ref().filter(|(at, _)| at.elapsed() < PAUSE) {
            return Err(why.clone());
        }
        // Half of the time, so that whoever waits here learns why it failed, rather than that it took too long.
        let config = AsyncConnectionConfig::new().set_connection_timeout(Some(self.timeout / 2)).set_response_timeout(None);
        match self.client.get_multiplexed_async_connection_with_config(&config).await {
            Ok(connection) => {
                state.current = Some(connection.clone());
                state.made += 1;
                state.failed = None;
                Ok(Taken { connection, number: state.made, reused: false })
            }
            Err(error) => {
                let why = format!("no connection: {}", said(&error));
                state.failed = Some((Instant::now(), why.clone()));
                Err(why)
            }
        }
    }

    /// Lets go of a connection, unless another has taken its place.
    async fn give_up(&self, number: u64) {
        let mut state = self.state.lock().await;
        if state.made == number {
            state.current = None;
        }
    }
}

/// Whether a connection is of no more use after an error.
fn is_over(error: &RedisError) -> bool {
    // What was the primary may be a replica by now: its name leads to another.
    error.is_unrecoverable_error() || error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
}

/// What an error says, on one line; of several the first.
fn said(error: &RedisError) -> String {
    let first = error.clone().into_server_errors();
    let first = first.as_deref().and_then(|all| Some(format!("{} {}", all.first()?.1.code(), all.first()?.1.details()?)));
    first.unwrap_or_else(|| error.to_string()).split_whitespace().collect::<Vec<_>>().join(" ")
}
