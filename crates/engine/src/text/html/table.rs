//! Tables as rows of cells between pipes. A table in a cell makes the outer one layout, which has no rows.

/// One open table.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Table {
    /// Cells of the present row.
    cells: usize,
    /// The header has been written.
    headed: bool,
    /// It holds a table itself, or is said to be for looks only.
    layout: bool,
    in_cell: bool,
}

/// The tables that are open, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Tables {
    open: Vec<Table>,
}

/// What a cell begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    /// A line of its own.
    Block,
    First,
    Next,
}

impl Tables {
    /// Whether text goes into a cell now.
    pub(super) fn in_cell(&self) -> bool {
        self.open.last().is_some_and(|t| t.in_cell && !t.layout)
    }

    /// Opens a table; says whether it stands in a cell, which is none any more.
    pub(super) fn open(&mut self, layout: bool) -> bool {
        let inside = self.in_cell();
        if let Some(outer) = self.open.last_mut() {
            outer.layout = true;
        }
        self.open.push(Table { layout, ..Table::default() });
        inside
    }

    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// Begins a row; the row before it may not have been closed.
    pub(super) fn row(&mut self) -> Option<String> {
        let ended = self.end_row();
        if let Some(table) = self.open.last_mut() {
            table.cells = 0;
        }
        ended
    }

    pub(super) fn cell(&mut self) -> Cell {
        match self.open.last_mut() {
            Some(table) if !table.layout => {
                table.cells += 1;
                table.in_cell = true;
                if table.cells == 1 { Cell::First } else { Cell::Next }
            }
            _ => Cell::Block,
        }
    }

    /// Ends a row: what is written after it (the end of the last cell, and the line under the header).
    pub(super) fn end_row(&mut self) -> Option<String> {
        let table = self.open.last_mut().filter(|t| t.in_cell && !t.layout)?;
        table.in_cell = false;
        let mut end = String::from(" |");
        if !std::mem::replace(&mut table.headed, true) {
            end.push_str("\n|");
            for _ in 0..table.cells.min(200) {
                end.push_str("---|");
            }
        }
        Some(end)
    }
}
