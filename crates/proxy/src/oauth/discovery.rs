//! Who gives out tokens for a server, and where: RFC 9728, and RFC 8414 or the standard before it.

use reqwest::Url;
use serde::Deserialize;

use super::challenge::Challenge;
use super::fetch::{document, secure};

/// What a server says of itself.
#[derive(Deserialize)]
struct Resource {
    resource: String,
    #[serde(default)]
    authorization_servers: Vec<String>,
    scopes_supported: Option<Vec<String>>,
}

/// What an authorization server says of itself.
#[derive(Debug, Deserialize)]
pub(super) struct Issuer {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) registration_endpoint: Option<String>,
    #[serde(default)]
    pub(super) code_challenge_methods_supported: Vec<String>,
    pub(super) token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    pub(super) scopes_supported: Vec<String>,
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
}

/// What there is to know before a login.
pub(super) struct Discovered {
    /// What the tokens are for.
    pub(super) resource: String,
    /// The scopes to ask for, where the server names any.
    pub(super) scope: Option<String>,
    pub(super) issuer: Issuer,
}

/// Finds out who gives out tokens for the server at `url`.
pub(super) async fn discover(http: &reqwest::Client, url: &Url, challenge: Challenge) -> Result<Discovered, String> {
    let described = match &challenge.resource_metadata {
        Some(place) => vec![secure(place)?],
        None => well_known(url, "oauth-protected-resource"),
    };
    let resource: Option<Resource> = first(http, &described).await?;
    if let Some(resource) = &resource
        && !covers(&resource.resource, url)
    {
        return Err(format!("the server describes another one, {:?}: its tokens would not be for this one", resource.resource));
    }
    // Before there were such descriptions a server gave out its tokens itself.
    let named = resource.as_ref().and_then(|resource| resource.authorization_servers.first());
    let issuer = match named {
        Some(issuer) => secure(issuer)?,
        None => secure(&url.origin().ascii_serialization())?,
    };
    let mut places = well_known(&issuer, "oauth-authorization-server");
    places.truncate(1);
    places.extend(well_known(&issuer, "openid-configuration").into_iter().take(1));
    if issuer.path().len() > 1 {
        places.push(with_path(&issuer, &format!("{}/.well-known/openid-configuration", issuer.path().trim_end_matches('/'))));
    }
    let found: Option<Issuer> = first(http, &places).await?;
    let found = found.ok_or_else(|| {
        let places: Vec<&str> = places.iter().map(Url::as_str).collect();
        format!("nobody says who gives out tokens for it (looked at {})", places.join(", "))
    })?;
    // Whoever could name another issuer could have codes sent to itself.
    if let Some(named) = named
        && named.trim_end_matches('/') != found.issuer.trim_end_matches('/')
    {
        return Err(format!("{named} says that it is {:?}", found.issuer));
    }
    if !found.code_challenge_methods_supported.iter().any(|method| method == "S256") {
        return Err(format!("{} does not support PKCE with S256, without which codes could be stolen", found.issuer));
    }
    let (resource, supported) = match resource {
        Some(Resource { resource, scopes_supported, .. }) => (resource, scopes_supported),
        None => (canonical(url), None),
    };
    let scope = challenge.scope.or_else(|| supported.filter(|scopes| !scopes.is_empty()).map(|scopes| scopes.join(" ")));
    Ok(Discovered { resource, scope, issuer: found })
}

/// The first document that is there.
async fn first<T: serde::de::DeserializeOwned>(http: &reqwest::Client, places: &[Url]) -> Result<Option<T>, String> {
    for place in places {
        if let Some(found) = document(http, place).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Where a document about `url` may lie: for its path, then for its host.
fn well_known(url: &Url, name: &str) -> Vec<Url> {
    let path = url.path().trim_end_matches('/');
    let mut places = vec![with_path(url, &format!("/.well-known/{name}{path}"))];
    if !path.is_empty() {
        places.push(with_path(url, &format!("/.well-known/{name}")));
    }
    places
}

fn with_path(url: &Url, path: &str) -> Url {
    let mut url = url.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// Whether a description is about the server at `url`: it names it, or what lies above it.
fn covers(resource: &str, url: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let above = resource.path().trim_end_matches('/');
    let below = url.path().strip_prefix(above);
    resource.origin() == url.origin() && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a server is called in requests for its tokens.
fn canonical(url: &Url) -> String {
    let text = with_path(url, url.path()).to_string();
    if url.path() == "/" { text.trim_end_matches('/').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn documents_lie_where_the_standards_say() {
        for (about, expected) in [
            ("https://h/mcp?x=1#y", &["https://h/.well-known/a/mcp", "https://h/.well-known/a"][..]),
            ("https://h:1/", &["https://h:1/.well-known/a"]),
            ("https://h/t/", &["https://h/.well-known/a/t", "https://h/.well-known/a"]),
        ] {
            assert_eq!(well_known(&url(about), "a").iter().map(Url::as_str).collect::<Vec<_>>(), expected, "{about}");
        }
        assert_eq!(canonical(&url("https://h/?key=1")), "https://h");
        assert_eq!(canonical(&url("https://h/mcp?key=1#x")), "https://h/mcp");
    }

    #[test]
    fn a_description_is_of_the_server_or_of_what_lies_above_it() {
        for (resource, expected) in [
            ("https://h/mcp", true),
            ("https://h", true),
            ("https://H/", true),
            ("https://h/mc", false),
            ("https://h/mcp/below", false),
            ("https://other/mcp", false),
            ("http://h/mcp", false),
            ("mcp", false),
        ] {
            assert_eq!(covers(resource, &url("https://h/mcp")), expected, "{resource}");
        }
    }
}
