//! Corrections of single values of a table, which apply before its rows are validated.

use std::collections::HashMap;

use crate::query::Token;

use super::cell::without_guard;
use super::column::Column;
use super::row::RawCells;

/// A new value for a field in some rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The rows.
    pub rows: CorrectedRows,
    /// The field, one of [`Column::ALL`].
    pub column: Column,
    /// The new value; blank if the cell is to be empty.
    pub value: String,
}

/// Rows to which a correction applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorrectedRows {
    /// The row that begins on this line, from 1.
    OnLine(u64),
    /// All rows in which the field has this value. Blanks around it and marks of text don't count.
    WithValue(String),
}

/// Reason why a correction has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorrectionError {
    /// An earlier correction is of the same field of the same line, or of the same value.
    Repeated,
    /// No row of a payment begins on the line, or it can't be read.
    NoSuchLine,
    /// No row has the value.
    NoSuchValue,
}

/// An error of the correction at an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorrectionFault {
    /// Index in the list of corrections, from 0.
    pub index: usize,
    /// Reason why it has no effect.
    pub problem: CorrectionError,
}

/// Applies corrections to rows, and records which of them had a row. A correction of a line takes precedence over
/// one of a value.
#[derive(Clone, Debug, Default)]
pub struct Corrector<'a> {
    corrections: &'a [Correction],
    /// Indexes of the corrections of a line.
    of_lines: HashMap<(u64, Column), usize>,
    /// Indexes of the corrections of a value.
    of_values: HashMap<Column, HashMap<&'a str, usize>>,
    /// Corrections with the same rows and field as an earlier one.
    repeated: Vec<CorrectionFault>,
    /// For each correction, `true` once a row had its line or value.
    found: Vec<bool>,
    corrected: usize,
}

impl<'a> Corrector<'a> {
    /// Indexes the corrections.
    pub fn new(corrections: &'a [Correction]) -> Self {
        let mut corrector = Self {
            corrections,
            found: vec![false; corrections.len()],
            ..Self::default()
        };
        for (index, correction) in corrections.iter().enumerate() {
            let column = correction.column;
            let first = match &correction.rows {
                CorrectedRows::OnLine(line) => {
                    let entry = corrector.of_lines.entry((*line, column));
                    *entry.or_insert(index)
                }
                CorrectedRows::WithValue(value) => {
                    let values = corrector.of_values.entry(column).or_default();
                    *values.entry(plain(value)).or_insert(index)
                }
            };
            if first != index {
                let problem = CorrectionError::Repeated;
                corrector.repeated.push(CorrectionFault { index, problem });
            }
        }
        corrector
    }

    /// Corrects the values of the row that begins on a line, and returns those that are other ones now.
    pub fn apply(&mut self, line: u64, cells: &mut RawCells<'_>) -> Vec<(Column, String)> {
        let mut changed = Vec::new();
        if self.corrections.is_empty() {
            return changed;
        }
        for column in Column::ALL {
            let token = cells.get_mut(column);
            let value = value(token);
            let of_values = self.of_values.get(&column).zip(value);
            let of_value = of_values.and_then(|(indexes, value)| indexes.get(value).copied());
            let of_line = self.of_lines.get(&(line, column)).copied();
            for index in [of_line, of_value].into_iter().flatten() {
                self.found[index] = true;
            }
            let Some(index) = of_line.or(of_value) else {
                continue;
            };
            let correct = &self.corrections[index].value;
            if value != Some(plain(correct)) {
                changed.push((column, correct.clone()));
            }
            *token = match correct.trim() {
                "" => Token::Absent,
                _ => Token::Text(correct.clone().into()),
            };
        }
        self.corrected += usize::from(!changed.is_empty());
        changed
    }

    /// Number of rows so far that have another value now.
    pub fn corrected(&self) -> usize {
        self.corrected
    }

    /// Errors of the corrections, in their order, once all rows were read.
    pub fn faults(&self) -> impl Iterator<Item = CorrectionFault> {
        let all = self.corrections.iter().zip(&self.found).enumerate();
        let unused = all.filter(|(_, (_, is_found))| !**is_found);
        let unused = unused.map(|(index, (correction, _))| CorrectionFault {
            index,
            problem: match correction.rows {
                CorrectedRows::OnLine(_) => CorrectionError::NoSuchLine,
                CorrectedRows::WithValue(_) => CorrectionError::NoSuchValue,
            },
        });
        let mut faults: Vec<_> = self.repeated.iter().copied().chain(unused).collect();
        // Stable: of a correction that is repeated as well as unused, the former is kept.
        faults.sort_by_key(|fault| fault.index);
        faults.dedup_by_key(|fault| fault.index);
        faults.into_iter()
    }
}

/// The value of a cell as a correction may name it; `None` for a JSON value that is none of a cell.
fn value<'t>(token: &'t Token<'_>) -> Option<&'t str> {
    match token {
        Token::Absent => Some(""),
        Token::Text(text) => Some(plain(text)),
        Token::Number(number) => Some(number),
        Token::Other(_) => None,
    }
}

fn plain(text: &str) -> &str {
    without_guard(text.trim())
}
