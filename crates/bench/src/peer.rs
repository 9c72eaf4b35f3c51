//! The shrinkfit crate, called as its hosts call it: JSON as JSON, any other text as one string.

use shrinkfit::{ArrayStrategy, Options, Value};

/// The text that shrinkfit makes of `input` within `chars`, condensing records by the call's arguments (JSON).
#[must_use]
pub fn shrinkfit(input: &str, chars: usize, arguments: &str) -> String {
    let words = shrinkfit::json::parse(arguments).ok().and_then(|v| shrinkfit::options::arguments_text(&v));
    let options = Options { indent: 0, array_strategy: ArrayStrategy::Condense, arguments: words, ..Options::new(chars) };
    match shrinkfit::shrink_str(input, &options) {
        Ok(shrunk) => shrunk.text,
        Err(_) => shrinkfit::shrink(&Value::String(input.to_owned()), &options).text,
    }
}
