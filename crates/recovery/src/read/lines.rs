//! The lines of a text, and `lines` selectors.

use crate::error::Error;

/// A text and where its lines begin.
pub(super) struct Lines<'t> {
    pub(super) text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// A line feed at the very end begins no line.
    pub(super) fn new(text: &'t str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        if starts.len() > 1 && starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Self { text, starts }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Where a line begins; past the last line, where the text ends.
    pub(super) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// The line that a byte stands in.
    pub(super) fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte) - 1
    }

    /// A line without its line break.
    pub(super) fn line(&self, line: usize) -> &'t str {
        let text = self.between(line, line + 1);
        text.strip_suffix('\r').unwrap_or(text)
    }

    /// Lines as they stand, without the line feed that ends the last one.
    pub(super) fn between(&self, from: usize, to: usize) -> &'t str {
        let text = &self.text[self.start(from)..self.start(to)];
        text.strip_suffix('\n').unwrap_or(text)
    }
}

/// Reads `120-180`, `120`, `120-` or `-50` (the last 50) as lines from 0, the end exclusive, as far as there are lines.
pub(super) fn range(selector: &str, count: usize) -> Result<(usize, usize), Error> {
    let invalid = |message: String| Error::InvalidSelector { selector: "lines", position: 1, message };
    let form = || invalid(format!("must be lines such as 120-180, 120, or -50 for the last 50, not {selector:?}"));
    let number = |text: &str| -> Result<usize, Error> {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if digits { Ok(text.parse().unwrap_or(usize::MAX)) } else { Err(form()) }
    };
    let text = selector.trim();
    let (from, to) = match text.split_once('-') {
        None => (number(text)?, number(text)?),
        Some(("", last)) => (count.saturating_sub(number(last.trim())?) + 1, count),
        Some((from, "")) => (number(from.trim())?, usize::MAX),
        Some((from, to)) => (number(from.trim())?, number(to.trim())?),
    };
    if from == 0 {
        return Err(invalid("lines count from 1".to_owned()));
    }
    if from > to && from <= count {
        return Err(invalid(format!("the first line, {from}, comes after the last, {to}")));
    }
    if from > count {
        return Err(Error::PathNotFound(format!("there is no line {from}: the text has {count}")));
    }
    Ok((from - 1, to.min(count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_editors_do() {
        for (text, lines) in
            [("", vec![""]), ("a", vec!["a"]), ("a\n", vec!["a"]), ("a\r\n\nb", vec!["a", "", "b"]), ("\n\n", vec!["", ""])]
        {
            let read = Lines::new(text);
            assert_eq!((0..read.count()).map(|n| read.line(n)).collect::<Vec<_>>(), lines, "{text:?}");
        }
    }

    #[test]
    fn ranges() {
        for (selector, expected) in [
            ("3-5", Some((2, 5))),
            ("3", Some((2, 3))),
            (" 8 - 99 ", Some((7, 10))),
            ("9-", Some((8, 10))),
            ("-3", Some((7, 10))),
            ("-99", Some((0, 10))),
            ("0-3", None),
            ("5-3", None),
            ("11", None),
            ("a", None),
            ("1-2-3", None),
            ("", None),
            ("-", None),
            ("99999999999999999999999", None),
        ] {
            assert_eq!(range(selector, 10).ok(), expected, "{selector:?}");
        }
        assert_eq!(range("11-20", 10).expect_err("past the end").to_string(), "there is no line 11: the text has 10");
    }
}
