//! The `snugfit` command, as a program.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    snugfit_cli::run()
}
