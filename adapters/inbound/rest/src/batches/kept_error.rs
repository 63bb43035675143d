//! Errors of rows, as they are kept with a batch.

use serde::{Deserialize, Serialize};
use web::Language;
use web::problem::FieldProblem;

/// The error of a row, as it is kept.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct KeptError {
    pub(super) field: String,
    pub(super) problem: String,
    pub(super) es: String,
    pub(super) en: String,
}

impl KeptError {
    pub(super) fn new(field: &str, problem: &FieldProblem) -> Self {
        let code: &str = problem.code();
        Self {
            field: field.to_owned(),
            problem: code.to_owned(),
            es: problem.message(Language::Spanish),
            en: problem.message(Language::English),
        }
    }

    pub(super) fn message(&self, language: Language) -> &str {
        match language {
            Language::Spanish => &self.es,
            Language::English => &self.en,
        }
    }
}
