//! Patterns for names.

use std::borrow::Cow;
use std::fmt;

use globset::GlobBuilder;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
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
pub struct Glob {
    pattern: String,
    regex: Regex,
}

/// The longest pattern, in bytes: several times the longest name that model APIs take.
const MAX_BYTES: usize = 512;

/// The most memory that a compiled pattern may take.
const MAX_COMPILED: usize = 1 << 20;

/// The most patterns of one list.
pub(super) const MAX_GLOBS: usize = 1000;

impl Glob {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is wrong with the pattern.
    pub fn new(pattern: &str) -> Result<Self, String> {
        if pattern.len() > MAX_BYTES {
            return Err(format!("longer than {MAX_BYTES} bytes"));
        }
        let glob = GlobBuilder::new(pattern).build().map_err(|error| error.kind().to_string())?;
        // Compiled here, since globset itself panics on what is too large.
        let regex = Regex::builder()
            .syntax(syntax::Config::new().utf8(false).dot_matches_new_line(true))
            .configure(Regex::config().utf8_empty(false).nfa_size_limit(Some(MAX_COMPILED)))
            .build(glob.regex())
            .map_err(|_| "too complex".to_owned())?;
        Ok(Self { pattern: pattern.to_owned(), regex })
    }

    /// Whether the whole of `name` matches.
    #[must_use]
    pub fn is_match(&self, name: &str) -> bool {
        self.regex.is_match(name)
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.pattern
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

/// A list of patterns, which ends where there are too many.
pub(super) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Glob>, D::Error> {
    struct Visitor;
    impl<'de> de::Visitor<'de> for Visitor {
        type Value = Vec<Glob>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<Glob>, A::Error> {
            let mut globs = Vec::new();
            while let Some(glob) = seq.next_element()? {
                if globs.len() == MAX_GLOBS {
                    return Err(de::Error::custom(format!("more than {MAX_GLOBS} patterns; write fewer with `*` and `{{a,b}}`")));
                }
                globs.push(glob);
            }
            Ok(globs)
        }
    }
    deserializer.deserialize_seq(Visitor)
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
