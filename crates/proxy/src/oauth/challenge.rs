//! What a server says where it wants credentials: `WWW-Authenticate`.

use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};

/// What a server wants.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// Where it describes itself.
    pub(crate) resource_metadata: Option<String>,
    /// The scopes that are needed.
    pub(crate) scope: Option<String>,
}

impl Challenge {
    /// The challenge for a bearer token, if the headers have one.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let all = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
        let bearer = all.filter_map(|value| {
            // ASCII lower case keeps the places of all characters.
            let start = value.to_ascii_lowercase().find("bearer ")?;
            Some(&value[start + "bearer ".len()..])
        });
        let mut challenge = Self::default();
        for (name, value) in bearer.flat_map(parameters) {
            match name.to_ascii_lowercase().as_str() {
                "resource_metadata" => challenge.resource_metadata = Some(value),
                "scope" => challenge.scope = Some(value),
                _ => {}
            }
        }
        challenge
    }
}

/// The parameters of a challenge, `name=value` or `name="value"` with commas between.
fn parameters(text: &str) -> Vec<(&str, String)> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.rsplit([',', ' ']).next().unwrap_or_default();
        let after = after.trim_start();
        let (value, end) = match after.strip_prefix('"') {
            Some(quoted) => {
                let (mut value, mut end, mut escaped) = (String::new(), quoted.len(), false);
                for (place, character) in quoted.char_indices() {
                    match character {
                        '\\' if !escaped => {
                            escaped = true;
                            continue;
                        }
                        '"' if !escaped => {
                            end = place + 1;
                            break;
                        }
                        _ => value.push(character),
                    }
                    escaped = false;
                }
                (value, end + 1)
            }
            None => {
                let end = after.find([',', ' ']).unwrap_or(after.len());
                (after[..end].to_owned(), end)
            }
        };
        all.push((name, value));
        rest = after.get(end..).unwrap_or_default();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read_as_servers_write_them() {
        let challenge = |resource: Option<&str>, scope: Option<&str>| Challenge {
            resource_metadata: resource.map(str::to_owned),
            scope: scope.map(str::to_owned),
        };
        for (header, expected) in [
            ("Bearer", challenge(None, None)),
            (r#"Bearer resource_metadata="https://h/.well-known/x", scope="a b""#, challenge(Some("https://h/.well-known/x"), Some("a b"))),
            (r#"bearer error="invalid_token",scope=a"#, challenge(None, Some("a"))),
            (r#"Basic realm="x", Bearer realm="a \"b\", c=d", resource_metadata="https://h""#, challenge(Some("https://h"), None)),
            (r#"Bearer scope="unfinished"#, challenge(None, Some("unfinished"))),
            (r#"Digest scope="a""#, challenge(None, None)),
            ("", challenge(None, None)),
        ] {
            let headers: HeaderMap = [(WWW_AUTHENTICATE, header.parse().expect("a value"))].into_iter().collect();
            assert_eq!(Challenge::of(&headers), expected, "{header}");
        }
    }
}
