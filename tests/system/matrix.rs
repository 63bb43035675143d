//! Replicas × limit × load: three gateways admit as many requests as one exact limiter would.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use tokio::sync::Mutex;

use crate::fleet::Fleet;
use crate::gateway::{Gateway, Key};
use crate::load::{Asker, SeededRng, question};

/// Cases that run at the same time.
const AT_ONCE: usize = 4;
/// Connections to each replica that a case asks over at the same time.
const CONNECTIONS: usize = 2;

#[derive(Clone, Copy, Debug)]
struct Case {
    number: usize,
    replicas: usize,
    limit: usize,
    load: usize,
    quota: Option<usize>,
}

impl Case {
    fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        for replicas in 1..=3 {
            for limit in [10, 60, 1_000] {
                for load in [limit / 2, limit, 3 * limit] {
                    for quota in [None, Some(limit * 3 / 4)] {
                        // Thousands of requests over all of them are enough.
                        if limit < 1_000 || replicas == 3 {
                            cases.push(Self {
                                number: cases.len(),
                                replicas,
                                limit,
                                load,
                                quota,
                            });
                        }
                    }
                }
            }
        }
        cases
    }

    /// Creates a key with the limits, as an operator does, who has no bound on keys.
    fn key(self, gateway: &Gateway) -> Key {
        let (limit, quota) = (self.limit.to_string(), self.quota.map(|it| it.to_string()));
        let per_minute = ["--per-minute", &limit];
        match &quota {
            Some(quota) => gateway.key(&[&per_minute[..], &["--monthly-quota", quota]].concat()),
            None => gateway.key(&[&per_minute[..], &["--no-cap"]].concat()),
        }
    }

    /// Answers with 200, 429 and 402 of one exact limiter within a minute.
    fn model(self) -> [usize; 3] {
        let admitted = self.load.min(self.limit);
        let granted = admitted.min(self.quota.unwrap_or(admitted));
        let refused = self.load - granted;
        if granted < self.limit {
            [granted, 0, refused]
        } else {
            [granted, refused, 0]
        }
    }

    /// Sends requests to random replicas, over several connections at the same time.
    async fn run(self, fleet: &Fleet, key: &Key) -> [usize; 3] {
        let question = question(key);
        let begun = Instant::now();
        let streams = self.replicas * CONNECTIONS;
        let answers = join_all((0..streams).map(async |stream| {
            let mut askers: Vec<_> = fleet.replicas[..self.replicas]
                .iter()
                .map(Asker::new)
                .collect();
            let mut rng = SeededRng::new((self.number * 100 + stream) as u64);
            let share = (self.load + stream) / streams;
            let mut found = [0; 3];
            for _ in 0..share {
                let place = rng.below(askers.len());
                let answer = askers[place].ask(&question).await.unwrap();
                let kinds = [200, 429, 402];
                let kind = kinds.iter().position(|kind| *kind == answer.status);
                found[kind.unwrap_or_else(|| panic!("{answer:?}"))] += 1;
            }
            found
        }))
        .await;
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "this machine is too slow: {self:?} took {:?}",
            begun.elapsed()
        );
        std::array::from_fn(|kind| answers.iter().map(|found| found[kind]).sum())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_admit_what_the_model_admits_whatever_limit_and_load() {
    let Some((_redis, fleet)) = Fleet::on_redis(3, |_, plan| plan) else {
        return;
    };
    let cases = Arc::new(Mutex::new(Case::all()));
    join_all((0..AT_ONCE).map(async |_| {
        loop {
            let Some(case) = cases.lock().await.pop() else {
                return;
            };
            let key = case.key(&fleet.replicas[0]);
            let found = case.run(&fleet, &key).await;
            assert_eq!(found, case.model(), "{case:?}");
        }
    }))
    .await;
    assert!(fleet.all_are("up").await);
}
