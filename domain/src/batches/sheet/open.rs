//! Opens a CSV table and reads its rows.

use crate::query::Token;

use super::cell::Spelling;
use super::column::{Column, SheetColumn, listed};
use super::corrections::{Correction, Corrector};
use super::encoding::{Encoding, Text};
use super::error::{RowFault, SheetError};
use super::mapping::ColumnMapping;
use super::own::{self, OwnColumn};
use super::passed_over::{PassedOver, is_total};
use super::row::{RawCells, RowRules, SheetRow};
use super::rows::Rows;
use super::separator::Separator;
use super::statement;
use super::tokens::{Tokenised, Tokens};
use super::top::{self, Top};
use super::workbook::WorkbookRow;

/// Maximum number of rows that are passed over.
const MAX_PASSED_OVER: usize = 100_000;

/// A table of payments in a CSV file or in a sheet of a workbook.
///
/// It stores only the header; rows are read one at a time.
#[derive(Clone, Debug)]
pub struct Sheet<'a> {
    /// Column of each cell in a row; `None` if the cell is ignored.
    layout: Vec<Option<Column>>,
    /// The columns to list in a response.
    columns: Vec<SheetColumn>,
    /// The caller's own columns, whose cells are kept, with their indexes.
    own: Vec<(usize, OwnColumn)>,
    /// Reader positioned after the header.
    rows: Rows<'a>,
}

impl<'a> Sheet<'a> {
    /// Detects encoding, separator and header of a CSV file.
    ///
    /// The header is the first of the leading rows with the most known columns; what stands above it, such as a
    /// title, is skipped. Without any, the first row that isn't blank is the header. The header may be missing
    /// if `mapping` gives every required column by its number; in that case, the table begins with the first
    /// row that has a date.
    ///
    /// # Errors
    /// See [`SheetError`].
    pub fn open(file: &'a [u8], mapping: &ColumnMapping) -> Result<Self, SheetError> {
        let (text, encoding) = Text::of(file);
        if is_binary(file, encoding) {
            return Err(SheetError::NotText);
        }
        let mut tokens = Tokens::new(text);
        let mut after = tokens.clone();
        let declared = after
            .line()
            .and_then(|line| Separator::of_declaration(&line));
        if declared.is_some() {
            tokens = after;
        }
        let separator = declared.unwrap_or_else(|| top::separator(&tokens, mapping));
        Self::of(Rows::Csv { tokens, separator }, mapping)
    }

    /// Finds the header of a sheet of a workbook, like that of a file.
    ///
    /// # Errors
    /// See [`SheetError`].
    pub fn of_workbook(
        rows: &'a [WorkbookRow],
        mapping: &ColumnMapping,
    ) -> Result<Self, SheetError> {
        Self::of(Rows::Workbook { rows, blank: 0 }, mapping)
    }

    fn of(table: Rows<'a>, mapping: &ColumnMapping) -> Result<Self, SheetError> {
        let Top { columns, rows } = top::read(table, mapping)?;
        Ok(Self {
            layout: columns.iter().map(|place| place.column).collect(),
            own: own::own_columns(&columns),
            columns: listed(columns),
            rows,
        })
    }

    /// The columns in file order: all that are used, and the first of the ignored ones.
    pub fn columns(&self) -> &[SheetColumn] {
        &self.columns
    }

    /// Iterates over the rows in file order.
    pub fn rows<'s>(&'s self, rules: RowRules<'s>) -> SheetRows<'s> {
        SheetRows {
            sheet: self,
            rest: self.rows.clone(),
            rules,
            corrector: Corrector::default(),
            added: Vec::new(),
            passed_over: Vec::new(),
        }
    }

    /// The separator of a CSV file.
    #[cfg(test)]
    pub(super) fn separator(&self) -> Option<Separator> {
        match self.rows {
            Rows::Csv { separator, .. } => Some(separator),
            Rows::Workbook { .. } => None,
        }
    }

    /// Column of each cell in a row; `None` if the cell is ignored.
    pub(super) fn layout(&self) -> &[Option<Column>] {
        &self.layout
    }

    /// Returns `true` if there is a row after the header.
    pub(super) fn has_rows(&self) -> bool {
        self.rows.clone().next().is_some()
    }

    /// The cells of the rows that can be read.
    pub(super) fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        let mut rows = self.rows.clone();
        let rows = std::iter::from_fn(move || rows.next());
        rows.filter_map(|row| row.cells.ok())
    }

    fn read(
        &self,
        line: u64,
        cells: Vec<String>,
        rules: RowRules<'_>,
        (corrector, added): (&mut Corrector<'_>, &[Column]),
    ) -> Result<SheetRow, PassedOver> {
        if is_total(&cells, &self.layout) {
            return Err(PassedOver::Total);
        }
        let used = cells.iter().rposition(|cell| !cell.trim().is_empty());
        let used = used.map_or(0, |last| last + 1);
        let columns = self.layout.len();
        if used > columns && self.rows.splits_values() {
            let cells = used;
            return Ok(SheetRow::unreadable(
                line,
                RowFault::MoreCells { cells, columns },
            ));
        }
        let mut own = cells.clone();
        own.truncate(columns);
        let mut raw = RawCells::default();
        for (place, cell) in self.layout.iter().zip(cells) {
            if let Some(column) = place {
                *raw.get_mut(*column) = Token::Text(cell.into());
            }
        }
        let is_called_answered = statement::is_answered(&raw);
        let is_statement = self.layout.contains(&Some(Column::Text));
        if is_statement && !statement::fill(&mut raw) {
            return Err(PassedOver::NoPayment);
        }
        statement::fill_amount(&mut raw);
        for (column, value) in corrector.apply(line, &mut raw) {
            let place = self.layout.iter().position(|it| *it == Some(column));
            let of_added = || Some(columns + added.iter().position(|it| *it == column)?);
            if let Some(place) = place.or_else(of_added) {
                own.resize(own.len().max(place + 1), String::new());
                own[place] = value;
            }
        }
        let indexes = self.own.iter();
        let indexes = indexes.map(|(index, own)| (*index, own.column.is_some()));
        let added = (columns..columns + added.len()).map(|index| (index, true));
        let own = own::kept(&own, indexes.chain(added));
        let mut row = SheetRow::of_cells(line, raw, Spelling::People, rules);
        row.cells = own;
        row.is_called_answered = is_called_answered;
        Ok(row)
    }
}

/// Iterator over the rows of a [`Sheet`] that ask for a payment.
#[derive(Clone, Debug)]
pub struct SheetRows<'a> {
    sheet: &'a Sheet<'a>,
    rest: Rows<'a>,
    rules: RowRules<'a>,
    corrector: Corrector<'a>,
    /// Columns that the table lacks and that are corrected.
    added: Vec<Column>,
    passed_over: Vec<(u64, PassedOver)>,
}

impl<'a> SheetRows<'a> {
    /// Corrects the rows that are still to be read.
    #[must_use]
    pub fn corrected_by(self, corrections: &'a [Correction]) -> Self {
        let is_added = |column: &Column| {
            let mut corrected = corrections.iter().map(|correction| correction.column);
            !self.sheet.layout.contains(&Some(*column)) && corrected.any(|it| it == *column)
        };
        Self {
            corrector: Corrector::new(corrections),
            added: Column::ALL.into_iter().filter(is_added).collect(),
            ..self
        }
    }

    /// The columns of [`SheetRow::cells`].
    pub fn own_columns(&self) -> Vec<OwnColumn> {
        let own = self.sheet.own.iter().map(|(_, column)| column.clone());
        own.chain(self.added.iter().map(|column| OwnColumn::of_field(*column)))
            .collect()
    }

    /// The corrections of the rows so far.
    pub fn corrector(&self) -> &Corrector<'a> {
        &self.corrector
    }

    /// Lines that were passed over so far, with the reason.
    pub fn passed_over(&self) -> &[(u64, PassedOver)] {
        &self.passed_over
    }
}

impl Iterator for SheetRows<'_> {
    type Item = SheetRow;

    fn next(&mut self) -> Option<SheetRow> {
        loop {
            let Tokenised { line, cells } = self.rest.next()?;
            let cells = match cells {
                Ok(cells) => cells,
                Err(fault) => return Some(SheetRow::unreadable(line, fault)),
            };
            let corrections = (&mut self.corrector, &*self.added);
            match self.sheet.read(line, cells, self.rules, corrections) {
                Ok(row) => return Some(row),
                Err(reason) if self.passed_over.len() < MAX_PASSED_OVER => {
                    self.passed_over.push((line, reason));
                }
                // From here on they count as rows, like blank ones.
                Err(_) => {
                    let nothing = RawCells::default();
                    let row = SheetRow::of_cells(line, nothing, Spelling::People, self.rules);
                    return Some(row);
                }
            }
        }
    }
}

/// Returns `true` for a ZIP, the compound file of older programs, a PDF, a mail or archived page, and any file with a NUL byte, which
/// text in these encodings doesn't have.
fn is_binary(file: &[u8], encoding: Encoding) -> bool {
    let signatures: [&[u8]; 4] = [
        b"PK\x03\x04",
        b"\xd0\xcf\x11\xe0",
        b"%PDF-",
        b"MIME-Version",
    ];
    let is_wide = matches!(encoding, Encoding::Utf16Le | Encoding::Utf16Be);
    signatures.iter().any(|it| file.starts_with(it)) || (!is_wide && file.contains(&0))
}
