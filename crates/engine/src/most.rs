//! How much of a sequence fits, where only the whole can be measured.

/// The largest count in `0..=high` whose `fill` is at most 1.0; `fill` says how full the budget is with so many, and never shrinks.
///
/// It interpolates, so that it asks only a few times whatever `high` is, and never for much more than fits. 0 is taken to fit.
///
/// ```
/// use snugfit_engine::most;
/// let mut asked = 0;
/// let count = most(1_000_000, |n| {
///     asked += 1;
///     (n * 7 + 30) as f64 / 20_000.0
/// });
/// assert_eq!(count, 2852);
/// assert!(asked < 12);
/// ```
pub fn most(high: usize, mut fill: impl FnMut(usize) -> f64) -> usize {
    // `low` fits with `at_low`; `over`, if any, does not.
    let (mut low, mut at_low) = (0, 0.0);
    let mut over: Option<(usize, f64)> = None;
    let mut next = high.min(1);
    // Interpolation alone creeps where costs are uneven: every third step halves.
    let mut step = 0;
    while next > low && over.is_none_or(|(n, _)| next < n) {
        let filled = fill(next);
        if filled <= 1.0 {
            (low, at_low) = (next, filled);
        } else {
            over = Some((next, filled));
        }
        step += 1;
        next = match over {
            None if at_low <= 0.0 => (low * 8).min(high),
            None => {
                let guess = (low as f64 / at_low) as usize;
                guess.clamp(low + 1, low.saturating_mul(8)).min(high)
            }
            Some((n, _)) if step % 3 == 0 => usize::midpoint(low, n),
            Some((n, at_n)) => {
                let share = (1.0 - at_low) / (at_n - at_low).max(f64::MIN_POSITIVE);
                (low + ((n - low) as f64 * share) as usize).clamp(low + 1, n.max(low + 2) - 1)
            }
        };
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_the_last_count_that_fits(costs in proptest::collection::vec(0usize..200, 0..300), limit in 1usize..5000) {
            let total = |n: usize| costs[..n].iter().sum::<usize>();
            let found = most(costs.len(), |n| total(n) as f64 / limit as f64);
            prop_assert!(total(found) <= limit);
            prop_assert!(found == costs.len() || total(found + 1) > limit);
        }
    }
}
