//! What survives: needs (a question and the strings that answer it) over payloads, at three budgets, for the engine and the shrinkfit crate.
//!
//! A corpus is a folder with `needs.jsonl`, a line a payload: `{"id", "file", "kind", "tool": {"name", "arguments"}, "needs": [{"question",
//! "evidence": […], "class"}]}`. A need is met when all its evidence stands in the output, as text or as what a JSON string says. This is looser
//! than asking that it stand in its place, and the same for both. An output over the budget, or JSON that is no JSON any more, meets nothing.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};
use std::path::Path;

use serde::Deserialize;
use snugfit_bench::peer::shrinkfit;
use snugfit_engine::{Budget, Options, fit};

const BUDGETS: [usize; 3] = [2_000, 6_000, 20_000];

#[derive(Deserialize)]
struct Payload {
    id: String,
    file: String,
    kind: String,
    tool: Tool,
    needs: Vec<Need>,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    arguments: serde_json::Value,
}

#[derive(Deserialize)]
struct Need {
    question: String,
    evidence: Vec<String>,
}

/// Scores one corpus and prints the shares and, for the engine, what was missed.
pub(crate) fn run(folder: &Path) -> Result<(), Error> {
    let invalid = |e: &dyn std::fmt::Display| Error::new(ErrorKind::InvalidData, e.to_string());
    let mut shares: BTreeMap<(usize, &str), Vec<(String, f64)>> = BTreeMap::new();
    let mut missed = Vec::new();
    for (at, line) in std::fs::read_to_string(folder.join("needs.jsonl"))?.lines().filter(|l| !l.trim().is_empty()).enumerate() {
        let mut payload: Payload = serde_json::from_str(line).map_err(|e| invalid(&format!("needs.jsonl line {}: {e}", at + 1)))?;
        let bytes = std::fs::read(folder.join(&payload.file))?;
        let input = String::from_utf8_lossy(&bytes);
        let seen = Seen::new(&input);
        // Another scorer may know the same number in another form; here evidence has to stand in the payload as it is written.
        payload.needs.retain(|need| match need.evidence.iter().find(|e| !seen.has(e)) {
            Some(gone) => {
                missed.push(format!("everywhere {}: {} (the payload itself does not hold {gone:?}; left out)", payload.id, need.question));
                false
            }
            None => true,
        });
        let arguments = payload.tool.arguments.to_string();
        for budget in BUDGETS.into_iter().filter(|&b| input.chars().count() > b) {
            let options =
                Options { tool_name: payload.tool.name.clone(), arguments: arguments.clone(), ..Options::new(Budget::chars(budget)) };
            let ours = fit(&input, &options).map(|f| f.text).unwrap_or_default();
            let (share, questions) = score(&payload, &input, &ours, budget);
            missed.extend(questions.into_iter().map(|q| format!("{budget} {}: {q}", payload.id)));
            shares.entry((budget, "engine")).or_default().push((payload.kind.clone(), share));
            let theirs = shrinkfit(&input, budget, &arguments);
            shares.entry((budget, "shrinkfit")).or_default().push((payload.kind.clone(), score(&payload, &input, &theirs, budget).0));
        }
    }
    println!("## {}\n", folder.display());
    println!("| budget | payloads | engine | shrinkfit | by kind (engine) |\n| ---: | ---: | ---: | ---: | --- |");
    for budget in BUDGETS {
        let Some(engine) = shares.get(&(budget, "engine")) else { continue };
        let mut kinds: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (kind, share) in engine {
            kinds.entry(kind).or_default().push(*share);
        }
        let kinds: Vec<String> = kinds.iter().map(|(kind, s)| format!("{kind} {:.2}", mean(s.iter()))).collect();
        let all = |name| mean(shares.get(&(budget, name)).into_iter().flatten().map(|s| &s.1));
        println!("| {budget} | {} | {:.2} | {:.2} | {} |", engine.len(), all("engine"), all("shrinkfit"), kinds.join(", "));
    }
    println!();
    for line in missed {
        println!("missed at {line}");
    }
    println!();
    Ok(())
}

fn mean<'f>(values: impl Iterator<Item = &'f f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), v| (sum + v, count + 1));
    sum / f64::from(count.max(1))
}

/// The share of needs met, and the questions that were not.
fn score<'p>(payload: &'p Payload, input: &str, output: &str, budget: usize) -> (f64, Vec<&'p str>) {
    let was_json = serde_json::from_str::<serde_json::Value>(input).is_ok();
    let valid = output.chars().count() <= budget && (!was_json || serde_json::from_str::<serde_json::Value>(output).is_ok());
    let seen = Seen::new(output);
    let gone: Vec<&str> =
        payload.needs.iter().filter(|n| !valid || !n.evidence.iter().all(|e| seen.has(e))).map(|n| n.question.as_str()).collect();
    (1.0 - gone.len() as f64 / payload.needs.len().max(1) as f64, gone)
}

/// A text with its white space made even, as it stands and with one and two levels of escapes undone.
struct Seen([String; 3]);

impl Seen {
    fn new(text: &str) -> Self {
        let once = undo(text);
        let twice = undo(&once);
        Self([even(text), even(&once), even(&twice)])
    }

    fn has(&self, evidence: &str) -> bool {
        let evidence = even(evidence);
        self.0.iter().any(|view| view.contains(&evidence))
    }
}

fn even(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Undoes one level of JSON escapes, leniently.
fn undo(text: &str) -> String {
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend(c.encode_utf16(&mut [0; 2]).iter());
            continue;
        }
        match chars.next() {
            Some('n' | 't' | 'r') => units.push(u16::from(b' ')),
            Some('u') => {
                let digits: String = chars.clone().take(4).collect();
                if let (4, Ok(unit)) = (digits.len(), u16::from_str_radix(&digits, 16)) {
                    units.push(unit);
                    chars.nth(3);
                } else {
                    units.extend("\\u".encode_utf16());
                }
            }
            Some(other) => units.extend(other.encode_utf16(&mut [0; 2]).iter()),
            None => units.push(u16::from(b'\\')),
        }
    }
    String::from_utf16_lossy(&units)
}
