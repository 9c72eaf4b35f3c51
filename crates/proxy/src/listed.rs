//! The list of tools without a client, for whoever wants to know what one would see.

use std::sync::Arc;

use crate::config::{Config, Policy};
use crate::filter::Filter;
use crate::list::{Entries, Setting, build_tools};
use crate::results::Rules;
use crate::rpc::Object;
use crate::session::ServerTools;

/// The definitions that a client without a profile is sent, each JSON text, where the servers have these tools: made as the proxy makes them,
/// names, filters, wrappers and the recovery tool included. `servers` are the active ones in the order of the configuration; those that gave no
/// tools have none.
#[must_use]
pub fn listed(config: &Config, policy: &Policy, servers: &[ServerTools]) -> Vec<String> {
    let (filter, rules) = (Filter::from(&config.filters), Rules::new(policy.clone(), None));
    let setting = Setting { keeps_cache: false, ..Setting::new(config, &filter, &rules) };
    let lists: Vec<Entries> = servers.iter().map(|server| Arc::new(server.tools.clone().unwrap_or_default())).collect();
    let table = build_tools(&setting, &lists);
    let pages = table.pages.all().iter().filter_map(|page| Object::parse(page).ok());
    pages.flat_map(|page| page.array("tools").unwrap_or_default().into_iter().map(str::to_owned).collect::<Vec<_>>()).collect()
}
