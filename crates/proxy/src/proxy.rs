//! The proxy as a whole.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::watch;

use crate::client::Inside;
use crate::config::{Config, Policy};
use crate::error::Error;
use crate::inbound::{self, Clients};
use crate::log::Log;
use crate::observe::{self, Observe};
use crate::originals::watch;
use crate::session::ServerTools;
use crate::shared::Shared;
use crate::upstream::Carrier;
use crate::usable;

/// A proxy for the servers of a configuration.
pub struct Proxy {
    pub(crate) shared: Arc<Shared>,
    /// The session of the program itself, once it has called something.
    pub(crate) inside: tokio::sync::Mutex<Option<Inside>>,
}

impl Proxy {
    /// A proxy that fits results by `policy`, and says on `log` what happens.
    ///
    /// # Errors
    /// [`Error::Unusable`] where the configuration cannot be served, as [`usable::check`] tells it.
    pub fn new(config: Config, policy: Policy, log: Log) -> Result<Self, Error> {
        for warning in usable::check(&config, &policy)? {
            log.warn(warning);
        }
        Ok(Self { shared: Arc::new(Shared::new(config, policy, log)?), inside: tokio::sync::Mutex::default() })
    }

    /// Connects to the servers, asks each for its tools, and ends the connections.
    ///
    /// # Errors
    /// The proxy cannot be set up; that a server gives no tools is no error here.
    pub async fn definitions(&self) -> Result<Vec<ServerTools>, Error> {
        let inside = Inside::start(&self.shared)?;
        let definitions = inside.0.definitions().await;
        inside.0.close().await;
        Ok(definitions)
    }

    /// Serves until `end` is there, or the client on standard input is gone and no other can come.
    ///
    /// # Errors
    /// [`Error::Io`] where a client cannot be reached or an address not be listened on; [`Error::Unusable`] where nobody may be let in.
    pub async fn serve(&self, end: impl Future<Output = ()>) -> Result<(), Error> {
        let shared = &self.shared;
        let client = || shared.http.get_or_init(Carrier::new).as_ref().map(|carrier| carrier.full().clone()).map_err(Clone::clone);
        let observe = Observe::start(&shared.config, &shared.log, &shared.work, client)?;
        shared.observing.begin(observe.clone());
        let prometheus = &shared.config.observability.metrics.prometheus;
        let operators = if prometheus.enabled {
            let port = observe::listen(prometheus).await?;
            shared.log.info(format_args!("figures are at http://{}/metrics", port.address));
            Some(tokio::spawn(port.serve(Arc::clone(shared))))
        } else {
            None
        };
        let watching = shared.store.clone().map(|store| tokio::spawn(watch(store, shared.log.clone())));
        let served = self.serve_all(end).await;
        if let Some(watching) = watching {
            watching.abort();
        }
        if let Some(operators) = operators {
            operators.abort();
        }
        if let Some(observe) = observe {
            observe.close().await;
        }
        self.shared.log.flush();
        served
    }

    async fn serve_all(&self, end: impl Future<Output = ()>) -> Result<(), Error> {
        let inbound = &self.shared.config.inbound;
        if !inbound.http.enabled {
            return inbound::serve_stdio(&self.shared, end).await;
        }
        let clients = Clients::new(&self.shared)?;
        let listener = inbound::listen(&inbound.http).await?;
        self.shared.log.info(format_args!("listening on http://{}{}", listener.address, inbound.http.path));
        let (ended, heard) = watch::channel(false);
        let stopped = |mut heard: watch::Receiver<bool>| async move { drop(heard.wait_for(|ended| *ended).await) };
        let (service, wait) = (clients.service(), inbound.http.read_timeout.duration());
        let swept = Arc::clone(&clients);
        let sweeping = tokio::spawn(async move { swept.keep_swept().await });
        let over_http = listener.serve(service, wait, stopped(heard.clone()), async move { clients.close().await });
        let over_stdio = async {
            // The client that started the proxy may go: others may still come.
            if inbound.stdio { inbound::serve_stdio(&self.shared, stopped(heard)).await } else { Ok(()) }
        };
        let told = async {
            end.await;
            ended.send_replace(true);
        };
        let ((), outcome, ()) = tokio::join!(over_http, over_stdio, told);
        sweeping.abort();
        outcome
    }
}
