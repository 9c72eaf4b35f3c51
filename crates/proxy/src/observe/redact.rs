//! Strikes secrets out: those of the configuration wherever they stand, what is called like one, and what looks like one.

use std::borrow::Cow;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use regex_automata::meta::Regex;
use serde_json::Value;

use super::named;
use crate::config::{Auth, Config, Redis, Secret, Transport};

/// How often what is part of a text may be JSON in a string.
const MOST_QUOTED: usize = 4;

/// What stands in the place of a secret.
const STRUCK: &str = "[redacted]";

/// Shorter values (`1`, `true`, `info`) stand in any text and give nothing away.
const LEAST: usize = 5;

/// Credentials that are known by their form.
const FORMS: [&str; 9] = [
    r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}",
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*",
    r"\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}",
    r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}",
    r"\bxox[abeprs]-[A-Za-z0-9-]{10,}",
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"\bAIza[0-9A-Za-z_-]{35}",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
    r"://[^/\s:@]+:[^/\s@]+@",
];

/// How often JSON in a string in JSON is looked into: what lies deeper is struck out unseen.
const DEEPEST: usize = 8;

/// Words of names whose values are secrets; as they are without case, `-` and `_`.
const NAMES: [&str; 13] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
    "credential",
    "cookie",
    "token",
    "sessionid",
    "signature",
];

/// Names that end like one and are none.
const HARMLESS: [&str; 6] = ["progresstoken", "maxtokens", "tokens", "nextpagetoken", "pagetoken", "continuationtoken"];

/// Strikes secrets out.
#[derive(Debug)]
pub(crate) struct Redactor {
    known: Option<AhoCorasick>,
    forms: Option<Regex>,
}

impl Redactor {
    /// Knows the secrets of a configuration.
    pub(crate) fn new(config: &Config) -> Self {
        let mut secrets: Vec<String> = Vec::new();
        let mut add = |text: &str| secrets.extend(forms_of(text));
        for (_, server) in config.active() {
            match &server.transport {
                Transport::Stdio { env, args, .. } => {
                    env.values().for_each(|value| add(value.expose()));
                    secret_arguments(args).for_each(&mut add);
                }
                Transport::Http { url, headers, auth, .. } => {
                    parts_of_url(url.expose()).for_each(|part| add(&part));
                    headers.values().for_each(|value| add(value.expose()));
                    let cookies = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("cookie"));
                    cookies
                        .flat_map(|(_, value)| value.expose().split(';'))
                        .filter_map(|pair| pair.split_once('='))
                        .for_each(|(_, value)| add(value));
                    match auth {
                        Auth::Header { value, .. } => add(value.expose()),
                        Auth::Oauth { client_secret: Some(secret), .. } => add(secret.expose()),
                        _ => {}
                    }
                }
            }
        }
        let bearer = config.inbound.http.auth.iter().flat_map(|auth| &auth.bearer);
        let secret = config.store.redis.as_ref().and_then(Redis::secret);
        bearer.chain(secret.as_ref()).chain(config.observability.otel.headers.values()).map(Secret::expose).for_each(&mut add);
        config.store.redis.iter().flat_map(|redis| parts_of_url(redis.url.expose())).for_each(|part| add(&part));
        config.observability.otel.endpoint.iter().flat_map(|endpoint| parts_of_url(endpoint)).for_each(|part| add(&part));
        secrets.retain(|secret| secret.len() >= LEAST);
        secrets.sort_unstable();
        secrets.dedup();
        Self {
            known: AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&secrets).ok().filter(|_| !secrets.is_empty()),
            forms: Regex::new_many(&FORMS).ok(),
        }
    }

    /// A text without secrets.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        if let Some(known) = &self.known
            && known.is_match(text.as_ref())
        {
            // The same mark for each, so that nobody can tell them apart.
            let marks = vec![STRUCK; known.patterns_len()];
            text = Cow::Owned(known.replace_all(&text, &marks));
        }
        if let Some(forms) = &self.forms
            && forms.is_match(text.as_bytes())
        {
            text = Cow::Owned(struck(&text, forms.find_iter(text.as_bytes()).map(|found| found.range())));
        }
        let named = named::values(&text, is_secret_name);
        if named.is_empty() { text } else { Cow::Owned(struck(&text, named.into_iter())) }
    }

    /// JSON text without secrets, compact; `None` where it cannot be read.
    pub(crate) fn json(&self, json: &str) -> Option<String> {
        self.within(json, DEEPEST)
    }

    fn within(&self, json: &str, strings: usize) -> Option<String> {
        // The parser refuses what is nested more than 128 levels deep, so that walking the tree is safe, and so are as many trees as strings hold.
        let mut value: Value = serde_json::from_str(json).ok()?;
        self.walk(&mut value, strings);
        Some(value.to_string())
    }

    /// Walks a tree whose strings are looked into so many times more.
    fn walk(&self, value: &mut Value, strings: usize) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                if self.known.as_ref().is_some_and(|known| known.is_match(&number.to_string())) {
                    *value = STRUCK.into();
                }
            }
            Value::String(text) => {
                // Results and arguments are often JSON in a string, where a secret may be escaped and names tell what is one.
                let may_be_json = text.trim_start().starts_with(['{', '[']);
                let inner = match strings.checked_sub(1) {
                    Some(left) if may_be_json => self.within(text, left),
                    None if may_be_json => Some(STRUCK.to_owned()),
                    _ => None,
                };
                match inner {
                    Some(inner) => *text = inner,
                    None => {
                        if let Cow::Owned(clean) = self.text(text) {
                            *text = clean;
                        }
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.walk(item, strings)),
            Value::Object(members) => {
                let struck: Vec<String> = members.keys().filter(|key| matches!(self.text(key), Cow::Owned(_))).cloned().collect();
                for key in struck {
                    if let Some(value) = members.remove(&key) {
                        members.insert(self.text(&key).into_owned(), value);
                    }
                }
                for (key, member) in members {
                    if is_secret_name(key) && !matches!(member, Value::Null | Value::Bool(_)) && !is_schema(member) {
                        *member = STRUCK.into();
                    } else {
                        self.walk(member, strings);
                    }
                }
            }
        }
    }
}

/// A text without these parts of it, which come in their order.
fn struck(text: &str, parts: impl Iterator<Item = Range<usize>>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for part in parts {
        out.push_str(&text[end..part.start]);
        out.push_str(STRUCK);
        end = part.end;
    }
    out.push_str(&text[end..]);
    out
}

/// Whether what is called so is a secret.
fn is_secret_name(name: &str) -> bool {
    let plain: String = name.chars().take(64).filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect();
    NAMES.iter().any(|word| plain.contains(word)) && !HARMLESS.iter().any(|word| plain.ends_with(word))
}

/// A schema says what a secret looks like and holds none.
fn is_schema(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.get("type").is_some_and(Value::is_string) && object.len() <= 8)
}

/// Arguments of a program that are given after a name of a secret.
fn secret_arguments(args: &[String]) -> impl Iterator<Item = &str> {
    let after = args.windows(2).filter(|pair| pair[0].starts_with('-') && is_secret_name(&pair[0])).map(|pair| pair[1].as_str());
    let within = args.iter().filter_map(|arg| arg.split_once('=')).filter(|(name, _)| is_secret_name(name)).map(|(_, value)| value);
    after.chain(within)
}

/// What of a URL may be a credential: the URL itself, user and password, the values of its query, its fragment.
fn parts_of_url(url: &str) -> impl Iterator<Item = String> {
    let (before, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (place, query) = before.split_once('?').unwrap_or((before, ""));
    let host = place.split_once("://").map_or(place, |(_, rest)| rest).split('/').next().unwrap_or_default();
    let user = host.rsplit_once('@').map_or("", |(user, _)| user);
    let values = query.split('&').map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
    let whole = (!query.is_empty() || !user.is_empty() || !fragment.is_empty()).then_some(url);
    let parts = user.splitn(2, ':').chain(values).chain([fragment]);
    // As they stand there, and as they are meant.
    whole.map(str::to_owned).into_iter().chain(parts.flat_map(|part| [part.to_owned(), decoded(part)]))
}

/// What percent signs stand for.
fn decoded(text: &str) -> String {
    let value = format!("={}", text.replace('&', "%26"));
    form_urlencoded::parse(value.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// The forms in which a secret may stand somewhere: as it is, without its scheme, and as JSON or a URL write it.
fn forms_of(secret: &str) -> Vec<String> {
    let bare = secret.split_once(' ').filter(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_alphabetic())).map(|(_, rest)| rest);
    let mut forms = Vec::new();
    for text in [Some(secret.trim()), bare.map(str::trim)].into_iter().flatten() {
        forms.push(text.to_owned());
        let mut quoted = text.to_owned();
        for _ in 0..MOST_QUOTED {
            quoted = crate::rpc::quote(&quoted);
            quoted = quoted[1..quoted.len() - 1].to_owned();
            forms.push(quoted.clone());
        }
        forms.push(text.bytes().map(percent).collect());
    }
    forms
}

fn percent(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn redactor(secret: &str) -> Redactor {
        let config = json!({ "servers": {
            "a": { "command": "x", "args": ["--api-key", format!("{secret}1")], "env": { "K": secret, "PORT": "80" } },
            "b": { "url": format!("https://h/mcp?key={secret}2"), "headers": { "X": format!("Bearer {secret}3") } },
        } });
        Redactor::new(&serde_json::from_value(config).expect("a configuration"))
    }

    #[test]
    fn what_is_known_called_or_formed_like_a_secret_is_struck_out() {
        let redactor = redactor("s3cret\"x");
        for (text, expected) in [
            (json!({ "a": "it is s3cret\"x, yes", "port": 80 }), json!({ "a": "it is [redacted], yes", "port": 80 })),
            (json!({ "k": "{\"in\": \"s3cret\\\"x\"}" }), json!({ "k": "{\"in\":\"[redacted]\"}" })),
            (json!({ "s3cret\"x": 1 }), json!({ "[redacted]": 1 })),
            (json!({ "password": "hunter2", "apiKey": { "a": 1 } }), json!({ "password": "[redacted]", "apiKey": "[redacted]" })),
            (json!({ "_meta": { "progressToken": 7 }, "max_tokens": 9 }), json!({ "_meta": { "progressToken": 7 }, "max_tokens": 9 })),
            (json!({ "properties": { "token": { "type": "string" } } }), json!({ "properties": { "token": { "type": "string" } } })),
            (json!(["Authorization: Bearer abcdefgh1234"]), json!(["Authorization: [redacted]"])),
            (json!(["postgres://me:pw@db/x"]), json!(["postgres[redacted]db/x"])),
            (
                json!(["no: {\"password\": \"a\\\"b\"}, /x?api_key=k&max_tokens=9"]),
                json!(["no: {\"password\": \"[redacted]\"}, /x?api_key=[redacted]&max_tokens=9"]),
            ),
            (json!(["no: {\"a\": \"{\\\"b\\\": \\\"s3cret\\\\\\\"x\\\"}\"}"]), json!(["no: {\"a\": \"{\\\"b\\\": \\\"[redacted]\\\"}\"}"])),
        ] {
            let clean = redactor.json(&text.to_string()).expect("JSON");
            assert_eq!(serde_json::from_str::<Value>(&clean).expect("JSON"), expected, "{text}");
        }
        assert_eq!(redactor.json("{\"a\":"), None);
        assert_eq!(redactor.json(&"[".repeat(100_000)), None);
    }

    /// Lists with strings that are lists again: escapes that do not double at each level make it small, however deep it is.
    fn lists_in_strings(levels: usize) -> String {
        (0..levels).fold("\"s3cret\"".to_owned(), |inner, _| {
            let inner = inner.replace('\\', r"\u005c").replace('"', r"\u0022");
            format!("{}\"{inner}\"{}", "[".repeat(100), "]".repeat(100))
        })
    }

    #[test]
    fn strings_in_strings_are_no_danger_however_deep() {
        let redactor = redactor("s3cret");
        for levels in [1, DEEPEST, DEEPEST + 1, 200] {
            let clean = redactor.json(&lists_in_strings(levels)).expect("JSON");
            assert!(clean.contains(STRUCK) && !clean.contains("s3cret"), "{levels}");
        }
    }

    proptest! {
        #[test]
        fn no_planted_secret_is_left(
            secret in "[A-Za-z0-9]{6}[\"\\\\ é%]?[A-Za-z0-9]{4,20}", key in "[a-z]{1,8}", before in "[ -~]{0,20}", after in "[ -~]{0,20}", depth in 0usize..6,
        ) {
            prop_assume!(!STRUCK.contains(&secret));
            let redactor = redactor(&secret);
            let mut value = json!({ key.clone(): format!("{before}{secret}{after}"), secret.clone(): [1, &secret] });
            for n in 0..depth {
                value = match n % 3 {
                    0 => json!([value, 1.5]),
                    1 => json!({ "text": value.to_string() }),
                    _ => json!({ "inner": value }),
                };
            }
            let clean = redactor.json(&value.to_string()).expect("JSON");
            // However often it is a string in a string.
            let bare = |text: &str| text.replace('\\', "");
            prop_assert!(!bare(&clean).contains(&bare(&secret)), "{}", clean);
            let clean = redactor.text(&format!("{before}{secret}{after}")).into_owned();
            prop_assert!(!clean.contains(&secret), "{}", clean);
        }
    }
}
