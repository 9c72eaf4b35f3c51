//! No cliffs: as the budget grows no class of fact that a preview has shown vanishes from it.
//!
//! A class is what a reader would look for the like of: the values of one path of a JSON text, the lines of one level or heading of a text. It has
//! vanished where a budget shows none of it though a smaller one showed several. `cargo test --test cliffs -- --ignored` looks through the shared
//! corpus as well, where there is one.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use snugfit_engine::{Budget, Options, fit};

/// Budgets are tried in steps of this many characters, up to the most.
const STEP: usize = 250;
const MOST: usize = 10_000;
/// A class of which fewer were shown may give way to what is worth more.
const SEVERAL: usize = 3;

/// How much of each class a text shows.
fn classes(text: &str) -> HashMap<String, usize> {
    let mut found = HashMap::new();
    match serde_json::from_str::<Value>(text) {
        Ok(value) => paths(&value, &mut String::new(), &mut found),
        Err(_) => text.lines().filter_map(class_of).for_each(|class| *found.entry(class).or_default() += 1),
    }
    found
}

/// Counts the scalars of each path; the elements of lists and maps keyed by ids share one.
fn paths(value: &Value, path: &mut String, found: &mut HashMap<String, usize>) {
    let length = path.len();
    match value {
        Value::Array(elements) => {
            path.push_str("/*");
            for element in elements {
                paths(element, path, found);
            }
        }
        Value::Object(members) => {
            for (key, member) in members.iter().filter(|member| member.0 != "…") {
                path.truncate(length);
                path.push('/');
                path.push_str(if key.bytes().any(|b| b.is_ascii_digit()) { "*" } else { key });
                paths(member, path, found);
            }
        }
        Value::String(marker) if marker.starts_with("…[") => {}
        _ => *found.entry(path.clone()).or_default() += 1,
    }
    path.truncate(length);
}

/// The level of a log line, or the sign of a heading, a change, an error.
fn class_of(line: &str) -> Option<String> {
    const LEVELS: [&str; 9] = ["ERROR", "WARN", "INFO", "FATAL", "CRITICAL", "error", "warning", "FAILED", "Exception"];
    const SIGNS: [&str; 10] = ["#", "@@", "+", "-", "diff ", "fn ", "def ", "class ", "at ", "|"];
    let line = line.trim_start();
    let level = LEVELS.iter().find(|level| line.contains(**level));
    level.or_else(|| SIGNS.iter().find(|sign| line.starts_with(**sign))).map(|class| (*class).to_owned())
}

/// Each class that vanished, with the budget that shows none and the largest before it that showed several.
fn cliffs(name: &str, input: &str) -> Vec<String> {
    let mut shown: HashMap<String, (usize, usize)> = HashMap::new();
    let mut found = Vec::new();
    for budget in (2 * STEP..=MOST.min(input.chars().count())).step_by(STEP) {
        let Ok(fitted) = fit(input, &Options::new(Budget::chars(budget))) else { continue };
        let classes = classes(&fitted.text);
        for (class, (before, count)) in &shown {
            if *count >= SEVERAL && !classes.contains_key(class) {
                found.push(format!("{name}: {count} of {class} at {before}, none at {budget}"));
            }
        }
        shown.extend(classes.into_iter().map(|(class, count)| (class, (budget, count))));
    }
    found.sort();
    found
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_none_or(|end| end != "snap") && path.file_name().is_some_and(|name| name != "call.json") {
            found.push(path);
        }
    }
    found.sort();
}

fn cliffs_in(folder: &str) -> Vec<String> {
    let mut inputs = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut inputs);
    let texts = inputs.iter().filter_map(|path| Some((path.display().to_string(), fs::read_to_string(path).ok()?)));
    texts.flat_map(|(name, text)| cliffs(&name, &text)).collect()
}

#[test]
fn no_class_of_fact_vanishes_from_a_fixture_as_the_budget_grows() {
    let found = cliffs_in("tests/fixtures");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
#[ignore = "takes minutes"]
fn no_class_of_fact_vanishes_from_a_payload_as_the_budget_grows() {
    let found = [cliffs_in("../../bench/fidelity/payloads"), cliffs_in("../../../shared/fidelity/corpus/payloads")].concat();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
