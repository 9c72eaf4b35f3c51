//! The token that requests to a server show: from the user's file, and a new one where it runs out or is refused.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;
use tokio::sync::watch;
use tokio::time::timeout;

use super::grant::{Refused, grant};
use super::tokens::{Token, Tokens};
use crate::sync::lock;

/// A token that runs out sooner is renewed first.
const SOON: u64 = 30;
/// The longest that others may take to renew a token.
const LONGEST: Duration = Duration::from_mins(1);

/// The token of one server, for all who ask it.
pub(crate) struct Credentials {
    /// What the configuration calls the server.
    name: String,
    key: String,
    http: reqwest::Client,
    tokens: Tokens,
    current: Mutex<Option<Token>>,
    /// What comes of the renewal under way.
    renewing: Mutex<Option<watch::Receiver<Option<Renewed>>>>,
}

/// What requests show after a renewal, or why there is nothing to show.
type Renewed = Result<HeaderValue, String>;

impl Credentials {
    /// The token of the server at `url`.
    pub(crate) fn new(name: &str, url: &Url, http: reqwest::Client) -> Result<Self, String> {
        Ok(Self::in_file(name, url, http, Tokens::of_user()?))
    }

    fn in_file(name: &str, url: &Url, http: reqwest::Client, tokens: Tokens) -> Self {
        Self { name: name.to_owned(), key: super::key(url), http, tokens, current: Mutex::default(), renewing: Mutex::default() }
    }

    /// What requests show.
    ///
    /// # Errors
    /// There is no token, and what to do about it.
    pub(crate) async fn header(self: &Arc<Self>) -> Result<HeaderValue, String> {
        let current = lock(&self.current).as_ref().filter(|token| token.holds_for(SOON)).map(|token| header(&token.access_token));
        match current {
            Some(header) => header,
            None => self.renewal(None).await,
        }
    }

    /// What requests show after the server has refused `header`.
    ///
    /// # Errors
    /// As [`header`](Self::header).
    pub(crate) async fn header_after(self: &Arc<Self>, refused: &HeaderValue) -> Result<HeaderValue, String> {
        // A renewal that began before may bring what was refused.
        for _ in 0..2 {
            let current = lock(&self.current).as_ref().map(|token| token.access_token.clone());
            let renewed = match current.as_deref().map(header).transpose()? {
                // Somebody else has renewed it meanwhile.
                Some(current) if current != *refused => current,
                _ => self.renewal(current).await?,
            };
            if renewed != *refused {
                return Ok(renewed);
            }
        }
        Ok(refused.clone())
    }

    /// What comes of the renewal under way, or of one that begins here. It goes on though nobody waits for it any longer: the server has
    /// given out a new token then, and the old one counts no longer.
    async fn renewal(self: &Arc<Self>, refused: Option<String>) -> Renewed {
        let mut renewing = {
            let mut renewing = lock(&self.renewing);
            let under_way = renewing.clone().filter(|renewing| renewing.has_changed().is_ok());
            under_way.unwrap_or_else(|| {
                let (told, outcome) = watch::channel(None);
                let this = Arc::clone(self);
                tokio::spawn(async move {
                    let renewed = this.renewed(refused.as_deref()).await.and_then(|token| {
                        let header = header(&token.access_token);
                        *lock(&this.current) = Some(token);
                        header
                    });
                    *lock(&this.renewing) = None;
                    told.send_replace(Some(renewed));
                });
                renewing.insert(outcome).clone()
            })
        };
        match renewing.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().unwrap_or_else(|| Err(self.wanted("it wants a login"))),
            Err(_) => Err("its token could not be renewed".to_owned()),
        }
    }

    /// Another token than the one that was refused: what is in the file, else one that is renewed.
    async fn renewed(&self, refused: Option<&str>) -> Result<Token, String> {
        let tokens = self.tokens.clone();
        let alone = tokio::task::spawn_blocking(move || tokens.alone());
        // Renewing counts once: of several proxies one does, and the others read what it got. Held until this is over.
        let _alone = match timeout(LONGEST, alone).await {
            Ok(Ok(alone)) => alone?,
            _ => return Err("another process holds the file of tokens".to_owned()),
        };
        let mut token = self.tokens.read()?.remove(&self.key).ok_or_else(|| self.wanted("it wants a login"))?;
        if token.holds_for(SOON) && refused != Some(token.access_token.as_str()) {
            return Ok(token);
        }
        let Some(renewal) = token.refresh_token.clone() else { return Err(self.wanted("its login is over")) };
        let parameters = [("grant_type", "refresh_token"), ("refresh_token", &*renewal), ("resource", &*token.resource)];
        let granted = match grant(&self.http, &token.token_endpoint, &token.client, &parameters).await {
            Ok(granted) => granted,
            Err(Refused::Over) => return Err(self.wanted("its login is over")),
            Err(Refused::Failed(why)) => return Err(format!("its token could not be renewed: {why}")),
        };
        token.expires_at = granted.expires_at();
        token.access_token = granted.access_token;
        token.refresh_token = granted.refresh_token.or(token.refresh_token);
        token.scope = granted.scope.unwrap_or(token.scope);
        // It holds, whatever comes of keeping it: the old one counts no longer.
        *lock(&self.current) = Some(token.clone());
        let kept = token.clone();
        self.tokens.change_alone(|all| all.insert(self.key.clone(), kept))?;
        Ok(token)
    }

    /// What the user can do.
    pub(crate) fn advice(&self) -> String {
        format!("run `snugfit auth login {}`", self.name)
    }

    fn wanted(&self, why: &str) -> String {
        format!("{why}: {}", self.advice())
    }
}

/// The header that shows a token.
fn header(token: &str) -> Result<HeaderValue, String> {
    let mut header = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| "its token cannot be sent".to_owned())?;
    header.set_sensitive(true);
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::time::sleep;

    /// An authorization server that takes its time, and how often it was asked; each token of it counts once.
    async fn server() -> (String, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (url, asked) = (format!("http://{}/token", listener.local_addr().expect("an address")), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let count = Arc::clone(&count);
                tokio::spawn(async move {
                    let mut request = Vec::new();
                    // The last of the parameters.
                    while !String::from_utf8_lossy(&request).contains("client_id=c") {
                        if stream.read_buf(&mut request).await.unwrap_or_default() == 0 {
                            return;
                        }
                    }
                    let times = count.fetch_add(1, Ordering::Relaxed) + 1;
                    let shown = String::from_utf8_lossy(&request).contains(&format!("refresh_token=refresh-{}&", times - 1));
                    sleep(Duration::from_millis(200)).await;
                    let (status, body) = if shown {
                        let body = format!(
                            r#"{{"access_token":"access-{times}","token_type":"Bearer","expires_in":18446744073709551615,"refresh_token":"refresh-{times}"}}"#
                        );
                        ("200 OK", body)
                    } else {
                        ("400 Bad Request", r#"{"error":"invalid_grant"}"#.to_owned())
                    };
                    let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}", body.len());
                    let _ = stream.write_all(format!("{head}\r\nconnection: close\r\n\r\n{body}").as_bytes()).await;
                });
            }
        });
        (url, asked)
    }

    /// Credentials with a token that has run out.
    fn expired(name: &str, endpoint: &str) -> Arc<Credentials> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = std::env::temp_dir().join(format!("snugfit-test-credentials-{name}-{}", std::process::id()));
        let tokens = Tokens::at(folder.join("tokens.json"));
        let token = serde_json::json!({
            "server": "a", "issuer": "http://as", "scope": "", "expiresAt": 1, "tokenEndpoint": endpoint, "resource": "http://a/mcp",
            "client": { "id": "c" }, "accessToken": "access-0", "refreshToken": "refresh-0",
        });
        let url = Url::parse("http://a/mcp").expect("a URL");
        let token: Token = serde_json::from_value(token).expect("a token");
        tokens.change(|all| all.insert(super::super::key(&url), token)).expect("a file");
        Arc::new(Credentials::in_file("a", &url, reqwest::Client::new(), tokens))
    }

    fn kept(credentials: &Credentials) -> Option<String> {
        credentials.tokens.read().expect("a file")[&credentials.key].refresh_token.clone()
    }

    fn remove(credentials: &Credentials) {
        std::fs::remove_dir_all(credentials.tokens.path().parent().expect("a folder")).expect("it is there");
    }

    #[tokio::test]
    async fn a_renewal_goes_on_though_nobody_waits_for_it() {
        let (endpoint, asked) = server().await;
        let credentials = expired("gone", &endpoint);
        assert!(timeout(Duration::from_millis(100), credentials.header()).await.is_err(), "the caller is gone before the answer is there");
        for _ in 0..200 {
            if kept(&credentials).as_deref() == Some("refresh-1") {
                break;
            }
            sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(kept(&credentials).as_deref(), Some("refresh-1"));
        assert_eq!(credentials.header().await, Ok(HeaderValue::from_static("Bearer access-1")));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        remove(&credentials);
    }

    #[tokio::test]
    async fn who_asks_at_a_time_shares_one_renewal() {
        let (endpoint, asked) = server().await;
        let credentials = expired("shared", &endpoint);
        let callers: Vec<_> = (0..10)
            .map(|_| {
                let credentials = Arc::clone(&credentials);
                tokio::spawn(async move { credentials.header().await })
            })
            .collect();
        for caller in callers {
            assert_eq!(caller.await.expect("an outcome"), Ok(HeaderValue::from_static("Bearer access-1")));
        }
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        // One that is refused is renewed once for all who were refused with it.
        let refused = HeaderValue::from_static("Bearer access-1");
        let (one, other) = tokio::join!(credentials.header_after(&refused), credentials.header_after(&refused));
        assert_eq!((one.clone(), one), (other, Ok(HeaderValue::from_static("Bearer access-2"))));
        assert_eq!((asked.load(Ordering::Relaxed), kept(&credentials).as_deref()), (2, Some("refresh-2")));
        remove(&credentials);
    }

    #[tokio::test]
    async fn a_failure_is_told_to_all_who_wait_for_it() {
        let (endpoint, asked) = server().await;
        let credentials = expired("failure", &endpoint);
        credentials
            .tokens
            .change(|all| all.values_mut().for_each(|token| token.refresh_token = Some("another".to_owned())))
            .expect("a file");
        let (one, other) = tokio::join!(credentials.header(), credentials.header());
        assert!(one.is_err_and(|why| why.contains("its login is over")) && other.is_err());
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        remove(&credentials);
    }
}
