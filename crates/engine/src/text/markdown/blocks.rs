//! What each line of a Markdown text is. One pass, by how the line begins and what came before it.

/// A line's part in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Blank,
    /// A heading of a level from 1, with `#` or underlined by the next line.
    Heading(u8),
    /// The underline of a heading.
    Underline,
    /// A thematic break.
    Rule,
    /// A list item, by its depth from 0.
    Item(u8),
    /// A line that opens or closes a code block.
    Fence,
    Code,
    /// The first row of a table, the line of dashes under it, a row.
    Head,
    Delimiter,
    Row,
    Quote,
    /// A link definition, a badge, an HTML tag, front matter: about the text, not of it.
    Meta,
    /// The first line of a paragraph.
    Text,
    /// A line that goes on with a paragraph or an item.
    More,
}

/// The lines of `text` (byte ranges) with what they are and without white space at their ends.
pub(super) fn blocks<'t>(text: &'t str, lines: &[(usize, usize)]) -> Vec<(Block, &'t str)> {
    let mut found: Vec<(Block, &str)> = Vec::with_capacity(lines.len());
    let mut fence: Option<(u8, usize)> = None;
    let mut front = false;
    let mut remark = false;
    let mut before: Option<(Block, &str)> = None;
    for (at, &(start, end)) in lines.iter().enumerate() {
        let line = text[start..end].trim_end();
        if line.is_empty() {
            found.push((Block::Blank, line));
            continue;
        }
        let after_blank = found.last().is_none_or(|b| b.0 == Block::Blank);
        let trimmed = line.trim_start_matches('\u{feff}').trim_start();
        let block = if let Some((sign, length)) = fence {
            let closing = run(trimmed, sign) >= length && trimmed.len() == run(trimmed, sign);
            if closing {
                fence = None;
            }
            if closing { Block::Fence } else { Block::Code }
        } else if front {
            front = trimmed != "---" && trimmed != "+++";
            Block::Meta
        } else if remark || trimmed.starts_with("<!--") {
            remark = !trimmed.contains("-->");
            Block::Meta
        } else if at == 0 && (trimmed == "---" || trimmed == "+++") {
            front = true;
            Block::Meta
        } else if let Some(opened) = opens_fence(trimmed) {
            fence = Some(opened);
            Block::Fence
        } else {
            let next = || lines.get(at + 1).map(|n| text[n.0..n.1].trim());
            classify(line, trimmed, before, after_blank, next)
        };
        if block == Block::Underline
            && let Some(heading) = found.last_mut()
        {
            heading.0 = Block::Heading(if trimmed.starts_with('=') { 1 } else { 2 });
        }
        found.push((block, line));
        before = found.last().copied();
    }
    found
}

fn classify<'t>(line: &str, trimmed: &str, before: Option<(Block, &str)>, after_blank: bool, next: impl Fn() -> Option<&'t str>) -> Block {
    let indent = line.len() - trimmed.len();
    let first = trimmed.as_bytes().first().copied().unwrap_or(b' ');
    let before_is = |of: &[Block]| before.is_some_and(|b| of.contains(&b.0)) && !after_blank;
    let item_before = before.is_some_and(|b| matches!(b.0, Block::Item(_) | Block::More)) && !after_blank;
    match first {
        b'#' => {
            let level = run(trimmed, b'#');
            if level <= 6 && trimmed[level..].starts_with([' ', '\t']) {
                return Block::Heading(level as u8);
            }
        }
        b'=' | b'-' | b'~' | b'^' | b'*' | b'_' if trimmed.len() >= 3 && trimmed.bytes().all(|b| b == first || b == b' ') => {
            let under = matches!(first, b'=' | b'-' | b'~' | b'^')
                && before_is(&[Block::Text])
                && before.is_some_and(|b| b.1.trim().chars().count() <= 2 * trimmed.len() + 40);
            return if under { Block::Underline } else { Block::Rule };
        }
        // AsciiDoc.
        b'=' if matches!(run(trimmed, b'='), 1..=6) && trimmed[run(trimmed, b'=')..].starts_with(' ') => {
            return Block::Heading(run(trimmed, b'=') as u8);
        }
        b'|' => {
            if is_delimiter(trimmed) {
                return Block::Delimiter;
            }
            return if before_is(&[Block::Head, Block::Delimiter, Block::Row]) { Block::Row } else { Block::Head };
        }
        b'>' => return Block::Quote,
        b'<' if trimmed.as_bytes().get(1).is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'/' | b'!')) => {
            // A heading or summary in HTML; the rest is layout.
            if trimmed.starts_with("<h1") || trimmed.starts_with("<h2") {
                return Block::Heading(2);
            }
            return if trimmed.starts_with("<summary") { Block::Heading(5) } else { Block::Meta };
        }
        b'[' if trimmed.starts_with("[![") || trimmed.contains("]: ") && !trimmed.contains("](") => return Block::Meta,
        b'!' if trimmed.starts_with("![") => return Block::Meta,
        _ => {}
    }
    let cells = memchr::memchr(b'|', trimmed.as_bytes()).is_some();
    if cells && next().is_some_and(|n| is_delimiter(n) && n.contains('|')) {
        return Block::Head;
    }
    if cells && before_is(&[Block::Delimiter, Block::Row]) {
        return if is_delimiter(trimmed) { Block::Delimiter } else { Block::Row };
    }
    if before_is(&[Block::Head]) && is_delimiter(trimmed) {
        return Block::Delimiter;
    }
    if is_item(trimmed) {
        return Block::Item((indent / 2).min(6) as u8);
    }
    if indent >= 4
        && line.starts_with(['\t', ' '])
        && !item_before
        && (after_blank || before_is(&[Block::Code]))
        && !before.is_some_and(|b| matches!(b.0, Block::Item(_) | Block::More))
    {
        return Block::Code;
    }
    if item_before || before_is(&[Block::Text, Block::Quote]) { Block::More } else { Block::Text }
}

fn run(text: &str, sign: u8) -> usize {
    text.bytes().take_while(|&b| b == sign).count()
}

fn opens_fence(line: &str) -> Option<(u8, usize)> {
    let sign = line.bytes().next().filter(|sign| matches!(sign, b'`' | b'~'))?;
    let length = run(line, sign);
    (length >= 3 && !line[length..].contains(char::from(sign))).then_some((sign, length))
}

fn is_delimiter(line: &str) -> bool {
    line.len() >= 3 && line.contains("--") && line.bytes().all(|b| matches!(b, b'|' | b'-' | b':' | b' ' | b'+' | b'='))
}

fn is_item(line: &str) -> bool {
    let digits = run_digits(line);
    let rest = &line[digits..];
    if digits > 0 {
        return digits <= 4 && (rest.starts_with(". ") || rest.starts_with(") "));
    }
    !line.starts_with(|c: char| c.is_ascii_alphabetic()) && ["- ", "* ", "+ ", "• ", "– "].iter().any(|bullet| line.starts_with(bullet))
}

fn run_digits(line: &str) -> usize {
    line.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::super::super::lines::split;
    use super::*;

    fn kinds(text: &str) -> Vec<Block> {
        blocks(text, &split(text).collect::<Vec<_>>()).into_iter().map(|b| b.0).filter(|b| *b != Block::Blank).collect()
    }

    #[test]
    fn each_line_is_what_it_begins_as() {
        use Block::*;
        for (text, expected) in [
            ("# A\ntext\nmore\n\ntext", vec![Heading(1), Text, More, Text]),
            ("Title\n=====\n\nSub\n---\n\n---", vec![Heading(1), Underline, Heading(2), Underline, Rule]),
            ("- a\n  more\n  - b\n1. c\n\n#no", vec![Item(0), More, Item(1), Item(0), Text]),
            ("```sh\n# no heading\n~~~\n```\nx", vec![Fence, Code, Code, Fence, Text]),
            ("| a | b |\n|---|---|\n| 1 | 2 |", vec![Head, Delimiter, Row]),
            ("a | b\n--|--\n1 | 2", vec![Head, Delimiter, Row]),
            ("---\ntitle: x\n---\n> quote\n[a]: http://x", vec![Meta, Meta, Meta, Quote, Meta]),
            ("````\n```\n````", vec![Fence, Code, Fence]),
            ("<!-- a\n# b\n-->\n# c", vec![Meta, Meta, Meta, Heading(1)]),
        ] {
            assert_eq!(kinds(text), expected, "{text}");
        }
    }
}
