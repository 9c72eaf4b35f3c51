//! Payloads made from a seed, by the generators that the engine's tests use.

#[path = "../../engine/tests/support/make.rs"]
#[allow(dead_code, missing_docs, unreachable_pub, clippy::pedantic, reason = "the tests use the rest")]
mod make;

use make::{Field, Rng, Shape};
pub use make::{TEXTS, Text};

/// A kind of records.
#[derive(Debug, Clone, Copy)]
pub enum Records {
    /// Many short fields.
    Narrow,
    /// Long texts, nested objects, links, hashes.
    Wide,
    /// A map keyed by id.
    ById,
}

/// The kinds of records, with their names.
pub const RECORDS: [(&str, Records); 3] =
    [("records, narrow", Records::Narrow), ("records, wide", Records::Wide), ("records, by id", Records::ById)];

/// About `bytes` of records as compact JSON.
#[must_use]
pub fn records(kind: Records, bytes: usize) -> String {
    let (shape, fields) = match kind {
        Records::Narrow => (Shape::Wrapped, vec![Field::Id, Field::Title, Field::State, Field::Amount, Field::Time, Field::Flag]),
        Records::Wide => (
            Shape::Wrapped,
            vec![
                Field::Id,
                Field::Hex,
                Field::Title,
                Field::Prose,
                Field::Nested,
                Field::Tags,
                Field::Url,
                Field::Empty,
                Field::Time,
                Field::State,
            ],
        ),
        Records::ById => (Shape::ById, vec![Field::Title, Field::Email, Field::State, Field::Amount, Field::Prose]),
    };
    let mut rng = Rng(1);
    let sample: usize = (0..200).map(|at| make::record(&fields, at, &mut rng).len() + 2).sum();
    make::records(shape, &fields, bytes * 200 / sample, 1)
}

/// About `bytes` of a kind of text.
#[must_use]
pub fn text(kind: Text, bytes: usize) -> String {
    kind.make(bytes, 1)
}
