//! serde's view of a tree.

use std::slice;

use serde::de::{self, DeserializeSeed, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::error::Error;
use super::path::Path;
use crate::config::document::{Key, Node, Scalar, Value};

#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) node: &'a Node,
    pub(super) path: &'a Path<'a>,
}

impl<'a> Reader<'a> {
    /// The value where it is a scalar that says something.
    fn scalar(self) -> Option<&'a Scalar> {
        match &self.node.value {
            Value::Scalar(scalar) if !scalar.is_null() => Some(scalar),
            _ => None,
        }
    }

    /// A list; nothing at all is an empty one.
    fn items(self) -> Option<&'a [Node]> {
        match &self.node.value {
            Value::List(items) => Some(items),
            _ if self.node.is_null() => Some(&[]),
            _ => None,
        }
    }

    /// A map; nothing at all is an empty one.
    fn members(self) -> Option<&'a [(Key, Node)]> {
        match &self.node.value {
            Value::Map(members) => Some(members),
            _ if self.node.is_null() => Some(&[]),
            _ => None,
        }
    }

    fn map<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.members() {
            Some(members) => visitor.visit_map(Members { members: members.iter(), next: 0, path: self.path, value: None }),
            None => de::Deserializer::deserialize_any(self, visitor),
        }
    }

    /// A number, also where a variable gave it.
    fn number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.scalar() {
            Some(scalar) if scalar.written.is_some() => visit_number(&scalar.text, visitor),
            _ => de::Deserializer::deserialize_any(self, visitor),
        }
    }
}

/// A number if the text is one, else the text.
fn visit_number<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, Error> {
    if let Ok(n) = text.parse::<u64>() {
        visitor.visit_u64(n)
    } else if let Ok(n) = text.parse::<i64>() {
        visitor.visit_i64(n)
    } else {
        // Rust reads `inf` and `nan`, too; here they are texts.
        match text.parse::<f64>() {
            Ok(n) if text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) => visitor.visit_f64(n),
            _ => visitor.visit_str(text),
        }
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.number(visitor).map_err(|error| error.at(self.node, self.path))
        })*
    };
}

impl<'de> de::Deserializer<'de> for Reader<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let result = match &self.node.value {
            Value::List(items) => visitor.visit_seq(Items { items: items.iter(), next: 0, path: self.path }),
            Value::Map(_) => self.map(visitor),
            Value::Scalar(scalar) if !scalar.plain => visitor.visit_str(&scalar.text),
            Value::Scalar(scalar) if scalar.is_null() => visitor.visit_unit(),
            Value::Scalar(scalar) => match scalar.boolean() {
                Some(value) => visitor.visit_bool(value),
                None => visit_number(&scalar.text, visitor),
            },
            Value::Cut => visitor.visit_unit(),
        };
        result.map_err(|error| error.at(self.node, self.path))
    }

    numbers!(deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_f32 deserialize_f64);

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.scalar().filter(|scalar| scalar.written.is_some()).and_then(Scalar::boolean) {
            Some(value) => visitor.visit_bool(value),
            None => self.deserialize_any(visitor),
        }
    }

    /// A scalar of any form is a text where one is wanted: `PORT: 8080` among variables, `1.10` as a version.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.scalar() {
            Some(scalar) => visitor.visit_str(&scalar.text).map_err(|error: Error| error.at(self.node, self.path)),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.node.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
            .map_err(|error: Error| error.at(self.node, self.path))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.items() {
            Some(items) => visitor.visit_seq(Items { items: items.iter(), next: 0, path: self.path }),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.map(visitor).map_err(|error| error.at(self.node, self.path))
    }

    /// Derived visitors take a list of the fields' values, too; nobody writes a configuration like that on purpose.
    fn deserialize_struct<V: Visitor<'de>>(self, _: &str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        match self.node.value {
            Value::List(_) => Err(<Error as de::Error>::invalid_type(Unexpected::Seq, &visitor).at(self.node, self.path)),
            _ => self.deserialize_map(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self).map_err(|error: Error| error.at(self.node, self.path))
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &str, variants: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        let result = match (self.scalar(), &self.node.value) {
            (Some(scalar), _) => visitor.visit_enum(scalar.text.as_str().into_deserializer()),
            (None, Value::List(_)) => Err(Error::no_name(Unexpected::Seq, variants)),
            (None, Value::Map(_)) => Err(Error::no_name(Unexpected::Map, variants)),
            (None, _) => Err(Error::no_name(Unexpected::Unit, variants)),
        };
        result.map_err(|error| error.at(self.node, self.path))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct identifier
    }
}

/// What is left of a list; what was cut out is passed over.
struct Items<'a> {
    items: slice::Iter<'a, Node>,
    next: usize,
    path: &'a Path<'a>,
}

impl<'de> de::SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        for node in self.items.by_ref() {
            let path = Path::Item { parent: self.path, at: self.next };
            self.next += 1;
            if node.value != Value::Cut {
                return seed.deserialize(Reader { node, path: &path }).map(Some).map_err(|error| error.at(node, &path));
            }
        }
        Ok(None)
    }
}

/// What is left of a map; what was cut out is passed over.
struct Members<'a> {
    members: slice::Iter<'a, (Key, Node)>,
    next: usize,
    path: &'a Path<'a>,
    /// The value whose key was given out.
    value: Option<(Path<'a>, &'a Node)>,
}

impl<'de> de::MapAccess<'de> for Members<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        for (key, node) in self.members.by_ref() {
            let path = Path::Member { parent: self.path, at: self.next, name: &key.name };
            self.next += 1;
            if node.value != Value::Cut {
                self.value = Some((path, node));
                return seed
                    .deserialize(key.name.as_str().into_deserializer())
                    .map(Some)
                    .map_err(|error: Error| error.at_key(key.at, &path));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (path, node) = self.value.take().ok_or_else(|| <Error as de::Error>::custom("a value before its key"))?;
        seed.deserialize(Reader { node, path: &path }).map_err(|error| error.at(node, &path))
    }
}
