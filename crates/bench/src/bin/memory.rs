//! Peaks of memory beyond the input, as multiples of it. A binary of its own, so that counting slows no other bench.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a bench prints")]

use peak_alloc::PeakAlloc;
use snugfit_bench::payload::{self, RECORDS, TEXTS};
use snugfit_bench::peer::shrinkfit;
use snugfit_engine::{Budget, Options, fit};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const BUDGET: usize = 20_000;

fn main() {
    println!("| payload | MB | engine, times the input | shrinkfit, times the input |");
    println!("| --- | ---: | ---: | ---: |");
    for (name, kind) in RECORDS {
        for bytes in [1_000_000, 10_000_000] {
            row(name, &payload::records(kind, bytes), true);
        }
    }
    for kind in TEXTS {
        row(&format!("{kind:?}").to_lowercase(), &payload::text(kind, 10_000_000), false);
    }
}

fn row(name: &str, input: &str, with_peer: bool) {
    let engine = peak(input, || drop(fit(input, &Options::new(Budget::chars(BUDGET)))));
    let peer = if with_peer { format!("{:.2}", peak(input, || drop(shrinkfit(input, BUDGET, "{}")))) } else { "-".to_owned() };
    println!("| {name} | {:.1} | {engine:.2} | {peer} |", input.len() as f64 / 1e6);
}

/// What a run holds at its peak beyond what was held before, over the size of the input.
fn peak(input: &str, run: impl FnOnce()) -> f64 {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    run();
    MEMORY.peak_usage().saturating_sub(before) as f64 / input.len() as f64
}
