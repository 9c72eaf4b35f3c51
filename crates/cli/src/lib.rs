//! The `snugfit` command. One file a subcommand; what they share is in `configuration`, `error`, `explain`, `input`, `limits` and `report`.
//!
//! Exit codes: 0 clean end, 1 runtime failure, 2 usage error. The result goes to stdout and nothing after it; everything said about
//! the result goes to stderr.
#![forbid(unsafe_code)]

mod auth;
mod clean;
mod columns;
mod configuration;
mod error;
mod explain;
mod fit;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod init;
mod input;
mod inspect;
mod limits;
mod measure;
mod page;
mod proxy;
mod replay;
mod report;
mod trace;
mod validate;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use snugfit_proxy::log::harmless;

use crate::error::Error;

/// Keeps what an AI agent reads within a budget.
#[derive(Parser)]
#[command(
    name = "snugfit",
    version,
    propagate_version = true,
    args_conflicts_with_subcommands = true,
    override_usage = "snugfit [OPTIONS] [COMMAND]",
    // Without the usual blank lines, so that it fits on one screen.
    help_template = "{about}\n{usage-heading} {usage}\n\n{all-args}\n\
        Without a command: start. Example: snugfit fit --max-chars 6000 result.json"
)]
struct Cli {
    /// Configuration file, or JSON; searched for without it
    #[arg(short, long, value_name = "FILE")]
    config: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Fit(fit::Args),
    Page(page::Args),
    Proxy(Box<proxy::Args>),
    /// The same as proxy, with the configuration that is found
    Start(Box<proxy::Args>),
    Clean(clean::Args),
    Init(init::Args),
    Auth(auth::Args),
    Measure(measure::Args),
    Inspect(Box<inspect::Args>),
    Trace(trace::Args),
    Replay(replay::Args),
    ValidateConfig(validate::ConfigArgs),
    ValidateFile(validate::FileArgs),
}

/// Runs the command that this process was started as.
#[must_use]
pub fn run() -> ExitCode {
    let Cli { config, command } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => return tell(&told),
    };
    end(match command {
        Some(Command::Fit(args)) => fit::run(args),
        Some(Command::Page(args)) => page::run(args),
        Some(Command::Proxy(args) | Command::Start(args)) => proxy::run(*args),
        Some(Command::Clean(args)) => clean::run(&args),
        Some(Command::Init(args)) => init::run(&args),
        Some(Command::Auth(args)) => auth::run(args),
        Some(Command::Measure(args)) => measure::run(&args),
        Some(Command::Inspect(args)) => inspect::run(*args),
        Some(Command::Trace(args)) => trace::run(args),
        Some(Command::Replay(args)) => replay::run(&args),
        Some(Command::ValidateConfig(args)) => validate::config(&args),
        Some(Command::ValidateFile(args)) => validate::file(&args),
        None => proxy::run(proxy::Args::of(config)),
    })
}

/// Help and version on stdout, mistakes on stderr.
fn tell(told: &clap::Error) -> ExitCode {
    match told.print() {
        Err(e) if !told.use_stderr() => end(Err(Error::Write(e))),
        _ => ExitCode::from(told.exit_code() as u8),
    }
}

fn end(result: Result<(), Error>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has seen enough (`snugfit fit big.log | head`): no failure of ours.
        Err(Error::Write(e)) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) => {
            // Errors quote configurations and servers of others. Where stderr is closed too, the exit code is all that is left to tell.
            for line in format!("error: {e}").lines() {
                let _ = writeln!(io::stderr(), "{}", harmless(line));
            }
            ExitCode::from(e.exit_code())
        }
    }
}
