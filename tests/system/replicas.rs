//! Several gateways on one PostgreSQL and one Redis: they behave as one.

use std::time::Duration;

use futures::future::join_all;
use reqwest::StatusCode;

use crate::fleet::all_are;
use crate::gateway::{Gateway, Plan, command, eventually, refusal};
use crate::metrics::Measured;
use crate::servers::{self, Servers, migrate};

/// Variables of every replica.
pub(crate) fn shared(servers: &Servers) -> Vec<(&'static str, String)> {
    // A machine that runs all tests at once may be slow; a call that times out has failed.
    let timeout = ("CEP_REDIS_TIMEOUT", "10000".to_owned());
    let redis = [("CEP_REDIS_URL", servers.redis.url()), timeout];
    let shared = servers::shared(&servers.database).into_iter();
    shared.chain(redis).collect()
}

/// The plan of a replica.
pub(crate) fn plan(servers: &Servers) -> Plan {
    Plan::new().with_all(shared(servers))
}

pub(crate) fn replica(servers: &Servers) -> Gateway {
    plan(servers).start()
}

/// Waits until each of these replicas counts so many.
async fn all_count(replicas: &[Gateway], count: u32) {
    let patience = Duration::from_secs(30);
    eventually("the replicas count each other", patience, async || {
        let counts = replicas.iter().map(async |gateway| {
            let counted = Measured::of(gateway).await.value("cep_replicas");
            counted.total_cmp(&f64::from(count)).is_eq()
        });
        join_all(counts).await.into_iter().all(|is_so| is_so)
    })
    .await;
}

#[tokio::test]
async fn replicas_count_each_other_as_they_come_and_a_number_that_is_set_holds() {
    let Some(servers) = Servers::start() else {
        return;
    };
    let mut replicas = vec![replica(&servers)];
    all_count(&replicas, 1).await;
    replicas.push(replica(&servers));
    all_count(&replicas, 2).await;
    let set = [plan(&servers).with("CEP_REPLICAS", 7).start()];
    all_count(&set, 7).await;
    all_count(&replicas, 3).await;
    let registered = || servers.database.number("SELECT COUNT(*) FROM replicas");
    assert_eq!(registered(), 3);
    let [third] = set;
    third.stop();
    assert_eq!(registered(), 2, "it leaves when it stops");
}

#[tokio::test]
async fn a_replica_that_begins_without_redis_says_so_and_why_before_it_serves() {
    let Some(mut servers) = Servers::start() else {
        return;
    };
    servers.redis.kill();
    let gateway = replica(&servers);
    assert_eq!(gateway.state_of("limiter").await, "degraded");
    let log = gateway.log();
    let before = log.split("\"serving\"").next().unwrap();
    for said in ["CEP_REDIS_URL", "\"error\":", "no connection to Redis"] {
        assert!(before.contains(said), "{said}: {log}");
    }
}

#[tokio::test]
async fn without_redis_each_replica_admits_its_share_and_afterwards_the_quota_is_exact() {
    let Some(mut servers) = Servers::start() else {
        return;
    };
    let replicas = [replica(&servers), replica(&servers)];
    all_count(&replicas, 2).await;
    let admitted_of = async |key, asked: usize| {
        let mut admitted = 0;
        for number in 0..asked {
            let gateway = &replicas[number % 2];
            admitted += u32::from(gateway.status_of(key).await == StatusCode::OK);
        }
        admitted
    };
    let slow = replicas[0].key(&["--per-minute", "10", "--monthly-quota", "1000"]);
    let scarce = replicas[0].key(&["--per-minute", "1000", "--monthly-quota", "20"]);
    let revoked = replicas[0].roomy_key();
    assert_eq!(admitted_of(&scarce, 6).await, 6);
    assert_eq!(admitted_of(&revoked, 2).await, 2);

    servers.redis.kill();
    // Ten a minute over two replicas are five each.
    assert_eq!(admitted_of(&slow, 40).await, 10);
    assert_eq!(admitted_of(&scarce, 6).await, 6);
    assert!(all_are(&replicas, "degraded").await);
    // Redis can't be reached, and needn't be: every replica reads the key from the database.
    replicas[1].revoke(&revoked);
    assert_eq!(admitted_of(&revoked, 4).await, 0);

    servers.redis.start_again();
    eventually("Redis counts again", Duration::from_secs(40), async || {
        admitted_of(&slow, 2).await;
        all_are(&replicas, "up").await
    })
    .await;
    assert_eq!(admitted_of(&revoked, 4).await, 0);
    assert_eq!(
        admitted_of(&scarce, 40).await,
        8,
        "twenty in the month, twelve of them before"
    );
}

#[tokio::test]
async fn a_replica_refuses_a_schema_that_is_behind_and_two_migrations_at_once_are_one() {
    let Some(servers) = Servers::start_empty() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let said = refusal(command(folder.path()).envs(shared(&servers)));
    assert!(said.contains("cep-gateway migrate"), "{said}");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| migrate(&servers.database_url()));
        }
    });
    let gateway = replica(&servers);
    let key = gateway.roomy_key();
    assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
}

#[test]
fn replicas_agree_on_everything_they_share() {
    let database = ("CEP_DATABASE_URL", "postgres://127.0.0.1:1/cep");
    let redis = ("CEP_REDIS_URL", "redis://127.0.0.1:1");
    for ((variable, value), (missing, _)) in [(database, redis), (redis, database)] {
        let folder = tempfile::tempdir().unwrap();
        let said = refusal(command(folder.path()).env(variable, value));
        assert!(said.contains(missing), "{said}");
    }
}
