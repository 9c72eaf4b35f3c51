//! Listening, and connections that do not take for ever.

use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use super::patience::Patience;
use crate::config::Http;
use crate::error::Error;

/// Connections at a time.
const MOST_CONNECTIONS: usize = 4096;

/// The longest that a client may leave what is written to it untaken.
const WRITE: Duration = Duration::from_mins(1);

/// An address that is listened on.
pub(crate) struct Listener {
    listener: TcpListener,
    /// The address, with the port that was taken.
    pub(crate) address: SocketAddr,
    /// Connections at a time; more wait to be accepted.
    most: usize,
}

/// Listens on the configured address.
pub(crate) async fn listen(http: &Http) -> Result<Listener, Error> {
    let ip = if http.host == "localhost" { Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)) } else { http.host.trim_matches(['[', ']']).parse() };
    let ip = ip.map_err(|_| Error::Unusable(format!("inbound.http.host must be an IP address or localhost, not {:?}", http.host)))?;
    bind(SocketAddr::new(ip, http.port)).await
}

/// Listens on any port that only this machine reaches.
pub(crate) async fn listen_on_loopback() -> Result<Listener, Error> {
    bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)).await
}

async fn bind(wanted: SocketAddr) -> Result<Listener, Error> {
    let failed = |source| Error::Io { what: format!("cannot listen on {wanted}"), source };
    let listener = TcpListener::bind(wanted).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok(Listener { listener, address, most: MOST_CONNECTIONS })
}

/// What answers requests.
pub(crate) trait Answers:
    Service<Request<Incoming>, Response = Response<Body>, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

impl<S> Answers for S where
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

impl Listener {
    /// Serves until `end` is there, and then for as long as `closing` takes. A request may take `wait` to arrive.
    pub(crate) async fn serve(
        self,
        service: impl Answers,
        wait: Duration,
        end: impl Future<Output = ()>,
        closing: impl Future<Output = ()>,
    ) {
        let (stop, stopped) = watch::channel(false);
        let room = Arc::new(Semaphore::new(self.most));
        let mut end = std::pin::pin!(end);
        loop {
            let (room, accepted) = tokio::select! {
                next = async { (Arc::clone(&room).acquire_owned().await, self.listener.accept().await) } => next,
                () = &mut end => break,
            };
            match accepted {
                Ok((stream, _)) => {
                    let _ = stream.set_nodelay(true);
                    let connection = connection(TokioIo::new(Patience::new(stream, WRITE)), service.clone(), wait, stopped.clone());
                    tokio::spawn(async move {
                        connection.await;
                        drop(room);
                    });
                }
                // Too many open files, for one: a moment later there may be room.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        drop(self.listener);
        closing.await;
        stop.send_replace(true);
        // What was answered last is still on its way out.
        let _ = tokio::time::timeout(Duration::from_secs(2), room.acquire_many(self.most as u32)).await;
    }
}

async fn connection(
    io: TokioIo<Patience<tokio::net::TcpStream>>,
    service: impl Answers,
    wait: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(wait);
    let serving = http.serve_connection(io, service);
    let mut serving = std::pin::pin!(serving);
    tokio::select! {
        _ = serving.as_mut() => return,
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
    serving.as_mut().graceful_shutdown();
    let _ = tokio::time::timeout(Duration::from_secs(1), serving).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use hyper_util::service::TowerToHyperService;
    use tokio::net::TcpStream;
    use tokio::time::{sleep, timeout};

    #[tokio::test]
    async fn connections_that_nobody_ends_do_not_keep_the_proxy_from_ending() {
        let mut listener = listen_on_loopback().await.expect("a port");
        listener.most = 1;
        let address = listener.address;
        let (end, mut ended) = watch::channel(false);
        let over = async move { drop(ended.wait_for(|ended| *ended).await) };
        let serving =
            tokio::spawn(listener.serve(TowerToHyperService::new(Router::new()), Duration::from_mins(1), over, std::future::ready(())));
        let _held = [TcpStream::connect(address).await.expect("accepted"), TcpStream::connect(address).await.expect("waiting")];
        sleep(Duration::from_millis(100)).await;
        end.send_replace(true);
        timeout(Duration::from_secs(10), serving).await.expect("it ends").expect("no panic");
    }
}
