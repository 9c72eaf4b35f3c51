//! One allowance among the results of a turn.

use napi_derive::napi;
use snugfit_recovery::{Allowance, wtf8};

use crate::options::NativeBudget;
use crate::string_in::Input;

/// What a result may take.
#[napi(object, object_from_js = false)]
#[derive(Debug)]
pub struct NativeShare {
    /// The call whose result it is.
    pub call: u32,
    /// In the unit of the allowance.
    pub share: f64,
}

/// The calls whose results share an allowance.
#[napi]
pub struct Turn {
    allowance: Allowance,
    inner: snugfit_recovery::Turn,
}

#[napi]
impl Turn {
    /// A turn with an allowance of `total` characters or tokens, of so many calls at least.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new(total: f64, tokens: bool, calls: f64) -> Self {
        let allowance = if tokens { Allowance::Tokens(total as usize) } else { Allowance::Chars(total as usize) };
        Self { allowance, inner: snugfit_recovery::Turn::new(allowance, calls as usize) }
    }

    /// A call begins.
    #[napi(catch_unwind)]
    pub fn join(&mut self) -> u32 {
        self.inner.join()
    }

    /// The result of a call is there: these texts, or more than is worth counting. Gives the shares that are certain now.
    #[napi(catch_unwind)]
    pub fn claim(&mut self, call: u32, texts: Option<Vec<Input>>, budget: NativeBudget) -> Vec<NativeShare> {
        let own = budget.check().unwrap_or_default();
        let demand = match texts {
            None => self.allowance.most(&own),
            Some(texts) => {
                let texts: Vec<Vec<u8>> = texts.into_iter().map(Input::into_bytes).collect();
                let texts: Vec<_> = texts.iter().map(|text| wtf8::decode(text).0).collect();
                self.allowance.demand(&texts.iter().map(AsRef::as_ref).collect::<Vec<_>>(), &own)
            }
        };
        shares(self.inner.claim(call, demand))
    }

    /// A call has no result that counts. Gives the shares that are certain now.
    #[napi(catch_unwind)]
    pub fn leave(&mut self, call: u32) -> Vec<NativeShare> {
        shares(self.inner.leave(call))
    }

    /// The share of a result that waits no longer.
    #[napi(catch_unwind)]
    pub fn now(&mut self, call: u32) -> Option<f64> {
        self.inner.now(call).map(|share| share as f64)
    }
}

fn shares(certain: Vec<(u32, usize)>) -> Vec<NativeShare> {
    certain.into_iter().map(|(call, share)| NativeShare { call, share: share as f64 }).collect()
}
