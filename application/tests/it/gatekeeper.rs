//! Admission: the order of its checks, and its calls of the store.

use std::sync::Arc;
use std::time::Duration;

use crate::support::fixture::{HERE, fixture, fixture_with, month_used, request};
use crate::support::{Elsewhere, WatchedKeys, disk_full, limits, noon, operator};
use application::{
    Admission, AdmissionError, AdmissionRequest, NamedKey, RequestKey, RequestedScope,
};
use chrono::TimeDelta;
use domain::keys::{CountedKey, Environment, FullKey};
use domain::limits::MonthlyUse;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use ports::outbound::{Limiter, RefusalEntry, Verdict};
use testkit::fakes::{DRIVER_ERROR, Fault};

mod hydration;

/// The same key with another last character.
fn with_wrong_secret(secret: &FullKey) -> String {
    let mut text = secret.reveal().to_owned();
    let last = text.pop().unwrap();
    text.push(if last == 'a' { 'b' } else { 'a' });
    text
}

#[track_caller]
fn assert_invalid_key(admission: Result<Admission, AdmissionError>) {
    let refusal = admission.unwrap_err();
    assert!(matches!(refusal, AdmissionError::InvalidKey), "{refusal:?}");
}

#[track_caller]
fn assert_unavailable(admission: Result<Admission, AdmissionError>) {
    let refusal = admission.unwrap_err();
    let is_unavailable = matches!(refusal, AdmissionError::Unavailable { .. });
    assert!(is_unavailable, "{refusal:?}");
}

#[tokio::test]
async fn a_missing_or_malformed_key_is_refused_without_asking_the_store() {
    let (fixture, holder) = fixture_with(limits(10, None)).await;
    let cut = &holder.secret.reveal()[..41];
    let malformed = ["", "cep_live_", "Bearer x", cut].map(Some);
    for key in malformed.into_iter().chain([None]) {
        assert_invalid_key(fixture.present(key, HERE).await);
    }
    let readings = (fixture.store.look_ups(), fixture.store.snapshots_read());
    assert_eq!(readings, (0, 0));
}

#[tokio::test]
async fn a_wrong_secret_is_refused_before_limits_are_read() {
    let (fixture, holder) = fixture_with(limits(10, None)).await;
    let wrong = with_wrong_secret(&holder.secret);
    for _ in 0..3 {
        assert_invalid_key(fixture.present(Some(&wrong), HERE).await);
    }
    assert_eq!(fixture.store.snapshots_read(), 0);
    assert_eq!(fixture.used(holder.id).await, MonthlyUse::default());
    let admission = fixture.ask(&holder).await.unwrap();
    assert_eq!(admission.limit_status.minute.remaining, 9);
}

#[tokio::test]
async fn a_key_that_another_process_revoked_before_its_first_request_is_refused() {
    let (fixture, holder) = fixture_with(limits(10, None)).await;
    fixture.data.revoke_key(holder.id).await;
    assert_invalid_key(fixture.ask(&holder).await);
}

#[tokio::test]
async fn a_named_key_is_charged_like_a_presented_one_until_it_is_revoked() {
    let (fixture, holder) = fixture_with(limits(10, Some(100))).await;
    let presented = fixture.ask(&holder).await.unwrap();
    let named = || AdmissionRequest {
        key: RequestKey::Named(NamedKey {
            key: presented.charged.key,
            customer: presented.charged.customer,
            environment: presented.environment,
        }),
        ..request(None, HERE)
    };
    let admission = fixture.gatekeeper.admit(named()).await.unwrap();
    assert_eq!(admission.charged.key, presented.charged.key);
    assert_eq!(admission.charged.customer, presented.charged.customer);
    assert_eq!(admission.environment, Environment::Test);
    assert_eq!(month_used(&admission), 2);
    fixture.revoke(&holder).await;
    let refusal = fixture.gatekeeper.admit(named()).await.unwrap_err();
    assert!(matches!(refusal, AdmissionError::NoSuchKey), "{refusal:?}");
}

#[tokio::test]
async fn an_admission_describes_its_request() {
    let (fixture, holder) = fixture_with(limits(10, Some(100))).await;
    let first = fixture.ask(&holder).await.unwrap();
    assert_eq!(first.environment, Environment::Test);
    let charged = &first.charged;
    assert_eq!(charged.key, CountedKey::first(holder.id));
    let request = (charged.endpoint, charged.request_id.as_str());
    assert_eq!(request, (Endpoint::Xml, "till-7"));
    let time = (charged.admitted_at, charged.month);
    assert_eq!(time, (noon(), Month::of(noon())));
    let (minute, month) = (first.limit_status.minute, first.limit_status.month.unwrap());
    assert_eq!((minute.limit, minute.remaining), (10, 9));
    assert_eq!((month.limit, month.used), (100, 1));
    let second = fixture.ask(&holder).await.unwrap();
    assert_ne!(first.charged.id, second.charged.id, "an id was given twice");
}

#[tokio::test]
async fn a_minute_that_is_used_up_is_refused_until_a_unit_returns() {
    let (fixture, holder) = fixture_with(limits(3, Some(100))).await;
    for _ in 0..3 {
        fixture.ask(&holder).await.unwrap();
        fixture.clock.advance(Duration::from_secs(10));
    }
    let Err(AdmissionError::RateLimited {
        key,
        limit_status,
        retry_after,
    }) = fixture.ask(&holder).await
    else {
        panic!("the fourth request of a minute was not refused");
    };
    assert_eq!(key, (holder.id, Environment::Test));
    let minute = limit_status.minute;
    assert_eq!((minute.limit, minute.remaining), (3, 0));
    assert_eq!(limit_status.month.unwrap().used, 3, "a refusal was charged");
    assert_eq!(retry_after, Duration::from_secs(30));
    fixture.clock.advance(retry_after);
    fixture.ask(&holder).await.unwrap();
    assert_eq!(fixture.used(holder.id).await.charged, 4);
}

#[tokio::test]
async fn a_month_that_is_used_up_is_refused_until_it_ends() {
    let (fixture, holder) = fixture_with(limits(100, Some(3))).await;
    for _ in 0..3 {
        fixture.ask(&holder).await.unwrap();
    }
    let Err(AdmissionError::QuotaExceeded {
        key,
        limit_status,
        month,
    }) = fixture.ask(&holder).await
    else {
        panic!("the fourth request of a month was not refused");
    };
    assert_eq!(key, (holder.id, Environment::Test));
    assert_eq!((month.limit, month.used, month.remaining()), (3, 3, 0));
    assert_eq!(month.reset_at, Month::of(noon()).end());
    assert_eq!(limit_status.month, Some(month));
    let left = limit_status.minute.remaining;
    assert_eq!(left, 97, "a refusal took from the minute");
    assert_eq!(fixture.used(holder.id).await.charged, 3);
    fixture.clock.advance(month.reset);
    fixture.ask(&holder).await.unwrap();
}

#[tokio::test]
async fn refusals_of_limits_are_journaled_and_no_others() {
    let (fixture, holder) = fixture_with(limits(2, Some(3))).await;
    let customer = fixture.ask(&holder).await.unwrap().charged.customer;
    fixture.ask(&holder).await.unwrap();
    fixture.ask(&holder).await.unwrap_err();
    fixture.clock.advance(Duration::from_mins(1));
    fixture.ask(&holder).await.unwrap();
    fixture.ask(&holder).await.unwrap_err();
    let refusal = |outcome, minutes| RefusalEntry {
        key: holder.id,
        customer,
        endpoint: Endpoint::Xml,
        outcome,
        at: noon() + TimeDelta::minutes(minutes),
    };
    let expected = [
        refusal(Outcome::RateLimited, 0),
        refusal(Outcome::QuotaExceeded, 1),
    ];
    assert_eq!(fixture.journal.refusals(), expected);

    let wrong = with_wrong_secret(&holder.secret);
    fixture.present(Some(&wrong), HERE).await.unwrap_err();
    fixture.present(None, HERE).await.unwrap_err();
    let unknown = Some("cep_test_Unknown1.0123456789abcdefghijABCD");
    fixture.present(unknown, HERE).await.unwrap_err();
    fixture.data.revoke_key(holder.id).await;
    let limiter = fixture.limiter.in_process();
    limiter.forget(CountedKey::first(holder.id)).await.unwrap();
    fixture.ask(&holder).await.unwrap_err();
    assert_eq!(fixture.journal.refusals().len(), 2, "no key, no statistics");
}

#[tokio::test]
async fn a_store_that_fails_admits_only_known_keys() {
    let fixture = fixture();
    let known = fixture.holder(limits(10, None)).await;
    let stranger = fixture.holder(limits(10, None)).await;
    fixture.ask(&known).await.unwrap();
    fixture.store.go_down();
    let known = fixture.ask(&known).await;
    known.expect("the limiter knows this key");
    for _ in 0..100 {
        let Err(AdmissionError::Unavailable { retry_after, cause }) = fixture.ask(&stranger).await
        else {
            panic!("a key that can't be read was not refused as such");
        };
        assert!(retry_after > Duration::ZERO);
        assert!(cause.to_string().contains(DRIVER_ERROR), "{cause}");
    }
    fixture.store.come_back();
    let served = fixture.ask(&stranger).await;
    served.expect("a failing store was counted as guessing");
}

#[tokio::test]
async fn counters_that_cannot_be_read_and_a_limiter_that_fails_admit_no_request() {
    let (fixture, holder) = fixture_with(limits(10, None)).await;
    fixture.journal.fail_with(Some(disk_full()));
    assert_unavailable(fixture.ask(&holder).await);
    fixture.journal.fail_with(None);
    fixture.ask(&holder).await.unwrap();
    fixture.limiter.faults().fail_once_after(0);
    assert_unavailable(fixture.ask(&holder).await);
    let admission = fixture.ask(&holder).await.unwrap();
    let left = admission.limit_status.minute.remaining;
    assert_eq!(left, 8, "a failure was counted");
}

#[tokio::test]
async fn a_request_that_could_not_be_written_down_is_not_admitted_and_the_store_not_read() {
    let (fixture, holder) = fixture_with(limits(10, Some(100))).await;
    let stranger = fixture.holder(limits(10, None)).await;
    fixture.ask(&holder).await.unwrap();
    fixture.journal.refuse_with(Some(disk_full()));
    fixture.store.go_down();
    for holder in [&holder, &stranger].repeat(10) {
        let Err(AdmissionError::Unavailable { retry_after, cause }) = fixture.ask(holder).await
        else {
            panic!("admitted although nothing can be written");
        };
        assert!(retry_after > Duration::ZERO);
        assert!(cause.to_string().contains("the disk is full"), "{cause}");
    }
    // A caller without a key gets the same answer as before.
    assert_invalid_key(fixture.present(Some("cep_live_nonsense"), HERE).await);
    fixture.journal.refuse_with(None);
    fixture.store.come_back();
    let admission = fixture.ask(&holder).await.unwrap();
    let left = admission.limit_status.minute.remaining;
    let taken = (left, month_used(&admission));
    assert_eq!(taken, (8, 2), "something was taken for refusals");
}
