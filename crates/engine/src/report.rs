//! Counters of what was cut.

use crate::options::Base;
use crate::order::Order as _;

/// What a fit did. All counters at zero means that nothing at all was lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Unicode scalar values of the input.
    pub input_chars: usize,
    /// Unicode scalar values of the output, the notice included.
    pub output_chars: usize,
    /// The limit in characters, or the first limit named where there is none in characters.
    pub budget: usize,
    /// The kind of content found.
    pub kind: &'static str,
    /// Nothing was left out (white space apart).
    pub complete: bool,
    /// The input as it came was within the budget or could be made so.
    pub fits: bool,
    /// Something was cut.
    pub pruned: bool,
    /// List elements, records or rows left out.
    pub items_omitted: usize,
    /// Object keys left out, over all objects.
    pub keys_omitted: usize,
    /// Texts shortened.
    pub strings_truncated: usize,
    /// Lines left out.
    pub lines_omitted: usize,
    /// Raw characters that had to be replaced (invalid UTF-8, lone surrogates) or removed (escape sequences).
    pub replaced: usize,
    /// The levers used, cheapest first.
    pub levers: Vec<&'static str>,
    /// The largest cuts, largest first, at most [`MAX_OMITTED`].
    pub omitted: Vec<Omitted>,
}

impl Report {
    /// Names the cuts as seen from the original that the text is a part of.
    pub(crate) fn rebase(&mut self, base: &Base) {
        for cut in &mut self.omitted {
            match &mut cut.place {
                Place::Path(path) => path.insert_str(0, &base.pointer),
                Place::Lines(from, to) => (*from, *to) = (*from + base.lines, *to + base.lines),
            }
        }
    }

    /// Adds the counters and cuts of a part.
    pub(crate) fn absorb(&mut self, part: Self) {
        self.items_omitted += part.items_omitted;
        self.keys_omitted += part.keys_omitted;
        self.strings_truncated += part.strings_truncated;
        self.lines_omitted += part.lines_omitted;
        self.replaced += part.replaced;
        self.omitted.extend(part.omitted);
    }

    /// Whether anything at all was lost.
    pub(crate) fn lost(&self) -> bool {
        self.items_omitted + self.keys_omitted + self.strings_truncated + self.lines_omitted + self.replaced > 0
    }

    /// Keeps the largest cuts, largest first.
    pub(crate) fn settle(&mut self) {
        let size = |o: &Omitted| match o.amount {
            Amount::Chars(n) => n,
            // An item stands for some text; what an item is worth in characters is not known here.
            Amount::Items(n) => n * 40,
        };
        self.omitted.order_by_key(|o| std::cmp::Reverse(size(o)));
        self.omitted.truncate(MAX_OMITTED);
    }
}

/// How many cuts [`Report::omitted`] names at most.
pub const MAX_OMITTED: usize = 20;

/// One cut: where it was and how much went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omitted {
    /// Where: a JSON Pointer pattern, or a line range.
    pub place: Place,
    /// How much.
    pub amount: Amount,
    /// The lever that cut it: `records`, `fields`, `texts`, `lines`, `depth` or `markup`.
    pub lever: &'static str,
}

/// The address of a cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A JSON Pointer, with `*` for a segment that varies and `a..b` for a range of elements.
    Path(String),
    /// 1-based lines of a text, inclusive.
    Lines(usize, usize),
}

/// The size of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Elements, records, keys or lines.
    Items(usize),
    /// Characters.
    Chars(usize),
}
