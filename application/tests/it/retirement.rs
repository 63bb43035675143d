//! Retirement of keys whose grace period is over.

use std::time::Duration;

use crate::support::fixture::{Fixture, Holder, fixture};
use crate::support::{OWN, limits, operator};
use application::{AdmissionError, Retirement};
use domain::audit::{Action, AuditFilter};
use domain::keys::{KeyId, KeyStatus};
use domain::page::{PageRequest, PageSize};
use domain::people::customer::Owner;
use ports::outbound::AuditLog;
use testkit::fakes::CountingRandom;

const HOUR: Duration = Duration::from_hours(1);

fn retirement(fixture: &Fixture) -> Retirement {
    let random = std::sync::Arc::new(CountingRandom::default());
    let (store, limiter) = (fixture.store.clone(), fixture.limiter.clone());
    Retirement::new(store, limiter, fixture.clock.clone(), random)
}

/// A key of the operator's that was rotated, and retires after so many hours.
async fn retiring(fixture: &Fixture, hours: u32) -> Holder {
    let holder = fixture.holder(limits(60, None)).await;
    fixture.ask(&holder).await.unwrap();
    fixture.rotate(&holder, hours).await;
    holder
}

async fn status(fixture: &Fixture, id: KeyId) -> KeyStatus {
    let found = fixture.keys.find(&operator(), OWN, id).await;
    found.unwrap().key.status()
}

#[tokio::test]
async fn a_key_retires_when_its_grace_is_over_and_not_before() {
    let fixture = fixture();
    let retirement = retirement(&fixture);
    let (soon, later) = (retiring(&fixture, 1).await, retiring(&fixture, 2).await);
    let moment = Duration::from_millis(1);
    fixture.clock.advance(HOUR.saturating_sub(moment));
    assert_eq!(retirement.sweep().await.unwrap(), 0);
    fixture.ask(&soon).await.unwrap();
    fixture.clock.advance(moment);
    assert_eq!(retirement.sweep().await.unwrap(), 1);
    let refusal = fixture.ask(&soon).await.unwrap_err();
    assert!(matches!(refusal, AdmissionError::InvalidKey));
    assert_eq!(status(&fixture, soon.id).await, KeyStatus::Revoked);
    assert_eq!(status(&fixture, later.id).await, KeyStatus::Retiring);
    fixture.ask(&later).await.unwrap();
    assert_eq!(retirement.sweep().await.unwrap(), 0, "once is enough");
    fixture.clock.advance(HOUR);
    assert_eq!(retirement.sweep().await.unwrap(), 1);
}

#[tokio::test]
async fn a_retirement_is_in_the_audit_log_as_the_gateways() {
    let fixture = fixture();
    let holder = retiring(&fixture, 1).await;
    fixture.clock.advance(HOUR);
    let (one, other) = (retirement(&fixture), retirement(&fixture));
    futures::join!(one.sweep(), other.sweep()).0.unwrap();
    let filter = AuditFilter {
        key: Some(holder.id),
        ..AuditFilter::default()
    };
    let ask = PageRequest::first(PageSize::MAX);
    let log = fixture.data.audit(&filter, &ask).await.unwrap();
    let entries = log.items.iter().map(|(_, entry)| entry);
    let revocations = entries.filter(|entry| entry.action == Action::KeyRevoked);
    let actors: Vec<_> = revocations.map(|entry| &entry.act.actor).collect();
    assert_eq!(actors, [&Owner::gateway()]);
}

#[tokio::test]
async fn a_retirement_that_the_limiter_missed_is_applied_by_the_change_feed() {
    let fixture = fixture();
    let feed = fixture.change_feed().await;
    let holders = [retiring(&fixture, 1).await, retiring(&fixture, 1).await];
    feed.poll().await.unwrap();
    fixture.clock.advance(HOUR);
    fixture.limiter.faults().fail_once_after(0);
    assert_eq!(retirement(&fixture).sweep().await.unwrap(), 2);
    feed.poll().await.unwrap();
    for holder in &holders {
        let refusal = fixture.ask(holder).await.unwrap_err();
        assert!(matches!(refusal, AdmissionError::InvalidKey), "{refusal:?}");
    }
}

#[tokio::test]
async fn any_number_of_keys_that_a_failing_store_left_retires_at_once_later() {
    let fixture = fixture();
    for _ in 0..250 {
        retiring(&fixture, 1).await;
    }
    fixture.clock.advance(HOUR);
    fixture.store.go_down();
    let retirement = retirement(&fixture);
    retirement.sweep().await.unwrap_err();
    fixture.store.come_back();
    assert_eq!(retirement.sweep().await.unwrap(), 250);
    assert_eq!(retirement.sweep().await.unwrap(), 0);
}
