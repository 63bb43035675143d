//! Members of an error's `details`, in the order in which they are written.

use chrono::NaiveDateTime;
use domain::payment::Payment;
use ports::inbound::{Component, ComponentState};
use serde::Serialize;

use super::field::FieldFault;
use super::hint::{GapReason, HintReason};
use crate::language::Language;

/// Additional members of an error; those without a value are left out.
#[derive(Debug, Default, Serialize)]
pub struct Details {
    /// The kind of problem among those that share a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// A byte of the body, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// The faulty fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldDetail>,
    /// The banks that could not be inferred.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<&'static str>,
    /// Why they could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<GapDetails>,
    /// The endpoints that take both banks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explicit_endpoints: Vec<&'static str>,
    /// The payment without a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment: Option<PaymentDetail>,
    /// What to check, most likely first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<Vec<HintDetail>>,
    /// The limit that was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Requests of the month that count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<u64>,
    /// When the quota is renewed, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset_at: Option<String>,
    /// Seconds to wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// The gateway's components.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<Vec<ComponentDetail>>,
    /// Largest body that is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
    /// The media type that is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<&'static str>,
    /// Where a browser gets a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<&'static str>,
    /// The request's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// A faulty field.
#[derive(Debug, Serialize)]
pub struct FieldDetail {
    field: String,
    problem: &'static str,
    message: String,
}

impl FieldDetail {
    pub(super) fn new(fault: &FieldFault, language: Language) -> Self {
        Self {
            field: fault.field.to_string(),
            problem: fault.problem.code(),
            message: fault.problem.message(language),
        }
    }
}

/// Reasons for each bank that could not be inferred.
#[derive(Debug, Serialize)]
pub struct GapDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) emisor: Option<GapDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) receptor: Option<GapDetail>,
}

/// Reason for one bank.
#[derive(Debug, Serialize)]
pub struct GapDetail {
    reason: &'static str,
    message: String,
}

impl GapDetail {
    pub(super) fn new(reason: GapReason, language: Language) -> Self {
        Self {
            reason: reason.code(),
            message: reason.message(language),
        }
    }
}

/// A payment without a proof, as the bank knows it. Times are Mexico City's.
#[derive(Debug, Serialize)]
pub struct PaymentDetail {
    state: &'static str,
    received_at: Option<String>,
    processed_at: Option<String>,
}

impl PaymentDetail {
    pub(super) fn new(payment: &Payment) -> Self {
        let text = |at: NaiveDateTime| at.format("%Y-%m-%dT%H:%M:%S").to_string();
        Self {
            state: payment.state.label(),
            received_at: payment.received_at.map(text),
            processed_at: payment.processed_at.map(text),
        }
    }
}

/// A thing to check, with the values that it is about.
#[derive(Debug, Serialize)]
pub struct HintDetail {
    code: &'static str,
    message: String,
    #[serde(flatten)]
    data: HintData,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum HintData {
    Digits {
        given: u8,
        expected: u8,
    },
    Institutions {
        given: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        expected: Option<String>,
    },
    Date {
        date: String,
    },
    OperationDate {
        operation_date: String,
    },
    Nothing {},
}

impl HintDetail {
    pub(super) fn new(hint: HintReason, language: Language) -> Self {
        let data = match hint {
            HintReason::CheckDigit { given, expected } => HintData::Digits { given, expected },
            HintReason::ReceiverDiffers { given, expected }
            | HintReason::CodeReplaced { given, expected } => HintData::Institutions {
                given: given.to_string(),
                expected: Some(expected.to_string()),
            },
            HintReason::CodeUnused { given } => HintData::Institutions {
                given: given.to_string(),
                expected: None,
            },
            HintReason::DayAndMonthSwapped { date }
            | HintReason::DateInTrackingKey { date }
            | HintReason::MaybeOperationDate { date } => HintData::Date {
                date: date.to_string(),
            },
            HintReason::NotABankingDay { operation_date } => HintData::OperationDate {
                operation_date: operation_date.to_string(),
            },
            HintReason::AmountLooksLikeCentavos => HintData::Nothing {},
        };
        Self {
            code: hint.code(),
            message: hint.message(language),
            data,
        }
    }
}

/// The state of one component of the gateway.
#[derive(Debug, Serialize)]
pub struct ComponentDetail {
    name: &'static str,
    state: &'static str,
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
