//! The JSON Schema of the configuration, for editors, and the reference page, for people: both from the types and their comments.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::Config;

/// The JSON Schema of the configuration, which the package ships as `snugfit.schema.json`.
#[must_use]
pub fn json_schema() -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Config>().to_value();
    finish(&mut schema);
    schema["properties"]["mcpServers"] = json!({
        "description": "Servers as Claude Desktop, Cursor and others write them; they join `servers`.",
        "type": "object",
        "additionalProperties": { "type": "object" },
    });
    schema
}

/// What the comments and the types cannot say themselves. Recursive: the schema is our own.
fn finish(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(description)) = object.get_mut("description") {
                *description = description.replace('\n', " ");
            }
            // A default that only repeats those of the parts, or says that there is nothing.
            object.retain(|key, value| key != "default" || !matches!(value, Value::Null | Value::Object(_) | Value::Array(_)));
            allow_variable(object);
            if let Some(Value::Object(properties)) = object.get_mut("properties") {
                add_aliases(properties);
            }
            object.values_mut().for_each(finish);
        }
        Value::Array(items) => items.iter_mut().for_each(finish),
        _ => {}
    }
}

/// A number or a boolean may come from a variable.
fn allow_variable(schema: &mut Map<String, Value>) {
    let is_variable = match schema.get("type") {
        Some(Value::String(name)) => name == "integer" || name == "boolean",
        Some(Value::Array(names)) => names.contains(&json!("integer")),
        _ => false,
    };
    if is_variable {
        let names = schema.get("type").cloned().unwrap_or_default();
        let mut names = names.as_array().cloned().unwrap_or_else(|| vec![names]);
        names.push(json!("string"));
        schema.insert("type".to_owned(), Value::Array(names));
        schema.insert("pattern".to_owned(), json!(r"^\$\{"));
    }
}

/// A second name of a property.
fn add_aliases(properties: &mut Map<String, Value>) {
    let aliases: Vec<(String, Value)> = properties
        .values_mut()
        .filter_map(|property| {
            let alias = property.as_object_mut()?.remove("x-alias")?.as_str()?.to_owned();
            let mut second = property.clone();
            second["description"] = json!("The same, as other clients call it.");
            Some((alias, second))
        })
        .collect();
    properties.extend(aliases);
}

/// The reference of all settings as Markdown: a section and a table for each part of the configuration.
#[must_use]
pub fn reference() -> String {
    let schema = json_schema();
    let mut out = String::new();
    for (name, property) in members(&schema, "properties") {
        let (heading, part) = match resolve(&schema, property) {
            Some(part) => (format!("`{name}`"), part),
            None => match resolve(&schema, &property["additionalProperties"]) {
                Some(part) => (format!("`{name}.<name>`"), part),
                None => continue,
            },
        };
        out.push_str(&format!(
            "### {heading}\n\n{}\n\n| setting | value | default | what it does |\n| --- | --- | --- | --- |\n",
            words(property)
        ));
        rows(&schema, part, "", &mut out);
        out.push('\n');
    }
    out
}

/// A row for each setting; those of a part inside come with its name before theirs.
fn rows(schema: &Value, part: &Value, prefix: &str, out: &mut String) {
    for (name, property) in members(part, "properties") {
        let path = format!("{prefix}{name}");
        match resolve(schema, property).filter(|part| part["properties"].is_object() && path != "results" && path != "list") {
            Some(inner) => rows(schema, inner, &format!("{path}."), out),
            None => {
                let (value, default) = (value_words(schema, property), property.get("default"));
                let default = default.map_or(String::new(), |default| format!("`{}`", default.to_string().replace('"', "")));
                out.push_str(&format!(
                    "| `{path}` | {} | {default} | {} |\n",
                    value.replace('|', "\\|"),
                    words(property).replace('|', "\\|")
                ));
            }
        }
    }
}

/// What a property may be.
fn value_words(schema: &Value, property: &Value) -> String {
    if let Some(choices) = property["oneOf"].as_array().or_else(|| property["anyOf"][0]["oneOf"].as_array()) {
        let names = choices.iter().filter_map(|choice| choice["const"].as_str());
        return names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    }
    if let Some(alternatives) = property["anyOf"].as_array() {
        let words: Vec<String> = alternatives.iter().filter(|one| one["type"] != "null").map(|one| value_words(schema, one)).collect();
        return words.join(" or ");
    }
    if let Some(part) = resolve(schema, property) {
        return value_words(schema, part);
    }
    let kind = property["type"].as_str().or_else(|| property["type"][0].as_str());
    match kind {
        _ if property["pattern"].as_str().is_some_and(|pattern| pattern.contains("ms|s|m")) => "time".to_owned(),
        _ if property["pattern"].as_str().is_some_and(|pattern| pattern.contains("kKmM")) => "size".to_owned(),
        Some("array") => format!("list of {}", value_words(schema, &property["items"])),
        Some("object") if property["properties"].is_object() => {
            let names = members(property, "properties").map(|(name, _)| format!("`{name}`"));
            format!("{{ {} }}", names.collect::<Vec<_>>().join(", "))
        }
        Some("object") => format!("map to {}", value_words(schema, &property["additionalProperties"])),
        Some("string") => "text".to_owned(),
        Some("integer") => "number".to_owned(),
        Some("boolean") => "`true`, `false`".to_owned(),
        _ => property["enum"].as_array().map_or(String::new(), |names| {
            names.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        }),
    }
}

/// What a property is for, and what each of its choices means.
fn words(property: &Value) -> String {
    let mut words = property["description"].as_str().unwrap_or_default().to_owned();
    let choices = property["oneOf"].as_array().or_else(|| property["anyOf"][0]["oneOf"].as_array());
    for choice in choices.into_iter().flatten() {
        if let (Some(name), Some(meaning)) = (choice["const"].as_str(), choice["description"].as_str()) {
            words.push_str(&format!("<br>`{name}`: {meaning}"));
        }
    }
    words
}

fn members<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    schema[key].as_object().into_iter().flatten()
}

/// The definition that a property refers to, alone or as one of two with nothing.
fn resolve<'a>(schema: &'a Value, property: &Value) -> Option<&'a Value> {
    let reference = property["$ref"].as_str().or_else(|| property["anyOf"][0]["$ref"].as_str())?;
    Some(&schema["$defs"][reference.strip_prefix("#/$defs/")?])
}
