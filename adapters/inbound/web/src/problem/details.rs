//! Members of an error's `details`, in the order in which they are written.

use std::fmt;

use chrono::NaiveDateTime;
use domain::check::CheckReason;
use domain::inference::{Inferred, InferredBanks};
use domain::participant::NamedParticipant;
use domain::payment::{Payment, PaymentState};
use ports::inbound::{Component, ComponentState};
use serde::Serialize;
use strum::VariantNames as _;
use utoipa::ToSchema;
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::{ObjectBuilder, Type};

use super::check::CheckExplanation;
use super::column::TableColumn;
use super::field::{FieldFault, FieldProblem};
use super::hint::{GapReason, HintReason};
use super::reason::Reason;
use super::row::RowDetail;
use crate::language::Language;

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
    #[schema(required = false, value_type = Vec<RowDetail>)]
    pub rows: Option<Vec<RowDetail>>,
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
    #[schema(required = false, value_type = InferredDetails, inline)]
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

/// A participant that may be meant.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ParticipantCandidate)]
pub struct CandidateDetail {
    /// Its code, for `emisor` or `receptor`.
    code: String,
    /// Its short name in the central bank's list.
    name: String,
}

impl From<&NamedParticipant> for CandidateDetail {
    fn from(participant: &NamedParticipant) -> Self {
        Self {
            code: participant.code.to_string(),
            name: participant.name.clone(),
        }
    }
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
            meant: match fault.problem {
                FieldProblem::Misspelt { meant } => Some(meant),
                _ => None,
            },
            candidates: match &fault.problem {
                FieldProblem::SimilarName { candidates }
                | FieldProblem::AmbiguousName { candidates } => {
                    candidates.iter().map(CandidateDetail::from).collect()
                }
                _ => Vec::new(),
            },
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
        explanation: CheckExplanation,
        element: Option<&'static str>,
        language: Language,
    ) -> Self {
        Self {
            problem: explanation.code().name(),
            message: explanation.message(language),
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
            expected: match reason {
                GapReason::LikelyTrackingKey { expected } => Some(expected.to_string()),
                _ => None,
            },
        }
    }
}

/// A payment without a proof, as the bank knows it. Times are Mexico City's.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Payment)]
pub struct PaymentDetail {
    #[schema(schema_with = payment_state)]
    state: &'static str,
    /// The central bank's own word for the state.
    text: &'static str,
    /// Time at which SPEI received it, in Mexico City.
    #[schema(required = true)]
    received_at: Option<String>,
    /// Time at which SPEI processed it, in Mexico City.
    #[schema(required = true)]
    processed_at: Option<String>,
}

fn payment_state() -> ObjectBuilder {
    words("Its state, for machines.", PaymentState::VARIANTS)
}

impl PaymentDetail {
    /// A payment, as the bank knows it.
    pub fn new(payment: &Payment) -> Self {
        let text = |at: NaiveDateTime| at.format("%Y-%m-%dT%H:%M:%S").to_string();
        Self {
            state: payment.state.name(),
            text: payment.state.label(),
            received_at: payment.received_at.map(text),
            processed_at: payment.processed_at.map(text),
        }
    }
}

/// The banks that were inferred, each with its evidence.
#[derive(Debug, Serialize, ToSchema)]
pub struct InferredDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = InferredDetail)]
    emisor: Option<InferredDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = InferredDetail)]
    receptor: Option<InferredDetail>,
}

impl InferredDetails {
    /// The inferred sides; `None` when there is none.
    pub fn of(inferred: &InferredBanks) -> Option<Self> {
        let InferredBanks { issuer, receiver } = inferred;
        if issuer.is_none() && receiver.is_none() {
            return None;
        }
        Some(Self {
            emisor: issuer.as_ref().map(InferredDetail::new),
            receptor: receiver.as_ref().map(InferredDetail::new),
        })
    }
}

/// An inferred bank.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InferredBank)]
struct InferredDetail {
    /// Its participant code.
    code: String,
    #[schema(schema_with = inferred_from)]
    from: &'static str,
    #[schema(schema_with = confidence)]
    confidence: &'static str,
}

fn inferred_from() -> ObjectBuilder {
    words(
        "The datum that it was inferred from.",
        &["clabe_prefix", "card_prefix", "tracking_key_shape"],
    )
}

fn confidence() -> ObjectBuilder {
    words(
        "`medium`: it may also be another bank.",
        &["high", "medium"],
    )
}

impl InferredDetail {
    fn new(inferred: &Inferred) -> Self {
        Self {
            code: inferred.code.to_string(),
            from: inferred.evidence.source(),
            confidence: inferred.evidence.confidence().name(),
        }
    }
}

/// One thing to check, most likely first; with what it speaks of.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Hint)]
pub struct HintDetail {
    /// Its code, for machines.
    #[schema(schema_with = hint)]
    pub code: &'static str,
    /// The hint, for people.
    pub message: String,
    /// The value that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, schema_with = subject)]
    pub given: Option<HintSubject>,
    /// The value that it should perhaps be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, schema_with = subject)]
    pub expected: Option<HintSubject>,
    /// A date to try as `fecha`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = "date")]
    pub date: Option<String>,
    /// The operation date of that day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = "date")]
    pub operation_date: Option<String>,
    /// Date of the list of participants in which the code or the CLABE prefix isn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = "date")]
    pub participants_list_date: Option<String>,
}

fn hint() -> ObjectBuilder {
    words("Which hint.", HintReason::CODES)
}

fn subject() -> OneOfBuilder {
    let item = |schema_type: Type, description| {
        let item = ObjectBuilder::new().schema_type(schema_type);
        item.description(Some(description))
    };
    OneOfBuilder::new()
        .item(item(Type::Integer, "A digit."))
        .item(item(
            Type::String,
            "A participant code, a CLABE prefix, or a tracking key.",
        ))
}

/// A digit, the code or the CLABE prefix of an institution, or a tracking key.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum HintSubject {
    /// A digit.
    Digit(u8),
    /// A code, or a CLABE prefix.
    Institution(String),
    /// A tracking key.
    TrackingKey(String),
}

impl fmt::Display for HintSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Digit(digit) => digit.fmt(f),
            Self::Institution(text) | Self::TrackingKey(text) => text.fmt(f),
        }
    }
}

impl HintDetail {
    /// A hint in a language.
    pub fn new(hint: &HintReason, language: Language) -> Self {
        let mut detail = Self {
            code: hint.code(),
            message: hint.message(language),
            given: None,
            expected: None,
            date: None,
            operation_date: None,
            participants_list_date: None,
        };
        match hint {
            HintReason::CheckDigit { given, expected } => {
                detail.given = Some(HintSubject::Digit(*given));
                detail.expected = Some(HintSubject::Digit(*expected));
            }
            HintReason::LikelyTrackingKey { expected } => {
                detail.expected = Some(HintSubject::TrackingKey(expected.to_string()));
            }
            HintReason::ParticipantUnknown { given, list_date } => {
                detail.given = Some(HintSubject::Institution(given.to_string()));
                detail.participants_list_date = Some(list_date.to_string());
            }
            HintReason::AccountPrefixUnknown { prefix, list_date } => {
                detail.given = Some(HintSubject::Institution(format!("{prefix:03}")));
                detail.participants_list_date = Some(list_date.to_string());
            }
            HintReason::ReceiverDiffers { given, expected }
            | HintReason::IssuerDiffers { given, expected }
            | HintReason::CodeReplaced { given, expected } => {
                detail.given = Some(HintSubject::Institution(given.to_string()));
                detail.expected = Some(HintSubject::Institution(expected.to_string()));
            }
            HintReason::CodeUnused { given } | HintReason::IssuerWasInferred { given } => {
                detail.given = Some(HintSubject::Institution(given.to_string()));
            }
            HintReason::DayAndMonthSwapped { date }
            | HintReason::DateInTrackingKey { date }
            | HintReason::MaybeOperationDate { date } => detail.date = Some(date.to_string()),
            HintReason::NotABankingDay { operation_date } => {
                detail.operation_date = Some(operation_date.to_string());
            }
            HintReason::AmountLooksLikeCentavos | HintReason::LooksLikeReference => {}
        }
        detail
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
