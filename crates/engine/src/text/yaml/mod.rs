//! YAML documents.

use super::{Ask, plain};
use crate::detect::Sample;
use crate::report::Report;

/// Whether a text is of this kind.
pub(crate) fn looks(_sample: &Sample<'_>) -> bool {
    false
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    plain::fit(text, ask, report)
}
