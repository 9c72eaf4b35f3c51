//! Fits one generated payload once: what `callgrind` counts the instructions of.
//!
//! `once PAYLOAD [BYTES]`; without a payload it lists them.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints")]

use std::hint::black_box;
use std::process::ExitCode;

use snugfit_bench::payload::{self, RECORDS, TEXTS};
use snugfit_engine::{Budget, Options, fit};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let bytes = arguments.next().and_then(|bytes| bytes.parse().ok()).unwrap_or(1_000_000);
    let records = RECORDS.iter().find(|r| r.0 == name).map(|r| payload::records(r.1, bytes));
    let text = TEXTS.iter().find(|kind| format!("{kind:?}").to_lowercase() == name).map(|kind| payload::text(*kind, bytes));
    let Some(input) = records.or(text) else {
        for (name, _) in RECORDS {
            println!("{name}");
        }
        for kind in TEXTS {
            println!("{}", format!("{kind:?}").to_lowercase());
        }
        return ExitCode::from(2);
    };
    match fit(black_box(&input), &Options::new(Budget::chars(20_000))) {
        Ok(fitted) => println!("{} of {} characters", fitted.text.chars().count(), input.chars().count()),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
