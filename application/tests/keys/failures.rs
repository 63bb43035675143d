//! What a change is worth when the limiter or the store fails.

use super::*;

#[tokio::test]
async fn a_limiter_that_fails_is_told_again_before_the_caller_hears_of_it() {
    let house = house();
    let created = house.key_of(&ANA).await;
    let secret = created.secret.reveal();
    assert!(house.is_admitted(secret).await);
    house.limiter.fail_once_after(0);
    let id = created.key.key.id;
    let revoked = house
        .keys
        .revoke(&ANA, RequestedScope::Own, id)
        .await
        .unwrap();
    assert!(revoked.key.revoked_at.is_some());
    assert!(!house.is_admitted(secret).await);
    let waited = house.clock.now() - noon();
    assert!(waited < TimeDelta::seconds(1), "{waited}");
}

#[tokio::test]
async fn without_a_limiter_a_change_holds_once_everybody_follows_the_store() {
    let house = house();
    let watch = KeyWatch::start(
        house.store.clone(),
        house.limiter.clone(),
        house.clock.clone(),
    );
    let watch = watch.await.unwrap();
    let created = house.key_of(&ANA).await;
    let other = house.key_of(&ANA).await;
    assert!(house.is_admitted(created.secret.reveal()).await);
    house.limiter.fail();
    let keys = &house.keys;
    let revoked = keys
        .revoke(&ANA, RequestedScope::Own, created.key.key.id)
        .await;
    assert!(revoked.unwrap().key.revoked_at.is_some());
    let waited = house.clock.now() - noon();
    assert!((2..3).contains(&waited.num_seconds()), "{waited}");

    let change = LimitsChange::new(Some(7), None).unwrap();
    let limited = keys.set_limits(&ADMIN, other.key.key.id, change).await;
    assert_eq!(limited.unwrap().key.limits.per_minute(), 7);
    let rotated = keys.rotate(&ANA, other.key.key.id, hours(0)).await.unwrap();
    assert!(rotated.old.key.revoked_at.is_some());

    house.limiter.work();
    watch.catch_up().await.unwrap();
    assert!(!house.is_admitted(created.secret.reveal()).await);
    assert!(!house.is_admitted(other.secret.reveal()).await);
}

#[tokio::test]
async fn a_change_that_nobody_can_follow_is_not_said_to_hold() {
    let house = house();
    let created = house.key_of(&ANA).await;
    assert!(house.is_admitted(created.secret.reveal()).await);
    house.limiter.fail();
    // The store goes right after the commit.
    let store = house.store.clone();
    house
        .store
        .after_next_snapshot(async move { store.go_down() });
    let id = created.key.key.id;
    let revoked = house.keys.revoke(&ANA, RequestedScope::Own, id).await;
    assert!(matches!(revoked, Err(KeyError::Store(_))), "{revoked:?}");
}

#[tokio::test]
async fn all_keys_that_follow_a_plan_are_waited_for_together() {
    let house = house();
    let mut holders = Vec::new();
    for _ in 0..3 {
        let created = house.key_of(&ANA).await;
        holders.push(Holder {
            id: created.key.key.id,
            secret: created.secret,
        });
    }
    let mut customer = None;
    for holder in &holders {
        customer = Some(house.ask(holder).await.unwrap().customer);
    }
    let (plan, follow) = (Plan::Enterprise, ExistingKeys::Follow);
    house.limiter.fail_once_after(0);
    let set = house.keys.set_plan(&ADMIN, customer.unwrap(), plan, follow);
    set.await.unwrap();
    for holder in &holders {
        let told = house.ask(holder).await.unwrap().limit_status.minute.limit;
        assert_eq!(told, 600);
    }
    let before = house.clock.now();
    house.limiter.fail();
    let plan = Plan::Startup;
    let set = house.keys.set_plan(&ADMIN, customer.unwrap(), plan, follow);
    set.await.unwrap();
    let waited = house.clock.now() - before;
    assert!((2..3).contains(&waited.num_seconds()), "{waited}");
}

#[tokio::test]
async fn a_store_that_fails_changes_nothing() {
    let house = house();
    let created = house.key_of(&ANA).await;
    let id = created.key.key.id;
    house.store.go_down();
    let keys = &house.keys;
    let results = [
        keys.create(&ANA, order(None)).await.map(drop),
        keys.revoke(&ANA, RequestedScope::Own, id).await.map(drop),
        keys.rotate(&ANA, id, hours(0)).await.map(drop),
        keys.list(&ANA, RequestedScope::Own, &listing())
            .await
            .map(drop),
    ];
    for result in results {
        assert!(matches!(result, Err(KeyError::Store(_))), "{result:?}");
    }
    house.store.come_back();
    let found = keys.find(&ANA, RequestedScope::Own, id).await.unwrap();
    assert_eq!(found, created.key);
}
