//! The report as JavaScript sees it.

use napi_derive::napi;
use snugfit_engine::{Amount, Omitted, Place, Report};

/// What a fit did.
#[napi(object, object_from_js = false)]
#[derive(Debug, Clone, PartialEq)]
pub struct NativeReport {
    /// Unicode scalar values of the input.
    pub input_chars: f64,
    /// Unicode scalar values of the output, the notice included.
    pub output_chars: f64,
    /// The limit in characters, or the first one named.
    pub budget: f64,
    /// The kind of content found.
    pub kind: String,
    /// Nothing was left out.
    pub complete: bool,
    /// The input as it came was within the budget or could be made so.
    pub fits: bool,
    /// Something was cut.
    pub pruned: bool,
    /// List elements, records or rows left out.
    pub items_omitted: f64,
    /// Object keys left out.
    pub keys_omitted: f64,
    /// Texts shortened.
    pub strings_truncated: f64,
    /// Lines left out.
    pub lines_omitted: f64,
    /// Raw characters replaced or removed.
    pub replaced: f64,
    /// The levers used, cheapest first.
    pub levers: Vec<String>,
    /// The largest cuts, largest first.
    pub omitted: Vec<NativeOmitted>,
}

/// One cut.
#[napi(object, object_from_js = false)]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NativeOmitted {
    /// A JSON Pointer pattern.
    pub path: Option<String>,
    /// 1-based lines, inclusive: `12-40`, or `12` for one.
    pub lines: Option<String>,
    /// Elements, records, keys or lines.
    pub items: Option<f64>,
    /// Characters.
    pub chars: Option<f64>,
}

impl From<Report> for NativeReport {
    fn from(report: Report) -> Self {
        Self {
            input_chars: report.input_chars as f64,
            output_chars: report.output_chars as f64,
            budget: report.budget as f64,
            kind: report.kind.to_owned(),
            complete: report.complete,
            fits: report.fits,
            pruned: report.pruned,
            items_omitted: report.items_omitted as f64,
            keys_omitted: report.keys_omitted as f64,
            strings_truncated: report.strings_truncated as f64,
            lines_omitted: report.lines_omitted as f64,
            replaced: report.replaced as f64,
            levers: report.levers.into_iter().map(str::to_owned).collect(),
            omitted: report.omitted.into_iter().map(NativeOmitted::from).collect(),
        }
    }
}

impl From<Omitted> for NativeOmitted {
    fn from(omitted: Omitted) -> Self {
        let cut = match omitted.place {
            Place::Path(path) => Self { path: Some(path), ..Self::default() },
            Place::Lines(first, last) if first == last => Self { lines: Some(first.to_string()), ..Self::default() },
            Place::Lines(first, last) => Self { lines: Some(format!("{first}-{last}")), ..Self::default() },
        };
        match omitted.amount {
            Amount::Items(items) => Self { items: Some(items as f64), ..cut },
            Amount::Chars(chars) => Self { chars: Some(chars as f64), ..cut },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_named_by_path_or_lines() {
        let cases = [
            (Place::Path("/issues/*/body".into()), Amount::Chars(12), (Some("/issues/*/body"), None, None, Some(12.0))),
            (Place::Lines(12, 40), Amount::Items(29), (None, Some("12-40"), Some(29.0), None)),
            (Place::Lines(7, 7), Amount::Items(1), (None, Some("7"), Some(1.0), None)),
        ];
        for (place, amount, (path, lines, items, chars)) in cases {
            let cut = NativeOmitted::from(Omitted { place, amount, lever: "texts" });
            assert_eq!((cut.path.as_deref(), cut.lines.as_deref(), cut.items, cut.chars), (path, lines, items, chars));
        }
    }
}
