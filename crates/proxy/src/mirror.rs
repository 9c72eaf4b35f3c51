//! Arguments that a tool wants repeated in headers of HTTP (`x-mcp-header`), as the revisions without a handshake have it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use axum::http::header::{HeaderMap, HeaderName, HeaderValue};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use snugfit_toolset::Tool;

use crate::rpc::{Object, text};

/// The word in a schema that names a header.
const KEYWORD: &str = "x-mcp-header";
/// What the names of such headers begin with.
const PREFIX: &str = "mcp-param-";
/// Keywords that hold schemas, one or several, which no fixed path of properties leads to.
const ELSEWHERE: [&str; 14] = [
    "items",
    "prefixItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
];
/// Those that hold one under each name.
const BY_NAME: [&str; 4] = ["patternProperties", "dependentSchemas", "$defs", "definitions"];
/// The largest integer that every reader of JSON takes as it is.
const SAFE: f64 = 9_007_199_254_740_991.0;

/// The headers of tools, by the tools' names.
pub(crate) type Mirrors = HashMap<String, Vec<Mirrored>>;

/// An argument that is repeated in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mirrored {
    /// The properties that lead to it.
    path: Vec<String>,
    header: HeaderName,
    is_integer: bool,
}

/// The arguments that a definition, as JSON text, wants repeated.
///
/// # Errors
/// Why the definition must not be used over HTTP.
pub(crate) fn mirrored(definition: &str) -> Result<Vec<Mirrored>, String> {
    // Looking for the word is cheaper than taking the definition apart.
    if memchr::memmem::find(definition.as_bytes(), KEYWORD.as_bytes()).is_none() {
        return Ok(Vec::new());
    }
    let tool = Object::parse(definition).map_err(|error| error.to_string())?;
    let schema = Tool::new("", "", tool.get("inputSchema").unwrap_or("{}")).map_err(|error| error.to_string())?.input_schema;
    let mut all: Vec<Mirrored> = Vec::new();
    let mut names = HashSet::new();
    let mut waiting = vec![(&schema, Some(Vec::<String>::new()))];
    while let Some((schema, path)) = waiting.pop() {
        let Some(schema) = schema.as_object() else { continue };
        if let Some(name) = schema.get(KEYWORD) {
            let one = declared(name, schema.get("type"), path.as_deref())?;
            if !names.insert(one.header.clone()) {
                return Err(format!("two parameters have the {KEYWORD} {name}"));
            }
            all.push(one);
        }
        for (key, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            waiting.push((inner, path.as_ref().map(|path| [&path[..], std::slice::from_ref(key)].concat())));
        }
        let one = ELSEWHERE.iter().filter_map(|key| schema.get(*key));
        let named = BY_NAME.iter().filter_map(|key| schema.get(*key)?.as_object());
        let lists = one.clone().filter_map(Value::as_array).flatten();
        waiting.extend(one.chain(lists).chain(named.flat_map(serde_json::Map::values)).map(|inner| (inner, None)));
    }
    Ok(all)
}

/// One argument, by what its schema says.
fn declared(name: &Value, kind: Option<&Value>, path: Option<&[String]>) -> Result<Mirrored, String> {
    let Some(path) = path.filter(|path| !path.is_empty()) else {
        return Err(format!("{KEYWORD} {name} stands where no path of properties leads to"));
    };
    let header = name.as_str().filter(|name| !name.is_empty()).and_then(|name| HeaderName::try_from(format!("{PREFIX}{name}")).ok());
    let header = header.ok_or_else(|| format!("{KEYWORD} {name} is no name of a header"))?;
    match kind.and_then(Value::as_str) {
        Some(kind @ ("string" | "integer" | "boolean")) => Ok(Mirrored { path: path.to_vec(), header, is_integer: kind == "integer" }),
        _ => Err(format!("{KEYWORD} {name} is for parameters of type string, integer or boolean")),
    }
}

/// Definitions that may be used over HTTP, what they want repeated, and why the others may not.
pub(crate) fn sorted_out(definitions: Vec<String>) -> (Vec<String>, Mirrors, Vec<String>) {
    let (mut mirrors, mut faults) = (Mirrors::new(), Vec::new());
    let usable = definitions.into_iter().filter(|definition| {
        let name = || Object::parse(definition).ok()?.str("name").map(Cow::into_owned);
        match mirrored(definition) {
            Ok(none) if none.is_empty() => true,
            Ok(some) => {
                mirrors.extend(name().map(|name| (name, some)));
                true
            }
            Err(why) => {
                faults.push(format!("the tool {:?} is left out: {why}", name().unwrap_or_default()));
                false
            }
        }
    });
    (usable.collect(), mirrors, faults)
}

impl Mirrored {
    /// The argument as a header has it; `None` where there is none, or none that a header could have.
    fn value(&self, arguments: &str) -> Option<String> {
        let mut json = arguments;
        for key in &self.path {
            json = Object::parse(json).ok()?.written(key)?;
        }
        match json.as_bytes().first()? {
            b'"' => text(json).map(Cow::into_owned),
            b't' | b'f' => Some(json.to_owned()),
            b'-' | b'0'..=b'9' => {
                let number: f64 = json.parse().ok()?;
                (number.fract() == 0.0 && number.abs() <= SAFE).then(|| (number as i64).to_string())
            }
            _ => None,
        }
    }

    /// Whether a header, as it is written, says what the argument is.
    fn is_said(&self, value: &str, header: Option<&HeaderValue>) -> bool {
        let Some(said) = header.and_then(|header| header.to_str().ok()).and_then(decoded) else { return false };
        let number = |text: &str| text.parse::<f64>().ok().filter(|_| self.is_integer);
        said == value || number(&said).is_some_and(|said| Some(said) == number(value))
    }
}

/// The headers of a call with these arguments.
pub(crate) fn headers(mirrored: &[Mirrored], arguments: &str) -> Vec<(HeaderName, HeaderValue)> {
    mirrored.iter().filter_map(|one| Some((one.header.clone(), encoded(&one.value(arguments)?)?))).collect()
}

/// The first header that does not say what the arguments do, if there is one.
pub(crate) fn mismatch<'m>(mirrored: &'m [Mirrored], arguments: &str, headers: &HeaderMap) -> Option<&'m str> {
    let wrong = |one: &&Mirrored| one.value(arguments).is_some_and(|value| !one.is_said(&value, headers.get(&one.header)));
    mirrored.iter().find(wrong).map(|one| one.header.as_str())
}

/// How values are written that a header cannot hold as they are.
const BASE64: (&str, &str) = ("=?base64?", "?=");

/// A text as the value of a header.
pub(crate) fn encoded(text: &str) -> Option<HeaderValue> {
    let marked = text.starts_with(BASE64.0) && text.ends_with(BASE64.1);
    let plain = !text.is_empty() && !marked && text.trim() == text && text.bytes().all(|byte| matches!(byte, b'\t' | 0x20..=0x7e));
    let value = if plain { text.to_owned() } else { format!("{}{}{}", BASE64.0, BASE64_STANDARD.encode(text), BASE64.1) };
    HeaderValue::from_str(&value).ok()
}

/// The text that the value of a header stands for; `None` where it is written wrongly.
pub(crate) fn decoded(value: &str) -> Option<Cow<'_, str>> {
    match value.strip_prefix(BASE64.0).and_then(|rest| rest.strip_suffix(BASE64.1)) {
        Some(inner) => Some(Cow::Owned(String::from_utf8(BASE64_STANDARD.decode(inner).ok()?).ok()?)),
        None => Some(Cow::Borrowed(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(schema: &str) -> String {
        format!(r#"{{"name":"t","inputSchema":{schema}}}"#)
    }

    #[test]
    fn annotations_are_found_where_they_may_stand_and_refused_elsewhere() {
        for (schema, expected) in [
            (r#"{"properties":{"a":{"type":"string"}}}"#, Ok(vec![])),
            (r#"{"properties":{"a":{"type":"string","x-mcp-header":"Region"}}}"#, Ok(vec!["mcp-param-region"])),
            (
                r#"{"properties":{"a":{"properties":{"b":{"type":"integer","x-mcp-header":"n"}}},"items":{"type":"boolean","x-mcp-header":"i"}}}"#,
                Ok(vec!["mcp-param-i", "mcp-param-n"]),
            ),
            (r#"{"properties":{"a":{"default":{"x-mcp-header":"no schema"}}}}"#, Ok(vec![])),
            (r#"{"x-mcp-header":"a","type":"string"}"#, Err("no path of properties")),
            (r#"{"properties":{"a":{"items":{"type":"string","x-mcp-header":"a"}}}}"#, Err("no path of properties")),
            (r#"{"properties":{"a":{"anyOf":[{"type":"string","x-mcp-header":"a"}]}}}"#, Err("no path of properties")),
            (r#"{"$defs":{"d":{"type":"string","x-mcp-header":"a"}}}"#, Err("no path of properties")),
            (r#"{"allOf":[{"type":"string","x-mcp-header":"a"}]}"#, Err("no path of properties")),
            // What only looks like a schema is none.
            (r#"{"properties":{"a":{"items":{"default":{"x-mcp-header":"a"}}}}}"#, Ok(vec![])),
            (r#"{"$defs":{"x-mcp-header":{"type":"string"}}}"#, Ok(vec![])),
            (r#"{"properties":{"a":{"type":"string","x-mcp-header":""}}}"#, Err("no name of a header")),
            (r#"{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}"#, Err("no name of a header")),
            (r#"{"properties":{"a":{"type":"string","x-mcp-header":1}}}"#, Err("no name of a header")),
            (r#"{"properties":{"a":{"type":"number","x-mcp-header":"a"}}}"#, Err("of type string, integer or boolean")),
            (
                r#"{"properties":{"a":{"type":"string","x-mcp-header":"a"},"b":{"type":"string","x-mcp-header":"A"}}}"#,
                Err("two parameters"),
            ),
        ] {
            let found = mirrored(&tool(schema));
            match expected {
                Ok(names) => {
                    let found = found.unwrap_or_else(|why| panic!("{schema}: {why}"));
                    let mut found: Vec<&str> = found.iter().map(|one| one.header.as_str()).collect();
                    found.sort_unstable();
                    assert_eq!(found, names, "{schema}");
                }
                Err(why) => assert!(found.clone().is_err_and(|said| said.contains(why)), "{schema}: {found:?}"),
            }
        }
    }

    #[test]
    fn a_schema_in_schemas_is_looked_at_once() {
        let depth = 100;
        let schema = format!(r#"{}"x-mcp-header"{}"#, r#"{"items":"#.repeat(depth), "}".repeat(depth));
        assert_eq!(mirrored(&tool(&schema)).map(|all| all.len()), Ok(0));
    }

    #[test]
    fn a_tool_that_may_not_be_used_costs_only_itself() {
        let good = tool(r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}"#);
        let (usable, mirrors, faults) = sorted_out(vec![tool(r#"{"x-mcp-header":"a"}"#), good.clone()]);
        assert_eq!((usable, faults.len()), (vec![good], 1));
        assert!(mirrors.len() == 1 && mirrors.contains_key("t"));
    }

    #[test]
    fn arguments_and_headers_say_the_same() {
        let schema = r#"{"properties":{"s":{"type":"string","x-mcp-header":"S"},"o":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}},"b":{"type":"boolean","x-mcp-header":"B"}}}"#;
        let all = mirrored(&tool(schema)).expect("a tool that may be used");
        for (arguments, expected) in [
            (r#"{"s":"us-west1","o":{"n":42.0},"b":true}"#, &["mcp-param-b: true", "mcp-param-n: 42", "mcp-param-s: us-west1"][..]),
            (r#"{"s":"Hello, 世界"}"#, &["mcp-param-s: =?base64?SGVsbG8sIOS4lueVjA==?="]),
            (r#"{"s":" padded "}"#, &["mcp-param-s: =?base64?IHBhZGRlZCA=?="]),
            (r#"{"s":"line1\nline2"}"#, &["mcp-param-s: =?base64?bGluZTEKbGluZTI=?="]),
            (r#"{"s":"=?base64?literal?="}"#, &["mcp-param-s: =?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="]),
            (r#"{"s":"","o":{"n":-7}}"#, &["mcp-param-n: -7", "mcp-param-s: =?base64??="]),
            (r#"{"s":null,"o":{"n":9007199254740993},"b":[]}"#, &[]),
            ("{}", &[]),
        ] {
            let made = headers(&all, arguments);
            let mut shown: Vec<String> =
                made.iter().map(|(name, value)| format!("{name}: {}", value.to_str().expect("plain text"))).collect();
            shown.sort_unstable();
            assert_eq!(shown, expected, "{arguments}");
            let sent: HeaderMap = made.into_iter().collect();
            assert_eq!(mismatch(&all, arguments, &sent), None, "{arguments}");
        }
        for (arguments, header, value, wrong) in [
            (r#"{"o":{"n":42}}"#, "mcp-param-n", "42.0", false),
            (r#"{"s":"42"}"#, "mcp-param-s", "42.0", true),
            (r#"{"s":"a"}"#, "mcp-param-s", "b", true),
            (r#"{"s":"a"}"#, "mcp-param-s", "=?base64?YQ==?=", false),
            (r#"{"s":"a"}"#, "mcp-param-s", "=?base64?!?=", true),
            (r#"{"s":"a"}"#, "mcp-param-other", "a", true),
            ("{}", "mcp-param-s", "a", false),
        ] {
            let sent: HeaderMap = [(HeaderName::from_static(header), HeaderValue::from_static(value))].into_iter().collect();
            assert_eq!(mismatch(&all, arguments, &sent).is_some(), wrong, "{arguments} {header}: {value}");
        }
    }
}
