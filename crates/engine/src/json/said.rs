//! What was said already: the same value of a record under another name, or the same short list in another record, tells nothing new, so it waits
//! for what does.

use xxhash_rust::xxh3::xxh3_64;

use super::ids::IdSet;
use super::index::{NO_KEY, Type};
use super::plan::{NAMED, NONE, Plan};
use super::queue::{Tier, What};

/// A value that its record has said already is worth so much.
const AGAIN: f32 = 0.25;
/// A list that another record has said, as much as a scalar that all records have.
const LISTED: f32 = 0.12;
/// Shorter values, quotes included, are the same by chance: states, small numbers.
const TEXT: usize = 6;
const NUMBER: usize = 5;

/// The values that were kept, and those that wait since they are the same.
#[derive(Debug, Default)]
pub(super) struct Said {
    values: IdSet<u64>,
    waiting: IdSet,
}

impl Plan<'_, '_> {
    /// Puts a value that was said already back to where it is worth less, once.
    pub(super) fn said_already(&mut self, priority: f32, what: What) -> bool {
        let What::Value { node, open, shape, .. } = what else { return false };
        // What names a record is said whatever else says it.
        if priority >= NAMED || self.said.values.is_empty() {
            return false;
        }
        let said = self.told(node, open, shape).is_some_and(|told| self.said.values.contains(&told)) && self.said.waiting.insert(node);
        if said {
            let again = if self.ground.index.kind(node) == Type::Array { LISTED } else { AGAIN };
            self.queue.push(Tier::Common, priority * again, what);
        }
        said
    }

    /// Remembers what is said.
    pub(super) fn say(&mut self, node: u32, open: u32, shape: u32) {
        self.said.values.extend(self.told(node, open, shape));
    }

    /// What a value tells of its record, of all that is in no list, or, a list, of its path; nothing, if it is short.
    fn told(&self, node: u32, open: u32, shape: u32) -> Option<u64> {
        let index = self.ground.index;
        let lexeme = index.lexeme(node);
        let long = match index.kind(node) {
            Type::String => TEXT,
            Type::Number => NUMBER,
            // Statistics know which scalars repeat from record to record, not which short lists do.
            Type::Array if self.opens[open as usize].list != NONE && index.nodes[node as usize].key != NO_KEY && self.atomic(node) => {
                return Some(xxh3_64(lexeme.as_bytes()) ^ !u64::from(shape));
            }
            _ => return None,
        };
        let record = u64::from(self.opens[open as usize].record);
        (lexeme.len() >= long).then(|| xxh3_64(lexeme.as_bytes()) ^ record << 32)
    }
}
