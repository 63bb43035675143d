//! The next step for the owner of a lookup.

use application::LookupView;
use domain::hints::Hint;
use domain::lookups::LookupState;
use domain::participants::ParticipantCode;
use domain::participants::inference::Unresolved;
use domain::payment::PaymentState;
use domain::seals::SealVerdict;

use super::catalogue::catalogue;
use super::hint::{GapReason, HintReason};
use super::missing;
use super::text::List;
use crate::language::Language;

/// The next step for the owner of a lookup, as a sentence. `None` once a proof with a valid seal is
/// delivered, and in lists for a proof that an older version delivered without a verdict on its seal.
pub fn what_to_do(lookup: &LookupView, language: Language) -> Option<String> {
    Advice::of(lookup, language).map(|advice| advice.message(language))
}

catalogue! {
    /// A next step for the owner of a lookup.
    pub enum Advice -> &'static str {
        /// Wait: no attempt was made yet, or one is being made.
        AwaitTurn = "await_turn", "advice-await-turn";
        /// Wait: the bank didn't answer.
        AwaitBank = "await_bank", "advice-await-bank";
        /// Wait: the bank knows the payment, and may issue its proof.
        AwaitProof { state: PaymentState }
            = "await_proof", "advice-await-proof"(state: state.label());
        /// Wait, and don't rely on the payment: its return is in process.
        AwaitReturn { state: PaymentState }
            = "await_return", "advice-await-return"(state: state.label());
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
        AskAgain = "ask_again", "advice-ask-again";
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
            LookupState::Expired => Self::of_last_word(payment).unwrap_or(Self::AskReceivingBank),
            LookupState::Failed => Self::of_failure(lookup.unresolved.as_ref()),
            LookupState::Canceled => Self::of_last_word(payment).unwrap_or(Self::AskAnew),
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
            PaymentState::Canceled => Self::PaymentCanceled { state },
            PaymentState::NotFound => Self::CheckQuestion,
        }
    }

    /// The step for the payment's last known state once the bank is no longer queried; `None` if the bank
    /// may still issue a proof.
    fn of_last_word(state: Option<PaymentState>) -> Option<Self> {
        match Self::of_payment(state?) {
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

    fn of_failure(unresolved: Option<&Unresolved>) -> Self {
        match unresolved {
            Some(Unresolved::InferenceFailed { issuer, receiver }) => Self::NameBanks {
                issuer: issuer.clone().map(GapReason::from),
                receiver: receiver.clone().map(GapReason::from),
            },
            Some(Unresolved::SameInstitution(same)) => Self::SameInstitution { code: same.code },
            None => Self::AskAgain,
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::account::Account;
    use domain::amount::Amount;
    use domain::calendar::parse_date;
    use domain::keys::{Environment, KeyId};
    use domain::lookups::{LookupId, Metadata};
    use domain::participants::inference::{InferenceFailure, InferredBanks};
    use domain::payment::Payment;
    use domain::query::ProofQuery;
    use domain::tracking_key::TrackingKey;

    use super::*;

    const MAYBE: Hint = Hint::AmountLooksLikeCentavos;
    const WRONG_DIGIT: Hint = Hint::CheckDigit {
        given: 2,
        expected: 1,
    };

    /// A lookup in a state, of which nothing else is known.
    fn lookup(state: LookupState) -> LookupView {
        let id = LookupId::parse("019aa0b2-7d3e-7c55-8d3f-4be0a3f6c2d1").unwrap();
        LookupView {
            id,
            key: KeyId(id.0),
            environment: Environment::Live,
            state,
            created_at: DateTime::UNIX_EPOCH,
            updated_at: DateTime::UNIX_EPOCH,
            retry_until: DateTime::UNIX_EPOCH,
            erase_at: None,
            attempts: 0,
            last_attempt: None,
            history: None,
            next_attempt_at: None,
            queue: None,
            question: ProofQuery {
                date: parse_date("2026-11-20").unwrap(),
                criterion: TrackingKey::parse("MBAN01").unwrap().into(),
                account: Account::parse("002010077777777771").unwrap(),
                others: Vec::new(),
                completion: None,
                amount: Amount::from_centavos(1_000).unwrap(),
                issuer: None,
                receiver: None,
            },
            inferred: InferredBanks::default(),
            unresolved: None,
            payment: None,
            candidates: std::sync::Arc::default(),
            hints: Vec::new(),
            batch: None,
            metadata: Metadata::default(),
            seal: None,
            delivery: None,
        }
    }

    fn code(lookup: &LookupView) -> Option<&'static str> {
        Advice::of(lookup, Language::English).map(|advice| advice.code())
    }

    fn with_hints(state: LookupState, hints: &[Hint]) -> LookupView {
        LookupView {
            hints: hints.to_vec(),
            ..lookup(state)
        }
    }

    #[test]
    fn every_state_but_a_delivered_one_has_an_advice() {
        let advice = LookupState::ALL.map(|state| (state.name(), code(&lookup(state))));
        let expected = [
            ("queued", Some("await_turn")),
            ("running", Some("await_turn")),
            ("waiting", Some("await_bank")),
            ("delivered", None),
            ("ambiguous", Some("choose_transfer")),
            ("not_found", Some("check_question")),
            ("failed", Some("ask_again")),
            ("expired", Some("ask_receiving_bank")),
            ("canceled", Some("ask_anew")),
        ];
        assert_eq!(advice, expected);
    }

    #[test]
    fn the_payment_decides_whatever_the_state() {
        let pending = [LookupState::Waiting, LookupState::NotFound];
        let ended = [LookupState::Expired, LookupState::Canceled];
        let otherwise = ["ask_receiving_bank", "ask_anew"];
        for (states, payment, expected) in [
            (pending, PaymentState::InProcess, ["await_proof"; 2]),
            (pending, PaymentState::Settled, ["await_proof"; 2]),
            (pending, PaymentState::ReturnInProcess, ["await_return"; 2]),
            (pending, PaymentState::Returned, ["payment_returned"; 2]),
            (pending, PaymentState::SentBack, ["payment_returned"; 2]),
            (pending, PaymentState::Rejected, ["payment_rejected"; 2]),
            (pending, PaymentState::NotSettled, ["payment_rejected"; 2]),
            (pending, PaymentState::Canceled, ["payment_canceled"; 2]),
            (ended, PaymentState::Settled, otherwise),
            (ended, PaymentState::NotFound, otherwise),
            (ended, PaymentState::ReturnInProcess, ["return_pending"; 2]),
            (ended, PaymentState::Returned, ["payment_returned"; 2]),
        ] {
            for (state, expected) in states.into_iter().zip(expected) {
                let found = LookupView {
                    payment: Some(Payment {
                        state: payment,
                        received_at: None,
                        processed_at: None,
                    }),
                    ..lookup(state)
                };
                assert_eq!(code(&found), Some(expected), "{state:?} {payment:?}");
            }
        }
    }

    #[test]
    fn a_contradiction_is_corrected_and_anything_else_compared() {
        for (state, otherwise) in [
            (LookupState::Waiting, "check_meanwhile"),
            (LookupState::NotFound, "check_question"),
        ] {
            assert_eq!(code(&with_hints(state, &[MAYBE])), Some(otherwise));
            let contradicts = with_hints(state, &[MAYBE, WRONG_DIGIT]);
            assert_eq!(code(&contradicts), Some("correct_question"));
            let told = what_to_do(&contradicts, Language::English).unwrap();
            assert!(told.contains("check digit"), "{told}");
        }
    }

    #[test]
    fn banks_that_cannot_be_inferred_are_named() {
        let failed = LookupView {
            unresolved: Some(Unresolved::InferenceFailed {
                issuer: Some(InferenceFailure::UnknownTrackingKeyShape),
                receiver: None,
            }),
            ..lookup(LookupState::Failed)
        };
        let told = what_to_do(&failed, Language::Spanish).unwrap();
        assert!(told.contains("emisor"), "{told}");
        assert!(!told.contains("receptor"), "{told}");
    }

    #[test]
    fn a_valid_seal_alone_leaves_nothing_to_do() {
        let advice = SealVerdict::ALL.map(|verdict| {
            code(&LookupView {
                seal: Some(verdict),
                ..lookup(LookupState::Delivered)
            })
        });
        let expected = [None, Some("reject_proof"), Some("confirm_payment")];
        assert_eq!(advice, expected);
    }
}
