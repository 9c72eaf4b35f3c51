//! Where servers behind a URL are, and what requests to them carry.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use indexmap::IndexMap;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url, redirect};
use snugfit_toolset::names::excerpt;

use super::{Demands, Upstream};
use crate::config::{Auth, Secret};
use crate::mirror::Mirrors;
use crate::oauth::{Challenge, Credentials};
use crate::shared::Shared;

/// Where a server is, and what every request to it carries.
#[derive(Clone)]
pub(super) struct Target {
    client: reqwest::Client,
    pub(super) url: Url,
    headers: HeaderMap,
    /// The arguments of tools that headers repeat, where the server knows no handshake.
    pub(super) mirrors: Arc<Mutex<Arc<Mirrors>>>,
    /// The user's login, where the server wants one.
    login: Option<Arc<Credentials>>,
    /// What it wants of the client, where it sees the client's own credentials.
    demands: Option<Demands>,
    pub(super) shared: Arc<Shared>,
}

impl Target {
    pub(super) fn new(upstream: &Upstream, url: &Secret, headers: &IndexMap<String, Secret>, auth: &Auth) -> Result<Self, String> {
        let client = upstream.shared.http.get_or_init(client).clone()?;
        let (url, mut headers) = address(url, headers, auth)?;
        if let (Auth::Passthrough, Some(own)) = (auth, &upstream.authorization) {
            headers.insert(AUTHORIZATION, own.clone());
        }
        let login = match auth {
            Auth::Oauth { .. } => Some(upstream.shared.login(&upstream.name, &url, &client)?),
            _ => None,
        };
        let demands = matches!(auth, Auth::Passthrough).then(|| upstream.demands.clone());
        Ok(Self { client, url, headers, mirrors: Arc::clone(&upstream.mirrors), login, demands, shared: Arc::clone(&upstream.shared) })
    }

    /// A request to `url` that accepts `accept`.
    pub(super) fn request(&self, method: Method, url: Url, accept: &'static str) -> reqwest::RequestBuilder {
        self.client.request(method, url).headers(self.headers.clone()).header(ACCEPT, accept)
    }

    /// Sends a request, with the user's login where the server wants one: a token that is refused is renewed, once.
    pub(super) async fn send(&self, request: RequestBuilder) -> Result<Response, String> {
        let Some(login) = &self.login else {
            let response = request.send().await.map_err(fault)?;
            if let Some(demands) = &self.demands {
                demands.heard(&response);
            }
            return Ok(response);
        };
        let again = request.try_clone();
        let token = login.header().await?;
        let response = request.header(AUTHORIZATION, token.clone()).send().await.map_err(fault)?;
        match again.filter(|_| response.status() == StatusCode::UNAUTHORIZED) {
            Some(again) => again.header(AUTHORIZATION, login.header_after(&token).await?).send().await.map_err(fault),
            None => Ok(response),
        }
    }

    /// What a response that is no success says to whoever reads it.
    pub(super) fn refusal(&self, response: &Response) -> String {
        let status = response.status();
        let wants = match (status, &self.login) {
            (StatusCode::FORBIDDEN, Some(login)) => match Challenge::of(response.headers()).scope {
                Some(scope) => format!("it wants the scopes {:?}: name them in auth.scopes and {}", excerpt(&scope), login.advice()),
                None => "its login may not do this".to_owned(),
            },
            (StatusCode::UNAUTHORIZED, Some(login)) => format!("it does not take its token: {}", login.advice()),
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, None) => "it wants credentials (auth, headers)".to_owned(),
            _ => return format!("it answered HTTP {status}"),
        };
        format!("it answered HTTP {status}: {wants}")
    }
}

/// Where a server is and the headers of requests to it, as they are sent.
///
/// # Errors
/// What of them cannot be sent.
pub(crate) fn address(url: &Secret, headers: &IndexMap<String, Secret>, auth: &Auth) -> Result<(Url, HeaderMap), String> {
    let url = Url::parse(url.expose()).map_err(|error| format!("its url cannot be read: {error}"))?;
    let mut all = HeaderMap::new();
    let mut add = |name: &str, value: &Secret| {
        let name = HeaderName::try_from(name).map_err(|_| format!("{:?} is no name of a header", excerpt(name)))?;
        let mut value = HeaderValue::from_str(value.expose()).map_err(|_| format!("the value of the header {name} cannot be sent"))?;
        value.set_sensitive(true);
        all.insert(name, value);
        Ok::<(), String>(())
    };
    for (name, value) in headers {
        add(name, value)?;
    }
    if let Auth::Header { name, value } = auth {
        add(name, value)?;
    }
    Ok((url, all))
}

/// One client for all servers: a pool of connections.
pub(crate) fn client() -> Result<reqwest::Client, String> {
    // Set already, where somebody else in the process uses TLS.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(concat!("snugfit/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(30))
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
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
