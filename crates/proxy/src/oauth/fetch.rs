//! Documents of authorization servers: small, and from where nobody else can have written them.

use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode, Url};
use serde::de::DeserializeOwned;

use crate::upstream::fault;

/// The largest document.
const LARGEST: usize = 1 << 20;
/// The longest that one may take.
const LONGEST: Duration = Duration::from_secs(30);

/// A URL of an authorization server.
///
/// # Errors
/// It is none, or others could read what is sent there.
pub(crate) fn secure(url: &str) -> Result<Url, String> {
    let parsed = Url::parse(url).map_err(|error| format!("{url:?} is no URL: {error}"))?;
    let is_local = matches!(parsed.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    if parsed.scheme() == "https" || (parsed.scheme() == "http" && is_local) {
        Ok(parsed)
    } else {
        Err(format!("{url:?} is not secure: it must be https"))
    }
}

/// Sends a request for JSON.
pub(super) async fn send(request: RequestBuilder) -> Result<Response, String> {
    request.header(ACCEPT, HeaderValue::from_static("application/json")).timeout(LONGEST).send().await.map_err(fault)
}

/// The document at `url`; `None` where there is none.
pub(super) async fn document<T: DeserializeOwned>(http: &reqwest::Client, url: &Url) -> Result<Option<T>, String> {
    let response = send(http.get(url.clone())).await.map_err(|why| format!("{url}: {why}"))?;
    match response.status() {
        StatusCode::OK => read(response).await.map(Some).map_err(|why| format!("{url}: {why}")),
        status if status.is_client_error() => Ok(None),
        status => Err(format!("{url} answered HTTP {status}")),
    }
}

/// The body of a response, read as JSON.
pub(super) async fn read<T: DeserializeOwned>(mut response: Response) -> Result<T, String> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(fault)? {
        if body.len() + chunk.len() > LARGEST {
            return Err("its answer is larger than 1 MiB".to_owned());
        }
        body.extend_from_slice(&chunk);
    }
    // What cannot be read may hold a token: only the place is told.
    serde_json::from_slice(&body).map_err(|error| format!("its answer cannot be read (line {}, column {})", error.line(), error.column()))
}

#[cfg(test)]
mod tests {
    use super::secure;

    #[test]
    fn credentials_go_where_nobody_else_reads_them() {
        for (url, expected) in [
            ("https://as.example/token", true),
            ("http://127.0.0.1:4000/token", true),
            ("http://localhost/token", true),
            ("http://[::1]:1/token", true),
            ("http://as.example/token", false),
            ("http://localhost.evil.example/token", false),
            ("ftp://as.example", false),
            ("token", false),
        ] {
            assert_eq!(secure(url).is_ok(), expected, "{url}");
        }
    }
}
