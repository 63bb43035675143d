//! Rows of a table as texts, whatever its format.

use super::bounds::MAX_BLANK_ROWS;
use super::separator::Separator;
use super::tokens::{Tokenised, Tokens};
use super::workbook::WorkbookRow;

/// Reads the rows of a CSV file or of a sheet of a workbook, but for blank ones.
#[derive(Clone, Debug)]
pub(super) enum Rows<'a> {
    Csv {
        tokens: Tokens<'a>,
        separator: Separator,
    },
    Workbook {
        rows: &'a [WorkbookRow],
        /// Number of blank rows that were skipped.
        blank: u32,
    },
}

impl Rows<'_> {
    /// A table without rows.
    pub(super) fn none() -> Self {
        Self::Workbook {
            rows: &[],
            blank: 0,
        }
    }

    /// Reads the next row that isn't blank. After [`MAX_BLANK_ROWS`], blank rows are returned too, so that they
    /// count.
    pub(super) fn next(&mut self) -> Option<Tokenised> {
        match self {
            Self::Csv { tokens, separator } => tokens.next(*separator),
            Self::Workbook { rows, blank } => loop {
                let (row, rest) = rows.split_first()?;
                *rows = rest;
                if !row.is_blank() || *blank >= MAX_BLANK_ROWS {
                    let line = row.number.into();
                    let cells = row.texts();
                    return Some(Tokenised { line, cells });
                }
                *blank += 1;
            },
        }
    }

    /// Returns `true` if a separator within a value splits it, so that the row has more cells than the header.
    pub(super) fn splits_values(&self) -> bool {
        matches!(self, Self::Csv { .. })
    }
}
