//! Bounds on the keys of one customer.

use super::rotation::{rotate_within_plan, successor};
use super::*;

const MOST_ACTIVE: u16 = 10;

/// The `number`th key, and the act that adds it, both at an instant.
fn dated(number: u16, at: DateTime<Utc>) -> (KeyRecord, AuditContext) {
    let mut new = record(number);
    new.key.created_at = at;
    let act = AuditContext { at, ..act(number) };
    (new, act)
}

/// Adds a key; `Err` is the bound that was reached.
async fn add(stores: &Stores, number: u16, at: DateTime<Utc>) -> Result<(), BoundReached> {
    let (new, act) = dated(number, at);
    let added = stores.keys.insert(new, KeyBounds::OfPlan, &act).await;
    added.map_err(|error| match error {
        InsertError::Bound(bound) => bound,
        other => panic!("{other:?}"),
    })
}

/// Rotates the `number`th key to the `next`th one; `Err` is the bound that was reached.
async fn rotate(
    stores: &Stores,
    (number, next): (u16, u16),
    at: DateTime<Utc>,
    grace: TimeDelta,
) -> Result<(), BoundReached> {
    let act = AuditContext { at, ..act(next) };
    let (id, successor, retires_at) = (record(number).key.id, successor(next), at + grace);
    let rotated = rotate_within_plan(stores, Scope::Everybody, id, &successor, retires_at, &act);
    rotated.await.map(drop).map_err(|error| match error {
        RotateError::Bound(bound) => bound,
        other => panic!("{other:?}"),
    })
}

/// An hour and more for each number: nothing else was added in its last hour.
fn hour(number: u16) -> DateTime<Utc> {
    instant(0) + NEW_KEYS_SPAN * i32::from(number)
}

async fn enterprise(stores: &Stores) {
    stores.enrolled(1).await;
    let (id, plan) = (customer(1).id, Plan::Enterprise);
    stores.set_plan(id, plan, 60_000).await;
}

const FULL: BoundReached = BoundReached::Active { most: 10 };

pub(super) async fn a_customer_has_no_more_active_keys_than_its_plan_allows(under_test: Pair) {
    let Pair { here, .. } = under_test;
    here.enrolled(1).await;
    let other = here.enrolled(2).await;
    for number in 1..=MOST_ACTIVE {
        assert_eq!(add(&here, number, hour(number)).await, Ok(()));
    }
    let before = here.contents().await;
    assert_eq!(add(&here, 11, hour(11)).await, Err(FULL));
    assert_eq!(here.contents().await, before);
    let (bounds, anothers) = (KeyBounds::OfPlan, record_of(&other, 12));
    let anothers = here.keys.insert(anothers, bounds, &act(12)).await;
    anothers.expect("each customer is counted by itself");
    // An operator has no bound.
    here.insert(record(13), 13).await;
    here.changed(record(13).key.id, KeyChange::Revoke, 14).await;

    // A retiring key counts, and so does its successor, which takes the place of a revoked one.
    let beside = rotate(&here, (1, 15), hour(15), NEW_KEYS_SPAN).await;
    assert_eq!(beside, Err(FULL));
    let instead = rotate(&here, (1, 16), hour(16), TimeDelta::zero()).await;
    assert_eq!(instead, Ok(()));

    here.changed(record(2).key.id, KeyChange::Revoke, 17).await;
    let added = add(&here, 18, hour(18)).await;
    assert_eq!(added, Ok(()), "a revoked key doesn't count");
    enterprise(&here).await;
    // The plan decides, whatever limits the keys have.
    assert_eq!(add(&here, 19, hour(19)).await, Ok(()));
}

pub(super) async fn a_customer_adds_no_more_keys_in_an_hour_than_allowed(Pair { here, .. }: Pair) {
    enterprise(&here).await;
    let minute = |minute| instant(0) + TimeDelta::minutes(minute);
    let most = u16::try_from(MOST_NEW_KEYS).expect("a bound of the suite");
    assert_eq!(add(&here, 1, minute(1)).await, Ok(()));
    for number in 2..=most {
        let (keys, at) = ((number - 1, number), minute(number.into()));
        let rotated = rotate(&here, keys, at, TimeDelta::zero()).await;
        assert_eq!(rotated, Ok(()), "a rotation counts as a creation");
    }
    let later = minute(59);
    let reached = Err(BoundReached::New {
        retry_after: std::time::Duration::from_mins(2),
    });
    assert_eq!(add(&here, 30, later).await, reached);
    for grace in [TimeDelta::zero(), NEW_KEYS_SPAN] {
        assert_eq!(rotate(&here, (most, 31), later, grace).await, reached);
    }
    // An hour has passed since the first, and less since the second.
    assert_eq!(add(&here, 32, minute(61)).await, Ok(()));
    let refused = add(&here, 33, minute(61)).await;
    refused.expect_err("the second is less than an hour old");
}

/// Creations and rotations through two processes: exactly as many succeed as there is room for.
pub(super) async fn of_many_concurrent_new_keys_as_many_are_added_as_there_is_room_for(pair: Pair) {
    pair.here.enrolled(1).await;
    for number in 1..=5 {
        assert_eq!(add(&pair.here, number, hour(number)).await, Ok(()));
    }
    let at = hour(100);
    let attempt = async |stores: &Stores, number: u16| {
        let attempted = if number <= 5 {
            rotate(stores, (number, 20 + number), at, NEW_KEYS_SPAN).await
        } else {
            add(stores, 20 + number, at).await
        };
        succeeds(attempted, |bound| *bound == FULL)
    };
    assert_eq!(pair.succeeding(1..=20, attempt).await, 5);
    let all = listed(&pair.here, Scope::Everybody, &everything()).await;
    assert_eq!(all.len(), usize::from(MOST_ACTIVE));
}

pub(super) async fn of_many_concurrent_new_keys_of_an_hour_exactly_the_bound_is_added(pair: Pair) {
    enterprise(&pair.here).await;
    let add = async |stores: &Stores, number| {
        let added = add(stores, number, hour(1)).await;
        succeeds(added, |bound| matches!(bound, BoundReached::New { .. }))
    };
    assert_eq!(pair.succeeding(1..=40, add).await, MOST_NEW_KEYS);
}
