//! A tree to types, by serde, with the place and the path of whatever does not fit.
//!
//! serde stops at the first mistake. So that all are told at once, the value at fault is cut out and the rest read again.

use serde::Deserialize;

use super::{Node, Value};
use crate::config::fault::{Fault, MAX_FAULTS};
use path::Path;
use reader::Reader;

mod error;
pub(super) mod path;
mod reader;

/// Reads a tree; where it has mistakes, or had any before, those in the order in which they were met, until they are enough.
pub(in crate::config) fn read<T: for<'de> Deserialize<'de>>(root: &mut Node, mut faults: Vec<Fault>) -> Result<T, Vec<Fault>> {
    let has_holes = root.has_holes();
    while faults.len() < MAX_FAULTS {
        let error = match T::deserialize(Reader { node: root, path: &Path::Root }) {
            Ok(value) if faults.is_empty() && !has_holes => return Ok(value),
            Ok(_) => return Err(faults),
            Err(error) => error.at(root, &Path::Root),
        };
        let message = error.to_string();
        let place = error.place(root);
        let Some(node) = root.descend(&place.steps) else { return Err(faults) };
        // What is only missing because it was cut out is no mistake of its own.
        if !node.has_holes() {
            faults.push(Fault { position: Some(place.at), path: place.path, message });
        }
        node.value = Value::Cut;
        if place.steps.is_empty() {
            break;
        }
    }
    Err(faults)
}

impl Node {
    /// Whether something inside was cut out. Recursive: a tree is never deeper than [`super::MAX_DEPTH`].
    fn has_holes(&self) -> bool {
        match &self.value {
            Value::Scalar(_) => false,
            Value::List(items) => items.iter().any(Self::has_holes),
            Value::Map(members) => members.iter().any(|(_, member)| member.has_holes()),
            Value::Cut => true,
        }
    }

    /// The value at the end of `steps`: at each list or map, the number of the item or member.
    fn descend(&mut self, steps: &[usize]) -> Option<&mut Self> {
        steps.iter().try_fold(self, |node, step| match &mut node.value {
            Value::List(items) => items.get_mut(*step),
            Value::Map(members) => members.get_mut(*step).map(|(_, member)| member),
            Value::Scalar(_) | Value::Cut => None,
        })
    }
}
