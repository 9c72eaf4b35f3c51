//! What is kept first: the principles of `docs/how-it-chooses.md`, one small result each, made so that no other principle decides.

use snugfit_engine::{Budget, Options, fit};

fn preview(input: &str, budget: usize, arguments: &str) -> String {
    let options = Options { arguments: arguments.to_owned(), ..Options::new(Budget::chars(budget)) };
    match fit(input, &options) {
        Ok(fitted) => fitted.text,
        Err(error) => panic!("{error}"),
    }
}

fn list(count: usize, make: impl FnMut(usize) -> String) -> String {
    format!("[{}]", (0..count).map(make).collect::<Vec<_>>().join(","))
}

fn map(count: usize, make: impl FnMut(usize) -> String) -> String {
    format!("{{{}}}", (0..count).map(make).collect::<Vec<_>>().join(","))
}

fn words(i: usize) -> String {
    const WORDS: [&str; 8] = ["amber", "cedar", "delta", "fern", "glacier", "harbor", "ivory", "lantern"];
    (0..6).map(|k| WORDS[(i * 7 + k * (i + 3)) % 8]).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_rare_state_comes_with_the_name_of_its_record() {
    let name = |i: usize| format!("services/checkout/handlers/{}/module-{i}.ts", words(i).replace(' ', "/"));
    let files = list(90, |i| {
        let status = if i == 57 { "removed" } else { "renamed" };
        format!(r#"{{"sha":"{:040x}","status":"{status}","patch":"{}","filename":"{}"}}"#, i * 7919, words(i), name(i))
    });
    for budget in (400..2000).step_by(40) {
        let preview = preview(&files, budget, "");
        let state = preview.contains(r#""status":"removed""#);
        assert_eq!(state, preview.contains(&format!(r#""status":"removed","filename":"{}"}}"#, name(57))), "{budget}: {preview}");
        assert!(state || budget < 800, "{budget}: {preview}");
    }
}

#[test]
fn numbers_that_count_up_name_nothing_where_something_else_does() {
    let issues = list(60, |i| format!(r#"{{"number":{},"title":"{} {i}","body":"{}"}}"#, 9000 - i, words(i), words(i + 1).repeat(8)));
    let preview = preview(&issues, 1500, "");
    assert!(preview.matches("\"title\"").count() * 3 >= preview.matches("\"number\"").count() * 2, "{preview}");
}

#[test]
fn a_field_that_repeats_in_many_records_names_none_of_them() {
    let spans = list(120, |i| format!(r#"{{"name":"by-id-{}","note":"{}","title":"{} {i}"}}"#, i / 3, words(i), words(i + 2)));
    let preview = preview(&spans, 1200, "");
    assert!(preview.matches("\"title\"").count() > preview.matches("\"name\"").count(), "{preview}");
}

#[test]
fn an_entry_of_a_map_shows_a_field_that_costs_no_more_than_its_size() {
    let counters =
        map(300, |i| format!(r#""MAIN.part_{i}.total":{{"description":"{} of part {i}","flag":"c","value":{}}}"#, words(i), i % 3));
    let preview = preview(&counters, 1500, "");
    assert!(preview.matches("\"value\":").count() >= 12 && !preview.contains("…[+"), "{preview}");
}

#[test]
fn what_few_records_have_is_looked_into() {
    let packages = list(80, |i| {
        let found = if i == 33 { r#","advisories":[{"name":"GX-2031","level":"HIGH"},{"name":"GX-2077","level":"HIGH"}]"# } else { "" };
        format!(r#"{{"file":"lib-{i}.jar","evidence":[{{"from":"{}"}},{{"from":"{}"}}]{found}}}"#, words(i), words(i + 5))
    });
    let preview = preview(&packages, 1000, "");
    assert!(preview.contains("GX-2031") && preview.contains("lib-33.jar"), "{preview}");
}

#[test]
fn the_call_names_keys_of_a_map_however_often_the_text_says_the_word() {
    let paths = map(400, |i| {
        let name = if i % 100 == 61 { format!("/repos/{i}/alerts") } else { format!("/repos/{i}/{}", words(i).replace(' ', "-")) };
        format!(r#""{name}":{{"get":{{"summary":"{}","responses":"see alerts and alerts"}}}}"#, words(i))
    });
    let preview = preview(&paths, 2000, r#"{"look_for":"alerts"}"#);
    for named in ["/repos/61/alerts", "/repos/161/alerts", "/repos/261/alerts", "/repos/361/alerts"] {
        assert!(preview.contains(named), "{named}: {preview}");
    }
}

#[test]
fn nulls_do_not_hide_the_largest_of_the_numbers() {
    let quakes = list(200, |i| {
        let felt = match i {
            120 => "935".to_owned(),
            _ if i % 5 == 0 => format!("{}", i % 40),
            _ => "null".to_owned(),
        };
        format!(r#"{{"id":"q{:05x}","felt":{felt},"note":"{}"}}"#, i * 7919 % 65536, words(i))
    });
    let preview = preview(&quakes, 1500, "");
    assert!(preview.contains("\"felt\":935"), "{preview}");
}

#[test]
fn a_counter_of_failures_that_stands_at_zero_is_no_news() {
    let counters = map(300, |i| match i {
        290 => r#""part_290":{"help":"Fetches failed in part 290","count":4}"#.to_owned(),
        _ if i % 10 == 5 => format!(r#""part_{i}":{{"help":"Fetches failed in part {i}","count":0}}"#),
        _ => format!(r#""part_{i}":{{"help":"Fetches served by part {i}","count":{}}}"#, i % 9),
    });
    let preview = preview(&counters, 700, "");
    assert!(preview.contains("part_290"), "{preview}");
}

#[test]
fn what_stands_out_deep_inside_a_long_record_is_little_news_of_the_record() {
    const TROUBLE: [&str; 10] =
        ["segfault", "oomkilled", "fatal", "panic", "traceback", "critical", "crash", "corrupt", "unhealthy", "outage"];
    let releases = list(40, |i| {
        let state = [29, 33, 37].contains(&i);
        let word = i.checked_sub(5).and_then(|at| TROUBLE.get(at)).unwrap_or(&"calm");
        let body = (0..60).map(|k| if k == 40 { (*word).to_owned() } else { words(i + k) }).collect::<Vec<_>>().join(" ");
        format!(r#"{{"tag":"v{}.{}","prerelease":{state},"body":"{body}"}}"#, i / 10, i % 10)
    });
    let preview = preview(&releases, 900, "");
    assert!(preview.contains(r#""tag":"v2.9","prerelease":true"#), "{preview}");
}
