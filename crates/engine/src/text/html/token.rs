//! The tokens of HTML: tolerant of anything, linear in its length.
//!
//! What looks for an end that is not there remembers that it is not, so that a million unclosed quotes cost one look.

/// A stretch of HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Text(&'t str),
    /// A tag's name as written, and what stands between it and `>`.
    Open(&'t str, &'t str),
    Close(&'t str),
    /// The inside of a script, style, title or text area.
    Raw(&'t str),
    /// A comment, declaration or instruction.
    Other(&'t str),
}

pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    /// The element whose inside is no markup.
    raw: Option<&'t str>,
    /// Ends that do not come any more: `"`, `'`, `-->`.
    missing: [bool; 3],
}

/// Elements whose inside is no markup.
const RAW: [&str; 7] = ["script", "style", "title", "textarea", "xmp", "noembed", "noframes"];

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, raw: None, missing: [false; 3] }
    }

    fn raw_end(&self, name: &str) -> usize {
        let bytes = self.text.as_bytes();
        memchr::memmem::find_iter(&bytes[self.at..], "</")
            .map(|found| self.at + found)
            .find(|&found| bytes.get(found + 2..found + 2 + name.len()).is_some_and(|b| b.eq_ignore_ascii_case(name.as_bytes())))
            .unwrap_or(bytes.len())
    }

    /// The byte after the `>` of a tag whose attributes begin at `from`.
    fn tag_end(&mut self, from: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        loop {
            at += memchr::memchr3(b'>', b'"', b'\'', &bytes[at..])?;
            let quote = match bytes[at] {
                b'>' => return Some(at + 1),
                b'"' => 0,
                _ => 1,
            };
            let value = bytes[from..at].iter().rev().find(|b| !b.is_ascii_whitespace()) == Some(&b'=');
            let close = if value && !self.missing[quote] { memchr::memchr(bytes[at], &bytes[at + 1..]) } else { None };
            self.missing[quote] |= value && close.is_none();
            at += close.map_or(1, |c| c + 2);
        }
    }

    fn other_end(&mut self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        if bytes[from..].starts_with(b"<!--") && !self.missing[2] {
            if let Some(end) = memchr::memmem::find(&bytes[from + 2..], b"-->") {
                return from + 2 + end + 3;
            }
            self.missing[2] = true;
        }
        memchr::memchr(b'>', &bytes[from..]).map_or(bytes.len(), |end| from + end + 1)
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let (text, bytes, from) = (self.text, self.text.as_bytes(), self.at);
        if from >= bytes.len() {
            return None;
        }
        if let Some(name) = self.raw.take() {
            self.at = self.raw_end(name);
            if self.at > from {
                return Some(Token::Raw(&text[from..self.at]));
            }
        }
        let starts = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
        if bytes[from] == b'<' {
            match bytes.get(from + 1) {
                Some(b'!' | b'?') => {
                    self.at = self.other_end(from);
                    return Some(Token::Other(&text[from..self.at]));
                }
                Some(b'/') if starts(from + 2) => {
                    let name = name_end(bytes, from + 2);
                    self.at = memchr::memchr(b'>', &bytes[name..]).map_or(bytes.len(), |end| name + end + 1);
                    return Some(Token::Close(&text[from + 2..name]));
                }
                Some(_) if starts(from + 1) => {
                    let name = name_end(bytes, from + 1);
                    self.at = self.tag_end(name).unwrap_or(bytes.len());
                    let inside = text[name..self.at].strip_suffix('>').unwrap_or(&text[name..self.at]);
                    let tag = &text[from + 1..name];
                    self.raw = RAW.iter().any(|raw| raw.eq_ignore_ascii_case(tag)).then_some(tag);
                    return Some(Token::Open(tag, inside));
                }
                _ => {}
            }
        }
        self.at = memchr::memchr(b'<', &bytes[from + 1..]).map_or(bytes.len(), |end| from + 1 + end);
        Some(Token::Text(&text[from..self.at]))
    }
}

fn name_end(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..].iter().take_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'>' | b'/' | b'<')).count()
}

/// Calls `found` with the names and raw values of a tag's attributes.
pub(super) fn attributes<'t>(inside: &'t str, mut found: impl FnMut(&'t str, &'t str)) {
    let bytes = inside.as_bytes();
    let skip = |mut at: usize, test: fn(u8) -> bool| {
        while bytes.get(at).is_some_and(|&b| test(b)) {
            at += 1;
        }
        at
    };
    let mut at = 0;
    loop {
        at = skip(at, |b| b.is_ascii_whitespace() || b == b'/' || b == b'=');
        let end = skip(at, |b| !b.is_ascii_whitespace() && b != b'=' && b != b'/');
        if end == at {
            return;
        }
        let name = &inside[at..end];
        at = skip(end, |b| b.is_ascii_whitespace());
        let mut value = "";
        if bytes.get(at) == Some(&b'=') {
            at = skip(at + 1, |b| b.is_ascii_whitespace());
            if let Some(&quote @ (b'"' | b'\'')) = bytes.get(at) {
                let end = memchr::memchr(quote, &bytes[at + 1..]).map_or(bytes.len(), |e| at + 1 + e);
                value = &inside[at + 1..end];
                at = (end + 1).min(bytes.len());
            } else {
                let end = skip(at, |b| !b.is_ascii_whitespace());
                value = &inside[at..end];
                at = end;
            }
        }
        found(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_html_is_cut_into_tokens() {
        use Token::*;
        for (text, expected) in [
            ("a<b class=x>c</b >d", vec![Text("a"), Open("b", " class=x"), Text("c"), Close("b"), Text("d")]),
            ("<a title=\"1 > 0\">x", vec![Open("a", " title=\"1 > 0\""), Text("x")]),
            ("<script>if (a<b) '</p>'</SCRIPT>x", vec![Open("script", ""), Raw("if (a<b) '</p>'"), Close("SCRIPT"), Text("x")]),
            ("<script>never closed <p>", vec![Open("script", ""), Raw("never closed <p>")]),
            ("<!-- a > b --><!DOCTYPE html>1 < 2", vec![Other("<!-- a > b -->"), Other("<!DOCTYPE html>"), Text("1 "), Text("< 2")]),
            ("<!-- open <b>x", vec![Other("<!-- open <b>"), Text("x")]),
            ("<a href=\"never closed>x", vec![Open("a", " href=\"never closed"), Text("x")]),
            ("<b", vec![Open("b", "")]),
            ("<", vec![Text("<")]),
            ("<br/>", vec![Open("br", "/")]),
        ] {
            assert_eq!(Tokens::new(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn attributes_are_found_in_any_form() {
        let mut all = Vec::new();
        attributes(" a b=1 c = '2 3' d=\"\" /e='x", |name, value| all.push((name, value)));
        assert_eq!(all, [("a", ""), ("b", "1"), ("c", "2 3"), ("d", ""), ("e", "x")]);
    }
}
