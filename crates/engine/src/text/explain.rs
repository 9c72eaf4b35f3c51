//! What the lines of a text were judged to be worth.

use super::Ask;
use super::lines::Line;
use crate::explain::{MAX_SCORES, Score, Scored};
use crate::order::Order as _;
use crate::report::Place;

/// Leaves the scores of lines, if somebody asks; `number` says which line of the text a line is, counted from 1.
pub(super) fn leave(lines: &[Line], score: impl Fn(&Line) -> f32, number: impl Fn(usize) -> usize, ask: &Ask<'_>) {
    let Some(trace) = ask.trace.filter(|_| ask.depth == 0) else { return };
    let mut order: Vec<(f32, usize)> = lines.iter().enumerate().map(|(at, line)| (score(line), at)).collect();
    order.order_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let told = order.into_iter().take(MAX_SCORES).map(|(score, at)| {
        let bytes = (lines[at].end - lines[at].start) as f32;
        let parts = vec![("worth".to_owned(), lines[at].worth), ("bytes".to_owned(), bytes)];
        Score { of: Scored::Line, place: Place::Lines(number(at), number(at)), score, parts }
    });
    trace.take(told.collect());
}
