//! Next step of a lookup's owner.

use domain::hints::Hint;
use domain::inference::Unresolved;
use domain::lookup::LookupState;
use domain::participant::ParticipantCode;
use domain::payment::PaymentState;
use domain::seal::SealVerdict;
use ports::inbound::LookupView;

use super::catalogue::catalogue;
use super::hint::{GapReason, HintReason};
use super::missing;
use super::text::List;
use crate::language::Language;

/// The next step of a lookup's owner, as a sentence. `None` once a proof with a good seal is delivered, and
/// of a delivered one whose proof wasn't read.
pub fn what_to_do(lookup: &LookupView, language: Language) -> Option<String> {
    Advice::of(lookup, language).map(|advice| advice.message(language))
}

catalogue! {
    /// A next step.
    pub enum Advice -> &'static str {
        /// Wait: no attempt was made yet, or one is being made.
        AwaitTurn = "await_turn", "advice-await-turn";
        /// Wait: the bank didn't answer.
        AwaitBank = "await_bank", "advice-await-bank";
        /// Wait: the bank knows the payment, and may issue its proof.
        AwaitProof { state: PaymentState }
            = "await_proof", "advice-await-proof"(state: state.label());
        /// Wait, and don't count on the payment.
        AwaitReturn { state: PaymentState }
            = "await_return", "advice-await-return"(state: state.label());
        /// Compare the question with its source while it is asked again.
        CheckMeanwhile = "check_meanwhile", "advice-check-meanwhile";
        /// Correct a question that contradicts itself.
        CorrectQuestion { hint: String }
            = "correct_question", "advice-correct-question"(hint: hint);
        /// Compare the question with its source, and ask another one.
        CheckQuestion = "check_question", "advice-check-question";
        /// Don't accept a proof whose seal is wrong.
        RejectProof = "reject_proof", "advice-reject-proof";
        /// Confirm the payment of a proof whose seal couldn't be checked.
        ConfirmPayment = "confirm_payment", "advice-confirm-payment";
        /// Don't count on a payment that was returned.
        PaymentReturned { state: PaymentState }
            = "payment_returned", "advice-payment-returned"(state: state.label());
        /// Don't count on a payment that was rejected.
        PaymentRejected { state: PaymentState }
            = "payment_rejected", "advice-payment-rejected"(state: state.label());
        /// Don't count on a payment that was canceled.
        PaymentCanceled { state: PaymentState }
            = "payment_canceled", "advice-payment-canceled"(state: state.label());
        /// Have the receiving bank confirm a payment that got no proof in time.
        AskReceivingBank = "ask_receiving_bank", "advice-ask-receiving-bank";
        /// Name banks that can't be inferred.
        NameBanks { issuer: Option<GapReason>, receiver: Option<GapReason> }
            = "name_banks",
            "advice-name-banks"(fields: List::of(missing(*issuer, *receiver)));
        /// Don't ask for a transfer within one institution.
        SameInstitution { code: ParticipantCode }
            = "same_institution", "advice-same-institution"(code: code);
        /// Ask again later.
        AskAgain = "ask_again", "advice-ask-again";
        /// Ask again what was canceled, if the proof is still wanted.
        AskAnew = "ask_anew", "advice-ask-anew";
    }
}

impl Advice {
    /// The rule. What the bank said of the payment decides, then what is wrong with the question.
    fn of(lookup: &LookupView, language: Language) -> Option<Self> {
        let payment = lookup.payment.map(|payment| payment.state);
        Some(match lookup.state {
            LookupState::Delivered => {
                let delivery = lookup.delivery.as_ref()?;
                return Self::of_seal(delivery.seal.verdict.into());
            }
            LookupState::Queued | LookupState::Running => Self::AwaitTurn,
            LookupState::Waiting => match payment {
                Some(state) => Self::of_payment(state),
                None if lookup.hints.is_empty() => Self::AwaitBank,
                None => Self::of_hints(&lookup.hints, language).unwrap_or(Self::CheckMeanwhile),
            },
            LookupState::NotFound => match payment {
                Some(state) => Self::of_payment(state),
                None => Self::of_hints(&lookup.hints, language).unwrap_or(Self::CheckQuestion),
            },
            LookupState::Expired => match payment.map(Self::of_payment) {
                None | Some(Self::AwaitProof { .. }) => Self::AskReceivingBank,
                Some(of_payment) => of_payment,
            },
            LookupState::Failed => Self::of_failure(lookup.unresolved.as_ref()),
            LookupState::Canceled => Self::AskAnew,
        })
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
            PaymentState::Cancelled => Self::PaymentCanceled { state },
            PaymentState::NotFound => Self::CheckQuestion,
        }
    }

    /// The correction of a question that contradicts itself.
    fn of_hints(hints: &[Hint], language: Language) -> Option<Self> {
        let contradiction = hints.iter().find(|hint| hint.is_contradiction())?;
        let hint = HintReason::from(*contradiction).message(language);
        Some(Self::CorrectQuestion { hint })
    }

    fn of_failure(unresolved: Option<&Unresolved>) -> Self {
        match unresolved {
            Some(Unresolved::InferenceFailed { issuer, receiver }) => Self::NameBanks {
                issuer: issuer.map(GapReason::from),
                receiver: receiver.map(GapReason::from),
            },
            Some(Unresolved::SameInstitution(same)) => Self::SameInstitution { code: same.code },
            None => Self::AskAgain,
        }
    }
}
