//! `snugfit page` as a user meets it.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests; this is for their helpers.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn page(args: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_snugfit"))
        .arg("page")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Small enough for the pipe to hold all of it.
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn list() -> String {
    let items: Vec<String> = (1..=300).map(|n| format!("{{\"id\":{n}}}")).collect();
    format!("{{\"data\":{{\"rows\":[{}]}}}}", items.join(","))
}

#[test]
fn pages_follow_each_other_through_their_cursors_each_in_a_process_of_its_own() {
    let mut ids = vec![];
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec!["--max-chars", "600", "--key", "data.rows"];
        if let Some(cursor) = &cursor {
            args.extend(["--cursor", cursor]);
        }
        let text = text(&page(&args, &list()));
        assert!(text.chars().count() <= 600);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        ids.extend(value["data"]["rows"].as_array().unwrap().iter().map(|row| row["id"].as_u64().unwrap()));
        cursor = value["data"]["page"]["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(ids, (1..=300).collect::<Vec<_>>());
}

#[test]
fn a_note_says_how_to_go_on_in_a_shell() {
    let text = text(&page(&["--max-chars", "400"], &"word ".repeat(500)));
    assert!(text.contains("--cursor=\""), "{text}");
}

#[test]
fn mistakes_have_their_exit_codes() {
    for (args, code, message) in [
        (vec!["--cursor", "garbage"], 1, "without a cursor"),
        (vec!["--max-chars", "600", "--key", "data.nothing"], 2, "leads to none"),
        (vec!["--max-chars", "20"], 1, "cannot hold a page"),
    ] {
        let output = page(&args, &list());
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(message), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout.is_empty());
    }
}
