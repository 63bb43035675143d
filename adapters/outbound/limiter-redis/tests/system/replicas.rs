//! A server with a replica.

use std::time::{Duration, Instant};

use ports::outbound::{Limiter, Verdict};
use testkit::redis::Redis;
use testkit::until;

use crate::support::{
    KEY, admitted_of, hydrate, limiter_on, numbered, redis, revoked, state, state_of,
};

/// Starts a replica and waits until it is in sync.
pub(crate) fn replica_of(server: &Redis) -> Option<Redis> {
    let port = server.port().to_string();
    let replica = Redis::start(&["--replicaof", "127.0.0.1", &port])?;
    until("the replica follows", || {
        let there = server.ask(&["INFO", "replication"]);
        let here = replica.ask(&["INFO", "replication"]);
        there.contains("state=online") && here.contains("master_link_status:up")
    });
    // The stream of commands begins a moment after the link is up.
    server.tell(&["SET", "probe", "1"]);
    until("the replica is told of changes", || {
        replica.ask(&["GET", "probe"]) == "1"
    });
    Some(replica)
}

#[tokio::test]
async fn a_revocation_waits_for_a_replica_and_only_where_there_is_one() {
    let Some(server) = Redis::start(&["--repl-diskless-sync-delay", "0"]) else {
        return;
    };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(60, None, 1), 0).await;
    limiter.apply(KEY, state(50, None, 2)).await.unwrap();
    limiter.apply(KEY, revoked(3)).await.unwrap();
    assert_eq!(server.calls_of("wait"), 0);

    let replica = replica_of(&server).unwrap();
    let other = numbered(9);
    hydrate(&limiter, other, state(60, None, 1), 0).await;
    limiter.apply(other, revoked(2)).await.unwrap();
    assert_eq!(server.calls_of("wait"), 1);
    assert_eq!(replica.ask(&["HGET", &state_of(other), "r"]), "1");
    limiter.apply(other, state(50, None, 3)).await.unwrap();
    assert_eq!(server.calls_of("wait"), 1, "other changes don't wait");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hanging_replica_delays_revocations_briefly_and_admissions_not_at_all() {
    let Some(server) = Redis::start(&["--repl-diskless-sync-delay", "0"]) else {
        return;
    };
    let replica = replica_of(&server).unwrap();
    let limiter = limiter_on(&server);
    let other = numbered(9);
    hydrate(&limiter, KEY, state(6_000, None, 1), 0).await;
    hydrate(&limiter, other, state(60, None, 1), 0).await;
    replica.signal("STOP");
    let begun = Instant::now();
    let (revocation, admissions) = tokio::join!(limiter.apply(other, revoked(2)), async {
        let admitted = admitted_of(&limiter, KEY, 100).await;
        (admitted, begun.elapsed())
    });
    let elapsed = begun.elapsed();
    revocation.unwrap();
    assert!(elapsed >= Duration::from_millis(100) && elapsed < Duration::from_secs(1));
    assert_eq!(admissions.0, 100);
    assert_eq!(limiter.admit(other).await.unwrap(), Verdict::Revoked);
    replica.signal("CONT");
}

#[tokio::test]
async fn a_server_that_became_a_replica_is_an_error() {
    let Some(mut server) = redis() else { return };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(60, None, 1), 0).await;
    // On both of its connections.
    assert_eq!(admitted_of(&limiter, KEY, 2).await, 2);
    let asking = || -> Vec<String> {
        let clients = server.ask(&["CLIENT", "LIST"]);
        let asking = clients.lines().filter(|it| it.contains("cmd=evalsha"));
        let id = |client: &str| client.split(' ').next().unwrap().to_owned();
        asking.map(id).collect()
    };
    let before = asking();
    assert_eq!(before.len(), 2);
    server.tell(&["REPLICAOF", "127.0.0.1", "1"]);
    for _ in 0..2 {
        let error = limiter.admit(KEY).await.unwrap_err();
        assert!(format!("{error:?}").contains("ReadOnly"), "{error:?}");
    }
    // Its address may lead to another server by now.
    until("the connections to a replica are given up", || {
        asking().iter().all(|client| !before.contains(client))
    });
    server.tell(&["REPLICAOF", "NO", "ONE"]);
    assert_eq!(admitted_of(&limiter, KEY, 1).await, 1);
    server.kill();
}
