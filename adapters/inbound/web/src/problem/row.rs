//! Errors of a table's rows.

use application::{FaultyRow, RowOutcome};
use async_graphql::SimpleObject;
use domain::participants::inference::{InferenceFailure, Unresolved};
use domain::query::Field;
use domain::transfer::SameInstitution;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::candidate::CandidateDetail;
use super::field::FieldProblem;
use super::hint::GapReason;
use crate::language::Language;

/// `field` of an error that concerns the whole row.
const WHOLE_ROW: &str = "row";

/// An error of a row, in both languages. The errors of a row that can't be parsed are stored with its
/// batch.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct RowError {
    /// The field; `row` for the whole row.
    pub field: String,
    /// A code of [`FieldProblem`].
    pub problem: String,
    pub es: String,
    pub en: String,
    /// A code of [`GapReason`], when a bank can't be inferred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The tracking key that was probably meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The known name that a misspelt one is probably meant to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meant: Option<String>,
    /// The participants of an ambiguous name, or those of similar names, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<CandidateDetail>,
}

impl RowError {
    pub fn new(field: &str, problem: &FieldProblem) -> Self {
        let code: &str = problem.code();
        Self {
            field: field.to_owned(),
            problem: code.to_owned(),
            es: problem.message(Language::Spanish),
            en: problem.message(Language::English),
            reason: None,
            expected: None,
            meant: problem.meant().map(str::to_owned),
            candidates: problem.candidates(),
        }
    }

    /// Field, problem code and, when a bank can't be inferred, the reason's code:
    /// `emisor:not_inferred:likely_tracking_key`.
    pub fn code(&self) -> String {
        let parts = [Some(&self.field), Some(&self.problem), self.reason.as_ref()];
        let parts: Vec<_> = parts.into_iter().flatten().map(String::as_str).collect();
        parts.join(":")
    }

    /// The message in one language: the error and its remedy.
    pub fn message(&self, language: Language) -> &str {
        match language {
            Language::Spanish => &self.es,
            Language::English => &self.en,
        }
    }

    /// The message after the name of its field; the message alone if it concerns the whole row.
    pub fn sentence(&self, language: Language) -> String {
        let message = self.message(language);
        match &*self.field {
            WHOLE_ROW => message.to_owned(),
            field => format!("{field}: {message}"),
        }
    }

    /// Serialises the errors of a row that can't be parsed, to be stored with its batch.
    pub fn kept(errors: &[Self]) -> FaultyRow {
        FaultyRow(serde_json::to_string(errors).unwrap_or_default())
    }

    /// The errors of a row; empty for one that can be looked up.
    pub fn all_of(outcome: &RowOutcome) -> Vec<Self> {
        match outcome {
            RowOutcome::Faulty(FaultyRow(kept)) => serde_json::from_str(kept).unwrap_or_default(),
            RowOutcome::Unresolved(unresolved) => Self::of_banks(unresolved),
            RowOutcome::Duplicate { .. }
            | RowOutcome::NotBegun { .. }
            | RowOutcome::Erased
            | RowOutcome::Lookup(_) => Vec::new(),
        }
    }

    /// The error of a bank that isn't given and can't be inferred, with the reason.
    fn of_gap(field: &str, gap: &InferenceFailure) -> Self {
        let reason = GapReason::from(gap.clone());
        Self {
            es: reason.message(Language::Spanish),
            en: reason.message(Language::English),
            reason: Some(reason.code().to_owned()),
            expected: reason.expected().map(ToString::to_string),
            ..Self::new(field, &FieldProblem::NotInferred)
        }
    }

    fn of_banks(unresolved: &Unresolved) -> Vec<Self> {
        let (issuer, receiver) = (Field::Issuer.name(), Field::Receiver.name());
        match unresolved {
            Unresolved::InferenceFailed {
                issuer: of_issuer,
                receiver: of_receiver,
            } => {
                let issuer = of_issuer.as_ref().map(|gap| Self::of_gap(issuer, gap));
                let receiver = of_receiver.as_ref().map(|gap| Self::of_gap(receiver, gap));
                issuer.into_iter().chain(receiver).collect()
            }
            Unresolved::SameInstitution(SameInstitution { code }) => {
                let problem = FieldProblem::SameInstitution { code: *code };
                vec![Self::new(WHOLE_ROW, &problem)]
            }
        }
    }
}

/// An error of a row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct LineError {
    /// The row's line in the file, from 1.
    pub line: u32,
    pub error: RowError,
}

impl LineError {
    pub(super) fn detail(&self, language: Language) -> LineErrorDetail {
        LineErrorDetail {
            line: self.line,
            error: RowErrorDetail::new(self.error.clone(), language),
        }
    }
}

/// A faulty row.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RowProblem)]
pub struct LineErrorDetail {
    /// The row's line in the file, from 1.
    line: u32,
    #[serde(flatten)]
    error: RowErrorDetail,
}

/// An error of a row.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
#[graphql(name = "BatchRowError")]
#[schema(as = BatchRowError)]
pub struct RowErrorDetail {
    /// The field; `row` for the whole row.
    field: String,
    /// The problem: a code of `details.fields` of an error of the REST API.
    problem: String,
    /// Fault and remedy, in the caller's language.
    message: String,
    /// The reason for which a bank can't be inferred, as in `details.reasons` of an error of the REST API.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    reason: Option<String>,
    /// The tracking key that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    expected: Option<String>,
    /// The known name that a misspelt one is probably meant to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    meant: Option<String>,
    /// The participants of an ambiguous name, or those of similar names, the nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    candidates: Vec<CandidateDetail>,
}

impl RowErrorDetail {
    /// The error with its message in one language.
    pub fn new(error: RowError, language: Language) -> Self {
        Self {
            message: error.message(language).to_owned(),
            field: error.field,
            problem: error.problem,
            reason: error.reason,
            expected: error.expected,
            meant: error.meant,
            candidates: error.candidates,
        }
    }
}
