//! The grammar of RFC 9535, read once into the steps that [`super::eval`] takes. Recursive only in the nesting of a selector's own filters,
//! which is bounded.

use super::query::{Comparison, Operand, Parsed, Query, Segment, Selector, Test};
use crate::error::Error;

/// Filters and parentheses inside each other at the most.
const MAX_DEPTH: usize = 32;
/// The largest integer that a selector may hold, 2^53 − 1 (RFC 7493).
const MAX_INTEGER: i64 = 9_007_199_254_740_991;

/// What stands in a filter before it is known whether it is compared.
enum Term {
    Literal(Operand),
    Query(Query),
    Value(Operand),
    Logical(Test),
}

pub(super) fn parse(text: &str) -> Result<Parsed, Error> {
    let mut parser = Parser { text, at: 0, depth: 0, names: vec![], queries: 0 };
    let root = parser.query()?;
    if parser.at < text.len() {
        return Err(parser.error("a JSONPath goes on with .name, [selector] or ends here"));
    }
    Ok(Parsed { root, names: parser.names, queries: parser.queries })
}

struct Parser<'p> {
    text: &'p str,
    at: usize,
    depth: usize,
    names: Vec<String>,
    queries: usize,
}

impl Parser<'_> {
    fn error(&self, message: impl Into<String>) -> Error {
        Error::InvalidSelector { selector: "path", position: self.text[..self.at].chars().count() + 1, message: message.into() }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), Error> {
        if self.eat(token) { Ok(()) } else { Err(self.error(format!("expected {token}"))) }
    }

    fn blank(&mut self) {
        self.at += self.rest().bytes().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
    }

    fn digits(&mut self) -> usize {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        count
    }

    fn deeper(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(self.error(format!("filters are nested more than {MAX_DEPTH} deep"))) } else { Ok(()) }
    }

    fn query(&mut self) -> Result<Query, Error> {
        let absolute = self.eat("$");
        if !absolute {
            self.expect("@")?;
        }
        let id = self.queries;
        self.queries += 1;
        let mut segments = vec![];
        loop {
            let before = self.at;
            self.blank();
            let selectors = if self.eat("..") {
                let selectors = if self.peek() == Some('[') { self.bracketed()? } else { vec![self.shorthand()?] };
                segments.push(Segment { descendant: true, selectors });
                continue;
            } else if self.eat(".") {
                vec![self.shorthand()?]
            } else if self.peek() == Some('[') {
                self.bracketed()?
            } else {
                self.at = before;
                return Ok(Query { id, absolute, segments });
            };
            segments.push(Segment { descendant: false, selectors });
        }
    }

    fn shorthand(&mut self) -> Result<Selector, Error> {
        if self.eat("*") {
            return Ok(Selector::Wildcard);
        }
        let first = |c: char| c.is_ascii_alphabetic() || c == '_' || c >= '\u{80}';
        if !self.peek().is_some_and(first) {
            return Err(self.error("expected a name or *; a name with other characters is written ['name']"));
        }
        let len = self.rest().find(|c: char| !first(c) && !c.is_ascii_digit()).unwrap_or(self.rest().len());
        let name = self.rest()[..len].to_owned();
        self.at += len;
        Ok(self.name(name))
    }

    fn name(&mut self, name: String) -> Selector {
        let id = self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        Selector::Name(id)
    }

    fn bracketed(&mut self) -> Result<Vec<Selector>, Error> {
        self.expect("[")?;
        let mut selectors = vec![];
        loop {
            self.blank();
            selectors.push(self.selector()?);
            self.blank();
            if self.eat("]") {
                return Ok(selectors);
            }
            if !self.eat(",") {
                return Err(self.error("expected , or ]"));
            }
        }
    }

    fn selector(&mut self) -> Result<Selector, Error> {
        match self.peek() {
            Some('\'' | '"') => {
                let name = self.string()?;
                Ok(self.name(name))
            }
            Some('*') => {
                self.at += 1;
                Ok(Selector::Wildcard)
            }
            Some('?') => {
                self.at += 1;
                self.blank();
                Ok(Selector::Filter(self.any()?))
            }
            Some(':' | '-' | '0'..='9') => self.index_or_slice(),
            _ => Err(self.error("expected 'name', a number, a slice, * or ?filter")),
        }
    }

    fn index_or_slice(&mut self) -> Result<Selector, Error> {
        let start = self.optional_integer()?;
        let before = self.at;
        self.blank();
        if !self.eat(":") {
            self.at = before;
            return start.map(Selector::Index).ok_or_else(|| self.error("expected a number"));
        }
        self.blank();
        let end = self.optional_integer()?;
        let before = self.at;
        self.blank();
        let mut step = 1;
        if self.eat(":") {
            self.blank();
            step = self.optional_integer()?.unwrap_or(1);
        } else {
            self.at = before;
        }
        Ok(Selector::Slice { start, end, step })
    }

    fn optional_integer(&mut self) -> Result<Option<i64>, Error> {
        let from = self.at;
        let negative = self.eat("-");
        let digits = self.at;
        if self.digits() == 0 {
            return if negative { Err(self.error("expected a number after -")) } else { Ok(None) };
        }
        let number = &self.text[digits..self.at];
        if number.len() > 1 && number.starts_with('0') || negative && number == "0" {
            self.at = from;
            return Err(self.error("a number has no leading zeros and there is no -0"));
        }
        match self.text[from..self.at].parse::<i64>() {
            Ok(n) if (-MAX_INTEGER..=MAX_INTEGER).contains(&n) => Ok(Some(n)),
            _ => {
                self.at = from;
                Err(self.error("the number is too large"))
            }
        }
    }

    fn string(&mut self) -> Result<String, Error> {
        let quote = if self.eat("'") { '\'' } else { '"' };
        if quote == '"' {
            self.expect("\"")?;
        }
        let mut out = String::new();
        loop {
            let Some(c) = self.peek() else { return Err(self.error(format!("the string has no closing {quote}"))) };
            match c {
                '\\' => out.push(self.escape(quote)?),
                c if c == quote => {
                    self.at += 1;
                    return Ok(out);
                }
                '\0'..='\x1f' => return Err(self.error("a control character in a string is written as an escape")),
                c => {
                    self.at += c.len_utf8();
                    out.push(c);
                }
            }
        }
    }

    fn escape(&mut self, quote: char) -> Result<char, Error> {
        let c = match self.rest()[1..].chars().next() {
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(c @ ('/' | '\\')) => c,
            Some(c) if c == quote => c,
            Some('u') => return self.unicode(),
            _ => return Err(self.error("no such escape")),
        };
        self.at += 2;
        Ok(c)
    }

    fn unicode(&mut self) -> Result<char, Error> {
        let unit = |from: usize| {
            let digits = self.rest().get(from..from + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
            u16::from_str_radix(digits, 16).ok()
        };
        let first = unit(2);
        let second = if self.rest().get(6..8) == Some("\\u") { unit(8) } else { None };
        let (c, len) = match first {
            Some(high @ 0xd800..0xdc00) => (char::decode_utf16([high, second.unwrap_or(0)]).next().and_then(Result::ok), 12),
            Some(unit) => (char::from_u32(u32::from(unit)), 6),
            None => (None, 0),
        };
        let c = c.ok_or_else(|| self.error("\\u needs four hexadecimal digits; surrogates come in pairs"))?;
        self.at += len;
        Ok(c)
    }

    fn any(&mut self) -> Result<Test, Error> {
        self.deeper()?;
        let mut tests = vec![self.all()?];
        while self.operator("||") {
            tests.push(self.all()?);
        }
        self.depth -= 1;
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::Any(tests) })
    }

    fn all(&mut self) -> Result<Test, Error> {
        let mut tests = vec![self.basic()?];
        while self.operator("&&") {
            tests.push(self.basic()?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::All(tests) })
    }

    /// An operator with white space on either side; nothing is taken where there is none.
    fn operator(&mut self, token: &str) -> bool {
        let before = self.at;
        self.blank();
        if self.eat(token) {
            self.blank();
            return true;
        }
        self.at = before;
        false
    }

    fn basic(&mut self) -> Result<Test, Error> {
        if self.eat("!") {
            self.blank();
            let test = if self.peek() == Some('(') {
                self.parenthesised()?
            } else {
                let term = self.term()?;
                self.test(term)?
            };
            return Ok(Test::Not(Box::new(test)));
        }
        if self.peek() == Some('(') {
            return self.parenthesised();
        }
        let left = self.term()?;
        let operators = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        for (token, comparison) in operators {
            if self.operator(token) {
                let left = self.operand(left)?;
                let right = self.term()?;
                return Ok(Test::Compare(left, comparison, self.operand(right)?));
            }
        }
        self.test(left)
    }

    fn parenthesised(&mut self) -> Result<Test, Error> {
        self.expect("(")?;
        self.blank();
        let test = self.any()?;
        self.blank();
        self.expect(")")?;
        Ok(test)
    }

    /// A term that stands alone must be true or false by itself.
    fn test(&self, term: Term) -> Result<Test, Error> {
        match term {
            Term::Query(query) => Ok(Test::Exists(query)),
            Term::Logical(test) => Ok(test),
            Term::Literal(_) => Err(self.error("a literal alone is no test; compare it with something")),
            Term::Value(_) => Err(self.error("this function gives a value; compare it with something")),
        }
    }

    /// A term that is compared must be one value.
    fn operand(&self, term: Term) -> Result<Operand, Error> {
        match term {
            Term::Literal(operand) | Term::Value(operand) => Ok(operand),
            Term::Query(query) if query.is_singular() => Ok(Operand::Query(query)),
            Term::Query(_) => Err(self.error("only a path that gives one value at most can be compared")),
            Term::Logical(_) => Err(self.error("the result of match or search cannot be compared")),
        }
    }

    fn term(&mut self) -> Result<Term, Error> {
        match self.peek() {
            Some('@' | '$') => {
                self.deeper()?;
                let query = self.query()?;
                self.depth -= 1;
                Ok(Term::Query(query))
            }
            Some('\'' | '"') => Ok(Term::Literal(Operand::String(self.string()?))),
            Some('-' | '0'..='9') => Ok(Term::Literal(Operand::Number(self.number()?))),
            _ => self.word(),
        }
    }

    fn number(&mut self) -> Result<f64, Error> {
        let from = self.at;
        let wrong = |parser: &mut Self| {
            parser.at = from;
            parser.error("this is no number as JSON writes them")
        };
        self.eat("-");
        let digits = self.at;
        if self.digits() == 0 || self.at - digits > 1 && self.text[digits..].starts_with('0') {
            return Err(wrong(self));
        }
        if self.eat(".") && self.digits() == 0 {
            return Err(wrong(self));
        }
        if self.eat("e") || self.eat("E") {
            if !self.eat("+") {
                self.eat("-");
            }
            if self.digits() == 0 {
                return Err(wrong(self));
            }
        }
        self.text[from..self.at].parse().map_err(|_| wrong(self))
    }

    /// `true`, `false`, `null` or a function.
    fn word(&mut self) -> Result<Term, Error> {
        let from = self.at;
        let len = self.rest().find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')).unwrap_or(self.rest().len());
        let word = &self.text[from..from + len];
        self.at += len;
        match word {
            "true" | "false" => return Ok(Term::Literal(Operand::Bool(word == "true"))),
            "null" => return Ok(Term::Literal(Operand::Null)),
            "length" | "count" | "value" | "match" | "search" => {}
            _ => {
                self.at = from;
                return Err(self.error("expected @, $, a literal, or one of length(), count(), value(), match(), search()"));
            }
        }
        self.expect("(")?;
        self.deeper()?;
        self.blank();
        let first = self.argument()?;
        let term = match word {
            "length" => Term::Value(Operand::Length(Box::new(self.operand(first)?))),
            "count" => Term::Value(Operand::Count(self.nodes(first)?)),
            "value" => Term::Value(Operand::Value(self.nodes(first)?)),
            _ => {
                let text = self.operand(first)?;
                self.blank();
                self.expect(",")?;
                self.blank();
                let second = self.argument()?;
                Term::Logical(Test::Matches { whole: word == "match", text, pattern: self.operand(second)? })
            }
        };
        self.blank();
        self.expect(")")?;
        self.depth -= 1;
        Ok(term)
    }

    fn argument(&mut self) -> Result<Term, Error> {
        match self.peek() {
            Some('!' | '(') => Err(self.error("an argument is a path, a literal or a function")),
            _ => self.term(),
        }
    }

    fn nodes(&self, term: Term) -> Result<Query, Error> {
        match term {
            Term::Query(query) => Ok(query),
            _ => Err(self.error("this function takes a path")),
        }
    }
}
