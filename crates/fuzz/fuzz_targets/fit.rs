//! Any bytes and any options: no panic, within the budget, JSON stays JSON, and all else that always holds.
#![no_main]

#[path = "../../engine/tests/support/check.rs"]
#[allow(dead_code, unreachable_pub)]
mod check;
#[path = "../../engine/tests/support/tree.rs"]
#[allow(dead_code, unreachable_pub)]
mod tree;

use libfuzzer_sys::fuzz_target;
use snugfit_engine::{Budget, Layout, Notice, NoticeForm, Options, Recovery, fit_bytes};

fuzz_target!(|bytes: &[u8]| {
    let Some((head, input)) = bytes.split_at_checked(8) else { return };
    let options = options(head);
    if let Ok(text) = std::str::from_utf8(input) {
        if let Err(error) = check::check(text, &options) {
            panic!("{error}\n{options:?}");
        }
    } else if let Ok(fitted) = fit_bytes(input, &options) {
        assert!(options.budget.holds(&fitted.text) && fitted.report.replaced > 0);
    }
});

/// Eight bytes as options: three limits of which one at least is named, flags, patterns.
fn options(head: &[u8]) -> Options {
    let size = |at: usize| 1 + usize::from(head[at]) * usize::from(head[at]) / 8;
    let has = |bit: u8| head[3] >> bit & 1 == 1;
    let budget = Budget {
        chars: (has(0) || !has(1) && !has(2)).then(|| size(0)),
        bytes: has(1).then(|| size(1)),
        lines: has(2).then(|| 1 + usize::from(head[2])),
        tokens: (head[4] & 0x80 != 0).then(|| size(4)),
        ..Budget::default()
    };
    let recovery = has(4).then(|| Recovery { tool: "recover".into(), response_id: "0f8fad5b-d9cb-869f-a165-70867728950e".into(), ..Recovery::default() });
    let form = if has(5) { NoticeForm::Inline } else { NoticeForm::Envelope };
    let patterns = ["id", "/items/*/id", "/**", "/a/b", "*", "/0", "error", ""];
    let pattern = |at: usize| if head[at] & 8 == 0 { Vec::new() } else { vec![patterns[usize::from(head[at] & 7)].to_owned()] };
    Options {
        notice: has(3).then_some(Notice { recovery, form }),
        layout: if has(6) { Layout::Lines } else { Layout::Compact },
        indent: if has(7) { usize::from(head[4] & 3) } else { 0 },
        protect: pattern(5),
        drop: pattern(6),
        arguments: ["", "{\"q\":\"error\"}", "[1", "\"id\""][usize::from(head[7] & 3)].to_owned(),
        ..Options::new(budget)
    }
}
