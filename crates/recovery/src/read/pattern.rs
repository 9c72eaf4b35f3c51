//! Regular expressions that a model wrote, with a bound on the work of a search.
//!
//! No expression takes exponential time here, but one of many states can take its size times that of the text, which is minutes for a few
//! megabytes. Where that much is possible, a lazy automaton runs alone and gives up as soon as it builds states faster than it reads.

use std::cell::{Cell, RefCell};

use regex_automata::hybrid::{dfa, regex as lazy};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchError, meta};

/// Steps that a search may take: seconds.
const MOST_STEPS: usize = 1 << 29;
/// Bytes of the states that a lazy automaton remembers.
const CACHE: usize = 8 << 20;

/// A compiled expression.
pub(super) struct Pattern {
    engine: Engine,
    gave_up: Cell<bool>,
}

enum Engine {
    /// As quick as it gets, and slow at worst.
    Any(Box<meta::Regex>),
    /// Quick, or not at all.
    Lazy(Box<lazy::Regex>, Box<RefCell<lazy::Cache>>),
}

impl Pattern {
    /// Compiles an expression for texts of `text` bytes together; none where it is wrong, or takes more than `most` bytes.
    pub(super) fn compile(pattern: &str, syntax: syntax::Config, most: usize, text: usize) -> Option<Self> {
        let limits = thompson::Config::new().nfa_size_limit(Some(most));
        let mut compiler = thompson::Compiler::new();
        let states = compiler.syntax(syntax).configure(limits.clone()).build(pattern).ok()?.states().len();
        let worst = states.saturating_mul(text);
        let engine = if worst <= MOST_STEPS {
            let limits = meta::Regex::config().nfa_size_limit(Some(most));
            Engine::Any(Box::new(meta::Regex::builder().configure(limits).syntax(syntax).build(pattern).ok()?))
        } else {
            let patience = dfa::Config::new()
                .cache_capacity(CACHE)
                .skip_cache_capacity_check(true)
                .unicode_word_boundary(true)
                .minimum_cache_clear_count(Some(2))
                .minimum_bytes_per_state(Some(worst / MOST_STEPS + 10));
            let regex = lazy::Regex::builder().dfa(patience).syntax(syntax).thompson(limits).build(pattern).ok()?;
            let cache = regex.create_cache();
            Engine::Lazy(Box::new(regex), Box::new(RefCell::new(cache)))
        };
        Some(Self { engine, gave_up: Cell::new(false) })
    }

    /// Where the first match stands, in bytes.
    pub(super) fn find(&self, text: &str) -> Option<(usize, usize)> {
        let found = match &self.engine {
            Engine::Any(regex) => regex.find(text),
            Engine::Lazy(regex, cache) => self.known(regex.try_search(&mut cache.borrow_mut(), &Input::new(text))),
        };
        found.map(|found| (found.start(), found.end()))
    }

    /// Whether it matches anywhere.
    pub(super) fn is_match(&self, text: &str) -> bool {
        match &self.engine {
            Engine::Any(regex) => regex.is_match(text),
            Engine::Lazy(..) => self.first_end(text, 0).is_some(),
        }
    }

    /// Where the first match from `from` on is certain.
    pub(super) fn first_end(&self, text: &str, from: usize) -> Option<usize> {
        let ahead = Input::new(text).range(from..).earliest(true);
        let found = match &self.engine {
            Engine::Any(regex) => regex.search_half(&ahead),
            Engine::Lazy(regex, cache) => self.known(regex.forward().try_search_fwd(cache.borrow_mut().forward_mut(), &ahead)),
        };
        found.map(|found| found.offset())
    }

    /// Whether a search ended before it was done, so that what it found may not be all.
    pub(super) fn gave_up(&self) -> bool {
        self.gave_up.get()
    }

    fn known<T>(&self, found: Result<Option<T>, MatchError>) -> Option<T> {
        found.unwrap_or_else(|_| {
            self.gave_up.set(true);
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(pattern: &str, text: usize) -> Pattern {
        Pattern::compile(pattern, syntax::Config::new(), 4 << 20, text).expect(pattern)
    }

    #[test]
    fn both_engines_find_the_same() {
        let text = "one line\nan error here\nénd 42";
        for pattern in ["error", "[0-9]+", "^é", "o.*e", "x", "(?m)^an", "e{1,3}r", "line$"] {
            let (any, lazy) = (compiled(pattern, 1), compiled(pattern, usize::MAX));
            assert!(matches!((&any.engine, &lazy.engine), (Engine::Any(_), Engine::Lazy(..))));
            assert_eq!(any.find(text), lazy.find(text), "{pattern}");
            assert_eq!(any.is_match(text), lazy.is_match(text), "{pattern}");
            assert_eq!(any.first_end(text, 3), lazy.first_end(text, 3), "{pattern}");
            assert!(!lazy.gave_up(), "{pattern}");
        }
    }

    #[test]
    fn what_would_take_minutes_is_given_up() {
        // Nothing repeats in it that an automaton could remember.
        let text: String =
            (0..300_000_u32).map(|n| if n.wrapping_mul(2_654_435_761).rotate_left(7).count_ones() % 2 == 0 { 'a' } else { 'b' }).collect();
        let bomb = compiled("(?:[ab]{0,500}a){5}c", text.len());
        assert!(!bomb.is_match(&text) && bomb.gave_up());
    }
}
