//! Views of long texts, and where they may be cut.

use snugfit_engine::json::escape_into;
use unicode_segmentation::GraphemeCursor;

use super::jsonpath::text_of;

/// The number of characters, `count` or a few less, after which no grapheme cluster is split.
pub(super) fn between_clusters(text: &str, ends: &[usize], count: usize) -> usize {
    let splits = |n: &usize| {
        let at = ends[*n - 1];
        at < text.len() && !is_boundary(text, at)
    };
    (1..=count).rev().take(64).find(|n| !splits(n)).unwrap_or(count)
}

fn is_boundary(text: &str, at: usize) -> bool {
    text.is_char_boundary(at) && GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true)
}

/// The last boundary of grapheme clusters at or before a byte.
fn floor(text: &str, mut at: usize) -> usize {
    while at > 0 && !is_boundary(text, at) {
        at -= 1;
    }
    at
}

/// A text in about `width` characters, the match in its midst, with marks for what is left out on either side.
pub(super) fn around(text: &str, hit: Option<(usize, usize)>, width: usize) -> String {
    if text.len() <= width || text.chars().nth(width).is_none() {
        return text.to_owned();
    }
    let (start, end) = hit.unwrap_or((0, 0));
    let hit_chars = text[start..end].chars().take(width).count();
    let room = width - hit_chars;
    let before = if hit.is_none() { 0 } else { room / 3 };
    let from = text[..start].char_indices().rev().take(before).last().map_or(start, |(at, _)| at);
    let from = floor(text, from);
    let length = text[from..].char_indices().nth(width).map_or(text.len(), |(at, _)| from + at);
    let to = floor(text, length).max(from);
    let mark = |cut: &str| if cut.is_empty() { String::new() } else { format!("…[+{} chars]", cut.chars().count()) };
    format!("{}{}{}", mark(&text[..from]), &text[from..to], mark(&text[to..]))
}

/// The beginning of a text, in about `width` characters.
pub(super) fn cut(text: &str, width: usize) -> String {
    around(text, None, width)
}

/// A key, as it is written in JSON, as a step of a JSON Pointer.
pub(super) fn pointer_step(key: &str) -> String {
    text_of(key.get(1..key.len().saturating_sub(1)).unwrap_or_default()).replace('~', "~0").replace('/', "~1")
}

/// A text as the inside of a JSON string.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use snugfit_engine::json::char_ends;

    use super::*;

    #[test]
    fn a_view_shows_the_match_and_says_what_it_leaves_out() {
        let text = format!("{}needle{}", "a".repeat(100), "b".repeat(100));
        assert_eq!(around(&text, Some((100, 106)), 36), format!("…[+90 chars]{}needle{}…[+80 chars]", "a".repeat(10), "b".repeat(20)));
        assert_eq!(around("short", Some((0, 1)), 36), "short");
        assert_eq!(cut(&text, 10), format!("{}…[+196 chars]", "a".repeat(10)));
    }

    #[test]
    fn a_cluster_is_not_split() {
        let text = "ae\u{301}👩\u{200d}👧z";
        let ends = char_ends(text, false, 99);
        let counts: Vec<_> = (1..=ends.len()).map(|n| between_clusters(text, &ends, n)).collect();
        assert_eq!(counts, [1, 1, 3, 3, 3, 6, 7]);
    }
}
