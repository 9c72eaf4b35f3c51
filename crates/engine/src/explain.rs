//! Why a preview holds what it holds: for tuning, and for users who ask.
//!
//! A fit leaves a trace on the way where one is asked for: what each planner has judged, before anything is chosen. Scores do not depend on the
//! budget, so that the last plan's are those of every plan.

use std::cell::RefCell;

use crate::error::Error;
use crate::fit::{Fitted, fit_traced};
use crate::options::Options;
use crate::report::Place;

/// How many scores of a sort are told.
pub(crate) const MAX_SCORES: usize = 12;

/// A fitted text, and why it holds what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// As [`fit`](crate::fit()) gives it; what was cut, and why, is in its report.
    pub fitted: Fitted,
    /// What scored highest: fields, then records, then lines, at most a dozen of each, the highest first. Empty where nothing had to be cut.
    pub scores: Vec<Score>,
}

/// What a field, a record or a line is worth beside the others of its sort.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// What is judged.
    pub of: Scored,
    /// Where it stands: `*` for every element of a list.
    pub place: Place,
    /// The more the sooner it is kept, what it costs taken into account.
    pub score: f32,
    /// What the score is made of, in words: a factor or a strength each.
    pub parts: Vec<(String, f32)>,
}

/// The sort of a [`Score`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Scored {
    /// A path of a JSON text, for all records alike.
    Field,
    /// An element of a list that stands out from its neighbours.
    Record,
    /// A line of a text.
    Line,
}

impl Scored {
    /// The name of several.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Field => "fields",
            Self::Record => "records",
            Self::Line => "lines",
        }
    }
}

/// Fits `input` as [`fit`](crate::fit()) does, and tells why.
///
/// # Errors
/// As [`fit`](crate::fit()).
///
/// ```
/// use snugfit_engine::{Budget, Options, Scored, explain};
/// let list: Vec<String> = (0..99).map(|i| format!("{{\"id\":{i},\"state\":\"{}\"}}", if i == 41 { "FAILED" } else { "ok" })).collect();
/// let explanation = explain(&format!("[{}]", list.join(",")), &Options::new(Budget::chars(300))).unwrap();
/// assert!(explanation.scores.iter().any(|score| score.of == Scored::Record && score.parts[0].0.contains("FAILED")));
/// ```
pub fn explain(input: &str, options: &Options) -> Result<Explanation, Error> {
    let trace = Trace::default();
    let fitted = fit_traced(input, options, Some(&trace))?;
    Ok(Explanation { fitted, scores: trace.0.into_inner() })
}

/// Where planners leave what they have judged.
#[derive(Debug, Default)]
pub(crate) struct Trace(RefCell<Vec<Score>>);

impl Trace {
    /// Takes the scores of a plan in the place of those of an earlier one.
    pub(crate) fn take(&self, scores: Vec<Score>) {
        *self.0.borrow_mut() = scores;
    }
}
