//! Renderings. Values cross as JSON texts.

use napi_derive::napi;
use snugfit_engine::Form;
use snugfit_recovery::wtf8;

use crate::error::{NativeFailure, contain};
use crate::options::NativeBudget;
use crate::session::Outcome;
use crate::string_in::Input;
use crate::string_out::Text;

/// A rendering: `error`, or the rest.
#[napi(object, object_from_js = false)]
#[derive(Debug, Default)]
pub struct RenderOutcome {
    /// What went wrong.
    pub error: Option<NativeFailure>,
    /// The text.
    pub text: Option<Text>,
    /// It is within the budget.
    pub fits: Option<bool>,
    /// `indented` or `compact`.
    pub form: Option<String>,
}

impl Outcome for RenderOutcome {
    fn failed(error: NativeFailure) -> Self {
        Self { error: Some(error), ..Self::default() }
    }
}

fn no_json() -> NativeFailure {
    NativeFailure::new("INVALID_INPUT", "the value is not JSON")
}

/// The indented form if it is within the budget, else the compact one; without a budget the indented one.
#[napi(catch_unwind)]
#[must_use]
pub fn render(json: Input, budget: Option<NativeBudget>) -> RenderOutcome {
    RenderOutcome::from_result(contain(|| {
        let budget = budget.unwrap_or_default().check()?;
        let json = json.into_bytes();
        let rendered = snugfit_engine::render_within(&wtf8::decode(&json).0, &budget).ok_or_else(no_json)?;
        let form = if rendered.form == Form::Indented { "indented" } else { "compact" };
        Ok(RenderOutcome { error: None, text: Some(rendered.text.into()), fits: Some(rendered.fits), form: Some(form.to_owned()) })
    }))
}

/// How many UTF-16 units of `body` fit into a JSON text beside `around`, which holds an empty string in its place.
#[napi(catch_unwind)]
#[must_use]
pub fn body_prefix(body: Input, budget: NativeBudget, around: Input) -> f64 {
    let units = contain(|| {
        let budget = budget.check()?;
        let (body, around) = (body.into_bytes(), around.into_bytes());
        let (body, around) = (wtf8::decode(&body).0, wtf8::decode(&around).0);
        let kept = snugfit_engine::body_prefix(&body, &budget, &around);
        Ok(body[..kept].chars().map(char::len_utf16).sum::<usize>())
    });
    units.map_or(0.0, |units| units as f64)
}

/// The characters of a list of these JSON texts when it is rendered; infinite where one of them is not JSON.
#[napi(catch_unwind)]
#[must_use]
pub fn items_size(items: Vec<Input>) -> f64 {
    let items: Vec<Vec<u8>> = items.into_iter().map(Input::into_bytes).collect();
    let texts: Vec<_> = items.iter().map(|item| wtf8::decode(item).0).collect();
    match snugfit_engine::items_size(&texts.iter().map(AsRef::as_ref).collect::<Vec<_>>()) {
        usize::MAX => f64::INFINITY,
        size => size as f64,
    }
}
