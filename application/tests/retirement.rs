//! Keys whose time of grace is over revoke themselves.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::time::Duration;

use application::{KeyWatch, Retirement};
use domain::audit::{Action, AuditFilter};
use domain::customer::Role;
use domain::key::{Environment, Grace, KeyId, KeyName, KeyStatus, Owner};
use domain::page::{PageRequest, PageSize};
use ports::inbound::{AdmissionError, KeyAdministration, NewKey, RequestedScope};
use ports::outbound::AuditLog;
use support::house::{Holder, House, house};
use support::person;
use testkit::fakes::CountingRandom;

fn retirement(house: &House) -> Retirement {
    let random = std::sync::Arc::new(CountingRandom::default());
    let (store, limiter) = (house.store.clone(), house.limiter.clone());
    Retirement::new(store, limiter, house.clock.clone(), random)
}

/// A key that was rotated, and retires after so many hours.
async fn retiring(house: &House, hours: u32) -> Holder {
    let ana = person("ana", Role::Member);
    let order = NewKey {
        name: KeyName::parse("till").unwrap(),
        environment: Environment::Test,
        limits: None,
    };
    let created = house.keys.create(&ana, order).await.unwrap();
    let holder = Holder {
        id: created.key.key.id,
        secret: created.secret,
    };
    house.ask(&holder).await.unwrap();
    let grace = Grace::from_hours(hours).unwrap();
    house.keys.rotate(&ana, holder.id, grace).await.unwrap();
    holder
}

async fn status(house: &House, id: KeyId) -> KeyStatus {
    let ana = person("ana", Role::Member);
    let found = house.keys.find(&ana, RequestedScope::Own, id).await;
    found.unwrap().key.status()
}

#[tokio::test]
async fn a_key_retires_when_its_grace_is_over_and_not_before() {
    let house = house();
    let retirement = retirement(&house);
    let (soon, later) = (retiring(&house, 1).await, retiring(&house, 2).await);
    house
        .clock
        .advance(Duration::from_millis(60 * 60 * 1_000 - 1));
    assert_eq!(retirement.sweep().await.unwrap(), 0);
    house.ask(&soon).await.unwrap();
    house.clock.advance(Duration::from_millis(1));
    assert_eq!(retirement.sweep().await.unwrap(), 1);
    let refusal = house.ask(&soon).await.unwrap_err();
    assert!(matches!(refusal, AdmissionError::InvalidKey));
    assert_eq!(status(&house, soon.id).await, KeyStatus::Revoked);
    assert_eq!(status(&house, later.id).await, KeyStatus::Retiring);
    house.ask(&later).await.unwrap();
    assert_eq!(retirement.sweep().await.unwrap(), 0, "once is enough");
    house.clock.advance(Duration::from_hours(1));
    assert_eq!(retirement.sweep().await.unwrap(), 1);
}

#[tokio::test]
async fn a_retirement_is_written_down_as_the_gateways() {
    let house = house();
    let holder = retiring(&house, 1).await;
    house.clock.advance(Duration::from_hours(1));
    let (one, other) = (retirement(&house), retirement(&house));
    futures::join!(one.sweep(), other.sweep()).0.unwrap();
    let filter = AuditFilter {
        key: Some(holder.id),
        ..AuditFilter::default()
    };
    let ask = PageRequest::first(PageSize::MAX);
    let log = house.data.audit(&filter, &ask).await.unwrap();
    let entries = log.items.iter().map(|(_, entry)| entry);
    let revocations = entries.filter(|entry| entry.action == Action::KeyRevoked);
    let actors: Vec<_> = revocations.map(|entry| &entry.act.actor).collect();
    assert_eq!(actors, [&Owner::gateway()]);
}

#[tokio::test]
async fn any_number_of_keys_retires_at_once() {
    let house = house();
    for _ in 0..250 {
        retiring(&house, 1).await;
    }
    house.clock.advance(Duration::from_hours(1));
    let retirement = retirement(&house);
    assert_eq!(retirement.sweep().await.unwrap(), 250);
    assert_eq!(retirement.sweep().await.unwrap(), 0);
}

#[tokio::test]
async fn a_limiter_that_fails_hears_of_it_by_the_watch() {
    let house = house();
    let watch = KeyWatch::start(
        house.store.clone(),
        house.limiter.clone(),
        house.clock.clone(),
    );
    let watch = watch.await.unwrap();
    let holders = [retiring(&house, 1).await, retiring(&house, 1).await];
    watch.catch_up().await.unwrap();
    house.clock.advance(Duration::from_hours(1));
    house.limiter.fail_once_after(0);
    assert_eq!(retirement(&house).sweep().await.unwrap(), 2);
    watch.catch_up().await.unwrap();
    for holder in &holders {
        let refusal = house.ask(holder).await.unwrap_err();
        assert!(matches!(refusal, AdmissionError::InvalidKey), "{refusal:?}");
    }
}

#[tokio::test]
async fn what_a_failing_store_left_is_swept_later() {
    let house = house();
    let holder = retiring(&house, 1).await;
    house.clock.advance(Duration::from_hours(1));
    house.store.go_down();
    let retirement = retirement(&house);
    retirement.sweep().await.unwrap_err();
    house.store.come_back();
    assert_eq!(retirement.sweep().await.unwrap(), 1);
    assert_eq!(status(&house, holder.id).await, KeyStatus::Revoked);
}
