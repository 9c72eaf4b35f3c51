//! OAuth 2.1 to servers behind a URL: a login in the user's browser, tokens in a file of the user's, and new ones where they run out.
//!
//! Our own code over the HTTP client that is there: what MCP asks for is a few requests, and the crates that make them bring several megabytes.

mod callback;
mod challenge;
mod credentials;
mod discovery;
mod fetch;
mod grant;
mod login;
mod registration;
mod tokens;

pub(crate) use challenge::Challenge;
pub(crate) use credentials::Credentials;
pub(crate) use fetch::secure;
pub use login::{Login, login};
pub use tokens::{Token, Tokens};

/// Where the tokens of a server are kept, and what asks for them: its URL without what is not sent.
fn key(url: &reqwest::Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    url.into()
}
