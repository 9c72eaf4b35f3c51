//! The vocabularies of token budgets: the host hands over their bytes, the first budget that needs one builds its tables, on its worker.

use std::sync::{Mutex, OnceLock, PoisonError};

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use snugfit_engine::{Encoding, Error};

use crate::error::NativeFailure;

/// What is kept of an encoding that has a vocabulary.
struct Slot {
    name: &'static str,
    packed: Mutex<Vec<u8>>,
    encoding: OnceLock<Result<Encoding, Error>>,
}

impl Slot {
    const fn new(name: &'static str) -> Self {
        Self { name, packed: Mutex::new(Vec::new()), encoding: OnceLock::new() }
    }

    /// The bytes, which nobody needs once the tables are built.
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.packed.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

static SLOTS: [Slot; 2] = [Slot::new("o200k_base"), Slot::new("cl100k_base")];

fn slot(name: &str) -> Option<&'static Slot> {
    SLOTS.iter().find(|slot| slot.name == name)
}

/// Whether budgets may name the encoding.
#[napi(catch_unwind)]
#[must_use]
pub fn has_encoding(name: String) -> bool {
    slot(&name).map_or(name == Encoding::ESTIMATE.name(), |slot| {
        slot.encoding.get().is_some() || !slot.packed.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    })
}

/// Takes the packed vocabulary of an encoding.
#[napi(catch_unwind)]
pub fn add_vocabulary(name: String, packed: Uint8Array) {
    if let Some(slot) = slot(&name) {
        *slot.packed.lock().unwrap_or_else(PoisonError::into_inner) = packed.to_vec();
    }
}

/// The encoding of a name; builds its tables on first use.
pub(crate) fn encoding(name: &str) -> Result<Encoding, NativeFailure> {
    if name == Encoding::ESTIMATE.name() {
        return Ok(Encoding::ESTIMATE);
    }
    let Some(slot) = slot(name) else {
        return Err(NativeFailure::option("budget.encoding", format!("must be one of {}, not {name:?}", Encoding::NAMES.join(", "))));
    };
    if !has_encoding(name.to_owned()) {
        return Err(NativeFailure::option("budget.encoding", format!("the vocabulary of {name} has not been added")));
    }
    Ok(slot.encoding.get_or_init(|| Encoding::from_vocabulary(&slot.take())).clone()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_is_known_built_in_or_told() {
        assert_eq!(encoding("estimate"), Ok(Encoding::ESTIMATE));
        let message = |name| encoding(name).map_err(|failure| failure.message);
        assert_eq!(message("gpt2"), Err(r#"budget.encoding: must be one of estimate, o200k_base, cl100k_base, not "gpt2""#.to_owned()));
        assert_eq!(message("o200k_base"), Err("budget.encoding: the vocabulary of o200k_base has not been added".to_owned()));
        assert!(has_encoding("estimate".to_owned()) && !has_encoding("o200k_base".to_owned()) && !has_encoding("gpt2".to_owned()));
    }

    #[test]
    fn a_broken_vocabulary_is_told_each_time() {
        *SLOTS[1].packed.lock().expect("a lock") = b"broken".to_vec();
        for _ in 0..2 {
            let failure = encoding("cl100k_base").expect_err("a broken one");
            assert_eq!(failure.message, "encoding: not a vocabulary of snugfit: it does not begin as one");
        }
    }
}
