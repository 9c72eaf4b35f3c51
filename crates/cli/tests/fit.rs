//! `snugfit fit` as a user meets it: the real binary, its two streams and its exit code.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests; this is for their helpers.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs `snugfit` with `stdin` and gives back everything it said.
fn snugfit(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = command(args).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = stdin.to_vec();
    // A thread, so that an output larger than the pipe cannot block the input.
    let writer = std::thread::spawn(move || match pipe.write_all(&input) {
        // A usage error ends the program before it reads.
        Err(e) if e.kind() != ErrorKind::BrokenPipe => panic!("{e}"),
        _ => {}
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_snugfit"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A file of this test run; `name` must be unique among the tests.
fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).unwrap();
    path
}

/// A log of about `chars` characters, each line another.
fn log(chars: usize) -> String {
    (0..).map(|i| format!("2026-03-01T10:00:00Z worker {i} took {} ms\n", i * 7919 % 1000)).take(chars / 40).collect()
}

/// A JSON array of records, about 100 characters each.
fn records(count: usize) -> String {
    let records: Vec<_> = (0..count)
        .map(|i| format!(r#"{{"id":{i},"name":"record number {i}","note":"{}","score":{}}}"#, "lorem ipsum ".repeat(3), i * 37 % 101))
        .collect();
    format!("[{}]", records.join(","))
}

#[test]
fn what_fits_comes_back_byte_for_byte_and_nothing_after_it() {
    for input in ["", "no newline", "one newline\n", "{ \"a\" : 1.10 }", "\u{FEFF}{\"bom\":true}", "a\r\nb\0c"] {
        let output = snugfit(&["fit"], input.as_bytes());
        assert_eq!((text(&output.stdout), text(&output.stderr), output.status.code()), (input, "", Some(0)), "{input:?}");
    }
}

/// What must be true of an output.
type Holds<'a> = &'a dyn Fn(&str) -> bool;

#[test]
fn every_limit_that_is_named_holds_and_twenty_thousand_characters_where_none_is() {
    let input = log(100_000);
    let chars = |s: &str| s.chars().count();
    let lines = |s: &str| s.lines().count();
    let estimate = |s: &str| s.len().div_ceil(3);
    let cases: [(&[&str], Holds); 8] = [
        (&["fit"], &|s| chars(s) <= 20_000 && chars(s) > 10_000),
        (&["fit", "--max-chars", "3000"], &|s| chars(s) <= 3000),
        (&["fit", "--max-bytes", "30000"], &|s| s.len() <= 30_000 && chars(s) > 20_000),
        (&["fit", "--max-lines", "40"], &|s| lines(s) <= 40),
        (&["fit", "--max-tokens", "1000"], &|s| estimate(s) <= 1000 && estimate(s) > 900),
        (&["fit", "--max-tokens", "1000", "--encoding", "o200k_base"], &|s| chars(s) > 1500 && chars(s) < 4500),
        (&["fit", "--max-tokens", "1000", "--encoding", "cl100k_base", "--max-lines", "40"], &|s| lines(s) <= 40),
        (&["fit", "--max-chars", "5000", "--max-bytes", "4000", "--max-lines", "60"], &|s| s.len() <= 4000 && lines(s) <= 60),
    ];
    for (args, holds) in cases {
        let output = snugfit(args, input.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
        assert!(holds(text(&output.stdout)), "{args:?}: {} characters, {} lines", chars(text(&output.stdout)), lines(text(&output.stdout)));
    }
}

#[test]
fn a_file_a_dash_and_a_pipe_give_the_same() {
    let input = records(300);
    let path = file("same.json", input.as_bytes());
    let piped = snugfit(&["fit", "--max-chars", "2000"], input.as_bytes());
    assert!(piped.status.success());
    for (name, stdin) in [(path.to_str().unwrap(), ""), ("-", input.as_str())] {
        assert_eq!(snugfit(&["fit", "--max-chars", "2000", name], stdin.as_bytes()), piped, "{name}");
    }
}

#[test]
fn the_notice_says_what_was_cut_and_names_no_recovery_since_nothing_is_stored() {
    let input = records(300);
    let with = snugfit(&["fit", "--max-chars", "2000"], input.as_bytes());
    assert!(text(&with.stdout).contains(r#""truncation""#));
    assert!(!text(&with.stdout).contains("response_id"));
    let without = snugfit(&["fit", "--max-chars", "2000", "--no-notice"], input.as_bytes());
    assert!(without.status.success());
    assert!(!text(&without.stdout).contains("truncation"));
}

#[test]
fn the_report_is_one_line_of_json_on_stderr_and_stdout_stays_the_same() {
    let input = records(300);
    let plain = snugfit(&["fit", "--max-chars", "2000"], input.as_bytes());
    let reported = snugfit(&["fit", "--max-chars", "2000", "--report"], input.as_bytes());
    assert_eq!(reported.stdout, plain.stdout);
    let line = text(&reported.stderr).strip_suffix('\n').unwrap();
    assert!(!line.contains('\n'));
    let report: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(report["budget"], 2000);
    assert_eq!(report["input_chars"], input.chars().count());
    assert_eq!(report["output_chars"], text(&plain.stdout).chars().count());
    assert_eq!((&report["pruned"], &report["complete"]), (&true.into(), &false.into()));
}

#[test]
fn a_report_of_what_fits_counts_nothing() {
    let output = snugfit(&["fit", "--report"], b"[1,2]");
    let report: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!((&report["pruned"], &report["complete"]), (&false.into(), &true.into()));
    for counter in ["items_omitted", "keys_omitted", "strings_truncated", "lines_omitted", "replaced"] {
        assert_eq!(report[counter], 0, "{counter}");
    }
    assert_eq!(report["omitted"], serde_json::json!([]));
}

#[test]
fn empty_values_and_every_option_at_once_are_accepted() {
    let input = records(300);
    let cases: [&[&str]; 4] = [
        &["--tool", "", "--arguments", "{}", "--relevance", ""],
        &["--tool", "search", "--arguments", r#"{"id":250,"q":"record number 250"}"#],
        &["--arguments", "null"],
        &["--protect", "id", "--protect", "/*/name", "--drop", "note", "--drop", "/**/score", "--indent", "2", "--no-notice", "--report"],
    ];
    for options in cases {
        let args = [&["fit", "--max-chars", "2500"], options].concat();
        let output = snugfit(&args, input.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stdout).chars().count() <= 2500);
    }
}

#[test]
fn input_that_is_not_utf8_is_handled() {
    let utf16 = |mark: [u8; 2], order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        mark.into_iter().chain("[\"né\"]".encode_utf16().flat_map(order)).collect()
    };
    let cases: [(&str, Vec<u8>, &str, u64); 4] = [
        ("Latin-1", b"caf\xE9 au lait".to_vec(), "caf\u{FFFD} au lait", 1),
        ("UTF-16, little endian", utf16([0xFF, 0xFE], u16::to_le_bytes), "[\"né\"]", 0),
        ("UTF-16, big endian", utf16([0xFE, 0xFF], u16::to_be_bytes), "[\"né\"]", 0),
        ("UTF-16 with a lone surrogate", b"\xFE\xFF\0a\xD8\x3D\0b".to_vec(), "a\u{FFFD}b", 1),
    ];
    for (name, input, expected, replaced) in cases {
        let output = snugfit(&["fit", "--report"], &input);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), expected, "{name}");
        let report: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(report["replaced"], replaced, "{name}");
    }
}

#[test]
fn usage_errors_end_with_2_and_say_what_was_wrong() {
    let cases: [(&[&str], &str); 18] = [
        (&["fit", "--max-chars", "0"], "at least 1"),
        (&["fit", "--max-tokens", "0"], "at least 1"),
        (&["fit", "--max-tokens", "9", "--encoding", "gpt2"], "[possible values: estimate, o200k_base, cl100k_base]"),
        (&["fit", "--encoding", "o200k_base"], "--max-tokens <N>"),
        (&["fit", "--max-chars", "-5"], "whole number from 1"),
        (&["fit", "--max-bytes", "1.5"], "whole number from 1"),
        (&["fit", "--max-lines", "99999999999999999999"], "whole number from 1"),
        (&["fit", "--max-chars", ""], "--max-chars"),
        (&["fit", "--indent", "-1"], "0 to 16"),
        (&["fit", "--indent", "17"], "0 to 16"),
        (&["fit", "--arguments", "{path:1}"], "not JSON (key must be a string at line 1 column 2)"),
        (&["fit", "--arguments", ""], "not JSON"),
        (&["fit", "--arguments", "{} {}"], "not JSON"),
        (&["fit", "--max-char", "5"], "--max-chars"),
        (&["fit", "a", "b"], "unexpected argument 'b'"),
        (&["fit", "--tool"], "--tool"),
        (&["fitt"], "fit"),
        (&[], "`snugfit --help` tells of every command"),
    ];
    for (args, message) in cases {
        let output = snugfit(args, b"");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(message), "{args:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{args:?}");
    }
}

#[test]
fn failures_end_with_1_and_an_empty_stdout() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let cases: [(&[&str], &str); 3] = [
        (&["fit", "no/such/file.json"], "cannot read 'no/such/file.json'"),
        (&["fit", folder], "cannot read"),
        (&["fit", "--max-chars", "5"], "the least that would do is"),
    ];
    for (args, message) in cases {
        let output = snugfit(args, records(50).as_bytes());
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(message), "{args:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{args:?}");
    }
}

#[test]
fn reasons_go_to_stderr_when_asked_for() {
    let checks: Vec<_> = (0..60)
        .map(|i| {
            format!(r#"{{"id":{i},"name":"check-{i}","status":"{}","log":"all is well here"}}"#, if i == 41 { "FAILED" } else { "ok" })
        })
        .collect();
    let input = format!(r#"{{"total":60,"checks":[{}]}}"#, checks.join(","));
    let args = ["fit", "--max-chars", "700", "--arguments", r#"{"name":"check-7"}"#];
    let asked = snugfit(&[&args[..], &["--explain"]].concat(), input.as_bytes());
    assert_eq!(text(&asked.stdout), text(&snugfit(&args, input.as_bytes()).stdout));

    let reasons = text(&asked.stderr);
    // Numbers change with the weights; what is named does not.
    let named: String = reasons.chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect();
    for line in [
        "cuts, the largest first:\n",
        "fields, the highest score first:\n",
        "  /checks/*/name  (name , values , asked for , keys above )\n",
        "records, the highest score first:\n",
        "  /checks/  (unusual status \"FAILED\" , word FAILED )\n",
        "  /checks/  (asked for check- )\n",
    ] {
        assert!(named.contains(line), "{line}\n{reasons}");
    }
    assert!(reasons.contains("  /checks/41  (") && reasons.contains("  /checks/7  ("), "{reasons}");
    assert!(reasons.lines().count() < 60, "{reasons}");
}

#[test]
fn reasons_for_lines_name_them_by_number() {
    let mut lines: Vec<_> = (1..=300).map(|i| format!("line number {i}")).collect();
    lines[199] = "ERROR: disk full".to_owned();
    let output = snugfit(&["fit", "--max-chars", "500", "--explain"], lines.join("\n").as_bytes());
    let reasons = text(&output.stderr);
    let highest = reasons.split("lines, the highest score first:\n").nth(1).unwrap();
    assert!(highest.lines().next().unwrap().contains("  line 200  (worth "), "{reasons}");
    assert!(reasons.starts_with("cuts, the largest first:\n  lines "), "{reasons}");
    assert_eq!(text(&snugfit(&["fit", "--explain"], b"short").stderr), "nothing was cut\n");
}

#[test]
fn the_least_budget_that_an_error_names_does() {
    let input = records(50);
    let refused = snugfit(&["fit", "--max-chars", "5"], input.as_bytes());
    let message = text(&refused.stderr);
    let least = message.split("the least that would do is ").nth(1).unwrap().split_whitespace().next().unwrap();
    let output = snugfit(&["fit", "--max-chars", least], input.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{least}: {}", text(&output.stderr));
    assert!(text(&output.stdout).chars().count() <= least.parse().unwrap());
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let input = file("broken-pipe.log", log(2_000_000).as_bytes());
    let mut child = command(&["fit", "--max-chars", "1900000", input.to_str().unwrap()]).spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((text(&output.stderr), output.status.code()), ("", Some(0)));
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_takes_nothing_is_a_failure() {
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let small = file("small.json", b"[1,2,3]");
    for args in [&["fit", "--max-chars", "900", small.to_str().unwrap()][..], &["--help"], &["--version"], &["fit", "--help"]] {
        let output = command(args).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(text(&output.stderr).starts_with("error: ") && text(&output.stderr).contains("No space left"), "{args:?}");
    }
    // A mistake is told on stderr, whatever becomes of stdout.
    assert_eq!(command(&["--no-such"]).stdout(full()).output().unwrap().status.code(), Some(2));
}

#[test]
fn help_fits_one_screen_and_has_an_example() {
    for args in [&["--help"][..], &["fit", "--help"], &["help", "fit"], &["fit", "-h"]] {
        let output = snugfit(args, b"");
        let help = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0));
        assert!(help.lines().count() <= 24 && help.lines().all(|line| line.chars().count() <= 80), "{help}");
        assert!(help.contains("Example: "), "{help}");
    }
}

#[test]
fn the_version_is_told_on_every_subcommand() {
    for args in [&["--version"][..], &["-V"], &["fit", "--version"]] {
        assert_eq!(text(&snugfit(args, b"").stdout), concat!("snugfit ", env!("CARGO_PKG_VERSION"), "\n"));
    }
}
