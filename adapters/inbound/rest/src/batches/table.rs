//! Parser of tables of payments: CSV, a sheet of a workbook, or JSON lines.

use domain::batches::sheet::{
    ChosenSheet, Column, ColumnMapping, Correction, Corrector, MAX_ROW_LENGTH, OwnColumn,
    PassedOver, RawCells, RowFault, RowRules, Sheet, SheetColumn, SheetError, SheetRow, SheetRows,
    Spelling,
};
use web::problem::FieldProblem;
use web::{Problem, TableType};

use crate::json;
use crate::unknown_names::UnknownNames;

#[derive(Debug)]
pub(crate) enum Table<'a> {
    Sheet(Sheet<'a>),
    JsonLines(&'a [u8]),
}

impl<'a> Table<'a> {
    /// Opens a table of text. `mapping` applies to CSV only, since JSON lines name their fields.
    pub(crate) fn open(
        format: TableType,
        file: &'a [u8],
        mapping: &ColumnMapping,
    ) -> Result<Self, SheetError> {
        match format {
            TableType::Sheet => Sheet::open(file, mapping).map(Self::Sheet),
            TableType::JsonLines => {
                let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
                if file.trim_ascii().is_empty() {
                    return Err(SheetError::Empty);
                }
                Ok(Self::JsonLines(file))
            }
        }
    }

    /// Opens the sheet of a workbook.
    pub(crate) fn of_sheet(
        sheet: &'a ChosenSheet,
        mapping: &ColumnMapping,
    ) -> Result<Self, SheetError> {
        Sheet::of_workbook(&sheet.rows, mapping).map(Self::Sheet)
    }

    /// The recognised columns; empty for JSON lines.
    pub(crate) fn columns(&self) -> &[SheetColumn] {
        match self {
            Self::Sheet(sheet) => sheet.columns(),
            Self::JsonLines(_) => &[],
        }
    }

    /// A column that seems to hold the tracking keys, although another one has their header.
    pub(crate) fn misplaced_tracking_keys(&self) -> Option<&SheetColumn> {
        match self {
            Self::Sheet(sheet) => sheet.misplaced_tracking_keys(),
            Self::JsonLines(_) => None,
        }
    }

    /// Iterates over the corrected rows in file order, parsing each one on demand.
    pub(crate) fn rows<'s>(
        &'s self,
        rules: RowRules<'s>,
        corrections: &'s [Correction],
    ) -> TableRows<'s> {
        match self {
            Self::Sheet(sheet) => TableRows::Sheet(sheet.rows(rules).corrected_by(corrections)),
            Self::JsonLines(rest) => TableRows::JsonLines {
                rest,
                line: 0,
                rules,
                corrector: Corrector::new(corrections),
            },
        }
    }
}

/// Iterator over the rows of a [`Table`].
#[derive(Debug)]
pub(crate) enum TableRows<'a> {
    Sheet(SheetRows<'a>),
    JsonLines {
        rest: &'a [u8],
        /// Lines read so far.
        line: u64,
        rules: RowRules<'a>,
        corrector: Corrector<'a>,
    },
}

impl<'a> TableRows<'a> {
    /// Lines that were passed over so far, with the reason.
    pub(crate) fn passed_over(&self) -> &[(u64, PassedOver)] {
        match self {
            Self::Sheet(rows) => rows.passed_over(),
            Self::JsonLines { .. } => &[],
        }
    }

    /// The columns of the rows' cells.
    pub(crate) fn own_columns(&self) -> Vec<OwnColumn> {
        match self {
            Self::Sheet(rows) => rows.own_columns(),
            Self::JsonLines { .. } => OwnColumn::of_api(),
        }
    }

    /// The corrections of the rows so far.
    pub(crate) fn corrector(&self) -> &Corrector<'a> {
        match self {
            Self::Sheet(rows) => rows.corrector(),
            Self::JsonLines { corrector, .. } => corrector,
        }
    }
}

impl Iterator for TableRows<'_> {
    type Item = SheetRow;

    fn next(&mut self) -> Option<SheetRow> {
        match self {
            Self::Sheet(rows) => rows.next(),
            Self::JsonLines {
                rest,
                line,
                rules,
                corrector,
            } => {
                while !rest.is_empty() {
                    let end = rest.iter().position(|byte| *byte == b'\n');
                    let (text, after) = match end {
                        Some(end) => (&rest[..end], &rest[end + 1..]),
                        None => (*rest, &rest[rest.len()..]),
                    };
                    *rest = after;
                    *line += 1;
                    if !text.trim_ascii().is_empty() {
                        return Some(read(*line, text, *rules, corrector));
                    }
                }
                None
            }
        }
    }
}

/// Parses one JSON line.
fn read(line: u64, text: &[u8], rules: RowRules<'_>, corrector: &mut Corrector<'_>) -> SheetRow {
    if text.len() > MAX_ROW_LENGTH {
        return SheetRow::unreadable(line, RowFault::TooLong);
    }
    let names = Column::ALL.map(Column::name);
    let members = match json::read_object(text, &names) {
        Ok(members) => members,
        Err(problem) => return SheetRow::unreadable(line, fault(&problem)),
    };
    let unknown = json::unknown_members(&members, &names, UnknownNames::Refused);
    let mut cells = RawCells::default();
    for (name, value) in members {
        if let Some(column) = Column::from_name(&name) {
            *cells.get_mut(column) = value;
        }
    }
    corrector.apply(line, &mut cells);
    let unknown = unknown.into_iter().map(|fault| RowFault::UnknownMember {
        name: fault.field.into_owned(),
        meant: match fault.problem {
            FieldProblem::Misspelt { meant } => Some(meant),
            _ => None,
        },
    });
    let own = cells.texts();
    let mut row = SheetRow::of_cells(line, cells, Spelling::Api, rules).with_faults(unknown);
    row.cells = own;
    row
}

/// Converts the problem of a line. Positions count bytes of the line, from 1.
fn fault(problem: &Problem) -> RowFault {
    match *problem {
        Problem::NotAnObject { found } => RowFault::NotAnObject { found },
        Problem::DuplicateKey { position, .. } | Problem::DuplicateUnknownKey { position } => {
            RowFault::RepeatedMember { position }
        }
        Problem::MalformedJson { position }
        | Problem::NotUtf8 { position }
        | Problem::TooDeep { position, .. } => RowFault::MalformedJson { position },
        _ => RowFault::MalformedJson { position: 1 },
    }
}

#[cfg(test)]
mod tests;
