//! What a JSON Schema says about values, as far as the type systems of programming languages go.
//!
//! One model for all languages: a schema is read once, each language only spells it. Where a schema says more than types can (bounds,
//! patterns, conditions), a type takes more than the schema does, never less.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::accepts::plain;
use crate::help::bounds;
use crate::names;
use crate::object::{branches, percent_decode, resolve};
use crate::sentence::one_line;

/// Schemas nested deeper than this, and what comes after so many of them, may hold anything: no real tool comes near, and no hostile one
/// costs much.
const DEEPEST: usize = 16;
const MOST: usize = 20_000;
/// So many values of an `enum` are listed, and so many schemas that are referred to have names.
const MOST_VALUES: usize = 1000;
const MOST_NAMED: usize = 500;

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type<'a> {
    /// Any value.
    Any,
    Null,
    Boolean,
    Integer,
    Number,
    String,
    /// This text, integer or boolean alone.
    Literal(&'a Value),
    Array(Box<Type<'a>>),
    Object(Object<'a>),
    /// A value of any of these.
    Union(Vec<Type<'a>>),
    /// A value of all of these at once.
    All(Vec<Type<'a>>),
    /// The type of this number in [`Types::named`].
    Named(usize),
}

/// An object.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Object<'a> {
    /// In the order of the schema.
    pub(crate) fields: Vec<Field<'a>>,
    /// What fields of other names hold; `None` where there are to be none.
    pub(crate) rest: Option<Box<Type<'a>>>,
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field<'a> {
    pub(crate) name: &'a str,
    pub(crate) of: Type<'a>,
    pub(crate) required: bool,
    /// What it is for, its bounds and its default, on one line; may be empty.
    pub(crate) doc: String,
}

/// A type with a name of its own, since something refers to it.
#[derive(Debug, Clone)]
pub(crate) struct Named<'a> {
    /// The words of its name in the schema; empty for the schema as a whole.
    pub(crate) hint: String,
    pub(crate) of: Type<'a>,
}

/// The types of one schema.
#[derive(Debug, Clone)]
pub(crate) struct Types<'a> {
    /// The first is the schema as a whole.
    pub(crate) named: Vec<Named<'a>>,
}

impl<'a> Types<'a> {
    /// Reads the schema of a tool's input, which is an object even where it does not say so, and has no more fields than it lists.
    pub(crate) fn of_input(schema: &'a Value) -> Self {
        let mut types = Self::of(schema);
        let unsaid = !["type", "$ref", "anyOf", "oneOf", "allOf"].iter().any(|key| schema.get(key).is_some());
        if let Type::Any = types.named[0].of
            && unsaid
        {
            let mut seen = HashSet::new();
            let named = branches(schema, "required").filter_map(Value::as_str).filter(|&name| seen.insert(name));
            let fields: Vec<Field<'a>> = named.map(|name| Field { name, of: Type::Any, required: true, doc: String::new() }).collect();
            let rest = fields.is_empty().then(|| Box::new(Type::Any));
            types.named[0].of = Type::Object(Object { fields, rest });
        }
        if let Type::Object(Object { fields, rest }) = &mut types.named[0].of
            && fields.is_empty()
            && schema.get("properties").is_some()
            && schema.get("additionalProperties").is_none()
            && schema.get("patternProperties").is_none()
        {
            *rest = None;
        }
        types
    }

    /// Reads a schema.
    pub(crate) fn of(schema: &'a Value) -> Self {
        let mut reader = Reader { root: schema, left: MOST, queue: Vec::new(), numbers: HashMap::new() };
        reader.number(schema, String::new());
        let mut named: Vec<Named<'a>> = Vec::new();
        // Reading one may name others, behind it.
        while let Some((hint, schema)) = reader.queue.get(named.len()).cloned() {
            let of = reader.read(schema, 0);
            named.push(Named { hint, of });
        }
        cut_circles(&mut named);
        Self { named }
    }

    /// The schema as a whole.
    pub(crate) fn root(&self) -> &Type<'a> {
        self.unnamed(&Type::Named(0)).0
    }

    /// The type behind names, and the number of the last name. Circles of names were cut.
    pub(crate) fn unnamed<'t>(&'t self, of: &'t Type<'a>) -> (&'t Type<'a>, Option<usize>) {
        let (mut at, mut number) = (of, None);
        while let Type::Named(next) = at {
            number = Some(*next);
            at = &self.named[*next].of;
        }
        (at, number)
    }

    /// The fields of an object, however it is put together; `None` where other values than objects may be. A field that is not in every
    /// branch of a union is not required.
    pub(crate) fn object(&self, of: &Type<'a>) -> Option<Object<'a>> {
        self.object_within(of, &mut PATIENCE.clone())
    }

    fn object_within(&self, of: &Type<'a>, left: &mut usize) -> Option<Object<'a>> {
        *left = left.checked_sub(1)?;
        match self.unnamed(of).0 {
            Type::Object(object) => Some(object.clone()),
            Type::All(parts) => {
                let objects = parts.iter().map(|part| self.object_within(part, left)).collect::<Option<Vec<_>>>()?;
                objects.into_iter().reduce(|first, second| merge(first, second, |was, is| was || is, |_, second| second))
            }
            Type::Union(parts) => {
                let objects = parts.iter().map(|part| self.object_within(part, left)).collect::<Option<Vec<_>>>()?;
                let either = |first, second| union(vec![first, second]);
                objects.into_iter().reduce(|first, second| merge(first, second, |was, is| was && is, either))
            }
            _ => None,
        }
    }

    /// Whether `null` is a value of the type.
    pub(crate) fn takes_null(&self, of: &Type<'a>) -> bool {
        self.takes(of, |of| *of == Type::Null, &mut PATIENCE.clone())
    }

    /// Whether an object is a value of the type.
    pub(crate) fn takes_objects(&self, of: &Type<'a>) -> bool {
        self.takes(of, |of| matches!(of, Type::Object(_)), &mut PATIENCE.clone())
    }

    fn takes(&self, of: &Type<'a>, is: fn(&Type<'a>) -> bool, left: &mut usize) -> bool {
        let Some(fewer) = left.checked_sub(1) else { return true };
        *left = fewer;
        match self.unnamed(of).0 {
            Type::Any => true,
            Type::Union(parts) => parts.iter().any(|part| self.takes(part, is, left)),
            Type::All(parts) => parts.iter().all(|part| self.takes(part, is, left)),
            of => is(of),
        }
    }
}

/// So many types are looked into for one answer: unions of unions may be more than there is time for.
const PATIENCE: usize = 10_000;

/// One object of two; `required` and `of` decide where both have a field, or only one (which is as if it were not required there).
fn merge<'a>(
    mut first: Object<'a>,
    second: Object<'a>,
    required: impl Fn(bool, bool) -> bool,
    of: impl Fn(Type<'a>, Type<'a>) -> Type<'a>,
) -> Object<'a> {
    let at: HashMap<&str, usize> = first.fields.iter().enumerate().map(|(at, field)| (field.name, at)).collect();
    let in_second: HashSet<&str> = second.fields.iter().map(|field| field.name).collect();
    for field in first.fields.iter_mut().filter(|field| !in_second.contains(field.name)) {
        field.required = required(field.required, false);
    }
    for field in second.fields {
        if let Some(&index) = at.get(field.name) {
            let both = &mut first.fields[index];
            both.required = required(both.required, field.required);
            both.of = of(std::mem::replace(&mut both.of, Type::Any), field.of);
            if both.doc.is_empty() {
                both.doc = field.doc;
            }
        } else {
            first.fields.push(Field { required: required(false, field.required), ..field });
        }
    }
    first.rest = first.rest.or(second.rest);
    first
}

/// A union without repetitions; [`Type::Any`] takes in all others.
fn union(parts: Vec<Type<'_>>) -> Type<'_> {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Type::Any => return Type::Any,
            Type::Union(inner) => inner.into_iter().for_each(|part| push_new(&mut flat, part)),
            part => push_new(&mut flat, part),
        }
    }
    if flat.len() > 1 { Type::Union(flat) } else { flat.pop().unwrap_or(Type::Any) }
}

/// What is of all of these types; what takes anything says nothing.
fn all(parts: Vec<Type<'_>>) -> Type<'_> {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Type::Any => {}
            Type::All(inner) => inner.into_iter().for_each(|part| push_new(&mut flat, part)),
            part => push_new(&mut flat, part),
        }
    }
    let objects =
        |part: &Type<'_>| matches!(part, Type::Object(Object { fields, rest: Some(rest) }) if fields.is_empty() && **rest == Type::Any);
    if flat.iter().any(|part| !objects(part)) {
        flat.retain(|part| !objects(part));
    }
    if flat.len() > 1 { Type::All(flat) } else { flat.pop().unwrap_or(Type::Any) }
}

fn push_new<'a>(list: &mut Vec<Type<'a>>, part: Type<'a>) {
    // Literals are told apart by a set where they are read, and a long list may repeat itself: comparing each with all would be quadratic.
    if matches!(part, Type::Literal(_)) || list.len() > 100 || !list.contains(&part) {
        list.push(part);
    }
}

struct Reader<'a> {
    root: &'a Value,
    /// Schemas that may still be read.
    left: usize,
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
                let types = names.iter().filter_map(Value::as_str).map(|name| self.of_type(name, schema, depth)).collect();
                union(types)
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
            let doc = doc(self.root, property);
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

/// What a property is for, on one line, its own words before those of what it refers to.
fn doc(root: &Value, property: &Value) -> String {
    let target = resolve(root, property);
    let described = [property, target].iter().find_map(|schema| schema.get("description").and_then(Value::as_str));
    let mut facts = bounds(target);
    if let Some(default) = property.get("default").or_else(|| target.get("default")) {
        facts.push(format!("default {}", names::excerpt(&plain(default))));
    }
    let description = described.map(one_line).unwrap_or_default();
    let facts = one_line(&facts.join("; "));
    match (description.is_empty(), facts.is_empty()) {
        (_, true) => description,
        (true, false) => format!("({facts})"),
        (false, false) => format!("{description} ({facts})"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A type in a short notation of the tests' own.
    fn short(of: &Type<'_>) -> String {
        let list = |parts: &[Type<'_>], with: &str| parts.iter().map(short).collect::<Vec<_>>().join(with);
        match of {
            Type::Any => "any".into(),
            Type::Null => "null".into(),
            Type::Boolean => "bool".into(),
            Type::Integer => "int".into(),
            Type::Number => "num".into(),
            Type::String => "str".into(),
            Type::Literal(value) => value.to_string(),
            Type::Array(items) => format!("[{}]", short(items)),
            Type::Union(parts) => format!("({})", list(parts, "|")),
            Type::All(parts) => format!("({})", list(parts, "&")),
            Type::Named(number) => format!("#{number}"),
            Type::Object(Object { fields, rest }) => {
                let fields =
                    fields.iter().map(|field| format!("{}{}:{}", field.name, if field.required { "" } else { "?" }, short(&field.of)));
                let rest = rest.iter().map(|rest| format!("*:{}", short(rest)));
                format!("{{{}}}", fields.chain(rest).collect::<Vec<_>>().join(","))
            }
        }
    }

    fn read(schema: &Value) -> String {
        Types::of(schema).named.iter().map(|named| short(&named.of)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_property_has_the_type_that_its_schema_says() {
        for (schema, expected) in [
            (json!({"type": "string"}), "str"),
            (json!({"type": ["integer", "null"]}), "(int|null)"),
            (json!({"type": "string", "nullable": true}), "(str|null)"),
            (json!({"enum": ["a", 1, 1.5, null, true, "a"]}), r#"("a"|1|num|null|true)"#),
            (json!({"const": "x"}), r#""x""#),
            (json!({"const": 9_007_199_254_740_993_i64}), "int"),
            (json!({"type": "array"}), "[any]"),
            (json!({"items": {"type": "number"}}), "[num]"),
            (json!({"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false}), "[(str|int)]"),
            (json!({"prefixItems": [{"type": "string"}], "items": false}), "[str]"),
            (json!({"type": "object"}), "{*:any}"),
            (json!({"type": "object", "additionalProperties": false}), "{}"),
            (json!({"additionalProperties": {"type": "string"}}), "{*:str}"),
            (json!({"properties": {"a": {}, "b": false}, "required": ["a", "c"]}), "{a:any,c:any}"),
            (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), "(str|null)"),
            (json!({"oneOf": [{"type": "string"}, {}]}), "any"),
            (json!({"allOf": [{"type": "string"}, {"minLength": 3}]}), "str"),
            (json!({"type": "object", "anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}), "({a?:any}|{b?:any})"),
            (json!({"properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}), "{a?:any,b?:any}"),
            (json!(true), "any"),
            (json!({"type": "nonsense"}), "any"),
            (json!({"$ref": "https://example.com/schema"}), "any"),
        ] {
            let whole = json!({ "properties": { "x": schema } });
            assert_eq!(read(&whole), format!("{{x?:{expected}}}"), "{schema}");
        }
    }

    #[test]
    fn an_input_is_an_object_of_what_its_schema_lists() {
        for (schema, expected) in [
            (json!({}), "{*:any}"),
            (json!({"required": ["a"]}), "{a:any}"),
            (json!({"type": "object"}), "{*:any}"),
            (json!({"type": "object", "properties": {}}), "{}"),
            (json!({"type": "object", "properties": {}, "additionalProperties": true}), "{*:any}"),
            (json!({"anyOf": [{}, {"type": "object"}]}), "any"),
        ] {
            assert_eq!(short(&Types::of_input(&schema).named[0].of), expected, "{schema}");
        }
        assert_eq!(read(&json!({})), "any");
    }

    #[test]
    fn what_is_referred_to_has_a_name_and_may_contain_itself() {
        let node = json!({"properties": {"next": {"$ref": "#/$defs/node"}, "all": {"$ref": "#"}}});
        let tree = json!({"properties": {"node": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}});
        assert_eq!(read(&tree), "{node?:#1} {next?:#1,all?:#0}");
        assert_eq!(Types::of(&tree).named[1].hint, "node");
        let alias = json!({"properties": {"a": {"$ref": "#/properties/b"}, "b": {"type": "string"}}});
        assert_eq!(read(&alias), "{a?:#1,b?:str} str");
    }

    #[test]
    fn a_name_that_means_only_itself_means_anything() {
        let schema = |def: Value| json!({"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": def, "b": {"$ref": "#/$defs/a"}}});
        for (def, expected) in [
            (json!({"$ref": "#/$defs/b"}), "{x?:#1} any"),
            (json!({"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}), "{x?:#1} any"),
            (json!({"allOf": [{"$ref": "#/$defs/a"}, {"type": "string"}]}), "{x?:#1} str"),
            (json!({"items": {"$ref": "#/$defs/a"}}), "{x?:#1} [#1]"),
        ] {
            let read = read(&schema(def.clone()));
            assert!(read.starts_with(expected), "{def}: {read}");
        }
    }

    #[test]
    fn the_fields_of_composed_objects_are_found() {
        let object = |schema: Value| Types::of(&schema).object(&Type::Named(0)).map(|object| short(&Type::Object(object)));
        assert_eq!(
            object(json!({"oneOf": [
                {"properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["kind", "x"]},
                {"properties": {"kind": {"const": "b"}}, "required": ["kind"]},
            ]})),
            Some(r#"{kind:("a"|"b"),x?:str}"#.into())
        );
        assert_eq!(
            object(json!({"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}, "required": ["a", "b"]}]})),
            Some("{a:any,b:any}".into())
        );
        assert_eq!(object(json!({"anyOf": [{"properties": {}}, {"type": "null"}]})), None);
    }

    #[test]
    fn what_a_field_is_for_stands_on_one_line_with_its_bounds() {
        let schema = json!({"properties": {"n": {"type": "integer", "description": "How\n many", "minimum": 1, "default": "\n5"}}});
        let types = Types::of(&schema);
        assert_eq!(types.object(types.root()).expect("an object").fields[0].doc, "How many (at least 1; default 5)");
    }

    #[test]
    fn hostile_schemas_cost_little() {
        let deep = (0..100).fold(json!({"type": "string"}), |inner, _| json!({"items": inner}));
        assert!(read(&deep).contains("any"));
        let wide = json!({"$defs": {"a": {"anyOf": vec![json!({"$ref": "#/$defs/a"}); 5000]}}, "properties": {"x": {"$ref": "#/$defs/a"}}});
        assert_eq!(read(&wide), "{x?:#1} any");
        let many: serde_json::Map<String, Value> = (0..3000).map(|n| (format!("d{n}"), json!({"type": "string"}))).collect();
        let fields: serde_json::Map<String, Value> =
            (0..3000).map(|n| (format!("p{n}"), json!({"$ref": format!("#/$defs/d{n}")}))).collect();
        let named = json!({"properties": fields, "$defs": many});
        assert_eq!(Types::of(&named).named.len(), MOST_NAMED);
    }
}
