//! Smaller schemas that allow the same: shorter descriptions, no titles that say nothing, no subschema twice.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::describe;
use crate::names;

/// Keywords whose value is a schema.
const ONE: &[&str] = &[
    "additionalProperties",
    "additionalItems",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a map of schemas.
const MAPS: &[&str] = &["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];
/// Keywords whose value is a list of schemas.
const LISTS: &[&str] = &["allOf", "anyOf", "items", "oneOf", "prefixItems"];

/// Dialects that every client takes without being told.
const USUAL: &[&str] =
    &["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema"];

/// Keywords that no value can break.
const NO_CONSTRAINTS: &[&str] = &["$ref", "$schema", "$defs", "definitions", "title", "description", "default", "examples", "$comment"];

/// How schemas are made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Characters of a parameter's description.
    pub max_description_chars: usize,
    /// Move subschemas that occur twice to `$defs`.
    pub dedupe: bool,
    /// Keep `$schema`.
    pub keep_dialect: bool,
}

/// The schema with shorter descriptions, without titles that only repeat a name, and without anything twice. It accepts exactly what the
/// original accepts. What `tool`, the tool's name, and a property's own say need no description. What is no schema (`enum`, `const`, `default`, `examples`, unknown keywords) is never touched.
#[must_use]
pub fn shrink(schema: &Value, tool: &str, options: Options) -> Value {
    let mut schema = schema.clone();
    if !options.keep_dialect
        && is_usual(&schema)
        && let Some(root) = schema.as_object_mut()
    {
        root.shift_remove("$schema");
    }
    for pointer in positions(&schema) {
        let Some(Value::Object(at)) = schema.pointer_mut(&pointer) else { continue };
        if let Some(Value::String(text)) = at.get_mut("description") {
            *text = describe::shrink(text, options.max_description_chars);
            if text.is_empty() || property_of(&pointer).is_some_and(|name| says_nothing(text, &name, tool)) {
                at.shift_remove("description");
            }
        }
        let Some(name) = property_of(&pointer) else { continue };
        if at.get("title").and_then(Value::as_str).is_some_and(|title| names::words(title) == names::words(&name)) {
            at.shift_remove("title");
        }
    }
    if options.dedupe { dedupe(schema) } else { schema }
}

/// The property whose schema stands here.
fn property_of(pointer: &str) -> Option<String> {
    let (parent, name) = pointer.rsplit_once('/')?;
    parent.ends_with("/properties").then(|| unescape(name))
}

/// Whether a description only repeats the names of its property and tool: "Pull request number" for `pull_number` of `get_pull_request`.
fn says_nothing(description: &str, property: &str, tool: &str) -> bool {
    const PLAIN: &[&str] = &["the", "a", "an", "of", "for", "to", "name", "id", "identifier", "number", "value"];
    let known: Vec<String> = names::words(property).into_iter().chain(names::words(tool)).collect();
    // `repo` stands for `repository`.
    let is_known = |word: &String| {
        known.iter().any(|known| {
            known == word || known.len() >= 4 && word.starts_with(known.as_str()) || word.len() >= 4 && known.starts_with(word.as_str())
        })
    };
    description.is_ascii()
        && !description.contains(['(', ':', ',', '"', '`'])
        && names::words(description).iter().all(|word| PLAIN.contains(&word.as_str()) || is_known(word))
}

/// Whether `$schema` may go: one of the usual drafts, and nothing in the schema that another draft reads in another way.
fn is_usual(schema: &Value) -> bool {
    let Some(dialect) = schema.get("$schema").and_then(Value::as_str) else { return false };
    if !USUAL.contains(&dialect.trim_end_matches('#')) {
        return false;
    }
    positions(schema).iter().filter_map(|pointer| schema.pointer(pointer)?.as_object()).all(|at| {
        let differs =
            ["additionalItems", "dependencies", "prefixItems", "unevaluatedProperties", "unevaluatedItems", "minContains", "maxContains"];
        let told_apart = differs.iter().any(|key| at.contains_key(*key)) || at.get("items").is_some_and(Value::is_array);
        // Beside `$ref`, draft 7 reads nothing and 2020-12 all that constrains.
        let beside_ref = at.contains_key("$ref") && at.keys().any(|key| !NO_CONSTRAINTS.contains(&key.as_str()));
        !(told_apart || beside_ref)
    })
}

/// The JSON Pointers of all schemas within a schema, itself first, each before what it contains.
fn positions(root: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), root)];
    while let Some((pointer, schema)) = open.pop() {
        let Value::Object(fields) = schema else { continue };
        for (key, value) in fields {
            let key_name = key.as_str();
            match value {
                Value::Object(_) if ONE.contains(&key_name) => open.push((format!("{pointer}/{key}"), value)),
                Value::Object(map) if MAPS.contains(&key_name) => {
                    open.extend(map.iter().map(|(name, value)| (format!("{pointer}/{key}/{}", escape(name)), value)));
                }
                Value::Array(list) if LISTS.contains(&key_name) => {
                    open.extend(list.iter().enumerate().map(|(index, value)| (format!("{pointer}/{key}/{index}"), value)));
                }
                _ => {}
            }
        }
        found.push(pointer);
    }
    found
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// Subschemas that are moved at most; real schemas have a handful.
const MOST_MOVES: usize = 64;
/// A schema larger than this is left as it is: it is no definition that a model reads.
const MOST_BYTES: usize = 2 << 20;

/// Moves subschemas that occur at least twice to `$defs`, where that saves characters.
///
/// A schema that refers to others by more than pointers (`$dynamicRef`, nested `$id`) keeps its form, as moving would change what those
/// mean.
#[must_use]
pub fn dedupe(schema: Value) -> Value {
    if schema.to_string().len() > MOST_BYTES || !is_movable(&schema) {
        return schema;
    }
    let mut smaller = schema.clone();
    for _ in 0..MOST_MOVES {
        let Some(group) = best(&smaller) else { break };
        replace(&mut smaller, &group);
    }
    if smaller.to_string().len() < schema.to_string().len() { smaller } else { schema }
}

/// Whether pointers are all by which its parts are found.
fn is_movable(schema: &Value) -> bool {
    positions(schema).iter().filter_map(|pointer| Some((pointer, schema.pointer(pointer)?.as_object()?))).all(|(pointer, at)| {
        let scoped = !pointer.is_empty() && ["$id", "id"].iter().any(|key| at.get(*key).is_some_and(Value::is_string));
        !scoped
            && !["$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$anchor"].iter().any(|key| at.contains_key(*key))
    })
}

/// Places that hold the same subschema, and what it is to be called.
struct Group {
    places: Vec<String>,
    name: String,
    /// It has this name in `$defs` already.
    named: bool,
}

/// The subschemas whose move saves most.
fn best(schema: &Value) -> Option<Group> {
    let mut groups: HashMap<String, Vec<String>> = HashMap::new();
    let mut order: Vec<String> = Vec::new();
    let fixed = fixed_places(schema);
    let mut pointers = positions(schema);
    pointers.retain(|pointer| !pointer.is_empty() && !fixed.contains(pointer));
    // By the text's order, so that the first use gives the name.
    pointers.sort();
    for pointer in pointers {
        let Some(at @ Value::Object(fields)) = schema.pointer(&pointer) else { continue };
        if fields.len() == 1 && fields.contains_key("$ref") {
            continue;
        }
        let text = at.to_string();
        let places = groups.entry(text.clone()).or_default();
        if places.is_empty() {
            order.push(text);
        }
        places.push(pointer);
    }
    let taken: HashSet<&str> =
        schema.get("$defs").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let mut best: Option<(usize, Group)> = None;
    for text in order {
        let Some(places) = groups.remove(&text).filter(|places| places.len() > 1) else { continue };
        let defined = places.iter().find_map(|place| place.strip_prefix("/$defs/").filter(|name| !name.contains('/')));
        let name = defined.map_or_else(|| free_name(&places, &taken), unescape);
        let reference = reference_to(&name).to_string().chars().count();
        let size = text.chars().count();
        let uses = places.len() - usize::from(defined.is_some());
        // The definition itself: its name, colon and comma.
        let definition = if defined.is_some() { 0 } else { size + name.len() + 4 };
        let saved = (uses * size).saturating_sub(uses * reference + definition);
        if saved > best.as_ref().map_or(0, |best| best.0) {
            let named = defined.is_some();
            best = Some((saved, Group { places, name, named }));
        }
    }
    best.map(|best| best.1)
}

/// Places that must stay, since a reference leads into them by a pointer.
fn fixed_places(schema: &Value) -> HashSet<String> {
    let mut fixed = HashSet::new();
    for pointer in positions(schema) {
        let Some(reference) = schema.pointer(&pointer).and_then(|at| at.get("$ref")).and_then(Value::as_str) else { continue };
        let Some((_, fragment)) = reference.split_once('#') else { continue };
        let target = crate::object::percent_decode(fragment).unwrap_or_default();
        let mut at = target.as_str();
        while let Some((parent, _)) = at.rsplit_once('/') {
            fixed.insert(parent.to_owned());
            at = parent;
        }
    }
    fixed
}

/// The name of the first property that has the subschema, as far as it is free.
fn free_name(places: &[String], taken: &HashSet<&str>) -> String {
    let named = places.iter().find_map(|place| {
        let (parent, name) = place.rsplit_once('/')?;
        (parent.ends_with("/properties") && name.len() <= 24 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
            .then_some(name)
    });
    let base = named.unwrap_or("item");
    let mut name = base.to_owned();
    let mut number = 2;
    while taken.contains(name.as_str()) {
        name = format!("{base}{number}");
        number += 1;
    }
    name
}

fn reference_to(name: &str) -> Value {
    let mut reference = Map::new();
    reference.insert("$ref".into(), format!("#/$defs/{}", escape(name).replace('%', "%25")).into());
    Value::Object(reference)
}

fn replace(schema: &mut Value, group: &Group) {
    let definition_place = format!("/$defs/{}", escape(&group.name));
    let mut moved = None;
    for place in &group.places {
        if group.named && *place == definition_place {
            continue;
        }
        if let Some(at) = schema.pointer_mut(place) {
            let old = std::mem::replace(at, reference_to(&group.name));
            moved.get_or_insert(old);
        }
    }
    let (Some(root), Some(moved), false) = (schema.as_object_mut(), moved, group.named) else { return };
    if let Value::Object(definitions) = root.entry("$defs").or_insert_with(|| Value::Object(Map::new())) {
        definitions.insert(group.name.clone(), moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const OPTIONS: Options = Options { max_description_chars: 100, dedupe: true, keep_dialect: false };

    fn long() -> Value {
        json!({"type": "object", "properties": {"x": {"type": "integer", "minimum": 1}}, "required": ["x"], "additionalProperties": false})
    }

    #[test]
    fn what_stands_twice_moves_where_that_saves() {
        let schema = json!({"properties": {"from": long(), "to": long(), "n": {"type": "string"}, "m": {"type": "string"}}});
        let expected = json!({"properties": {"from": {"$ref": "#/$defs/from"}, "to": {"$ref": "#/$defs/from"}, "n": {"type": "string"}, "m": {"type": "string"}},
            "$defs": {"from": long()}});
        assert_eq!(shrink(&schema, "probe", OPTIONS), expected);
    }

    #[test]
    fn definitions_that_exist_are_used_and_their_names_respected() {
        let schema = json!({"properties": {"from": long(), "to": long()}, "$defs": {"point": long(), "from": {"type": "null"}}});
        let expected = json!({"properties": {"from": {"$ref": "#/$defs/point"}, "to": {"$ref": "#/$defs/point"}},
            "$defs": {"point": long(), "from": {"type": "null"}}});
        assert_eq!(shrink(&schema, "probe", OPTIONS), expected);
        let taken = json!({"properties": {"from": long(), "to": long()}, "$defs": {"from": {"type": "null"}}});
        assert_eq!(shrink(&taken, "probe", OPTIONS).pointer("/properties/to/$ref"), Some(&json!("#/$defs/from2")));
    }

    #[test]
    fn a_place_that_a_reference_leads_into_stays() {
        let schema = json!({"properties": {"from": long(), "to": long(), "x": {"$ref": "#/properties/to/properties/x"}}});
        let shrunk = shrink(&schema, "probe", OPTIONS);
        assert_eq!(shrunk.pointer("/properties/to/properties/x"), Some(&json!({"type": "integer", "minimum": 1})));
    }

    #[test]
    fn instances_are_never_touched() {
        let value = json!({"description": "This tool **is** it.", "title": "value", "$schema": "http://json-schema.org/draft-07/schema#"});
        let schema =
            json!({"properties": {"value": {"default": value, "enum": [value, value], "examples": [value]}, "title": {"const": value}}});
        assert_eq!(shrink(&schema, "probe", OPTIONS), schema);
    }

    #[test]
    fn descriptions_titles_and_dialect_go_as_far_as_they_say_nothing() {
        let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "title": "Search", "type": "object", "properties": {
            "maxResults": {"type": "integer", "title": "Max Results", "description": "Please give **the** number."},
            "description": {"type": "string", "title": "What it is"}}});
        let expected = json!({"title": "Search", "type": "object", "properties": {
            "maxResults": {"type": "integer", "description": "Give the number."},
            "description": {"type": "string", "title": "What it is"}}});
        assert_eq!(shrink(&schema, "probe", OPTIONS), expected);
        assert_eq!(shrink(&schema, "probe", Options { keep_dialect: true, ..OPTIONS })["$schema"], schema["$schema"]);
    }

    #[test]
    fn a_description_that_only_repeats_names_goes() {
        for (property, description, stays) in [
            ("pull_number", "Pull request number", false),
            ("repo", "Repository name", false),
            ("branchId", "The branch identifier.", false),
            ("repo", "Repository name (lower case)", true),
            ("sort", "Sort field", true),
            ("count", "Zahl", true),
        ] {
            let schema = json!({"properties": {property: {"type": "string", "description": description}}});
            let kept = shrink(&schema, "get_pull_request", OPTIONS).pointer(&format!("/properties/{property}/description")).is_some();
            assert_eq!(kept, stays, "{property}: {description}");
        }
    }

    #[test]
    fn a_dialect_that_means_something_stays() {
        for schema in [
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"items": [{"type": "string"}]}}}),
            json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"}),
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#/definitions/b", "minimum": 5}}}),
        ] {
            assert!(shrink(&schema, "probe", OPTIONS).get("$schema").is_some(), "{schema}");
        }
    }
}
