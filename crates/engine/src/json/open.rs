//! A container that the walk has entered.

use super::shape::Children;
use crate::order::Order as _;

/// The field of a record, or of a part of it, that holds what names the record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) node: u32,
    pub(super) shape: u32,
    pub(super) ordinal: u32,
    pub(super) weight: f32,
    pub(super) fade: f32,
    /// The [`Open`] that it is once the walk has entered it.
    pub(super) entered: Option<u32>,
}

/// A container that the walk has entered.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) node: u32,
    pub(crate) shape: u32,
    pub(crate) how: Children,
    /// An object, whose cut has one marker; an array has one a gap.
    pub(crate) object: bool,
    /// The open container around it, or [`NONE`].
    pub(crate) parent: u32,
    /// Containers around it, and itself.
    pub(super) depth: usize,
    pub(super) ordinal: u32,
    /// The outermost list around its children, or [`NONE`]: where their cuts are named.
    pub(crate) list: u32,
    /// The record of that list that it is, or is part of, or [`NONE`].
    pub(super) record: u32,
    /// Whether it is a record that stands out in a list, or part of one.
    pub(super) unusual: bool,
    /// Whether it stands in the output.
    pub(crate) kept: bool,
    /// Whether only its key does.
    pub(super) collapsed: bool,
    pub(super) weight: f32,
    /// What its fields are worth beside the one that names it.
    pub(super) fade: f32,
    /// Where the name of the record stands, if in none of its own fields.
    pub(super) way: Option<Way>,
    /// How many elements the nearest list around its children has, or 1.
    pub(super) siblings: u32,
    /// What its marker costs, or each of them in a list.
    pub(super) marker: usize,
    /// Its children, for lists; the ordinals of those kept, as bits.
    pub(crate) elements: Vec<u32>,
    pub(super) bits: Vec<u64>,
    /// The ordinals that were candidates already, as bits.
    pub(super) seen: Vec<u64>,
    /// Those that became candidates since they stand out.
    pub(super) chosen: Vec<u64>,
    pub(crate) children: u32,
    pub(crate) kept_children: u32,
    pub(super) special: Vec<(f32, u32)>,
    /// After so many of those none holds anything protected.
    pub(super) protected: usize,
    pub(super) next_special: usize,
    pub(super) next_plain: u32,
    pub(super) plain_rank: u32,
    /// Its children are scalars or points.
    pub(crate) scalars: bool,
}

impl Open {
    /// The ordinals of the kept children of a list, in order.
    pub(crate) fn kept_ordinals(&self) -> impl Iterator<Item = u32> {
        self.bits.iter().enumerate().flat_map(|(word, &bits)| {
            std::iter::successors(Some(bits), |b| Some(b & b.wrapping_sub(1)))
                .take_while(|&b| b != 0)
                .map(move |b| word as u32 * 64 + b.trailing_zeros())
        })
    }

    /// The elements of a list that stand out, as score and ordinal.
    pub(crate) fn special(&self) -> &[(f32, u32)] {
        &self.special
    }

    /// Where the gaps of a list begin and how many elements each omits, the largest first.
    pub(crate) fn largest_gaps(&self) -> Vec<(u32, u32)> {
        let mut gaps = Vec::new();
        let mut at = 0;
        for ordinal in self.kept_ordinals().chain([self.children]) {
            if ordinal > at {
                gaps.push((at, ordinal - at));
            }
            at = ordinal + 1;
        }
        gaps.order_by_key(|gap| std::cmp::Reverse(gap.1));
        gaps
    }

    pub(super) fn has(&self, ordinal: i64) -> bool {
        if ordinal < 0 || ordinal >= i64::from(self.children) {
            return true;
        }
        self.bits[(ordinal / 64) as usize] >> (ordinal % 64) & 1 == 1
    }
}
