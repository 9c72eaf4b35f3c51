//! Definitions in fewer words.

use std::collections::{BTreeMap, HashMap};

use snugfit_toolset::{Tool, definitions, schema};

use super::cache;
use super::tools::Setting;
use crate::config::Definitions;
use crate::rpc::{Object, quote};

/// Makes descriptions and schemas smaller, and keeps the file of descriptions.
pub(super) struct Shrinker<'a> {
    setting: &'a Setting<'a>,
    written: HashMap<String, String>,
    /// What the rules made of descriptions, by the hash of what they were.
    made: BTreeMap<String, String>,
    missed: usize,
}

impl<'a> Shrinker<'a> {
    pub(super) fn new(setting: &'a Setting<'a>, warnings: &mut Vec<String>) -> Self {
        let reads = setting.servers.iter().any(|server| server.2.unwrap_or(setting.list.definitions) == Definitions::Llm);
        let written = match &setting.list.cache_path {
            Some(path) if reads => cache::read(path).unwrap_or_else(|fault| {
                warnings.push(fault);
                HashMap::new()
            }),
            _ => HashMap::new(),
        };
        Self { setting, written, made: BTreeMap::new(), missed: 0 }
    }

    /// Makes a definition smaller. What is not touched stays as it was written.
    pub(super) fn shrink(&mut self, server: usize, name: &str, object: &mut Object<'_>) {
        let list = self.setting.list;
        let how = self.setting.servers[server].2.unwrap_or(list.definitions);
        if how == Definitions::Off {
            return;
        }
        let description = object.str("description").map(std::borrow::Cow::into_owned).unwrap_or_default();
        // A schema that is none is the server's own affair.
        let Ok(whole) = Tool::new(name, description.clone(), object.get("inputSchema").unwrap_or("{}")) else { return };
        let options = definitions::Options {
            max_description_chars: list.max_description_chars,
            schema: schema::Options {
                max_description_chars: list.max_parameter_description_chars,
                dedupe: list.dedupe_schemas,
                keep_dialect: list.keep_dialect,
            },
            written: None,
        };
        let mut shrunk = definitions::shrink(&whole, &options).tool;
        if !description.is_empty() {
            let key = definitions::key(&description);
            match self.written.get(&key) {
                Some(text) if how == Definitions::Llm => shrunk.description = text.clone(),
                _ => {
                    self.missed += usize::from(how == Definitions::Llm);
                    self.made.insert(key, shrunk.description.clone());
                }
            }
        }
        if shrunk.description != description {
            object.set("description", quote(&shrunk.description));
        }
        if shrunk.input_schema != whole.input_schema {
            object.set("inputSchema", shrunk.input_schema.to_string());
        }
    }

    /// Writes what is new to the file, and tells what it lacks.
    pub(super) fn finish(self, warnings: &mut Vec<String>) {
        if self.missed > 0 {
            warnings.push(format!("{} descriptions are not in list.cachePath: the rules shortened them", self.missed));
        } else if self.setting.keeps_cache
            && let Some(path) = &self.setting.list.cache_path
            && let Err(fault) = cache::add(path, self.made)
        {
            warnings.push(fault);
        }
    }
}
