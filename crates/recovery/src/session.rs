//! A session: fit, keep the original, hand out the preview; later give the original back.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use snugfit_engine::{Base, Budget, Options, Recovery, Report};
use uuid::Uuid;

use crate::envelope;
use crate::error::Error;
use crate::id::Key;
use crate::memory::{Limits, MemoryStore};
use crate::paged::{first_page, first_page_of};
use crate::read::{self, Selector};
use crate::store::{Stats, Store};
use crate::wtf8;

/// The name of the recovery tool, unless [`Options`] name another.
pub const RECOVERY_TOOL: &str = "compressor_recover_response";

/// What became of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The preview; `None` where the result is within the budget and stays as it was.
    pub text: Option<String>,
    /// What was cut.
    pub report: Report,
    /// The id that recovers the original; `None` where nothing was cut, or nothing is kept.
    pub response_id: Option<String>,
}

/// What became of the text blocks of an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlocksOutcome {
    /// For each block its new text, or `None` where it stays as it was; and where the notice stands.
    pub blocks: snugfit_engine::Blocks,
    /// What became of the structured content.
    pub structured: Structured,
    /// The id that recovers the original; `None` where nothing was cut, or nothing is kept.
    pub response_id: Option<String>,
}

/// What became of an envelope's structured content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Structured {
    /// It stays as it was, if there was any.
    #[default]
    Kept,
    /// It says what the text says, which was shortened: a preview does without it.
    Repeats,
    /// It was shortened to this JSON text.
    Fitted(String),
}

/// The previews of one toolset and the way back from each.
pub struct Session {
    /// What is kept, and the key of its ids; `None` if nothing is kept.
    keep: Option<(Box<dyn Store>, Key)>,
    closed: AtomicBool,
}

impl Session {
    /// A session that keeps originals in `store`, under ids made with `key`.
    #[must_use]
    pub fn new(store: Box<dyn Store>, key: Key) -> Self {
        Self { keep: Some((store, key)), closed: AtomicBool::new(false) }
    }

    /// A session that keeps originals in memory, under ids of its own.
    pub fn in_memory(limits: Limits) -> Result<Self, Error> {
        Ok(Self::new(Box::new(MemoryStore::new(limits)?), Key::random()?))
    }

    /// A session whose originals its caller keeps, each under the id of its outcome, before the preview goes out. One of more than `largest`
    /// bytes is refused.
    #[must_use]
    pub fn kept_elsewhere(key: Key, largest: usize) -> Self {
        Self::new(Box::new(Elsewhere { largest }), key)
    }

    /// A session that keeps nothing: its notices say only what was cut.
    #[must_use]
    pub fn without_store() -> Self {
        Self { keep: None, closed: AtomicBool::new(false) }
    }

    /// Fits a result into the budget of `options`. If something had to be cut, its original is kept before this returns, and the notice
    /// (if `options` ask for one) names its id.
    ///
    /// The original is text in UTF-8. What is not (lone surrogates as in [`wtf8`], or anything else) is replaced in the preview, counted in
    /// the report, and stays as it is in the original.
    pub fn fit(&self, original: Vec<u8>, options: Options) -> Result<Outcome, Error> {
        self.fit_original(None, original.into(), options)
    }

    /// Fits a text that stands for more than itself, such as the text blocks of an envelope as one. What is kept is `original`.
    pub fn fit_text<'o>(&self, text: &[u8], original: impl Into<Cow<'o, [u8]>>, options: Options) -> Result<Outcome, Error> {
        self.fit_original(Some(text), original.into(), options)
    }

    fn fit_original(&self, text: Option<&[u8]>, original: Cow<'_, [u8]>, mut options: Options) -> Result<Outcome, Error> {
        self.check_open()?;
        let (text, replaced) = wtf8::decode(text.unwrap_or(&original));
        // Ids cost a pass over the original: none for what fits anyway.
        let id = if options.budget.holds(&text) { None } else { self.name_original(&original, &mut options) };
        let mut fitted = first_page(&text, &options).map_or_else(|| snugfit_engine::fit(&text, &options), Ok)?;
        fitted.report.replaced += replaced;
        let changed = text != fitted.text;
        drop(text);
        let response_id = self.commit(id, original, fitted.report.pruned, &[&fitted.text])?;
        Ok(Outcome { text: changed.then_some(fitted.text), report: fitted.report, response_id })
    }

    /// Fits the text blocks of an envelope, which share the budget. What is kept is `original`: the whole envelope as JSON.
    ///
    /// `structured` is the JSON text of structured content that counts as the texts do: fitted with them, or left out where it repeats a
    /// text that is shortened. `None` for what is to stay as it is.
    pub fn fit_blocks<'o>(
        &self,
        texts: &[&[u8]],
        structured: Option<&[u8]>,
        original: impl Into<Cow<'o, [u8]>>,
        mut options: Options,
    ) -> Result<BlocksOutcome, Error> {
        let original = original.into();
        self.check_open()?;
        let id = self.name_original(&original, &mut options);
        let (texts, mut replaced): (Vec<_>, Vec<_>) = texts.iter().map(|text| wtf8::decode(text)).unzip();
        let mut texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        let mut bases = read::bases(&original, &texts);
        let structured = structured.map(wtf8::decode);
        let repeats = structured.as_ref().is_some_and(|(json, _)| envelope::repeats(&texts, json));
        let counted = structured.as_ref().filter(|_| !repeats);
        if let Some((json, lost)) = counted {
            bases.resize(texts.len(), Base::default());
            bases.push(Base { pointer: "/structuredContent".to_owned(), lines: 0 });
            texts.push(json);
            replaced.push(*lost);
        }
        let mut blocks =
            first_page_of(&texts, &bases, &options).map_or_else(|| snugfit_engine::fit_blocks_at(&texts, &bases, &options), Ok)?;
        blocks.report.replaced += replaced.into_iter().sum::<usize>();
        let notice = blocks.notice.as_ref().map(|(_, block)| block.as_str());
        let outputs: Vec<&str> = blocks.texts.iter().flatten().map(String::as_str).chain(notice).collect();
        let response_id = self.commit(id, original, blocks.report.pruned, &outputs)?;
        let structured = if counted.is_some() {
            blocks.texts.pop().flatten().map_or(Structured::Kept, Structured::Fitted)
        } else if repeats && blocks.texts.iter().any(Option::is_some) {
            Structured::Repeats
        } else {
            Structured::Kept
        };
        Ok(BlocksOutcome { blocks, structured, response_id })
    }

    /// Keeps an original of which the caller hands out a part itself, and gives its id; `None` where nothing is kept.
    pub fn keep<'o>(&self, original: impl Into<Cow<'o, [u8]>>) -> Result<Option<String>, Error> {
        let original = original.into();
        self.check_open()?;
        let id = self.keep.as_ref().map(|(_, key)| key.id(&original));
        self.commit(id, original, true, &[])
    }

    /// The original of a preview, byte for byte, for as long as it is kept; a read renews that time.
    pub fn recover(&self, response_id: &str) -> Result<Vec<u8>, Error> {
        self.check_open()?;
        let (store, _) = self.keep.as_ref().ok_or(Error::ResponseUnavailable)?;
        let id = Uuid::try_parse(response_id.trim()).map_err(|_| Error::ResponseUnavailable)?;
        store.get(id)?.ok_or(Error::ResponseUnavailable)
    }

    /// A part of an original, within `budget`: see [`read`](crate::read). A read renews the original's time, as [`recover`](Self::recover) does.
    pub fn read(&self, response_id: &str, selector: &Selector, budget: &Budget) -> Result<String, Error> {
        let original = self.recover(response_id)?;
        let (text, _) = wtf8::decode(&original);
        read::read(&text, selector, budget)
    }

    /// Frees the memory of what has expired; for a timer.
    pub fn sweep(&self) {
        if let Some((store, _)) = &self.keep {
            store.sweep();
        }
    }

    /// How much is kept now.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.keep.as_ref().map(|(store, _)| store.stats()).unwrap_or_default()
    }

    /// Forgets everything and frees its memory; every later call fails with [`Error::Closed`], a fit that is under way included. Closing
    /// twice is fine.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        if let Some((store, _)) = &self.keep {
            store.clear();
        }
    }

    /// Whether the session was closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    fn check_open(&self) -> Result<(), Error> {
        if self.is_closed() { Err(Error::Closed) } else { Ok(()) }
    }

    /// The id that the original gets if it is kept; the notice is made to name it.
    fn name_original(&self, original: &[u8], options: &mut Options) -> Option<Uuid> {
        let id = self.keep.as_ref().map(|(_, key)| key.id(original));
        if let Some(notice) = &mut options.notice {
            let named = notice.recovery.take().unwrap_or_else(|| Recovery { tool: RECOVERY_TOOL.to_owned(), ..Recovery::default() });
            notice.recovery = id.map(|id| Recovery { response_id: id.to_string(), base: Base::default(), ..named });
        }
        id
    }

    /// Keeps the original if something was cut or an output names it; the last thing before a preview is handed out.
    fn commit(&self, id: Option<Uuid>, original: Cow<'_, [u8]>, pruned: bool, outputs: &[&str]) -> Result<Option<String>, Error> {
        self.check_open()?;
        let (Some((store, _)), Some(id)) = (&self.keep, id) else { return Ok(None) };
        let name = id.to_string();
        if !pruned && !outputs.iter().any(|output| output.contains(&name)) {
            return Ok(None);
        }
        store.put(id, original)?;
        // If the session was closed meanwhile, the original may have come in behind the clearing.
        if self.is_closed() {
            store.clear();
            return Err(Error::Closed);
        }
        Ok(Some(name))
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("stats", &self.stats()).field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}

/// The store of a session whose caller keeps the originals.
struct Elsewhere {
    largest: usize,
}

impl Store for Elsewhere {
    fn put(&self, _id: Uuid, original: Cow<'_, [u8]>) -> Result<(), Error> {
        let (bytes, limit) = (original.len(), self.largest);
        if bytes > limit { Err(Error::OriginalTooLarge { bytes, limit }) } else { Ok(()) }
    }

    fn get(&self, _id: Uuid) -> Result<Option<Vec<u8>>, Error> {
        Ok(None)
    }

    fn sweep(&self) {}

    fn clear(&self) {}

    fn stats(&self) -> Stats {
        Stats::default()
    }
}
