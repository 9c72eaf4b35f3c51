//! What a page holds, and what always holds of pages.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use serde_json::{Value, json};
use snugfit_engine::{Budget, Error, Next, Page, PageOptions, Recovery, page, page_with, trim};

fn list(count: usize) -> String {
    Value::from((1..=count).map(|n| json!({"id": n, "name": format!("item {n}")})).collect::<Vec<_>>()).to_string()
}

/// All pages of a value, each within the budget.
fn pages(value: &str, budget: &Budget, options: &PageOptions) -> Result<Vec<Page>, Error> {
    let mut pages: Vec<Page> = vec![];
    let mut options = options.clone();
    loop {
        let page = page(value, budget, &options)?;
        assert!(budget.holds(&page.text), "over {budget:?}: {}", page.text);
        options.cursor.clone_from(&page.next_cursor);
        pages.push(page);
        assert!(pages.len() < 10_000, "no end");
        if options.cursor.is_none() {
            return Ok(pages);
        }
    }
}

fn parse(page: &Page) -> Value {
    serde_json::from_str(&page.text).unwrap()
}

#[test]
fn a_list_is_wrapped_and_says_how_to_go_on() {
    let value = list(200);
    let all = pages(&value, &Budget::chars(1200), &PageOptions::default()).unwrap();
    let first = parse(&all[0]);
    let cursor = all[0].next_cursor.as_deref().unwrap();
    let shown = first["items"].as_array().unwrap().len();
    assert_eq!(first["page"]["items"], json!(format!("1-{shown} of 200")));
    assert_eq!(first["page"]["total"], json!(200));
    assert_eq!(first["page"]["next_cursor"], json!(cursor));
    assert_eq!(
        first["page"]["note"],
        json!(format!(
            "Showing items 1-{shown} of 200. Call this tool again with the same arguments and cursor=\"{cursor}\" for the next page."
        ))
    );
    let last = parse(all.last().unwrap());
    assert_eq!(last["page"].get("next_cursor"), None);
    assert!(last["page"]["note"].as_str().unwrap().ends_with("of 200. This is the last page."));
}

#[test]
fn an_object_keeps_its_other_fields_beside_the_page() {
    let items: Value = serde_json::from_str(&list(100)).unwrap();
    let value = json!({"count": 100, "data": {"rows": items, "page": 1}, "small": [1, 2], "ok": 1.0}).to_string();
    let first = parse(&page(&value, &Budget::chars(1000), &PageOptions::default()).unwrap());
    assert_eq!((&first["count"], &first["small"], &first["data"]["page"]), (&json!(100), &json!([1, 2]), &json!(1)));
    assert_eq!(first["data"]["_page"]["total"], json!(100));
    assert_eq!(first["data"]["rows"][0], json!({"id": 1, "name": "item 1"}));
    for key in ["data.rows", "/data/rows"] {
        let options = PageOptions { key: Some(key.into()), ..PageOptions::default() };
        assert_eq!(parse(&page(&value, &Budget::chars(1000), &options).unwrap()), first);
    }
    let wrong = PageOptions { key: Some("data.nothing".into()), ..PageOptions::default() };
    assert_eq!(page(&value, &Budget::chars(1000), &wrong).unwrap_err().code(), "INVALID_OPTION");
}

#[test]
fn other_fields_leave_room_for_items() {
    let value = json!({"log": "line ".repeat(1000), "rows": (0..100).collect::<Vec<_>>()}).to_string();
    let all = pages(&value, &Budget::chars(800), &PageOptions::default()).unwrap();
    let first = parse(&all[0]);
    assert!(first["log"].as_str().unwrap().contains("more characters cut]"), "{first}");
    assert!(first["page"]["note"].as_str().unwrap().contains("Other fields are shortened."));
    let rows: Vec<Value> = all.iter().flat_map(|page| parse(page)["rows"].as_array().unwrap().clone()).collect();
    assert_eq!(Value::from(rows), json!((0..100).collect::<Vec<_>>()));
}

#[test]
fn an_item_larger_than_the_budget_is_cut_and_paging_goes_on() {
    let value = json!([{"id": 1}, {"id": 2, "body": "word ".repeat(2000), "tags": (0..500).collect::<Vec<_>>()}, {"id": 3}]).to_string();
    let all = pages(&value, &Budget::chars(700), &PageOptions::default()).unwrap();
    let ids: Vec<Value> = all
        .iter()
        .flat_map(|page| parse(page)["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect::<Vec<_>>())
        .collect();
    assert_eq!(ids, [json!(1), json!(2), json!(3)]);
    let cut = all.iter().find(|page| page.text.contains("characters cut]")).unwrap();
    assert!(cut.text.contains("more items cut]") && cut.text.contains("Item 2 alone is over the limit and is cut."), "{}", cut.text);
}

#[test]
fn a_budget_that_is_far_too_small_is_told_by_how_much() {
    let items: Vec<Value> = (0..50).map(|n| json!({"id": n, "body": {"words": vec!["word"; 20]}})).collect();
    for value in [json!(items), json!({"a": {"b": {"c": 1}}})] {
        for chars in [1, 10, 15] {
            let error = page(&value.to_string(), &Budget::chars(chars), &PageOptions::default()).unwrap_err().to_string();
            let percent: usize = error.rsplit(' ').nth(3).unwrap().parse().unwrap();
            let least = chars * percent / 100;
            assert!((15..500).contains(&least), "{chars}: {error}");
        }
    }
}

#[test]
fn values_without_lists_keep_every_key() {
    let value = json!({"a": "x".repeat(5000), "b": {"c": "y".repeat(3000), "n": 1.5}, "d": null}).to_string();
    let shown = page(&value, &Budget::chars(400), &PageOptions::default()).unwrap();
    let parsed = parse(&shown);
    assert_eq!((&parsed["b"]["n"], &parsed["d"]), (&json!(1.5), &Value::Null));
    assert!(parsed["a"].as_str().unwrap().ends_with("more characters cut]"));
    assert_eq!(shown.next_cursor, None);
    let wide: serde_json::Map<String, Value> = (0..2000).map(|n| (format!("key-{n}"), json!(n))).collect();
    let condensed = page(&Value::Object(wide).to_string(), &Budget::chars(400), &PageOptions::default()).unwrap();
    assert!(condensed.text.chars().count() <= 400 && condensed.text.contains("omitted"), "{}", condensed.text);
}

#[test]
fn a_text_ends_at_a_line_break_or_a_space() {
    let text = (1..=300).map(|n| format!("line {n} of the log\n")).collect::<String>();
    let first = page(&text, &Budget::chars(600), &PageOptions::default()).unwrap();
    let cursor = first.next_cursor.as_deref().unwrap();
    let (chunk, line) = first.text.rsplit_once("\n[").unwrap();
    assert!(chunk.ends_with("of the log\n"), "{chunk:?}");
    assert_eq!(
        line,
        format!(
            "Characters 1-{} of {}. Call this tool again with the same arguments and cursor=\"{cursor}\" for the next page.]",
            chunk.len(),
            text.len()
        )
    );
    let words = page(&"word ".repeat(1000), &Budget::chars(600), &PageOptions::default()).unwrap();
    assert!(words.text.rsplit_once("\n[").unwrap().0.ends_with("word "));
}

#[test]
fn what_fits_is_one_page_as_it_is() {
    for value in ["[1, 2]", "text", "{\"a\": [1]}", "", "null"] {
        let page = page(value, &Budget::chars(50), &PageOptions::default()).unwrap();
        assert_eq!(page, Page { text: value.into(), next_cursor: None, whole: true, rest: None });
    }
    let indented = PageOptions { indent: 2, ..PageOptions::default() };
    assert_eq!(page("[1,2]", &Budget::chars(50), &indented).unwrap().text, "[\n  1,\n  2\n]");
    assert!(page(&list(100), &Budget::chars(900), &indented).unwrap().text.starts_with("{\n  \"items\": [\n    {\n"));
}

#[test]
fn a_result_that_changed_is_told() {
    let budget = Budget::chars(600);
    let cursor = page(&list(100), &budget, &PageOptions::default()).unwrap().next_cursor;
    let options = PageOptions { cursor, ..PageOptions::default() };
    let same = page(&list(100), &budget, &options).unwrap();
    assert!(!same.text.contains("changed"));
    let changed = page(&list(101), &budget, &options).unwrap();
    assert!(changed.text.contains("The result changed since the last page: items may repeat or be missing."), "{}", changed.text);
}

#[test]
fn cursors_that_are_none_are_refused() {
    let first = page(&list(100), &Budget::chars(600), &PageOptions::default()).unwrap();
    let cursor = first.next_cursor.unwrap();
    for bad in ["", "garbage", &cursor[1..], &cursor[..cursor.len() - 1], &cursor.to_uppercase(), "MTozNzo1YzBmYTE5Mw"] {
        let options = PageOptions { cursor: Some(bad.into()), ..PageOptions::default() };
        let error = page(&list(100), &Budget::chars(600), &options).unwrap_err();
        assert_eq!(error, Error::InvalidCursor, "{bad}");
        assert!(error.to_string().contains("call the tool again without a cursor to start from the beginning"));
    }
    let past = PageOptions { cursor: Some(cursor), ..PageOptions::default() };
    assert_eq!(page("[1]", &Budget::chars(600), &past), Err(Error::InvalidCursor), "past the end");
}

#[test]
fn a_trimmed_value_says_what_is_left_out() {
    let items = parse(&trim(&list(200), &Budget::chars(600), &PageOptions::default()).unwrap());
    let shown = items["items"].as_array().unwrap().len();
    assert_eq!(
        items["page"]["note"],
        json!(format!("Showing items 1-{shown} of 200. {} items were left out. Narrow the request to see more.", 200 - shown))
    );
    assert_eq!(items["page"].get("next_cursor"), None);
    let text = trim(&"word ".repeat(1000), &Budget::chars(300), &PageOptions::default()).unwrap().text;
    assert!(text.contains("characters were left out. Narrow the request to see more.]"), "{text}");
}

#[test]
fn the_original_may_be_read_by_the_recovery_tool() {
    let next = Next::Recovery(Recovery { tool: "recover".into(), response_id: "an-id".into(), ..Recovery::default() });
    let first = page(&list(200), &Budget::chars(700), &PageOptions { next, ..PageOptions::default() }).unwrap();
    let field = &parse(&first)["page"];
    assert_eq!(field["response_id"], json!("an-id"));
    assert!(field["note"].as_str().unwrap().ends_with("The next page: recover with response_id and cursor."));
}

#[test]
fn a_budget_that_holds_no_page_is_an_error() {
    assert_eq!(page(&list(200), &Budget::chars(60), &PageOptions::default()).unwrap_err().code(), "BUDGET_TOO_SMALL");
    assert_eq!(page(&"word ".repeat(1000), &Budget::chars(60), &PageOptions::default()).unwrap_err().code(), "BUDGET_TOO_SMALL");
}

#[test]
fn the_caller_may_measure() {
    let words = |text: &str| text.split([' ', ',', '"', ':']).filter(|word| !word.is_empty()).count();
    let mut asked = 0;
    let count = std::cell::RefCell::new(&mut asked);
    let first = page_with(&list(5000), &PageOptions::default(), &|text| {
        **count.borrow_mut() += 1;
        words(text) as f64 / 200.0
    })
    .unwrap();
    assert!(words(&first.text) <= 200 && words(&first.text) > 190, "{}", words(&first.text));
    assert!(asked < 20, "{asked}");
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z é\"\\\\\n👧\u{301}]{0,60}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{0,6}", inner, 0..5).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn pages_together_are_the_items(items in prop::collection::vec(value(), 1..60), limit in 400usize..2000, bytes: bool, object: bool, indent in 0usize..3) {
        let budget = if bytes { Budget { bytes: Some(limit), ..Budget::default() } } else { Budget::chars(limit) };
        let whole = if object { json!({"next": null, "rows": items}) } else { Value::from(items.clone()) };
        let options = PageOptions { indent, key: object.then(|| "rows".into()), ..PageOptions::default() };
        let mut read = vec![];
        for page in pages(&whole.to_string(), &budget, &options).unwrap() {
            let shown = parse(&page);
            let shown = if page.whole && !object { shown } else { shown[if object { "rows" } else { "items" }].clone() };
            let shown = shown.as_array().unwrap().clone();
            if page.text.contains("alone is over the limit") {
                read.push(items[read.len()].clone());
            } else {
                read.extend(shown);
            }
        }
        prop_assert_eq!(read, items);
    }

    #[test]
    fn chunks_together_are_the_text(text in "([a-z]{0,12}[ \né👧\u{301}\"]){0,200}", limit in 300usize..900, bytes: bool) {
        let budget = if bytes { Budget { bytes: Some(limit), ..Budget::default() } } else { Budget::chars(limit) };
        let read: String = pages(&text, &budget, &PageOptions::default())
            .unwrap()
            .iter()
            .map(|page| if page.whole { page.text.clone() } else { page.text.rsplit_once("\n[").unwrap().0.to_owned() })
            .collect();
        prop_assert_eq!(read, text);
    }

    #[test]
    fn no_page_is_over_the_budget(value in value(), limit in 60usize..400, trimmed: bool) {
        let budget = Budget::chars(limit);
        let text = value.to_string();
        let outcome = if trimmed { trim(&text, &budget, &PageOptions::default()).map(|page| vec![page]) } else { pages(&text, &budget, &PageOptions::default()) };
        match outcome {
            Ok(pages) => prop_assert!(pages.iter().all(|page| budget.holds(&page.text))),
            Err(error) => prop_assert_eq!(error.code(), "BUDGET_TOO_SMALL"),
        }
    }
}
