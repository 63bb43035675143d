//! Settlement of an admitted request: its charge, its refund, its record.

use std::time::Duration;

use crate::support::fixture::{ended, fixture, fixture_at, month_used};
use crate::support::{disk_full, limits, noon};
use application::Settlement;
use domain::limits::MonthlyUse;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::participant::ParticipantCode;
use domain::seal::SealVerdict;
use domain::transfer::Banks;

#[tokio::test]
async fn an_idle_key_that_was_forgotten_comes_back_with_its_counts() {
    let fixture = fixture();
    let holder = fixture.holder(limits(10, Some(5))).await;
    for outcome in [Outcome::Delivered, Outcome::BankTimeout, Outcome::NotFound] {
        let admission = fixture.ask(&holder).await.unwrap();
        fixture
            .gatekeeper
            .settle(admission, ended(outcome))
            .await
            .unwrap();
    }
    fixture.clock.advance(Duration::from_mins(1));
    assert_eq!(fixture.limiter.in_process().forget_idle(), 1);
    let admission = fixture.ask(&holder).await.unwrap();
    assert_eq!(month_used(&admission), 3);
}

#[tokio::test]
async fn exactly_our_and_the_banks_failures_are_given_back() {
    for outcome in Outcome::ALL {
        let fixture = fixture();
        let holder = fixture.holder(limits(10, Some(5))).await;
        let admission = fixture.ask(&holder).await.unwrap();
        let settled = fixture.gatekeeper.settle(admission, ended(outcome)).await;
        let kept = u64::from(!outcome.is_refunded());
        assert_eq!(
            settled.unwrap().month.unwrap().used,
            kept,
            "{outcome:?}, in the answer"
        );
        let stored = MonthlyUse {
            charged: 1,
            refunded: 1 - kept,
        };
        assert_eq!(
            fixture.used(holder.id).await,
            stored,
            "{outcome:?}, in the store"
        );
        let next = fixture.ask(&holder).await.unwrap();
        assert_eq!(month_used(&next), kept + 1, "{outcome:?}, in the limiter");
        assert_eq!(
            next.limit_status.minute.remaining, 8,
            "{outcome:?}, in the minute"
        );
    }
}

#[tokio::test]
async fn store_and_limiter_agree_after_any_two_outcomes() {
    for first in Outcome::ALL {
        for second in Outcome::ALL {
            let fixture = fixture();
            let holder = fixture.holder(limits(10, Some(5))).await;
            let both = [fixture.ask(&holder).await, fixture.ask(&holder).await];
            for (admission, outcome) in both.into_iter().zip([first, second]) {
                let settled = fixture
                    .gatekeeper
                    .settle(admission.unwrap(), ended(outcome));
                settled.await.unwrap();
            }
            let stored = fixture.used(holder.id).await.net();
            let next = fixture.ask(&holder).await.unwrap();
            assert_eq!(month_used(&next), stored + 1, "{first:?}, {second:?}");
        }
    }
}

#[tokio::test]
async fn a_refund_goes_to_the_month_that_was_charged() {
    let last_of_november = "2026-11-30T23:59:59Z".parse().unwrap();
    let fixture = fixture_at(last_of_november);
    let holder = fixture.holder(limits(10, Some(5))).await;
    let admission = fixture.ask(&holder).await.unwrap();
    fixture.clock.advance(Duration::from_secs(2));
    let settled = fixture
        .gatekeeper
        .settle(admission, ended(Outcome::BankTimeout));
    settled.await.unwrap();
    let november = fixture
        .used_in(holder.id, Month::of(last_of_november))
        .await;
    assert_eq!((november.charged, november.refunded), (1, 1));
    assert_eq!(fixture.used(holder.id).await, MonthlyUse::default());
    let december = fixture.ask(&holder).await.unwrap();
    assert_eq!(month_used(&december), 1);
}

#[tokio::test]
async fn the_answer_says_how_far_the_resets_are_when_it_leaves() {
    let fixture = fixture();
    let holder = fixture.holder(limits(10, Some(5))).await;
    let admission = fixture.ask(&holder).await.unwrap();
    let counted = admission.limit_status;
    let waited = Duration::from_secs(25);
    fixture.clock.advance(waited);
    let settled = fixture
        .gatekeeper
        .settle(admission, ended(Outcome::Delivered));
    let settled = settled.await.unwrap();
    assert_eq!(settled.minute.reset + waited, counted.minute.reset);
    let (counted, settled) = (counted.month.unwrap(), settled.month.unwrap());
    assert_eq!(settled.reset + waited, counted.reset);
    assert_eq!(settled.reset_at, counted.reset_at);
}

#[tokio::test]
async fn the_outcome_of_a_request_is_recorded() {
    let fixture = fixture();
    let holder = fixture.holder(limits(10, Some(5))).await;
    let admission = fixture.ask(&holder).await.unwrap();
    let (id, customer) = (admission.charged.id, admission.charged.customer);
    fixture.clock.advance(Duration::from_millis(1_500));
    let code = |text| ParticipantCode::parse(text).unwrap();
    let banks = Banks {
        issuer: code("40012"),
        receiver: code("40002"),
    };
    let settlement = Settlement {
        outcome: Outcome::BankUnavailable,
        banks: Some(banks),
        bank_time: Some(Duration::from_millis(900)),
        delivered: Vec::new(),
        seal: None,
    };
    fixture
        .gatekeeper
        .settle(admission, settlement)
        .await
        .unwrap();
    let [kept] = &fixture.written.requests()[..] else {
        panic!("one request was settled");
    };
    assert_eq!(
        (kept.id, kept.request_id.as_str(), kept.key),
        (id, "till-7", holder.id)
    );
    assert_eq!(kept.customer, customer);
    assert_eq!(
        (kept.endpoint, kept.outcome),
        (Endpoint::Xml, Outcome::BankUnavailable)
    );
    assert_eq!(
        (kept.at, kept.duration),
        (noon(), Duration::from_millis(1_500))
    );
    assert_eq!(
        (kept.banks, kept.bank_time),
        (Some(banks), Some(Duration::from_millis(900)))
    );
    assert_eq!(kept.refund, Some(Month::of(noon())));
}

#[tokio::test]
async fn the_verdict_on_a_seal_is_recorded_with_a_delivered_proof_alone() {
    for outcome in Outcome::ALL {
        let fixture = fixture();
        let holder = fixture.holder(limits(10, Some(5))).await;
        let admission = fixture.ask(&holder).await.unwrap();
        let settlement = Settlement {
            seal: Some(SealVerdict::Invalid),
            ..ended(outcome)
        };
        let settled = fixture.gatekeeper.settle(admission, settlement);
        settled.await.unwrap();
        let [kept] = &fixture.written.requests()[..] else {
            panic!("one request was settled");
        };
        let expected = (outcome == Outcome::Delivered).then_some(SealVerdict::Invalid);
        assert_eq!(kept.seal, expected, "{outcome:?}");
    }
}

#[tokio::test]
async fn no_answer_leaves_before_its_admission_is_durable() {
    let fixture = fixture();
    let holder = fixture.holder(limits(10, Some(5))).await;
    fixture.ask(&holder).await.unwrap();
    fixture.journal.hold();
    let admission = fixture.ask(&holder).await.unwrap();
    let mut settled = Box::pin(
        fixture
            .gatekeeper
            .settle(admission, ended(Outcome::Delivered)),
    );
    assert!(futures::poll!(&mut settled).is_pending());
    fixture.journal.release();
    assert_eq!(settled.await.unwrap().month.unwrap().used, 2);
}

#[tokio::test]
async fn an_admission_that_is_not_durable_is_given_back() {
    let fixture = fixture();
    let holder = fixture.holder(limits(10, Some(5))).await;
    fixture.ask(&holder).await.unwrap();
    fixture.written.fail_with(Some(disk_full()));
    let admission = fixture.ask(&holder).await.unwrap();
    let delivered = Settlement {
        seal: Some(SealVerdict::Valid),
        ..ended(Outcome::Delivered)
    };
    let settled = fixture.gatekeeper.settle(admission, delivered);
    let not_durable = settled.await.unwrap_err();
    assert!(not_durable.retry_after > Duration::ZERO);
    let cause = not_durable.cause.to_string();
    assert!(cause.contains("the disk is full"), "{cause}");
    fixture.written.fail_with(None);
    let used = fixture.used(holder.id).await;
    assert_eq!((used.charged, used.refunded), (2, 1));
    let [kept] = &fixture.written.requests()[..] else {
        panic!("one request was settled");
    };
    assert_eq!((kept.outcome, kept.seal), (Outcome::InternalError, None));
    let next = fixture.ask(&holder).await.unwrap();
    assert_eq!(month_used(&next), 2);
}

#[tokio::test]
async fn a_refund_that_the_limiter_missed_is_in_the_store_all_the_same() {
    let fixture = fixture();
    let holder = fixture.holder(limits(10, Some(5))).await;
    let admission = fixture.ask(&holder).await.unwrap();
    fixture.limiter.faults().fail_once_after(0);
    let settled = fixture
        .gatekeeper
        .settle(admission, ended(Outcome::BankTimeout));
    settled.await.unwrap();
    assert_eq!(fixture.used(holder.id).await.net(), 0);
}
