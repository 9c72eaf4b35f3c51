//! What does not fit, in words of somebody who writes a configuration.

use std::fmt;

use serde::de::{self, Expected, Unexpected};
use snugfit_toolset::names::{excerpt, meant};

use super::path::Path;
use crate::config::document::{Node, Value};
use crate::config::fault::Position;

#[derive(Debug)]
pub(in crate::config) struct Error {
    what: What,
    place: Option<Place>,
}

#[derive(Debug)]
enum What {
    Message(String),
    Expected { found: String, expected: String },
    UnknownKey { key: String, known: &'static [&'static str] },
    UnknownValue { value: String, known: &'static [&'static str] },
}

/// Where a mistake is.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) at: Position,
    pub(super) path: String,
    pub(super) steps: Vec<usize>,
}

impl Error {
    /// The mistake is in a value, if it is not known to be further inside. What a variable gave is not told.
    pub(super) fn at(self, node: &Node, path: &Path<'_>) -> Self {
        let Self { mut what, place } = self;
        if place.is_none() && matches!(&node.value, Value::Scalar(scalar) if scalar.written.is_some()) {
            what = match what {
                What::Expected { expected, .. } => What::Expected { found: "the value of a variable".to_owned(), expected },
                What::UnknownValue { known, .. } => What::Expected { found: "the value of a variable".to_owned(), expected: one_of(known) },
                what => what,
            };
        }
        Self { what, place }.at_key(node.at, path)
    }

    /// The mistake is in the key of a member.
    pub(super) fn at_key(mut self, at: Position, path: &Path<'_>) -> Self {
        self.place.get_or_insert_with(|| Place { at, path: path.to_string(), steps: path.steps() });
        self
    }

    /// Where the mistake is; at the root where nothing is known.
    pub(super) fn place(self, root: &Node) -> Place {
        self.place.unwrap_or(Place { at: root.at, path: String::new(), steps: Vec::new() })
    }

    /// A value that is none of the names that are known.
    pub(super) fn no_name(found: Unexpected<'_>, known: &'static [&'static str]) -> Self {
        What::Expected { found: found_words(found), expected: one_of(known) }.into()
    }
}

impl From<What> for Error {
    fn from(what: What) -> Self {
        Self { what, place: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Message(message) => f.write_str(message),
            What::Expected { found, expected } => write!(f, "expected {expected}, found {found}"),
            What::UnknownKey { key, known } => match meant(key, known.iter().copied()) {
                Some(name) => write!(f, "unknown key `{}`; did you mean `{name}`?", excerpt(key)),
                None => write!(f, "unknown key `{}`; expected {}", excerpt(key), one_of(known)),
            },
            What::UnknownValue { value, known } => match meant(value, known.iter().copied()) {
                Some(name) => write!(f, "unknown value `{}`; did you mean `{name}`?", excerpt(value)),
                None => write!(f, "unknown value `{}`; expected {}", excerpt(value), one_of(known)),
            },
        }
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        What::Message(message.to_string()).into()
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        What::Expected { found: found_words(found), expected: expected_words(&expected.to_string()) }.into()
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn missing_field(field: &'static str) -> Self {
        What::Message(format!("`{field}` is missing")).into()
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        What::UnknownKey { key: field.to_owned(), known }.into()
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        What::UnknownValue { value: variant.to_owned(), known }.into()
    }
}

fn one_of(known: &[&str]) -> String {
    match known {
        [] => "none".to_owned(),
        [only] => format!("`{only}`"),
        [names @ .., last] => format!("`{}` or `{last}`", names.join("`, `")),
    }
}

/// What was found. Never a text itself, which may be a credential in the wrong place.
fn found_words(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(n) => format!("the number {n}"),
        Unexpected::Signed(n) => format!("the number {n}"),
        Unexpected::Float(n) => format!("the number {n}"),
        Unexpected::Unit | Unexpected::Option => "nothing".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a map".to_owned(),
        _ => "another text".to_owned(),
    }
}

/// What serde expects, without the names of Rust.
fn expected_words(expected: &str) -> String {
    match expected {
        "u16" => "a whole number from 0 to 65535".to_owned(),
        "usize" | "u64" => "a whole number, 0 or more".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a string" | "path string" => "a text".to_owned(),
        "a boolean" => "true or false".to_owned(),
        other if other.starts_with("struct ") => "a map of settings".to_owned(),
        other => other.to_owned(),
    }
}
