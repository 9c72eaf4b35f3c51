//! Who may come in.

use axum::body::Body;
use axum::http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderValue, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{Response, StatusCode};

use super::refuse;
use crate::config::{Http, Secret};
use crate::error::Error;
use crate::originals::Principal;
use crate::random::is_same;

/// Names of this machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Looks at the headers of every request.
pub(super) struct Guard {
    /// `Host` headers that are taken, without their ports; `None` takes any.
    hosts: Option<Vec<String>>,
    origins: Vec<String>,
    /// Bearer tokens, one of which must be there; none where a gateway has checked, or only this machine can come in.
    tokens: Vec<Secret>,
    tells_apart: bool,
}

impl Guard {
    /// The guard of an address. Clients whose credentials are passed on to servers are told apart by them.
    ///
    /// # Errors
    /// [`Error::Unusable`] where anybody on the network could come in.
    pub(super) fn new(http: &Http, passes_credentials: bool) -> Result<Self, Error> {
        let auth = http.auth.clone().unwrap_or_default();
        if !http.is_loopback() && auth.bearer.is_empty() && !auth.trust_proxy {
            return Err(Error::Unusable(format!(
                "inbound.http listens on {}, where others can reach it: name inbound.http.auth.bearer tokens, or set \
                 inbound.http.auth.trustProxy where a gateway in front checks who comes in, or listen on 127.0.0.1",
                http.host
            )));
        }
        // Web pages that rebind their name to this machine say that name.
        let mut hosts: Vec<String> = http.allowed_hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        let any = !http.is_loopback() && hosts.is_empty();
        hosts.extend(LOOPBACK.map(str::to_owned));
        hosts.push(http.host.to_ascii_lowercase());
        let tells_apart = auth.trust_proxy || !auth.bearer.is_empty() || passes_credentials;
        Ok(Self { hosts: (!any).then_some(hosts), origins: http.allowed_origins.clone(), tokens: auth.bearer, tells_apart })
    }

    /// Whether clients are told apart by what they prove themselves with.
    pub(super) fn tells_apart(&self) -> bool {
        self.tells_apart
    }

    /// Who sends a request, by what its `Authorization` says; nobody in particular where that is not looked at.
    pub(super) fn principal(&self, headers: &HeaderMap) -> Principal {
        let proof = headers.get(AUTHORIZATION).filter(|_| self.tells_apart)?;
        // A token is the same however the word before it is written; something else of the same letters is not.
        let (kind, proof) =
            proof.to_str().ok().and_then(bearer).map_or((&b"other "[..], proof.as_bytes()), |token| (b"bearer ", token.as_bytes()));
        Some(*blake3::hash(&[kind, proof].concat()).as_bytes())
    }

    /// Whether a request may come in.
    pub(super) fn check(&self, headers: &HeaderMap, authority: Option<&str>) -> Result<(), Box<Response<Body>>> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).or(authority).unwrap_or_default().to_ascii_lowercase();
        if let Some(hosts) = &self.hosts
            && !hosts.iter().any(|allowed| *allowed == host || allowed == without_port(&host))
        {
            return Err(Box::new(refuse(StatusCode::FORBIDDEN, "this Host is none of those in inbound.http.allowedHosts")));
        }
        if let Some(origin) = headers.get(ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            let own = origin.split_once("://").is_some_and(|(_, host)| LOOPBACK.contains(&without_port(host)));
            let own = own && self.hosts.is_some();
            if !own && !self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin) || allowed == "*") {
                return Err(Box::new(refuse(StatusCode::FORBIDDEN, "this Origin is none of those in inbound.http.allowedOrigins")));
            }
        }
        if self.tokens.is_empty() {
            return Ok(());
        }
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer).unwrap_or_default();
        // Every token is compared, whatever the first says. One that is empty lets nobody in.
        if self.tokens.iter().fold(false, |found, token| found | is_same(token.expose(), given)) && !given.is_empty() {
            return Ok(());
        }
        let mut refused = refuse(StatusCode::UNAUTHORIZED, "a bearer token of inbound.http.auth is needed");
        refused.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        Err(Box::new(refused))
    }
}

/// The token of an `Authorization` header that has one.
fn bearer(header: &str) -> Option<&str> {
    let scheme = header.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("bearer "))?;
    Some(header[scheme.len()..].trim())
}

/// Whether a `Host` names this machine, with a port or without.
pub(crate) fn is_loopback(host: &str) -> bool {
    LOOPBACK.contains(&without_port(&host.to_ascii_lowercase()))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::InboundAuth;

    fn status(http: &Http, headers: &[(axum::http::header::HeaderName, &'static str)]) -> u16 {
        let guard = Guard::new(http, false).expect("an address that may be served");
        let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect();
        guard.check(&headers, None).map_or_else(|refused| refused.status().as_u16(), |()| 200)
    }

    #[test]
    fn only_who_may_comes_in() {
        let local = Http::default();
        let named = Http {
            allowed_hosts: vec!["mcp.example".to_owned()],
            allowed_origins: vec!["https://app.example".to_owned()],
            ..Http::default()
        };
        let token = InboundAuth { bearer: vec![Secret::new("one"), Secret::new("two")], trust_proxy: false };
        let guarded = Http { host: "0.0.0.0".to_owned(), auth: Some(token), ..Http::default() };
        let empty = InboundAuth { bearer: vec![Secret::new("")], trust_proxy: false };
        let unguarded = Http { auth: Some(empty), ..Http::default() };
        for (http, headers, expected) in [
            (&local, &[(HOST, "127.0.0.1:8787")][..], 200),
            (&local, &[(HOST, "localhost:1")], 200),
            (&local, &[(HOST, "[::1]:1")], 200),
            (&local, &[(HOST, "evil.example:8787")], 403),
            (&local, &[], 403),
            (&local, &[(HOST, "localhost"), (ORIGIN, "http://localhost:3000")], 200),
            (&local, &[(HOST, "localhost"), (ORIGIN, "https://evil.example")], 403),
            (&local, &[(HOST, "localhost"), (ORIGIN, "https://localhost.evil.example")], 403),
            (&local, &[(HOST, "localhost"), (ORIGIN, "null")], 403),
            (&named, &[(HOST, "MCP.example"), (ORIGIN, "https://app.example")], 200),
            (&named, &[(HOST, "mcp.example:443")], 200),
            (&guarded, &[(HOST, "anything")], 401),
            (&guarded, &[(HOST, "anything"), (AUTHORIZATION, "Bearer two")], 200),
            (&guarded, &[(HOST, "anything"), (AUTHORIZATION, "bearer  one")], 200),
            (&guarded, &[(HOST, "anything"), (AUTHORIZATION, "Bearer three")], 401),
            (&guarded, &[(HOST, "anything"), (AUTHORIZATION, "two")], 401),
            (&unguarded, &[(HOST, "localhost")], 401),
            (&unguarded, &[(HOST, "localhost"), (AUTHORIZATION, "Bearer ")], 401),
            (&guarded, &[(HOST, "anything"), (AUTHORIZATION, "Bearer two"), (ORIGIN, "http://localhost")], 403),
        ] {
            assert_eq!(status(http, headers), expected, "{headers:?}");
        }
    }

    #[test]
    fn whoever_shows_something_else_is_somebody_else() {
        let guard = Guard::new(&Http::default(), true).expect("an address that may be served");
        let principal = |header: &'static str| guard.principal(&[(AUTHORIZATION, HeaderValue::from_static(header))].into_iter().collect());
        assert_eq!(principal("Bearer a"), principal("bearer  a"));
        for (one, other) in [("Bearer a", "Bearer b"), ("Bearer a", "a"), ("Bearer a", "Basic a"), ("Basic a", "Basic b")] {
            assert_ne!(principal(one), principal(other), "{one}, {other}");
        }
        assert_eq!(guard.principal(&HeaderMap::new()), None);
        let blind = Guard::new(&Http::default(), false).expect("an address that may be served");
        assert_eq!(blind.principal(&[(AUTHORIZATION, HeaderValue::from_static("Bearer a"))].into_iter().collect()), None);
    }

    #[test]
    fn nobody_listens_to_the_network_unguarded() {
        let open = Http { host: "0.0.0.0".to_owned(), ..Http::default() };
        assert!(Guard::new(&open, true).is_err_and(|error| error.to_string().contains("trustProxy")));
        let trusting = Http { auth: Some(InboundAuth { trust_proxy: true, ..InboundAuth::default() }), ..open };
        assert!(Guard::new(&trusting, false).is_ok());
    }

    #[test]
    fn clients_are_told_apart_where_it_counts_what_they_show() {
        let local = Http::default();
        let with = |auth| Http { auth: Some(auth), ..Http::default() };
        let guarded = with(InboundAuth { bearer: vec![Secret::new("one")], trust_proxy: false });
        let trusting = with(InboundAuth { bearer: Vec::new(), trust_proxy: true });
        for (http, passes, told_apart) in [(&local, false, false), (&local, true, true), (&guarded, false, true), (&trusting, false, true)]
        {
            let guard = Guard::new(http, passes).expect("an address that may be served");
            assert_eq!(guard.tells_apart(), told_apart, "{http:?} {passes}");
        }
    }
}
