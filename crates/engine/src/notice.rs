//! The notice: what was cut and how to get it back.
use crate::options::Notice;
use crate::report::Report;

pub(crate) fn line(notice: &Notice, report: &Report) -> String {
    let id = notice.recovery.as_ref().map(|r| format!(",\"response_id\":\"{}\"", r.response_id)).unwrap_or_default();
    format!("{{\"truncation\":{{\"complete\":false,\"message\":\"cut\",\"report\":{{\"pruned\":true,\"fits\":true,\"items_omitted\":{},\"keys_omitted\":0,\"strings_truncated\":0}}{id}}}}}", report.items_omitted)
}
