//! Options as they come from JavaScript, and checked into the engine's own.

use std::time::Duration;

use napi_derive::napi;
use snugfit_engine::{Budget, Call, Layout, Mode, Notice, NoticeForm, Options, Recovery};
use snugfit_recovery::{Key, Limits, RECOVERY_TOOL};

use crate::error::NativeFailure;
use crate::vocabulary::encoding;

/// The limits of one text. Numbers cross as doubles: napi would wrap what does not fit into an integer.
#[napi(object, object_to_js = false)]
#[derive(Debug, Clone, Default)]
pub struct NativeBudget {
    /// Unicode scalar values.
    pub chars: Option<f64>,
    /// UTF-8 bytes.
    pub bytes: Option<f64>,
    /// Lines.
    pub lines: Option<f64>,
    /// Tokens.
    pub tokens: Option<f64>,
    /// How tokens are counted: `estimate` (the default), or an encoding whose vocabulary was added.
    pub encoding: Option<String>,
}

/// How a result is to be fitted.
#[napi(object, object_to_js = false)]
#[derive(Debug, Clone, Default)]
pub struct NativeOptions {
    /// The limits; at least one.
    pub budget: NativeBudget,
    /// The tool that gave the result.
    pub tool_name: Option<String>,
    /// The call's arguments as JSON text.
    pub arguments: Option<String>,
    /// More words that say what the caller is after.
    pub relevance: Option<String>,
    /// What must survive: JSON Pointers with `*` and `**`, or bare key names.
    pub protect: Option<Vec<String>>,
    /// What never matters, in the same form.
    pub drop: Option<Vec<String>>,
    /// `inline`, `envelope` or `none`.
    pub notice: Option<String>,
    /// The name that notices give for the way back.
    pub recovery_tool: Option<String>,
    /// How they call it: `tool`, `command`, `typescript`, `python`, or `invoke`, by the tool `recovery_by`.
    pub recovery_call: Option<String>,
    /// The tool that calls others.
    pub recovery_by: Option<String>,
    /// Spaces a level of indentation takes.
    pub indent: Option<f64>,
    /// `compact` or `lines`.
    pub layout: Option<String>,
    /// The texts of an envelope are fitted as one, line after line.
    pub joined: Option<bool>,
    /// `condense`, `page` or `trim`; only a session pages.
    pub mode: Option<String>,
}

/// The limits of a store.
#[napi(object, object_to_js = false)]
#[derive(Debug, Clone, Default)]
pub struct NativeLimits {
    /// Originals at most.
    pub entries: Option<f64>,
    /// Bytes of originals and keys at most.
    pub bytes: Option<f64>,
    /// Milliseconds that an original is kept after it was stored or read last.
    pub ttl_ms: Option<f64>,
}

/// How ids are made where the caller keeps the originals.
#[napi(object, object_to_js = false)]
#[derive(Debug, Clone, Default)]
pub struct NativeIds {
    /// Makes ids that are the same in every process that has it; without one they are this session's own.
    pub secret: Option<String>,
    /// Ids of one namespace mean nothing in another.
    pub namespace: Option<String>,
}

impl NativeIds {
    pub(crate) fn key(&self) -> Result<Key, NativeFailure> {
        match &self.secret {
            None => Ok(Key::random()?),
            Some(secret) => Ok(Key::derive(secret, self.namespace.as_deref().unwrap_or_default())),
        }
    }
}

impl NativeBudget {
    /// The engine's budget.
    pub(crate) fn check(&self) -> Result<Budget, NativeFailure> {
        Ok(Budget {
            chars: positive("budget.chars", self.chars)?,
            bytes: positive("budget.bytes", self.bytes)?,
            lines: positive("budget.lines", self.lines)?,
            tokens: positive("budget.tokens", self.tokens)?,
            encoding: self.encoding.as_deref().map(encoding).transpose()?.unwrap_or_default(),
        })
    }
}

impl NativeOptions {
    /// The engine's options; `notice` is the form of the notice where none is named.
    pub(crate) fn check(self, notice: Option<NoticeForm>) -> Result<Options, NativeFailure> {
        let form = match self.notice.as_deref() {
            None => notice,
            Some("inline") => Some(NoticeForm::Inline),
            Some("envelope") => Some(NoticeForm::Envelope),
            Some("none") => None,
            Some(other) => {
                return Err(NativeFailure::option("notice", format!(r#"must be "inline", "envelope" or "none", not {other:?}"#)));
            }
        };
        let call = match self.recovery_call.as_deref() {
            None | Some("tool") => Call::Tool,
            Some("command") => Call::Command,
            Some("typescript") => Call::TypeScript,
            Some("python") => Call::Python,
            Some("invoke") => Call::Invoke(self.recovery_by.unwrap_or_default()),
            Some(other) => return Err(NativeFailure::option("recoveryCall", format!("there is no form of a call {other:?}"))),
        };
        let tool = self.recovery_tool.unwrap_or_else(|| RECOVERY_TOOL.to_owned());
        Ok(Options {
            budget: self.budget.check()?,
            tool_name: self.tool_name.unwrap_or_default(),
            arguments: self.arguments.unwrap_or_default(),
            relevance: self.relevance.unwrap_or_default(),
            protect: self.protect.unwrap_or_default(),
            drop: self.drop.unwrap_or_default(),
            notice_chars: 0,
            notice: form.map(|form| Notice { recovery: Some(Recovery { tool, call, ..Recovery::default() }), form }),
            indent: whole("indent", self.indent, 0.0)?.unwrap_or(0),
            layout: match self.layout.as_deref() {
                None | Some("compact") => Layout::Compact,
                Some("lines") => Layout::Lines,
                Some(other) => return Err(NativeFailure::option("layout", format!(r#"must be "compact" or "lines", not {other:?}"#))),
            },
            mode: match self.mode.as_deref() {
                None | Some("condense") => Mode::Condense,
                Some("page") => Mode::Page,
                Some("trim") => Mode::Trim,
                Some(other) => {
                    return Err(NativeFailure::option("mode", format!(r#"must be "condense", "page" or "trim", not {other:?}"#)));
                }
            },
        })
    }
}

impl NativeLimits {
    /// The store's limits; what is not named has its default.
    pub(crate) fn check(&self) -> Result<Limits, NativeFailure> {
        let default = Limits::default();
        Ok(Limits {
            entries: positive("store.entries", self.entries)?.unwrap_or(default.entries),
            bytes: positive("store.bytes", self.bytes)?.unwrap_or(default.bytes),
            ttl: positive("store.ttlMs", self.ttl_ms)?.map_or(default.ttl, |ms| Duration::from_millis(ms as u64)),
        })
    }
}

/// The largest whole number that a double holds exactly together with all smaller ones (`Number.MAX_SAFE_INTEGER`).
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

fn positive(name: &str, value: Option<f64>) -> Result<Option<usize>, NativeFailure> {
    whole(name, value, 1.0)
}

pub(crate) fn whole(name: &str, value: Option<f64>, least: f64) -> Result<Option<usize>, NativeFailure> {
    match value {
        None => Ok(None),
        Some(number) if number.fract() == 0.0 && (least..=MAX_SAFE_INTEGER).contains(&number) => Ok(Some(number as usize)),
        Some(number) => Err(NativeFailure::option(name, format!("must be a whole number of at least {least}, not {number}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_make_no_sense_are_told_by_name() {
        for bad in [0.0, -5.0, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -0.0] {
            let budget = NativeBudget { chars: Some(bad), ..NativeBudget::default() };
            let failure = NativeOptions { budget, ..NativeOptions::default() }.check(None).expect_err("a bad number");
            assert_eq!(failure.code, "INVALID_OPTION", "{bad}");
            assert!(failure.message.starts_with("budget.chars: must be a whole number of at least 1, not "), "{}", failure.message);

            let failure = NativeLimits { ttl_ms: Some(bad), ..NativeLimits::default() }.check().expect_err("a bad number");
            assert!(failure.message.starts_with("store.ttlMs: "), "{}", failure.message);
        }
        let failure = NativeOptions { indent: Some(-1.0), ..NativeOptions::default() }.check(None).expect_err("a bad number");
        assert!(failure.message.starts_with("indent: must be a whole number of at least 0, not -1"), "{}", failure.message);
    }

    #[test]
    fn names_that_do_not_exist_are_told_with_those_that_do() {
        let notice = NativeOptions { notice: Some("loud".into()), ..NativeOptions::default() }.check(None).expect_err("no such form");
        assert_eq!(notice.message, r#"notice: must be "inline", "envelope" or "none", not "loud""#);
        let layout = NativeOptions { layout: Some("wide".into()), ..NativeOptions::default() }.check(None).expect_err("no such layout");
        assert_eq!(layout.message, r#"layout: must be "compact" or "lines", not "wide""#);
    }

    #[test]
    fn what_is_not_named_has_its_default() {
        let options = NativeOptions::default().check(Some(NoticeForm::Inline)).expect("all defaults");
        let recovery = options.notice.and_then(|notice| notice.recovery).expect("a notice by default");
        assert_eq!(recovery.tool, "compressor_recover_response");
        assert_eq!(NativeLimits::default().check().expect("all defaults"), Limits::default());
        let none = NativeOptions { notice: Some("none".into()), ..NativeOptions::default() }.check(Some(NoticeForm::Inline));
        assert_eq!(none.expect("no notice").notice, None);
    }
}
