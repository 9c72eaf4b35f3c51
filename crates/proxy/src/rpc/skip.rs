//! One level of a text that is JSON for certain: values are passed over without a look at what they are.

/// The values of an object or array as they were written, in their order; the keys of an object are among them.
pub(super) struct Values<'j> {
    rest: &'j str,
}

impl<'j> Values<'j> {
    /// The values inside of a text that begins with `open`.
    pub(super) fn inside(json: &'j str, open: u8) -> Option<Self> {
        let json = json.trim_ascii();
        let inner = json.as_bytes().first().filter(|first| **first == open).and_then(|_| json.get(1..json.len().checked_sub(1)?));
        Some(Self { rest: inner? })
    }
}

impl<'j> Iterator for Values<'j> {
    type Item = &'j str;

    fn next(&mut self) -> Option<&'j str> {
        let rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', ',', ':']);
        let (value, rest) = rest.split_at_checked(length(rest.as_bytes()))?;
        self.rest = rest;
        (!value.is_empty()).then_some(value)
    }
}

/// How long the value is that a text begins with.
fn length(json: &[u8]) -> usize {
    match json.first() {
        Some(b'"') => string(json),
        Some(b'{' | b'[') => nested(json),
        _ => json.iter().position(|byte| matches!(byte, b',' | b':' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')).unwrap_or(json.len()),
    }
}

/// The length of a string, with its quotes.
fn string(json: &[u8]) -> usize {
    let mut from = 1;
    while let Some(end) = json.get(from..).and_then(|rest| memchr::memchr(b'"', rest)).map(|at| from + at) {
        // An odd number of backslashes before a quote makes it one of the text.
        let escapes = json[from..end].iter().rev().take_while(|byte| **byte == b'\\').count();
        from = end + 1;
        if escapes % 2 == 0 {
            return from;
        }
    }
    json.len()
}

/// The length of an object or array.
fn nested(json: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0usize);
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => {
                at += string(&json[at..]);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    json.len()
}
