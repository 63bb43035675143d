//! Gateways on a Redis Cluster.

use futures::future::join_all;
use testkit::redis::Cluster;

use crate::faults::IMPATIENT;
use crate::fleet::{Fleet, PATIENT, RECOVERY};
use crate::gateway::{Key, eventually, soon};
use crate::load::{Answer, Asker, question};

fn fleet(patience: &str) -> Option<(Cluster, Fleet)> {
    let cluster = Cluster::with_replica()?;
    let fleet = Fleet::start(3, |_, plan| {
        let plan = plan.with("CEP_REDIS_CLUSTER", cluster.urls().join(","));
        plan.with("CEP_REDIS_TIMEOUT", patience)
    })?;
    Some((cluster, fleet))
}

/// A key whose slot belongs to this node.
fn key_at(cluster: &Cluster, fleet: &Fleet, node: usize) -> Key {
    loop {
        let key = fleet.replicas[0].key(&["--per-minute", "60", "--monthly-quota", "1000"]);
        let state = format!("cep:{{{}}}:s", key.id.replace('-', ""));
        if cluster.home_of(&state).0 == node {
            return key;
        }
    }
}

async fn admitted(fleet: &Fleet, key: &Key, requests: usize) -> usize {
    let answers = fleet.ask(key, requests).await;
    let is_known = |answer: &Answer| [200, 402, 429].contains(&answer.status);
    assert!(answers.iter().all(is_known), "{answers:?}");
    answers.iter().filter(|answer| answer.status == 200).count()
}

/// Asserts that so many requests with a revoked key are refused.
async fn is_refused(fleet: &Fleet, key: &Key, requests: usize) {
    for answer in fleet.ask(key, requests).await {
        assert_eq!(answer.status, 401, "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_cluster_a_limit_is_one_and_a_revoked_key_is_refused_by_all() {
    let Some((cluster, fleet)) = fleet(PATIENT) else {
        return;
    };
    let keys: Vec<_> = (0..3).map(|node| key_at(&cluster, &fleet, node)).collect();
    // Connected, for a connection must be there within 200 ms, however busy the machine is.
    eventually("all count in Redis", RECOVERY, async || {
        let answers = fleet.ask(&keys[1], 12).await;
        answers.iter().all(|answer| answer.status != 503) && fleet.all_are("up").await
    })
    .await;
    let question = question(&keys[0]);
    // Eight hundred at the same time, each on a connection of its own.
    let statuses = join_all((0..800).map(async |number| {
        let mut asker = Asker::new(&fleet.replicas[number % 3]);
        asker.ask(&question).await.unwrap().status
    }))
    .await;
    let with = |status| statuses.iter().filter(|found| **found == status).count();
    assert_eq!((with(200), with(429)), (60, 740), "{statuses:?}");
    for key in &keys[2..] {
        assert_eq!(admitted(&fleet, key, 90).await, 60);
    }
    for (key, gateway) in keys.iter().zip(&fleet.replicas) {
        gateway.revoke(key);
        is_refused(&fleet, key, 6).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_node_degrades_and_its_replica_takes_over() {
    let Some((mut cluster, fleet)) = fleet(IMPATIENT) else {
        return;
    };
    // The first node is the one that has a replica.
    let (lost, other) = (key_at(&cluster, &fleet, 0), key_at(&cluster, &fleet, 1));
    let revoked = key_at(&cluster, &fleet, 0);
    for key in [&lost, &other, &revoked] {
        assert_eq!(admitted(&fleet, key, 9).await, 9);
    }
    fleet.replicas[2].revoke(&revoked);
    cluster.is_replicated();

    cluster.nodes[0].kill();
    // No request fails because of it, nor is one admitted without a limit: twenty per replica, for
    // a while.
    let mut more = 0;
    for _ in 0..10 {
        more += admitted(&fleet, &lost, 12).await;
        admitted(&fleet, &other, 3).await;
        is_refused(&fleet, &revoked, 3).await;
    }
    assert!((51..=60 + 60).contains(&(9 + more)), "{more}");
    eventually("the replica takes over", RECOVERY, async || {
        admitted(&fleet, &lost, 3).await;
        is_refused(&fleet, &revoked, 3).await;
        cluster.replica_is_master() && fleet.all_are("up").await
    })
    .await;
    // It has the counts, and goes on: in the month, all of them are there.
    let fresh = key_at(&cluster, &fleet, 0);
    assert_eq!(admitted(&fleet, &fresh, 90).await, 60);
    soon("the database has it", async || fleet.charged(&fresh) == 60).await;
}
