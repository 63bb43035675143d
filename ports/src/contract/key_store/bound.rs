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

async fn add(stores: &Stores, number: u16, at: DateTime<Utc>) -> Result<(), InsertError> {
    let (new, act) = dated(number, at);
    stores.keys.insert(new, KeyBounds::OfPlan, &act).await
}

/// Rotates the `number`th key to the `next`th one.
async fn rotate(
    stores: &Stores,
    number: u16,
    next: u16,
    at: DateTime<Utc>,
    grace: TimeDelta,
) -> Result<(), RotateError> {
    let act = AuditContext { at, ..act(next) };
    let (id, successor, retires_at) = (record(number).key.id, successor(next), at + grace);
    let rotated = rotate_within_plan(stores, Scope::Everybody, id, &successor, retires_at, &act);
    rotated.await.map(drop)
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

pub(super) async fn a_customer_has_no_more_active_keys_than_its_plan_allows(
    Pair { here, .. }: Pair,
) {
    here.enrolled(1).await;
    let other = here.enrolled(2).await;
    for number in 1..=MOST_ACTIVE {
        let added = add(&here, number, hour(number)).await;
        added.expect("there is room for it");
    }
    let refused = add(&here, 11, hour(11)).await;
    assert!(
        matches!(refused, Err(InsertError::Bound(FULL))),
        "{refused:?}"
    );
    let (bounds, anothers) = (KeyBounds::OfPlan, record_of(&other, 12));
    let anothers = here.keys.insert(anothers, bounds, &act(12)).await;
    anothers.expect("each customer is counted by itself");
    let operators = (KeyBounds::Unbounded, record(13));
    let operators = here.keys.insert(operators.1, operators.0, &act(13)).await;
    operators.expect("an operator has no bound");
    here.changed(record(13).key.id, KeyChange::Revoke, 14).await;

    let beside = rotate(&here, 1, 15, hour(15), NEW_KEYS_SPAN).await;
    assert!(
        matches!(beside, Err(RotateError::Bound(FULL))),
        "a retiring key counts, and so does its successor: {beside:?}"
    );
    let instead = rotate(&here, 1, 16, hour(16), TimeDelta::zero()).await;
    instead.expect("a successor takes the place of a revoked key");

    here.changed(record(2).key.id, KeyChange::Revoke, 17).await;
    let added = add(&here, 18, hour(18)).await;
    added.expect("a revoked key doesn't count");
    enterprise(&here).await;
    let added = add(&here, 19, hour(19)).await;
    added.expect("the plan decides, whatever limits the keys have");
}

pub(super) async fn a_customer_adds_no_more_keys_in_an_hour_than_allowed(Pair { here, .. }: Pair) {
    enterprise(&here).await;
    let minute = |minute| instant(0) + TimeDelta::minutes(minute);
    let most = u16::try_from(MOST_NEW_KEYS).expect("a bound of the suite");
    add(&here, 1, minute(1)).await.expect("the first");
    for number in 2..=most {
        let (at, at_once) = (minute(number.into()), TimeDelta::zero());
        let rotated = rotate(&here, number - 1, number, at, at_once).await;
        rotated.expect("a rotation counts as a creation");
    }
    let later = minute(59);
    let left = BoundReached::New {
        retry_after: std::time::Duration::from_mins(2),
    };
    let refused = add(&here, 30, later).await;
    assert!(
        matches!(refused, Err(InsertError::Bound(bound)) if bound == left),
        "{refused:?}"
    );
    for grace in [TimeDelta::zero(), NEW_KEYS_SPAN] {
        let refused = rotate(&here, most, 31, later, grace).await;
        assert!(
            matches!(refused, Err(RotateError::Bound(bound)) if bound == left),
            "{refused:?}"
        );
    }
    let added = add(&here, 32, minute(61)).await;
    added.expect("an hour has passed since the first");
    let refused = add(&here, 33, minute(61)).await;
    refused.expect_err("the second is less than an hour old");
}

/// Creations and rotations through two processes: exactly as many succeed as there is room for.
pub(super) async fn of_many_concurrent_new_keys_as_many_are_added_as_there_is_room_for(pair: Pair) {
    pair.here.enrolled(1).await;
    for number in 1..=5 {
        let added = add(&pair.here, number, hour(number)).await;
        added.expect("there is room for it");
    }
    let at = hour(100);
    let attempt = async |stores: &Stores, number: u16| {
        if number <= 5 {
            let rotated = rotate(stores, number, 20 + number, at, NEW_KEYS_SPAN).await;
            return rotated.map_err(|error| matches!(error, RotateError::Bound(FULL)));
        }
        let added = add(stores, 20 + number, at).await;
        added.map_err(|error| matches!(error, InsertError::Bound(FULL)))
    };
    let results = pair.at_once(1..=20, attempt).await;
    let added = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!(added, 5, "{results:?}");
    assert!(!results.contains(&Err(false)), "{results:?}");
    let all = listed(&pair.here, Scope::Everybody, &everything()).await;
    assert_eq!(all.len(), usize::from(MOST_ACTIVE));
}

pub(super) async fn of_many_concurrent_new_keys_of_an_hour_exactly_the_bound_is_added(pair: Pair) {
    enterprise(&pair.here).await;
    let add = async |stores: &Stores, number| add(stores, number, hour(1)).await;
    let results = pair.at_once(1..=40, add).await;
    let added = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!(added, MOST_NEW_KEYS, "{results:?}");
    let refused = |result: &&Result<_, _>| {
        matches!(result, Err(InsertError::Bound(BoundReached::New { .. })))
    };
    assert_eq!(results.iter().filter(refused).count(), 20, "{results:?}");
}
