//! The resources and templates of all servers as one list.

use std::collections::HashMap;

use super::gather::Entries;
use super::pages::Pages;
use crate::filter::Filter;
use crate::rpc::{Object, quote};

/// What a client sees of resources and templates, and whose each URI is.
#[derive(Debug)]
pub(crate) struct ResourceTable {
    pub(crate) resources: Pages,
    pub(crate) templates: Pages,
    /// Exposed URI of a resource, or template → the server and the URI that it knows.
    by_uri: HashMap<String, (usize, String)>,
    /// What templates begin with, before their first variable, longest first.
    beginnings: Vec<(String, usize)>,
    /// Names by (server, URI), for the filter.
    names: HashMap<(usize, String), String>,
}

impl ResourceTable {
    /// Makes the table.
    pub(crate) fn new(resources: &[Entries], templates: &[Entries], servers: &[String], filter: &Filter) -> Self {
        let mut table = Self {
            resources: Pages::new("resources", &[]),
            templates: Pages::new("resourceTemplates", &[]),
            by_uri: HashMap::new(),
            beginnings: Vec::new(),
            names: HashMap::new(),
        };
        table.resources = Pages::new("resources", &table.add(resources, "uri", servers, filter));
        table.templates = Pages::new("resourceTemplates", &table.add(templates, "uriTemplate", servers, filter));
        table.beginnings.sort_by_key(|(beginning, _)| std::cmp::Reverse(beginning.len()));
        table
    }

    /// Takes in one list, and gives it as it is shown.
    fn add(&mut self, lists: &[Entries], key: &str, servers: &[String], filter: &Filter) -> Vec<String> {
        let mut shown = Vec::new();
        for (server, entries) in lists.iter().enumerate() {
            for json in entries.iter() {
                let Ok(mut entry) = Object::parse(json) else { continue };
                let Some(uri) = entry.str(key).map(std::borrow::Cow::into_owned) else { continue };
                let name = entry.str("name").map(std::borrow::Cow::into_owned);
                // Kept of those that are filtered as well: a client may know their URIs.
                if let Some(name) = &name {
                    self.names.insert((server, uri.clone()), name.clone());
                }
                if !filter.allows_resource(&servers[server], name.as_deref(), &uri) {
                    continue;
                }
                // What two servers claim belongs to the first; the others get a prefix.
                let exposed = match self.by_uri.get(&uri) {
                    Some((owner, _)) if *owner != server => prefixed(&servers[server], &uri),
                    _ => uri.clone(),
                };
                if key == "uriTemplate" {
                    self.beginnings.push((exposed.split('{').next().unwrap_or_default().to_owned(), server));
                }
                if exposed == uri {
                    shown.push(json.clone());
                } else {
                    entry.set(key, quote(&exposed));
                    shown.push(entry.to_string());
                }
                self.by_uri.insert(exposed, (server, uri));
            }
        }
        shown
    }

    /// The servers that may have a resource, the likeliest first, and the URI that each knows it by.
    pub(crate) fn candidates(&self, uri: &str, servers: &[String], filter: &Filter) -> Vec<(usize, String)> {
        let allowed = |server: usize, uri: &str| {
            let name = self.names.get(&(server, uri.to_owned())).map(String::as_str);
            filter.allows_resource(&servers[server], name.or_else(|| self.template_name(server, uri)), uri)
        };
        if let Some((server, own)) = self.by_uri.get(uri) {
            return if allowed(*server, own) { vec![(*server, own.clone())] } else { Vec::new() };
        }
        for (server, name) in servers.iter().enumerate() {
            if let Some(own) = uri.strip_prefix(&prefix(name)) {
                return if allowed(server, own) { vec![(server, own.to_owned())] } else { Vec::new() };
            }
        }
        let by_template =
            self.beginnings.iter().filter(|(beginning, _)| !beginning.is_empty() && uri.starts_with(beginning)).map(|(_, server)| *server);
        let mut order: Vec<usize> = Vec::new();
        for server in by_template.chain(0..servers.len()) {
            if !order.contains(&server) && allowed(server, uri) {
                order.push(server);
            }
        }
        order.into_iter().map(|server| (server, uri.to_owned())).collect()
    }

    /// The name of the template that a URI was most likely made from, filtered or not.
    fn template_name(&self, server: usize, uri: &str) -> Option<&str> {
        let fits = |template: &str| template.split_once('{').is_some_and(|(start, _)| !start.is_empty() && uri.starts_with(start));
        let own = self.names.iter().filter(|((owner, template), _)| *owner == server && fits(template));
        own.max_by_key(|((_, template), _)| template.find('{')).map(|(_, name)| name.as_str())
    }

    /// The URI that clients know, for one that a server knows.
    pub(crate) fn exposed(&self, server: usize, uri: &str, servers: &[String]) -> String {
        match self.by_uri.get(uri) {
            Some((owner, _)) if *owner != server => prefixed(&servers[server], uri),
            _ => uri.to_owned(),
        }
    }
}

fn prefixed(server: &str, uri: &str) -> String {
    format!("{}{uri}", prefix(server))
}

/// A scheme may have letters, digits, `+`, `-` and `.`.
fn prefix(server: &str) -> String {
    let clean: String = server.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    format!("x-{clean}+")
}
