//! No input, however made, may take long: every hostile input of 5 MB at four budgets, and which of them took more than a second.
//!
//! `hostile [BYTES [NAME]]`; with a part of a name only those that have it.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a bench prints")]

use std::process::ExitCode;
use std::time::Duration;

use cpu_time::ThreadTime;
use snugfit_bench::hostile;
use snugfit_engine::{Budget, Options, fit};

const BYTES: usize = 5_000_000;
const MOST: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let bytes = arguments.next().and_then(|bytes| bytes.parse().ok()).unwrap_or(BYTES);
    let part = arguments.next().unwrap_or_default();
    let budgets = [300, 20_000, 500_000].map(|chars| (format!("{chars} characters"), Budget::chars(chars)));
    let budgets = budgets.into_iter().chain([("100 lines".to_owned(), Budget { lines: Some(100), ..Budget::default() })]);
    let budgets: Vec<_> = budgets.collect();
    let (mut runs, mut slow, mut worst) = (0, 0, Duration::ZERO);
    for (name, input) in hostile::all(bytes).filter(|(name, _)| name.contains(&part)) {
        for (budget, limits) in &budgets {
            let begun = ThreadTime::now();
            let fitted = fit(&input, &Options::new(*limits));
            let took = begun.elapsed();
            drop(fitted);
            runs += 1;
            worst = worst.max(took);
            if took > MOST.mul_f64(bytes as f64 / BYTES as f64) || !part.is_empty() {
                slow += 1;
                println!("{:>8.0} ms  {name}, {budget}", took.as_secs_f64() * 1e3);
            }
        }
    }
    println!("{runs} runs of {:.1} MB, {slow} slow; the longest took {:.0} ms", bytes as f64 / 1e6, worst.as_secs_f64() * 1e3);
    if slow > 0 && part.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
