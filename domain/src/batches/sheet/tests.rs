//! Tests of tables as a whole.

use chrono::NaiveDate;

use super::*;
use crate::participants::Catalogue;
use crate::query::{Field, FieldErrorKind};

mod cells;
mod corrections;
mod files;
mod headers;
mod own;
mod properties;
mod rows;
mod statements;
mod workbooks;

fn rules() -> RowRules<'static> {
    RowRules {
        today: NaiveDate::from_ymd_opt(2026, 11, 24).unwrap(),
        catalogue: Catalogue::embedded(),
        own_accounts: &[],
    }
}

fn open(file: &[u8]) -> Result<Sheet<'_>, SheetError> {
    Sheet::open(file, &ColumnMapping::default())
}

fn mapped<'a>(file: &'a str, mapping: &str) -> Result<Sheet<'a>, SheetError> {
    Sheet::open(file.as_bytes(), &ColumnMapping::parse(mapping)?)
}

fn read(file: &[u8]) -> Vec<SheetRow> {
    open(file).unwrap().rows(rules()).collect()
}

/// The only error of a row, and its column.
fn error(row: &SheetRow) -> (&str, CellErrorKind) {
    match &row.query {
        Err(CellErrors(errors)) if errors.len() == 1 => {
            (errors[0].name(), errors[0].problem.clone())
        }
        other => panic!("{other:?}"),
    }
}
