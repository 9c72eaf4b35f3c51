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
