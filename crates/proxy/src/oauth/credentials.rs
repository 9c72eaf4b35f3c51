//! The token that requests to a server show: from the user's file, and a new one where it runs out or is refused.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;
use tokio::time::timeout;

use super::grant::{Refused, grant};
use super::tokens::{Token, Tokens};

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
    current: tokio::sync::Mutex<Option<Token>>,
}

impl Credentials {
    /// The token of the server at `url`.
    pub(crate) fn new(name: &str, url: &Url, http: reqwest::Client) -> Result<Self, String> {
        Ok(Self { name: name.to_owned(), key: super::key(url), http, tokens: Tokens::of_user()?, current: tokio::sync::Mutex::default() })
    }

    /// What requests show.
    ///
    /// # Errors
    /// There is no token, and what to do about it.
    pub(crate) async fn header(&self) -> Result<HeaderValue, String> {
        let mut current = self.current.lock().await;
        if !current.as_ref().is_some_and(|token| token.holds_for(SOON)) {
            *current = Some(self.renewed(None).await?);
        }
        current.as_ref().map_or_else(|| Err(self.wanted("it wants a login")), |token| header(&token.access_token))
    }

    /// What requests show after the server has refused `header`.
    ///
    /// # Errors
    /// As [`header`](Self::header).
    pub(crate) async fn header_after(&self, refused: &HeaderValue) -> Result<HeaderValue, String> {
        let mut current = self.current.lock().await;
        let is_refused = |token: &Token| header(&token.access_token).is_ok_and(|header| header == *refused);
        // Somebody else may have renewed it meanwhile.
        if current.as_ref().is_none_or(is_refused) {
            *current = Some(self.renewed(current.as_ref().map(|token| token.access_token.as_str())).await?);
        }
        current.as_ref().map_or_else(|| Err(self.wanted("it wants a login")), |token| header(&token.access_token))
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

fn header(token: &str) -> Result<HeaderValue, String> {
    let mut header = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| "its token cannot be sent".to_owned())?;
    header.set_sensitive(true);
    Ok(header)
}
