//! Opens a CSV table and reads its rows.

use crate::query::Token;

use super::cell::Spelling;
use super::column::{Column, SheetColumn, listed};
use super::encoding::{Encoding, Text};
use super::error::{RowFault, SheetError};
use super::mapping::ColumnMapping;
use super::row::{RawCells, RowRules, SheetRow};
use super::separator::Separator;
use super::tokens::{Tokenised, Tokens};
use super::top::{self, Top};

/// A table of payments in a CSV file.
///
/// It stores only the header; rows are read one at a time from the bytes of the file.
#[derive(Clone, Debug)]
pub struct Sheet<'a> {
    encoding: Encoding,
    separator: Separator,
    /// Column of each cell in a row; `None` if the cell is ignored.
    layout: Vec<Option<Column>>,
    /// The columns to list in a response.
    columns: Vec<SheetColumn>,
    /// Reader positioned after the header.
    tokens: Tokens<'a>,
}

impl<'a> Sheet<'a> {
    /// Detects a file's encoding, separator and header.
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
        let Top { columns, rows } = top::read(tokens, separator, mapping)?;
        Ok(Self {
            encoding,
            separator,
            layout: columns.iter().map(|place| place.column).collect(),
            columns: listed(columns),
            tokens: rows,
        })
    }

    /// The detected encoding.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The detected separator.
    pub fn separator(&self) -> Separator {
        self.separator
    }

    /// The columns in file order: all that are used, and the first of the ignored ones.
    pub fn columns(&self) -> &[SheetColumn] {
        &self.columns
    }

    /// Iterates over the rows in file order.
    pub fn rows<'s>(&'s self, rules: RowRules<'s>) -> SheetRows<'s> {
        SheetRows {
            sheet: self,
            tokens: self.tokens.clone(),
            rules,
        }
    }

    /// Column of each cell in a row; `None` if the cell is ignored.
    pub(super) fn layout(&self) -> &[Option<Column>] {
        &self.layout
    }

    /// The cells of the rows that can be read.
    pub(super) fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        let mut tokens = self.tokens.clone();
        let rows = std::iter::from_fn(move || tokens.next(self.separator));
        rows.filter_map(|row| row.cells.ok())
    }

    fn read(&self, row: Tokenised, rules: RowRules<'_>) -> SheetRow {
        let line = row.line;
        let cells = match row.cells {
            Ok(cells) => cells,
            Err(fault) => return SheetRow::unreadable(line, fault),
        };
        let used = cells.iter().rposition(|cell| !cell.trim().is_empty());
        let used = used.map_or(0, |last| last + 1);
        let columns = self.layout.len();
        if used > columns {
            let cells = used;
            return SheetRow::unreadable(line, RowFault::MoreCells { cells, columns });
        }
        let mut raw = RawCells::default();
        for (place, cell) in self.layout.iter().zip(cells) {
            if let Some(column) = place {
                *raw.get_mut(*column) = Token::Text(cell.into());
            }
        }
        SheetRow::of_cells(line, raw, Spelling::People, rules)
    }
}

/// Iterator over the rows of a [`Sheet`].
#[derive(Clone, Debug)]
pub struct SheetRows<'a> {
    sheet: &'a Sheet<'a>,
    tokens: Tokens<'a>,
    rules: RowRules<'a>,
}

impl Iterator for SheetRows<'_> {
    type Item = SheetRow;

    fn next(&mut self) -> Option<SheetRow> {
        let row = self.tokens.next(self.sheet.separator)?;
        Some(self.sheet.read(row, self.rules))
    }
}

/// Returns `true` for workbooks (ZIP, or the older compound file), PDFs, and any file with a NUL byte,
/// which text in these encodings doesn't have.
fn is_binary(file: &[u8], encoding: Encoding) -> bool {
    let signatures: [&[u8]; 3] = [b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF-"];
    let is_wide = matches!(encoding, Encoding::Utf16Le | Encoding::Utf16Be);
    signatures.iter().any(|it| file.starts_with(it)) || (!is_wide && file.contains(&0))
}
