//! One allowance among the results of calls that run at the same time.
//!
//! Shares are max-min fair: a small result passes whole, and what it leaves goes to the larger ones in equal parts. A result that is within
//! its share whatever the others turn out to be gets it at once; a larger one waits until all have come, so that the order in which results
//! come back does not matter.

use std::collections::{BTreeMap, BTreeSet};

use snugfit_engine::{Budget, Encoding, Unit, measure};

/// What the results of a turn may take together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowance {
    /// Unicode characters.
    Chars(usize),
    /// Tokens, as the budget of each result counts them.
    Tokens(usize),
}

/// A text of more bytes than this for each unit of the allowance is over it in all likelihood, and not worth counting.
const MOST_COUNTED: usize = 16;

impl Allowance {
    fn total(self) -> usize {
        match self {
            Self::Chars(total) | Self::Tokens(total) => total,
        }
    }

    /// The least that a result gets: what a preview and its notice need.
    #[must_use]
    pub fn least(self) -> usize {
        match self {
            Self::Chars(_) => 350,
            Self::Tokens(_) => 120,
        }
    }

    /// What texts of a result take that has a budget of its own: no more than that, but not less than they need.
    #[must_use]
    pub fn demand(self, texts: &[&str], own: &Budget) -> usize {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let unit = match self {
            Self::Chars(_) => Unit::Chars,
            Self::Tokens(_) => Unit::Tokens(own.encoding),
        };
        let most = self.most(own);
        if bytes > self.total().saturating_mul(MOST_COUNTED) {
            return most;
        }
        texts.iter().map(|text| measure(text, unit)).sum::<usize>().min(most)
    }

    /// What a result within a budget takes at most.
    #[must_use]
    pub fn most(self, own: &Budget) -> usize {
        let estimated = own.encoding == Encoding::ESTIMATE;
        let limits = match self {
            Self::Chars(_) => [own.chars, own.bytes, own.tokens.filter(|_| estimated).map(|tokens| tokens.saturating_mul(3))],
            Self::Tokens(_) => {
                let bytes = own.bytes.into_iter().chain(own.chars.map(|chars| chars.saturating_mul(4))).min();
                [own.tokens, bytes.map(|bytes| if estimated { bytes.div_ceil(3) } else { bytes }), None]
            }
        };
        limits.into_iter().flatten().min().unwrap_or(usize::MAX)
    }

    /// A budget of a result's own, within its share.
    #[must_use]
    pub fn within(self, own: &Budget, share: usize) -> Budget {
        let within = |limit: Option<usize>| Some(limit.map_or(share, |limit| limit.min(share)));
        match self {
            Self::Chars(_) => Budget { chars: within(own.chars), ..*own },
            Self::Tokens(_) => Budget { tokens: within(own.tokens), ..*own },
        }
    }
}

/// The calls whose results share an allowance.
///
/// ```
/// use snugfit_recovery::{Allowance, Turn};
/// let mut turn = Turn::new(Allowance::Chars(10_000), 0);
/// let (large, small, larger) = (turn.join(), turn.join(), turn.join());
/// assert_eq!(turn.claim(large, 50_000), [], "who knows what the others need");
/// assert_eq!(turn.claim(small, 1_000), [(small, 1_000)]);
/// assert_eq!(turn.claim(larger, 80_000), [(large, 4_500), (larger, 4_500)]);
/// ```
#[derive(Debug)]
pub struct Turn {
    allowance: Allowance,
    left: usize,
    /// Calls that were announced and have not begun.
    to_come: usize,
    running: BTreeSet<u32>,
    /// What results that are there need.
    waiting: BTreeMap<u32, usize>,
    next: u32,
}

impl Turn {
    /// A turn of so many calls at least; others may join.
    #[must_use]
    pub fn new(allowance: Allowance, calls: usize) -> Self {
        let (running, waiting) = (BTreeSet::new(), BTreeMap::new());
        Self { allowance, left: allowance.total(), to_come: calls, running, waiting, next: 0 }
    }

    /// A call begins.
    pub fn join(&mut self) -> u32 {
        let call = self.next;
        self.next = self.next.wrapping_add(1);
        self.to_come = self.to_come.saturating_sub(1);
        self.running.insert(call);
        call
    }

    /// The result of a call is there and needs so much. Gives the shares that are certain now, by call.
    pub fn claim(&mut self, call: u32, demand: usize) -> Vec<(u32, usize)> {
        self.running.remove(&call);
        self.waiting.insert(call, demand);
        self.settle()
    }

    /// A call has no result that counts, or its result is not waited for any longer. Gives the shares that are certain now, by call.
    pub fn leave(&mut self, call: u32) -> Vec<(u32, usize)> {
        self.running.remove(&call);
        self.waiting.remove(&call);
        self.settle()
    }

    /// The share of a result that cannot wait: what it gets if all the others turn out to be large.
    pub fn now(&mut self, call: u32) -> Option<usize> {
        let demand = self.waiting.remove(&call)?;
        // Its own part is in the level as long as it stands with the others.
        self.running.insert(call);
        let share = demand.min(self.level());
        self.running.remove(&call);
        self.left = self.left.saturating_sub(share);
        Some(share)
    }

    fn settle(&mut self) -> Vec<(u32, usize)> {
        let level = self.level();
        let all_there = self.running.is_empty() && self.to_come == 0;
        let certain = self.waiting.iter().filter(|(_, demand)| all_there || **demand <= level);
        let shares: Vec<(u32, usize)> = certain.map(|(call, demand)| (*call, level.min(*demand))).collect();
        for (call, share) in &shares {
            self.waiting.remove(call);
            self.left = self.left.saturating_sub(*share);
        }
        shares
    }

    /// The most that any result gets if those that are not there yet are large.
    fn level(&self) -> usize {
        let mut demands: Vec<usize> = self.waiting.values().copied().collect();
        demands.sort_unstable();
        let mut open = self.running.len() + self.to_come + demands.len();
        let mut left = self.left;
        for demand in demands {
            if demand > left / open {
                break;
            }
            left -= demand;
            open -= 1;
        }
        let level = left.checked_div(open).unwrap_or(usize::MAX);
        level.max(self.allowance.least())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The shares of calls that begin together and come back in this order.
    fn shares(allowance: usize, demands: &[usize], order: &[usize]) -> Vec<usize> {
        let mut turn = Turn::new(Allowance::Chars(allowance), 0);
        let calls: Vec<u32> = demands.iter().map(|_| turn.join()).collect();
        let mut shares = vec![usize::MAX; demands.len()];
        for &at in order {
            for (call, share) in turn.claim(calls[at], demands[at]) {
                shares[call as usize] = share;
            }
        }
        shares
    }

    #[test]
    fn who_cannot_wait_gets_a_fair_part() {
        let mut turn = Turn::new(Allowance::Chars(9_000), 3);
        let (first, second) = (turn.join(), turn.join());
        assert_eq!(turn.claim(first, 50_000), []);
        assert_eq!(turn.now(first), Some(3_000), "a third is for the call that was announced");
        assert_eq!(turn.now(first), None, "it has its share");
        assert_eq!(turn.claim(second, 100), [(second, 100)]);
        let third = turn.join();
        assert_eq!(turn.claim(third, 50_000), [(third, 5_900)]);
        let late = turn.join();
        assert_eq!(turn.claim(late, 50_000), [(late, 350)], "nothing is left, but a notice has its room");
    }

    #[test]
    fn who_leaves_leaves_its_part_to_the_others() {
        let mut turn = Turn::new(Allowance::Tokens(2_000), 0);
        let (first, second, third) = (turn.join(), turn.join(), turn.join());
        assert_eq!(turn.claim(first, 5_000), []);
        assert_eq!(turn.leave(second), []);
        assert_eq!(turn.leave(third), [(first, 2_000)]);
        assert_eq!(turn.leave(first), [], "it is gone already");
    }

    #[test]
    fn a_result_takes_no_more_than_its_own_budget() {
        let text = "é".repeat(3_000);
        for (allowance, own, expected) in [
            (Allowance::Chars(5_000), Budget::chars(9_000), 3_000),
            (Allowance::Chars(5_000), Budget::chars(1_000), 1_000),
            (Allowance::Chars(5_000), Budget::tokens(500, Encoding::ESTIMATE), 1_500),
            (Allowance::Tokens(5_000), Budget::chars(9_000), 2_000),
            (Allowance::Tokens(5_000), Budget::chars(600), 800),
            (Allowance::Tokens(5_000), Budget { bytes: Some(900), ..Budget::default() }, 300),
            (Allowance::Chars(10), Budget { lines: Some(4), ..Budget::default() }, usize::MAX),
        ] {
            assert_eq!(allowance.demand(&[&text], &own), expected, "{allowance:?} {own:?}");
        }
        let own = Budget { lines: Some(4), chars: Some(900), ..Budget::default() };
        assert_eq!(Allowance::Chars(5_000).within(&own, 2_000), own);
        assert_eq!(Allowance::Tokens(5_000).within(&own, 200), Budget { tokens: Some(200), ..own });
    }

    proptest! {
        #[test]
        fn shares_are_fair_and_within_the_allowance_in_any_order(
            (demands, order) in proptest::collection::vec(0usize..20_000, 1..12)
                .prop_flat_map(|demands| { let order: Vec<usize> = (0..demands.len()).collect(); (Just(demands), Just(order).prop_shuffle()) }),
            spare in 0usize..30_000,
        ) {
            let allowance = demands.len() * 350 + spare;
            let in_order: Vec<usize> = (0..demands.len()).collect();
            let found = shares(allowance, &demands, &order);
            prop_assert_eq!(&found, &shares(allowance, &demands, &in_order), "the order does not matter");
            let sum: usize = found.iter().sum();
            prop_assert!(sum <= allowance, "{} > {}", sum, allowance);
            let most = found.iter().max().copied().unwrap_or_default();
            for (share, demand) in found.iter().zip(&demands) {
                prop_assert!(share <= demand);
                // Whoever has less than it needs has as much as anybody.
                prop_assert!(share == demand || *share == most, "{:?} of {:?}", found, demands);
            }
            if found != demands {
                prop_assert!(allowance - sum < demands.len(), "nothing is left over: {} of {}", sum, allowance);
            }
        }

        #[test]
        fn whoever_comes_when_and_gives_up_when_the_allowance_holds(
            steps in proptest::collection::vec((0u8..4, 0usize..5_000), 1..60),
            spare in 0usize..20_000,
        ) {
            let begun = steps.iter().filter(|(step, _)| *step == 0).count();
            let allowance = 350 * begun + spare;
            let mut turn = Turn::new(Allowance::Chars(allowance), begun);
            let (mut open, mut sum) = (Vec::new(), 0);
            for (step, n) in steps {
                if step == 0 {
                    open.push(turn.join());
                    continue;
                }
                let Some(&call) = open.get(n % open.len().max(1)) else { continue };
                let certain = match step {
                    1 => turn.claim(call, n),
                    2 => turn.now(call).map(|share| (call, share)).into_iter().collect(),
                    _ => {
                        open.retain(|other| *other != call);
                        turn.leave(call)
                    }
                };
                open.retain(|other| certain.iter().all(|(call, _)| call != other));
                sum += certain.iter().map(|(_, share)| share).sum::<usize>();
            }
            prop_assert!(sum <= allowance, "{} > {}", sum, allowance);
        }
    }
}
