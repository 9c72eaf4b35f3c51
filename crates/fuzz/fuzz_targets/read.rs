//! Any part of any original: paths, searches, lines and cursors end soon, within their budget, and every cursor leads on to an end.
#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use snugfit_engine::Budget;
use snugfit_recovery::{Selector, read};

/// Far above what any read takes, with the checks that fuzzing adds.
const MOST: Duration = Duration::from_secs(10);

fuzz_target!(|given: (u8, u8, &str, &str)| {
    let (kind, size, selector, original) = given;
    let budget = Budget::chars(200 + 4 * usize::from(size));
    let mut next = match kind % 4 {
        0 => Selector::Path(selector.to_owned()),
        1 => Selector::Search { pattern: selector.to_owned(), context: usize::from(kind / 4) },
        2 => Selector::Lines(selector.to_owned()),
        _ => Selector::Cursor(selector.to_owned()),
    };
    let begun = Instant::now();
    // Each page shows something, so that there are no more of them than characters.
    for page in 0.. {
        assert!(page <= original.len() + 2, "page {page} of {} characters", original.len());
        assert!(begun.elapsed() < MOST, "{next:?} on {} bytes", original.len());
        let Ok(answer) = read(original, &next, &budget) else { return };
        assert!(budget.holds(&answer), "{answer}");
        let Some(cursor) = answer.split("\"cursor\":\"").nth(1).and_then(|rest| rest.split('"').next()) else { return };
        // What looks like one may stand in the original.
        if cursor.is_empty() || cursor.contains('\\') || original.contains("cursor") {
            return;
        }
        next = Selector::Cursor(cursor.to_owned());
    }
});
