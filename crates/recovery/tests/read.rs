//! What a partial read answers, and what always holds of it.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use serde_json::{Value, json};
use snugfit_engine::{Budget, Notice, Options, Place};
use snugfit_recovery::{Error, Limits, Selector, Session, read};

fn path(path: &str) -> Selector {
    Selector::Path(path.into())
}

fn search(pattern: &str) -> Selector {
    Selector::Search { pattern: pattern.into(), context: Selector::CONTEXT }
}

fn lines(range: &str) -> Selector {
    Selector::Lines(range.into())
}

/// All pages of a read, each within the budget.
fn pages(original: &str, selector: &Selector, budget: &Budget) -> Result<Vec<String>, Error> {
    let mut pages = vec![];
    let mut next = Some(selector.clone());
    while let Some(selector) = next.take() {
        let page = read(original, &selector, budget)?;
        assert!(budget.holds(&page), "over {budget:?}: {page}");
        next = about(&page)["next_cursor"].as_str().map(|cursor| Selector::Cursor(cursor.into()));
        pages.push(page);
        assert!(pages.len() < 20_000, "no end");
    }
    Ok(pages)
}

/// What an answer says of itself: the object, or the object on the last line.
fn about(answer: &str) -> Value {
    serde_json::from_str(answer).or_else(|_| serde_json::from_str(answer.rsplit('\n').next().unwrap())).unwrap()
}

const ORDERS: &str = r#"{"total": 3, "orders": [{"id": "o-1", "state": "paid", "note": "leave at the door"},
  {"id": "o-2", "state": "failed", "amount": 12.50}, {"id": "o-3", "state": "paid", "tags": ["a/b", "late"]}]}"#;
const LOG: &str = "start\nGET /a 200\nGET /b 200\nERROR lost db-7\nGET /c 200\nGET /d 200\nGET /e 200\nERROR lost db-9\nend\n";

#[test]
fn answers() {
    let envelope =
        json!({"content": [{"type": "text", "text": ORDERS}], "structuredContent": {"secret": 1}, "_meta": {"t": 2}}).to_string();
    let blocks =
        json!({"content": [{"type": "text", "text": ORDERS}, {"type": "resource_link", "uri": "x"}, {"type": "text", "text": LOG}]})
            .to_string();
    let ndjson = "{\"a\":1}\n{\"a\":2}\n";
    let cases: &[(&str, Selector, &str)] = &[
        (ORDERS, path("/orders/1"), r#"{"part":{"id":"o-2","state":"failed","amount":12.50},"of":"/orders/1, complete"}"#),
        (
            ORDERS,
            path("/orders/0..1/id"),
            r#"{"part":[{"path":"/orders/0/id","value":"o-1"},{"path":"/orders/1/id","value":"o-2"}],"of":"matches 1-2 of 2","matches":2}"#,
        ),
        (
            ORDERS,
            path("/orders/1..7"),
            r#"{"part":[{"id":"o-2","state":"failed","amount":12.50},{"id":"o-3","state":"paid","tags":["a/b","late"]}],"of":"/orders/1..2, of 3 items"}"#,
        ),
        (ORDERS, path("$.orders[?@.amount].id"), r#"{"part":"o-2","of":"/orders/1/id, complete"}"#),
        (
            ORDERS,
            path("$..state"),
            r#"{"part":[{"path":"/orders/0/state","value":"paid"},{"path":"/orders/1/state","value":"failed"},{"path":"/orders/2/state","value":"paid"}],"of":"matches 1-3 of 3","matches":3}"#,
        ),
        (
            ORDERS,
            search("failed"),
            r#"{"part":[{"path":"/orders/1","value":{"id":"o-2","state":"failed","amount":12.50}}],"of":"matches 1-1 of 1","matches":1}"#,
        ),
        (ORDERS, search("/^A\\/B$/i"), r#"{"part":[{"path":"/orders/2/tags/0","value":"a/b"}],"of":"matches 1-1 of 1","matches":1}"#),
        (
            ORDERS,
            search("Failed"),
            r#"{"part":[],"of":"no match of Failed; a search is for exactly these characters, /…/i ignores case","matches":0}"#,
        ),
        (
            ORDERS,
            lines("2"),
            "  {\"id\": \"o-2\", \"state\": \"failed\", \"amount\": 12.50}, {\"id\": \"o-3\", \"state\": \"paid\", \"tags\": [\"a/b\", \"late\"]}]}\n{\"of\":\"line 2 of 2\"}",
        ),
        (LOG, lines("3-4"), "GET /b 200\nERROR lost db-7\n{\"of\":\"lines 3-4 of 9\"}"),
        (LOG, lines("-2"), "ERROR lost db-9\nend\n{\"of\":\"lines 8-9 of 9\"}"),
        (
            LOG,
            Selector::Search { pattern: "ERROR".into(), context: 1 },
            "3-GET /b 200\n4:ERROR lost db-7\n5-GET /c 200\n--\n7-GET /e 200\n8:ERROR lost db-9\n9-end\n{\"of\":\"matches 1-2 of 2, in 9 lines\",\"matches\":2}",
        ),
        (&envelope, path("/orders/1/state"), r#"{"part":"failed","of":"/orders/1/state, complete"}"#),
        (&envelope, path("/structuredContent"), r#"{"part":{"secret":1},"of":"/structuredContent, complete"}"#),
        (&envelope, path("$.structuredContent.secret"), r#"{"part":1,"of":"/structuredContent/secret, complete"}"#),
        (
            &envelope,
            search("secret"),
            r#"{"part":[{"path":"/structuredContent","value":{"secret":1}}],"of":"matches 1-1 of 1","matches":1}"#,
        ),
        (
            &envelope,
            lines("1"),
            "{\"total\": 3, \"orders\": [{\"id\": \"o-1\", \"state\": \"paid\", \"note\": \"leave at the door\"},\n{\"of\":\"line 1 of 2\"}",
        ),
        (&blocks, path("/0/orders/1/id"), r#"{"part":"o-2","of":"/0/orders/1/id, complete"}"#),
        (&blocks, path("/content/1/uri"), r#"{"part":"x","of":"/content/1/uri, complete"}"#),
        (
            &blocks,
            path("/2"),
            r#"{"part":"start\nGET /a 200\nGET /b 200\nERROR lost db-7\nGET /c 200\nGET /d 200\nGET /e 200\nERROR lost db-9\nend\n","of":"characters 1-97 of 97 of /2"}"#,
        ),
        (
            &blocks,
            search("/ERROR|o-2/"),
            r#"{"part":[{"path":"/0/orders/1","value":{"id":"o-2","state":"failed","amount":12.50}},{"path":"/2","line":4,"text":"ERROR lost db-7"},{"path":"/2","line":8,"text":"ERROR lost db-9"}],"of":"matches 1-3 of 3","matches":3}"#,
        ),
        (&blocks, lines("6"), "ERROR lost db-7\n{\"of\":\"line 6 of 11\"}"),
        (ndjson, path("/1/a"), r#"{"part":2,"of":"/1/a, complete"}"#),
        (ndjson, path(""), r#"{"part":[{"a":1},{"a":2}],"of":"/0..1, of 2 items"}"#),
        ("\"just a string\"", path(""), r#"{"part":"just a string","of":"the whole response, complete"}"#),
    ];
    for (original, selector, expected) in cases {
        assert_eq!(read(original, selector, &Budget::chars(2000)).as_deref(), Ok(*expected), "{selector:?}");
    }
}

#[test]
fn errors_say_what_to_do() {
    let cursor = |text: &str| Selector::Cursor(text.into());
    for (original, selector, code, part) in [
        (ORDERS, path("orders[1].id"), "INVALID_SELECTOR", "begins with / for a JSON Pointer, such as /orders/1/id"),
        (ORDERS, path("$.orders[1"), "INVALID_SELECTOR", "path: expected , or ] (at character 11)"),
        (ORDERS, path("/orders/1/sum"), "PATH_NOT_FOUND", "/orders/1 is an object with the keys id, state, amount"),
        (ORDERS, path("$.nothing"), "PATH_NOT_FOUND", "$.nothing selects nothing"),
        (LOG, path("/a"), "PATH_NOT_FOUND", "the response is text, not JSON; use search or lines"),
        (LOG, path("$["), "INVALID_SELECTOR", "path: "),
        (LOG, lines("x"), "INVALID_SELECTOR", "must be lines such as 120-180"),
        (LOG, lines("12"), "PATH_NOT_FOUND", "there is no line 12: the text has 9"),
        (LOG, search("/a(/"), "INVALID_SELECTOR", "search: unclosed group (at character 3)"),
        (LOG, search(""), "INVALID_SELECTOR", "must not be empty"),
        (LOG, search(&"x".repeat(2000)), "INVALID_SELECTOR", "is longer than 1000 bytes"),
        (LOG, cursor(""), "INVALID_CURSOR", "Read again without a cursor"),
        (LOG, cursor("MTozNzo1YzBmYTE5Mw"), "INVALID_CURSOR", "Read again without a cursor"),
    ] {
        let error = read(original, &selector, &Budget::chars(2000)).unwrap_err();
        assert_eq!(error.code(), code, "{selector:?}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn a_cursor_goes_on_and_one_of_another_response_is_refused() {
    let long = format!("[{}]", vec!["\"item\""; 500].join(","));
    let first = read(&long, &path(""), &Budget::chars(500)).unwrap();
    let cursor = about(&first)["next_cursor"].as_str().unwrap().to_owned();
    assert!(read(&long, &Selector::Cursor(cursor.clone()), &Budget::chars(500)).unwrap().contains("of 500 items"));
    assert_eq!(read("[1,2]", &Selector::Cursor(cursor.clone()), &Budget::chars(500)), Err(Error::InvalidCursor));
    assert_eq!(read(&long, &Selector::Cursor(cursor[1..].into()), &Budget::chars(500)), Err(Error::InvalidCursor));
}

#[test]
fn an_item_larger_than_the_budget_is_shortened_and_leads_to_all_of_it() {
    let long = "word ".repeat(2000);
    let original = json!([{"id": 1, "body": long}, {"id": 2}]).to_string();
    let all = pages(&original, &path(""), &Budget::chars(600)).unwrap();
    assert_eq!(all.len(), 2);
    assert!(all[0].contains("/0, of 2 items, shortened: read /0 by its own path"), "{}", all[0]);
    assert_eq!(about(&all[1])["part"], json!([{"id": 2}]));
    let text: String = pages(&original, &path("/0/body"), &Budget::chars(600))
        .unwrap()
        .iter()
        .map(|p| about(p)["part"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(text, long);
}

#[test]
fn a_long_line_is_paged_by_characters_and_shown_around_its_match() {
    let line = format!("{}needle{}", "x".repeat(50_000), "é".repeat(50_000));
    let original = format!("first\n{line}\nlast");
    let mut read_back = String::new();
    let mut inside = true;
    for page in pages(&original, &lines("1-3"), &Budget::chars(3000)).unwrap() {
        let (body, of) = (page.rsplit_once('\n').unwrap().0, about(&page)["of"].as_str().unwrap().to_owned());
        read_back += if inside { "" } else { "\n" };
        read_back += body;
        // Within a line the next page goes on without a line break.
        inside = of.rsplit_once(" of ").is_some_and(|(read, total)| of.contains("characters") && !read.ends_with(&format!("-{total}")));
    }
    assert_eq!(read_back, original);
    let found = read(&original, &search("needle"), &Budget::chars(3000)).unwrap();
    assert!(found.contains("\n2:…[+49") && found.contains("xneedleé"), "{found}");
}

#[test]
fn any_size_and_depth_is_read_in_linear_time() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert!(read(&deep, &path("/0/0"), &Budget::chars(400)).unwrap().contains("shortened"));
    let wide = format!("[{}1]", "{\"a\":1},".repeat(200_000));
    assert!(read(&wide, &search("a"), &Budget::chars(400)).unwrap().contains("\"matches\":200000"));
    assert!(read(&wide, &path("$..a"), &Budget::chars(400)).unwrap().contains("\"matches\":200000"));
    let key = format!("{{\"{}\":1,\"b\":2}}", "k".repeat(1_000_000));
    assert!(read(&key, &path(""), &Budget::chars(400)).unwrap().contains("shortened"));
}

/// Expressions that would take their size times that of the text: found or refused, with what to do.
#[test]
fn no_expression_runs_for_long() {
    let noise: String =
        (0..300_000_u32).map(|n| if n.wrapping_mul(2_654_435_761).rotate_left(7).count_ones() % 2 == 0 { 'a' } else { 'b' }).collect();
    let value = format!("[{{\"v\":\"{noise}\"}}]");
    for (original, selector) in [
        (&noise, search("/(?:[ab]{0,500}a){5}c/")),
        (&noise, search("/(?:a[ab]{0,900}){20}c/")),
        (&value, search("/(?:[ab]{0,500}a){5}c/")),
        (&value, path("$[?search(@.v, '([ab]{0,200}a){5}c')]")),
    ] {
        let error = read(original, &selector, &Budget::chars(400)).unwrap_err();
        assert_eq!(error.code(), "INVALID_SELECTOR", "{selector:?}: {error}");
    }
    let plain = read(&noise, &search("/a[ab]*b(?:c|$)/"), &Budget::chars(2000)).unwrap();
    assert!(plain.contains("\"matches\":1"), "{plain}");
    let patterns: Vec<String> = (0..2000).map(|n| format!(r#"{{"v":"x","p":"\\p{{L}}{{{}}}"}}"#, n + 300)).collect();
    let error = read(&format!("[{}]", patterns.join(",")), &path("$[?match(@.v, @.p)]"), &Budget::chars(400)).unwrap_err();
    assert_eq!(error.code(), "INVALID_SELECTOR", "{error}");
}

#[test]
fn reads_go_through_the_session_and_renew_what_they_read() {
    let session = Session::in_memory(Limits::default()).unwrap();
    let original = format!("[{}]", vec![ORDERS; 100].join(","));
    let options = Options { notice: Some(Notice::default()), ..Options::new(Budget::chars(1500)) };
    let outcome = session.fit(original.into_bytes(), options).unwrap();
    let id = outcome.response_id.unwrap();
    let answer = session.read(&id, &path("/57/orders/1/id"), &Budget::chars(500)).unwrap();
    assert_eq!(answer, r#"{"part":"o-2","of":"/57/orders/1/id, complete"}"#);
    assert_eq!(session.read("nonsense", &path(""), &Budget::chars(500)), Err(Error::ResponseUnavailable));
    session.close();
    assert_eq!(session.read(&id, &path(""), &Budget::chars(500)), Err(Error::Closed));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z é\"\\\\\n👧\u{301}/~*.]{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 80, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map("[a-z/~*é\"0-9.]{0,6}", inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn pages_of_items_are_all_items(items in prop::collection::vec(value(), 1..40), chars in 400usize..3000) {
        let original = Value::from(items.clone()).to_string();
        let mut read_back = vec![];
        for page in pages(&original, &path(""), &Budget::chars(chars)).unwrap() {
            let about = about(&page);
            // An item alone over the budget is there once, cut.
            if about["of"].as_str().unwrap().contains("shortened") {
                read_back.push(items[read_back.len()].clone());
            } else {
                read_back.extend(about["part"].as_array().unwrap().clone());
            }
        }
        prop_assert_eq!(read_back, items);
    }

    #[test]
    fn pages_of_a_string_are_the_string(text in "\\PC{0,3000}", chars in 300usize..1000) {
        let original = json!({"a": text}).to_string();
        let read_back: String =
            pages(&original, &path("/a"), &Budget::chars(chars)).unwrap().iter().map(|page| about(page)["part"].as_str().unwrap().to_owned()).collect();
        prop_assert_eq!(read_back, text);
    }

    #[test]
    fn pages_of_lines_are_the_text(text in "[a-c é👧\r\n]{1,3000}", chars in 300usize..1000) {
        let mut read_back = String::new();
        let mut inside = true;
        for page in pages(&text, &lines("1-"), &Budget::chars(chars)).unwrap() {
            let of = about(&page)["of"].as_str().unwrap().to_owned();
            read_back += if inside { "" } else { "\n" };
            read_back += page.rsplit_once('\n').map_or("", |(lines, _)| lines);
            // Within a line the next page goes on without a line feed.
            inside = of.rsplit_once(" of ").is_some_and(|(read, total)| of.contains("characters") && !read.ends_with(&format!("-{total}")));
        }
        prop_assert_eq!(&read_back, text.strip_suffix('\n').unwrap_or(&text));
    }

    #[test]
    fn a_cursor_that_no_page_gave_is_refused(garbage in "[A-Za-z0-9_=/-]{0,60}", at: prop::sample::Index, to in "[A-Za-z0-9_-]") {
        let list = format!("[{}]", vec!["\"item\""; 500].join(","));
        let budget = Budget::chars(500);
        let cursor = about(&read(&list, &path(""), &budget).unwrap())["next_cursor"].as_str().unwrap().to_owned();
        let at = at.index(cursor.len());
        let changed = format!("{}{to}{}", &cursor[..at], &cursor[at + 1..]);
        for wrong in [&garbage, &changed, &cursor[..at], &format!("{cursor}{to}")] {
            if *wrong != cursor {
                prop_assert_eq!(read(&list, &Selector::Cursor(wrong.to_owned()), &budget), Err(Error::InvalidCursor));
            }
        }
    }

    #[test]
    fn every_path_and_line_that_a_notice_names_resolves(items in prop::collection::vec(value(), 1..60), text: bool, chars in 400usize..1500) {
        let original = if text { items.iter().map(|i| i.to_string().replace('\n', " ")).collect::<Vec<_>>().join("\n ~ ") } else { Value::from(items).to_string() };
        let session = Session::in_memory(Limits::default()).unwrap();
        let options = Options { notice: Some(Notice::default()), ..Options::new(Budget::chars(chars)) };
        let outcome = session.fit(original.clone().into_bytes(), options).unwrap();
        if outcome.report.pruned {
            prop_assert!(!outcome.report.omitted.is_empty());
        }
        for cut in outcome.report.omitted {
            let selector = match cut.place {
                Place::Path(path) => Selector::Path(serde_json::from_str(&format!("\"{path}\"")).unwrap()),
                Place::Lines(from, to) => Selector::Lines(format!("{from}-{to}")),
            };
            let answer = pages(&original, &selector, &Budget::chars(chars));
            prop_assert!(answer.is_ok(), "{selector:?}: {answer:?}");
        }
    }

    #[test]
    fn no_answer_is_over_its_budget(value in value(), pattern in "[a-z0-9/\"]{1,2}", limit in 200usize..600, bytes: bool) {
        let original = value.to_string();
        let budget = if bytes { Budget { bytes: Some(limit), ..Budget::default() } } else { Budget::chars(limit) };
        for selector in [path(""), search(&pattern), path("$..*"), lines("1")] {
            match pages(&original, &selector, &budget) {
                Ok(_) => {}
                Err(error) => prop_assert!(["PATH_NOT_FOUND", "BUDGET_TOO_SMALL"].contains(&error.code()), "{selector:?}: {error}"),
            }
        }
    }
}
