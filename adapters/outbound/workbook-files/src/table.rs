//! Cells on their way from a file to the rows of a sheet, counted.

use std::collections::HashSet;
use std::mem;

use calamine::Sheet;
use domain::batches::sheet::{WorkbookCell, WorkbookError, WorkbookRow};
use ports::outbound::Workbook;

/// Maximum number of cells of a workbook that are kept; empty ones aren't.
const CELLS: usize = 500_000;
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

/// The cells of a sheet with their rows and columns, both from 0, in whatever order they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells(Vec<(u32, u32, WorkbookCell)>);

impl Cells {
    /// Keeps a cell.
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
        let column = u32::try_from(column).map_err(|_| WorkbookError::Unreadable)?;
        self.0.push((row, column, cell));
        Ok(())
    }

    /// The rows in ascending order.
    ///
    /// # Errors
    /// [`WorkbookError::Unreadable`] if there are several cells at one place: programs would show one or another.
    pub(crate) fn into_rows(self) -> Result<Vec<WorkbookRow>, WorkbookError> {
        let Self(mut cells) = self;
        cells.sort_by_key(|(row, column, _)| (*row, *column));
        let mut rows: Vec<WorkbookRow> = Vec::new();
        for (row, column, cell) in cells {
            let (number, column) = (row.saturating_add(1), column as usize);
            if rows.last().is_none_or(|row| row.number != number) {
                let cells = Vec::with_capacity(1);
                rows.push(WorkbookRow { number, cells });
            }
            let Some(WorkbookRow { cells, .. }) = rows.last_mut() else {
                continue;
            };
            if cells.last().is_some_and(|(last, _)| *last == column) {
                return Err(WorkbookError::Unreadable);
            }
            cells.push((column, cell));
        }
        Ok(rows)
    }
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
