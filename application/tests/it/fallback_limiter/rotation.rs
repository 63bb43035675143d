//! Rotation: a successor continues the minute and the month, whoever counts them.

use ports::outbound::{Scope, Successor};

use super::*;

/// The replica's successor of its key, added with a day of grace.
async fn rotated(replica: &Replica) -> CountedKey {
    let new = CountedKey::succeeding(KEY, KeyId(Uuid::from_u128(70)));
    let KeyRecord { key, credential } = record_of(new, 11);
    let successor = Successor {
        prefix: key.prefix,
        credential,
    };
    let retires_at = noon() + chrono::TimeDelta::days(1);
    let (scope, bounds, act) = (Scope::Everybody, KeyBounds::Unbounded, act());
    let keys = &replica.data;
    let rotated = keys.rotate(scope, KEY.id, &successor, retires_at, bounds, &act);
    assert_eq!(rotated.await.unwrap().new.counted(), new);
    new
}

#[tokio::test]
async fn a_degraded_replica_admits_both_keys_within_one_share() {
    let mut replica = Replica::one_of(3, limits(60, None)).await;
    let admitted = replica.degrade().await;
    let admitted = admitted + replica.admitted_of(7).await;
    assert_eq!(admitted, 10);
    replica.key = rotated(&replica).await;
    assert_eq!(replica.admitted_of(100).await, 10);
    replica.key = KEY;
    assert_eq!(replica.admitted_of(100).await, 0);
}

#[tokio::test]
async fn a_degraded_replica_charges_both_keys_to_one_quota() {
    let mut replica = Replica::one_of(1, limits(1_000, Some(50))).await;
    assert_eq!(replica.admitted_of(30).await, 30);
    replica.degrade().await;
    replica.key = rotated(&replica).await;
    let admitted = replica.admitted_of(100).await;
    assert_eq!(admitted, 17, "three opened the circuit");
    replica.key = KEY;
    replica.is_over_quota().await;
}

#[tokio::test]
async fn what_one_key_was_charged_alone_counts_for_the_other_once_the_shared_limiter_is_back() {
    let mut replica = Replica::one_of(1, limits(1_000, Some(50))).await;
    let new = rotated(&replica).await;
    replica.key = new;
    replica.hydrate().await;
    assert_eq!(replica.admitted_of(10).await, 10);
    replica.key = KEY;
    assert_eq!(replica.admitted_of(10).await, 10);
    replica.degrade().await;
    assert_eq!(replica.admitted_of(17).await, 17);
    replica.recover();
    // The successor is the first to be asked for.
    replica.key = new;
    replica.clock.advance(Duration::from_mins(2));
    assert_eq!(replica.admitted_of(100).await, 10);
}
