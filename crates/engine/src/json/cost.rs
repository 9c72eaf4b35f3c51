//! What keeping a value costs: exact, brackets, keys, commas, white space and markers included.

use super::index::NO_KEY;
use super::open::Open;
use super::plan::{NONE, Plan};
use super::shape::Children;

impl Plan<'_, '_> {
    pub(super) fn collapsed_cost(&self, node: u32) -> usize {
        let size = self.ground.index.nodes[node as usize].end - self.ground.index.nodes[node as usize].start;
        self.ground.meter.cost(self.ground.marks.chars(size as usize).as_bytes()) + self.costs.brackets
    }

    /// What it costs to let a container and those around it stand in the output.
    pub(super) fn cost_of_opening(&self, mut open: u32) -> usize {
        let mut cost = 0usize;
        while open != NONE && !self.opens[open as usize].kept {
            let o = &self.opens[open as usize];
            cost += self.empty_cost(open);
            if o.collapsed {
                cost = cost.saturating_sub(self.collapsed_cost(o.node));
            } else if o.parent != NONE {
                cost = cost.saturating_add_signed(self.entry_cost(o.node, o.parent, o.ordinal));
            }
            open = o.parent;
        }
        cost
    }

    /// A container with nothing kept in it: brackets less one comma, and the marker that says so.
    pub(super) fn empty_cost(&self, open: u32) -> usize {
        let index = self.ground.index;
        let o = &self.opens[open as usize];
        let outermost = o.list == open;
        if index.stream && o.parent == NONE {
            // No brackets: an entry's line feed, one too many, and the marker lines.
            return o.marker + self.costs.list;
        }
        let marker = if o.object {
            if o.list == NONE || o.how == Children::Elements { o.marker + self.costs.comma + self.entry_space(open) } else { 0 }
        } else {
            o.marker + self.costs.comma + self.entry_space(open)
        };
        let named = if outermost { self.costs.list } else { 0 };
        self.costs.brackets + self.closing_space(open) - self.costs.comma + marker + named
    }

    /// A marker at its widest: all children omitted.
    pub(super) fn marker_cost(&mut self, open: &Open) -> usize {
        let kind = u32::from(open.object) << 1 | u32::from(self.ground.index.stream && open.parent == NONE);
        if let Some(&cost) = self.markers.get(&(kind, open.children)) {
            return cost;
        }
        let (marks, count) = (self.ground.marks, open.children.max(10) as usize);
        let marker = match (open.object, self.ground.index.stream && open.parent == NONE) {
            (true, _) => marks.keys(count, ""),
            (false, true) => marks.lines(count, ""),
            (false, false) => marks.items(count),
        };
        let cost = self.ground.meter.cost(marker.as_bytes());
        self.markers.insert((kind, open.children), cost);
        cost
    }

    /// What an entry adds to its container besides itself: key, colon, comma, and the change in markers.
    pub(super) fn entry_cost(&self, node: u32, open: u32, ordinal: u32) -> isize {
        let index = self.ground.index;
        let o = &self.opens[open as usize];
        let key = index.nodes[node as usize].key;
        let mut cost = (self.costs.comma + self.entry_space(open)) as isize;
        if key != NO_KEY {
            cost += (self.ground.meter.cost(index.key(key).as_bytes()) + self.costs.colon) as isize;
        }
        if o.object {
            let marked = o.list == NONE || o.how == Children::Elements;
            if marked && o.kept && o.kept_children + 1 == o.children {
                cost -= (o.marker + self.costs.comma + self.entry_space(open)) as isize;
            }
        } else {
            let gaps = match (o.has(i64::from(ordinal) - 1), o.has(i64::from(ordinal) + 1)) {
                (true, true) => -1,
                (false, false) => 1,
                _ => 0,
            };
            cost += gaps * (o.marker + self.costs.comma + self.entry_space(open)) as isize;
        }
        cost
    }

    /// How many containers are around the children of one: kept with each, since counting them anew is quadratic in deep texts.
    pub(super) fn depth(&self, open: u32) -> usize {
        self.opens.get(open as usize).map_or(0, |o| o.depth)
    }

    pub(super) fn entry_space(&self, open: u32) -> usize {
        let space = self.ground.space;
        let newline = self.ground.meter.byte(b'\n');
        if space.indent > 0 {
            newline + self.ground.meter.byte(b' ') * space.indent * self.depth(open)
        } else if space.lines && self.opens[open as usize].list == open {
            newline
        } else {
            0
        }
    }

    pub(super) fn closing_space(&self, open: u32) -> usize {
        let space = self.ground.space;
        let newline = self.ground.meter.byte(b'\n');
        if space.indent > 0 {
            newline + self.ground.meter.byte(b' ') * space.indent * (self.depth(open) - 1)
        } else if space.lines && self.opens[open as usize].list == open {
            newline
        } else {
            0
        }
    }
}
