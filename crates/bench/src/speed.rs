//! Speed: the same bytes through the engine, the shrinkfit crate and two parsers, in turns, the best of each.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use snugfit_bench::payload::{self, RECORDS, TEXTS};
use snugfit_bench::peer::shrinkfit;
use snugfit_engine::{Budget, Options, fit};

const BUDGET: usize = 20_000;
const ROUNDS: usize = 3;
/// Short runs are repeated for so long.
const LEAST: Duration = Duration::from_millis(600);
/// A contender slower than this is run once.
const SLOW: Duration = Duration::from_secs(2);

type Contender<'c> = (&'static str, Box<dyn FnMut() -> Duration + 'c>);

/// Prints the tables.
pub(crate) fn run() {
    println!(
        "Budget {BUDGET} characters; processor time, best of at least {ROUNDS} runs, in turns. `x` is the other's time over the engine's: more than 1 means that the engine is faster.\n"
    );
    println!("| payload | MB | engine ms | engine MB/s | x shrinkfit | x sonic-rs | x simd-json |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut sizes = vec![70_000, 1_000_000, 10_000_000];
    if std::env::var_os("SNUGFIT_BENCH_LARGE").is_some() {
        sizes.push(40_000_000);
    }
    for (name, kind) in RECORDS {
        for &bytes in &sizes {
            let input = payload::records(kind, bytes);
            row(name, &input, vec![engine(&input), peer(&input), sonic(&input), simd(&input)]);
        }
    }
    for kind in TEXTS {
        for bytes in [1_000_000, 10_000_000] {
            let input = payload::text(kind, bytes);
            let mut contenders = vec![engine(&input)];
            if bytes == 1_000_000 {
                contenders.push(peer(&input));
            }
            row(&format!("{kind:?}").to_lowercase(), &input, contenders);
        }
    }
}

fn row(name: &str, input: &str, mut contenders: Vec<Contender<'_>>) {
    let mut best = vec![Duration::MAX; contenders.len()];
    let begun = Instant::now();
    let mut round = 0;
    while round < ROUNDS || begun.elapsed() < LEAST {
        for (at, (_, run)) in contenders.iter_mut().enumerate() {
            if round == 0 || best[at] < SLOW {
                best[at] = best[at].min(run());
            }
        }
        round += 1;
    }
    let engine = best[0].as_secs_f64();
    let megabytes = input.len() as f64 / 1e6;
    let times = |name: &str| {
        let at = contenders.iter().position(|c| c.0 == name);
        at.map_or_else(|| "-".to_owned(), |at| format!("{:.2}", best[at].as_secs_f64() / engine))
    };
    println!(
        "| {name} | {megabytes:.2} | {:.2} | {:.0} | {} | {} | {} |",
        engine * 1e3,
        megabytes / engine,
        times("shrinkfit"),
        times("sonic-rs"),
        times("simd-json")
    );
}

/// The processor's time of this thread: all contenders have one, and a busy machine makes it no longer.
fn timed<T>(run: impl FnOnce() -> T) -> Duration {
    let begun = ThreadTime::now();
    let result = black_box(run());
    let took = begun.elapsed();
    drop(result);
    took
}

fn engine(input: &str) -> Contender<'_> {
    let options = Options::new(Budget::chars(BUDGET));
    ("engine", Box::new(move || timed(|| fit(black_box(input), &options))))
}

fn peer(input: &str) -> Contender<'_> {
    ("shrinkfit", Box::new(move || timed(|| shrinkfit(black_box(input), BUDGET, "{}"))))
}

fn sonic(input: &str) -> Contender<'_> {
    ("sonic-rs", Box::new(move || timed(|| sonic_rs::from_str::<sonic_rs::Value>(black_box(input)))))
}

/// To its tape, which is the least that it does; the copy that it scribbles on is not timed.
fn simd(input: &str) -> Contender<'_> {
    (
        "simd-json",
        Box::new(move || {
            let mut bytes = input.as_bytes().to_vec();
            timed(|| simd_json::to_tape(black_box(&mut bytes)).map(|tape| tape.0.len()))
        }),
    )
}
