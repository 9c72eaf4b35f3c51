//! A JSON object whose members can be replaced while all others stay as they were written.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::skip;
use super::string::quote;

/// The members of a JSON object in their order, each value as it was written.
///
/// ```
/// use snugfit_proxy::rpc::Object;
/// let mut object = Object::parse(r#"{"a": 1.0, "b": {"x" : []}}"#)?;
/// object.set("b", "true".to_owned());
/// object.set("c", "null".to_owned());
/// assert_eq!(object.to_string(), r#"{"a":1.0,"b":true,"c":null}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Object<'a> {
    members: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Object<'a> {
    /// Reads one level of a JSON text.
    ///
    /// # Errors
    /// Where the text is no JSON object.
    pub fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// As [`parse`](Self::parse), of a text that was read before and is JSON for certain: its values are passed over in a fraction of the
    /// time. Of another text this may give anything.
    pub(crate) fn of_json(json: &'a str) -> Option<Self> {
        let mut rest = skip::Values::inside(json, b'{')?;
        let mut members = Vec::with_capacity(8);
        while let Some(key) = rest.next() {
            members.push((text(key)?, Cow::Borrowed(rest.next()?)));
        }
        Some(Self { members })
    }

    /// The value of a member as it was written; of several with one key the last, as parsers take them.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.members.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_ref())
    }

    /// As [`get`](Self::get), for as long as the text lives; `None` also where the member was replaced.
    pub(crate) fn written(&self, key: &str) -> Option<&'a str> {
        match self.members.iter().rev().find(|(name, _)| name == key)?.1 {
            Cow::Borrowed(value) => Some(value),
            Cow::Owned(_) => None,
        }
    }

    /// As [`get`](Self::get), for a member that is an object.
    #[must_use]
    pub fn object(&self, key: &str) -> Option<Object<'_>> {
        Object::parse(self.get(key)?).ok()
    }

    /// As [`get`](Self::get), for a member that is a string without lone surrogates.
    #[must_use]
    pub fn str(&self, key: &str) -> Option<Cow<'_, str>> {
        text(self.get(key)?)
    }

    /// As [`get`](Self::get), for a member that is a boolean.
    #[must_use]
    pub fn bool(&self, key: &str) -> Option<bool> {
        self.get(key)?.parse().ok()
    }

    /// As [`get`](Self::get), for a member that is an array: its items as they were written.
    #[must_use]
    pub fn array(&self, key: &str) -> Option<Vec<&str>> {
        let items: Vec<&RawValue> = serde_json::from_str(self.get(key)?).ok()?;
        Some(items.into_iter().map(RawValue::get).collect())
    }

    /// Replaces a member, or adds it at the end. `value` is JSON text.
    pub fn set(&mut self, key: &str, value: String) {
        let mut found = false;
        self.members.retain_mut(|(name, old)| {
            if name != key {
                return true;
            }
            // Of several with one key a single one is left.
            if !found {
                *old = Cow::Owned(value.clone());
            }
            !std::mem::replace(&mut found, true)
        });
        if !found {
            self.members.push((Cow::Owned(key.to_owned()), Cow::Owned(value)));
        }
    }

    /// Takes a member out, and gives its value.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        let value = self.get(key).map(str::to_owned)?;
        self.members.retain(|(name, _)| name != key);
        Some(value)
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Keys and values in their order.
    pub fn members(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members.iter().map(|(key, value)| (key.as_ref(), value.as_ref()))
    }
}

/// The items of an array as they were written, of a text that is JSON for certain, as [`Object::of_json`] wants it.
pub(crate) fn items_of_json(json: &str) -> Option<Vec<&str>> {
    Some(skip::Values::inside(json, b'[')?.collect())
}

/// The text of a JSON string.
pub(crate) fn text(json: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'t>(#[serde(borrow)] Cow<'t, str>);
    serde_json::from_str::<Text>(json).ok().map(|text| text.0)
}

/// The object as compact JSON; values as they were written.
impl fmt::Display for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = "{";
        for (key, value) in &self.members {
            write!(f, "{before}{}:{value}", quote(key))?;
            before = ",";
        }
        f.write_str(if before == "{" { "{}" } else { "}" })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                #[derive(Deserialize)]
                struct Key<'k>(#[serde(borrow)] Cow<'k, str>);
                let mut members = Vec::with_capacity(8);
                while let Some((key, value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push((key.0, Cow::Borrowed(value.get())));
                }
                Ok(Object { members })
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Object, items_of_json};

    #[test]
    fn what_is_not_touched_stays_as_it_was_written() {
        let text = r#"{"n":1e400,"big":12345678901234567890,"s":"\ud800\u00e9","__proto__":{"a" : 1},"dup":1,"dup":2}"#;
        let mut object = Object::parse(text).expect("an object");
        assert_eq!(object.to_string(), text);
        assert_eq!(object.get("dup"), Some("2"));
        object.set("dup", "3".to_owned());
        object.remove("big");
        assert_eq!(object.to_string(), r#"{"n":1e400,"s":"\ud800\u00e9","__proto__":{"a" : 1},"dup":3}"#);
    }

    proptest! {
        #[test]
        fn what_is_json_for_certain_is_read_as_anything_else(json in json(), before in "[ \n]{0,2}") {
            let json = format!("{before}{json}{before}");
            let members = |object: Object<'_>| object.members().map(|(key, value)| format!("{key}:{value}")).collect::<Vec<_>>();
            prop_assert_eq!(Object::of_json(&json).map(members), Object::parse(&json).ok().map(members), "{}", json);
            let items: Option<Vec<&serde_json::value::RawValue>> = serde_json::from_str(&json).ok();
            let items = items.map(|items| items.into_iter().map(serde_json::value::RawValue::get).collect::<Vec<_>>());
            prop_assert_eq!(items_of_json(&json), items, "{}", json);
        }

        #[test]
        fn what_is_no_json_does_no_harm(text in r#"[{}\[\]",:\\ a0é]{0,24}"#) {
            let _ = (Object::of_json(&text), items_of_json(&text));
        }
    }

    /// JSON with white space, escapes and brackets in strings.
    fn json() -> impl Strategy<Value = String> {
        let string = r#""([a-z {}\[\],:é]|\\["\\n]|\\u00e9){0,6}""#;
        let leaf = prop_oneof![
            string.prop_map(|text| text),
            Just("-1.5e3".to_owned()),
            Just("null".to_owned()),
            Just("{ }".to_owned()),
            Just("[\t]".to_owned())
        ];
        leaf.prop_recursive(4, 32, 4, move |inner| {
            let list = proptest::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[ {}]", items.join(" ,")));
            let member = (string, inner).prop_map(|(key, value)| format!("{key} :\n{value}"));
            prop_oneof![list, proptest::collection::vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.join(", ")))]
        })
    }

    #[test]
    fn members_are_read_by_kind() {
        let object = Object::parse(r#"{"s":"a\nb","b":true,"a":[1, "x"],"o":{"k":null},"k\"ey":0}"#).expect("an object");
        assert_eq!(object.str("s").as_deref(), Some("a\nb"));
        assert_eq!(object.bool("b"), Some(true));
        assert_eq!(object.array("a"), Some(vec!["1", "\"x\""]));
        assert_eq!(object.object("o").and_then(|inner| inner.get("k").map(str::to_owned)).as_deref(), Some("null"));
        assert_eq!((object.str("b"), object.bool("s"), object.array("o")), (None, None, None));
        assert!(object.to_string().ends_with(r#""k\"ey":0}"#));
        assert!(Object::parse("[]").is_err() && Object::parse("{").is_err());
        assert_eq!(Object::default().to_string(), "{}");
    }
}
