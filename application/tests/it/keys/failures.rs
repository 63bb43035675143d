//! Changes while the limiter or the store fails.

use super::*;

#[tokio::test]
async fn a_limiter_that_fails_is_retried_before_the_change_is_acknowledged() {
    let (fixture, created) = start().await;
    let secret = created.secret.reveal();
    assert!(fixture.is_admitted(secret).await);
    fixture.limiter.faults().fail_once_after(0);
    let id = created.key.key.id;
    let revoked = fixture.revoke_own(&ANA, id).await.unwrap();
    assert!(revoked.key.revoked_at.is_some());
    assert!(!fixture.is_admitted(secret).await);
    let waited = fixture.clock.now() - noon();
    assert!(waited < TimeDelta::seconds(1), "{waited}");
}

#[tokio::test]
async fn without_a_limiter_a_change_holds_once_all_processes_follow_the_store() {
    let fixture = fixture();
    let feed = fixture.change_feed().await;
    let created = fixture.created_by(&ANA).await;
    let other = fixture.created_by(&ANA).await;
    assert!(fixture.is_admitted(created.secret.reveal()).await);
    fixture.limiter.faults().inject(Fault::Fails);
    let keys = &fixture.keys;
    let revoked = fixture.revoke_own(&ANA, created.key.key.id).await;
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
async fn all_keys_that_follow_a_plan_are_waited_for_together() {
    let fixture = fixture();
    let mut holders = Vec::new();
    for _ in 0..3 {
        holders.push(Holder::from(fixture.created_by(&ANA).await));
    }
    let mut customer = CustomerId(Uuid::nil());
    for holder in &holders {
        customer = fixture.ask(holder).await.unwrap().charged.customer;
    }
    let follow = async |plan| {
        let (keys, follow) = (&fixture.keys, ExistingKeys::Follow);
        let set = keys.set_plan(&ADMIN, customer, plan, follow).await;
        set.unwrap();
    };
    fixture.limiter.faults().fail_once_after(0);
    follow(Plan::Enterprise).await;
    for holder in &holders {
        let told = fixture.ask(holder).await.unwrap().limit_status.minute.limit;
        assert_eq!(told, 600);
    }
    let before = fixture.clock.now();
    fixture.limiter.faults().inject(Fault::Fails);
    follow(Plan::Startup).await;
    let waited = fixture.clock.now() - before;
    assert!((2..3).contains(&waited.num_seconds()), "{waited}");
}

#[tokio::test]
async fn a_store_that_fails_changes_nothing() {
    let (fixture, created) = start().await;
    let id = created.key.key.id;
    fixture.store.go_down();
    let keys = &fixture.keys;
    let results = [
        keys.create(&ANA, order(None)).await.map(drop),
        fixture.revoke_own(&ANA, id).await.map(drop),
        keys.rotate(&ANA, id, hours(0)).await.map(drop),
        keys.list(&ANA, OWN, &listing()).await.map(drop),
    ];
    for result in results {
        assert!(matches!(result, Err(KeyError::Store(_))), "{result:?}");
    }
    fixture.store.come_back();
    let found = keys.find(&ANA, OWN, id).await.unwrap();
    assert_eq!(found, created.key);
}
