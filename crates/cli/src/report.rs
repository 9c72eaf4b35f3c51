//! The engine's report as one line of JSON, under the names that users of the command know.

use serde::Serialize;
use snugfit_engine::{Amount, Place, Report};

/// What `--report` prints: the fields of [`Report`], in its order.
#[derive(Serialize)]
struct Line<'a> {
    input_chars: usize,
    output_chars: usize,
    budget: usize,
    kind: &'a str,
    complete: bool,
    fits: bool,
    pruned: bool,
    items_omitted: usize,
    keys_omitted: usize,
    strings_truncated: usize,
    lines_omitted: usize,
    replaced: usize,
    levers: &'a [&'a str],
    omitted: Vec<Cut<'a>>,
}

/// One cut: `path` or `lines` says where, `items` or `chars` how much.
#[derive(Serialize, Default)]
struct Cut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chars: Option<usize>,
}

/// The report as JSON text, without a newline.
pub(crate) fn json(report: &Report) -> serde_json::Result<String> {
    let omitted = report.omitted.iter().map(|cut| {
        let (path, lines) = match &cut.place {
            Place::Path(path) => (Some(path.as_str()), None),
            Place::Lines(first, last) => (None, Some(format!("{first}-{last}"))),
        };
        let (items, chars) = match cut.amount {
            Amount::Items(n) => (Some(n), None),
            Amount::Chars(n) => (None, Some(n)),
        };
        Cut { path, lines, items, chars }
    });
    serde_json::to_string(&Line {
        input_chars: report.input_chars,
        output_chars: report.output_chars,
        budget: report.budget,
        kind: report.kind,
        complete: report.complete,
        fits: report.fits,
        pruned: report.pruned,
        items_omitted: report.items_omitted,
        keys_omitted: report.keys_omitted,
        strings_truncated: report.strings_truncated,
        lines_omitted: report.lines_omitted,
        replaced: report.replaced,
        levers: &report.levers,
        omitted: omitted.collect(),
    })
}

#[cfg(test)]
mod tests {
    use snugfit_engine::{Amount, Omitted, Place, Report};

    #[test]
    fn a_report_is_one_line_of_json_with_snake_case_keys() {
        let report = Report {
            input_chars: 9000,
            output_chars: 500,
            budget: 500,
            kind: "json",
            pruned: true,
            fits: true,
            items_omitted: 7,
            levers: vec!["white_space", "records"],
            omitted: vec![
                Omitted { place: Place::Path("/issues/*/body".into()), amount: Amount::Chars(48), lever: "texts" },
                Omitted { place: Place::Lines(3, 9), amount: Amount::Items(7), lever: "lines" },
            ],
            ..Report::default()
        };
        assert_eq!(
            super::json(&report).ok().as_deref(),
            Some(concat!(
                r#"{"input_chars":9000,"output_chars":500,"budget":500,"kind":"json","complete":false,"fits":true,"pruned":true,"#,
                r#""items_omitted":7,"keys_omitted":0,"strings_truncated":0,"lines_omitted":0,"replaced":0,"levers":["white_space","records"],"#,
                r#""omitted":[{"path":"/issues/*/body","chars":48},{"lines":"3-9","items":7}]}"#
            ))
        );
    }
}
