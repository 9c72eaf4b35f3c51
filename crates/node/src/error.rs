//! Errors as data: they cross the border as a code and a message and are thrown in TypeScript.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use napi_derive::napi;

/// What went wrong.
#[napi(object, object_from_js = false)]
#[derive(Debug, Clone, PartialEq)]
pub struct NativeFailure {
    /// A stable name, such as `BUDGET_TOO_SMALL`.
    pub code: String,
    /// What was wrong and what to do, for a model to act on.
    pub message: String,
    /// With `BUDGET_TOO_SMALL`: the least limit that would do.
    pub needed: Option<f64>,
}

impl NativeFailure {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), needed: None }
    }

    /// An option is out of range or malformed.
    pub(crate) fn option(name: &str, message: impl AsRef<str>) -> Self {
        Self::new("INVALID_OPTION", format!("{name}: {}", message.as_ref()))
    }

    /// The call was cancelled while it waited.
    pub(crate) fn aborted() -> Self {
        Self::new(
            "ABORTED",
            "the call was aborted before its result was fitted. The tool has run: do not blindly repeat a call that writes",
        )
    }
}

impl From<snugfit_recovery::Error> for NativeFailure {
    fn from(error: snugfit_recovery::Error) -> Self {
        Self { needed: error.needed().map(|needed| needed as f64), ..Self::new(error.code(), error.to_string()) }
    }
}

impl From<snugfit_engine::Error> for NativeFailure {
    fn from(error: snugfit_engine::Error) -> Self {
        let needed = match error {
            snugfit_engine::Error::BudgetTooSmall { needed, .. } => Some(needed as f64),
            _ => None,
        };
        Self { needed, ..Self::new(error.code(), error.to_string()) }
    }
}

thread_local! {
    static PANICKED_AT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work`; a panic in it becomes `INTERNAL`, with the place and without the panic's message, which may show parts of a result. For
/// the same reason nothing is printed.
pub(crate) fn contain<T>(work: impl FnOnce() -> Result<T, NativeFailure>) -> Result<T, NativeFailure> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(|at| format!("{}:{}", at.file(), at.line()));
            PANICKED_AT.with_borrow_mut(|at| *at = place);
        }));
    });
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        // Dropping a payload may panic as well.
        std::mem::forget(payload);
        let place = PANICKED_AT.take().unwrap_or_else(|| "an unknown place".to_owned());
        Err(NativeFailure::new(
            "INTERNAL",
            format!("snugfit has a fault at {place}; please report it. Nothing of the result is lost; a tool that was called has run"),
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_failure_that_names_the_place_and_hides_the_message() {
        let failure = contain::<()>(|| panic!("secret")).expect_err("it panicked");
        assert_eq!(failure.code, "INTERNAL");
        assert!(failure.message.contains("error.rs:"), "{}", failure.message);
        assert!(!failure.message.contains("secret"), "{}", failure.message);
        assert_eq!(contain(|| Ok(1)), Ok(1));
    }

    #[test]
    fn a_budget_that_is_too_small_says_what_would_do() {
        let error = snugfit_engine::Error::BudgetTooSmall { budget: 10, needed: 300, unit: snugfit_engine::Unit::Chars, with_notice: true };
        let alone = NativeFailure::from(error.clone());
        let session = NativeFailure::from(snugfit_recovery::Error::from(error));
        assert_eq!((alone.code.as_str(), alone.needed), ("BUDGET_TOO_SMALL", Some(300.0)));
        assert_eq!((session.code.as_str(), session.needed), ("BUDGET_TOO_SMALL", Some(300.0)));
        assert!(session.message.contains("The tool has run"), "{}", session.message);
    }
}
