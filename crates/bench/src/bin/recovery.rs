//! Partial reads of a 40 MB original beside a bare scan of the same bytes: `cargo run --release -p snugfit-bench --bin recovery`.
//!
//! A read takes the original out of the store (unpacked), finds out what it is, and answers within 2,000 characters.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use snugfit_engine::{Budget, Notice, Options, json::scan};
use snugfit_recovery::{Limits, Selector, Session};

const RUNS: usize = 5;
/// What a read may take of the time of a bare scan.
const GOAL: f64 = 3.0;

fn main() -> Result<(), snugfit_recovery::Error> {
    let text = records(40 << 20);
    let session = Session::in_memory(Limits { bytes: 256 << 20, ..Limits::default() })?;
    let options = Options { notice: Some(Notice::default()), ..Options::new(Budget::chars(6000)) };
    let outcome = session.fit(text.clone().into_bytes(), options)?;
    let id = outcome.response_id.unwrap_or_default();
    let bare = median(|| drop(black_box(scan(black_box(&text)))));
    println!("bare scan of {} MB                {:>7.1} ms", text.len() >> 20, bare.as_secs_f64() * 1e3);
    let search = |pattern: &str| Selector::Search { pattern: pattern.into(), context: Selector::CONTEXT };
    for (name, selector) in [
        ("path /orders/60000/note", Selector::Path("/orders/60000/note".into())),
        ("path $.orders[?@.id==60001].total", Selector::Path("$.orders[?@.id==60001].total".into())),
        ("search, a literal", search("order 59999 ")),
        ("search, /regex/", search("/order 5999[0-9] was/")),
        ("search, found everywhere", search("paid")),
    ] {
        let time = median(|| drop(black_box(session.read(&id, &selector, &Budget::chars(2000)))));
        let ratio = time.as_secs_f64() / bare.as_secs_f64();
        println!("{name:<34} {:>7.1} ms   {ratio:.2} of the scan (goal: {GOAL})", time.as_secs_f64() * 1e3);
    }
    Ok(())
}

/// Records as an API gives them, at least so many bytes.
fn records(bytes: usize) -> String {
    let mut text = String::from("{\"orders\":[");
    let mut n = 0;
    while text.len() < bytes {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}{{\"id\":{n},\"state\":\"paid\",\"total\":{}.50,\"customer\":{{\"name\":\"Customer {}\",\"city\":\"Köln\"}},\"tags\":[\"a\",\"b\"],\
             \"note\":\"order {n} was left at the door; {}\"}}",
            n % 977,
            n % 5000,
            "the neighbour has the key. ".repeat(n % 9),
        );
        n += 1;
    }
    text.push_str("]}");
    text
}

fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}
