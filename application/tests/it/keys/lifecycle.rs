//! Life cycle of keys: creation, rotation, revocation, limits.

use super::*;

#[tokio::test]
async fn a_customer_has_no_more_active_keys_than_its_plan_allows() {
    let fixture = fixture();
    let mut last = None;
    for _ in 0..Plan::Startup.most_active_keys() {
        last = Some(fixture.created_by(&ANA).await.key.key.id);
    }
    let last = last.unwrap();
    let refused = |result: Result<(), KeyError>| matches!(result, Err(KeyError::TooManyKeys { most }) if most == 10);
    let keys = &fixture.keys;
    let another = keys.create(&ANA, order(None)).await.map(drop);
    assert!(refused(another));
    // With a grace period both would be active; without, one takes the other's place.
    let beside = keys.rotate(&ANA, last, hours(1)).await.map(drop);
    assert!(refused(beside));
    let instead = keys.rotate(&ANA, last, hours(0)).await.unwrap();
    let another = keys.create(&ANA, order(None)).await.map(drop);
    assert!(refused(another));
    let new = instead.new.key.key.id;
    fixture.revoke_own(&ANA, new).await.unwrap();
    fixture.created_by(&ANA).await;
    fixture.created_by(&LUIS).await;
}

#[tokio::test]
async fn a_customer_creates_or_rotates_no_more_keys_in_an_hour_than_allowed() {
    let fixture = fixture();
    let keys = &fixture.keys;
    let mut id = fixture.created_by(&ANA).await.key.key.id;
    fixture.clock.advance(Duration::from_mins(10));
    for _ in 1..MOST_NEW_KEYS {
        let rotated = keys.rotate(&ANA, id, hours(0)).await.unwrap();
        id = rotated.new.key.key.id;
    }
    let refused = |result: Result<(), KeyError>| {
        let Err(KeyError::TooManyNewKeys { retry_after }) = result else {
            panic!("{result:?}");
        };
        assert_eq!(retry_after, Duration::from_mins(50));
    };
    refused(keys.create(&ANA, order(None)).await.map(drop));
    refused(keys.rotate(&ANA, id, hours(0)).await.map(drop));
    fixture.created_by(&LUIS).await;
    fixture.clock.advance(Duration::from_mins(50));
    keys.rotate(&ANA, id, hours(0)).await.unwrap();
    for _ in 0..=MOST_NEW_KEYS {
        keys.create(&operator(), order(None)).await.unwrap();
    }
}

#[tokio::test]
async fn a_successor_is_created_with_the_use_of_its_predecessor() {
    let (fixture, created) = start().await;
    let mut secret = created.secret;
    let mut id = created.key.key.id;
    for used in 1..=3 {
        assert!(fixture.is_admitted(secret.reveal()).await);
        let rotated = fixture.keys.rotate(&ANA, id, hours(1)).await.unwrap();
        assert_eq!(rotated.new.key.used.net(), used);
        assert_eq!(rotated.old.used.net(), used);
        (id, secret) = (rotated.new.key.key.id, rotated.new.secret);
    }
}

#[tokio::test]
async fn a_prefix_that_another_key_has_is_drawn_again() {
    let fixture = fixture();
    fixture.data.take_next_prefixes(7);
    let id = fixture.created_by(&ANA).await.key.key.id;
    fixture.data.take_next_prefixes(7);
    fixture.keys.rotate(&ANA, id, hours(0)).await.unwrap();
    fixture.data.take_next_prefixes(8);
    let never = fixture.keys.create(&ANA, order(None)).await;
    assert!(matches!(never, Err(KeyError::Store(_))));
    let listed = fixture.listed(&ANA, OWN).await.unwrap();
    assert_eq!(listed.len(), 2);
}

#[tokio::test]
async fn a_revoked_key_is_refused_once_its_revocation_is_acknowledged() {
    let (fixture, created) = start().await;
    let (id, secret) = (created.key.key.id, created.secret.reveal());
    assert!(fixture.is_admitted(secret).await);
    let before = fixture.store.snapshots_read();
    let revoked = fixture.revoke_own(&ANA, id).await.unwrap();
    assert_eq!(fixture.store.batches(), [1], "its snapshot is read once");
    assert_eq!(fixture.store.snapshots_read(), before);
    assert_eq!(revoked.key.revoked_at, Some(noon()));
    for _ in 0..3 {
        assert!(!fixture.is_admitted(secret).await);
    }
    let used = fixture.used(id).await;
    assert_eq!((used.charged, revoked.used.net()), (1, 1));
    fixture.clock.advance(Duration::from_mins(1));
    let again = fixture.revoke_own(&ANA, id).await.unwrap();
    assert_eq!(again.key.revoked_at, Some(noon()), "the first one counts");
    assert_eq!(fixture.log().await.len(), 2, "and is written down once");
}

#[tokio::test]
async fn a_key_rotated_without_grace_is_refused_once_its_successor_is_returned() {
    let (fixture, old) = start().await;
    assert!(fixture.is_admitted(old.secret.reveal()).await);
    let id = old.key.key.id;
    let rotated = fixture.keys.rotate(&ANA, id, hours(0)).await.unwrap();
    assert!(!fixture.is_admitted(old.secret.reveal()).await);
    assert_eq!(rotated.old.key.status(), KeyStatus::Revoked);
    assert_eq!(rotated.old.used.net(), 1);
    let new = &rotated.new.key;
    assert_eq!(new.key.prefix.environment(), Environment::Test);
    assert_eq!(new.used.net(), 1);
    assert_eq!(new.key.prefix, *rotated.new.secret.prefix());
    assert!(fixture.is_admitted(rotated.new.secret.reveal()).await);
}

#[tokio::test]
async fn a_key_rotated_with_grace_works_beside_its_successor_and_is_rotated_once() {
    let (fixture, old) = start().await;
    assert!(fixture.is_admitted(old.secret.reveal()).await);
    let id = old.key.key.id;
    let rotated = fixture.keys.rotate(&ANA, id, hours(24)).await.unwrap();
    assert_eq!(rotated.old.key.status(), KeyStatus::Retiring);
    assert_eq!(rotated.old.key.retires_at, Some(hours(24).end(noon())));
    assert_eq!(rotated.old.used.net(), 1);
    for secret in [&old.secret, &rotated.new.secret] {
        assert!(fixture.is_admitted(secret.reveal()).await);
    }
    let again = fixture.keys.rotate(&ANA, id, hours(24)).await;
    assert!(matches!(again, Err(KeyError::AlreadyRotated)));
    fixture.revoke_own(&ANA, id).await.unwrap();
    let revoked = fixture.keys.rotate(&ANA, id, hours(24)).await;
    assert!(matches!(revoked, Err(KeyError::Revoked)));
}

#[tokio::test]
async fn new_limits_hold_once_they_are_acknowledged_and_those_of_an_order_from_the_beginning() {
    let (fixture, created) = start().await;
    let holder = Holder::from(created);
    fixture.ask(&holder).await.unwrap();
    let set = fixture.keys.set_limits(&ADMIN, holder.id, ten_a_minute());
    let set = set.await.unwrap();
    assert_eq!(set.key.limits, limits(10, Some(1_000)));
    assert_eq!(set.used.net(), 1);
    let admission = fixture.ask(&holder).await.unwrap();
    assert_eq!(admission.limit_status.minute.limit, 10);
    let unknown = KeyId(Uuid::nil());
    let unknown = fixture.keys.set_limits(&ADMIN, unknown, ten_a_minute());
    assert_not_found(unknown.await);
    let ordered = limits(7, Some(70));
    let created = fixture.keys.create(&ADMIN, order(Some(ordered))).await;
    assert_eq!(created.unwrap().key.key.limits, ordered);
}

#[tokio::test]
async fn a_plan_is_what_new_keys_begin_with_and_existing_ones_follow_when_told_to() {
    let (fixture, created) = start().await;
    let customer = created.key.key.customer;
    let holder = Holder::from(created);
    fixture.ask(&holder).await.unwrap();
    let set = async |existing| {
        let (keys, plan) = (&fixture.keys, Plan::Enterprise);
        let set = keys.set_plan(&ADMIN, customer, plan, existing).await;
        set.unwrap().plan
    };
    assert_eq!(set(ExistingKeys::Keep).await, Plan::Enterprise);
    let kept = fixture.ask(&holder).await.unwrap();
    assert_eq!(kept.limit_status.minute.limit, 60);
    let new = fixture.created_by(&ANA).await.key.key;
    assert_eq!(new.limits, Plan::Enterprise.limits());
    assert_eq!(set(ExistingKeys::Follow).await, Plan::Enterprise);
    let followed = fixture.ask(&holder).await.unwrap();
    assert_eq!(followed.limit_status.minute.limit, 600);
    assert_eq!(followed.limit_status.month, None);

    let (keys, unknown) = (&fixture.keys, CustomerId(Uuid::nil()));
    let unknown = keys.set_plan(&ADMIN, unknown, Plan::Startup, ExistingKeys::Keep);
    assert_not_found(unknown.await);
}
