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

#[test]
fn each_of_several_things_asked_for_is_a_phrase() {
    let operations = list(400, |i| {
        let summary = match i {
            233 => format!("Start broken parts again {} {}", words(i), words(i + 3)),
            _ => format!("Start broken {} parts, {} again", words(i), words(i + 3)),
        };
        let note = if i % 40 == 17 { "panic".to_owned() } else { words(i + 1) };
        format!(r#"{{"id":"op-{i}","summary":"{summary}","note":"{note}"}}"#)
    });
    let preview = preview(&operations, 250, r#"{"look_for":"quotas, broken parts again, limits"}"#);
    assert!(preview.contains(r#""id":"op-233","summary":"Start broken parts again"#), "{preview}");
}

#[test]
fn names_that_join_the_words_of_a_phrase_are_meant() {
    for name in ["spare-part-orders", "spare_part_orders", "spare/part/orders"] {
        let paths = map(400, |i| {
            let last = match i {
                277 => name.to_owned(),
                _ if i % 2 == 0 => format!("spare-{}-orders", words(i).replace(' ', "-")),
                _ => format!("part-{}", words(i).replace(' ', "-")),
            };
            format!(r#""/shops/{i}/{last}":{{"get":{{"summary":"{}"}}}}"#, words(i))
        });
        let preview = preview(&paths, 700, r#"{"query":"spare part orders"}"#);
        assert!(preview.contains(name), "{name}: {preview}");
    }
}

#[test]
fn the_end_of_a_name_says_what_it_names() {
    let paths = map(400, |i| match i {
        371 => r#""/shops/371/alerts":{"get":{"summary":"amber"}}"#.to_owned(),
        _ if i % 20 == 3 => format!(r#""/shops/{i}/alerts/{}":{{"get":{{"summary":"amber"}}}}"#, words(i).replace(' ', "-")),
        _ => format!(r#""/shops/{i}/{}":{{"get":{{"summary":"{}"}}}}"#, words(i).replace(' ', "-"), words(i)),
    });
    let preview = preview(&paths, 600, r#"{"query":"alerts"}"#);
    assert!(preview.contains(r#""/shops/371/alerts""#), "{preview}");
}

#[test]
fn what_the_call_asks_for_counts_however_long_the_record_is_that_says_it() {
    let pages = list(60, |i| {
        let body = (0..600).map(|k| if i == 41 && k == 570 { "zeppelin".to_owned() } else { words(i + k) }).collect::<Vec<_>>().join(" ");
        let state = if i % 5 == 2 { format!("s{i}") } else { "well".to_owned() };
        format!(r#"{{"page":"p{i}","state":"{state}","body":"{body}"}}"#)
    });
    let preview = preview(&pages, 300, r#"{"query":"zeppelin"}"#);
    assert!(preview.contains(r#""page":"p41","body":""#), "{preview}");
}

#[test]
fn a_record_that_is_called_what_the_call_says_comes_before_those_that_mention_it() {
    let packages = list(200, |i| {
        let name = if i == 150 { "lattice".to_owned() } else { format!("part-{i}") };
        format!(r#"{{"root":"/src/lattice/{i}","name":"{name}","license":"{}","features":["{}"]}}"#, words(i), words(i + 2))
    });
    let preview = preview(&packages, 700, r#"{"cwd":"/src/lattice"}"#);
    assert!(preview.contains(r#""name":"lattice""#), "{preview}");
}

#[test]
fn the_cursor_of_the_next_page_stays_however_deep_it_stands() {
    let nodes = list(200, |i| format!(r#"{{"title":"{}","state":"s{}"}}"#, words(i), i % 7));
    let page = r#"{"__typename":"PageInfo","hasNextPage":true,"endCursor":"Y3Vyc29yOnYyOpHOABCD 99"}"#;
    let result = format!(r#"{{"data":{{"repository":{{"ref":{{"compare":{{"commits":{{"nodes":{nodes},"pageInfo":{page}}}}}}}}}}}}}"#);
    for budget in [400, 800, 2000] {
        let preview = preview(&result, budget, "");
        assert!(preview.contains("Y3Vyc29yOnYyOpHOABCD 99"), "{budget}: {preview}");
    }
}

#[test]
fn a_part_of_an_outline_costs_what_it_needs_around_it() {
    let file = |i: usize| format!("/home/builder/workspace/modules/{}/Source{i}.java", words(i).replace(' ', "/"));
    let report = (0..60).map(|i| {
        let level = if i % 4 == 1 { 4 } else { 3 };
        format!("<file name=\"{}\"><finding rule=\"Rule{}\" level=\"{level}\">Avoid {} here</finding></file>\n", file(i), i % 9, words(i))
    });
    let preview = preview(&format!("<report>\n{}</report>", report.collect::<String>()), 1500, "");
    let files = preview.matches("<file name").count();
    assert!(preview.matches("Avoid ").count() * 2 >= files && files > 1, "{preview}");
}

#[test]
fn a_record_that_nothing_names_comes_with_its_kind() {
    const FUNCTIONS: [&str; 5] = ["invoke_middleware", "await_next_step", "run_inner_loop", "handle_request", "divide_by_zero"];
    let frames = list(60, |i| {
        let (ours, line) = if i >= 58 { (true, format!("{}", i % 50)) } else { (false, "null".to_owned()) };
        format!(r#"{{"line":{line},"ours":{ours},"trust":null,"function":"{}","note":"{}"}}"#, FUNCTIONS[i % 5], words(i % 3))
    });
    let preview = preview(&frames, 400, "");
    assert_eq!(preview.matches(r#""ours":true"#).count(), 2, "{preview}");
    assert!(
        preview.contains(r#""ours":true,"function":"handle_request""#) && preview.contains(r#""ours":true,"function":"divide_by_zero""#),
        "{preview}"
    );
}

#[test]
fn a_name_that_stands_deeper_in_a_record_comes_with_it_too() {
    let name = |i: usize| format!("{}-{}-{i}", words(i), words(i + 5)).replace(' ', "-");
    let workers = list(60, |i| {
        let phase = if i == 41 { "Stalled" } else { "Working" };
        let labels = format!(r#"{{"tier":"{}","zone":"z{}"}}"#, words(i % 4), i % 3);
        let meta = format!(r#"{{"labels":{labels},"revision":"{:08x}","identity":{{"name":"{}"}}}}"#, i * 7919, name(i));
        format!(r#"{{"meta":{meta},"progress":{{"phase":"{phase}","step":{},"reason":"{}"}}}}"#, i % 7, &words(i % 5)[..20])
    });
    for budget in (500..2000).step_by(50) {
        let preview = preview(&workers, budget, "");
        assert!(preview.contains(r#""phase":"Stalled""#) && preview.contains(&name(41)), "{budget}: {preview}");
    }
}

#[test]
fn the_smallest_is_news_where_it_is_as_far_out_as_the_largest() {
    // Ratings spread evenly; amounts pile up at their low end.
    let films = list(200, |i| {
        let rating = match i {
            71 => "8.3".to_owned(),
            133 => "4.6".to_owned(),
            _ => format!("{:.1}", 5.0 + (i * 37 % 100) as f32 / 33.4),
        };
        let (gross, votes) = (1000 + i * i * 977 % 91_111, 10 + i * i * 31 % 9_770);
        format!(r#"{{"film":"{} {i}","rating":{rating},"gross":{gross},"votes":{votes}}}"#, words(i))
    });
    for budget in [500, 600] {
        let preview = preview(&films, budget, "");
        assert!(preview.contains(r#""rating":4.6"#), "{budget}: {preview}");
    }
}

#[test]
fn the_last_point_of_a_series_comes_with_what_it_is_called() {
    let series = list(24, |i| {
        let points = list(40, |k| format!(r#"[{},"{}.{}"]"#, 1_700_000_000 + 15 * k, i + 3, (k * 37 + i) % 100));
        format!(r#"{{"metric":{{"name":"{}_{i}","job":"web","zone":"eu"}},"values":{points}}}"#, words(i).replace(' ', "_"))
    });
    let preview = preview(&format!(r#"{{"status":"success","result":{series}}}"#), 2000, "");
    assert!(preview.matches("[1700000585,").count() >= 6, "{preview}");
}

#[test]
fn each_gap_of_a_list_names_what_it_omits() {
    let name = |i: usize| format!("T{i}-{}", &words(i)[..4]);
    let tickets = list(60, |i| {
        let state = if [19, 21, 41].contains(&i) { "blocked" } else { "open" };
        format!(r#"{{"title":"{}","state":"{state}","note":"{}"}}"#, name(i), words(i + 3).repeat(3))
    });
    let preview = preview(&tickets, 1000, "");
    // Those of its own gap only: all names stand in order.
    let places: Vec<usize> = (0..60).filter_map(|i| preview.find(&name(i))).collect();
    assert!(places.is_sorted() && preview.contains("omitted: T29-fern, T31-ceda"), "{places:?} {preview}");
}

#[test]
fn words_of_trouble_in_titles_are_little_news_beside_numbers() {
    const TROUBLE: [&str; 10] =
        ["segfault", "oomkilled", "fatal", "panic", "traceback", "critical", "crash", "corrupt", "unhealthy", "outage"];
    let films = list(300, |i| {
        let title = if i % 20 == 11 { TROUBLE[i / 20 % 10] } else { "quiet" };
        let gross = if i == 229 { 1800 } else { 1000 + i * 977 % 701 };
        let minutes = if i == 153 { 130 } else { 90 + i * 37 % 31 };
        let votes = if i == 274 { 100 } else { 10 + i * 53 % 83 };
        format!(r#"{{"title":"{title} {} {i}","gross":{gross},"minutes":{minutes},"votes":{votes}}}"#, words(i))
    });
    let preview = preview(&films, 1000, "");
    assert!(TROUBLE.iter().filter(|word| preview.contains(*word)).count() <= 1, "{preview}");
    for extreme in [r#""gross":1800"#, r#""minutes":130"#, r#""votes":100"#] {
        assert!(preview.contains(extreme), "{extreme}: {preview}");
    }
}

#[test]
fn a_marker_tells_states_that_the_records_have_and_not_a_few_of_them() {
    let parts = list(120, |i| {
        let needs = if i % 12 == 5 { format!(r#","needs":{{"level":"v{}"}}"#, i % 5) } else { String::new() };
        format!(r#"{{"name":"{}-{i}","license":"{}","note":"{}"{needs}}}"#, words(i), ["MIT", "ISC", "BSD"][i * 7 % 3], words(i + 1))
    });
    let preview = preview(&parts, 1200, "");
    assert!(preview.contains("omitted: license ") && !preview.contains("level v"), "{preview}");
}

#[test]
fn what_a_record_has_said_waits_for_what_it_has_not() {
    let parcels = list(40, |i| {
        // In one parcel of three it goes to where it came from.
        let to = if i % 3 == 0 { i } else { i + 50 };
        format!(
            r#"{{"name":"{} {i}","from":{{"host":"host-{i}.example"}},"to":{{"host":"host-{to}.example"}},"cargo":{{"label":"box {}"}}}}"#,
            words(i),
            words(i + 2)
        )
    });
    for budget in (700..950).step_by(50) {
        let preview = preview(&parcels, budget, "");
        assert!(preview.matches("host-0.example").count() == 1 && preview.contains("box ivory"), "{budget}: {preview}");
    }
}

#[test]
fn a_short_list_that_records_repeat_is_said_once() {
    let input = list(60, |i| {
        let files = if i == 30 { r#"["bin","extra.js"]"# } else { r#"["bin","index.js"]"# };
        format!(r#"{{"name":"{}","version":"1.0.{i}","files":{files}}}"#, words(i))
    });
    let text = preview(&input, 1500, "{}");
    assert_eq!(text.matches("index.js").count(), 1, "{text}");
    assert!(text.contains("extra.js"), "{text}");
}

#[test]
fn a_record_that_stands_out_comes_with_what_tells_it_from_others() {
    let jobs = list(120, |i| {
        let status = if i == 57 { "failed" } else { "done" };
        let (branch, worker) = (i * 37 % 120, i * 13 % 500);
        format!(
            r#"{{"name":"job {i}","status":"{status}","branch":"fix-{branch}-it","worker":"worker-{worker}","host":"host-{}.example"}}"#,
            i * 7
        )
    });
    for budget in (800..1400).step_by(50) {
        let preview = preview(&jobs, budget, "");
        let whole = r#"{"name":"job 57","status":"failed","branch":"fix-69-it","worker":"worker-241","host":"host-399.example"}"#;
        assert!(preview.contains(whole), "{budget}: {preview}");
    }
}
