//! `snugfit validate-config` and `snugfit validate-file`: every mistake in a configuration, without starting anything. What keeps the proxy from
//! starting is found by what the proxy itself asks.

use std::io::{self, Write};

use snugfit_proxy::config::{Loaded, MAX_TOKENS_VARIABLE, Policy, ResultFlags};
use snugfit_proxy::log::harmless;
use snugfit_proxy::usable;

use crate::configuration::{Named, reached};
use crate::error::Error;

/// Tell every mistake in the configuration; start nothing.
#[derive(clap::Args)]
#[command(display_name = "snugfit", after_help = "Exit codes: 0 no mistake, 2 mistakes. Example: snugfit validate-config -c mcp.json")]
pub(crate) struct ConfigArgs {
    #[command(flatten)]
    named: Named,
}

/// Tell every mistake in a file, read as the proxy would.
#[derive(clap::Args)]
#[command(
    display_name = "snugfit",
    after_help = "Takes YAML, JSON, the `mcpServers` of other clients, and package.json.\nExit codes: 0 no mistake, 2 mistakes. Example: snugfit validate-file team/snugfit.config.yaml"
)]
pub(crate) struct FileArgs {
    /// The file
    file: String,
}

/// Validates what the proxy would start with here.
pub(crate) fn config(args: &ConfigArgs) -> Result<(), Error> {
    tell(&args.named.load()?)
}

/// Validates a file.
pub(crate) fn file(args: &FileArgs) -> Result<(), Error> {
    tell(&Named::file(&args.file).load()?)
}

/// Says that there is no mistake, and what servers there are; on stderr, what a user should look into.
fn tell(loaded: &Loaded) -> Result<(), Error> {
    let max_tokens = std::env::var(MAX_TOKENS_VARIABLE).ok();
    let policy = Policy::new(&loaded.config, &ResultFlags::default(), max_tokens.as_deref()).map_err(snugfit_proxy::Error::from)?;
    for warning in usable::check(&loaded.config, &policy)? {
        writeln!(io::stderr(), "{}", harmless(&format!("warning: {warning}"))).map_err(Error::Write)?;
    }
    let servers = &loaded.config.servers;
    let count = if servers.len() == 1 { "1 server".to_owned() } else { format!("{} servers", servers.len()) };
    let mut words = format!("{}: no mistakes, {count}\n", loaded.origin);
    let width = servers.keys().map(|name| name.chars().count()).max().unwrap_or_default();
    for (name, server) in servers {
        let (transport, at) = reached(&server.transport);
        let disabled = if server.disabled { " (disabled)" } else { "" };
        words.push_str(&harmless(&format!("  {name:width$}  {transport:5}  {at}{disabled}")));
        words.push('\n');
    }
    io::stdout().write_all(words.as_bytes()).map_err(Error::Write)
}
