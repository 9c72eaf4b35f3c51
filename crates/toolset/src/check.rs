//! Checks a value against the parts of a schema that a caller of a command gets wrong: types, bounds, lengths, patterns, required fields.
//!
//! It is lenient where it does not know a keyword: the tool checks for itself as well.

use serde_json::Value;

use crate::accepts::plain;
use crate::object::{branches, resolve};

/// How deep values are checked; what lies deeper is the tool's to check.
const DEEPEST: usize = 24;

/// What is wrong with a value: the place in it (empty for itself) and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Such as `/items/3`.
    pub path: String,
    /// What was expected, in words: `at least 1`.
    pub expected: String,
}

/// The first thing that is wrong with a value.
///
/// # Errors
/// The [`Problem`].
pub fn check(root: &Value, schema: &Value, value: &Value) -> Result<(), Problem> {
    // Each branch of a union is tried: a bound on the whole, since unions may nest.
    let mut left = 20_000;
    at(root, schema, value, 0, &mut left)
}

fn at(root: &Value, schema: &Value, value: &Value, depth: usize, left: &mut usize) -> Result<(), Problem> {
    if depth > DEEPEST || *left == 0 {
        return Ok(());
    }
    *left -= 1;
    let target = resolve(root, schema);
    for schema in [schema, target].into_iter().take(if std::ptr::eq(schema, target) { 1 } else { 2 }) {
        values(schema, value)?;
        types(schema, value)?;
        match value {
            Value::Number(_) => number(schema, value)?,
            Value::String(text) => string(schema, text)?,
            Value::Array(items) => array(root, schema, items, depth, left)?,
            Value::Object(fields) => object(root, schema, fields, depth, left)?,
            _ => {}
        }
        for part in branches(schema, "allOf") {
            at(root, part, value, depth + 1, left)?;
        }
        for key in ["anyOf", "oneOf"] {
            let mut first = None;
            let mut any = false;
            for part in branches(schema, key) {
                match at(root, part, value, depth + 1, left) {
                    Ok(()) => {
                        any = true;
                        break;
                    }
                    Err(problem) => first = first.or(Some(problem)),
                }
            }
            if let (false, Some(problem)) = (any, first) {
                return Err(problem);
            }
        }
    }
    Ok(())
}

fn problem<T>(expected: impl Into<String>) -> Result<T, Problem> {
    Err(Problem { path: String::new(), expected: expected.into() })
}

fn under(segment: &str, problem: Problem) -> Problem {
    Problem { path: format!("/{}{}", segment.replace('~', "~0").replace('/', "~1"), problem.path), ..problem }
}

fn values(schema: &Value, value: &Value) -> Result<(), Problem> {
    if let Some(only) = schema.get("const")
        && !same(only, value)
    {
        return problem(plain(only));
    }
    match schema.get("enum").and_then(Value::as_array) {
        Some(values) if !values.iter().any(|one| same(one, value)) => {
            problem(format!("one of {}", values.iter().map(plain).collect::<Vec<_>>().join(", ")))
        }
        _ => Ok(()),
    }
}

/// Equal as JSON Schema has it: `1` and `1.0` are the same number.
fn same(a: &Value, b: &Value) -> bool {
    a == b || matches!((a, b), (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64())
}

fn types(schema: &Value, value: &Value) -> Result<(), Problem> {
    let is = |name: &str| match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    };
    match schema.get("type") {
        Some(Value::String(name)) if !is(name) => problem(name.as_str()),
        Some(Value::Array(names)) if !names.iter().filter_map(Value::as_str).any(is) => {
            problem(names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "))
        }
        _ if schema == &Value::Bool(false) => problem("nothing"),
        _ => Ok(()),
    }
}

fn number(schema: &Value, value: &Value) -> Result<(), Problem> {
    let Some(number) = value.as_f64() else { return Ok(()) };
    let bound = |key: &str| schema.get(key).filter(|bound| bound.is_number()).and_then(|bound| Some((bound, bound.as_f64()?)));
    for (key, words, holds) in [
        ("minimum", "at least", (|a, b| a >= b) as fn(f64, f64) -> bool),
        ("maximum", "at most", |a, b| a <= b),
        ("exclusiveMinimum", "more than", |a, b| a > b),
        ("exclusiveMaximum", "less than", |a, b| a < b),
        ("multipleOf", "a multiple of", |a, b| b <= 0.0 || ((a / b) - (a / b).round()).abs() < 1e-9),
    ] {
        if let Some((bound, limit)) = bound(key)
            && !holds(number, limit)
        {
            return problem(format!("{words} {bound}"));
        }
    }
    Ok(())
}

fn string(schema: &Value, text: &str) -> Result<(), Problem> {
    length(schema, "minLength", "maxLength", || text.chars().count(), "character")?;
    match schema.get("pattern").and_then(Value::as_str) {
        // A pattern of a dialect that we cannot read is the tool's to check.
        Some(pattern) if regex_lite::Regex::new(pattern).is_ok_and(|regex| !regex.is_match(text)) => {
            problem(format!("a text that matches {pattern}"))
        }
        _ => Ok(()),
    }
}

fn array(root: &Value, schema: &Value, items: &[Value], depth: usize, left: &mut usize) -> Result<(), Problem> {
    length(schema, "minItems", "maxItems", || items.len(), "item")?;
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        let mut seen = std::collections::HashSet::with_capacity(items.len());
        if !items.iter().all(|item| seen.insert(item.to_string())) {
            return problem("no item twice");
        }
    }
    let fixed: Vec<&Value> = branches(schema, "prefixItems").collect();
    let rest = schema.get("items").filter(|rest| rest.is_object());
    for (index, item) in items.iter().enumerate() {
        if let Some(of_item) = fixed.get(index).copied().or(rest) {
            at(root, of_item, item, depth + 1, left).map_err(|problem| under(&index.to_string(), problem))?;
        }
    }
    Ok(())
}

fn object(root: &Value, schema: &Value, fields: &serde_json::Map<String, Value>, depth: usize, left: &mut usize) -> Result<(), Problem> {
    length(schema, "minProperties", "maxProperties", || fields.len(), "field")?;
    let missing = branches(schema, "required").filter_map(Value::as_str).find(|&name| !fields.contains_key(name));
    if let Some(name) = missing {
        return problem(format!("the field {name:?}"));
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false)) && schema.get("patternProperties").is_none();
    for (name, field) in fields {
        match properties.get(name) {
            Some(of_field) => at(root, of_field, field, depth + 1, left).map_err(|problem| under(name, problem))?,
            None if closed => return problem(format!("no field {name:?}; there are {}", keys(properties))),
            None => {}
        }
    }
    Ok(())
}

fn keys(properties: &serde_json::Map<String, Value>) -> String {
    if properties.is_empty() { "none".to_owned() } else { properties.keys().cloned().collect::<Vec<_>>().join(", ") }
}

fn length(schema: &Value, least: &str, most: &str, count: impl Fn() -> usize, unit: &str) -> Result<(), Problem> {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let (least, most) = (bound(least), bound(most));
    if least.is_none() && most.is_none() {
        return Ok(());
    }
    let count = count() as f64;
    let s = |bound: f64| if (bound - 1.0).abs() < f64::EPSILON { "" } else { "s" };
    match (least, most) {
        (Some(least), _) if count < least => problem(format!("at least {least} {unit}{}", s(least))),
        (_, Some(most)) if count > most => problem(format!("at most {most} {unit}{}", s(most))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (schema, value, expected) in [
            (json!({"type": "integer"}), json!(1.5), "integer"),
            (json!({"type": ["integer", "null"]}), json!("x"), "integer or null"),
            (json!({"minimum": 1}), json!(0), "at least 1"),
            (json!({"maximum": 9.5}), json!(10), "at most 9.5"),
            (json!({"exclusiveMinimum": 0}), json!(0), "more than 0"),
            (json!({"multipleOf": 5}), json!(7), "a multiple of 5"),
            (json!({"minLength": 2}), json!("é"), "at least 2 characters"),
            (json!({"maxLength": 1}), json!("éé"), "at most 1 character"),
            (json!({"pattern": "^a+$"}), json!("ab"), "a text that matches ^a+$"),
            (json!({"enum": ["a", 2]}), json!("b"), "one of a, 2"),
            (json!({"const": "a"}), json!("b"), "a"),
            (json!({"items": {"type": "string"}}), json!(["a", 1]), "/1 string"),
            (json!({"uniqueItems": true}), json!([1, 1]), "no item twice"),
            (json!({"required": ["a"]}), json!({}), "the field \"a\""),
            (json!({"properties": {"a/b": {"minimum": 1}}}), json!({"a/b": 0}), "/a~1b at least 1"),
            (json!({"properties": {"a": {}}, "additionalProperties": false}), json!({"b": 0}), "no field \"b\"; there are a"),
            (json!({"anyOf": [{"type": "string"}, {"minimum": 5}]}), json!(3), "string"),
            (json!({"$ref": "#/$defs/x", "$defs": {"x": {"minimum": 5}}}), json!(3), "at least 5"),
        ] {
            let problem = check(&schema, &schema, &value).expect_err("something is wrong");
            let said = if problem.path.is_empty() { problem.expected } else { format!("{} {}", problem.path, problem.expected) };
            assert_eq!(said, expected, "{schema} {value}");
        }
    }

    #[test]
    fn what_is_right_or_unknown_passes() {
        for (schema, value) in [
            (json!({"type": "integer"}), json!(2.0)),
            (json!({"enum": [1]}), json!(1.0)),
            (json!({"multipleOf": 0.1}), json!(0.3)),
            (json!({"pattern": "^(?=x)"}), json!("y")),
            (json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}), json!(3)),
            (json!(true), json!(3)),
            (json!({"format": "email"}), json!("x")),
        ] {
            assert_eq!(check(&schema, &schema, &value), Ok(()), "{schema} {value}");
        }
    }

    #[test]
    fn schemas_that_contain_themselves_end() {
        let schema = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"type": "string"}]});
        assert_eq!(check(&schema, &schema, &json!(1)), Ok(()));
    }
}
