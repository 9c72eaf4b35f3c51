//! Pages.

use std::cell::RefCell;

use napi::bindgen_prelude::{Function, Object};
use napi::{Env, Error};
use napi_derive::napi;
use snugfit_engine::{Next, Page, PageOptions};
use snugfit_recovery::wtf8;

use crate::error::{NativeFailure, contain};
use crate::options::{NativeBudget, whole};
use crate::session::{Outcome, promise};
use crate::string_in::Input;
use crate::string_out::Text;

/// What is asked of a page besides its budget.
#[napi(object, object_to_js = false)]
#[derive(Debug, Clone, Default)]
pub struct NativePageOptions {
    /// The cursor of the page before.
    pub cursor: Option<String>,
    /// The array to page.
    pub key: Option<String>,
    /// Spaces of a level.
    pub indent: Option<f64>,
    /// The parameter that takes the cursor; default `cursor`.
    pub cursor_param: Option<String>,
    /// The first part with a note, and no cursor.
    pub trim: Option<bool>,
}

/// What became of a page: `error`, or the rest.
#[napi(object, object_from_js = false)]
#[derive(Debug, Default)]
pub struct PageOutcome {
    /// What went wrong.
    pub error: Option<NativeFailure>,
    /// The page.
    pub text: Option<Text>,
    /// Where the next page begins.
    pub next_cursor: Option<String>,
    /// The value was within the budget.
    pub whole: Option<bool>,
}

impl From<Page> for PageOutcome {
    fn from(page: Page) -> Self {
        Self { error: None, text: Some(page.text.into()), next_cursor: page.next_cursor, whole: Some(page.whole) }
    }
}

impl Outcome for PageOutcome {
    fn failed(error: NativeFailure) -> Self {
        Self { error: Some(error), ..Self::default() }
    }
}

impl NativePageOptions {
    fn check(self) -> Result<(PageOptions, bool), NativeFailure> {
        let param = self.cursor_param.unwrap_or_else(|| "cursor".to_owned());
        let indent = whole("indent", self.indent, 0.0)?.unwrap_or(0).min(16);
        Ok((PageOptions { cursor: self.cursor, key: self.key, indent, next: Next::Again { param } }, self.trim.unwrap_or(false)))
    }
}

fn page_of(value: Input, options: NativePageOptions, fill: &dyn Fn(&str) -> f64) -> Result<PageOutcome, NativeFailure> {
    let (options, trim) = options.check()?;
    let value = value.into_bytes();
    let value = wtf8::decode(&value).0;
    let made = if trim { snugfit_engine::trim_with(&value, &options, fill) } else { snugfit_engine::page_with(&value, &options, fill) };
    Ok(made?.into())
}

/// One page of a value, on a worker.
#[napi(catch_unwind, ts_return_type = "Promise<PageOutcome>")]
pub fn page(env: &Env, value: Input, budget: NativeBudget, options: NativePageOptions) -> Result<Object<'_>, Error> {
    let work = move || {
        let budget = budget.check()?;
        page_of(value, options, &|text| budget.fill(text))
    };
    promise(env, 0, None, work, |outcome: PageOutcome| outcome)
}

/// One page of a value, at once.
#[napi(catch_unwind)]
#[must_use]
pub fn page_sync(value: Input, budget: NativeBudget, options: NativePageOptions) -> PageOutcome {
    PageOutcome::from_result(contain(|| {
        let budget = budget.check()?;
        page_of(value, options, &|text| budget.fill(text))
    }))
}

/// One page of a value, at once, where the caller counts: at most `limit` of what `count` says of a text. Throws what `count` throws.
#[napi(catch_unwind)]
pub fn page_counted(value: Input, limit: f64, count: Function<'_, String, f64>, options: NativePageOptions) -> Result<PageOutcome, Error> {
    let thrown: RefCell<Option<Error>> = RefCell::default();
    let fill = |text: &str| {
        if thrown.borrow().is_some() {
            return f64::INFINITY;
        }
        match count.call(text.to_owned()) {
            Ok(count) if count >= 0.0 => count / limit,
            Ok(_) => f64::INFINITY,
            Err(error) => {
                thrown.replace(Some(error));
                f64::INFINITY
            }
        }
    };
    let outcome = contain(|| page_of(value, options, &fill));
    match thrown.into_inner() {
        Some(error) => Err(error),
        None => Ok(PageOutcome::from_result(outcome)),
    }
}
