//! How a schema is read: each part once, within limits that no real schema comes near.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{Field, Named, Object, Type, all, union};
use crate::accepts::plain;
use crate::help::bounds;
use crate::names;
use crate::object::{branches, percent_decode, resolve};
use crate::sentence::one_line;

/// Schemas nested deeper than this, and what comes after so many of them, may hold anything: no real tool comes near, and no hostile one
/// costs much.
pub(super) const DEEPEST: usize = 16;
const MOST: usize = 20_000;
/// So many values of an `enum` are listed, and so many schemas that are referred to have names.
const MOST_VALUES: usize = 1000;
pub(super) const MOST_NAMED: usize = 500;
/// Bytes of the description of a property, of its bounds, and of all of them together.
const MOST_DOC: usize = 4000;
const MOST_DOCS: usize = 1_000_000;

/// The types of a schema: of itself, and of what it refers to.
pub(super) fn read(schema: &Value) -> Vec<Named<'_>> {
    let mut reader = Reader { root: schema, left: MOST, docs_left: MOST_DOCS, queue: Vec::new(), numbers: HashMap::new() };
    reader.number(schema, String::new());
    let mut named: Vec<Named<'_>> = Vec::new();
    // Reading one may name others, behind it.
    while let Some((hint, schema)) = reader.queue.get(named.len()).cloned() {
        let of = reader.read(schema, 0);
        named.push(Named { hint, of });
    }
    cut_circles(&mut named);
    named
}

struct Reader<'a> {
    root: &'a Value,
    /// Schemas that may still be read.
    left: usize,
    /// Bytes of documentation that may still be made.
    docs_left: usize,
    /// What has a name: the words of the name and the schema.
    queue: Vec<(String, &'a Value)>,
    /// Numbers in the queue, by the address of the schema.
    numbers: HashMap<*const Value, usize>,
}

impl<'a> Reader<'a> {
    fn number(&mut self, schema: &'a Value, hint: String) -> Type<'a> {
        let next = self.queue.len();
        if next >= MOST_NAMED && !self.numbers.contains_key(&std::ptr::from_ref(schema)) {
            return Type::Any;
        }
        let number = *self.numbers.entry(std::ptr::from_ref(schema)).or_insert(next);
        if number == next {
            self.queue.push((hint, schema));
        }
        Type::Named(number)
    }

    fn read(&mut self, schema: &'a Value, depth: usize) -> Type<'a> {
        if depth > DEEPEST || self.left == 0 || !schema.is_object() {
            return Type::Any;
        }
        self.left -= 1;
        let mut parts = vec![self.reference(schema), self.base(schema, depth)];
        for key in ["anyOf", "oneOf"] {
            let options: Vec<Type<'a>> = branches(schema, key).map(|part| self.read(part, depth + 1)).collect();
            if !options.is_empty() {
                parts.push(union(options));
            }
        }
        parts.extend(branches(schema, "allOf").map(|part| self.read(part, depth + 1)).collect::<Vec<_>>());
        let of = all(parts);
        if schema.get("nullable") == Some(&Value::Bool(true)) { union(vec![of, Type::Null]) } else { of }
    }

    fn reference(&mut self, schema: &'a Value) -> Type<'a> {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return Type::Any };
        let target = resolve(self.root, schema);
        // Outside of this schema, or in a circle.
        if target.get("$ref").is_some() && std::ptr::eq(target, schema) || !target.is_object() {
            return Type::Any;
        }
        let last = reference.rsplit(['/', '#']).find(|segment| !segment.is_empty()).unwrap_or_default();
        self.number(target, percent_decode(last).unwrap_or_default())
    }

    /// What the schema says by `const`, `enum` and `type`.
    fn base(&mut self, schema: &'a Value, depth: usize) -> Type<'a> {
        if let Some(value) = schema.get("const") {
            return literal(value);
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            let mut seen = HashSet::with_capacity(values.len());
            let distinct = values.iter().filter(|value| seen.insert(value.to_string()));
            let list = values.len() <= MOST_VALUES;
            return union(distinct.map(|value| if list { literal(value) } else { kind(value) }).collect());
        }
        let says = |keys: &[&str]| keys.iter().any(|key| schema.get(key).is_some());
        match schema.get("type") {
            Some(Value::String(name)) => self.of_type(name, schema, depth),
            Some(Value::Array(names)) => {
                let mut seen = HashSet::new();
                let names = names.iter().filter_map(Value::as_str).filter(|&name| seen.insert(name));
                union(names.map(|name| self.of_type(name, schema, depth)).collect())
            }
            _ if says(&["properties", "additionalProperties", "patternProperties"]) => self.of_type("object", schema, depth),
            _ if says(&["items", "prefixItems"]) => self.of_type("array", schema, depth),
            _ => Type::Any,
        }
    }

    fn of_type(&mut self, name: &str, schema: &'a Value, depth: usize) -> Type<'a> {
        match name {
            "null" => Type::Null,
            "boolean" => Type::Boolean,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "string" => Type::String,
            "array" => {
                // Before 2020-12 the items of a tuple stand in `items`.
                let mut items: Vec<Type<'a>> =
                    ["prefixItems", "items"].iter().flat_map(|key| branches(schema, key)).map(|item| self.read(item, depth + 1)).collect();
                let rest = schema.get(if schema.get("items").is_some_and(Value::is_array) { "additionalItems" } else { "items" });
                if rest != Some(&Value::Bool(false)) || items.is_empty() {
                    items.push(rest.map_or(Type::Any, |rest| self.read(rest, depth + 1)));
                }
                Type::Array(Box::new(union(items)))
            }
            "object" => Type::Object(self.fields(schema, depth)),
            _ => Type::Any,
        }
    }

    fn fields(&mut self, schema: &'a Value, depth: usize) -> Object<'a> {
        let required: HashSet<&str> = branches(schema, "required").filter_map(Value::as_str).collect();
        let mut fields: Vec<Field<'a>> = Vec::new();
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            // `false` is for properties that must not be there.
            if property == &Value::Bool(false) {
                continue;
            }
            let doc = self.doc(property);
            fields.push(Field { name, of: self.read(property, depth + 1), required: required.contains(name.as_str()), doc });
        }
        let mut named: HashSet<&str> = fields.iter().map(|field| field.name).collect();
        for name in branches(schema, "required").filter_map(Value::as_str).filter(|&name| named.insert(name)) {
            fields.push(Field { name, of: Type::Any, required: true, doc: String::new() });
        }
        let rest = match schema.get("additionalProperties") {
            _ if schema.get("patternProperties").is_some() => Some(Type::Any),
            Some(Value::Bool(false)) => None,
            Some(rest) => Some(self.read(rest, depth + 1)),
            // A schema that lists properties means those.
            None => fields.is_empty().then_some(Type::Any),
        };
        Object { fields, rest: rest.map(Box::new) }
    }

    /// What a property is for, on one line, its own words before those of what it refers to.
    fn doc(&mut self, property: &Value) -> String {
        let target = resolve(self.root, property);
        let mut facts = bounds(target);
        if let Some(default) = property.get("default").or_else(|| target.get("default")) {
            facts.push(format!("default {}", names::excerpt(&plain(default))));
        }
        let described = [property, target].iter().find_map(|schema| schema.get("description").and_then(Value::as_str));
        let description = described.map(|text| one_line(start(text, MOST_DOC))).unwrap_or_default();
        let facts = one_line(start(&facts.join("; "), MOST_DOC));
        let doc = match (description.is_empty(), facts.is_empty()) {
            (_, true) => description,
            (true, false) => format!("({facts})"),
            (false, false) => format!("{description} ({facts})"),
        };
        // Any number of properties may refer to one long description.
        match self.docs_left.checked_sub(doc.len()) {
            None => String::new(),
            Some(left) => {
                self.docs_left = left;
                doc
            }
        }
    }
}

/// The beginning of a text, of at most so many bytes.
fn start(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// A listed value. Of numbers only such as every language has as they are, of others the kind.
fn literal(value: &Value) -> Type<'_> {
    const SAFE: i64 = 1 << 53;
    match value {
        Value::String(_) | Value::Bool(_) => Type::Literal(value),
        Value::Number(number) if number.as_i64().is_some_and(|number| number.abs() < SAFE) => Type::Literal(value),
        _ => kind(value),
    }
}

fn kind(value: &Value) -> Type<'_> {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Boolean,
        Value::Number(number) if number.is_f64() => Type::Number,
        Value::Number(_) => Type::Integer,
        Value::String(_) => Type::String,
        Value::Array(_) => Type::Array(Box::new(Type::Any)),
        Value::Object(_) => Type::Object(Object { fields: Vec::new(), rest: Some(Box::new(Type::Any)) }),
    }
}

/// Cuts names that mean themselves without an object or a list between, as in `A = A | null`: no language takes those.
fn cut_circles(named: &mut [Named<'_>]) {
    fn direct(of: &Type<'_>, into: &mut Vec<usize>) {
        match of {
            Type::Named(number) => into.push(*number),
            Type::Union(parts) | Type::All(parts) => parts.iter().for_each(|part| direct(part, into)),
            _ => {}
        }
    }
    fn visit(at: usize, edges: &[Vec<usize>], state: &mut [u8], back: &mut Vec<(usize, usize)>) {
        state[at] = 1;
        for &to in &edges[at] {
            match state[to] {
                0 => visit(to, edges, state, back),
                1 => back.push((at, to)),
                _ => {}
            }
        }
        state[at] = 2;
    }
    fn without(of: Type<'_>, number: usize) -> Type<'_> {
        match of {
            Type::Named(at) if at == number => Type::Any,
            Type::Union(parts) => union(parts.into_iter().map(|part| without(part, number)).collect()),
            Type::All(parts) => all(parts.into_iter().map(|part| without(part, number)).collect()),
            other => other,
        }
    }
    let edges: Vec<Vec<usize>> = named
        .iter()
        .map(|named| {
            let mut edges = Vec::new();
            direct(&named.of, &mut edges);
            edges
        })
        .collect();
    let (mut state, mut back) = (vec![0; named.len()], Vec::new());
    for at in 0..named.len() {
        if state[at] == 0 {
            visit(at, &edges, &mut state, &mut back);
        }
    }
    for (from, to) in back {
        named[from].of = without(std::mem::replace(&mut named[from].of, Type::Any), to);
    }
}
