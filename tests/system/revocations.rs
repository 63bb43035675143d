//! Under load on three replicas: of the requests that are sent after a revocation's answer none is
//! admitted, whichever replica or process revoked the key, and whether Redis was told or not.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::future::{join, join_all};
use testkit::redis::Redis;

use crate::faults::IMPATIENT;
use crate::faults::proxy::{NetworkFault, Proxy};
use crate::fleet::{Fleet, KeyAdmin, PATIENT, RECOVERY};
use crate::gateway::{Key, eventually};
use crate::load::{Asker, SeededRng, question};

const REPLICAS: usize = 3;
const KEYS: usize = 50;
/// Half of them ask with the key that is being revoked or was last: some hundred a revocation, twelve at a time.
const REQUESTS: usize = 20_000;
/// Connections to each replica.
const CONNECTIONS: usize = 4;
/// Every so many keys, one is revoked on the command line, which is another process.
const BY_COMMAND: usize = 10;
/// While Redis fails, a revocation begins after so many more requests.
const APART: usize = 10;

/// A request: the place of its key, when it was sent, and the status of its answer.
type Asked = (usize, Instant, u16);

/// Replicas with these connections to Redis, an administrator at each, and the keys.
async fn scene(
    ways: [String; REPLICAS],
    patience: &str,
) -> Option<(Fleet, Vec<KeyAdmin>, Vec<Key>)> {
    let fleet = Fleet::start(REPLICAS, |number, plan| {
        plan.with("CEP_REDIS_URL", &ways[number])
            .with("CEP_REDIS_TIMEOUT", patience)
            .with("CEP_DASHBOARD", "on")
    })?;
    let key_admins = join_all(fleet.replicas.iter().map(KeyAdmin::of)).await;
    let keys = (0..KEYS).map(|_| fleet.replicas[0].roomy_key()).collect();
    Some((fleet, key_admins, keys))
}

/// Sends requests with chosen keys, over some connections to each replica, until all keys are revoked; checks the
/// answers, and returns their number.
async fn under_load(
    (fleet, keys): (&Fleet, &[Key]),
    choose: impl Fn(&mut SeededRng) -> usize,
    revoking: impl AsyncFnOnce(&AtomicUsize) -> Vec<Instant>,
) -> usize {
    let (total, finished) = (AtomicUsize::new(0), AtomicBool::new(false));
    let questions: Vec<_> = keys.iter().map(question).collect();
    let askers = (0..CONNECTIONS * REPLICAS).map(async |number| {
        let mut asker = Asker::new(&fleet.replicas[number % REPLICAS]);
        let mut rng = SeededRng::new(number as u64);
        let mut answers = Vec::new();
        while !finished.load(Ordering::Relaxed) {
            let key = choose(&mut rng);
            let answer = asker.ask(&questions[key]).await.unwrap();
            total.fetch_add(1, Ordering::Relaxed);
            answers.push((key, answer.sent, answer.status));
        }
        answers
    });
    let revoking = async {
        let revoked_at = revoking(&total).await;
        finished.store(true, Ordering::Relaxed);
        revoked_at
    };
    let (answers, revoked_at) = join(join_all(askers), revoking).await;
    let answers = answers.concat();
    assert_revoked(&answers, &revoked_at);
    answers.len()
}

async fn are_asked(total: &AtomicUsize, requests: usize) {
    let are_asked = async || total.load(Ordering::Relaxed) >= requests;
    eventually("they are asked", Duration::from_mins(5), are_asked).await;
}

/// Each key worked until it was revoked, and never again once that was answered; there was no other
/// answer.
fn assert_revoked(answers: &[Asked], revoked_at: &[Instant]) {
    let (after, before): (Vec<_>, Vec<_>) = answers
        .iter()
        .partition(|(key, sent, _)| *sent > revoked_at[*key]);
    let wrong = after.iter().filter(|(_, _, status)| *status != 401).count();
    assert_eq!(wrong, 0, "of {} after a revocation", after.len());
    for key in 0..KEYS {
        let of_key = |answers: &[Asked], status| {
            let mut answers = answers.iter();
            answers.any(|(found, _, answer)| (*found, *answer) == (key, status))
        };
        assert!(of_key(&before, 200) && of_key(&after, 401), "key {key}");
    }
    let is_known = |(_, _, status): &Asked| [200, 401].contains(status);
    assert!(before.iter().all(is_known), "{before:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_twenty_thousand_requests_over_fifty_revocations_none_is_admitted_after_the_answer() {
    let Some(redis) = Redis::start(&[]) else {
        return;
    };
    let ways = [(); REPLICAS].map(|()| redis.url());
    let Some((fleet, key_admins, keys)) = scene(ways, PATIENT).await else {
        return;
    };
    let revoked = AtomicUsize::new(0);
    // Half of the time with the key that is being revoked, or was revoked last.
    let choose = |rng: &mut SeededRng| match rng.below(4) {
        0 => revoked.load(Ordering::Relaxed).min(KEYS - 1),
        1 => revoked.load(Ordering::Relaxed).saturating_sub(1),
        _ => rng.below(KEYS),
    };
    let revoking = async |total: &AtomicUsize| {
        let mut rng = SeededRng::new(2_026);
        let mut times = Vec::new();
        for (number, key) in keys.iter().enumerate() {
            // Somewhere in its own part of all requests.
            let part = REQUESTS / (KEYS + 1);
            are_asked(total, number * part + rng.below(part)).await;
            let place = rng.below(REPLICAS);
            if number % BY_COMMAND == 0 {
                tokio::task::block_in_place(|| fleet.replicas[place].revoke(key));
            } else {
                key_admins[place].revoke(key).await;
            }
            times.push(Instant::now());
            revoked.store(number + 1, Ordering::Relaxed);
        }
        are_asked(total, REQUESTS).await;
        times
    };
    let answers = under_load((&fleet, &keys), choose, revoking).await;
    assert!(answers >= REQUESTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_keys_revoked_while_redis_fails_none_is_admitted_after_the_answer() {
    let Some(redis) = Redis::start(&[]) else {
        return;
    };
    let proxies = [(); REPLICAS].map(|()| Proxy::to(redis.port()));
    let ways = proxies.each_ref().map(Proxy::url);
    let Some((fleet, key_admins, keys)) = scene(ways, IMPATIENT).await else {
        return;
    };
    // Redis has all keys as active ones.
    for key in &keys {
        let answers = fleet.ask(key, REPLICAS).await;
        assert!(answers.iter().all(|answer| answer.status == 200));
    }
    let latest = AtomicUsize::new(0);
    let choose = |rng: &mut SeededRng| match rng.below(2) {
        0 => latest.load(Ordering::Relaxed),
        _ => rng.below(KEYS),
    };
    // From the first failure on. Each revocation takes seconds, so they overlap.
    let revoked_at = async |total: &AtomicUsize, some: Range<usize>, places: usize| {
        let begun = total.load(Ordering::Relaxed);
        join_all(some.zip(0..).map(async |(number, turn)| {
            are_asked(total, begun + turn * APART).await;
            key_admins[turn % places].revoke(&keys[number]).await;
            let revoked_at = Instant::now();
            latest.store(number, Ordering::Relaxed);
            revoked_at
        }))
        .await
    };
    let revoking = async |total: &AtomicUsize| {
        are_asked(total, KEYS * APART).await;
        // The revoking replica can't tell Redis, by which the others still go.
        proxies[0].set(NetworkFault::Cut);
        let mut times = revoked_at(total, 0..KEYS / 2, 1).await;
        // No replica reaches Redis.
        proxies[1].set(NetworkFault::Cut);
        proxies[2].set(NetworkFault::Cut);
        times.extend(revoked_at(total, KEYS / 2..KEYS, REPLICAS).await);
        assert!(fleet.all_are("degraded").await);
        let answers = join_all(keys.iter().map(|key| fleet.ask(key, REPLICAS))).await;
        assert!(answers.iter().flatten().all(|answer| answer.status == 401));
        // To Redis, the later half are active keys.
        for proxy in &proxies {
            proxy.set(NetworkFault::None);
        }
        let are_up = async || fleet.all_are("up").await;
        eventually("Redis counts again", RECOVERY, are_up).await;
        are_asked(total, total.load(Ordering::Relaxed) + KEYS * APART).await;
        times
    };
    under_load((&fleet, &keys), choose, revoking).await;
}
