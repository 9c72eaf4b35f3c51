//! Tokens: what a model's own meter counts.
//!
//! Most models' tokenizers are not public, so the default is an estimate on the high side. `cl100k_base` and `o200k_base` are counted exactly:
//! text is cut into pieces by the encoding's rules ([`split`]), each piece into tokens by its merges ([`bpe`]). Both are linear in the text,
//! whatever the text is. The vocabularies are bytes that the caller brings ([`vocabulary`]); nothing is read from anywhere.

mod bpe;
mod class;
mod split;
mod vocabulary;

use std::fmt;

use crate::error::Error;
use bpe::{Bpe, Counter};
use split::Rules;
pub use vocabulary::pack as pack_vocabulary;

/// Bytes of UTF-8 that the estimate takes for a token: fewer than any text but dense code and rare scripts has.
const ESTIMATE: usize = 3;

/// How text is counted in tokens.
#[derive(Clone, Copy, Default)]
pub struct Encoding(Option<&'static Tables>);

struct Tables {
    name: &'static str,
    rules: Rules,
    bpe: Bpe,
}

/// The name of [`Encoding::ESTIMATE`].
const ESTIMATE_NAME: &str = "estimate";

impl Encoding {
    /// A third of the bytes, rounded up: a high estimate for any model, and the default.
    pub const ESTIMATE: Self = Self(None);

    /// The names of the encodings that there are, the default first.
    pub const NAMES: [&'static str; 3] = [ESTIMATE_NAME, "o200k_base", "cl100k_base"];

    /// The encoding of a packed vocabulary, as the crate `snugfit-vocabulary` has them.
    ///
    /// This takes some tens of milliseconds, and the tables (about 15 MB for the largest) live as long as the process: build each encoding once.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] where the bytes are no vocabulary.
    pub fn from_vocabulary(packed: &[u8]) -> Result<Self, Error> {
        let invalid =
            |message: &str| Error::InvalidOption { option: "encoding", message: format!("not a vocabulary of snugfit: {message}") };
        let (name, tokens) = vocabulary::unpack(packed).map_err(invalid)?;
        let (name, rules) = match name {
            "o200k_base" => ("o200k_base", Rules::O200k),
            "cl100k_base" => ("cl100k_base", Rules::Cl100k),
            _ => return Err(invalid("its name is unknown")),
        };
        Ok(Self(Some(Box::leak(Box::new(Tables { name, rules, bpe: Bpe::new(&tokens) })))))
    }

    /// The name: one of [`Encoding::NAMES`].
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.map_or(ESTIMATE_NAME, |tables| tables.name)
    }

    /// The tokens of `text`. What looks like a special token is counted as the text that it is.
    ///
    /// ```
    /// use snugfit_engine::Encoding;
    /// assert_eq!(Encoding::ESTIMATE.count("four words of text"), 6);
    /// ```
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        self.count_to(text, usize::MAX)
    }

    /// The tokens of `text` where they are at most `most`; else some number above it, found without reading on.
    pub(crate) fn count_to(self, text: &str, most: usize) -> usize {
        let Some(tables) = self.0 else { return estimate(text.len()) };
        let mut counter = Counter::new(&tables.bpe);
        let (mut count, mut at) = (0, 0);
        while at < text.len() {
            // No token is longer than the longest: what is left has at least so many.
            if count + (text.len() - at) / tables.bpe.longest() > most {
                return most + 1;
            }
            let end = tables.rules.piece(text, at);
            count += counter.count(&text.as_bytes()[at..end]);
            at = end;
        }
        count
    }

    /// How many bytes of `text` a token takes, judged by a sample of it.
    pub(crate) fn bytes_per_token(self, text: &str) -> f64 {
        const SAMPLES: usize = 4;
        const SAMPLE: usize = 2_000;
        if self.0.is_none() {
            return ESTIMATE as f64;
        }
        let (mut bytes, mut tokens) = (0, 0);
        for part in 0..SAMPLES {
            let from = text.floor_char_boundary(text.len() / SAMPLES * part);
            let to = text.floor_char_boundary((from + SAMPLE).min(text.len()));
            bytes += to - from;
            tokens += self.count(&text[from..to]);
        }
        bytes as f64 / tokens.max(1) as f64
    }

    /// Whether the count follows from the bytes.
    pub(crate) fn is_estimate(self) -> bool {
        self.0.is_none()
    }
}

/// The estimate of so many bytes.
pub(crate) fn estimate(bytes: usize) -> usize {
    bytes.div_ceil(ESTIMATE)
}

impl PartialEq for Encoding {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Encoding {}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Encoding({})", self.name())
    }
}
