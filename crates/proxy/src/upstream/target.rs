//! Where servers behind a URL are, and what requests to them carry.

use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::http::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use axum::http::{Method, StatusCode};
use indexmap::IndexMap;
use reqwest::Url;
use snugfit_toolset::names::excerpt;

use super::carrier::{self, Address, Carrier, Request, Response};
use super::{Demands, Upstream};
use crate::config::{Auth, Secret};
use crate::mirror::Mirrors;
use crate::oauth::{Challenge, Credentials};
use crate::shared::Shared;

/// Where a server is, and what every request to it carries.
#[derive(Clone)]
pub(super) struct Target {
    carrier: Carrier,
    pub(super) address: Address,
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
        let carrier = upstream.shared.http.get_or_init(Carrier::new).clone()?;
        let (url, mut headers) = address(url, headers, auth)?;
        headers.entry(USER_AGENT).or_insert(HeaderValue::from_static(carrier::USER_AGENT));
        if let (Auth::Passthrough, Some(own)) = (auth, &upstream.authorization) {
            headers.insert(AUTHORIZATION, own.clone());
        }
        let login = match auth {
            Auth::Oauth { .. } => Some(upstream.shared.login(&upstream.name, &url, carrier.full())?),
            _ => None,
        };
        let demands = matches!(auth, Auth::Passthrough).then(|| upstream.demands.clone());
        let (mirrors, shared) = (Arc::clone(&upstream.mirrors), Arc::clone(&upstream.shared));
        Ok(Self { address: carrier.address(url)?, carrier, headers, mirrors, login, demands, shared })
    }

    /// Where another URL of this server is.
    pub(super) fn at(&self, url: Url) -> Result<Address, String> {
        self.carrier.address(url)
    }

    /// A request to `to` that accepts `accept`.
    pub(super) fn request<'a>(&self, method: Method, to: &'a Address, accept: &'static str) -> Request<'a> {
        let mut headers = self.headers.clone();
        headers.append(ACCEPT, HeaderValue::from_static(accept));
        Request { method, to, headers, body: Bytes::new() }
    }

    /// Sends a request, with the user's login where the server wants one: a token that is refused is renewed, once.
    pub(super) async fn send(&self, mut request: Request<'_>) -> Result<Response, String> {
        let Some(login) = &self.login else {
            let response = self.carrier.send(request).await?;
            if let Some(demands) = &self.demands {
                demands.heard(&response);
            }
            return Ok(response);
        };
        let token = login.header().await?;
        let mut again = request.clone();
        request.headers.append(AUTHORIZATION, token.clone());
        let response = self.carrier.send(request).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        again.headers.append(AUTHORIZATION, login.header_after(&token).await?);
        self.carrier.send(again).await
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
