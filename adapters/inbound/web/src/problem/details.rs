//! Members of an error's `details`, in the order in which they are written.

use application::{Component, ComponentState};
use domain::proofs::check::CheckReason;
use serde::Serialize;
use strum::VariantNames as _;
use utoipa::ToSchema;
use utoipa::openapi::{ObjectBuilder, Type};

use super::candidate::CandidateDetail;
use super::check::explain;
use super::column::TableColumn;
use super::field::{FieldFault, FieldProblem};
use super::hint::GapReason;
use super::reason::Reason;
use super::row::LineErrorDetail;
use crate::language::Language;

mod hint;
mod inferred;
mod payment;

pub use hint::HintDetail;
pub use inferred::InferredDetails;
pub use payment::PaymentDetail;

/// Additional members; each code has its own, some have none.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = ErrorDetails)]
pub struct Details {
    /// Exact reason, for machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, schema_with = reason)]
    pub reason: Option<&'static str>,
    /// Position in the body, in bytes from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub position: Option<usize>,
    /// The faulty fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub fields: Vec<FieldDetail>,
    /// The first faulty rows of a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<LineErrorDetail>)]
    pub rows: Option<Vec<LineErrorDetail>>,
    /// The sheets of a workbook that aren't hidden, 20 at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub sheets: Vec<String>,
    /// The columns of a table whose header doesn't say what each of them holds, 100 at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub columns: Vec<TableColumn>,
    /// The file that is no proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = FileDetail)]
    pub file: Option<FileDetail>,
    /// The sides that could not be inferred; or the fields for which a table has no column, or several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, value_type = Vec<String>)]
    pub missing: Vec<&'static str>,
    /// Reasons for which they could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = GapDetails, inline)]
    pub reasons: Option<GapDetails>,
    /// Date of the list of participants in which a code or a CLABE prefix isn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = "date")]
    pub participants_list_date: Option<String>,
    /// Endpoints that take both banks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub explicit_endpoints: Vec<String>,
    /// The payment without a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = PaymentDetail)]
    pub payment: Option<PaymentDetail>,
    /// The banks that were inferred.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = InferredDetails)]
    pub inferred: Option<InferredDetails>,
    /// Things to check, most likely first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<HintDetail>)]
    pub hints: Option<Vec<HintDetail>>,
    /// Requests allowed per minute, or per month; active keys of an account.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub limit: Option<u64>,
    /// Requests used in the month.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub used: Option<u64>,
    /// End of the month, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = "date-time")]
    pub reset_at: Option<String>,
    /// Seconds to wait, as in `Retry-After`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub retry_after: Option<u64>,
    /// The service's components.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<ComponentDetail>)]
    pub components: Option<Vec<ComponentDetail>>,
    /// Largest body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub max_bytes: Option<usize>,
    /// The media type that is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub accepted: Option<&'static str>,
    /// Path at which a browser gets a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub sign_in: Option<&'static str>,
    /// The id to give to the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub request_id: Option<String>,
}

fn reason() -> ObjectBuilder {
    words("What exactly, for machines.", Reason::VARIANTS)
}

fn words(description: &str, words: &[&'static str]) -> ObjectBuilder {
    let mut distinct: Vec<&str> = Vec::new();
    for word in words {
        if !distinct.contains(word) {
            distinct.push(word);
        }
    }
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
        .enum_values(Some(distinct))
}

/// A faulty field.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FieldProblem)]
pub struct FieldDetail {
    /// The field's name.
    field: String,
    #[schema(schema_with = problem)]
    problem: &'static str,
    /// Explanation of the fault, for people.
    message: String,
    /// The known name that a misspelt one is probably meant to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    meant: Option<&'static str>,
    /// The participants of an ambiguous name, or those of similar names, the nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    candidates: Vec<CandidateDetail>,
}

fn problem() -> ObjectBuilder {
    words("What is wrong with it, for machines.", FieldProblem::CODES)
}

impl FieldDetail {
    pub(super) fn new(fault: &FieldFault, language: Language) -> Self {
        Self {
            field: fault.field.to_string(),
            problem: fault.problem.code(),
            message: fault.problem.message(language),
            meant: fault.problem.meant(),
            candidates: fault.problem.candidates(),
        }
    }
}

/// A file that is no proof.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FileProblem)]
pub struct FileDetail {
    #[schema(schema_with = file_problem)]
    problem: &'static str,
    /// Explanation and remedy, for people.
    message: String,
    /// The element or attribute of the XML that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    element: Option<&'static str>,
}

fn file_problem() -> ObjectBuilder {
    words(
        "What is wrong with it, for machines.",
        CheckReason::VARIANTS,
    )
}

impl FileDetail {
    pub(super) fn new(
        reason: CheckReason,
        element: Option<&'static str>,
        language: Language,
    ) -> Self {
        Self {
            problem: reason.name(),
            message: explain(reason, language),
            element,
        }
    }
}

/// Reasons for each bank that could not be inferred.
#[derive(Debug, Serialize, ToSchema)]
pub struct GapDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = GapDetail)]
    pub(super) emisor: Option<GapDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = GapDetail)]
    pub(super) receptor: Option<GapDetail>,
}

/// Reason for one bank.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InferenceGap)]
pub struct GapDetail {
    #[schema(schema_with = gap)]
    reason: &'static str,
    /// Explanation and remedy, for people.
    message: String,
    /// The tracking key that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    expected: Option<String>,
}

fn gap() -> ObjectBuilder {
    words("Why, for machines.", GapReason::CODES)
}

impl GapDetail {
    pub(super) fn new(reason: &GapReason, language: Language) -> Self {
        Self {
            reason: reason.code(),
            message: reason.message(language),
            expected: reason.expected().map(ToString::to_string),
        }
    }
}

/// The state of one component of the gateway.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Component)]
pub struct ComponentDetail {
    /// Its name.
    name: &'static str,
    #[schema(schema_with = component_state)]
    state: &'static str,
}

fn component_state() -> ObjectBuilder {
    words(
        "Its state. One that is `degraded` is done without, and serves less well.",
        &["up", "degraded", "failed"],
    )
}

impl From<&Component> for ComponentDetail {
    fn from(component: &Component) -> Self {
        let state = match component.state {
            ComponentState::Up => "up",
            ComponentState::Degraded => "degraded",
            ComponentState::Failed => "failed",
        };
        Self {
            name: component.name,
            state,
        }
    }
}
