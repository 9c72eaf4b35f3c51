//! What kinds of value a schema takes, and how a text of a command line is read as one of them.

use serde_json::{Number, Value};

use crate::names;
use crate::object::{branches, resolve};

/// The types that a schema takes, and the values if it lists them.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepts<'a> {
    /// Texts.
    pub string: bool,
    /// Whole numbers.
    pub integer: bool,
    /// Numbers; `integer` is set as well.
    pub number: bool,
    /// `true` and `false`.
    pub boolean: bool,
    /// Lists.
    pub array: bool,
    /// Objects.
    pub object: bool,
    /// `null`.
    pub null: bool,
    /// Of `enum` and `const`.
    pub values: Option<Vec<&'a Value>>,
    /// What the elements of an array are, where it is said.
    pub items: Option<&'a Value>,
}

const DEEPEST: usize = 8;

impl<'a> Accepts<'a> {
    const NOTHING: Self = Self {
        string: false,
        integer: false,
        number: false,
        boolean: false,
        array: false,
        object: false,
        null: false,
        values: None,
        items: None,
    };
    const ANYTHING: Self =
        Self { string: true, integer: true, number: true, boolean: true, array: true, object: true, null: true, values: None, items: None };

    /// What `schema` takes, `$ref` looked up in `root`.
    #[must_use]
    pub fn of(root: &'a Value, schema: &'a Value) -> Self {
        Self::at(root, schema, 0)
    }

    fn at(root: &'a Value, schema: &'a Value, depth: usize) -> Self {
        let schema = resolve(root, schema);
        let values = match (schema.get("const"), schema.get("enum").and_then(Value::as_array)) {
            (Some(value), _) => Some(vec![value]),
            (None, Some(values)) => Some(values.iter().collect()),
            (None, None) => None,
        };
        let mut accepts = match (&values, schema.get("type")) {
            (_, Some(Value::String(name))) => Self::NOTHING.with(name),
            (_, Some(Value::Array(names))) => names.iter().filter_map(Value::as_str).fold(Self::NOTHING, Self::with),
            (Some(values), _) => values.iter().fold(Self::NOTHING, |accepts, value| accepts.with(type_of(value))),
            (None, _) if schema.get("properties").is_some() => Self::NOTHING.with("object"),
            (None, _) if schema.get("items").is_some() => Self::NOTHING.with("array"),
            (None, _) => Self::ANYTHING,
        };
        accepts.values = values;
        accepts.items = schema.get("items").filter(|items| items.is_object());
        if depth < DEEPEST {
            for key in ["anyOf", "oneOf"] {
                let union = branches(schema, key).map(|part| Self::at(root, part, depth + 1)).reduce(Self::or);
                accepts = union.into_iter().fold(accepts, Self::and);
            }
            accepts = branches(schema, "allOf").map(|part| Self::at(root, part, depth + 1)).fold(accepts, Self::and);
        }
        accepts
    }

    fn with(mut self, name: &str) -> Self {
        match name {
            "string" => self.string = true,
            "integer" => self.integer = true,
            "number" => (self.integer, self.number) = (true, true),
            "boolean" => self.boolean = true,
            "array" => self.array = true,
            "object" => self.object = true,
            "null" => self.null = true,
            _ => {}
        }
        self
    }

    fn or(mut self, other: Self) -> Self {
        let opens = other.takes_more_than_null();
        self.values = match (self.values, other.values) {
            (Some(mut values), Some(more)) => {
                values.extend(more);
                Some(values)
            }
            // `null` beside a list of values is one more of them; any other type opens the list.
            (Some(mut values), None) if other.null && !opens => {
                values.push(&Value::Null);
                Some(values)
            }
            (None, Some(mut values)) if self.null && !(self.string || self.integer || self.boolean || self.array || self.object) => {
                values.push(&Value::Null);
                Some(values)
            }
            _ => None,
        };
        self.string |= other.string;
        self.integer |= other.integer;
        self.number |= other.number;
        self.boolean |= other.boolean;
        self.array |= other.array;
        self.object |= other.object;
        self.null |= other.null;
        self.items = self.items.or(other.items);
        self
    }

    fn and(mut self, other: Self) -> Self {
        self.string &= other.string;
        self.integer &= other.integer;
        self.number &= other.number;
        self.boolean &= other.boolean;
        self.array &= other.array;
        self.object &= other.object;
        self.null &= other.null;
        self.values = self.values.or(other.values);
        self.items = self.items.or(other.items);
        self
    }

    fn takes_more_than_null(&self) -> bool {
        self.string || self.integer || self.boolean || self.array || self.object
    }

    /// A switch: `true`, `false`, and nothing else but `null`.
    #[must_use]
    pub fn is_switch(&self) -> bool {
        self.boolean && !(self.string || self.integer || self.array || self.object)
    }

    /// The types in words, for help and messages: `integer`, `name|price`, `string or null`.
    #[must_use]
    pub fn in_words(&self, root: &Value) -> String {
        if let Some(values) = &self.values {
            return values.iter().map(|value| plain(value)).collect::<Vec<_>>().join("|");
        }
        if *self == (Self { items: self.items, ..Self::ANYTHING }) {
            return "value".to_owned();
        }
        let number = if self.number { "number" } else { "integer" };
        let items = self.items.map(|items| Accepts::of(root, items).scalar_in_words());
        let array = items.map_or_else(|| "array".to_owned(), |items| format!("{items}..."));
        let kinds = [
            (self.string, "string"),
            (self.integer, number),
            (self.boolean, "boolean"),
            (self.array, array.as_str()),
            (self.object, "object"),
            (self.null, "null"),
        ];
        kinds.iter().filter(|kind| kind.0).map(|kind| kind.1).collect::<Vec<_>>().join("|")
    }

    fn scalar_in_words(&self) -> String {
        match &self.values {
            Some(values) => values.iter().map(|value| plain(value)).collect::<Vec<_>>().join("|"),
            None if self.string => "string".to_owned(),
            None if self.number => "number".to_owned(),
            None if self.integer => "integer".to_owned(),
            None if self.boolean => "boolean".to_owned(),
            None if self.array => "array".to_owned(),
            None => "object".to_owned(),
        }
    }

    /// Reads a text as a value of one of the types; says what was expected where it is none.
    ///
    /// A text is never decoded where only strings are taken. Where several types are, it is what it looks like, else a string.
    ///
    /// # Errors
    /// What was expected, in words.
    pub fn read(&self, root: &Value, text: &str) -> Result<Value, String> {
        if let Some(values) = &self.values {
            return pick(values, text);
        }
        let lower = text.trim();
        if self.null && lower == "null" {
            return Ok(Value::Null);
        }
        if self.boolean
            && let Ok(value) = lower.to_ascii_lowercase().parse()
        {
            return Ok(Value::Bool(value));
        }
        if self.integer
            && let Some(number) = self.read_number(lower)?
        {
            return Ok(Value::Number(number));
        }
        if (self.array && lower.starts_with('[')) || (self.object && lower.starts_with('{')) {
            match serde_json::from_str(lower) {
                Ok(value) => return Ok(value),
                Err(error) if !self.string => return Err(format!("{}, but the JSON cannot be read: {error}", self.in_words(root))),
                Err(_) => {}
            }
        }
        if self.string { Ok(Value::String(text.to_owned())) } else { Err(self.in_words(root)) }
    }

    /// A number as JSON writes it, of a kind that is taken.
    fn read_number(&self, text: &str) -> Result<Option<Number>, String> {
        let Ok(number) = serde_json::from_str::<Number>(text) else { return Ok(None) };
        let whole = match number.as_f64() {
            Some(value) if value.fract() == 0.0 => value,
            _ if self.number => return Ok(Some(number)),
            _ => return Ok(None),
        };
        // Beyond this a double, and so JavaScript, takes neighbours for the same: another id would arrive than was meant.
        const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;
        if whole.abs() > MAX_SAFE_INTEGER && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
            if self.string {
                return Ok(None);
            }
            return Err(format!("a number that a double holds exactly, at most {MAX_SAFE_INTEGER}"));
        }
        if number.is_f64() && !self.number { Ok(Some(Number::from(whole as i64))) } else { Ok(Some(number)) }
    }
}

/// One of the listed values.
fn pick(values: &[&Value], text: &str) -> Result<Value, String> {
    let found = values.iter().find(|value| value.as_str() == Some(text)).copied().cloned();
    let found = found.or_else(|| {
        let read: Value = serde_json::from_str(text.trim()).ok()?;
        values.iter().any(|value| **value == read && !read.is_string()).then_some(read)
    });
    // `--sort Price` can only mean `price`.
    let found = found.or_else(|| {
        let mut alike = values.iter().filter(|value| value.as_str().is_some_and(|value| value.eq_ignore_ascii_case(text)));
        let only = alike.next()?;
        alike.next().is_none().then(|| (*only).clone())
    });
    found.ok_or_else(|| {
        let names: Vec<String> = values.iter().map(|value| plain(value)).collect();
        let meant = names::meant(text, names.iter().map(String::as_str)).map_or_else(String::new, |name| format!("; did you mean {name}?"));
        format!("one of {}{meant}", names.join(", "))
    })
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A value as somebody types it: strings without quotes.
pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
