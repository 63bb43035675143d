//! Settlement of an admitted request: its charge, its refund, its record.

use std::time::Duration;

use crate::support::fixture::{Fixture, Holder, ended, fixture_at, fixture_with, month_used};
use crate::support::{disk_full, limits, noon};
use application::{Admission, NotDurable, Settlement};
use domain::limits::{LimitStatus, MonthlyUse};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::participants::ParticipantCode;
use domain::request::RequestId;
use domain::seals::SealVerdict;
use domain::transfer::Banks;
use ports::outbound::RequestEntry;

/// A fixture, and a key that may ask five times a month.
async fn start() -> (Fixture, Holder) {
    fixture_with(limits(10, Some(5))).await
}

impl Fixture {
    async fn settle(
        &self,
        admission: Admission,
        settlement: Settlement,
    ) -> Result<LimitStatus, NotDurable> {
        self.gatekeeper.settle(admission, settlement).await
    }

    /// The only request that was settled.
    fn kept(&self) -> RequestEntry {
        let [kept] = &self.journal.requests()[..] else {
            panic!("one request was settled");
        };
        kept.clone()
    }
}

#[tokio::test]
async fn an_idle_key_that_was_forgotten_comes_back_with_its_counts() {
    let (fixture, holder) = start().await;
    for outcome in [Outcome::Delivered, Outcome::BankTimeout, Outcome::NotFound] {
        fixture.serve(&holder, outcome).await;
    }
    fixture.clock.advance(Duration::from_mins(1));
    assert_eq!(fixture.limiter.in_process().forget_idle(), 1);
    let admission = fixture.ask(&holder).await.unwrap();
    assert_eq!(month_used(&admission), 3);
}

#[tokio::test]
async fn exactly_our_and_the_banks_failures_are_given_back_and_only_a_delivery_keeps_its_seal() {
    for outcome in Outcome::ALL {
        let (fixture, holder) = start().await;
        let admission = fixture.ask(&holder).await.unwrap();
        let settlement = Settlement {
            seal: Some(SealVerdict::Invalid),
            ..ended(outcome)
        };
        let settled = fixture.settle(admission, settlement).await;
        let seal = (outcome == Outcome::Delivered).then_some(SealVerdict::Invalid);
        assert_eq!(fixture.kept().seal, seal, "{outcome:?}");
        let kept = u64::from(!outcome.is_refunded());
        let answered = settled.unwrap().month.unwrap().used;
        assert_eq!(answered, kept, "{outcome:?}, in the answer");
        let stored = MonthlyUse {
            charged: 1,
            refunded: 1 - kept,
        };
        let used = fixture.used(holder.id).await;
        assert_eq!(used, stored, "{outcome:?}, in the store");
        let next = fixture.ask(&holder).await.unwrap();
        assert_eq!(month_used(&next), kept + 1, "{outcome:?}, in the limiter");
        let left = next.limit_status.minute.remaining;
        assert_eq!(left, 8, "{outcome:?}, in the minute");
    }
}

#[tokio::test]
async fn store_and_limiter_agree_after_any_two_outcomes() {
    for first in Outcome::ALL {
        for second in Outcome::ALL {
            let (fixture, holder) = start().await;
            let both = [fixture.ask(&holder).await, fixture.ask(&holder).await];
            for (admission, outcome) in both.into_iter().zip([first, second]) {
                let settled = fixture.settle(admission.unwrap(), ended(outcome));
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
    let settled = fixture.settle(admission, ended(Outcome::BankTimeout));
    settled.await.unwrap();
    let november = Month::of(last_of_november);
    let november = fixture.used_in(holder.id, november).await;
    assert_eq!((november.charged, november.refunded), (1, 1));
    assert_eq!(fixture.used(holder.id).await, MonthlyUse::default());
    let december = fixture.ask(&holder).await.unwrap();
    assert_eq!(month_used(&december), 1);
}

#[tokio::test]
async fn the_answer_says_how_far_the_resets_are_when_it_leaves() {
    let (fixture, holder) = start().await;
    let admission = fixture.ask(&holder).await.unwrap();
    let counted = admission.limit_status;
    let waited = Duration::from_secs(25);
    fixture.clock.advance(waited);
    let settled = fixture.settle(admission, ended(Outcome::Delivered));
    let settled = settled.await.unwrap();
    assert_eq!(settled.minute.reset + waited, counted.minute.reset);
    let (counted, settled) = (counted.month.unwrap(), settled.month.unwrap());
    assert_eq!(settled.reset + waited, counted.reset);
    assert_eq!(settled.reset_at, counted.reset_at);
}

#[tokio::test]
async fn the_outcome_of_a_request_is_recorded() {
    let (fixture, holder) = start().await;
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
    fixture.settle(admission, settlement).await.unwrap();
    let expected = RequestEntry {
        id,
        request_id: RequestId::parse("till-7").unwrap(),
        key: holder.id,
        customer,
        endpoint: Endpoint::Xml,
        outcome: Outcome::BankUnavailable,
        banks: Some(banks),
        at: noon(),
        duration: Duration::from_millis(1_500),
        bank_time: Some(Duration::from_millis(900)),
        refund: Some(Month::of(noon())),
        delivered: Vec::new(),
        seal: None,
    };
    assert_eq!(fixture.kept(), expected);
}

#[tokio::test]
async fn no_answer_leaves_before_its_admission_is_durable() {
    let (fixture, holder) = start().await;
    fixture.ask(&holder).await.unwrap();
    fixture.journal.hold();
    let admission = fixture.ask(&holder).await.unwrap();
    let settled = fixture.settle(admission, ended(Outcome::Delivered));
    let mut settled = Box::pin(settled);
    assert!(futures::poll!(&mut settled).is_pending());
    fixture.journal.release();
    assert_eq!(settled.await.unwrap().month.unwrap().used, 2);
}

#[tokio::test]
async fn an_admission_that_is_not_durable_is_given_back() {
    let (fixture, holder) = start().await;
    fixture.ask(&holder).await.unwrap();
    fixture.journal.fail_with(Some(disk_full()));
    let admission = fixture.ask(&holder).await.unwrap();
    let delivered = Settlement {
        seal: Some(SealVerdict::Valid),
        ..ended(Outcome::Delivered)
    };
    let settled = fixture.settle(admission, delivered);
    let not_durable = settled.await.unwrap_err();
    assert!(not_durable.retry_after > Duration::ZERO);
    let cause = not_durable.cause.to_string();
    assert!(cause.contains("the disk is full"), "{cause}");
    fixture.journal.fail_with(None);
    let used = fixture.used(holder.id).await;
    assert_eq!((used.charged, used.refunded), (2, 1));
    let kept = fixture.kept();
    assert_eq!((kept.outcome, kept.seal), (Outcome::InternalError, None));
    let next = fixture.ask(&holder).await.unwrap();
    assert_eq!(month_used(&next), 2);
}

#[tokio::test]
async fn a_refund_that_the_limiter_missed_is_in_the_store_all_the_same() {
    let (fixture, holder) = start().await;
    let admission = fixture.ask(&holder).await.unwrap();
    fixture.limiter.faults().fail_once_after(0);
    let settled = fixture.settle(admission, ended(Outcome::BankTimeout));
    settled.await.unwrap();
    assert_eq!(fixture.used(holder.id).await.net(), 0);
}
