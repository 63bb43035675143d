//! Payments without a proof, as the bank knows them.

use async_graphql::{Enum, SimpleObject};
use chrono::NaiveDateTime;
use domain::payment;
use serde::Serialize;
use utoipa::ToSchema;

/// State of a payment at the central bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::payment::PaymentState")]
#[serde(rename_all = "snake_case")]
pub enum PaymentState {
    /// `En proceso`.
    InProcess,
    /// `Liquidado`: its proof may still be issued.
    Settled,
    /// `Cancelado`.
    Canceled,
    /// `Rechazado`.
    Rejected,
    /// `En proceso de devolución`.
    ReturnInProcess,
    /// `Devuelto`.
    Returned,
    /// `No liquidado`.
    NotSettled,
    /// `No encontrado`.
    NotFound,
    /// `Retornado`.
    SentBack,
}

/// A payment without a proof, as the bank knows it. Times are Mexico City's.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
#[graphql(name = "Payment")]
#[schema(as = Payment)]
pub struct PaymentDetail {
    /// Its state.
    state: PaymentState,
    /// The central bank's own word for the state.
    text: &'static str,
    /// Time at which SPEI received it: `2026-11-20T10:15:07`.
    #[schema(required)]
    received_at: Option<String>,
    /// Time at which SPEI processed it.
    #[schema(required)]
    processed_at: Option<String>,
}

impl PaymentDetail {
    pub fn new(payment: &payment::Payment) -> Self {
        let text = |at: NaiveDateTime| at.format("%Y-%m-%dT%H:%M:%S").to_string();
        Self {
            state: payment.state.into(),
            text: payment.state.label(),
            received_at: payment.received_at.map(text),
            processed_at: payment.processed_at.map(text),
        }
    }
}
