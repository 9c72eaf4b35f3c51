//! `snugfit measure`: what the tools of the configured servers cost a model, as they are and made smaller.

mod table;

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use snugfit_engine::Encoding;
use snugfit_proxy::config::{Compression, Config, Definitions, Policy, ResultFlags};
use snugfit_proxy::filter::Filter;
use snugfit_proxy::log::{Level as LogLevel, Log};
use snugfit_proxy::{Proxy, ServerTools, listed};
use tokio::runtime::Builder;

use crate::configuration::Named;
use crate::error::Error;

/// Tell what servers' tools cost a model, and what would save.
#[derive(clap::Args)]
#[command(
    display_name = "snugfit",
    after_help = "Takes the configurations of other clients, too. Example: snugfit measure --config .mcp.json"
)]
pub(crate) struct Args {
    #[command(flatten)]
    named: Named,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a Markdown table
    #[arg(long)]
    markdown: bool,
}

/// What is listed, in bytes and in tokens of `o200k_base`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
struct Size {
    bytes: usize,
    tokens: usize,
}

/// The tools of one server, or of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Row {
    name: String,
    tools: usize,
    /// Name, description and input schema of each tool, as the server has them.
    raw: Size,
    /// Those that the filters leave; all that follows is of these.
    kept: usize,
    filtered: Size,
    /// What the proxy lists with this configuration.
    listed: Size,
    rules: Size,
    low: Size,
    medium: Size,
    high: Size,
    max: Size,
}

/// Connects, measures, prints. That a server cannot be reached is told, and is a failure once the others are printed.
pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let loaded = args.named.load()?;
    let config = loaded.config;
    if config.servers.values().all(|server| server.disabled) {
        return Err(Error::Usage(format!("there is no server in {}: name some under `servers`", loaded.origin)));
    }
    let servers = definitions_of(&config)?;
    let unreached: Vec<String> =
        servers.iter().filter_map(|server| server.tools.as_ref().err().map(|why| format!("{}: {why}", server.name))).collect();
    let rows = rows(&config, &servers)?;
    let printed = match () {
        () if rows.is_empty() => String::new(),
        () if args.json => format!("{}\n", serde_json::to_string_pretty(&rows).map_err(|error| Error::Write(error.into()))?),
        () => table::text(&rows, args.markdown),
    };
    io::stdout().write_all(printed.as_bytes()).map_err(Error::Write)?;
    if unreached.is_empty() { Ok(()) } else { Err(Error::Unreached(unreached.join("\n"))) }
}

/// Asks all servers for their tools.
fn definitions_of(config: &Config) -> Result<Vec<ServerTools>, Error> {
    let policy = Policy::new(config, &ResultFlags::default(), None).map_err(snugfit_proxy::Error::from)?;
    let proxy = Proxy::new(config.clone(), policy, Log::new(LogLevel::Error))?;
    let runtime = Builder::new_current_thread().enable_all().build().map_err(Error::Start)?;
    Ok(runtime.block_on(proxy.definitions())?)
}

/// A row for each server that gave its tools, and one for all of them where there are several.
fn rows(config: &Config, servers: &[ServerTools]) -> Result<Vec<Row>, Error> {
    let encoding = Encoding::from_vocabulary(snugfit_vocabulary::O200K_BASE)?;
    let given: Vec<&ServerTools> = servers.iter().filter(|server| server.tools.is_ok()).collect();
    let mut rows = Vec::new();
    for only in &given {
        let tools = |server: &ServerTools| if server.name == only.name { server.tools.clone() } else { Ok(Vec::new()) };
        let alone: Vec<ServerTools> =
            servers.iter().map(|server| ServerTools { name: server.name.clone(), tools: tools(server) }).collect();
        rows.push(row(&only.name, &alone, config, encoding)?);
    }
    if given.len() > 1 {
        rows.push(row("all", servers, config, encoding)?);
    }
    Ok(rows)
}

fn row(name: &str, servers: &[ServerTools], config: &Config, encoding: Encoding) -> Result<Row, Error> {
    let size = |definitions: &[Value]| {
        let text = Value::from(definitions.to_vec()).to_string();
        Size { bytes: text.len(), tokens: encoding.count(&text) }
    };
    let filter = Filter::from(&config.filters);
    let (mut raw, mut kept) = (Vec::new(), Vec::new());
    for server in servers {
        for definition in server.tools.iter().flatten().filter_map(|json| seen(json)) {
            if definition["name"].as_str().is_some_and(|name| filter.allows(&server.name, name)) {
                kept.push(definition.clone());
            }
            raw.push(definition);
        }
    }
    // As the proxy lists them; of each server by what is said of all.
    let listed = |config: &Config| {
        let policy = Policy::new(config, &ResultFlags::default(), None).map_err(snugfit_proxy::Error::from)?;
        let definitions: Vec<Value> = listed(config, &policy, servers).iter().filter_map(|json| seen(json)).collect();
        Ok::<Size, Error>(size(&definitions))
    };
    let with = |compression, definitions: Option<Definitions>| {
        let mut config = config.clone();
        config.list.compression = compression;
        config.list.definitions = definitions.unwrap_or(config.list.definitions);
        for server in config.servers.values_mut() {
            server.list.compression = None;
            server.list.definitions = server.list.definitions.filter(|_| definitions.is_none());
        }
        listed(&config)
    };
    Ok(Row {
        name: name.to_owned(),
        tools: raw.len(),
        raw: size(&raw),
        kept: kept.len(),
        filtered: size(&kept),
        listed: listed(config)?,
        rules: with(Compression::Off, Some(Definitions::Rules))?,
        low: with(Compression::Low, None)?,
        medium: with(Compression::Medium, None)?,
        high: with(Compression::High, None)?,
        max: with(Compression::Max, None)?,
    })
}

/// What a model sees of a definition; what has no name is the server's own mistake, and not shown to models.
fn seen(json: &str) -> Option<Value> {
    let mut definition: Value = serde_json::from_str(json).ok()?;
    definition["name"].as_str()?;
    let definition = definition.as_object_mut()?;
    definition.retain(|key, _| ["name", "description", "inputSchema"].contains(&key.as_str()));
    Some(Value::Object(std::mem::take(definition)))
}
