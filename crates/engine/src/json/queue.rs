//! The candidates of the walk, the next one first.

use std::collections::BinaryHeap;

/// What must stay, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    Common,
    /// The keys of the top level.
    Top,
    /// What the caller protects, where that is more than there is room for.
    Crowded,
    /// What tells how much there is and how to go on, and what went wrong.
    Pinned,
    /// What the caller protects.
    Protected,
}

/// A value, or a part of one, that may be kept.
#[derive(Clone, Copy)]
pub(super) enum What {
    Value { node: u32, shape: u32, open: u32, ordinal: u32, weight: f32, fade: f32 },
    NextElement { open: u32 },
    Collapsed { open: u32 },
    Piece { node: u32, stage: u32, priority: f32 },
}

/// The place of a candidate in the queue: what must stay comes before what is worth much, and that before what came first.
///
/// Tier, priority and order in one number, so that the heap moves no more than it compares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u64);

/// Bits of the order of arrival, and of a priority, whose sign is never set; the others are the tier's.
const ORDER: u32 = 30;
const WORTH: u32 = 31;
/// The walk ends long before so many have come.
const MOST: u64 = (1 << ORDER) - 1;

impl Place {
    fn new(tier: Tier, priority: f32, order: usize) -> Self {
        // The bits of numbers above zero are in the order of the numbers.
        let worth = u64::from(priority.max(0.0).to_bits());
        Self((tier as u64) << (WORTH + ORDER) | worth << ORDER | (!(order as u64) & MOST))
    }

    fn order(self) -> usize {
        (!self.0 & MOST) as usize
    }

    /// Whether the candidate is of this tier.
    pub(super) fn is(self, tier: Tier) -> bool {
        self.0 >> (WORTH + ORDER) == tier as u64
    }
}

/// Candidates, each pushed once and popped as often as it is put back.
#[derive(Default)]
pub(super) struct Queue {
    places: BinaryHeap<Place>,
    /// In the order in which they came.
    candidates: Vec<(f32, What)>,
}

impl Queue {
    /// With room for so many candidates.
    pub(super) fn with_capacity(candidates: usize) -> Self {
        Self { places: BinaryHeap::with_capacity(candidates), candidates: Vec::with_capacity(candidates) }
    }

    pub(super) fn push(&mut self, tier: Tier, priority: f32, what: What) {
        if self.candidates.len() < MOST as usize {
            self.places.push(Place::new(tier, priority, self.candidates.len()));
            self.candidates.push((priority, what));
        }
    }

    /// The next candidate with its priority, and its place, to put it back.
    pub(super) fn pop(&mut self) -> Option<(Place, f32, What)> {
        let place = self.places.pop()?;
        let &(priority, what) = self.candidates.get(place.order())?;
        Some((place, priority, what))
    }

    /// Puts back what was popped.
    pub(super) fn put_back(&mut self, places: Vec<Place>) {
        self.places.extend(places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tier_comes_before_priority_and_priority_before_order() {
        let mut queue = Queue::default();
        let what = |open| What::NextElement { open };
        for (tier, priority, open) in [
            (Tier::Common, 1.0, 5),
            (Tier::Common, 1e6, 4),
            (Tier::Common, 1.0, 6),
            (Tier::Protected, 0.0, 0),
            (Tier::Crowded, 3.0, 2),
            (Tier::Pinned, 0.5, 1),
            (Tier::Common, -1.0, 7),
            (Tier::Top, f32::MIN_POSITIVE, 3),
        ] {
            queue.push(tier, priority, what(open));
        }
        let order = |queue: &mut Queue| std::iter::from_fn(|| queue.pop()).map(|(place, _, what)| (place, what)).collect::<Vec<_>>();
        let popped = order(&mut queue);
        let opens = |popped: &[(Place, What)]| -> Vec<u32> {
            popped.iter().map(|(_, what)| if let What::NextElement { open } = what { *open } else { u32::MAX }).collect()
        };
        assert_eq!(opens(&popped), [0, 1, 2, 3, 4, 5, 6, 7]);
        queue.put_back(popped.iter().rev().map(|p| p.0).collect());
        assert_eq!(opens(&order(&mut queue)), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
