//! Redis Cluster: slots, redirections, lost nodes.

use std::sync::Arc;

use domain::keys::CountedKey;
use limiter_redis::RedisLimiter;
use ports::outbound::{Limiter, Verdict};
use testkit::redis::Cluster;

use crate::exactness::ask_all;
use crate::support::{
    KEY, admit_after_recovery, admitted_of, cluster, hydrate, left_of, numbered, options, revoked,
    state, state_of, used_of,
};

fn cluster_limiter(cluster: &Cluster) -> RedisLimiter {
    // One node is enough: the others are discovered.
    RedisLimiter::cluster(&cluster.urls()[..1], &options()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_node_is_sent_the_scripts_once_and_each_admission_is_one_command() {
    let Some(cluster) = cluster() else { return };
    let limiter = cluster_limiter(&cluster);
    for number in 0..60 {
        let key = numbered(number);
        hydrate(&limiter, key, state(60, None, 1), 0).await;
        assert_eq!(admitted_of(&limiter, key, 1).await, 1);
    }
    // Two scripts, three nodes.
    assert_eq!(cluster.calls_of("eval"), 6);
    for node in &cluster.nodes {
        node.tell(&["CONFIG", "RESETSTAT"]);
    }
    for number in 0..60 {
        let key = numbered(number);
        assert_eq!(admitted_of(&limiter, key, 3).await, 3);
    }
    assert_eq!(cluster.calls_of("evalsha"), 180);
    assert_eq!(cluster.calls_of("eval") + cluster.calls_of("ping"), 0);

    for node in &cluster.nodes {
        node.tell(&["SCRIPT", "FLUSH"]);
    }
    for number in 0..60 {
        let key = numbered(number);
        assert_eq!(admitted_of(&limiter, key, 1).await, 1);
        assert_eq!(left_of(&limiter, key).await, 60 - 5);
        limiter.apply(key, revoked(2)).await.unwrap();
        assert_eq!(limiter.admit(key).await.unwrap(), Verdict::Revoked);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_eight_hundred_concurrent_requests_on_a_cluster_sixty_are_admitted() {
    let Some(cluster) = cluster() else { return };
    let replicas: Vec<_> = (0..4)
        .map(|_| Arc::new(cluster_limiter(&cluster)))
        .collect();
    hydrate(&replicas[0], KEY, state(60, Some(10_000), 1), 0).await;
    assert_eq!(ask_all(&replicas, 200).await, 60);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_that_moves_keeps_its_counts_and_is_found() {
    let Some(cluster) = cluster() else { return };
    let limiter = cluster_limiter(&cluster);
    hydrate(&limiter, KEY, state(10, Some(100), 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 4).await, 4);

    let (from, slot) = cluster.home_of(&state_of(KEY));
    let to = (from + 1) % 3;
    let (source, target) = (&cluster.nodes[from], &cluster.nodes[to]);
    let id = |place: usize| cluster.nodes[place].ask(&["CLUSTER", "MYID"]);
    let (source_id, target_id, slot) = (id(from), id(to), slot.to_string());
    target.tell(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &source_id]);
    source.tell(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &target_id]);
    // In the middle of it: the keys are there still, then they aren't.
    assert_eq!(admitted_of(&limiter, KEY, 1).await, 1);
    let keys = source.ask(&["CLUSTER", "GETKEYSINSLOT", &slot, "10"]);
    assert_eq!(keys.lines().count(), 2);
    let port = target.port().to_string();
    let mut migrate = vec!["MIGRATE", "127.0.0.1", &port, "", "0", "5000", "KEYS"];
    migrate.extend(keys.lines());
    source.tell(&migrate);
    assert_eq!(admitted_of(&limiter, KEY, 2).await, 2, "while it moves");
    limiter.apply(KEY, state(9, Some(100), 2)).await.unwrap();
    for node in [target, source, &cluster.nodes[(to + 1) % 3]] {
        node.tell(&["CLUSTER", "SETSLOT", &slot, "NODE", &target_id]);
    }
    assert_eq!(admitted_of(&limiter, KEY, 20).await, 2, "after it moved");
    assert_eq!(used_of(&limiter, KEY).await, 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_node_fails_its_own_keys_alone_and_recovers() {
    let Some(mut cluster) = cluster() else { return };
    let limiter = cluster_limiter(&cluster);
    let (lost, _) = cluster.home_of(&state_of(KEY));
    let elsewhere = |key: &CountedKey| cluster.home_of(&state_of(*key)).0 != lost;
    let other = (2..1_000).map(numbered).find(elsewhere).unwrap();
    hydrate(&limiter, KEY, state(60, Some(100), 1), 0).await;
    hydrate(&limiter, other, state(600, Some(1_000), 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 5).await, 5);

    cluster.nodes[lost].kill();
    for _ in 0..30 {
        assert!(limiter.admit(KEY).await.is_err());
        assert_eq!(admitted_of(&limiter, other, 1).await, 1);
    }
    cluster.nodes[lost].start_again();
    let verdict = admit_after_recovery(&limiter, KEY).await;
    assert!(matches!(verdict, Verdict::Unknown { .. }), "{verdict:?}");
    hydrate(&limiter, KEY, state(60, Some(100), 1), 98).await;
    assert_eq!(admitted_of(&limiter, KEY, 5).await, 2);
    let used = used_of(&limiter, other).await;
    assert_eq!(used, 30, "something was counted twice");
}
