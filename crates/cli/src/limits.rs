//! The limits of what is printed.

use snugfit_engine::{Budget, Encoding};

use crate::error::Error;

/// The budget in characters where no limit is named.
const DEFAULT_CHARS: usize = 20_000;

/// Limits that must all hold.
#[derive(clap::Args)]
pub(crate) struct Limits {
    /// At most N characters (20000 where no limit is named)
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    max_chars: Option<usize>,
    /// At most N bytes of UTF-8
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    max_bytes: Option<usize>,
    /// At most N lines
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    max_lines: Option<usize>,
    /// At most N tokens
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    max_tokens: Option<usize>,
    /// How tokens are counted
    #[arg(long, value_name = "NAME", help = "estimate (bytes / 3), o200k_base or cl100k_base", value_parser = Encoding::NAMES, hide_possible_values = true, requires = "max_tokens")]
    encoding: Option<String>,
}

impl Limits {
    /// The budget; characters where no limit is named.
    pub(crate) fn budget(&self) -> Result<Budget, Error> {
        let vocabulary = self.encoding.as_deref().and_then(snugfit_vocabulary::named);
        let encoding = vocabulary.map(Encoding::from_vocabulary).transpose()?.unwrap_or_default();
        let mut budget = Budget { chars: self.max_chars, bytes: self.max_bytes, lines: self.max_lines, tokens: self.max_tokens, encoding };
        if budget.limits().next().is_none() {
            budget.chars = Some(DEFAULT_CHARS);
        }
        Ok(budget)
    }
}

fn limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("a limit must be at least 1".into()),
        Ok(n) => Ok(n),
        Err(_) => Err(format!("a limit is a whole number from 1 to {}", usize::MAX)),
    }
}
