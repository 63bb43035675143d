//! Cells of a workbook.

use std::borrow::Cow;

use chrono::NaiveDate;

use super::bounds::MAX_ROW_LENGTH;
use super::error::{RowFault, SheetError};

/// Decimal digits that spreadsheets keep of a number, and show.
const DIGITS: usize = 15;
/// Least number that has more digits than are kept, and least one of which a fraction isn't kept to its cents.
const TOO_LONG: f64 = 1e15;
const TOO_LONG_WITH_CENTS: f64 = 1e13;

/// A row of a sheet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkbookRow {
    /// Number of the row, from 1, as programs show it.
    pub number: u32,
    /// The cells that aren't empty, in ascending order of their columns, which are numbered from 0.
    pub cells: Vec<(usize, WorkbookCell)>,
}

/// A value of a cell. A formula counts as the value that the program stored with it.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkbookCell {
    /// A text, or the text of an error such as `#N/A`.
    Text(String),
    /// A number. Digits after the 15th are lost.
    Number(f64),
    /// A date, without its time of day.
    Date(NaiveDate),
}

/// Reason why a workbook can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkbookError {
    /// The file is cut off, or isn't what it seems to be.
    #[error("the workbook can't be read")]
    Unreadable,
    /// It needs a password.
    #[error("the workbook is encrypted")]
    Encrypted,
    /// It holds more, once it is inflated, than is read.
    #[error("the workbook is too large once it is inflated")]
    TooLarge,
    /// It has no sheet of the wanted name.
    #[error("the workbook has no sheet {wanted:?}")]
    NoSuchSheet {
        /// The wanted name, shortened to a maximum length.
        wanted: String,
        /// Names of its sheets, at most a fixed number, each shortened.
        sheets: Vec<String>,
    },
    /// None of its sheets holds the table.
    #[error("{error}")]
    Sheet {
        /// Error of the one that lacks the fewest columns.
        error: SheetError,
        /// Names of its sheets, at most a fixed number, each shortened.
        sheets: Vec<String>,
    },
}

/// Returns `true` for a file in the formats of workbooks: a ZIP, an older compound file, or a web page, as which
/// banks offer tables named `.xls`.
pub fn is_workbook(file: &[u8]) -> bool {
    let containers: [&[u8]; 2] = [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"];
    containers.iter().any(|it| file.starts_with(it)) || is_page(file)
}

/// Returns `true` for a web page with a table near its start.
pub fn is_page(file: &[u8]) -> bool {
    const SEARCHED: usize = 4_096;
    let file = file
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(file)
        .trim_ascii_start();
    let start = file[..file.len().min(SEARCHED)].to_ascii_lowercase();
    let has = |tag: &[u8]| start.windows(tag.len()).any(|window| window == tag);
    start.starts_with(b"<") && (has(b"<table") || has(b"<html"))
}

impl WorkbookRow {
    /// The texts of all cells up to the last one.
    pub(super) fn texts(&self) -> Result<Vec<String>, RowFault> {
        let mut texts = Vec::new();
        let mut length = 0;
        for (column, cell) in &self.cells {
            let text = cell.text();
            length += text.len();
            if length > MAX_ROW_LENGTH || *column >= MAX_ROW_LENGTH {
                return Err(RowFault::TooLong);
            }
            texts.resize(texts.len().max(column + 1), String::new());
            texts[*column] = text.into_owned();
        }
        Ok(texts)
    }

    pub(super) fn is_blank(&self) -> bool {
        let is_blank =
            |cell: &WorkbookCell| matches!(cell, WorkbookCell::Text(it) if it.trim().is_empty());
        self.cells.iter().all(|(_, cell)| is_blank(cell))
    }
}

impl WorkbookCell {
    /// The value as a spreadsheet writes it into a CSV file: digits of a text with the mark that keeps them, and a
    /// long number with the digits that are left.
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => {
                let digits = text.trim();
                let is_number = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
                if is_number {
                    format!("'{digits}").into()
                } else {
                    text.into()
                }
            }
            Self::Number(number) => shown(*number).into(),
            Self::Date(date) => date.to_string().into(),
        }
    }
}

fn shown(number: f64) -> String {
    let has_cents = number.fract() != 0.0;
    let least = if has_cents {
        TOO_LONG_WITH_CENTS
    } else {
        TOO_LONG
    };
    if number.abs() >= least {
        let text = format!("{number:.*E}", DIGITS - 1);
        return text.replace('E', "E+");
    }
    let integer_digits = format!("{:.0}", number.abs().trunc()).len();
    let text = format!("{number:.*}", DIGITS.saturating_sub(integer_digits));
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_a_text_are_marked_and_other_texts_are_not() {
        for (text, written) in [(" 002 ", "'002"), ("a1", "a1"), (" ", " "), ("1.5", "1.5")] {
            assert_eq!(WorkbookCell::Text(text.to_owned()).text(), written);
        }
    }

    #[test]
    fn numbers_are_written_with_the_digits_that_spreadsheets_keep() {
        for (number, text) in [
            (0.0, "0"),
            (63_913.75, "63913.75"),
            (6_013.6, "6013.6"),
            (0.1 + 0.2, "0.3"),
            (-5.0, "-5"),
            (999_999_999_999_999.0, "999999999999999"),
            (5_512_345_678.0, "5512345678"),
            (9_999_999_999_999.99, "9999999999999.99"),
            (12_345_678_901_234.0, "12345678901234"),
            (12_345_678_901_234.56, "1.23456789012346E+13"),
            (4.418_022_250_919_908e16, "4.41802225091991E+16"),
            (1e15, "1.00000000000000E+15"),
        ] {
            assert_eq!(shown(number), text);
        }
    }
}
