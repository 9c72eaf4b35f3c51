//! What a model sees: each input under `fixtures/<kind>/<case>/`, fitted to a few budgets, as a snapshot beside it.
//!
//! A `call.json` beside the input may name the tool, its arguments, and the budgets in characters.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use snugfit_engine::{Budget, Options, fit};

const BUDGETS: [u64; 3] = [300, 800, 2_000];

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn input_of(case: &Path) -> PathBuf {
    let named = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == "input") && path.extension().is_none_or(|end| end != "snap");
    let found = fs::read_dir(case).into_iter().flatten().flatten().map(|entry| entry.path()).find(named);
    found.unwrap_or_else(|| panic!("{} has no file called input", case.display()))
}

fn snapshot_of(input: &str, call: &serde_json::Value) -> String {
    let budgets =
        call["budgets"].as_array().map_or_else(|| BUDGETS.to_vec(), |list| list.iter().filter_map(serde_json::Value::as_u64).collect());
    let mut seen = String::new();
    for budget in budgets {
        if input.chars().count() <= budget as usize {
            let _ = writeln!(seen, "=== {budget}: fits as it is");
            continue;
        }
        let mut options = Options::new(Budget::chars(budget as usize));
        options.tool_name = call["tool"].as_str().unwrap_or_default().to_owned();
        options.arguments = call.get("arguments").map(ToString::to_string).unwrap_or_default();
        let fitted = match fit(input, &options) {
            Ok(fitted) => fitted,
            Err(error) => {
                let _ = writeln!(seen, "=== {budget}: {error}");
                continue;
            }
        };
        let chars = fitted.text.chars().count();
        assert!(chars <= budget as usize, "{chars} characters for a budget of {budget}");
        let report = &fitted.report;
        assert_eq!(chars, report.output_chars);
        let _ = writeln!(
            seen,
            "=== {budget}: {} {chars} characters, omitted: {} items, {} keys, {} lines; cut: {} texts; replaced: {}",
            report.kind, report.items_omitted, report.keys_omitted, report.lines_omitted, report.strings_truncated, report.replaced
        );
        seen.push_str(&fitted.text);
        seen.push('\n');
    }
    seen
}

#[test]
fn what_a_model_sees() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut count = 0;
    for case in folders(&root).iter().flat_map(|kind| folders(kind)) {
        let input = fs::read_to_string(input_of(&case)).unwrap_or_else(|error| panic!("{}: {error}", case.display()));
        let call = fs::read_to_string(case.join("call.json"))
            .ok()
            .map_or(serde_json::Value::Null, |text| serde_json::from_str(&text).expect("call.json is JSON"));
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(&case);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("input", snapshot_of(&input, &call)));
        count += 1;
    }
    assert!(count > 0, "no fixtures found");
}
