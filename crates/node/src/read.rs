//! Partial reads as they are asked for from JavaScript.

use napi_derive::napi;
use snugfit_recovery::Selector;

use crate::error::NativeFailure;

/// Which part of an original is wanted; one of these.
#[napi(object, object_to_js = false)]
#[derive(Debug, Clone, Default)]
pub struct NativeSelector {
    /// A JSON Pointer or JSONPath.
    pub path: Option<String>,
    /// A literal or `/regex/flags`.
    pub search: Option<String>,
    /// With `search`: lines around each match of a text.
    pub context: Option<f64>,
    /// `120-180`, `120` or `-50`.
    pub lines: Option<String>,
    /// Where an earlier read goes on.
    pub cursor: Option<String>,
}

impl NativeSelector {
    /// The selector; what is no selector, or more than one, is told.
    pub(crate) fn check(self) -> Result<Selector, NativeFailure> {
        let context = self.context.map_or(Ok(Selector::CONTEXT), |context| {
            let allowed = context.fract() == 0.0 && (0.0..=Selector::MAX_CONTEXT as f64).contains(&context);
            let message = || format!("context must be a whole number of lines from 0 to {}, not {context}", Selector::MAX_CONTEXT);
            if allowed { Ok(context as usize) } else { Err(NativeFailure::new("INVALID_SELECTOR", message())) }
        })?;
        match (self.path, self.search, self.lines, self.cursor) {
            (Some(path), None, None, None) => Ok(Selector::Path(path)),
            (None, Some(pattern), None, None) => Ok(Selector::Search { pattern, context }),
            (None, None, Some(lines), None) => Ok(Selector::Lines(lines)),
            (None, None, None, Some(cursor)) => Ok(Selector::Cursor(cursor)),
            _ => Err(NativeFailure::new("INVALID_SELECTOR", "name exactly one of path, search, lines, cursor")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_selector_is_taken() {
        let path = NativeSelector { path: Some("/a".into()), ..NativeSelector::default() };
        assert_eq!(path.clone().check(), Ok(Selector::Path("/a".into())));
        let search = NativeSelector { search: Some("a".into()), context: Some(0.0), ..NativeSelector::default() };
        assert_eq!(search.clone().check(), Ok(Selector::Search { pattern: "a".into(), context: 0 }));
        for wrong in [
            NativeSelector::default(),
            NativeSelector { lines: Some("1".into()), ..path },
            NativeSelector { context: Some(-1.0), ..search.clone() },
            NativeSelector { context: Some(1.5), ..search },
        ] {
            assert_eq!(wrong.check().expect_err("wrong").code, "INVALID_SELECTOR");
        }
    }
}
