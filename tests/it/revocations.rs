//! Under load on three replicas: of the requests that are sent after a revocation's answer none is
//! admitted, whichever replica or process revoked the key.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::future::{join, join_all};

use crate::fleet::{Fleet, Keymaker, PATIENT};
use crate::gateway::eventually;
use crate::load::{Asker, Dice, question};
use crate::servers::redis::Redis;

const KEYS: usize = 50;
const REQUESTS: usize = 100_000;
/// Connections to each replica.
const CONNECTIONS: usize = 4;
/// Every so many keys, one is revoked on the command line, which is a process of its own.
const BY_COMMAND: usize = 10;

#[tokio::test(flavor = "multi_thread")]
async fn of_a_hundred_thousand_requests_over_fifty_revocations_none_is_admitted_after_the_answer() {
    let Some(redis) = Redis::start(&[]) else {
        return;
    };
    let variables = [
        ("CEP_REDIS_URL", &*redis.url()),
        ("CEP_REDIS_TIMEOUT", PATIENT),
        ("CEP_DASHBOARD", "on"),
    ];
    let Some(fleet) = Fleet::start(3, &variables) else {
        return;
    };
    let keymakers = join_all(fleet.replicas.iter().map(Keymaker::of)).await;
    let mut keys = Vec::new();
    for _ in 0..KEYS {
        keys.push(keymakers[0].key(1_000_000, None).await);
    }
    let questions: Vec<_> = keys.iter().map(question).collect();
    let (total, revoked) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let finished = AtomicBool::new(false);

    let asking = join_all((0..CONNECTIONS * fleet.replicas.len()).map(async |number| {
        let replica = number % fleet.replicas.len();
        let mut asker = Asker::new(&fleet.replicas[replica]);
        let mut dice = Dice::new(number as u64);
        let mut answers = Vec::new();
        while !finished.load(Ordering::Relaxed) || total.load(Ordering::Relaxed) < REQUESTS {
            // Half of the time with the key that is being revoked, or was the last one.
            let key = match dice.below(4) {
                0 => revoked.load(Ordering::Relaxed).min(KEYS - 1),
                1 => revoked.load(Ordering::Relaxed).saturating_sub(1),
                _ => dice.below(KEYS),
            };
            let answer = asker.ask(&questions[key]).await.unwrap();
            total.fetch_add(1, Ordering::Relaxed);
            answers.push((key, answer.sent, answer.status));
        }
        answers
    }));
    let revoking = async {
        let mut dice = Dice::new(2_026);
        let mut times = Vec::new();
        for (number, key) in keys.iter().enumerate() {
            // Somewhere in its own part of all requests.
            let part = REQUESTS / (KEYS + 1);
            let from = number * part + dice.below(part);
            eventually("so many are asked", Duration::from_mins(5), async || {
                total.load(Ordering::Relaxed) >= from
            })
            .await;
            let place = dice.below(fleet.replicas.len());
            if number % BY_COMMAND == 0 {
                let gateway = &fleet.replicas[place];
                let done =
                    tokio::task::block_in_place(|| gateway.run(&["keys", "revoke", &key.id]));
                assert!(done.status.success());
            } else {
                keymakers[place].revoke(key).await;
            }
            times.push(Instant::now());
            revoked.store(number + 1, Ordering::Relaxed);
        }
        finished.store(true, Ordering::Relaxed);
        times
    };
    let (answers, revoked_at) = join(asking, revoking).await;

    let answers: Vec<_> = answers.into_iter().flatten().collect();
    assert!(answers.len() >= REQUESTS);
    let (after, before): (Vec<_>, Vec<_>) = answers
        .iter()
        .partition(|(key, sent, _)| *sent > revoked_at[*key]);
    let wrong = after.iter().filter(|(_, _, status)| *status != 401).count();
    assert_eq!(wrong, 0, "of {} after a revocation", after.len());
    // Each key worked until it was revoked, and was asked for afterwards.
    for key in 0..KEYS {
        let of_key = |answers: &[(usize, Instant, u16)], status| {
            answers
                .iter()
                .any(|(found, _, answer)| *found == key && *answer == status)
        };
        assert!(of_key(&before, 200) && of_key(&after, 401), "key {key}");
    }
    let strange = before
        .iter()
        .filter(|(_, _, status)| ![200, 401].contains(status));
    assert_eq!(strange.count(), 0);
}
