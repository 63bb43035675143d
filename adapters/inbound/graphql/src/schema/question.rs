//! The query data of a lookup or of a batch's row, and the banks that were inferred for it.

use async_graphql::SimpleObject;
use chrono::NaiveDate;
use domain::participants::ParticipantCode;
use domain::participants::inference;
use domain::query::ProofQuery;

use super::context::Ports;
use super::enums::{Confidence, InferenceSource};
use super::requests::Participant;

/// A question, as it was asked, in the REST API's words.
#[derive(SimpleObject)]
pub(crate) struct Question {
    /// The calendar day of the transfer in Mexico City: `2026-11-20`.
    fecha: String,
    /// The tracking key.
    clave_rastreo: String,
    /// The digits of the receiver's account.
    cuenta: String,
    /// The amount in pesos: `1234.56`.
    monto: String,
    /// Code of the bank that sent the transfer; null when it was left out.
    emisor: Option<String>,
    /// Code of the bank that received it; null when it was left out.
    receptor: Option<String>,
}

impl From<&ProofQuery> for Question {
    fn from(query: &ProofQuery) -> Self {
        let code = |code: Option<ParticipantCode>| code.map(|code| code.to_string());
        Self {
            fecha: query.date.to_string(),
            clave_rastreo: query.tracking_key.as_str().to_owned(),
            cuenta: query.account.as_str().to_owned(),
            monto: query.amount.to_string(),
            emisor: code(query.issuer),
            receptor: code(query.receiver),
        }
    }
}

/// Banks that were left out of a question and inferred.
#[derive(SimpleObject)]
pub(crate) struct InferredBanks {
    /// The bank that sent the transfer, when it was inferred.
    emisor: Option<InferredBank>,
    /// The bank that received the transfer, when it was inferred.
    receptor: Option<InferredBank>,
}

/// A bank that was inferred.
#[derive(SimpleObject)]
pub(crate) struct InferredBank {
    /// The bank.
    participant: Participant,
    /// The datum that it was inferred from.
    source: InferenceSource,
    /// Confidence in it.
    confidence: Confidence,
}

impl InferredBanks {
    /// The inferred banks; `None` when neither was inferred.
    pub(super) fn of(
        inferred: &inference::InferredBanks,
        ports: &Ports,
        today: NaiveDate,
    ) -> Option<Self> {
        let inference::InferredBanks { issuer, receiver } = inferred;
        if issuer.is_none() && receiver.is_none() {
            return None;
        }
        let bank = |inferred: &inference::Inferred| InferredBank {
            participant: Participant::of(inferred.code, ports, today),
            source: InferenceSource::from(&inferred.evidence),
            confidence: inferred.evidence.confidence().into(),
        };
        Some(Self {
            emisor: issuer.as_ref().map(bank),
            receptor: receiver.as_ref().map(bank),
        })
    }
}
