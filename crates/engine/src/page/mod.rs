//! Pages: a result that is too large, in parts of whole items that a model can follow.
//!
//! A page is a pure function of the value and a cursor that holds all it needs, so that another process, or a tool that is run again, goes
//! on where the last page ended; a fingerprint tells whether the value is still the same.

mod cut;
mod items;
mod text;

use xxhash_rust::xxh3::xxh3_64;

use crate::budget::Budget;
use crate::cursor::{open, seal};
use crate::error::Error;
use crate::fit::fit;
use crate::json::{Index, Type, compact, scan};
use crate::options::{Options, Recovery};
use crate::render::laid_out;
use crate::report::Amount;

/// The kind of our cursors, and the version of their form.
const CURSOR: u8 = 0x11;
/// The bits of the fingerprint that a cursor holds.
const FINGERPRINT: u64 = (1 << 42) - 1;

/// What is asked of a page besides the budget.
#[derive(Debug, Clone, Default)]
pub struct PageOptions {
    /// The `next_cursor` of the page before; `None` for the first.
    pub cursor: Option<String>,
    /// The array to page: `data.items`, or a JSON Pointer. By default the largest that object keys lead to.
    pub key: Option<String>,
    /// Spaces of a level; 0 for compact JSON.
    pub indent: usize,
    /// How the reader goes on.
    pub next: Next,
}

/// How a reader gets at what a page leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// By calling the tool again with this parameter.
    Again {
        /// The parameter that takes the cursor.
        param: String,
    },
    /// By reading the original, which is kept.
    Recovery(Recovery),
}

impl Default for Next {
    fn default() -> Self {
        Self::Again { param: "cursor".to_owned() }
    }
}

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The text, within the budget.
    pub text: String,
    /// Where the next page begins; `None` on the last.
    pub next_cursor: Option<String>,
    /// The value was within the budget and is there as it was.
    pub whole: bool,
    /// What comes after the page: items of a list, characters of a text. `None` for values that have no pages, and were shortened.
    pub rest: Option<Amount>,
}

/// One page of a value, a JSON text or any other.
///
/// # Errors
/// [`Error::InvalidCursor`]; [`Error::PageTooSmall`] where not even one shortened item fits; [`Error::InvalidOption`] for a key that leads
/// to no array.
///
/// ```
/// use snugfit_engine::{Budget, PageOptions, page};
/// let list = format!("[{}]", (1..=500).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
/// let first = page(&list, &Budget::chars(400), &PageOptions::default()).unwrap();
/// assert!(first.text.starts_with(r#"{"items":[1,2,3,"#));
/// let second = PageOptions { cursor: first.next_cursor, ..PageOptions::default() };
/// assert!(page(&list, &Budget::chars(400), &second).is_ok());
/// ```
pub fn page(value: &str, budget: &Budget, options: &PageOptions) -> Result<Page, Error> {
    page_with(value, options, &|text| budget.fill(text))
}

/// As [`page`], measured by the caller: `fill` says how full a text makes the budget, 1.0 being exactly full.
///
/// # Errors
/// As [`page`].
pub fn page_with(value: &str, options: &PageOptions, fill: &dyn Fn(&str) -> f64) -> Result<Page, Error> {
    Pager { value, options, trim: false, fill }.page()
}

/// The first part of a value, with a note that says what was left out and no cursor.
///
/// # Errors
/// As [`page`].
pub fn trim(value: &str, budget: &Budget, options: &PageOptions) -> Result<Page, Error> {
    trim_with(value, options, &|text| budget.fill(text))
}

/// As [`trim`], measured by the caller.
///
/// # Errors
/// As [`page`].
pub fn trim_with(value: &str, options: &PageOptions, fill: &dyn Fn(&str) -> f64) -> Result<Page, Error> {
    Pager { value, options, trim: true, fill }.page()
}

/// Whether a cursor is one of a page.
#[must_use]
pub fn is_page_cursor(cursor: &str) -> bool {
    open(CURSOR, 3, cursor).is_some()
}

/// Whether a cursor is one of a page of this very value.
#[must_use]
pub fn is_page_cursor_of(cursor: &str, value: &str) -> bool {
    open(CURSOR, 3, cursor).is_some_and(|(numbers, _)| numbers[2] == fingerprint(value))
}

fn fingerprint(value: &str) -> u64 {
    xxh3_64(value.as_bytes()) & FINGERPRINT
}

struct Pager<'p> {
    value: &'p str,
    options: &'p PageOptions,
    trim: bool,
    fill: &'p dyn Fn(&str) -> f64,
}

/// Where a page begins.
#[derive(Debug, Clone, Copy, Default)]
struct Start {
    /// Items, or bytes of a text.
    offset: usize,
    /// The value is not the one that the cursor was made for.
    changed: bool,
}

impl Pager<'_> {
    fn page(&self) -> Result<Page, Error> {
        let start = self.start()?;
        let value = self.value.trim_start_matches('\u{feff}').trim();
        let index = if value.starts_with(['{', '[']) { scan(value) } else { None };
        if self.options.cursor.is_none()
            && let Some(text) = self.whole(index.is_some())
        {
            return Ok(Page { text, next_cursor: None, whole: true, rest: None });
        }
        match &index {
            None => text::page(self, start),
            Some(index) if index.kind(0) == Type::Array => items::page(self, index, 0, start),
            Some(index) => match items::find(index, self.options.key.as_deref())? {
                Some(array) => items::page(self, index, array, start),
                None if self.options.cursor.is_some() => Err(Error::InvalidCursor),
                None => self.shrunk(index),
            },
        }
    }

    /// The value as it is, or without white space, if that fits.
    fn whole(&self, json: bool) -> Option<String> {
        let indent = self.options.indent;
        let fits = |text: String| ((self.fill)(&text) <= 1.0).then_some(text);
        if json && indent > 0 {
            return fits(laid_out(self.value, indent));
        }
        if (self.fill)(self.value) <= 1.0 {
            return Some(self.value.to_owned());
        }
        if json { fits(compact(self.value)) } else { None }
    }

    fn start(&self) -> Result<Start, Error> {
        let Some(cursor) = &self.options.cursor else { return Ok(Start::default()) };
        let (numbers, _) = open(CURSOR, 3, cursor).filter(|_| !self.trim).ok_or(Error::InvalidCursor)?;
        let offset = usize::try_from(numbers[0]).map_err(|_| Error::InvalidCursor)?;
        Ok(Start { offset, changed: numbers[2] != self.fingerprint() })
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(self.value)
    }

    /// The cursor of what begins at `offset`, out of `total`; `None` in a trimmed text.
    fn cursor(&self, fingerprint: u64, offset: usize, total: usize) -> Option<String> {
        (!self.trim).then(|| seal(CURSOR, &[offset as u64, total as u64, fingerprint], ""))
    }

    /// What a note says of the way to the rest; `rest` is how much there is.
    fn way(&self, cursor: Option<&str>, rest: &str) -> String {
        match (&self.options.next, cursor) {
            (Next::Again { param }, Some(cursor)) => {
                format!("Call this tool again with the same arguments and {param}=\"{cursor}\" for the next page.")
            }
            (Next::Again { .. }, None) => format!("{rest} left out. Narrow the request to see more."),
            (Next::Recovery(recovery), Some(_)) => format!("The next page: {}.", recovery.next_page()),
            (Next::Recovery(recovery), None) => {
                format!("{rest} left out; {} reads them by response_id and path, search or lines.", recovery.name())
            }
        }
    }

    /// A value that cannot be paged: every key kept, long strings and arrays cut; condensed where the keys alone do not fit.
    fn shrunk(&self, index: &Index<'_>) -> Result<Page, Error> {
        let done = |text: String| Page { text, next_cursor: None, whole: false, rest: None };
        let laid = |text: &str| laid_out(text, self.options.indent);
        let room = cut::Room::new(self.value, self.fill);
        if let Some(text) = cut::cut(index, 0, &room, &|text| (self.fill)(&laid(text))) {
            return Ok(done(laid(&text)));
        }
        condensed(index.text, room.bytes, &|text| (self.fill)(&laid(text))).map(|text| done(laid(&text)))
    }
}

/// Condenses a JSON text until `fill` holds.
fn condensed(json: &str, bytes: usize, fill: &dyn Fn(&str) -> f64) -> Result<String, Error> {
    let mut limit = bytes;
    let mut least = None;
    for _ in 0..12 {
        let fitted = match fit(json, &Options::new(Budget::chars(limit.max(1)))) {
            Ok(fitted) => fitted,
            // What is least may hold after all, and tells how far it is from that.
            Err(Error::BudgetTooSmall { needed, .. }) if least.is_none() => fit(json, &Options::new(Budget::chars(needed)))?,
            Err(_) => break,
        };
        let filled = fill(&fitted.text);
        if filled <= 1.0 {
            return Ok(fitted.text);
        }
        least = Some(filled);
        limit = ((limit as f64 * 0.95 / filled) as usize).min(limit.saturating_sub(1));
    }
    Err(too_small(least.unwrap_or(1.0)))
}

/// A page that cannot be made smaller than this share of the budget.
fn too_small(filled: f64) -> Error {
    Error::PageTooSmall { percent: (filled * 100.0).ceil().clamp(101.0, 1e9) as usize }
}
