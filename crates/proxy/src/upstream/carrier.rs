//! What carries requests to servers: a client that knows of TLS, proxies and redirects, and beside it one for servers that are reached without
//! any of them, which takes a fraction of the work for a request.

use std::error::Error;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http;
use axum::http::header::{HeaderMap, LOCATION};
use axum::http::{Method, StatusCode, Uri};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use reqwest::{Url, redirect};

/// How requests name us.
pub(super) const USER_AGENT: &str = concat!("snugfit/", env!("CARGO_PKG_VERSION"));

/// The longest that connecting may take.
const CONNECT: Duration = Duration::from_secs(30);

/// A response of a server.
pub(super) type Response = http::Response<Body>;

/// Where requests go.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub(super) url: Url,
    uri: Uri,
    /// Neither TLS nor a proxy is on the way, and the address holds no credentials.
    is_plain: bool,
}

/// A request to a server.
#[derive(Debug, Clone)]
pub(super) struct Request<'a> {
    pub(super) method: Method,
    pub(super) to: &'a Address,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// The clients for all servers, each with a pool of connections.
#[derive(Debug, Clone)]
pub(crate) struct Carrier {
    full: reqwest::Client,
    plain: legacy::Client<HttpConnector, Body>,
    proxies: Arc<Matcher>,
}

impl Carrier {
    pub(crate) fn new() -> Result<Self, String> {
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(CONNECT));
        connector.set_nodelay(true);
        // As the other client does: a server that is gone without a word is found out.
        connector.set_keepalive(Some(Duration::from_secs(15)));
        connector.set_keepalive_interval(Some(Duration::from_secs(15)));
        connector.set_keepalive_retries(Some(3));
        #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
        connector.set_tcp_user_timeout(Some(Duration::from_secs(30)));
        let mut plain = legacy::Client::builder(TokioExecutor::new());
        plain.pool_timer(TokioTimer::new());
        Ok(Self { full: http_client()?, plain: plain.build(connector), proxies: Arc::new(Matcher::from_system()) })
    }

    /// The client that knows of TLS, proxies and redirects.
    pub(crate) fn full(&self) -> &reqwest::Client {
        &self.full
    }

    /// Where requests to a URL go.
    pub(super) fn address(&self, url: Url) -> Result<Address, String> {
        let uri: Uri = url.as_str().parse().map_err(|error| format!("its url cannot be read: {error}"))?;
        let has_login = !url.username().is_empty() || url.password().is_some();
        let is_plain = url.scheme() == "http" && !has_login && self.proxies.intercept(&uri).is_none();
        Ok(Address { url, uri, is_plain })
    }

    /// Sends a request.
    pub(super) async fn send(&self, request: Request<'_>) -> Result<Response, String> {
        if request.to.is_plain {
            let response = self.plain.request(request.plain()).await.map_err(|error| with_causes(&error))?;
            if !asks_again(&request.method, &response) {
                return Ok(response.map(Body::new));
            }
        }
        let Request { method, to, headers, body } = request;
        let sent = self.full.request(method, to.url.clone()).headers(headers).body(body).send().await;
        Ok(http::Response::from(sent.map_err(fault)?).map(Body::new))
    }
}

impl Request<'_> {
    fn plain(&self) -> http::Request<Body> {
        let mut request = http::Request::new(if self.body.is_empty() { Body::empty() } else { Body::from(self.body.clone()) });
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.to.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }
}

/// Whether a server wants to be asked the same in another place. What it only points to from a POST is no answer to it.
fn asks_again<B>(method: &Method, response: &http::Response<B>) -> bool {
    let status = response.status();
    let is_repeated = matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    status.is_redirection() && (is_repeated || *method == Method::GET) && response.headers().contains_key(LOCATION)
}

/// The next bytes of a body; `None` at its end.
pub(super) async fn chunk(body: &mut Body) -> Result<Option<Bytes>, String> {
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
        if let Ok(data) = frame.map_err(|error| with_causes(&error))?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// The client that knows of TLS, proxies and redirects.
pub(crate) fn http_client() -> Result<reqwest::Client, String> {
    // Set already, where somebody else in the process uses TLS.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        // Credentials go to the host that they were meant for and to no other.
        .redirect(redirect::Policy::custom(|attempt| {
            let first = attempt.previous().first();
            if attempt.previous().len() > 5 {
                attempt.error("it redirects more than five times")
            } else if first.is_some_and(|first| first.host_str() != attempt.url().host_str() || attempt.url().scheme() < first.scheme()) {
                attempt.error("it redirects to another host: configure that URL if you trust it")
            } else {
                attempt.follow()
            }
        }))
        .build()
        .map_err(fault)
}

/// What went wrong, with its causes and without the URL, which may hold a token.
pub(crate) fn fault(error: reqwest::Error) -> String {
    with_causes(&error.without_url())
}

fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        // Some say no more than what is around another.
        let said = inner.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_needs_more_than_plain_http_goes_to_the_client_that_has_it() {
        let proxies = Matcher::builder().http("http://proxy.test:3128").no("127.0.0.1,near.test").build();
        let carrier = Carrier { proxies: Arc::new(proxies), ..Carrier::new().expect("a client") };
        for (url, expected) in [
            ("http://127.0.0.1:8080/mcp", true),
            ("http://near.test/mcp?key=value#part", true),
            ("https://near.test/mcp", false),
            ("http://name:word@near.test/mcp", false),
            ("http://name@near.test/mcp", false),
            ("http://far.test/mcp", false),
        ] {
            let address = carrier.address(Url::parse(url).expect("a URL")).expect("an address");
            assert_eq!(address.is_plain, expected, "{url}");
        }
    }
}
