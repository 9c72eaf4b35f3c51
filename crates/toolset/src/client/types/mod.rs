//! What a JSON Schema says about values, as far as the type systems of programming languages go.
//!
//! One model for all languages: a schema is read once, each language only spells it. Where a schema says more than types can (bounds,
//! patterns, conditions), a type takes more than the schema does, never less.

mod read;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use self::read::DEEPEST;
use crate::object::branches;

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
        Self { named: read::read(schema) }
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

    /// The fields of an object, however it is put together; `None` where other values than objects may be, or where it takes too long to
    /// tell. A field that is not in every branch of a union is not required.
    pub(crate) fn object(&self, of: &Type<'a>) -> Option<Object<'a>> {
        self.object_within(of, &mut PATIENCE.clone(), 0)
    }

    /// As [`Types::object`], for who asks often: `left` is what may still be looked into in all.
    pub(crate) fn object_while(&self, of: &Type<'a>, left: &mut usize) -> Option<Object<'a>> {
        self.object_within(of, left, 0)
    }

    fn object_within(&self, of: &Type<'a>, left: &mut usize, depth: usize) -> Option<Object<'a>> {
        let of = self.unnamed(of).0;
        let (parts, together) = match of {
            Type::Object(object) => {
                *left = left.checked_sub(object.fields.len() + 1)?;
                return Some(object.clone());
            }
            Type::All(parts) => (parts, Together::All),
            Type::Union(parts) => (parts, Together::Any),
            _ => return None,
        };
        *left = left.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        let objects = parts.iter().map(|part| self.object_within(part, left, depth + 1)).collect::<Option<Vec<_>>>()?;
        Some(merge(objects, together))
    }

    /// Whether `null` is a value of the type.
    pub(crate) fn takes_null(&self, of: &Type<'a>) -> bool {
        self.takes(of, |of| *of == Type::Null, &mut PATIENCE.clone(), 0)
    }

    /// Whether an object is a value of the type.
    pub(crate) fn takes_objects(&self, of: &Type<'a>) -> bool {
        self.takes(of, |of| matches!(of, Type::Object(_)), &mut PATIENCE.clone(), 0)
    }

    fn takes(&self, of: &Type<'a>, is: fn(&Type<'a>) -> bool, left: &mut usize, depth: usize) -> bool {
        let Some(fewer) = left.checked_sub(1).filter(|_| depth <= DEEPEST) else { return true };
        *left = fewer;
        match self.unnamed(of).0 {
            Type::Any => true,
            Type::Union(parts) => parts.iter().any(|part| self.takes(part, is, left, depth + 1)),
            Type::All(parts) => parts.iter().all(|part| self.takes(part, is, left, depth + 1)),
            of => is(of),
        }
    }
}

/// So many types and fields are looked into for one answer: unions of unions may be more than there is time for.
const PATIENCE: usize = 20_000;

/// How several objects are one.
#[derive(Clone, Copy, PartialEq)]
enum Together {
    /// It is all of them at once.
    All,
    /// It is any of them.
    Any,
}

/// One object of several. A field that one of them does not have is as if it were not required there.
fn merge(objects: Vec<Object<'_>>, together: Together) -> Object<'_> {
    let count = objects.len();
    let mut fields: Vec<Field<'_>> = Vec::new();
    let mut rest = None;
    // Where each field is, in how many it is required, and its types.
    let mut at: HashMap<&str, usize> = HashMap::new();
    let mut required: Vec<usize> = Vec::new();
    let mut types: Vec<Vec<Type<'_>>> = Vec::new();
    for object in objects {
        rest = rest.or(object.rest);
        for mut field in object.fields {
            let index = *at.entry(field.name).or_insert(fields.len());
            if index == fields.len() {
                required.push(0);
                types.push(Vec::new());
                fields.push(Field { doc: String::new(), of: Type::Any, required: false, name: field.name });
            }
            required[index] += usize::from(field.required);
            types[index].push(std::mem::replace(&mut field.of, Type::Any));
            if fields[index].doc.is_empty() {
                fields[index].doc = field.doc;
            }
        }
    }
    for ((field, required), mut types) in fields.iter_mut().zip(required).zip(types) {
        field.required = required > 0 && (together == Together::All || required == count);
        // Of all at once the last says most.
        field.of = match together {
            Together::All => types.pop().unwrap_or(Type::Any),
            Together::Any => union(types),
        };
    }
    Object { fields, rest }
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

#[cfg(test)]
mod tests {
    use super::read::MOST_NAMED;
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
