//! What a record has said already: the same value under another name tells nothing new, so it waits for what does.

use xxhash_rust::xxh3::xxh3_64;

use super::ids::IdSet;
use super::index::Type;
use super::plan::{NAMED, Plan};
use super::queue::{Tier, What};

/// A value that its record has said already is worth so much.
const AGAIN: f32 = 0.25;
/// Shorter values, quotes included, are the same by chance: states, small numbers.
const TEXT: usize = 6;
const NUMBER: usize = 5;

/// The values of each record that were kept, and those that wait since they are the same.
#[derive(Debug, Default)]
pub(super) struct Said {
    values: IdSet<u64>,
    waiting: IdSet,
}

impl Plan<'_, '_> {
    /// Puts a value that its record has said already back to where it is worth less, once.
    pub(super) fn said_already(&mut self, priority: f32, what: What) -> bool {
        let What::Value { node, open, .. } = what else { return false };
        // What names a record is said whatever else says it.
        if priority >= NAMED || self.said.values.is_empty() {
            return false;
        }
        let again = self.told(node, open).is_some_and(|told| self.said.values.contains(&told)) && self.said.waiting.insert(node);
        if again {
            self.queue.push(Tier::Common, priority * AGAIN, what);
        }
        again
    }

    /// Remembers what a record says.
    pub(super) fn say(&mut self, node: u32, open: u32) {
        self.said.values.extend(self.told(node, open));
    }

    /// What a value tells of its record, or of all that is in no list; nothing, if it is short.
    fn told(&self, node: u32, open: u32) -> Option<u64> {
        let index = self.ground.index;
        let long = match index.kind(node) {
            Type::String => TEXT,
            Type::Number => NUMBER,
            _ => return None,
        };
        let lexeme = index.lexeme(node);
        let record = u64::from(self.opens[open as usize].record);
        (lexeme.len() >= long).then(|| xxh3_64(lexeme.as_bytes()) ^ record << 32)
    }
}
