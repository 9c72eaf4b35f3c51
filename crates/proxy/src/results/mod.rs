//! What becomes of results: within a budget, with every original one call away.

mod envelope;
mod fit;
mod program;
mod rules;
mod toon;

pub(crate) use envelope::{first_text, with_first_text};
pub(crate) use fit::{Call, Fate, demand, failure, fit, fit_error};
pub(crate) use program::{Form, Given, for_program};
pub(crate) use rules::{Rules, surely_holds};
pub(crate) use toon::toonified;
