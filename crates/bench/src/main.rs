//! The engine beside its peers in one run.
//!
//! `cargo run --release -p snugfit-bench` prints speeds and ratios; `SNUGFIT_BENCH_LARGE=1` adds 40 MB of records.
//! `… -- fidelity DIR…` scores what survives of the corpora in these folders. `--bin memory` prints peaks of memory.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints")]

mod fidelity;
mod speed;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        None => {
            speed::run();
            ExitCode::SUCCESS
        }
        Some((word, folders)) if word == "fidelity" && !folders.is_empty() => {
            for folder in folders {
                if let Err(error) = fidelity::run(&PathBuf::from(folder)) {
                    eprintln!("{folder}: {error}");
                    return ExitCode::FAILURE;
                }
            }
            ExitCode::SUCCESS
        }
        Some(_) => {
            eprintln!("usage: snugfit-bench [fidelity FOLDER…]");
            ExitCode::from(2)
        }
    }
}
