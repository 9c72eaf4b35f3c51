//! Containers of which only the key stays, with a marker of their size.

use super::index::Type;
use super::open::Open;
use super::plan::{Keep, Plan};
use super::shape::Children;

impl Plan<'_, '_> {
    /// Keeps the key of a container, if nothing of what is in it is kept yet.
    pub(super) fn collapse(&mut self, id: u32) -> bool {
        let Open { node, parent, ordinal, kept, .. } = self.opens[id as usize];
        if kept {
            return true;
        }
        let cost = self.collapsed_cost(node);
        if let Some((child, at)) = self.shorter_than(id, 2 * cost)
            && self.add(child, id, at, Keep::Whole, self.ground.meter.cost(self.ground.index.lexeme(child).as_bytes()))
        {
            return true;
        }
        let done = self.add(node, parent, ordinal, Keep::Collapsed, cost);
        self.opens[id as usize].collapsed = done;
        done
    }

    /// The field of a container that is worth most of those that cost no more than `limit` with the brackets around: it says more than a size.
    fn shorter_than(&self, id: u32, limit: usize) -> Option<(u32, u32)> {
        const FIELDS: usize = 16;
        let Open { node, shape, how, .. } = self.opens[id as usize];
        let (index, meter) = (self.ground.index, self.ground.meter);
        let around = self.empty_cost(id) + self.costs.comma;
        let short = |&(_, child): &(usize, u32)| {
            let key = index.nodes[child as usize].key;
            let scalar = !matches!(index.kind(child), Type::Object | Type::Array);
            let told = !matches!(index.lexeme(child), "null" | "\"\"");
            how == Children::Fields
                && scalar
                && told
                && around + meter.cost(index.key(key).as_bytes()) + self.costs.colon + meter.cost(index.lexeme(child).as_bytes()) <= limit
        };
        let worth = |&(position, child): &(usize, u32)| {
            self.ground.weights[self.ground.shapes.child(index, shape, how, child, position as u32) as usize]
        };
        let fields = index.children(node).take(FIELDS).enumerate().filter(short);
        fields.max_by(|a, b| worth(a).total_cmp(&worth(b)).then(b.0.cmp(&a.0))).map(|(position, child)| (child, position as u32))
    }

    /// Takes a collapsed container back, so that it can be kept open.
    pub(super) fn uncollapse(&mut self, id: u32) {
        let Open { node, parent, ordinal, .. } = self.opens[id as usize];
        let around = &mut self.opens[parent as usize];
        around.kept_children -= 1;
        if around.how != Children::Fields {
            around.bits[ordinal as usize / 64] &= !(1 << (ordinal % 64));
        }
        self.opens[id as usize].collapsed = false;
        self.kept.remove(&node);
        let entry = self.entry_cost(node, parent, ordinal);
        self.used = self.used.saturating_sub(self.collapsed_cost(node)).saturating_add_signed(-entry);
    }
}
