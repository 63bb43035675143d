//! Cells on their way from a file to the rows of a sheet, counted.

use std::collections::HashSet;
use std::mem;

use calamine::Sheet;
use domain::batches::MAX_ROWS;
use domain::batches::sheet::{WorkbookCell, WorkbookError, WorkbookRow};
use ports::outbound::Workbook;

/// Maximum number of cells of a workbook that are kept; empty ones aren't.
const CELLS: usize = 500_000;
/// Maximum number of rows with cells of a sheet: twice as many as a batch may have.
const ROWS: usize = 2 * MAX_ROWS as usize;
/// Maximum number of sheets.
const SHEETS: usize = 1_000;
/// Maximum bytes of the text of a cell. Excel keeps 32,767 characters.
pub(crate) const CELL: usize = 256 << 10;
/// Maximum bytes of the texts of all cells.
const TEXTS: usize = 32 << 20;

/// What is left of the bounds of a workbook.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    cells: usize,
    texts: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            cells: CELLS,
            texts: TEXTS,
        }
    }
}

/// The cells of a sheet, in whatever order they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    /// Those that came in the order of rows and columns, as programs write them.
    rows: Vec<WorkbookRow>,
    /// The others, with their rows from 1.
    others: Vec<(u32, usize, WorkbookCell)>,
}

impl Cells {
    /// Keeps a cell, whose row and column are numbered from 0.
    ///
    /// # Errors
    /// [`WorkbookError::TooLarge`] if there is no room left.
    pub(crate) fn put(
        &mut self,
        (row, column): (u32, usize),
        cell: WorkbookCell,
        room: &mut Room,
    ) -> Result<(), WorkbookError> {
        let text = match &cell {
            WorkbookCell::Text(text) => text.len(),
            WorkbookCell::Number(_) | WorkbookCell::Date(_) => 0,
        };
        let cells = room.cells.checked_sub(1);
        let texts = room.texts.checked_sub(text);
        room.cells = cells.ok_or(WorkbookError::TooLarge)?;
        room.texts = texts.ok_or(WorkbookError::TooLarge)?;
        let number = row.saturating_add(1);
        let has_room = self.rows.len() < ROWS;
        let last = self.rows.last_mut();
        let last = last.map(|row| (row.number, row.cells.last().map(|(column, _)| *column), row));
        match last {
            Some((last, last_column, row)) if last == number && last_column < Some(column) => {
                row.cells.push((column, cell));
            }
            Some((last, ..)) if last >= number => self.others.push((number, column, cell)),
            _ if has_room => self.rows.push(begun(number, column, cell)),
            _ => return Err(WorkbookError::TooLarge),
        }
        Ok(())
    }

    /// The rows in ascending order.
    ///
    /// # Errors
    /// [`WorkbookError::Unreadable`] if there are several cells at one place: programs would show one or another.
    pub(crate) fn into_rows(self) -> Result<Vec<WorkbookRow>, WorkbookError> {
        let Self { rows, mut others } = self;
        if others.is_empty() {
            return Ok(rows);
        }
        for WorkbookRow { number, cells } in rows {
            let cells = cells.into_iter();
            others.extend(cells.map(|(column, cell)| (number, column, cell)));
        }
        others.sort_by_key(|(number, column, _)| (*number, *column));
        let mut rows: Vec<WorkbookRow> = Vec::new();
        for (number, column, cell) in others {
            match rows.last_mut() {
                Some(row) if row.number == number => {
                    if row.cells.last().is_some_and(|(last, _)| *last == column) {
                        return Err(WorkbookError::Unreadable);
                    }
                    row.cells.push((column, cell));
                }
                _ => rows.push(begun(number, column, cell)),
            }
        }
        Ok(rows)
    }
}

/// A row of one cell.
fn begun(number: u32, column: usize, cell: WorkbookCell) -> WorkbookRow {
    let cells = vec![(column, cell)];
    WorkbookRow { number, cells }
}

/// Checks the names by which `calamine` finds sheets.
///
/// # Errors
/// [`WorkbookError::Unreadable`] if two sheets have the same name: the other one would be read.
pub(crate) fn check_names(sheets: &[Sheet]) -> Result<(), WorkbookError> {
    let mut names = HashSet::new();
    let are_unique = sheets.iter().all(|sheet| names.insert(&sheet.name));
    are_unique.then_some(()).ok_or(WorkbookError::Unreadable)
}

/// A workbook of which all sheets have been read.
#[derive(Debug, Default)]
pub(crate) struct ReadSheets {
    names: Vec<String>,
    rows: Vec<Vec<WorkbookRow>>,
}

impl ReadSheets {
    pub(crate) fn push(&mut self, name: String, cells: Cells) -> Result<(), WorkbookError> {
        if self.names.len() >= SHEETS {
            return Err(WorkbookError::TooLarge);
        }
        self.names.push(name);
        self.rows.push(cells.into_rows()?);
        Ok(())
    }
}

impl Workbook for ReadSheets {
    fn sheets(&self) -> &[String] {
        &self.names
    }

    fn rows(&mut self, sheet: usize) -> Result<Vec<WorkbookRow>, WorkbookError> {
        Ok(self.rows.get_mut(sheet).map(mem::take).unwrap_or_default())
    }
}
