//! Data of a missing proof: the bank's record of the payment, and hints at likely mistakes.

use async_graphql::SimpleObject;
use chrono::NaiveDateTime;
use domain::{hints, payment};
use web::Language;
use web::problem::HintDetail;

use super::enums::PaymentState;

/// A payment without a proof, as the bank knows it.
#[derive(SimpleObject)]
pub(crate) struct Payment {
    /// Its state.
    state: PaymentState,
    /// The central bank's own word for the state.
    text: &'static str,
    /// Time at which SPEI received it, in Mexico City: `2026-11-20T10:15:07`.
    received_at: Option<String>,
    /// Time at which SPEI processed it, in Mexico City.
    processed_at: Option<String>,
}

impl From<&payment::Payment> for Payment {
    fn from(payment: &payment::Payment) -> Self {
        let text = |at: NaiveDateTime| at.format("%Y-%m-%dT%H:%M:%S").to_string();
        Self {
            state: payment.state.into(),
            text: payment.state.label(),
            received_at: payment.received_at.map(text),
            processed_at: payment.processed_at.map(text),
        }
    }
}

/// Something to check in a question whose transfer the bank doesn't know, as in the REST API's `details`.
#[derive(SimpleObject)]
pub(crate) struct Hint {
    /// Its code, which never changes with the language.
    code: &'static str,
    /// The hint, in the caller's language.
    message: String,
    /// A digit, or the code of a bank, as it was given.
    given: Option<String>,
    /// The digit, or the code of a bank, that it should perhaps be.
    expected: Option<String>,
    /// A date to try as `fecha`.
    date: Option<String>,
    /// The operation date of the day that was given.
    operation_date: Option<String>,
    /// Date of the list of participants in which the code isn't.
    participants_list_date: Option<String>,
}

impl Hint {
    pub(super) fn all_of(hints: &[hints::Hint], language: Language) -> Vec<Self> {
        let hint = |hint: &hints::Hint| Self::from(HintDetail::new(&hint.clone().into(), language));
        hints.iter().map(hint).collect()
    }
}

impl From<HintDetail> for Hint {
    fn from(detail: HintDetail) -> Self {
        Self {
            code: detail.code,
            message: detail.message,
            given: detail.given.map(|given| given.to_string()),
            expected: detail.expected.map(|expected| expected.to_string()),
            date: detail.date,
            operation_date: detail.operation_date,
            participants_list_date: detail.participants_list_date,
        }
    }
}
