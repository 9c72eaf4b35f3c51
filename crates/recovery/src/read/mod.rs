//! Partial reads: the part of an original that is missing from a preview, within a budget of its own.
//!
//! ```
//! use snugfit_engine::Budget;
//! use snugfit_recovery::{Selector, read};
//!
//! let original = r#"{"issues":[{"key":"A-1"},{"key":"A-2"}]}"#;
//! let answer = read(original, &Selector::Path("/issues/1".into()), &Budget::chars(400))?;
//! assert_eq!(answer, r#"{"part":{"key":"A-2"},"of":"/issues/1, complete"}"#);
//! # Ok::<(), snugfit_recovery::Error>(())
//! ```

mod answer;
mod document;
mod jsonpath;
mod lines;
mod pages;
mod pattern;
mod pointer;
mod search;
mod window;

use snugfit_engine::cursor::{open, seal};
use snugfit_engine::json::scan;
use snugfit_engine::{Budget, PageOptions, is_page_cursor, is_page_cursor_of, page};

use crate::error::Error;
pub(crate) use document::bases;
use document::{Body, Document, Part};
use lines::Lines;
use pages::Entry;
use pointer::Found;
use search::Needle;

/// Which part of an original is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// A JSON Pointer, a pattern as notices name cuts (`/issues/*/body`, `/issues/12..213`), or a JSONPath (`$..body`).
    Path(String),
    /// A literal or `/regex/flags`, and how many lines around each match of a text are shown.
    Search {
        /// What is looked for.
        pattern: String,
        /// Lines before and after.
        context: usize,
    },
    /// `120-180`, `120`, or `-50` for the last 50.
    Lines(String),
    /// Where the read that gave this cursor goes on.
    Cursor(String),
}

impl Selector {
    /// Lines around a match unless others are asked for.
    pub const CONTEXT: usize = 2;
    /// More lines around a match than this are no context.
    pub const MAX_CONTEXT: usize = 100;
}

/// The longest selector, in bytes: a cursor holds it.
const MAX_SELECTOR: usize = 1000;
/// The kind of our cursors, and the version of their form.
const CURSOR: u8 = 0x21;

/// A selector, and how far it was read.
#[derive(Debug, Clone)]
struct Request {
    selector: Selector,
    /// Items, lines or matches that were read.
    from: usize,
    /// Bytes of the next item that were read.
    offset: usize,
}

impl Request {
    fn new(selector: &Selector) -> Result<Self, Error> {
        let (name, text) = match selector {
            Selector::Cursor(cursor) => return Self::open(cursor).ok_or(Error::InvalidCursor),
            Selector::Path(text) => ("path", text),
            Selector::Search { pattern, .. } => ("search", pattern),
            Selector::Lines(text) => ("lines", text),
        };
        if text.len() > MAX_SELECTOR {
            let message = format!("is longer than {MAX_SELECTOR} bytes");
            return Err(Error::InvalidSelector { selector: name, position: MAX_SELECTOR, message });
        }
        Ok(Self { selector: selector.clone(), from: 0, offset: 0 })
    }

    fn open(cursor: &str) -> Option<Self> {
        let (numbers, text) = open(CURSOR, 4, cursor)?;
        let [kind, context, from, offset] = numbers[..] else { return None };
        let (context, from, offset) = (usize::try_from(context).ok()?, usize::try_from(from).ok()?, usize::try_from(offset).ok()?);
        let selector = match kind {
            0 => Selector::Path(text),
            1 => Selector::Search { pattern: text, context },
            2 => Selector::Lines(text),
            _ => return None,
        };
        Some(Self { selector, from, offset })
    }

    /// The cursor of what comes after so many more items, or so many bytes of the next one.
    fn cursor(&self, from: usize, offset: usize) -> String {
        let (kind, context, text) = match &self.selector {
            Selector::Path(text) | Selector::Cursor(text) => (0, 0, text),
            Selector::Search { pattern, context } => (1, *context, pattern),
            Selector::Lines(text) => (2, 0, text),
        };
        seal(CURSOR, &[kind, context as u64, from as u64, offset as u64], text)
    }
}

/// Reads a part of an original. The answer is within the budget: a JSON object `{"part":…,"of":"…","matches"?:n,"next_cursor"?:"…"}`, or
/// for text its lines and the same object without `part` on a last line.
pub fn read(original: &str, selector: &Selector, budget: &Budget) -> Result<String, Error> {
    let whole = scan(original);
    let blocks = whole.as_ref().map(document::text_blocks).unwrap_or_default();
    if let Selector::Cursor(cursor) = selector
        && is_page_cursor(cursor)
    {
        // The first page went out in place of a preview; the others are like it.
        let texts = || blocks.iter().map(|(_, text)| text.as_str());
        let text = texts().find(|text| is_page_cursor_of(cursor, text)).or_else(|| texts().next()).unwrap_or(original);
        let options = PageOptions { cursor: Some(cursor.clone()), ..PageOptions::default() };
        return Ok(page(text, budget, &options)?.text);
    }
    let request = Request::new(selector)?;
    let document = Document::new(original, whole, &blocks);
    match &request.selector {
        Selector::Path(path) | Selector::Cursor(path) => read_path(&document, path, &request, budget),
        Selector::Search { pattern, context } => read_search(&document, pattern, *context, &request, budget),
        Selector::Lines(range) => {
            let text = document.text();
            let lines = Lines::new(&text);
            let (first, last) = lines::range(range, lines.count())?;
            pages::lines(&lines, first, last, &request, budget)
        }
    }
}

fn read_search(document: &Document<'_>, pattern: &str, context: usize, request: &Request, budget: &Budget) -> Result<String, Error> {
    let needle = Needle::parse(pattern, document.parts.iter().map(|part| part.text.len()).sum())?;
    // The envelope is looked at only where its text blocks hold nothing.
    let (own, envelope) = document.parts.split_at(if document.blocks == 0 { document.parts.len() } else { document.blocks });
    let mut answer = match own {
        [Part { body: Body::Text(text), .. }] => pages::text_matches(&Lines::new(text), &needle, context, request, budget)?,
        parts => pages::value_matches(parts, &needle, request, budget)?,
    };
    if answer.is_none() && !envelope.is_empty() {
        answer = pages::value_matches(envelope, &needle, request, budget)?;
    }
    needle.finished()?;
    answer.map_or_else(|| pages::no_matches(pattern, budget), Ok)
}

fn read_path(document: &Document<'_>, path: &str, request: &Request, budget: &Budget) -> Result<String, Error> {
    if path.starts_with('$') {
        let mut entries = vec![];
        for (at, part) in document.parts.iter().enumerate() {
            // The envelope is looked at only where its text blocks hold nothing.
            if at == document.blocks && !entries.is_empty() {
                break;
            }
            if let Body::Json(index) = &part.body {
                entries.extend(jsonpath::select(path, index)?.into_iter().map(|node| Entry { part, node }));
            }
        }
        if entries.is_empty() {
            // A path may be wrong even where there is nothing to look at.
            jsonpath::select(path, &document::empty())?;
            return Err(Error::PathNotFound(format!("{path} selects nothing{}", document.hint())));
        }
        return if entries.len() == 1 {
            let pointer = entries[0].part.pointers().of(entries[0].node);
            pages::value(entries[0], &pointer, request, budget)
        } else {
            pages::entries(&entries, request, budget)
        };
    }
    if !path.is_empty() && !path.starts_with('/') {
        let message = format!(
            "begins with / for a JSON Pointer, such as /{}, or with $ for a JSONPath",
            path.replace(['.', '['], "/").replace([']', '"', '\''], "")
        );
        return Err(Error::InvalidSelector { selector: "path", position: 1, message });
    }
    let mut missing = None;
    for (part, inner) in document.candidates(path) {
        let Body::Json(index) = &part.body else {
            if inner.is_empty() && document.blocks > 1 {
                return pages::text_as_value(part.text, path, request, budget);
            }
            continue;
        };
        match pointer::find(inner, index) {
            Ok(Found::One(node)) => return pages::value(Entry { part, node }, path, request, budget),
            Ok(Found::Range(array, from, to)) => return pages::range(Entry { part, node: array }, (from, to), path, request, budget),
            Ok(Found::Many(nodes)) => {
                let entries: Vec<_> = nodes.into_iter().map(|node| Entry { part, node }).collect();
                return pages::entries(&entries, request, budget);
            }
            Err(error) => missing = missing.or(Some(error)),
        }
    }
    Err(missing.unwrap_or_else(|| Error::PathNotFound(format!("nothing is at {path}{}", document.hint()))))
}
