//! `snugfit replay`: what a configuration would have made of results that were recorded.

pub(crate) mod logs;
pub(crate) mod source;
mod table;

use std::io::{self, Write};
use std::path::PathBuf;

use indexmap::IndexMap;
use serde::Serialize;
use snugfit_proxy::Replay;
use snugfit_proxy::config::{Config, MAX_TOKENS_VARIABLE, Policy, ResultFlags};

use crate::configuration::Named;
use crate::error::Error;
use logs::{Logs, Recorded};
use source::Source;

/// Tell what would have been saved on recorded results, by tool.
#[derive(clap::Args)]
#[command(
    display_name = "snugfit",
    after_help = "FILE: a trace of `snugfit proxy` with payloads, or messages of the AI SDK, Anthropic or OpenAI, as JSON or a record a line.\nThe configuration is the one that is named or found; without one, the defaults. Example: snugfit replay .snugfit/trace.ndjson"
)]
pub(crate) struct Args {
    /// Recordings
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    named: Named,
    /// The client's name, whose limits hold: claude-code, codex …
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a Markdown table
    #[arg(long)]
    markdown: bool,
}

/// The results of a tool, or of all, in tokens by the high estimate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct Row {
    tool: String,
    results: usize,
    /// Results that a preview would have stood in the place of.
    cut: usize,
    before: usize,
    after: usize,
    /// The largest result as it was.
    largest: usize,
}

/// Reads all files, fits what is in them, and prints a row for each tool.
pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let config = args.named.load_if_any()?.map_or_else(Config::default, |loaded| loaded.config);
    let max_tokens = std::env::var(MAX_TOKENS_VARIABLE).ok();
    let policy = Policy::new(&config, &ResultFlags::default(), max_tokens.as_deref()).map_err(snugfit_proxy::Error::from)?;
    let replay = Replay::new(&config, policy, args.client.as_deref())?;
    let mut rows: IndexMap<String, Row> = IndexMap::new();
    let mut missing = 0;
    for path in &args.files {
        let mut logs = Logs::default();
        let mut source = Source::open(path)?;
        while let Some(record) = source.next()? {
            let found = logs.read(&record);
            for (at, recorded) in found.iter().enumerate() {
                add(&mut rows, &replay, recorded);
                source.done(at + 1, found.len());
            }
        }
        missing += logs.missing;
    }
    if missing > 0 {
        let said =
            format!("warning: {missing} results are not in the trace: set observability.trace.payloads: true before it is written\n");
        io::stderr().write_all(said.as_bytes()).map_err(Error::Write)?;
    }
    if rows.is_empty() {
        return Err(Error::Nothing(
            "there are no results of tools in these files: expected a trace with payloads, or messages of the AI SDK, Anthropic or OpenAI",
        ));
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    // What saves most comes first; of equals, what came first.
    rows.sort_by_key(|row| std::cmp::Reverse(row.before - row.after.min(row.before)));
    let printed = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&rows).map_err(|error| Error::Write(error.into()))?)
    } else {
        table::text(&rows, args.markdown)
    };
    io::stdout().write_all(printed.as_bytes()).map_err(Error::Write)
}

fn add(rows: &mut IndexMap<String, Row>, replay: &Replay, recorded: &Recorded) {
    let (server, tool) = match &recorded.server {
        Some(server) => (server.as_str(), recorded.tool.as_str()),
        None => replay.meant(&recorded.tool),
    };
    let fitted = replay.fit(server, tool, &recorded.result);
    let name = if server.is_empty() { tool.to_owned() } else { format!("{server}.{tool}") };
    let tokens = |bytes: usize| bytes.div_ceil(3);
    let row = rows.entry(name.clone()).or_insert_with(|| Row { tool: name, ..Row::default() });
    row.results += 1;
    row.cut += usize::from(fitted.cut);
    row.before += tokens(fitted.before);
    row.after += tokens(fitted.after);
    row.largest = row.largest.max(tokens(fitted.before));
}
