//! Schemas without repetition accept exactly what they accepted: over the public JSON Schema Test Suite, where it is there, and over schemas
//! made so that something repeats.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use snugfit_toolset::schema::{self, Options};

const OPTIONS: Options = Options { max_description_chars: 20, dedupe: true, keep_dialect: false };

/// Each group of the suite twice in one schema, so that everything in it repeats, beside the group as it is.
fn doubled(schema: &Value) -> Value {
    let definitions = ["$defs", "definitions"].iter().filter_map(|key| Some((*key, schema.get(key)?.clone())));
    let mut whole = json!({ "properties": { "first": schema, "second": schema, "list": { "type": "array", "items": schema } } });
    for (key, value) in definitions {
        whole[key] = value;
    }
    whole
}

fn same(draft: jsonschema::Draft, schema: &Value, instances: &[Value], what: &str) -> bool {
    let small = schema::shrink(schema, "probe", OPTIONS);
    let build = |schema: &Value| jsonschema::options().with_draft(draft).build(schema);
    let (before, after) = (build(schema), build(&small));
    let (Ok(before), Ok(after)) = (before, after) else {
        // A schema that refers to what is not there: neither can be built.
        assert_eq!(build(schema).is_ok(), build(&small).is_ok(), "{what}: {small}");
        return false;
    };
    for instance in instances {
        assert_eq!(before.is_valid(instance), after.is_valid(instance), "{what}\n{instance}\n{schema}\n{small}");
    }
    small != *schema
}

#[test]
fn the_public_suite_accepts_what_it_accepted() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/json-schema");
    if !suite.exists() {
        return;
    }
    let (mut groups, mut changed) = (0, 0);
    for (folder, draft) in [("draft7", jsonschema::Draft::Draft7), ("draft2020-12", jsonschema::Draft::Draft202012)] {
        for entry in fs::read_dir(suite.join(folder)).expect("the suite").flatten() {
            let text = fs::read_to_string(entry.path()).expect("a file of the suite");
            for group in serde_json::from_str::<Vec<Value>>(&text).expect("JSON") {
                let schema = &group["schema"];
                let instances: Vec<Value> = group["tests"].as_array().into_iter().flatten().map(|test| test["data"].clone()).collect();
                let what = format!("{folder}/{} {}", entry.file_name().display(), group["description"]);
                same(draft, schema, &instances, &what);
                let wrapped: Vec<Value> = instances
                    .iter()
                    .flat_map(|data| [json!({ "first": data }), json!({ "second": data }), json!({ "list": [data] }), data.clone()])
                    .collect();
                changed += usize::from(same(draft, &doubled(schema), &wrapped, &what));
                groups += 1;
            }
        }
    }
    assert!(groups > 400 && changed > 150, "{groups} groups, {changed} schemas became smaller");
}

#[test]
fn schemas_that_repeat_accept_what_they_accepted() {
    let point = json!({ "type": "object", "properties": { "x": { "type": "integer", "minimum": 1 } }, "required": ["x"] });
    let instances: Vec<Value> = [json!({ "x": 1 }), json!({ "x": 0 }), json!({}), json!(5)]
        .iter()
        .flat_map(|data| [json!({ "a": data }), json!({ "b": { "c": [data] } }), data.clone()])
        .collect();
    for (schema, smaller) in [
        (json!({ "properties": { "a": point, "b": { "properties": { "c": { "items": point } } } } }), true),
        (json!({ "properties": { "a": point, "b": point }, "$defs": { "a": { "type": "null" } } }), true),
        (json!({ "properties": { "a": point, "x": { "$ref": "#/properties/a/properties/x" }, "b": point } }), false),
        (json!({ "anyOf": [point, { "properties": { "a": point } }] }), true),
        (
            json!({ "properties": { "a": point, "b": { "$id": "https://example.com/b", "properties": { "c": { "items": point } } } } }),
            false,
        ),
        (json!({ "properties": { "a": { "enum": [point, point] }, "b": { "const": point } } }), false),
    ] {
        assert_eq!(same(jsonschema::Draft::Draft202012, &schema, &instances, "made"), smaller, "{schema}");
    }
}
