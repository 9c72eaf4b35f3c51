//! No input, however made, may take long: every hostile input at four budgets, and which of them took more than a second for 5 MB.
//!
//! `hostile [BYTES [NAME]]`; with a part of a name only those that have it, each with its time. A fifth of an input goes first: where that takes
//! so little that the whole is within the limit even if its time grows with the square, the whole is not run.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a bench prints")]

use std::process::ExitCode;
use std::time::Duration;

use cpu_time::ThreadTime;
use snugfit_bench::hostile;
use snugfit_engine::{Budget, Options, fit};

const BYTES: usize = 5_000_000;
const MOST: Duration = Duration::from_secs(1);
/// The part of an input that goes first is one of so many.
const PARTS: usize = 5;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let bytes = arguments.next().and_then(|bytes| bytes.parse().ok()).unwrap_or(BYTES);
    let part = arguments.next().unwrap_or_default();
    let budgets = [300, 20_000, 500_000].map(|chars| (format!("{chars} characters"), Budget::chars(chars)));
    let budgets = budgets.into_iter().chain([("100 lines".to_owned(), Budget { lines: Some(100), ..Budget::default() })]);
    let budgets: Vec<_> = budgets.collect();
    let most = MOST.mul_f64(bytes as f64 / BYTES as f64);
    let little = most / (PARTS * PARTS) as u32;
    let (mut runs, mut whole, mut slow, mut worst) = (0, 0, 0, Duration::ZERO);
    let inputs = hostile::all(bytes / PARTS).zip(hostile::all(bytes));
    for ((name, first), (_, input)) in inputs.filter(|((name, _), _)| name.contains(&part)) {
        for (budget, limits) in &budgets {
            let options = Options::new(*limits);
            runs += 1;
            if part.is_empty() && time(&first, &options) <= little {
                continue;
            }
            whole += 1;
            let took = time(&input, &options);
            worst = worst.max(took);
            if took > most || !part.is_empty() {
                slow += 1;
                println!("{:>8.0} ms  {name}, {budget}", took.as_secs_f64() * 1e3);
            }
        }
    }
    println!(
        "{runs} runs, {whole} of them with the whole of {:.1} MB, {slow} slow; the longest took {:.0} ms",
        bytes as f64 / 1e6,
        worst.as_secs_f64() * 1e3
    );
    if slow > 0 && part.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// How long fitting takes, in the processor's time of this thread.
fn time(input: &str, options: &Options) -> Duration {
    let begun = ThreadTime::now();
    let fitted = fit(input, options);
    let took = begun.elapsed();
    drop(fitted);
    took
}
