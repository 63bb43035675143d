//! The next step for the owner of a lookup, or of a row of a batch.

use application::{LookupView, RowOutcome};
use domain::batches::BatchState;
use domain::hints::Hint;
use domain::lookups::LookupState;
use domain::outcome::Outcome;
use domain::participants::ParticipantCode;
use domain::participants::inference::Unresolved;
use domain::payment::PaymentState;
use domain::seals::SealVerdict;

use super::catalogue::catalogue;
use super::hint::{GapReason, HintReason};
use super::missing;
use super::text::{self, List};
use crate::language::Language;

/// The next step for the owner of a lookup, as a sentence. `None` once a proof with a valid seal is
/// delivered, and in lists for a proof that an older version delivered without a verdict on its seal.
pub fn what_to_do(lookup: &LookupView, language: Language) -> Option<String> {
    Advice::of(lookup, language).map(|advice| advice.message(language))
}

/// The next step for the owner of a row of a batch: that of its lookup, or what a row without one waits for.
pub fn what_to_do_with_row(row: &RowOutcome, language: Language) -> Option<String> {
    match row {
        RowOutcome::Lookup(lookup) => what_to_do(lookup, language),
        RowOutcome::NotBegun { batch } => Some(Advice::of_not_begun(*batch).message(language)),
        RowOutcome::Faulty(_)
        | RowOutcome::Unresolved(_)
        | RowOutcome::Duplicate { .. }
        | RowOutcome::Erased => None,
    }
}

/// The failure of ours or the bank's with which the last attempt of a lookup ended, as a sentence.
pub fn failure_of(lookup: &LookupView, language: Language) -> Option<String> {
    let outcome = lookup.reason().filter(|outcome| outcome.is_refunded())?;
    Some(failure(outcome, language))
}

fn failure(outcome: Outcome, language: Language) -> String {
    text::of_name(language, "failure", outcome.name())
}

catalogue! {
    /// A next step for the owner of a lookup.
    pub enum Advice -> &'static str {
        /// Wait: no attempt was made yet.
        AwaitTurn = "await_turn", "advice-await-turn";
        /// Wait: an attempt is being made.
        AwaitAnswer = "await_answer", "advice-await-answer";
        /// Wait: the last attempt failed.
        AwaitBank { failure: String } = "await_bank", "advice-await-bank"(failure: failure);
        /// Wait: the row's batch has quota, and gets to it.
        AwaitRow = "await_row", "advice-await-row";
        /// Wait until the batch has quota.
        AwaitQuota = "await_quota", "advice-await-quota";
        /// Send a row again whose batch was canceled before it was begun.
        SendRowAgain = "send_row_again", "advice-send-row-again";
        /// Wait: the bank knows the payment, and may issue its proof.
        AwaitProof { state: PaymentState }
            = "await_proof", "advice-await-proof"(state: state.label());
        /// Wait, and don't rely on the payment: its return is in process.
        AwaitReturn { state: PaymentState }
            = "await_return", "advice-await-return"(state: state.label());
        /// Don't rely on a payment that was still in process, and look it up again later.
        PaymentPending { state: PaymentState }
            = "payment_pending", "advice-payment-pending"(state: state.label());
        /// Don't rely on a payment whose return had begun, and look it up again later.
        ReturnPending { state: PaymentState }
            = "return_pending", "advice-return-pending"(state: state.label());
        /// Compare the query's data with their source while the gateway retries.
        CheckMeanwhile = "check_meanwhile", "advice-check-meanwhile";
        /// Correct query data that contradict each other.
        CorrectQuestion { hint: String }
            = "correct_question", "advice-correct-question"(hint: hint);
        /// Compare the query's data with their source, and create a corrected lookup.
        CheckQuestion = "check_question", "advice-check-question";
        /// Don't accept a proof whose seal is invalid.
        RejectProof = "reject_proof", "advice-reject-proof";
        /// Confirm the payment of a proof whose seal couldn't be checked.
        ConfirmPayment = "confirm_payment", "advice-confirm-payment";
        /// Don't rely on a payment that was returned.
        PaymentReturned { state: PaymentState }
            = "payment_returned", "advice-payment-returned"(state: state.label());
        /// Don't rely on a payment that was rejected.
        PaymentRejected { state: PaymentState }
            = "payment_rejected", "advice-payment-rejected"(state: state.label());
        /// Don't rely on a payment that was canceled.
        PaymentCanceled { state: PaymentState }
            = "payment_canceled", "advice-payment-canceled"(state: state.label());
        /// Ask the receiving bank to confirm a payment that got no proof in time.
        AskReceivingBank = "ask_receiving_bank", "advice-ask-receiving-bank";
        /// Give the banks that can't be inferred.
        NameBanks { issuer: Option<GapReason>, receiver: Option<GapReason> }
            = "name_banks",
            "advice-name-banks"(fields: List::of(missing(issuer.as_ref(), receiver.as_ref())));
        /// Correct the banks: both are the same institution, which SPEI transfers never are.
        SameInstitution { code: ParticipantCode }
            = "same_institution", "advice-same-institution"(code: code);
        /// Choose one of several transfers by its tracking key.
        ChooseTransfer = "choose_transfer", "advice-choose-transfer";
        /// Create the lookup again later.
        AskAgain { failure: String } = "ask_again", "advice-ask-again"(failure: failure);
        /// Create a canceled lookup again if the proof is still needed.
        AskAnew = "ask_anew", "advice-ask-anew";
    }
}

impl Advice {
    /// Chooses the step by the lookup's state, then by the bank's record of the payment, then by the hints.
    fn of(lookup: &LookupView, language: Language) -> Option<Self> {
        let payment = lookup.payment.map(|payment| payment.state);
        // A record with the state "not found" is treated as no record.
        let payment = payment.filter(|state| *state != PaymentState::NotFound);
        Some(match lookup.state {
            LookupState::Delivered => {
                // Lists hold only the verdict at the time of delivery.
                let now = lookup.delivery.as_ref();
                let now = now.map(|delivery| delivery.seal.verdict.into());
                return Self::of_seal(now.or(lookup.seal)?);
            }
            LookupState::Ambiguous => Self::ChooseTransfer,
            LookupState::Queued => Self::AwaitTurn,
            LookupState::Running => Self::AwaitAnswer,
            LookupState::Waiting => match (payment, failure_of(lookup, language)) {
                (Some(state), _) => Self::of_payment(state),
                (None, Some(failure)) if lookup.hints.is_empty() => Self::AwaitBank { failure },
                (None, _) => {
                    Self::of_hints(&lookup.hints, language).unwrap_or(Self::CheckMeanwhile)
                }
            },
            LookupState::NotFound => match payment {
                Some(state) => Self::of_payment(state),
                None => Self::of_hints(&lookup.hints, language).unwrap_or(Self::CheckQuestion),
            },
            LookupState::Expired => Self::of_last_word(payment).unwrap_or(Self::AskReceivingBank),
            LookupState::Failed => Self::of_failure(lookup, language),
            LookupState::Canceled => Self::of_last_word(payment).unwrap_or(Self::AskAnew),
        })
    }

    fn of_not_begun(batch: BatchState) -> Self {
        match batch {
            BatchState::Paused => Self::AwaitQuota,
            BatchState::Canceled => Self::SendRowAgain,
            BatchState::Queued | BatchState::Running | BatchState::Finished => Self::AwaitRow,
        }
    }

    fn of_seal(verdict: SealVerdict) -> Option<Self> {
        match verdict {
            SealVerdict::Valid => None,
            SealVerdict::Invalid => Some(Self::RejectProof),
            SealVerdict::NotChecked => Some(Self::ConfirmPayment),
        }
    }

    fn of_payment(state: PaymentState) -> Self {
        match state {
            PaymentState::InProcess | PaymentState::Settled => Self::AwaitProof { state },
            PaymentState::ReturnInProcess => Self::AwaitReturn { state },
            PaymentState::Returned | PaymentState::SentBack => Self::PaymentReturned { state },
            PaymentState::Rejected | PaymentState::NotSettled => Self::PaymentRejected { state },
            PaymentState::Canceled => Self::PaymentCanceled { state },
            PaymentState::NotFound => Self::CheckQuestion,
        }
    }

    /// The step for the payment's last known state once the bank is no longer queried; `None` if the bank
    /// may still issue a proof.
    fn of_last_word(state: Option<PaymentState>) -> Option<Self> {
        match Self::of_payment(state?) {
            Self::AwaitProof {
                state: PaymentState::InProcess,
            } => Some(Self::PaymentPending {
                state: PaymentState::InProcess,
            }),
            Self::AwaitProof { .. } => None,
            Self::AwaitReturn { state } => Some(Self::ReturnPending { state }),
            of_payment => Some(of_payment),
        }
    }

    /// The correction for the first hint that is a contradiction.
    fn of_hints(hints: &[Hint], language: Language) -> Option<Self> {
        let contradiction = hints.iter().find(|hint| hint.is_contradiction())?;
        let hint = HintReason::from(contradiction.clone()).message(language);
        Some(Self::CorrectQuestion { hint })
    }

    fn of_failure(lookup: &LookupView, language: Language) -> Self {
        match &lookup.unresolved {
            Some(Unresolved::InferenceFailed { issuer, receiver }) => Self::NameBanks {
                issuer: issuer.clone().map(GapReason::from),
                receiver: receiver.clone().map(GapReason::from),
            },
            Some(Unresolved::SameInstitution(same)) => Self::SameInstitution { code: same.code },
            None => Self::AskAgain {
                failure: failure_of(lookup, language)
                    .unwrap_or_else(|| failure(Outcome::InternalError, language)),
            },
        }
    }
}

#[cfg(test)]
mod tests;
