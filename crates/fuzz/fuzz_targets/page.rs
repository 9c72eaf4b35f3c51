//! Pages of any value: each within the budget, every cursor leads on, to an end; a cursor that somebody made up is refused or leads into the value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snugfit_engine::cursor::{open, seal};
use snugfit_engine::{Budget, PageOptions, page, trim};

fuzz_target!(|given: (u8, u8, u64, Option<&str>, &str, &str)| {
    let (size, indent, number, key, made_up, value) = given;
    let budget = Budget::chars(200 + 4 * usize::from(size));
    let options = |cursor| PageOptions { cursor, key: key.map(str::to_owned), indent: usize::from(indent % 4), ..PageOptions::default() };
    if let Ok(trimmed) = trim(value, &budget, &options(None)) {
        assert!(budget.holds(&trimmed.text) && trimmed.next_cursor.is_none(), "{trimmed:?}");
    }
    assert_eq!(open(1, 1, &seal(1, &[number], made_up)), Some((vec![number], made_up.to_owned())));
    // A cursor of our kind with any numbers in it, and any text in the place of one.
    for cursor in [seal(0x11, &[number, number / 2, number], ""), made_up.to_owned()] {
        if let Ok(page) = page(value, &budget, &options(Some(cursor))) {
            assert!(budget.holds(&page.text), "{page:?}");
        }
    }
    let mut cursor = None;
    // Each page shows something, so that there are no more of them than bytes.
    for number in 0.. {
        assert!(number <= value.len() + 2, "page {number} of {} bytes", value.len());
        let Ok(page) = page(value, &budget, &options(cursor.take())) else { return };
        assert!(budget.holds(&page.text), "{page:?}");
        cursor = page.next_cursor;
        if cursor.is_none() {
            return;
        }
    }
});
