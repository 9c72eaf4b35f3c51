//! The `snugfit` command. One file a subcommand; what they share is in [`error`], [`explain`], [`input`], [`limits`] and [`report`].
//!
//! Exit codes: 0 clean end, 1 runtime failure, 2 usage error. The result goes to stdout and nothing after it; everything said about
//! the result goes to stderr.
#![forbid(unsafe_code)]

mod error;
mod explain;
mod fit;
mod input;
mod limits;
mod page;
mod report;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Error;

/// Keeps what an AI agent reads within a budget.
#[derive(Parser)]
#[command(
    name = "snugfit",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = "Example: snugfit fit --max-chars 6000 result.json"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Fit(fit::Args),
    Page(page::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Fit(args) => fit::run(args),
        Command::Page(args) => page::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has seen enough (`snugfit fit big.log | head`): no failure of ours.
        Err(Error::Write(e)) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) => {
            // Where stderr is closed too, the exit code is all that is left to tell.
            let _ = writeln!(io::stderr(), "error: {e}");
            ExitCode::from(e.exit_code())
        }
    }
}
