//! Patterns for names.

use std::borrow::Cow;
use std::fmt;

use globset::{GlobBuilder, GlobMatcher};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A pattern, compiled once: `*` any run of characters, `?` one, `{a,b}` either, `[a-z]` one of these.
///
/// ```
/// use snugfit_proxy::config::Glob;
/// let glob = Glob::new("github.{get,list}_*")?;
/// assert!(glob.is_match("github.get_file/contents") && !glob.is_match("github.delete_repository"));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone)]
pub struct Glob(GlobMatcher);

impl Glob {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is wrong with the pattern.
    pub fn new(pattern: &str) -> Result<Self, String> {
        match GlobBuilder::new(pattern).build() {
            Ok(glob) => Ok(Self(glob.compile_matcher())),
            Err(error) => Err(error.kind().to_string()),
        }
    }

    /// Whether the whole of `name` matches.
    #[must_use]
    pub fn is_match(&self, name: &str) -> bool {
        self.0.is_match(name)
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.glob().glob()
    }
}

impl fmt::Debug for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Serialize for Glob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Glob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pattern = String::deserialize(deserializer)?;
        Self::new(&pattern).map_err(|fault| de::Error::custom(format!("not a pattern ({fault}); expected one such as `github.get_*`")))
    }
}

impl JsonSchema for Glob {
    fn schema_name() -> Cow<'static, str> {
        "Glob".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A pattern for names: `*` any run of characters, `?` one, `{a,b}` either, `[a-z]` one of these.",
            "type": "string",
            "examples": ["github.get_*"],
        })
    }
}
