//! Requests for tokens.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use serde::Deserialize;

use super::fetch::{read, secure, send};
use super::registration::Client;
use super::tokens::now;

/// What an authorization server gives.
#[derive(Deserialize)]
pub(super) struct Granted {
    pub(super) access_token: String,
    token_type: String,
    expires_in: Option<u64>,
    pub(super) refresh_token: Option<String>,
    pub(super) scope: Option<String>,
}

impl Granted {
    /// When the token runs out.
    pub(super) fn expires_at(&self) -> Option<u64> {
        Some(now().saturating_add(self.expires_in?))
    }
}

/// Why there is no token.
pub(super) enum Refused {
    /// What was shown for it counts no longer.
    Over,
    /// Something else.
    Failed(String),
}

#[derive(Deserialize)]
struct Failure {
    error: String,
    error_description: Option<String>,
}

/// Asks for a token.
pub(super) async fn grant(
    http: &reqwest::Client,
    endpoint: &str,
    client: &Client,
    parameters: &[(&str, &str)],
) -> Result<Granted, Refused> {
    let mut parameters = parameters.to_vec();
    let mut request = http.post(secure(endpoint).map_err(Refused::Failed)?);
    match &client.secret {
        Some(secret) if !client.secret_in_body => {
            let pair = format!("{}:{}", escaped(&client.id), escaped(secret));
            let header = HeaderValue::from_str(&format!("Basic {}", BASE64_STANDARD.encode(pair)));
            let mut header = header.map_err(|error| Refused::Failed(error.to_string()))?;
            header.set_sensitive(true);
            request = request.header(AUTHORIZATION, header);
        }
        secret => {
            parameters.push(("client_id", &client.id));
            parameters.extend(secret.as_deref().map(|secret| ("client_secret", secret)));
        }
    }
    let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form(&parameters));
    let response = send(request).await.map_err(Refused::Failed)?;
    let status = response.status();
    if status.is_success() {
        let granted: Granted = read(response).await.map_err(Refused::Failed)?;
        return if granted.token_type.eq_ignore_ascii_case("bearer") {
            Ok(granted)
        } else {
            Err(Refused::Failed("its tokens are none that can be shown to a server (token_type)".to_owned()))
        };
    }
    let Failure { error, error_description } =
        read(response).await.map_err(|_| Refused::Failed(format!("the authorization server answered HTTP {status}")))?;
    if error == "invalid_grant" {
        return Err(Refused::Over);
    }
    let description = error_description.map_or_else(String::new, |text| format!(": {text}"));
    Err(Refused::Failed(format!("the authorization server gave no token: {error}{description}")))
}

/// Parameters as forms of web pages write them.
fn form(parameters: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}

/// A text as it stands in such a form.
fn escaped(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
