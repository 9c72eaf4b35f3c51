//! A login in the user's browser: the authorization code flow with PKCE.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use ring::digest::{SHA256, digest};
use tokio::time::timeout;

use super::callback::{Answer, Callback};
use super::challenge::Challenge;
use super::discovery::{Discovered, Issuer, discover};
use super::fetch::secure;
use super::grant::{Refused, grant};
use super::registration::{Client, register};
use super::tokens::{Token, Tokens};
use crate::config::{Auth, Server, Transport};
use crate::random;
use crate::upstream::{address, fault, http_client};

/// The longest that a user may take.
const LONGEST: Duration = Duration::from_mins(10);

/// A login to a server of a configuration.
pub struct Login<'a> {
    /// What the configuration calls the server.
    pub name: &'a str,
    /// The server.
    pub server: &'a Server,
    /// The port that the browser comes back to; 0 takes a free one.
    pub port: u16,
}

/// Logs in: `show` is handed the URL that the user has to open, and the tokens are kept.
///
/// # Errors
/// Why there is no login.
pub async fn login(login: Login<'_>, tokens: &Tokens, show: impl FnOnce(&str)) -> Result<Token, String> {
    let Transport::Http { url, headers, auth: auth @ Auth::Oauth { client_id, client_secret, scopes }, .. } = &login.server.transport
    else {
        return Err(format!("the server {:?} has no `auth: oauth`: there is nothing to log in to", login.name));
    };
    let http = http_client()?;
    let (url, headers) = address(url, headers, auth)?;
    let challenge = challenge(http.post(url.clone()).headers(headers)).await?;
    let Discovered { resource, scope, issuer } = discover(&http, &url, challenge).await?;
    let callback = Callback::open(login.port).await?;
    let redirect = callback.redirect.clone();
    let client = match client_id {
        Some(id) => Client::configured(id, client_secret.as_ref(), &issuer),
        None => register(&http, &issuer, &redirect).await?,
    };
    let scope = scopes_wanted(scopes, scope, &issuer);
    let unguessable = || random::text(32).map_err(|error| error.to_string());
    let (verifier, state) = (unguessable()?, unguessable()?);
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
    let mut page = secure(&issuer.authorization_endpoint)?;
    page.query_pairs_mut().extend_pairs([
        ("response_type", "code"),
        ("client_id", &client.id),
        ("redirect_uri", &redirect),
        ("state", &state),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("resource", &resource),
    ]);
    if let Some(scope) = &scope {
        page.query_pairs_mut().append_pair("scope", scope);
        // Without being asked again, some give no token for later.
        if scope.split(' ').any(|scope| scope == "offline_access") {
            page.query_pairs_mut().append_pair("prompt", "consent");
        }
    }
    show(page.as_str());
    let answer = timeout(LONGEST, callback.answer(&state)).await.map_err(|_| "nobody came back from the browser in time".to_owned())??;
    let code = code(&answer, &issuer)?;
    let parameters = [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", &redirect),
        ("code_verifier", &verifier),
        ("resource", &resource),
    ];
    let granted = match grant(&http, &issuer.token_endpoint, &client, &parameters).await {
        Ok(granted) => granted,
        Err(Refused::Over) => return Err("the authorization server did not take the code that it gave: log in again".to_owned()),
        Err(Refused::Failed(why)) => return Err(why),
    };
    let token = Token {
        server: login.name.to_owned(),
        issuer: issuer.issuer,
        scope: granted.scope.clone().or(scope).unwrap_or_default(),
        expires_at: granted.expires_at(),
        token_endpoint: issuer.token_endpoint,
        resource,
        client,
        access_token: granted.access_token,
        refresh_token: granted.refresh_token,
    };
    let kept = token.clone();
    tokens.change(|all| all.insert(super::key(&url), kept))?;
    Ok(token)
}

/// What the server says to somebody without a token.
async fn challenge(request: reqwest::RequestBuilder) -> Result<Challenge, String> {
    let ping = r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#;
    let request = request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json, text/event-stream").body(ping);
    let response = request.timeout(Duration::from_secs(30)).send().await.map_err(fault)?;
    Ok(Challenge::of(response.headers()))
}

/// The scopes to ask for: those of the configuration, else what the server wants; with what tokens for later need, where that is offered.
fn scopes_wanted(configured: &[String], wanted: Option<String>, issuer: &Issuer) -> Option<String> {
    const LATER: &str = "offline_access";
    let mut scopes: Vec<String> = match configured {
        [] => wanted.map(|scope| scope.split_whitespace().map(str::to_owned).collect()).unwrap_or_default(),
        configured => configured.to_vec(),
    };
    if issuer.scopes_supported.iter().any(|scope| scope == LATER) && !scopes.iter().any(|scope| scope == LATER) {
        scopes.push(LATER.to_owned());
    }
    (!scopes.is_empty()).then(|| scopes.join(" "))
}

/// The code that the browser brought, if it is from who was asked (RFC 9207).
fn code<'a>(answer: &'a Answer, issuer: &Issuer) -> Result<&'a str, String> {
    let given = answer.get("iss");
    if given.map_or(issuer.authorization_response_iss_parameter_supported, |given| *given != issuer.issuer) {
        return Err(format!("the answer is not from {}: somebody may have tried to take this login over", issuer.issuer));
    }
    match (answer.get("code"), answer.get("error")) {
        (Some(code), None) => Ok(code),
        (_, Some(error)) => {
            let description = answer.get("error_description").map_or_else(String::new, |text| format!(": {text}"));
            Err(format!("{} refused: {error}{description}", issuer.issuer))
        }
        (None, None) => Err("the browser brought no code".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issuer(more: &str) -> Issuer {
        let text = format!(r#"{{"issuer":"https://as","authorization_endpoint":"https://as/a","token_endpoint":"https://as/t"{more}}}"#);
        serde_json::from_str(&text).expect("an issuer")
    }

    #[test]
    fn a_code_counts_only_from_who_was_asked() {
        let says = r#","authorization_response_iss_parameter_supported":true"#;
        for (more, answer, expected) in [
            ("", &[("code", "c")][..], Ok("c")),
            ("", &[("code", "c"), ("iss", "https://as")], Ok("c")),
            ("", &[("code", "c"), ("iss", "https://as/")], Err("not from https://as")),
            (says, &[("code", "c"), ("iss", "https://as")], Ok("c")),
            (says, &[("code", "c")], Err("not from https://as")),
            (says, &[("error", "access_denied"), ("iss", "https://evil")], Err("not from https://as")),
            ("", &[("error", "access_denied"), ("error_description", "no")], Err("access_denied: no")),
            ("", &[], Err("no code")),
        ] {
            let answer: Answer = answer.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            match (code(&answer, &issuer(more)), expected) {
                (Ok(code), Ok(expected)) => assert_eq!(code, expected),
                (Err(why), Err(expected)) => assert!(why.contains(expected), "{answer:?}: {why}"),
                (given, expected) => panic!("{answer:?}: {given:?}, not {expected:?}"),
            }
        }
    }

    #[test]
    fn scopes_are_those_of_the_configuration_else_what_the_server_wants() {
        let later = r#","scopes_supported":["openid","offline_access"]"#;
        for (more, configured, wanted, expected) in [
            ("", &["a", "b"][..], Some("c"), Some("a b")),
            ("", &[], Some("c d"), Some("c d")),
            ("", &[], None, None),
            (later, &[], Some("c"), Some("c offline_access")),
            (later, &["offline_access"], None, Some("offline_access")),
        ] {
            let configured: Vec<String> = configured.iter().map(|scope| (*scope).to_owned()).collect();
            let wanted = scopes_wanted(&configured, wanted.map(str::to_owned), &issuer(more));
            assert_eq!(wanted.as_deref(), expected, "{configured:?}");
        }
    }
}
