//! Result of an attempt, and the resulting change of its lookup.

use std::time::Duration;

use crate::proofs::{FetchError, Files};
use bytes::Bytes;
use chrono::NaiveDate;
use domain::lookups::{LookupState, last_answer};
use domain::outcome::Outcome;
use domain::proofs::file::RequestedFiles;
use domain::proofs::seen::ProofMark;
use domain::seals::SealVerdict;
use domain::transfer::Banks;
use ports::outbound::{BankError, LookupChange};

use crate::admission::Settlement;
use crate::proofs::Turn;

/// The encrypted answer of a delivered lookup, with data for the statistics.
pub(super) struct EncryptedAnswer {
    pub(super) content: Vec<u8>,
    pub(super) mark: Option<ProofMark>,
    /// Held until the delivery of the proof is recorded.
    pub(super) _turn: Turn,
    pub(super) seal: SealVerdict,
}

/// Result of an attempt.
pub(super) struct Attempted {
    pub(super) outcome: Outcome,
    /// Date of the transfer; `None` if the question couldn't be decrypted.
    pub(super) date: Option<NaiveDate>,
    pub(super) banks: Option<Banks>,
    pub(super) bank_time: Option<Duration>,
    pub(super) duration: Duration,
    pub(super) answer: Option<EncryptedAnswer>,
    /// The bank's answer without a proof, encrypted; `None` if it gave none.
    pub(super) finding: Option<Vec<u8>>,
    /// The question, encrypted again, if the bank knows the transfer for another account than the first.
    pub(super) question: Option<Vec<u8>>,
    pub(super) retry_after: Option<Duration>,
    /// `true` if the bank wasn't queried because of our own limits.
    pub(super) had_no_turn: bool,
}

impl Attempted {
    pub(super) fn failed(outcome: Outcome) -> Self {
        Self {
            outcome,
            date: None,
            banks: None,
            bank_time: None,
            duration: Duration::ZERO,
            answer: None,
            finding: None,
            question: None,
            retry_after: None,
            had_no_turn: false,
        }
    }

    pub(super) fn of_error(error: &FetchError) -> Self {
        let (retry_after, had_no_turn) = match error {
            FetchError::Bank(BankError::Unavailable { retry_after, .. }) => {
                (Some(*retry_after), false)
            }
            FetchError::Bank(BankError::Throttled {
                retry_after,
                reason,
            }) => (Some(*retry_after), !reason.is_of_the_bank()),
            FetchError::InferenceFailed { .. }
            | FetchError::SameInstitution(_)
            | FetchError::NoOwnAccount(_)
            | FetchError::Ambiguous { .. }
            | FetchError::NotFound { .. }
            | FetchError::Bank(BankError::Protocol { .. } | BankError::Timeout) => (None, false),
        };
        Self {
            retry_after,
            had_no_turn,
            ..Self::failed(error.outcome())
        }
    }
}

/// Change and settlement of a lookup that ends in this state.
pub(super) fn ending(
    state: LookupState,
    attempted: &Attempted,
    outcomes: &[Outcome],
) -> (LookupChange, Settlement) {
    let settlement = Settlement {
        banks: attempted.banks,
        bank_time: attempted.bank_time,
        ..Settlement::of(outcome_of(state, outcomes))
    };
    let Some(answer) = &attempted.answer else {
        let refund = settlement.outcome.is_refunded();
        return (LookupChange::End { state, refund }, settlement);
    };
    let settlement = Settlement {
        delivered: Vec::from_iter(answer.mark),
        seal: Some(answer.seal),
        ..settlement
    };
    let change = LookupChange::Deliver {
        proof: answer.content.clone(),
        seal: answer.seal,
    };
    (change, settlement)
}

/// Outcome of a lookup's request: the bank's last answer, or the last failure.
fn outcome_of(state: LookupState, outcomes: &[Outcome]) -> Outcome {
    let last = match state {
        LookupState::Delivered => return Outcome::Delivered,
        LookupState::Ambiguous => return Outcome::Ambiguous,
        LookupState::Canceled => return Outcome::Canceled,
        LookupState::NotFound | LookupState::Expired => last_answer(outcomes),
        LookupState::Failed => {
            let last = outcomes.last().copied();
            last.filter(|outcome| outcome.is_refunded())
        }
        LookupState::Queued | LookupState::Running | LookupState::Waiting => None,
    };
    last.unwrap_or(Outcome::InternalError)
}

/// The files to store; `None` without an XML.
pub(super) fn kept(files: &Files, wanted: RequestedFiles) -> Option<(Bytes, Option<Bytes>)> {
    match files {
        Files::Xml(xml) => Some((xml.clone(), None)),
        Files::Both { xml, pdf } => Some((xml.clone(), wanted.includes_pdf().then(|| pdf.clone()))),
        Files::Pdf(_) => None,
    }
}

/// The delivered files have no XML, which a lookup requires.
#[derive(Debug, thiserror::Error)]
#[error("the XML of a delivered proof is missing")]
pub(super) struct NoXml;
