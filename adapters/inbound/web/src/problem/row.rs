//! Faulty rows of tables.

use serde::Serialize;
use utoipa::ToSchema;

use crate::language::Language;

/// A fault of a row, in both languages, as it was found when the row was read.
#[derive(Clone, Debug, PartialEq)]
pub struct RowFaultText {
    /// The row's line in the file, from 1.
    pub line: u32,
    /// The field; `row` for the whole row.
    pub field: String,
    /// The message in Spanish.
    pub es: String,
    /// The message in English.
    pub en: String,
}

impl RowFaultText {
    pub(super) fn detail(&self, language: Language) -> RowDetail {
        RowDetail {
            line: self.line,
            field: self.field.clone(),
            message: match language {
                Language::Spanish => self.es.clone(),
                Language::English => self.en.clone(),
            },
        }
    }
}

/// A faulty row.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RowProblem)]
pub struct RowDetail {
    /// The row's line in the file, from 1.
    line: u32,
    /// The field; `row` for the whole row.
    field: String,
    /// The remedy, for people.
    message: String,
}
