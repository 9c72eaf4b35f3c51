//! The way from the root of a tree to a value.

use std::fmt;

use snugfit_toolset::names::excerpt;

/// A linked list on the stack, from a value up to the root.
#[derive(Clone, Copy)]
pub(in crate::config::document) enum Path<'a> {
    Root,
    Member { parent: &'a Self, at: usize, name: &'a str },
    Item { parent: &'a Self, at: usize },
}

impl Path<'_> {
    /// At each list or map, the number of the item or member.
    pub(super) fn steps(&self) -> Vec<usize> {
        match *self {
            Self::Root => Vec::new(),
            Self::Member { parent, at, .. } | Self::Item { parent, at } => {
                let mut steps = parent.steps();
                steps.push(at);
                steps
            }
        }
    }
}

impl fmt::Display for Path<'_> {
    /// As in a program: `servers.github.args[1]`; of long names the beginning.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member { parent: Self::Root, name, .. } => f.write_str(&excerpt(name)),
            Self::Member { parent, name, .. } => write!(f, "{parent}.{}", excerpt(name)),
            Self::Item { parent, at } => write!(f, "{parent}[{at}]"),
        }
    }
}
