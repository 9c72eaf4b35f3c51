//! `snugfit trace tail`: what happens, as it happens.

pub(crate) mod follow;
pub(crate) mod line;
pub(crate) mod pretty;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::Subcommand;

use crate::configuration::Named;
use crate::error::Error;
use follow::Follow;

/// Look at the trace that a proxy writes.
#[derive(clap::Args)]
#[command(display_name = "snugfit", after_help = "Example: snugfit trace tail --lines 50")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Tail(Tail),
}

/// Print the last lines of a trace, and each that comes.
#[derive(clap::Args)]
#[command(
    display_name = "snugfit",
    after_help = "Without FILE: observability.trace.path of the configuration.\nExample: snugfit trace tail .snugfit/trace.ndjson"
)]
struct Tail {
    /// The file of the trace
    file: Option<PathBuf>,
    #[command(flatten)]
    named: Named,
    /// Print lines as they are, as JSON
    #[arg(long)]
    no_pretty: bool,
    /// How many of the last lines come first
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    lines: usize,
    /// End with the last line that is there
    #[arg(long)]
    no_follow: bool,
}

/// Runs the subcommand.
pub(crate) fn run(args: Args) -> Result<(), Error> {
    match args.command {
        Command::Tail(tail) => print(tail),
    }
}

fn print(tail: Tail) -> Result<(), Error> {
    let path = match tail.file {
        Some(file) => file,
        None => tail.named.load()?.config.observability.trace.path,
    };
    let unread = |source| Error::Read { name: format!("'{}'", path.display()), source };
    // A proxy that was not started yet has written nothing.
    let mut follow = Follow::new(&path, tail.lines, !tail.no_follow).map_err(unread)?;
    let colors = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut out = io::stdout().lock();
    while let Some(line) = follow.next_line().map_err(unread)? {
        let line = if tail.no_pretty { line } else { pretty::line(&line, colors) };
        writeln!(out, "{line}").and_then(|()| out.flush()).map_err(Error::Write)?;
    }
    Ok(())
}
