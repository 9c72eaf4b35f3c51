//! The flags of a tool: one for each property of its input, found by any spelling of its name.

use std::collections::HashMap;

use serde_json::Value;

use crate::accepts::Accepts;
use crate::names;
use crate::object::{Property, properties};
use crate::tool::Tool;

/// Flags that every command has; a property of such a name gets another flag.
pub(crate) const GLOBAL: [&str; 2] = ["json", "help"];

/// One flag.
#[derive(Debug, Clone)]
pub struct Flag<'a> {
    /// Without the hyphens: `max-results`.
    pub name: String,
    /// The property that it sets.
    pub property: Property<'a>,
    /// What it takes.
    pub accepts: Accepts<'a>,
}

/// The flags of one tool.
#[derive(Debug)]
pub struct Flags<'a> {
    /// The tool's schema, in which `$ref` is looked up.
    pub root: &'a Value,
    /// In the order of the schema.
    pub list: Vec<Flag<'a>>,
    by_words: HashMap<String, usize>,
    by_property: HashMap<&'a str, usize>,
}

/// What a flag as typed stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Sets a property.
    Set(usize),
    /// Sets a property to `false`.
    Unset(usize),
}

impl<'a> Flags<'a> {
    /// The flags of a tool.
    #[must_use]
    pub fn of(tool: &'a Tool) -> Self {
        let root = &tool.input_schema;
        let properties = properties(root);
        let originals: Vec<&str> = properties.iter().map(|property| property.name).collect();
        let names = names::unique(&originals, form, "-", &GLOBAL);
        let list: Vec<Flag<'a>> = names
            .into_iter()
            .zip(properties)
            .map(|(name, property)| Flag { name, property, accepts: Accepts::of(root, property.schema) })
            .collect();
        let by_property = list.iter().enumerate().map(|(index, flag)| (flag.property.name, index)).collect();
        // A flag's own name counts for more than another's in a different spelling.
        let mut by_words: HashMap<String, usize> = HashMap::new();
        for (index, flag) in list.iter().enumerate() {
            by_words.entry(form(flag.property.name)).or_insert(index);
        }
        by_words.extend(list.iter().enumerate().map(|(index, flag)| (flag.name.clone(), index)));
        Self { root, list, by_words, by_property }
    }

    /// What a flag as typed, without its hyphens, stands for. A property's own name comes first, so that one that begins with `no_` is set
    /// by its own flag.
    #[must_use]
    pub fn find(&self, typed: &str) -> Option<Meaning> {
        let words = form(typed);
        let own = self.by_property.get(typed).filter(|_| !GLOBAL.contains(&typed)).or_else(|| self.by_words.get(&words));
        if let Some(&index) = own {
            return Some(Meaning::Set(index));
        }
        let negated = words.strip_prefix("no-")?;
        let &index = self.by_words.get(negated)?;
        self.list[index].accepts.boolean.then_some(Meaning::Unset(index))
    }

    /// The flag that a wrong one most likely means.
    #[must_use]
    pub fn meant(&self, typed: &str) -> Option<&str> {
        names::meant(&form(typed), self.list.iter().map(|flag| flag.name.as_str()).chain(GLOBAL))
    }
}

/// The form of a property's name as a flag; names beyond ASCII stay as they are where a shell takes them.
fn form(name: &str) -> String {
    if name.is_ascii() || name.contains(|c: char| c.is_whitespace() || c == '=' || c.is_control()) {
        names::kebab(name)
    } else {
        name.to_lowercase()
    }
}
