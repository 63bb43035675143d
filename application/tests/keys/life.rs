//! A key from its making to its end: how many there may be, who succeeds it, which limits it has.

use super::*;

#[tokio::test]
async fn a_new_key_is_good_and_has_used_nothing() {
    let house = house();
    let created = house.key_of(&ANA).await;
    assert_eq!(created.key.used.net(), 0);
    assert_eq!(created.key.key.prefix, *created.secret.prefix());
    assert!(house.is_admitted(created.secret.reveal()).await);
}

#[tokio::test]
async fn a_customer_has_a_thousand_active_keys_at_most() {
    let house = house();
    let mut last = None;
    for _ in 0..MOST_ACTIVE_KEYS {
        last = Some(house.key_of(&ANA).await.key.key.id);
    }
    let last = last.unwrap();
    let refused = |result: Result<(), KeyError>| matches!(result, Err(KeyError::TooManyKeys { most }) if most == 1_000);
    let keys = &house.keys;
    let another = keys.create(&ANA, order(None)).await.map(drop);
    assert!(refused(another));
    // With a time of grace both would be active; without, one takes the other's place.
    let beside = keys.rotate(&ANA, last, hours(1)).await.map(drop);
    assert!(refused(beside));
    let instead = keys.rotate(&ANA, last, hours(0)).await.unwrap();
    let another = keys.create(&ANA, order(None)).await.map(drop);
    assert!(refused(another));
    let new = instead.new.key.key.id;
    keys.revoke(&ANA, RequestedScope::Own, new).await.unwrap();
    house.key_of(&ANA).await;
    house.key_of(&LUIS).await;
}

#[tokio::test]
async fn one_key_rotated_again_and_again_is_no_more_than_a_thousand() {
    let house = house();
    let mut newest = house.key_of(&ANA).await.key.key.id;
    let mut keys = 1;
    loop {
        match house.keys.rotate(&ANA, newest, hours(1)).await {
            Ok(rotated) => newest = rotated.new.key.key.id,
            Err(KeyError::TooManyKeys { .. }) => break,
            Err(other) => panic!("{other:?}"),
        }
        keys += 1;
        assert!(keys <= MOST_ACTIVE_KEYS);
    }
    assert_eq!(keys, MOST_ACTIVE_KEYS);
}

#[tokio::test]
async fn a_prefix_that_another_key_has_is_drawn_again() {
    let house = house();
    house.store.take_next_prefixes(7);
    let id = house.key_of(&ANA).await.key.key.id;
    house.store.take_next_prefixes(7);
    house.keys.rotate(&ANA, id, hours(0)).await.unwrap();
    house.store.take_next_prefixes(8);
    let never = house.keys.create(&ANA, order(None)).await;
    assert!(matches!(never, Err(KeyError::Store(_))));
    assert_eq!(
        house.listed(&ANA, RequestedScope::Own).await.unwrap().len(),
        2
    );
}

#[tokio::test]
async fn a_revoked_key_admits_nobody_once_its_owner_knows() {
    let house = house();
    let created = house.key_of(&ANA).await;
    let (id, secret) = (created.key.key.id, created.secret.reveal());
    assert!(house.is_admitted(secret).await);
    let revoked = house
        .keys
        .revoke(&ANA, RequestedScope::Own, id)
        .await
        .unwrap();
    assert_eq!(revoked.key.revoked_at, Some(noon()));
    assert_eq!(revoked.used.net(), 1);
    assert!(!house.is_admitted(secret).await);
    house.clock.advance(Duration::from_mins(1));
    let again = house
        .keys
        .revoke(&ANA, RequestedScope::Own, id)
        .await
        .unwrap();
    assert_eq!(again.key.revoked_at, Some(noon()), "the first one counts");
    assert_eq!(house.log().await.len(), 2, "and is written down once");
}

#[tokio::test]
async fn a_key_rotated_without_grace_admits_nobody_once_its_successor_is_known() {
    let house = house();
    let old = house.key_of(&ANA).await;
    assert!(house.is_admitted(old.secret.reveal()).await);
    let id = old.key.key.id;
    house
        .keys
        .set_limits(&ADMIN, id, ten_a_minute())
        .await
        .unwrap();
    let rotated = house.keys.rotate(&ANA, id, hours(0)).await.unwrap();
    assert!(!house.is_admitted(old.secret.reveal()).await);
    assert_eq!(rotated.old.key.status(), KeyStatus::Revoked);
    assert_eq!(rotated.old.used.net(), 1);
    let new = &rotated.new.key;
    assert_eq!(new.key.name, old.key.key.name);
    assert_eq!(new.key.prefix.environment(), Environment::Test);
    assert_eq!(new.key.limits, limits(10, Some(1_000)));
    assert_eq!(
        (new.key.customer, new.used.net()),
        (old.key.key.customer, 0)
    );
    assert_eq!(new.key.prefix, *rotated.new.secret.prefix());
    assert!(house.is_admitted(rotated.new.secret.reveal()).await);
}

#[tokio::test]
async fn a_key_rotated_with_grace_works_beside_its_successor_and_is_rotated_once() {
    let house = house();
    let old = house.key_of(&ANA).await;
    assert!(house.is_admitted(old.secret.reveal()).await);
    let id = old.key.key.id;
    let rotated = house.keys.rotate(&ANA, id, hours(24)).await.unwrap();
    assert_eq!(rotated.old.key.status(), KeyStatus::Retiring);
    assert_eq!(rotated.old.key.retires_at, Some(hours(24).end(noon())));
    assert_eq!(rotated.old.used.net(), 1);
    for secret in [&old.secret, &rotated.new.secret] {
        assert!(house.is_admitted(secret.reveal()).await);
    }
    let again = house.keys.rotate(&ANA, id, hours(24)).await;
    assert!(matches!(again, Err(KeyError::AlreadyRotated)));
    house
        .keys
        .revoke(&ANA, RequestedScope::Own, id)
        .await
        .unwrap();
    let revoked = house.keys.rotate(&ANA, id, hours(24)).await;
    assert!(matches!(revoked, Err(KeyError::Revoked)));
}

#[tokio::test]
async fn new_limits_hold_once_the_admin_knows() {
    let house = house();
    let created = house.key_of(&ANA).await;
    let holder = Holder {
        id: created.key.key.id,
        secret: created.secret,
    };
    house.ask(&holder).await.unwrap();
    let set = house.keys.set_limits(&ADMIN, holder.id, ten_a_minute());
    let set = set.await.unwrap();
    assert_eq!(set.key.limits, limits(10, Some(1_000)));
    assert_eq!(set.used.net(), 1);
    let admission = house.ask(&holder).await.unwrap();
    assert_eq!(admission.limit_status.minute.limit, 10);
    let unknown = KeyId(Uuid::nil());
    let unknown = house.keys.set_limits(&ADMIN, unknown, ten_a_minute());
    assert_not_found(unknown.await, "limits of nothing");
}

#[tokio::test]
async fn an_admins_key_begins_with_the_limits_it_was_ordered_with() {
    let house = house();
    let ordered = limits(7, Some(70));
    let created = house.keys.create(&ADMIN, order(Some(ordered))).await;
    assert_eq!(created.unwrap().key.key.limits, ordered);
}

#[tokio::test]
async fn a_plan_is_what_new_keys_begin_with_and_existing_ones_follow_when_told_to() {
    let house = house();
    let created = house.key_of(&ANA).await;
    let customer = created.key.key.customer;
    let holder = Holder {
        id: created.key.key.id,
        secret: created.secret,
    };
    house.ask(&holder).await.unwrap();
    let set = async |existing| {
        let set = house
            .keys
            .set_plan(&ADMIN, customer, Plan::Enterprise, existing);
        set.await.unwrap().plan
    };
    assert_eq!(set(ExistingKeys::Keep).await, Plan::Enterprise);
    let kept = house.ask(&holder).await.unwrap();
    assert_eq!(kept.limit_status.minute.limit, 60);
    let new = house.key_of(&ANA).await.key.key;
    assert_eq!(new.limits, Plan::Enterprise.limits());
    assert_eq!(set(ExistingKeys::Follow).await, Plan::Enterprise);
    let followed = house.ask(&holder).await.unwrap();
    assert_eq!(followed.limit_status.minute.limit, 600);
    assert_eq!(followed.limit_status.month, None);

    let unknown = CustomerId(Uuid::nil());
    let unknown = house
        .keys
        .set_plan(&ADMIN, unknown, Plan::Startup, ExistingKeys::Keep);
    assert_not_found(unknown.await, "a plan of nobody");
}
