//! What operators ask over HTTP: figures and health.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::routing::get;
use tokio::net::TcpListener;

use super::health::Health;
use crate::config::Prometheus;
use crate::error::Error;
use crate::shared::Shared;

/// Where health is asked for, beside what else a port has.
pub(crate) const HEALTH_PATHS: [&str; 2] = ["/healthz", "/readyz"];

const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";
const JSON: &str = "application/json";

/// The routes of health: `/healthz` answers as long as the proxy works, `/readyz` says whether calls would get anywhere.
pub(crate) fn health_routes(health: &Arc<Health>) -> Router {
    let [healthz, readyz] = HEALTH_PATHS;
    let (alive, ready) = (Arc::clone(health), Arc::clone(health));
    Router::new().route(healthz, get(move || async move { response(StatusCode::OK, JSON, alive.report()) })).route(
        readyz,
        get(move || async move {
            let status = if ready.is_ready() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
            response(status, JSON, ready.report())
        }),
    )
}

/// A port for operators that is listened on.
pub(crate) struct Port {
    listener: TcpListener,
    /// Its address, with the port that was taken.
    pub(crate) address: SocketAddr,
    host: String,
}

/// Listens on the address for Prometheus.
pub(crate) async fn listen(config: &Prometheus) -> Result<Port, Error> {
    let ip = if config.host == "localhost" { Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)) } else { config.host.trim_matches(['[', ']']).parse() };
    let ip = ip.map_err(|_| Error::Unusable("observability.metrics.prometheus.host must be an IP address or localhost".to_owned()))?;
    let wanted = SocketAddr::new(ip, config.port);
    let failed = |source| Error::Io { what: format!("cannot listen on {wanted}"), source };
    let listener = TcpListener::bind(wanted).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok(Port { listener, address, host: config.host.to_ascii_lowercase() })
}

impl Port {
    /// Serves until it is dropped.
    pub(crate) async fn serve(self, shared: Arc<Shared>) -> std::io::Result<()> {
        // On this machine only who names it comes in, so that no web page that rebinds its name reads along.
        let names = self
            .address
            .ip()
            .is_loopback()
            .then(|| ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into_iter().chain([self.host]).collect());
        let names: Arc<Option<Vec<String>>> = Arc::new(names);
        let metrics = Arc::clone(&shared);
        let router = Router::new()
            .route("/metrics", get(move || async move { response(StatusCode::OK, METRICS, metrics.metrics()) }))
            .merge(health_routes(&shared.health))
            .layer(axum::middleware::from_fn(move |headers: HeaderMap, request, next: axum::middleware::Next| {
                let names = Arc::clone(&names);
                async move {
                    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
                    match &*names {
                        Some(names) if !names.iter().any(|name| is_host(&host, name)) => {
                            response(StatusCode::FORBIDDEN, JSON, r#"{"error":"this Host is none of this machine's"}"#.to_owned())
                        }
                        _ => next.run(request).await,
                    }
                }
            }));
        axum::serve(self.listener, router).await
    }
}

/// Whether a `Host` header names a host, with a port or without.
fn is_host(header: &str, name: &str) -> bool {
    header.strip_prefix(name).is_some_and(|port| port.is_empty() || port.starts_with(':'))
}

fn response(status: StatusCode, kind: &'static str, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
