//! What a line of code is, by how it begins and ends. Light: comments are followed over lines, strings are not.

use super::words::{is_closer, is_control, is_function, is_keyword, is_modifier, is_type, is_value};

/// What comments look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// `//` and `/* */`: the C family.
    Slash,
    /// `#`, and strings between three quotes as documentation: Python, Ruby, shell.
    Hash,
    /// `--`: SQL, Lua, Haskell.
    Dash,
}

impl Language {
    pub(super) fn of(lines: &[&str]) -> Self {
        let (mut slash, mut hash, mut dash) = (0, 0, 0);
        for line in lines {
            let line = bare(line).0;
            slash +=
                usize::from(line.starts_with("//") || line.starts_with("/*") || line.ends_with('{') || line.ends_with(';') || line == "}");
            hash += usize::from(
                line.starts_with("# ")
                    || line.ends_with(':')
                    || matches!(line, "end" | "fi" | "done")
                    || line.starts_with("def ")
                    || line.starts_with("#!/"),
            );
            dash += 2 * usize::from(line.starts_with("-- ") || is_sql(line));
        }
        if dash > slash && dash > hash {
            Self::Dash
        } else if hash > slash {
            Self::Hash
        } else {
            Self::Slash
        }
    }
}

/// A line's part in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Blank,
    Comment,
    /// `@decorator`, `#[attribute]`.
    Attribute,
    Import,
    /// Class, struct, interface, module, table: what has members.
    Type,
    Function,
    /// A constant or variable of the outer level.
    Value,
    /// Only closing brackets or `end`.
    Close,
    Body,
}

/// A line as the lexer sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    pub(super) part: Part,
    /// Without indentation and white space at its end.
    pub(super) text: &'t str,
    /// In columns; a tab is four.
    pub(super) indent: u32,
    pub(super) comment: bool,
}

pub(super) struct Lexer {
    language: Language,
    /// What ends the comment or documentation string that is open.
    open: Option<&'static str>,
}

impl Lexer {
    pub(super) fn new(language: Language) -> Self {
        Self { language, open: None }
    }

    /// Looks at the next line. Its part is as it seems without what is around it.
    pub(super) fn line<'t>(&mut self, line: &'t str) -> Line<'t> {
        let (text, indent) = bare(line);
        let comment = self.comment(text);
        let part = if text.is_empty() {
            Part::Blank
        } else if comment {
            Part::Comment
        } else {
            part(text)
        };
        Line { part, text, indent, comment }
    }

    fn comment(&mut self, text: &str) -> bool {
        if let Some(end) = self.open {
            if text.contains(end) {
                self.open = None;
            }
            return true;
        }
        let first = text.as_bytes().first().copied().unwrap_or_default();
        let may_open = matches!(first, b'/' | b'"' | b'\'' | b'=' | b'<' | b'{' | b'r' | b'u' | b'R');
        let opens = [("/*", "*/"), ("\"\"\"", "\"\"\""), ("'''", "'''"), ("=begin", "=end"), ("<!--", "-->"), ("{/*", "*/}")];
        for (start, end) in opens.into_iter().filter(|_| may_open) {
            // A raw or formatted documentation string has a letter before it.
            let Some(rest) = text.strip_prefix(start).or_else(|| text.strip_prefix(['r', 'u', 'R']).and_then(|t| t.strip_prefix(start)))
            else {
                continue;
            };
            if !rest.contains(end) {
                self.open = Some(end);
            }
            return true;
        }
        match self.language {
            Language::Slash => text.starts_with("//"),
            Language::Hash => text.starts_with('#') && !text.starts_with("#include") && !text.starts_with("#define"),
            Language::Dash => text.starts_with("--") || text.starts_with('#'),
        }
    }
}

/// A line without indentation and a line number before it (`  12\t`, `12→`), and its indentation in columns.
pub(super) fn bare(line: &str) -> (&str, u32) {
    let mut line = line.trim_end();
    let trimmed = line.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && digits < 8 {
        let rest = &trimmed[digits..];
        if let Some(code) = rest.strip_prefix('\t').or_else(|| rest.strip_prefix('→')).or_else(|| rest.strip_prefix(" | ")) {
            line = code;
        }
    }
    let text = line.trim_start();
    let indent = line[..line.len() - text.len()].bytes().map(|b| if b == b'\t' { 4 } else { 1 }).sum();
    (text, indent)
}

fn part(text: &str) -> Part {
    if is_closer(text) || text.bytes().all(|b| matches!(b, b'}' | b')' | b']' | b';' | b',' | b'>' | b'/' | b'<')) {
        return Part::Close;
    }
    if text.starts_with("#[")
        || text.starts_with("#![")
        || text.starts_with('@') && !text.starts_with("@interface")
        || text.starts_with('[') && text.ends_with(']') && text.as_bytes()[1].is_ascii_uppercase()
    {
        return Part::Attribute;
    }
    if imports(text) {
        return Part::Import;
    }
    let (word, rest) = declared(text);
    if is_type(word) && !rest.is_empty() && !rest.starts_with(['=', '.', '(', ':']) {
        // `type` and `package` are names as well.
        return if matches!(word, "template") && rest.starts_with('<')
            || !matches!(word, "template" | "object" | "data")
            || rest.ends_with('{')
        {
            Part::Type
        } else {
            Part::Body
        };
    }
    if is_function(word) && rest.contains('(') | text.ends_with(':') | !rest.is_empty() {
        return Part::Function;
    }
    if is_sql(text) {
        let upper = text.get(..6).map(str::to_ascii_uppercase).unwrap_or_default();
        return if upper == "CREATE" { Part::Type } else { Part::Function };
    }
    if is_value(word) || word != first_word(text) && rest.contains('=') && !is_control(word) {
        return if text.contains("=> {") || text.contains("function") && text.ends_with('{') || text.ends_with("=>") {
            Part::Function
        } else {
            Part::Value
        };
    }
    if called(text) {
        return Part::Function;
    }
    // `NAME = value` at the outer level is told from the rest by its indentation.
    if assigns(text) { Part::Value } else { Part::Body }
}

/// The first word after the modifiers, and what follows it.
fn declared(text: &str) -> (&str, &str) {
    let mut rest = text;
    loop {
        let word = first_word(rest);
        let after = rest[word.len()..].trim_start();
        let plain = word.split('(').next().unwrap_or(word);
        if word.is_empty() || after.is_empty() || !is_modifier(plain) {
            return (word, after);
        }
        // `const fn`, but `const NAME`.
        if matches!(plain, "const" | "static") && !is_keyword(first_word(after)) && after.contains('=') {
            return (word, after);
        }
        rest = after;
    }
}

fn first_word(text: &str) -> &str {
    let ends = |c: char| c.is_whitespace() || matches!(c, '<' | ';' | '=' | ',' | '{');
    // Few words have letters beyond ASCII: only those are read letter by letter.
    let plain = text.bytes().position(|b| !b.is_ascii() || ends(char::from(b))).unwrap_or(text.len());
    let end = text[plain..].find(ends).map_or(text.len(), |more| plain + more);
    // `pub(crate)` is one word, `name(` is not.
    let word = &text[..end];
    if word.starts_with("pub(") && word.ends_with(')') {
        return word;
    }
    let end = word.find(['(', ':', '.', '[']).unwrap_or(word.len());
    &word[..end]
}

fn imports(text: &str) -> bool {
    if !matches!(text.bytes().next().unwrap_or_default(), b'i' | b'#' | b'u' | b'r' | b'e' | b'p' | b's' | b'f' | b'@' | b'c' | b'l' | b'v')
    {
        return false;
    }
    let first = text.as_bytes()[0];
    let starts = |words: &[&str]| words.iter().any(|w| w.as_bytes()[0] == first && text.starts_with(w));
    let requires = |at: usize| text.as_bytes()[at..].starts_with(b"= require(");
    starts(&[
        "import ",
        "#include",
        "using ",
        "require ",
        "require(",
        "require_relative ",
        "require_once",
        "include ",
        "extern crate ",
        "package ",
        "import(",
        "source ",
        "@import",
    ]) || text.starts_with("from ") && (text.contains(" import") || text.contains('\''))
        || text.starts_with("use ") && (text.ends_with(';') || text.ends_with('{') || text.contains("::"))
        || text.starts_with("pub use ")
        || text.starts_with("export ") && text.contains(" from ")
        || memchr::memchr_iter(b'=', text.as_bytes()).any(requires) && !text.starts_with("//")
}

pub(super) fn is_sql(text: &str) -> bool {
    const STATEMENTS: [&str; 13] = [
        "CREATE ",
        "INSERT ",
        "SELECT ",
        "UPDATE ",
        "DELETE ",
        "ALTER ",
        "DROP ",
        "WITH ",
        "GRANT ",
        "COPY ",
        "BEGIN;",
        "COMMIT;",
        "TRUNCATE ",
    ];
    if !matches!(text.as_bytes().first(), Some(b'A'..=b'Z' | b'c' | b'i' | b'a')) {
        return false;
    }
    let mut head = [0u8; 9];
    let count = text.len().min(9);
    head[..count].copy_from_slice(&text.as_bytes()[..count]);
    let upper = text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().take_while(|b| *b != b' ').all(|b| b.is_ascii_uppercase() || b == b';');
    upper && STATEMENTS.iter().any(|s| head.starts_with(s.as_bytes()))
        || text.starts_with("create table ")
        || text.starts_with("create or replace ")
        || text.starts_with("insert into ")
        || text.starts_with("alter table ")
}

/// `type name(parameters) {`, `name(parameters) {`, `name() => {`: a function without a word for it.
fn called(text: &str) -> bool {
    let Some(open) = text.find('(') else { return false };
    let before = text[..open].trim_end();
    let name = before.rsplit([' ', '*', '&', ':', '~', '.']).next().unwrap_or_default();
    let named = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '>' | '<' | ','));
    if !named
        || before.contains(['=', '"', '\'', '`', '{', '|'])
        || is_control(first_word(text))
        || is_control(name)
        || before.contains("new ")
    {
        return false;
    }
    let tests = matches!(before, "describe" | "it" | "test" | "context" | "suite" | "beforeEach" | "afterEach" | "beforeAll" | "afterAll");
    let opens = text.ends_with('{') || text.ends_with(" do");
    tests && (opens || text.ends_with("=>"))
        || opens && !before.contains('.') && !text.contains("({")
        || text.ends_with(");") && before.contains(' ') && !before.contains('.') && !text[open..].contains('"')
}

fn assigns(text: &str) -> bool {
    let Some(sign) = text.find('=') else { return false };
    let name = text[..sign].trim_end_matches([' ', ':', '?', '+', '|']);
    !name.is_empty()
        && name.len() < 60
        && !text[sign..].starts_with("==")
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | ' ' | '[' | ']'))
}

/// Whether a line declares or imports something, as code does and prose does not.
pub(super) fn declares(text: &str) -> bool {
    // JSX.
    if text.starts_with('<') && (text.contains("={") || text.contains("className=")) {
        return true;
    }
    let shaped = text.ends_with(['{', '}', ';', ':', '(', ',', ')', '>', '\'', '"'])
        || text.contains('(')
        || text.contains("::")
        || text.contains('=');
    match part(text) {
        Part::Import => text.ends_with([';', '\'', '"', ')', '{', '>', '(']) || text.bytes().filter(|b| *b == b' ').count() <= 5,
        Part::Type => (shaped || text.bytes().filter(|b| *b == b' ').count() <= 4) && !text.ends_with('.'),
        Part::Function => shaped && !text.ends_with('.') && !text.ends_with(','),
        Part::Value => is_value(first_word(text)) && text.contains('=') && shaped,
        Part::Attribute => !text.contains(": "),
        _ => {
            let word = first_word(text);
            is_control(word) && text.ends_with(['{', ':', ';']) && (text.contains('(') || text.ends_with(':') || text.ends_with('{'))
        }
    }
}

/// Whether a line is a statement or expression by its form.
pub(super) fn codelike(text: &str) -> bool {
    text.ends_with(['{', '}', ';', '(', '[', ')', ',', '\\', ']'])
        || is_closer(text)
        || assigns(text)
        || text.ends_with("=>")
        || text.ends_with("&&")
        || text.ends_with("||")
        || text.contains("::")
        || text.contains("->")
        || text.contains("={")
        || text.starts_with('.')
        || text.starts_with("return")
        || text.ends_with(':') && is_control(first_word(text))
        || text.starts_with('<') && text.ends_with('>')
}

/// `"key": value`, `key: value`, `- item`: data of other kinds.
pub(super) fn is_data(text: &str) -> bool {
    let text = text.strip_prefix("- ").unwrap_or(text);
    let key_end = if let Some(rest) = text.strip_prefix('"') { rest.find('"').map(|e| e + 2) } else { text.find(':') };
    let Some(end) = key_end else { return false };
    let key = &text[..end];
    let after = &text[end..];
    after.starts_with(':')
        && (after.len() == 1 || after.starts_with(": "))
        && !text.ends_with(';')
        && (key.starts_with('"')
            || !text.ends_with([',', '{', '('])
                && !key.is_empty()
                && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/')))
        && !(after.len() == 1 && is_control(key))
        && key != "default"
}

/// Whether a comment is about who may use the file.
pub(super) fn is_licence(text: &str) -> bool {
    ["Copyright", "copyright", "License", "SPDX", "Licensed", "@license"].iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_what_they_begin_as() {
        use Part::*;
        for (text, expected) in [
            ("pub fn new(x: u8) -> Self {", Function),
            ("pub(crate) const fn new() -> Self {", Function),
            ("const MAX: usize = 3;", Value),
            ("export default class Foo extends Bar {", Type),
            ("export const load = async (x) => {", Function),
            ("export const LIMIT = 3;", Value),
            ("export { a } from './a.js'", Import),
            ("public static void main(String[] args) {", Function),
            ("def __init__(self, x):", Function),
            ("class Foo:", Type),
            ("class Foo(Base):", Type),
            ("func (s *Server) Run(ctx context.Context) error {", Function),
            ("type Server struct {", Type),
            ("int main(int argc, char **argv) {", Function),
            ("static int parse(const char *s);", Function),
            ("from os import path", Import),
            ("const fs = require('fs');", Import),
            ("#[derive(Debug)]", Attribute),
            ("@app.route('/x')", Attribute),
            ("});", Close),
            ("end", Close),
            ("if (x) {", Body),
            ("} else {", Body),
            ("return foo(x);", Body),
            ("foo(x);", Body),
            ("this.foo(x, () => {", Body),
            ("describe('a', () => {", Function),
            ("CREATE TABLE users (", Type),
            ("LIMIT = 3", Value),
            ("x == 3", Body),
        ] {
            assert_eq!(part(text), expected, "{text}");
        }
    }

    #[test]
    fn comments_are_followed_over_lines() {
        let mut lexer = Lexer::new(Language::Slash);
        let parts: Vec<bool> = ["/* a", "fn x() {", "*/", "fn y() {", "// z", "/** doc */"].iter().map(|l| lexer.line(l).comment).collect();
        assert_eq!(parts, [true, true, true, false, true, true]);
    }

    #[test]
    fn line_numbers_before_the_code_are_seen_through() {
        assert_eq!(bare("   12\t    return 1;"), ("return 1;", 4));
        assert_eq!(bare("7→def f():"), ("def f():", 0));
        assert_eq!(bare("\tx = 1"), ("x = 1", 4));
    }
}
