//! `kill -9` of a replica between admission and answer: no proof that was delivered is uncounted,
//! neither in the database nor in Redis.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;
use testkit::redis::Redis;

use crate::fleet::{Fleet, PATIENT};
use crate::gateway::eventually;
use crate::load::{Asker, question_of};

/// Requests in flight at each replica.
const IN_FLIGHT: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn every_proof_that_a_killed_replica_delivered_is_counted() {
    let Some(redis) = Redis::start(&[]) else {
        return;
    };
    let url = redis.url();
    let variables = [
        ("CEP_REDIS_URL", &*url),
        ("CEP_REDIS_TIMEOUT", PATIENT),
        // Each request waits for the bank that long, between its admission and its answer.
        ("CEP_SANDBOX_LATENCY", "100"),
    ];
    let Some(mut fleet) = Fleet::start(3, &variables) else {
        return;
    };
    let key = fleet.replicas[0].key(&["--per-minute", "100000", "--monthly-quota", "100000"]);
    let state = format!("cep:{{{}}}:s", key.id.replace('-', ""));
    let (delivered, numbers) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicU32::new(0)));
    let mut killed = 0;
    while fleet.replicas.len() > 1 {
        let askers: Vec<_> = fleet
            .replicas
            .iter()
            .flat_map(|gateway| (0..IN_FLIGHT).map(move |_| Asker::new(gateway)))
            .map(|mut asker| {
                let (delivered, numbers) = (Arc::clone(&delivered), Arc::clone(&numbers));
                let key = key.clone();
                tokio::spawn(async move {
                    for _ in 0..30 {
                        let number = numbers.fetch_add(1, Ordering::Relaxed);
                        // A gateway that was killed delivers nothing more.
                        let Ok(answer) = asker.ask(&question_of(&key, number)).await else {
                            return;
                        };
                        assert_eq!(answer.status, 200, "{answer:?}");
                        delivered.fetch_add(1, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        let until = delivered.load(Ordering::SeqCst) + 60;
        eventually(
            "proofs are delivered",
            Duration::from_secs(30),
            async || delivered.load(Ordering::SeqCst) >= until,
        )
        .await;
        fleet.replicas.pop().unwrap().kill();
        killed += 1;
        for asker in askers {
            asker.await.unwrap();
        }
        let delivered = delivered.load(Ordering::SeqCst);
        let by_database = usize::try_from(fleet.charged(&key)).unwrap();
        let by_redis: usize = redis.ask(&["HGET", &state, "c"]).parse().unwrap();
        // Redis counts an admission before the journal has it, and the journal before the answer
        // leaves; a request that was in flight when a replica died may be in the one and not in the
        // next.
        assert!(
            delivered <= by_database && by_database <= by_redis,
            "{delivered} delivered, {by_database} in the database, {by_redis} in Redis"
        );
        assert!(
            by_redis <= delivered + killed * IN_FLIGHT,
            "{delivered} delivered, {by_redis} counted"
        );
    }
}
