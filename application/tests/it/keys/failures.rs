//! Changes while the limiter or the store fails.

use super::*;

#[tokio::test]
async fn a_limiter_that_fails_is_retried_before_the_change_is_acknowledged() {
    let fixture = fixture();
    let created = fixture.key_of(&ANA).await;
    let secret = created.secret.reveal();
    assert!(fixture.is_admitted(secret).await);
    fixture.limiter.faults().fail_once_after(0);
    let id = created.key.key.id;
    let revoked = fixture
        .keys
        .revoke(&ANA, RequestedScope::Own, id)
        .await
        .unwrap();
    assert!(revoked.key.revoked_at.is_some());
    assert!(!fixture.is_admitted(secret).await);
    let waited = fixture.clock.now() - noon();
    assert!(waited < TimeDelta::seconds(1), "{waited}");
}

#[tokio::test]
async fn without_a_limiter_a_change_holds_once_all_processes_follow_the_store() {
    let fixture = fixture();
    let feed = fixture.change_feed().await;
    let created = fixture.key_of(&ANA).await;
    let other = fixture.key_of(&ANA).await;
    assert!(fixture.is_admitted(created.secret.reveal()).await);
    fixture.limiter.faults().inject(Fault::Fails);
    let keys = &fixture.keys;
    let revoked = keys
        .revoke(&ANA, RequestedScope::Own, created.key.key.id)
        .await;
    assert!(revoked.unwrap().key.revoked_at.is_some());
    let waited = fixture.clock.now() - noon();
    assert!((2..3).contains(&waited.num_seconds()), "{waited}");

    let change = LimitsChange::new(Some(7), None).unwrap();
    let limited = keys.set_limits(&ADMIN, other.key.key.id, change).await;
    assert_eq!(limited.unwrap().key.limits.per_minute(), 7);
    let rotated = keys.rotate(&ANA, other.key.key.id, hours(0)).await.unwrap();
    assert!(rotated.old.key.revoked_at.is_some());

    fixture.limiter.faults().clear();
    feed.poll().await.unwrap();
    assert!(!fixture.is_admitted(created.secret.reveal()).await);
    assert!(!fixture.is_admitted(other.secret.reveal()).await);
}

#[tokio::test]
async fn a_change_that_no_process_can_follow_is_not_acknowledged() {
    let fixture = fixture();
    let created = fixture.key_of(&ANA).await;
    assert!(fixture.is_admitted(created.secret.reveal()).await);
    fixture.limiter.faults().inject(Fault::Fails);
    // The store goes right after the commit.
    let store = fixture.store.clone();
    fixture
        .store
        .after_next_snapshot(async move { store.go_down() });
    let id = created.key.key.id;
    let revoked = fixture.keys.revoke(&ANA, RequestedScope::Own, id).await;
    assert!(matches!(revoked, Err(KeyError::Store(_))), "{revoked:?}");
}

#[tokio::test]
async fn all_keys_that_follow_a_plan_are_waited_for_together() {
    let fixture = fixture();
    let mut holders = Vec::new();
    for _ in 0..3 {
        let created = fixture.key_of(&ANA).await;
        holders.push(Holder {
            id: created.key.key.id,
            secret: created.secret,
        });
    }
    let mut customer = None;
    for holder in &holders {
        customer = Some(fixture.ask(holder).await.unwrap().charged.customer);
    }
    let (plan, follow) = (Plan::Enterprise, ExistingKeys::Follow);
    fixture.limiter.faults().fail_once_after(0);
    let set = fixture
        .keys
        .set_plan(&ADMIN, customer.unwrap(), plan, follow);
    set.await.unwrap();
    for holder in &holders {
        let told = fixture.ask(holder).await.unwrap().limit_status.minute.limit;
        assert_eq!(told, 600);
    }
    let before = fixture.clock.now();
    fixture.limiter.faults().inject(Fault::Fails);
    let plan = Plan::Startup;
    let set = fixture
        .keys
        .set_plan(&ADMIN, customer.unwrap(), plan, follow);
    set.await.unwrap();
    let waited = fixture.clock.now() - before;
    assert!((2..3).contains(&waited.num_seconds()), "{waited}");
}

#[tokio::test]
async fn a_store_that_fails_changes_nothing() {
    let fixture = fixture();
    let created = fixture.key_of(&ANA).await;
    let id = created.key.key.id;
    fixture.store.go_down();
    let keys = &fixture.keys;
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
    fixture.store.come_back();
    let found = keys.find(&ANA, RequestedScope::Own, id).await.unwrap();
    assert_eq!(found, created.key);
}
