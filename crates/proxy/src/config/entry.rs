//! A server as the user writes it: ours, or one taken over from a client's `mcpServers`.

use std::fmt;
use std::path::PathBuf;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::{Deserialize, Deserializer, de};

use super::server::{Auth, Server, Transport};
use super::{ListOverrides, Period, ResultsOverrides, Secret};

/// A server: a `command` to start, or a `url`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Server")]
pub(super) struct Entry {
    /// How it is reached; by default what `command` or `url` says.
    #[serde(alias = "type")]
    #[schemars(extend("x-alias" = "type"))]
    transport: Option<Kind>,
    /// The program to start: its name, or a list of its name and arguments.
    #[serde(default, deserialize_with = "words")]
    #[schemars(schema_with = "words_schema")]
    command: Vec<String>,
    /// Arguments, beside those in `command`.
    #[serde(default)]
    args: Vec<String>,
    /// Variables of the program's environment, beside the proxy's own.
    #[serde(default)]
    #[schemars(schema_with = "values_schema")]
    env: IndexMap<String, Secret>,
    /// The program's working directory, relative to this file; the proxy's own by default.
    cwd: Option<PathBuf>,
    /// The endpoint.
    url: Option<Secret>,
    /// Headers of every request.
    #[serde(default)]
    #[schemars(schema_with = "values_schema")]
    headers: IndexMap<String, Secret>,
    /// How the proxy proves who it is: `none`, `passthrough` (the client's own `Authorization` header, request by request), `oauth`, or
    /// `{ type: header, name, value }`.
    #[serde(default)]
    #[schemars(schema_with = "auth_schema")]
    auth: Option<Auth>,
    /// Leave this server out.
    #[serde(default)]
    disabled: bool,
    /// What its tools have otherwise in lists.
    #[serde(default)]
    list: ListOverrides,
    /// What its results have otherwise.
    #[serde(default)]
    results: ResultsOverrides,
    /// The longest that one of its calls may take; `limits.callTimeout` by default.
    call_timeout: Option<Period>,
}

/// How a server is reached.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Kind {
    /// A program that speaks over its standard input and output.
    Stdio,
    /// Streamable HTTP.
    #[serde(alias = "streamable-http", alias = "streamableHttp")]
    Http,
    /// The old HTTP+SSE.
    Sse,
}

impl TryFrom<Entry> for Server {
    type Error = String;

    fn try_from(entry: Entry) -> Result<Self, String> {
        let mut words = entry.command.into_iter().chain(entry.args);
        let transport = match (entry.url, entry.transport) {
            (None, None | Some(Kind::Stdio)) => {
                if !entry.headers.is_empty() || entry.auth.is_some_and(|auth| auth != Auth::None) {
                    return Err("`headers` and `auth` are for servers with a `url`; a program is given its credentials in `env`".to_owned());
                }
                let command = words.next().filter(|command| !command.is_empty()).ok_or("needs a `command` to start, or a `url`")?;
                Transport::Stdio { command, args: words.collect(), env: entry.env, cwd: entry.cwd }
            }
            (None, Some(Kind::Http | Kind::Sse)) => return Err("needs a `url`, as its transport is HTTP".to_owned()),
            (Some(_), Some(Kind::Stdio)) => return Err("has a `url`, but its transport is stdio: leave one of them out".to_owned()),
            (Some(_), _) if words.next().is_some() || !entry.env.is_empty() || entry.cwd.is_some() => {
                return Err("has a `url`, so `command`, `args`, `env` and `cwd` have no place: leave one of them out".to_owned());
            }
            (Some(url), kind) => {
                if !url.expose().starts_with("http://") && !url.expose().starts_with("https://") {
                    return Err("its `url` must begin with http:// or https://".to_owned());
                }
                let auth = entry.auth.unwrap_or_default();
                Transport::Http { url, headers: entry.headers, auth, sse: kind == Some(Kind::Sse) }
            }
        };
        let Entry { disabled, list, results, call_timeout, .. } = entry;
        Ok(Self { transport, disabled, list, results, call_timeout })
    }
}

/// One string, or a list of them.
fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Visitor;
    impl<'de> de::Visitor<'de> for Visitor {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the name of a program, or a list of its name and arguments")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<String>, E> {
            Ok(vec![text.to_owned()])
        }

        fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<String>, A::Error> {
            let mut words = Vec::new();
            while let Some(word) = seq.next_element()? {
                words.push(word);
            }
            Ok(words)
        }
    }
    deserializer.deserialize_any(Visitor)
}

/// The long form of `auth`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AuthForm {
    r#type: AuthKind,
    name: Option<String>,
    value: Option<Secret>,
    client_id: Option<String>,
    client_secret: Option<Secret>,
    scopes: Option<Vec<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AuthKind {
    None,
    Passthrough,
    Header,
    Oauth,
}

impl TryFrom<AuthForm> for Auth {
    type Error = &'static str;

    fn try_from(form: AuthForm) -> Result<Self, &'static str> {
        let AuthForm { r#type, name, value, client_id, client_secret, scopes } = form;
        if r#type != AuthKind::Header && (name.is_some() || value.is_some()) {
            return Err("`name` and `value` belong to `type: header`");
        }
        if r#type != AuthKind::Oauth && (client_id.is_some() || client_secret.is_some() || scopes.is_some()) {
            return Err("`clientId`, `clientSecret` and `scopes` belong to `type: oauth`");
        }
        match (r#type, name, value) {
            (AuthKind::None, ..) => Ok(Self::None),
            (AuthKind::Passthrough, ..) => Ok(Self::Passthrough),
            (AuthKind::Oauth, ..) => Ok(Self::Oauth { client_id, client_secret, scopes: scopes.unwrap_or_default() }),
            (AuthKind::Header, Some(name), Some(value)) => Ok(Self::Header { name, value }),
            (AuthKind::Header, ..) => Err("`type: header` needs the header's `name` and `value`"),
        }
    }
}

impl<'de> Deserialize<'de> for Auth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Auth;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`none`, `passthrough`, `oauth` or { type: header, name: …, value: … }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Auth, E> {
                match text {
                    "none" => Ok(Auth::None),
                    "passthrough" => Ok(Auth::Passthrough),
                    "oauth" => Ok(Auth::Oauth { client_id: None, client_secret: None, scopes: Vec::new() }),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Auth, A::Error> {
                AuthForm::deserialize(MapAccessDeserializer::new(map))?.try_into().map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

fn words_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" }, "minItems": 1 }] })
}

fn values_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": { "type": ["string", "number", "boolean"] } })
}

fn auth_schema(_: &mut SchemaGenerator) -> Schema {
    let text = || json_schema!({ "type": "string" });
    json_schema!({
        "anyOf": [
            { "enum": ["none", "passthrough", "oauth"] },
            {
                "type": "object",
                "properties": { "type": { "const": "header" }, "name": text(), "value": text() },
                "required": ["type", "name", "value"],
                "additionalProperties": false,
            },
            {
                "type": "object",
                "properties": {
                    "type": { "const": "oauth" },
                    "clientId": text(),
                    "clientSecret": text(),
                    "scopes": { "type": "array", "items": text() },
                },
                "required": ["type"],
                "additionalProperties": false,
            },
        ],
    })
}
