//! The next step for each state.

use chrono::DateTime;
use domain::account::Account;
use domain::amount::Amount;
use domain::calendar::parse_date;
use domain::keys::{Environment, KeyId};
use domain::lookups::{Attempt, LookupId, Metadata};
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
        ("running", Some("await_answer")),
        ("waiting", Some("check_meanwhile")),
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
        (ended, PaymentState::InProcess, ["payment_pending"; 2]),
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
fn a_failure_is_told_as_it_was() {
    let of = |state, outcome| LookupView {
        last_attempt: Some(Attempt {
            at: DateTime::UNIX_EPOCH,
            outcome,
        }),
        ..lookup(state)
    };
    for (outcome, expected) in [
        (Outcome::BankProtocolError, "could not be understood"),
        (Outcome::BankThrottled, "no more queries"),
        (Outcome::BankTimeout, "did not answer in time"),
        (Outcome::BankUnavailable, "was not available"),
    ] {
        for (state, code) in [
            (LookupState::Waiting, "await_bank"),
            (LookupState::Failed, "ask_again"),
        ] {
            let failed = of(state, outcome);
            assert_eq!(self::code(&failed), Some(code));
            let told = what_to_do(&failed, Language::English).unwrap();
            assert!(told.contains(expected), "{told}");
        }
    }
    let unknown = of(LookupState::Waiting, Outcome::NotFound);
    assert_eq!(code(&unknown), Some("check_meanwhile"));
}

#[test]
fn a_row_that_is_not_begun_says_what_it_waits_for() {
    for (batch, expected) in [
        (BatchState::Running, "turn"),
        (BatchState::Paused, "quota"),
        (BatchState::Canceled, "another batch"),
    ] {
        let row = RowOutcome::NotBegun { batch };
        let told = what_to_do_with_row(&row, Language::English).unwrap();
        assert!(told.contains(expected), "{told}");
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
