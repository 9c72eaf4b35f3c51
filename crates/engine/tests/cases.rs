//! Inputs that went wrong somewhere once, here or in a peer: one test a case, small inputs of the same make. Every result also passes the checks
//! of `support/check.rs`. Nothing is timed: what is quadratic does not finish.

mod support;

use snugfit_engine::{Budget, Fitted, Options, fit, fit_bytes};
use support::check::{check, clip};
use support::make::{CLUSTERS, Rng};
use support::random::recovery_notice;
use support::tree::Tree;

fn chars(limit: usize) -> Options {
    Options::new(Budget::chars(limit))
}

/// Fits at each budget, without and with a notice, and says where a needed text is gone.
fn keeps(input: &str, budgets: &[usize], needed: &[&str]) {
    for &budget in budgets {
        for notice in [None, Some(recovery_notice())] {
            let with_notice = notice.is_some();
            if with_notice && budget < 350 {
                continue;
            }
            let fitted = fits(input, &Options { notice, ..chars(budget) });
            for text in needed.iter().filter(|_| !with_notice || budget >= 800) {
                assert!(fitted.text.contains(text), "{text} is gone at {budget} (notice: {with_notice}): {}", clip(&fitted.text));
            }
        }
    }
}

fn fits(input: &str, options: &Options) -> Fitted {
    match check(input, options) {
        Ok(fitted) => fitted.unwrap_or_else(|| panic!("{:?} is too small for {}", options.budget, clip(input))),
        Err(error) => panic!("{error}\n  input: {}", clip(input)),
    }
}

fn list<T: std::fmt::Display>(count: usize, make: impl FnMut(usize) -> T) -> String {
    (0..count).map(make).map(|t| t.to_string()).collect::<Vec<_>>().join(",")
}

#[test]
fn needle() {
    let mut rng = Rng(1);
    let checks = list(300, |i| match i {
        187 => {
            "{\"id\":187,\"name\":\"check-187\",\"status\":\"CRITICAL\",\"latency_ms\":99999,\"message\":\"replica lost: 9000s behind\"}"
                .to_owned()
        }
        _ => format!(
            "{{\"id\":{i},\"name\":\"check-{i}\",\"status\":\"ok\",\"latency_ms\":{},\"message\":\"all good\",\"details\":\"{}\"}}",
            10 + rng.below(9),
            rng.words(20)
        ),
    });
    keeps(
        &format!("{{\"checks\":[{checks}],\"total\":300}}"),
        &[1000, 2000, 4000, 8000],
        &["CRITICAL", "replica lost: 9000s behind", "\"total\":300"],
    );
}

#[test]
fn ndjson() {
    let mut rng = Rng(2);
    let lines: Vec<String> = (0..300)
        .map(|i| {
            format!(
                "{{\"level\":\"{}\",\"id\":{i},\"msg\":\"{}\"}}",
                if i == 137 { "ERROR" } else { "INFO" },
                if i == 137 { "disk full on /dev/sdb".to_owned() } else { rng.words(6) }
            )
        })
        .collect();
    keeps(&lines.join("\n"), &[1000, 2000, 4000, 8000], &["disk full on /dev/sdb", "\"id\":137"]);
}

#[test]
fn rows_of_csv() {
    let mut rng = Rng(3);
    let rows: Vec<String> =
        (0..400).map(|i| format!("{i},{},{},{}", rng.words(1), if i == 211 { "FAILED" } else { "ok" }, 1 + rng.below(999))).collect();
    keeps(&format!("id,name,status,amount\n{}", rows.join("\n")), &[500, 1000, 2000, 4000], &["211,", "FAILED", "id,name,status,amount"]);
}

#[test]
fn map_by_id() {
    let mut rng = Rng(4);
    let members = list(200, |i| {
        format!(
            "\"{}\":{{\"name\":\"{}\",\"status\":\"{}\",\"avatar\":\"https://img.example.com/{i}.png\",\"desc\":\"{}\"}}",
            1000 + i,
            rng.words(2),
            if i == 150 { "FAILED" } else { "ok" },
            rng.words(20)
        )
    });
    keeps(&format!("{{{members}}}"), &[1000, 2000, 4000, 8000], &["\"1150\":", "FAILED"]);
}

#[test]
fn columns_and_rows() {
    let mut rng = Rng(5);
    let rows = list(600, |i| format!("[{i},\"{}\",\"{}\",{}]", rng.words(2), if i == 311 { "FAILED" } else { "ok" }, rng.below(999)));
    keeps(
        &format!("{{\"columns\":[\"id\",\"name\",\"status\",\"amount\"],\"rows\":[{rows}]}}"),
        &[1000, 2000, 4000, 8000],
        &["[311,", "\"FAILED\"", "\"columns\""],
    );
}

#[test]
fn numbers() {
    let values = list(4000, |i| if i == 555 { 9999 } else { 20 });
    keeps(&format!("{{\"values\":[{values}]}}"), &[300, 1000, 2000], &["9999"]);
}

#[test]
fn error_last() {
    let mut rng = Rng(6);
    let blobs = list(40, |i| format!("\"blob{i}\":\"{}\"", rng.words(250)));
    keeps(
        &format!("{{\"data\":{{{blobs}}},\"error\":{{\"code\":\"E_LIMIT\",\"message\":\"limit reached; retry after 3600s\"}}}}"),
        &[500, 1000, 4000],
        &["E_LIMIT", "retry after 3600s"],
    );
}

#[test]
fn cursor() {
    let mut rng = Rng(7);
    let token = format!("{}==", "Qm9iYWtVc".repeat(26));
    let items = list(40, |i| format!("{{\"id\":{i},\"body\":\"{}\"}}", rng.words(60)));
    keeps(
        &format!("{{\"items\":[{items}],\"nextPageToken\":\"{token}\"}}"),
        &[1000, 2000, 4000, 8000],
        &[&format!("\"nextPageToken\":\"{token}\"")],
    );
}

#[test]
fn ids() {
    let mut rng = Rng(8);
    let (uuid, sha, url) = (rng.uuid(), rng.hex(40), "https://example.com/a/b/c?x=1&y=2");
    let input = format!("{{\"id\":\"{uuid}\",\"sha\":\"{sha}\",\"url\":\"{url}\",\"note\":\"{}\"}}", rng.words(200));
    keeps(&input, &[400, 600, 800], &[&uuid, &sha, url]);
}

#[test]
fn nullable() {
    let mut rng = Rng(9);
    let issues = list(60, |i| {
        let person = if i == 7 {
            "null".to_owned()
        } else {
            format!("{{\"displayName\":\"Person {}\",\"avatarUrl\":\"https://img.example.com/a.png\"}}", i % 9)
        };
        format!("{{\"key\":\"OPS-{i}\",\"assignee\":{person},\"description\":\"{}\"}}", rng.words(80))
    });
    keeps(&format!("{{\"issues\":[{issues}],\"total\":214}}"), &[4000], &["OPS-0", "OPS-59", "Person 3", "\"total\":214"]);
}

#[test]
fn long_content() {
    let mut rng = Rng(10);
    let results = list(10, |i| format!("{{\"id\":{i},\"title\":\"{}\",\"content\":\"{}\"}}", rng.words(4), rng.words(900)));
    keeps(&format!("{{\"results\":[{results}]}}"), &[1000, 2000], &["\"content\""]);
}

#[test]
fn build_log() {
    let mut rng = Rng(11);
    let lines: Vec<String> = (0..1200)
        .map(|i| {
            let time = format!("2026-05-01 00:{:02}:{:02} INFO", i / 60, i % 60);
            if i == 611 {
                format!("{time} worker 3 rejected order 8841: card expired, refund issued")
            } else {
                format!("{time} worker {} processed batch {i} in {}ms", i % 9, rng.below(90))
            }
        })
        .collect();
    keeps(&lines.join("\n"), &[1000, 2000, 4000], &["card expired, refund issued"]);
}

#[test]
fn ansi_log() {
    let pass = "\u{1b}[32m✓\u{1b}[0m ok\n".repeat(900);
    let input = format!(
        "{pass}\u{1b}[31m✗ keeps the session\u{1b}[0m\n  \u{1b}[31mAssertionError\u{1b}[0m: expected 401, got 200\n    at test/session.test.ts:42:11\n{pass}Tests: 1 failed, 1800 passed\n"
    );
    keeps(
        &input,
        &[500, 1000, 2000],
        &["keeps the session", "expected 401, got 200", "test/session.test.ts:42:11", "1 failed, 1800 passed"],
    );
    assert!(!fits(&input, &chars(1000)).text.contains('\u{1b}'));
}

#[test]
fn many_files_in_a_diff() {
    let mut rng = Rng(12);
    let files: String = (0..30)
        .map(|f| format!("diff --git a/src/f{f}.rs b/src/f{f}.rs\nindex 1..2 100644\n--- a/src/f{f}.rs\n+++ b/src/f{f}.rs\n@@ -1,8 +1,8 @@ fn g\n {}\n {}\n-let old{f} = 1;\n+let new{f} = 2;\n {}\n", rng.words(9), rng.words(9), rng.words(9)))
        .collect();
    keeps(&files, &[4000, 8000], &["src/f0.rs", "src/f15.rs", "src/f29.rs", "new0"]);
}

#[test]
fn page_of_html() {
    let mut rng = Rng(13);
    let links: String = (0..200).map(|i| format!("<a href=\"/p{i}\">Link {i}</a>")).collect();
    let text: String = (0..100).map(|_| format!("<p>{}</p>", rng.words(30))).collect();
    let page = format!(
        "<!DOCTYPE html><html><head><title>Status</title><style>.a{{}}</style><script>var x=1</script></head><body><nav>{links}</nav><main><h1>Outage</h1><p>Root cause: a full disk on lb-3.</p>{text}</main></body></html>"
    );
    keeps(&page, &[500, 1000, 2000], &["a full disk on lb-3"]);
}

#[test]
fn jsx_in_json() {
    let mut rng = Rng(14);
    let rows: String =
        (0..40).map(|i| format!("<div className=\\\"row-{i}\\\" onClick={{()=>save({i})}}><span>Item</span></div>\\n")).collect();
    keeps(
        &format!("{{\"path\":\"src/App.jsx\",\"content\":\"import React from 'react';\\n{rows}\",\"other\":\"{}\"}}", rng.words(900)),
        &[1000, 2000],
        &["className"],
    );
}

#[test]
fn duplicate_keys() {
    keeps(&format!("{{\"a\":1,\"a\":2,\"text\":\"{}\",\"a\":3}}", "y ".repeat(800)), &[200, 600], &["\"a\":1", "\"a\":2", "\"a\":3"]);
}

#[test]
fn numbers_exact() {
    let input = format!(
        "{{\"truncation\":{{\"note\":\"ours\"}},\"a\":1e400,\"b\":12345678901234567890123,\"c\":1.10,\"d\":-0.0,\"big\":\"{}\"}}",
        "x".repeat(3000)
    );
    for budget in [500, 1500] {
        let text = fits(&input, &chars(budget)).text;
        for number in ["1e400", "12345678901234567890123", "1.10", "-0.0", "\"note\":\"ours\""] {
            assert!(text.contains(number), "{number} is gone at {budget}");
        }
    }
    fits(&input, &Options { notice: Some(recovery_notice()), ..chars(1500) });
}

#[test]
fn giant_number() {
    keeps(&format!("{{\"id\":1,\"n\":{},\"title\":\"hello\"}}", "9".repeat(5000)), &[200, 1000], &["\"title\":\"hello\"", "\"id\":1"]);
}

#[test]
fn lone_surrogates() {
    keeps(&format!(r#"{{"id":"A\ud800B","title":"ok \udc00 end","body":"{}"}}"#, "z ".repeat(800)), &[200, 800], &[r"A\ud800B"]);
}

#[test]
fn graphemes() {
    let input =
        format!("{{\"family\":\"{}\",\"accents\":\"{}\",\"flags\":\"{}\"}}", "👨‍👩‍👧‍👦".repeat(400), "e\u{301}".repeat(2000), "🇩🇪🇫🇷".repeat(600));
    keeps(&input, &[100, 250, 301, 999], &[]);
    for cluster in CLUSTERS {
        for budget in [60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 400] {
            fits(&cluster.repeat(900), &chars(budget));
            fits(&format!("[\"{}\"]", cluster.repeat(900)), &chars(budget));
        }
    }
}

#[test]
fn marker_key() {
    let mut rng = Rng(15);
    let input = format!(
        "{{\"…\":\"a real key\",\"truncation\":{{\"mine\":true}},\"list\":[\"…[3 omitted]\",\"…[3 omitted]\"],\"text\":\"{}\"}}",
        rng.words(600)
    );
    for budget in [400, 1000] {
        let text = fits(&input, &chars(budget)).text;
        assert!(text.contains("a real key") && text.contains("\"mine\":true") && text.contains("⋯["), "{text}");
    }
}

#[test]
fn prefix_before_json() {
    let items = list(300, |i| format!("{{\"id\":{i},\"name\":\"n{i}\"}}"));
    keeps(&format!("Here are the results:\n{{\"items\":[{items}]}}"), &[1000, 3000], &["Here are the results:"]);
}

#[test]
fn not_json() {
    let items = list(300, |i| format!("{{\"id\":{i},\"name\":\"n{i}\"}}"));
    let input = format!("{{\"items\":[{items}]}}");
    keeps(&input[..input.len() - 50], &[1000, 3000], &["{\"items\":[{\"id\":0,"]);
}

#[test]
fn byte_order_mark() {
    let mut rng = Rng(16);
    let text = fits(&format!("\u{feff}{{\"a\":\"{}\"}}", rng.words(900)), &chars(300)).text;
    assert!(text.starts_with("\u{feff}{\"a\":"), "{text}");
}

/// A hundred thousand levels, with little in them or much.
#[test]
fn deep() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"k\":[", "]}]")] {
        for leaf in ["1", "\"leaf leaf leaf leaf\"", "[]"] {
            let input = format!("{}{leaf}{}", open.repeat(100_000), close.repeat(100_000));
            for budget in [40, 350, 20_000] {
                fits(&input, &chars(budget));
            }
            fits(&input, &Options { notice: Some(recovery_notice()), indent: 2, ..chars(2000) });
        }
    }
    for half in ["[".repeat(1_000_000), "{\"a\":".repeat(300_000)] {
        fits(&half, &chars(2000));
    }
}

#[test]
fn a_key_of_five_megabytes() {
    let key = "k".repeat(5_000_000);
    for input in [
        format!("{{\"{key}\":1}}"),
        format!("{{\"a\":1,\"{key}\":{{\"b\":[1,2,3]}},\"z\":2}}"),
        format!("[{{\"{key}\":1}},{{\"{key}\":2}}]"),
    ] {
        fits(&input, &chars(400));
        fits(&input, &Options { notice: Some(recovery_notice()), ..chars(2000) });
    }
}

#[test]
fn a_million_empty_arrays() {
    for empty in ["[]", "{}", "null", "\"\"", "[[]]"] {
        fits(&format!("[{}]", vec![empty; 1_000_000].join(",")), &chars(2000));
    }
}

#[test]
fn twenty_thousand_keys() {
    let members = list(20_000, |i| format!("\"key{i}\":{i}"));
    fits(&format!("{{{members}}}"), &Options { notice: Some(recovery_notice()), ..chars(2000) });
    let records = list(2_000, |i| format!("{{\"k{i}\":1,\"k{}\":2}}", i + 1));
    fits(&format!("[{records}]"), &chars(2000));
}

#[test]
fn nul_and_controls() {
    for input in [
        "\0".repeat(100_000),
        "\u{1}\u{7f}\u{85}\u{2028}\n".repeat(20_000),
        format!("[\"{}\"]", "\\u0000".repeat(50_000)),
        "\r".repeat(100_000),
        "\n".repeat(100_000),
    ] {
        fits(&input, &chars(500));
    }
}

#[test]
fn bytes_that_are_not_utf_8() {
    let bytes: Vec<u8> = (0..=255u8).cycle().take(500_000).collect();
    for input in [
        bytes,
        vec![0xff; 100_000],
        b"[\"\xc3\x28\",\"\xed\xa0\x80\"]".to_vec(),
        [b"[\"".to_vec(), vec![0x80; 9000], b"\"]".to_vec()].concat(),
    ] {
        let fitted = fit_bytes(&input, &chars(400)).unwrap();
        assert!(fitted.report.replaced > 0 && fitted.text.chars().count() <= 400);
    }
}

/// Each of these takes a peer from seconds to minutes.
#[test]
fn inputs_that_are_quadratic_elsewhere() {
    let tags: String = (0..20_000).map(|i| format!("<tag{i}>x</tag{i}>")).collect();
    let nested: String = (0..20_000).map(|i| format!("<t{i}>")).collect();
    let keys: String = (0..40_000).map(|i| format!("key{i}: value {i}\n")).collect();
    let deep: String = (0..2_000).map(|i| format!("{}k{i}:\n", " ".repeat(i))).collect();
    let inputs = [
        ("ampersands", format!("<html><body>{}</body></html>", "&a=1 ".repeat(400_000))),
        ("bare ampersands", "&a=1 ".repeat(400_000)),
        ("scripts", "<script></script>".repeat(150_000)),
        ("open scripts", format!("<html>{}", "<script>".repeat(300_000))),
        ("open comments", format!("<html>{}", "<!--".repeat(500_000))),
        ("open tags", format!("<html>{}", "<div ".repeat(400_000))),
        ("open cdata", format!("<?xml version=\"1.0\"?><a>{}", "<![CDATA[".repeat(200_000))),
        ("distinct tags", format!("<?xml version=\"1.0\"?><root>{tags}</root>")),
        ("nested tags", format!("<?xml version=\"1.0\"?>{nested}")),
        ("yaml keys", keys),
        ("yaml levels", deep),
        ("yaml aliases", format!("a: &a [x,x]\n{}", (0..20_000).map(|i| format!("b{i}: [*a,*a,*a]\n")).collect::<String>())),
        ("one line", "word ".repeat(2_000_000)),
        ("one word", "a".repeat(10_000_000)),
        ("quotes", "\"".repeat(1_000_000)),
        ("backslashes", "\\".repeat(1_000_000)),
        ("both", "\"\\".repeat(500_000)),
        ("quotes in a string", format!("[\"{}\"]", "\\\"".repeat(500_000))),
        ("backslashes in a string", format!("{{\"a\":\"{}\"}}", "\\\\".repeat(500_000))),
        ("brackets", "[(".repeat(500_000)),
        ("links", format!("# a\n\n{}", "[a](".repeat(300_000))),
        ("stars", format!("# a\n\n{}", "*a **".repeat(300_000))),
        ("fences", "```\n".repeat(300_000)),
        ("headings", "# a\n".repeat(300_000)),
        ("table", "| a | b |\n| - | - |\n".repeat(100_000)),
        ("hunks", "@@ -1 +1 @@\n".repeat(200_000)),
        ("braces", format!("fn a() {}", "{".repeat(1_000_000))),
        ("open quotes in csv", format!("a,b\n{}", "\"x,\n".repeat(300_000))),
        ("commas", ",".repeat(1_000_000)),
        ("frames", format!("Traceback (most recent call last):\n{}", "  File \"a.py\", line 1, in f\n".repeat(100_000))),
        ("escapes", "\u{1b}[".repeat(500_000)),
        ("combining marks", format!("a{}", "\u{301}".repeat(700_000))),
        ("joiners", "👩\u{200d}".repeat(200_000)),
        ("flags", "🇩".repeat(400_000)),
        ("same lines", "the same line\n".repeat(300_000)),
        ("distinct lines", (0..200_000).map(|i| format!("line {i}\n")).collect()),
        ("spaces", " ".repeat(3_000_000)),
        ("spaces in json", format!("[{}1]", " ".repeat(3_000_000))),
        ("levels of lists", (0..3_000).map(|i| format!("{}- a\n", "  ".repeat(i % 1_000))).collect()),
        ("json in strings", (0..14).fold("1".to_owned(), |inner, _| serde_json::json!([inner, inner.get(..60)]).to_string())),
    ];
    for (name, input) in &inputs {
        for options in [chars(2000), Options { notice: Some(recovery_notice()), ..chars(20_000) }] {
            let fitted = fit(input, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(options.budget.holds(&fitted.text), "{name}");
            assert!(Tree::parse(input).is_err() || Tree::parse(&fitted.text).is_ok(), "{name}");
            if input.len() < 1_100_000 {
                fits(input, &options);
            }
        }
    }
}
