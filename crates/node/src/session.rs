//! The session of one toolset, and fitting without one.

use std::sync::Arc;

use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Env, Error};
use napi_derive::napi;
use snugfit_engine::{NoticeForm, Options};
use snugfit_recovery::envelope::assemble;
use snugfit_recovery::{Structured, wtf8};

use crate::error::{NativeFailure, contain};
use crate::options::{NativeBudget, NativeIds, NativeLimits, NativeOptions};
use crate::read::NativeSelector;
use crate::report::NativeReport;
use crate::string_in::Input;
use crate::string_out::Text;
use crate::worker::{Cancel, submit};

/// What became of a result: `error`, or the rest.
#[napi(object, object_from_js = false)]
#[derive(Debug, Default)]
pub struct FitOutcome {
    /// What went wrong.
    pub error: Option<NativeFailure>,
    /// The preview; `None` where the input fits and is unchanged.
    pub text: Option<Text>,
    /// What was cut.
    pub report: Option<NativeReport>,
    /// The id that recovers the original.
    pub response_id: Option<String>,
}

/// What became of an envelope's text blocks: `error`, or the rest.
#[napi(object, object_from_js = false)]
#[derive(Debug, Default)]
pub struct BlocksOutcome {
    /// What went wrong.
    pub error: Option<NativeFailure>,
    /// With `joined`: the text for all of them; `None` where it fits.
    pub joined: Option<Text>,
    /// One for each block; `None` where it stays as it was.
    pub texts: Option<Vec<Option<Text>>>,
    /// The JSON text of the structured content, where it was shortened.
    pub structured: Option<Text>,
    /// The structured content repeats a text that was shortened, so that a preview does without it.
    pub structured_repeats: Option<bool>,
    /// The text of one more last block.
    pub notice_block: Option<Text>,
    /// `_meta.truncation` as JSON text.
    pub meta: Option<Text>,
    /// What was cut.
    pub report: Option<NativeReport>,
    /// The id that recovers the original.
    pub response_id: Option<String>,
}

/// What was recovered: `error` or `text`.
#[napi(object, object_from_js = false)]
#[derive(Debug, Default)]
pub struct RecoverOutcome {
    /// What went wrong.
    pub error: Option<NativeFailure>,
    /// The original.
    pub text: Option<Text>,
}

impl From<snugfit_recovery::BlocksOutcome> for BlocksOutcome {
    fn from(outcome: snugfit_recovery::BlocksOutcome) -> Self {
        let (meta, notice_block) = outcome.blocks.notice.unzip();
        let (structured, structured_repeats) = match outcome.structured {
            Structured::Kept => (None, None),
            Structured::Repeats => (None, Some(true)),
            Structured::Fitted(json) => (Some(Text::from(json)), None),
        };
        Self {
            error: None,
            joined: None,
            texts: Some(outcome.blocks.texts.into_iter().map(|text| text.map(Text::from)).collect()),
            structured,
            structured_repeats,
            notice_block: notice_block.map(Text::from),
            meta: meta.map(Text::from),
            report: Some(outcome.blocks.report.into()),
            response_id: outcome.response_id,
        }
    }
}

impl From<snugfit_recovery::Outcome> for FitOutcome {
    fn from(outcome: snugfit_recovery::Outcome) -> Self {
        Self { error: None, text: outcome.text.map(Text::from), report: Some(outcome.report.into()), response_id: outcome.response_id }
    }
}

/// How much a session keeps.
#[napi(object, object_from_js = false)]
#[derive(Debug)]
pub struct NativeStats {
    /// Originals.
    pub entries: f64,
    /// Bytes of originals as they are kept, and of their keys.
    pub bytes: f64,
}

/// An outcome that may be a failure instead.
pub(crate) trait Outcome: Default + ToNapiValue + Send + 'static {
    fn failed(error: NativeFailure) -> Self;

    fn from_result(result: Result<Self, NativeFailure>) -> Self {
        result.unwrap_or_else(Self::failed)
    }
}

impl Outcome for FitOutcome {
    fn failed(error: NativeFailure) -> Self {
        Self { error: Some(error), ..Self::default() }
    }
}

impl Outcome for BlocksOutcome {
    fn failed(error: NativeFailure) -> Self {
        Self { error: Some(error), ..Self::default() }
    }
}

impl Outcome for RecoverOutcome {
    fn failed(error: NativeFailure) -> Self {
        Self { error: Some(error), ..Self::default() }
    }
}

/// The previews of one toolset and the way back from each.
#[napi]
pub struct Session {
    inner: Arc<snugfit_recovery::Session>,
}

#[napi]
impl Session {
    /// A session with a store of these limits; `null` for one that keeps nothing, or whose caller keeps what it names by `ids`. Throws
    /// `INVALID_OPTION`.
    #[napi(constructor, catch_unwind)]
    pub fn new(limits: Option<NativeLimits>, ids: Option<NativeIds>) -> Result<Self, Error<String>> {
        use snugfit_recovery::Session as Inner;
        let session = contain(|| match (limits, ids) {
            (Some(limits), _) => Ok(Inner::in_memory(limits.check()?)?),
            (None, Some(ids)) => Ok(Inner::kept_elsewhere(ids.key()?, usize::MAX)),
            (None, None) => Ok(Inner::without_store()),
        });
        session.map(|session| Self { inner: Arc::new(session) }).map_err(|failure| Error::new(failure.code, failure.message))
    }

    /// Fits a result and keeps its original if something had to be cut.
    #[napi(catch_unwind, ts_return_type = "Promise<FitOutcome>")]
    pub fn fit<'env>(&self, env: &'env Env, input: Input, options: NativeOptions, cancel: Option<&Cancel>) -> Result<Object<'env>, Error> {
        let session = Arc::clone(&self.inner);
        self.promise(env, input.weight(), cancel, move || fit_in(&session, input, options))
    }

    /// As [`fit`](Self::fit), at once and on the event loop: for hosts that cannot wait.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn fit_sync(&self, input: Input, options: NativeOptions) -> FitOutcome {
        FitOutcome::from_result(contain(|| fit_in(&self.inner, input, options)))
    }

    /// Fits the text blocks of an envelope, which share the budget, and keeps the whole envelope, whose JSON text without those texts is
    /// `around` them. `structured` is the JSON text of structured content that counts as they do.
    #[napi(catch_unwind, ts_return_type = "Promise<BlocksOutcome>")]
    pub fn fit_blocks<'env>(
        &self,
        env: &'env Env,
        texts: Vec<Input>,
        around: Vec<Input>,
        structured: Option<Input>,
        options: NativeOptions,
        cancel: Option<&Cancel>,
    ) -> Result<Object<'env>, Error> {
        let session = Arc::clone(&self.inner);
        // The texts once more, since the original is made of them.
        let weight =
            texts.iter().map(Input::weight).sum::<usize>() * 2 + around.iter().chain(&structured).map(Input::weight).sum::<usize>();
        self.promise(env, weight, cancel, move || fit_blocks_in(&session, texts, around, structured, options))
    }

    /// As [`fit_blocks`](Self::fit_blocks), at once and on the event loop.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn fit_blocks_sync(
        &self,
        texts: Vec<Input>,
        around: Vec<Input>,
        structured: Option<Input>,
        options: NativeOptions,
    ) -> BlocksOutcome {
        BlocksOutcome::from_result(contain(|| fit_blocks_in(&self.inner, texts, around, structured, options)))
    }

    /// The original of a preview.
    #[napi(catch_unwind, ts_return_type = "Promise<RecoverOutcome>")]
    pub fn recover<'env>(&self, env: &'env Env, response_id: String) -> Result<Object<'env>, Error> {
        let session = Arc::clone(&self.inner);
        self.promise(env, 0, None, move || Ok(RecoverOutcome { error: None, text: Some(session.recover(&response_id)?.into()) }))
    }

    /// A part of the original of a preview, within `budget`.
    #[napi(catch_unwind, ts_return_type = "Promise<RecoverOutcome>")]
    pub fn read<'env>(
        &self,
        env: &'env Env,
        response_id: String,
        selector: NativeSelector,
        budget: NativeBudget,
    ) -> Result<Object<'env>, Error> {
        let session = Arc::clone(&self.inner);
        self.promise(env, 0, None, move || {
            let (selector, budget) = (selector.check()?, budget.check()?);
            Ok(RecoverOutcome { error: None, text: Some(session.read(&response_id, &selector, &budget)?.into()) })
        })
    }

    /// How much is kept now.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn stats(&self) -> NativeStats {
        let stats = self.inner.stats();
        NativeStats { entries: stats.entries as f64, bytes: stats.bytes as f64 }
    }

    /// Frees the memory of what has expired; for a timer.
    #[napi(catch_unwind)]
    pub fn sweep(&self) {
        self.inner.sweep();
    }

    /// Forgets everything; whatever finishes later fails with `CLOSED`.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.inner.close();
    }

    /// Runs `work` on a worker. An outcome that reaches JavaScript after [`close`](Self::close) names what is gone, so it is withheld.
    fn promise<'env, T: Outcome>(
        &self,
        env: &'env Env,
        weight: usize,
        cancel: Option<&Cancel>,
        work: impl FnOnce() -> Result<T, NativeFailure> + Send + 'static,
    ) -> Result<Object<'env>, Error> {
        let session = Arc::clone(&self.inner);
        promise(
            env,
            weight,
            cancel,
            work,
            move |outcome| {
                if session.is_closed() { T::failed(snugfit_recovery::Error::Closed.into()) } else { outcome }
            },
        )
    }
}

fn fit_in(session: &snugfit_recovery::Session, input: Input, options: NativeOptions) -> Result<FitOutcome, NativeFailure> {
    let options = checked(options, Some(NoticeForm::Inline))?;
    Ok(FitOutcome::from(session.fit(input.into_bytes(), options)?))
}

fn fit_blocks_in(
    session: &snugfit_recovery::Session,
    texts: Vec<Input>,
    around: Vec<Input>,
    structured: Option<Input>,
    options: NativeOptions,
) -> Result<BlocksOutcome, NativeFailure> {
    let joined = options.joined.unwrap_or_default();
    let options = checked(options, Some(NoticeForm::Inline))?;
    let bytes = |inputs: Vec<Input>| inputs.into_iter().map(Input::into_bytes).collect::<Vec<_>>();
    let (texts, around, structured) = (bytes(texts), bytes(around), structured.map(Input::into_bytes));
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let around: Vec<&[u8]> = around.iter().map(Vec::as_slice).collect();
    let original = assemble(&around, &texts);
    if joined {
        let FitOutcome { error, text, report, response_id } = session.fit_text(&texts.join(&b'\n'), original, options)?.into();
        return Ok(BlocksOutcome { error, joined: text, report, response_id, ..BlocksOutcome::default() });
    }
    Ok(session.fit_blocks(&texts, structured.as_deref(), original, options)?.into())
}

/// A part of an original that the caller keeps, within `budget`.
#[napi(catch_unwind, ts_return_type = "Promise<RecoverOutcome>")]
pub fn read(env: &Env, original: Input, selector: NativeSelector, budget: NativeBudget) -> Result<Object<'_>, Error> {
    let weight = original.weight();
    let work = move || {
        let (selector, budget) = (selector.check()?, budget.check()?);
        let original = original.into_bytes();
        let text = snugfit_recovery::read(&wtf8::decode(&original).0, &selector, &budget)?;
        Ok(RecoverOutcome { error: None, text: Some(text.into()) })
    };
    promise(env, weight, None, work, |outcome: RecoverOutcome| outcome)
}

/// Fits a text, without a session: nothing is kept.
#[napi(catch_unwind, ts_return_type = "Promise<FitOutcome>")]
pub fn fit<'env>(env: &'env Env, input: Input, options: NativeOptions, cancel: Option<&Cancel>) -> Result<Object<'env>, Error> {
    promise(env, input.weight(), cancel, move || fit_alone(input, options), |outcome| outcome)
}

/// Fits a text at once, on the event loop: for small ones.
#[napi(catch_unwind)]
#[must_use]
pub fn fit_sync(input: Input, options: NativeOptions) -> FitOutcome {
    FitOutcome::from_result(contain(|| fit_alone(input, options)))
}

fn fit_alone(input: Input, options: NativeOptions) -> Result<FitOutcome, NativeFailure> {
    let options = checked(options, None)?;
    match snugfit_recovery::Session::without_store().fit(input.into_bytes(), options) {
        Ok(outcome) => Ok(outcome.into()),
        // No tool has run here, so the engine's own words are the right ones.
        Err(snugfit_recovery::Error::Fit(error)) => Err(error.into()),
        Err(error) => Err(error.into()),
    }
}

/// The engine's options; panics here if a test asks for it.
fn checked(options: NativeOptions, notice: Option<NoticeForm>) -> Result<Options, NativeFailure> {
    let options = options.check(notice)?;
    #[cfg(feature = "test-panic")]
    assert_ne!(options.tool_name, "__snugfit_test_panic__", "a test asked for this");
    Ok(options)
}

/// A promise of what `work` gives on a worker, after `last` had a look at it on the event loop.
pub(crate) fn promise<'env, T: Outcome>(
    env: &'env Env,
    weight: usize,
    cancel: Option<&Cancel>,
    work: impl FnOnce() -> Result<T, NativeFailure> + Send + 'static,
    last: impl FnOnce(T) -> T + Send + 'static,
) -> Result<Object<'env>, Error> {
    let (deferred, promise) = env.create_deferred()?;
    submit(weight, cancel, work, move |result| deferred.resolve(move |_| Ok(last(T::from_result(result)))));
    Ok(promise)
}
