//! Modules of functions: what help shows is what the module has, and no schema makes one that cannot be made or read.

use serde_json::{Map, Value, json};
use snugfit_toolset::client::Bridge;
use snugfit_toolset::client::code::{Client, Language};
use snugfit_toolset::{Tool, Tools};

const LANGUAGES: [Language; 2] = [Language::TypeScript, Language::Python];

fn client(schema: &Value, language: Language) -> Client {
    let schema = schema.to_string();
    let tool = Tool::new("search", "Finds.", &schema).expect("a tool").with_output_schema(&schema).expect("an output schema");
    Client::new("shop", &Tools::new(vec![tool]).expect("tools"), language)
}

/// The module as a whole.
fn module(schema: &Value, language: Language) -> String {
    let bridge = Bridge { url: "http://127.0.0.1:1".into(), token: "token".into() };
    client(schema, language).files(&bridge).remove(0).content
}

#[test]
fn the_names_in_the_overview_are_those_of_the_signature() {
    let text = json!({"type": "string"});
    for names in [["class", "delete"], ["args", "options"], ["call", "a-b"], ["a b", "a_b"], ["ünï", "1st"], ["import", "🙂"]] {
        let properties: Map<String, Value> = names.iter().map(|&name| (name.to_owned(), text.clone())).collect();
        let schema = json!({"type": "object", "properties": properties, "required": names});
        for language in LANGUAGES {
            let client = client(&schema, language);
            let function = &client.functions()[0];
            let inside = |text: &str| text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(inside, _)| inside.to_owned());
            let shown = inside(&function.call).expect("a list of parameters");
            let head = match language {
                Language::TypeScript => "export declare function search(",
                Language::Python => "def search(",
            };
            let signature = function.declaration.split_once(head).expect("a signature").1;
            let expected: Vec<&str> = shown.split(", ").collect();
            let declared: Vec<&str> = signature
                .split([',', '\n'])
                .filter_map(|part| part.split_once(": ").map(|(name, _)| name.trim()))
                .take(expected.len())
                .collect();
            assert_eq!(declared, expected, "{names:?} in {language:?}");
        }
    }
}

/// What nests in itself `depth` times.
fn nested(depth: usize, inner: Value, wrap: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(inner, |inner, _| wrap(inner))
}

#[expect(clippy::needless_pass_by_value, reason = "it stands where functions from value to value do")]
fn in_property(of: Value) -> Value {
    json!({"type": "object", "properties": {"x": of}})
}

fn many(count: usize, of: impl Fn(usize) -> (String, Value)) -> Value {
    Value::Object((0..count).map(of).collect())
}

#[test]
fn a_hostile_schema_makes_a_module_of_its_own_size() {
    let text = json!({"type": "string"});
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let doubling = |wrap: &dyn Fn(Value, Value) -> Value| {
        let next = |n: usize| json!({"$ref": format!("#/$defs/d{}", n + 1)});
        let mut defs = many(60, |n| (format!("d{n}"), wrap(next(n), next(n))));
        defs["d60"] = text.clone();
        json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs})
    };
    let wide = object(many(9_000, |n| (format!("p{n}"), text.clone())));
    let long = "x".repeat(100_000);
    for (name, schema) in [
        ("a type array of thousands", in_property(json!({"type": vec!["object"; 5_000], "properties": {"a": text}}))),
        ("unknown types", in_property(json!({"type": (0..5_000).map(|n| format!("t{n}")).collect::<Vec<_>>()}))),
        ("unions of unions", in_property(nested(30, text.clone(), |inner| json!({"anyOf": [inner, {"type": "null"}, {"items": text}]})))),
        ("lists of unions", in_property(nested(30, text.clone(), |inner| json!({"items": {"anyOf": [inner, {"type": "null"}]}})))),
        ("dictionaries", in_property(nested(30, text.clone(), |inner| json!({"additionalProperties": inner})))),
        (
            "dictionaries of unions",
            in_property(nested(30, text.clone(), |inner| json!({"additionalProperties": {"anyOf": [inner, text]}}))),
        ),
        ("deep objects", nested(30, text.clone(), in_property)),
        ("a wide union", in_property(json!({"anyOf": (0..9_000).map(|n| json!({"const": n})).collect::<Vec<_>>()}))),
        (
            "a union of objects",
            in_property(json!({"anyOf": (0..5_000).map(|n| object(many(1, |_| (format!("p{n}"), text.clone())))).collect::<Vec<_>>()})),
        ),
        ("10,000 properties", object(many(10_000, |n| (format!("p{n}"), text.clone())))),
        ("10,000 required properties", json!({"required": (0..10_000).map(|n| format!("p{n}")).collect::<Vec<_>>()})),
        ("references that double in objects", doubling(&|a, b| json!({"properties": {"a": a, "b": b}}))),
        ("references that double in unions", doubling(&|a, b| json!({"anyOf": [a, {"items": b}]}))),
        ("references that double in compositions", doubling(&|a, b| json!({"allOf": [a, {"anyOf": [b, {"properties": {"y": {}}}]}]}))),
        (
            "compositions of one wide object",
            json!({"type": "object", "$defs": {"wide": wide}, "properties": many(3_000, |n| {
                (format!("x{n}"), json!({"allOf": [{"$ref": "#/$defs/wide"}, {"required": [format!("r{n}")], "type": "object"}]}))
            })}),
        ),
        (
            "a union of one wide object",
            json!({"$defs": {"wide": wide}, "anyOf": (0..5_000).map(|n| json!({"allOf": [{"$ref": "#/$defs/wide"}, {"required": [format!("r{n}")]}]})).collect::<Vec<_>>()}),
        ),
        (
            "one long description for all",
            json!({"type": "object", "$defs": {"long": {"type": "string", "description": long, "pattern": long}},
                "properties": many(5_000, |n| (format!("p{n}"), json!({"$ref": "#/$defs/long"})))}),
        ),
        (
            "anchors",
            json!({"type": "object", "$defs": many(5_000, |n| (format!("d{n}"), json!({"$anchor": format!("a{n}"), "type": "string"}))),
                "properties": many(5_000, |n| (format!("p{n}"), json!({"$ref": format!("#a{}", 4_999 - n)})))}),
        ),
        ("long names", nested(20, text.clone(), |inner| object(many(1, |_| (long.clone(), inner.clone()))))),
    ] {
        for language in LANGUAGES {
            let (module, given) = (module(&schema, language), schema.to_string().len());
            let most = 20_000 + 40 * given.max(100_000);
            assert!(module.len() <= most, "{name} in {language:?}: {} of at most {most}", module.len());
        }
    }
}
