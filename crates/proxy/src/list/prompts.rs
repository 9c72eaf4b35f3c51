//! The prompts of all servers as one list.

use super::gather::Entries;
use super::pages::Pages;
use crate::filter::Filter;
use crate::names::{Names, exposed};
use crate::rpc::{Object, quote};

/// What a client sees of prompts, and what each name stands for.
#[derive(Debug)]
pub(crate) struct PromptTable {
    pub(crate) pages: Pages,
    pub(crate) names: Names,
}

impl PromptTable {
    /// Makes the table.
    pub(crate) fn new(lists: &[Entries], servers: &[String], filter: &Filter, separator: Option<&str>) -> Self {
        let mut listed = Vec::new();
        for (server, entries) in lists.iter().enumerate() {
            for json in entries.iter() {
                let Some(name) = Object::parse(json).ok().and_then(|prompt| prompt.str("name").map(std::borrow::Cow::into_owned)) else {
                    continue;
                };
                if filter.allows(&servers[server], &name) {
                    listed.push((server, name, json));
                }
            }
        }
        let pairs: Vec<(&str, &str)> = listed.iter().map(|(server, name, _)| (servers[*server].as_str(), name.as_str())).collect();
        let names = exposed(&pairs, separator, &[]);
        let shown: Vec<String> = names
            .iter()
            .zip(&listed)
            .map(|(exposed, (_, name, json))| match Object::parse(json) {
                Ok(mut prompt) if exposed != name => {
                    prompt.set("name", quote(exposed));
                    prompt.to_string()
                }
                _ => (*json).clone(),
            })
            .collect();
        let names = Names::new(names.into_iter().zip(&listed).map(|(exposed, (server, name, _))| (exposed, *server, name.clone())));
        Self { pages: Pages::new("prompts", &shown), names }
    }
}
