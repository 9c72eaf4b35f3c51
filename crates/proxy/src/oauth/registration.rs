//! Who we are to an authorization server: the client of the configuration, or one that is registered for a login (RFC 7591).

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::discovery::Issuer;
use super::fetch::{read, secure, send};
use crate::config::Secret;

/// A client of an authorization server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
    /// The secret goes into the body of requests, not into a header.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) secret_in_body: bool,
}

impl Client {
    /// The client that a configuration names.
    pub(super) fn configured(id: &str, secret: Option<&Secret>, issuer: &Issuer) -> Self {
        let methods = issuer.token_endpoint_auth_methods_supported.as_deref();
        // A header is what those without a list must take.
        let in_body = methods.is_some_and(|methods| !methods.iter().any(|method| method == "client_secret_basic"));
        Self { id: id.to_owned(), secret: secret.map(|secret| secret.expose().to_owned()), secret_in_body: in_body }
    }
}

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Option<String>,
    token_endpoint_auth_method: Option<String>,
}

/// Registers a client for a login that comes back to `redirect`.
pub(super) async fn register(http: &reqwest::Client, issuer: &Issuer, redirect: &str) -> Result<Client, String> {
    let Some(endpoint) = &issuer.registration_endpoint else {
        return Err(format!("{} registers no clients by itself: register one there, and name it as auth.clientId", issuer.issuer));
    };
    let client = json!({
        "client_name": "snugfit",
        "application_type": "native",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    let request = http.post(secure(endpoint)?).header("content-type", "application/json").body(client.to_string());
    let response = send(request).await?;
    if !response.status().is_success() {
        return Err(format!("{} refused to register a client: HTTP {}", issuer.issuer, response.status()));
    }
    let Registered { client_id, client_secret, token_endpoint_auth_method } = read(response).await?;
    let secret_in_body = token_endpoint_auth_method.as_deref() == Some("client_secret_post");
    Ok(Client { id: client_id, secret: client_secret, secret_in_body })
}
