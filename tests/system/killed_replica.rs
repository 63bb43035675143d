//! `kill -9` of a replica between admission and answer: no proof that was delivered is uncounted,
//! neither in the database nor in Redis.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::{join, join_all};

use crate::fleet::Fleet;
use crate::gateway::{Plan, eventually};
use crate::load::{Asker, question_of};

/// Requests in flight at each replica.
const IN_FLIGHT: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn every_proof_that_a_killed_replica_delivered_is_counted() {
    // Each request waits for the bank that long, between its admission and its answer.
    let planned = |_, plan: Plan| plan.with("CEP_SANDBOX_LATENCY", 100);
    let Some((redis, mut fleet)) = Fleet::on_redis(3, planned) else {
        return;
    };
    let key = fleet.replicas[0].key(&["--per-minute", "100000", "--monthly-quota", "100000"]);
    let state = format!("cep:{{{}}}:s", key.id.replace('-', ""));
    let (delivered, numbers) = (AtomicUsize::new(0), AtomicU32::new(0));
    let mut killed = 0;
    while fleet.replicas.len() > 1 {
        let replicas = fleet.replicas.iter().cycle();
        let askers: Vec<_> = replicas
            .map(Asker::new)
            .take(fleet.replicas.len() * IN_FLIGHT)
            .collect();
        let asking = join_all(askers.into_iter().map(async |mut asker| {
            for _ in 0..30 {
                let number = numbers.fetch_add(1, Ordering::Relaxed);
                // A gateway that was killed delivers nothing more.
                let Ok(answer) = asker.ask(&question_of(&key, number)).await else {
                    return;
                };
                assert_eq!(answer.status, 200, "{answer:?}");
                delivered.fetch_add(1, Ordering::SeqCst);
            }
        }));
        let killing = async {
            let until = delivered.load(Ordering::SeqCst) + 60;
            let are_delivered = async || delivered.load(Ordering::SeqCst) >= until;
            let patience = Duration::from_secs(30);
            eventually("proofs are delivered", patience, are_delivered).await;
            fleet.replicas.pop().unwrap().kill();
        };
        join(asking, killing).await;
        killed += 1;
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
