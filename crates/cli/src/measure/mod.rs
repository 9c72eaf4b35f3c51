//! `snugfit measure`: what the tools of the configured servers cost a model, as they are and made smaller.

mod table;

use std::collections::HashSet;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use snugfit_engine::Encoding;
use snugfit_proxy::config::{Config, Policy, ResultFlags};
use snugfit_proxy::filter::Filter;
use snugfit_proxy::log::{Level as LogLevel, Log};
use snugfit_proxy::{Proxy, ServerTools};
use snugfit_toolset::listing::{WrapperNames, wrappers};
use snugfit_toolset::{Level, Tool, Tools, definitions, schema};
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
    let filter = Filter::from(&config.filters);
    let read: Vec<(&str, Vec<Tool>)> = servers
        .iter()
        .filter_map(|server| Some((server.name.as_str(), server.tools.as_ref().ok()?.iter().filter_map(|json| tool(json)).collect())))
        .collect();
    let mut rows: Vec<Row> =
        read.iter().map(|(server, tools)| row(server, &[(*server, tools.as_slice())], config, &filter, encoding)).collect();
    if read.len() > 1 {
        let all: Vec<(&str, &[Tool])> = read.iter().map(|(server, tools)| (*server, tools.as_slice())).collect();
        rows.push(row("all", &all, config, &filter, encoding));
    }
    Ok(rows)
}

/// A definition as the model is sent it; what is none is the server's own mistake, and not shown to models either.
fn tool(json: &str) -> Option<Tool> {
    let definition: Value = serde_json::from_str(json).ok()?;
    let description = definition["description"].as_str().unwrap_or_default();
    Tool::new(definition["name"].as_str()?, description, &definition["inputSchema"].to_string()).ok()
}

fn row(name: &str, servers: &[(&str, &[Tool])], config: &Config, filter: &Filter, encoding: Encoding) -> Row {
    let size = |definitions: &[Value]| {
        let text = Value::from(definitions.to_vec()).to_string();
        Size { bytes: text.len(), tokens: encoding.count(&text) }
    };
    let plain = |tools: &[Tool]| size(&tools.iter().map(Tool::definition).collect::<Vec<_>>());
    let all: Vec<Tool> = servers.iter().flat_map(|(_, tools)| tools.iter().cloned()).collect();
    let kept: Vec<(&str, &Tool)> = servers
        .iter()
        .flat_map(|(server, tools)| tools.iter().map(move |tool| (*server, tool)))
        .filter(|(server, tool)| filter.allows(server, &tool.name))
        .collect();
    let (raw, kept) = (plain(&all), distinct(&kept));
    let options = definitions::Options {
        max_description_chars: config.list.max_description_chars,
        schema: schema::Options {
            max_description_chars: config.list.max_parameter_description_chars,
            dedupe: config.list.dedupe_schemas,
            keep_dialect: config.list.keep_dialect,
        },
        written: None,
    };
    let rules: Vec<Tool> = kept.iter().map(|tool| definitions::shrink(tool, &options).tool).collect();
    let filtered = plain(&kept);
    let surface = Tools::new(kept.clone()).unwrap_or_default();
    let level = |level| {
        let wrappers = wrappers(&surface, level, &WrapperNames::with_prefix(""));
        size(&wrappers.iter().map(snugfit_toolset::listing::Wrapper::definition).collect::<Vec<_>>())
    };
    Row {
        name: name.to_owned(),
        tools: all.len(),
        raw,
        kept: kept.len(),
        filtered,
        rules: plain(&rules),
        low: level(Level::Low),
        medium: level(Level::Medium),
        high: level(Level::High),
        max: level(Level::Max),
    }
}

/// Tools that all have another name: those of a name that came before carry their server's.
fn distinct(tools: &[(&str, &Tool)]) -> Vec<Tool> {
    let mut seen = HashSet::new();
    tools
        .iter()
        .map(|(server, tool)| {
            let name = if seen.contains(&tool.name) { format!("{server}__{}", tool.name) } else { tool.name.clone() };
            seen.insert(name.clone());
            Tool { name, ..(*tool).clone() }
        })
        .collect()
}
