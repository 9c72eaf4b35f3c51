//! Why a preview holds what it holds, for people: what `--explain` prints.

use std::fmt::Write;

use snugfit_engine::{Amount, Explanation, Omitted, Place, Score};

/// Each cut with its reason, then what scored highest with the parts of its score.
pub(crate) fn text(explanation: &Explanation) -> String {
    let mut out = String::new();
    let cuts = &explanation.fitted.report.omitted;
    if cuts.is_empty() {
        out.push_str("nothing was cut\n");
        return out;
    }
    out.push_str("cuts, the largest first:\n");
    for cut in cuts {
        out.push_str(&line(&cut_words(cut)));
    }
    let mut heading = "";
    for score in &explanation.scores {
        if heading != score.of.plural() {
            heading = score.of.plural();
            let _ = writeln!(out, "{heading}, the highest score first:");
        }
        out.push_str(&line(&score_words(score)));
    }
    out
}

fn line(words: &str) -> String {
    format!("  {words}\n")
}

fn cut_words(cut: &Omitted) -> String {
    let amount = match cut.amount {
        Amount::Items(n) => format!("{n} items"),
        Amount::Chars(n) => format!("{n} characters"),
    };
    format!("{:8} {amount:>16}  {}", cut.lever, place(&cut.place))
}

fn score_words(score: &Score) -> String {
    let parts: Vec<String> = score.parts.iter().map(|(what, factor)| format!("{what} {factor:.2}")).collect();
    format!("{:8.3}  {}  ({})", score.score, place(&score.place), parts.join(", "))
}

fn place(place: &Place) -> String {
    match place {
        Place::Path(path) => path.clone(),
        Place::Lines(first, last) if first == last => format!("line {first}"),
        Place::Lines(first, last) => format!("lines {first}-{last}"),
    }
}
