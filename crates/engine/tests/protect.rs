//! `protect` where not all of it fits: what the rest says matters most comes first, and other facts keep their room.

use std::fmt::Write as _;

use serde_json::json;
use snugfit_engine::{Budget, Options, fit};

fn options(chars: usize, protect: &[&str]) -> Options {
    Options { protect: protect.iter().map(|&pattern| pattern.to_owned()).collect(), ..Options::new(Budget::chars(chars)) }
}

fn trace(order: usize) -> String {
    format!("{order:x>60}")
}

fn orders(count: usize) -> String {
    let orders: Vec<String> = (0..count)
        .map(|n| {
            let (trace, door) = (trace(n), n % 7);
            format!(r#"{{"id":{n},"customer":"c-{n}","trace":"{trace}","note":"left at door {door}","state":"paid"}}"#)
        })
        .collect();
    format!(r#"{{"orders":[{}],"total":{count}}}"#, orders.join(","))
}

#[test]
fn a_key_of_every_record_leaves_room_for_the_record_asked_for() {
    let input = orders(1200);
    for key in ["customer", "note", "/orders/*/customer", "/orders/*", "state", "orders"] {
        let options = Options { relevance: "customer c-417".to_owned(), drop: vec!["trace".to_owned()], ..options(2000, &[key]) };
        let text = fit(&input, &options).unwrap().text;
        assert!(text.contains(r#""total":1200"#), "{key}: {text}");
        assert!(text.contains(r#""id":417,"customer":"c-417""#), "{key}: {text}");
        assert!(text.contains(r#""customer":"c-0""#) && text.contains(r#""customer":"c-1199""#), "{key}: {text}");
        for chars in [2000, 60_000] {
            let length = fit(&input, &Options { budget: Budget::chars(chars), ..options.clone() }).unwrap().text.len();
            assert!(length * 100 > chars * 95, "{key}: {length} of {chars}");
        }
    }
}

#[test]
fn as_many_are_kept_as_fit_half_of_the_budget() {
    let text = fit(&orders(5000), &options(1500, &["note"])).unwrap().text;
    let notes = text.matches(r#""note":"#).count();
    assert!((20..=60).contains(&notes), "{notes} notes: {text}");
    assert!(text.contains(r#""id":4999"#) && text.contains(r#""total":5000"#), "{text}");
}

#[test]
fn all_that_is_protected_stays_where_it_fits() {
    let input = orders(800);
    let protected = || (0..40).map(|n| 17 * n + 3);
    let pointers = protected().map(|n| format!("/orders/{n}/trace")).collect();
    let text = fit(&input, &Options { protect: pointers, ..options(5000, &[]) }).unwrap().text;
    assert!(protected().all(|n| text.contains(&trace(n))), "{text}");
    assert!(text.contains(r#""total":800"#), "{text}");
}

#[test]
fn protected_values_of_which_none_fits_cost_nothing_else() {
    let input = (0..2000).map(|n| format!(r#"{{"id":{n},"name":"part {n}","token":"{n:x>1400}"}}"#)).collect::<Vec<_>>().join(",");
    let text = fit(&format!(r#"{{"parts":[{input}],"total":2000}}"#), &options(1000, &["token"])).unwrap().text;
    assert!(text.contains(r#""total":2000"#) && text.contains(r#""id":0,"name":"part 0""#), "{text}");
    assert!(text.len() > 950, "{}: {text}", text.len());
}

#[test]
fn a_text_that_is_larger_than_the_budget_is_shortened() {
    let words = (0..4000).fold(String::new(), |mut text, n| {
        let _ = write!(text, "word{n} ");
        text
    });
    let input = json!({"title": "Minutes", "text": words, "other": "y ".repeat(3000)}).to_string();
    let text = fit(&input, &options(2000, &["text"])).unwrap().text;
    assert!(text.contains("word0 word1 word2") && text.contains("word60 "), "{text}");
    assert!(text.contains(r#""title":"Minutes""#), "{text}");
}
