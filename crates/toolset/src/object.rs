//! The properties that a schema of objects asks for, wherever it says so: in itself, behind `$ref`, or in its `allOf`, `anyOf`, `oneOf`.

use std::collections::HashSet;

use serde_json::Value;

/// One property of a tool's input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Property<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its schema, `$ref` not followed yet.
    pub schema: &'a Value,
    /// Every input must have it.
    pub required: bool,
}

/// How deep compositions are followed, and how many schemas are looked at in all: no real schema comes near, and no hostile one costs much.
const DEEPEST: usize = 8;
const MOST: usize = 4096;
/// So many definitions are searched for an anchor, since every reference searches anew.
const MOST_ANCHORED: usize = 200;

/// Where a chain of `$ref` leads within `root`; the last schema that is there where it leads nowhere or in a circle.
#[must_use]
pub fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut at = schema;
    for _ in 0..32 {
        let Some(target) = at.get("$ref").and_then(Value::as_str).and_then(|reference| lookup(root, reference)) else { break };
        at = target;
    }
    at
}

/// The schema that a local reference names: `#`, `#/$defs/item`, `#item` (an anchor in `$defs` or `definitions`).
fn lookup<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let fragment = percent_decode(reference.strip_prefix('#')?)?;
    if fragment.is_empty() || fragment.starts_with('/') {
        return root.pointer(&fragment);
    }
    let definitions = ["$defs", "definitions"].iter().filter_map(|place| root.get(place)?.as_object()).flat_map(|defined| defined.values());
    definitions.take(MOST_ANCHORED).find(|definition| {
        ["$anchor", "$dynamicAnchor"].iter().any(|key| definition.get(key).and_then(Value::as_str) == Some(fragment.as_str()))
    })
}

pub(crate) fn percent_decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first == b'%' {
            let (digits, tail) = rest.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = tail;
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The properties of the objects that `root` describes, in its order. A property of one branch of `anyOf` or `oneOf` is required only if
/// every branch requires it.
#[must_use]
pub fn properties(root: &Value) -> Vec<Property<'_>> {
    let mut found = Found::default();
    let mut left = MOST;
    collect(root, root, 0, &mut left, &mut found);
    let unnamed = found.required.list.iter().filter(|name| !found.named.contains(*name)).map(|&name| (name, &ANYTHING));
    let all = found.properties.iter().map(|&(name, schema)| (name, schema)).chain(unnamed);
    all.map(|(name, schema)| Property { name, schema, required: found.required.all.contains(name) }).collect()
}

static ANYTHING: Value = Value::Bool(true);

#[derive(Default)]
struct Found<'a> {
    properties: Vec<(&'a str, &'a Value)>,
    named: HashSet<&'a str>,
    required: Required<'a>,
}

/// Names of properties that must be there, each once, in the order in which they are said.
#[derive(Default)]
struct Required<'a> {
    list: Vec<&'a str>,
    all: HashSet<&'a str>,
}

impl<'a> Required<'a> {
    fn add(&mut self, name: &'a str) {
        if self.all.insert(name) {
            self.list.push(name);
        }
    }
}

fn collect<'a>(root: &'a Value, schema: &'a Value, depth: usize, left: &mut usize, found: &mut Found<'a>) {
    if depth > DEEPEST || *left == 0 {
        return;
    }
    *left -= 1;
    let target = resolve(root, schema);
    for schema in [schema, target].into_iter().take(if std::ptr::eq(schema, target) { 1 } else { 2 }) {
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if found.named.insert(name) {
                found.properties.push((name, property));
            }
        }
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            if let Value::String(name) = name {
                found.required.add(name);
            }
        }
        for part in branches(schema, "allOf") {
            collect(root, part, depth + 1, left, found);
        }
        for key in ["anyOf", "oneOf"] {
            let mut shared: Option<Vec<&str>> = None;
            for part in branches(schema, key) {
                let mut of_part = Found { named: std::mem::take(&mut found.named), ..Found::default() };
                collect(root, part, depth + 1, left, &mut of_part);
                found.named = of_part.named;
                found.properties.append(&mut of_part.properties);
                shared = Some(match shared {
                    None => of_part.required.list,
                    Some(shared) => shared.into_iter().filter(|name| of_part.required.all.contains(name)).collect(),
                });
            }
            for name in shared.unwrap_or_default() {
                found.required.add(name);
            }
        }
    }
}

/// The subschemas of a keyword that holds a list of them.
pub(crate) fn branches<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seen(schema: &Value) -> String {
        properties(schema).iter().map(|p| format!("{}{}", p.name, if p.required { "" } else { "?" })).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn properties_are_found_wherever_they_are_said() {
        for (schema, expected) in [
            (json!({"properties": {"b": {}, "a": {}}, "required": ["a"]}), "b? a"),
            (json!({}), ""),
            (json!({"required": ["x"]}), "x"),
            (json!({"allOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}]}), "a b?"),
            (
                json!({"anyOf": [{"properties": {"a": {}, "c": {}}, "required": ["a", "c"]}, {"properties": {"b": {}}, "required": ["b", "c"]}]}),
                "a? c b?",
            ),
            (json!({"$ref": "#/$defs/in", "$defs": {"in": {"properties": {"a": {}}, "required": ["a"]}}}), "a"),
            (json!({"$ref": "#in", "$defs": {"x": {"$anchor": "in", "properties": {"a": {}}}}}), "a?"),
            (json!({"$ref": "#/$defs/a%20b", "$defs": {"a b": {"properties": {"a": {}}}}}), "a?"),
            (json!({"$ref": "#"}), ""),
            (json!({"$ref": "https://example.com/x", "properties": {"a": {}}}), "a?"),
        ] {
            assert_eq!(seen(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn many_required_properties_are_looked_up_not_searched_for() {
        let names: Vec<String> = (0..100_000).map(|n| format!("property {n}")).collect();
        let schema = json!({ "required": names, "anyOf": [{ "required": names }, { "required": names }] });
        let started = std::time::Instant::now();
        assert_eq!(properties(&schema).len(), 100_000);
        // Comparing each with each takes minutes.
        assert!(started.elapsed() < std::time::Duration::from_secs(30));
    }

    #[test]
    fn schemas_that_contain_themselves_end() {
        let schema = json!({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"});
        assert_eq!(seen(&schema), "");
        let circle = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
        assert_eq!(seen(&circle), "");
    }
}
