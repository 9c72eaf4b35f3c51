//! Sorting in a given order, compiled once.
//!
//! The standard sorts are compiled anew for each type and comparison, about 9 KB at a place; with fifty places that was a tenth of the addon.
//! Here one sort puts numbers of items in order and asks the comparison through a pointer. Where millions of items are sorted, the standard
//! sorts are used.

use std::cmp::Ordering;

/// Stable sorts of a slice, as `sort_by` and `sort_by_key` of the standard library.
pub(crate) trait Order<T> {
    /// Puts the items in the order of `compare`; equal ones stay as they stand.
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);

    /// Puts the items in the order of their keys; those with equal keys stay as they stand.
    fn order_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K);
}

impl<T> Order<T> for [T] {
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        let mut order = sorted(self.len(), &|a, b| compare(&self[a], &self[b]));
        // Each cycle of the permutation is walked once; a place that is right points at itself.
        for start in 0..order.len() {
            let mut at = start;
            loop {
                let next = std::mem::replace(&mut order[at], at);
                if next == start || next == at {
                    break;
                }
                self.swap(at, next);
                at = next;
            }
        }
    }

    fn order_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }
}

/// A number that is the lower the more an item is worth, or where they are worth the same the lower its own number is, which it ends with.
fn by_worth(worth: f32, number: u32) -> u64 {
    let bits = worth.to_bits();
    // The bits of numbers are in their order, those below zero the other way round.
    let order = if worth.is_sign_negative() { !bits } else { bits | 1 << 31 };
    u64::from(!order) << 32 | u64::from(number)
}

/// Puts items in the order of their worth, the most valuable first, and leaves at most so many.
pub(crate) fn best_first(items: &mut Vec<(f32, u32)>, most: usize) {
    let mut keys = keys(items, most);
    keys.sort_unstable();
    items.clear();
    items.extend(keys.into_iter().map(item));
}

/// Leaves the most valuable items, in no order.
pub(crate) fn best_of(items: &mut Vec<(f32, u32)>, most: usize) {
    if items.len() > most {
        let keys = keys(items, most);
        items.clear();
        items.extend(keys.into_iter().map(item));
    }
}

/// Items, the most valuable first: sorted as far as they are asked for.
pub(crate) struct Ranked {
    order: Vec<u64>,
    sorted: usize,
}

impl Ranked {
    /// So many items are sorted at first, and then as many again as there are.
    const SORTED: usize = 1_024;

    /// Of items by their worth and their numbers.
    pub(crate) fn new(items: impl Iterator<Item = (f32, u32)>) -> Self {
        Self { order: items.map(|(worth, number)| by_worth(worth, number)).collect(), sorted: 0 }
    }

    /// The item with so many better ones.
    pub(crate) fn get(&mut self, nth: usize) -> Option<u32> {
        if nth >= self.sorted && nth < self.order.len() {
            let rest = &mut self.order[self.sorted..];
            let many = (Self::SORTED + self.sorted).min(rest.len());
            if many < rest.len() {
                rest.select_nth_unstable(many);
            }
            rest[..many].sort_unstable();
            self.sorted += many;
        }
        self.order.get(nth).map(|&key| key as u32)
    }
}

fn keys(items: &[(f32, u32)], most: usize) -> Vec<u64> {
    let mut keys: Vec<u64> = items.iter().map(|&(worth, number)| by_worth(worth, number)).collect();
    if keys.len() > most {
        keys.select_nth_unstable(most);
        keys.truncate(most);
    }
    keys
}

fn item(key: u64) -> (f32, u32) {
    let order = !(key >> 32) as u32;
    (f32::from_bits(if order >> 31 == 1 { order ^ 1 << 31 } else { !order }), key as u32)
}

/// The numbers below `len` in the order of `compare`.
fn sorted(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_most_valuable_are_the_first(mut items: Vec<(f32, u32)>, most in 0usize..40) {
            let mut expected = items.clone();
            expected.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            expected.truncate(most);
            best_of(&mut items, most);
            best_first(&mut items, most);
            let bits = |items: &[(f32, u32)]| items.iter().map(|item| (item.0.to_bits(), item.1)).collect::<Vec<_>>();
            prop_assert_eq!(bits(&items), bits(&expected));
        }

        #[test]
        fn the_order_is_that_of_the_standard_sort(mut items: Vec<(u8, u16)>) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| std::cmp::Reverse(item.0));
            items.order_by(|a, b| b.0.cmp(&a.0));
            prop_assert_eq!(&items, &expected);
            expected.sort_by_key(|item| item.1);
            items.order_by_key(|item| item.1);
            prop_assert_eq!(items, expected);
        }
    }
}
