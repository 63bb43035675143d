//! The scripts and the domain's rules agree on random schedules.

use std::num::NonZeroU32;

use domain::pacing::{Schedule, Step, WaiterId};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use testkit::redis::Redis;

use super::*;
use crate::{RedisLimiter, RedisOptions, RedisTimeouts};

/// The lease of the scripts.
const LEASE: Duration = Duration::from_secs(5);

/// What happens to a pacer. Times are microseconds.
#[derive(Clone, Debug)]
enum Event {
    Ask {
        longest_wait: u64,
    },
    /// Somebody who waits looks again.
    Look {
        place: usize,
    },
    GoAway {
        place: usize,
    },
    Pass {
        micros: u64,
    },
    Limited {
        under_way: u64,
    },
    Served {
        under_way: u64,
    },
    Learn {
        left: u64,
        turns: Vec<u64>,
    },
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    const SECOND: u64 = 1_000_000;
    let ago = || 0..70 * SECOND;
    let event = prop_oneof![
        10 => (0..90 * SECOND).prop_map(|longest_wait| Event::Ask { longest_wait }),
        10 => (0_usize..8).prop_map(|place| Event::Look { place }),
        2 => (0_usize..8).prop_map(|place| Event::GoAway { place }),
        8 => prop_oneof![
            8 => 0..5 * SECOND,
            2 => 0..40 * SECOND,
            1 => Just(60 * SECOND),
            1 => 0..2_000 * SECOND,
        ]
        .prop_map(|micros| Event::Pass { micros }),
        1 => ago().prop_map(|under_way| Event::Limited { under_way }),
        2 => ago().prop_map(|under_way| Event::Served { under_way }),
        1 => (
            prop_oneof![2 => Just(0), 1 => 0..2_500 * SECOND],
            prop::collection::vec(ago(), 0..4),
        )
            .prop_map(|(left, turns)| Event::Learn { left, turns }),
    ];
    prop::collection::vec(event, 0..80)
}

/// Somebody who waits, as both know him.
struct Caller {
    here: WaiterId,
    there: i64,
    latest: Duration,
    /// When his place ends if he doesn't look again.
    lease: Duration,
}

/// A pacer, and the rules that it should follow.
struct Both {
    redis: RedisPacer,
    micros: Arc<AtomicI64>,
    rules: Schedule,
    now: Duration,
    waiting: Vec<Caller>,
}

impl Both {
    fn new(server: &Redis, per_minute: u32) -> Self {
        server.tell(&["FLUSHALL"]);
        // It has forgotten nothing: nobody asked yet.
        server.number(&["HSET", "cep-standing:{bank}:s", "e", "0"]);
        let pacing = Pacing::new(NonZeroU32::new(per_minute).unwrap());
        let now = Duration::from_hours(500_000);
        let micros = Arc::new(AtomicI64::new(1_800_000_000_000_000));
        let patience = Duration::from_secs(10);
        let options = RedisOptions {
            timeouts: RedisTimeouts {
                wait: patience,
                create: patience,
                response: patience,
            },
            ..RedisOptions::default()
        };
        let limiter = RedisLimiter::single(&server.url(), &options).unwrap();
        Self {
            redis: limiter.pacer(pacing).in_standing_time(Arc::clone(&micros)),
            micros,
            rules: Schedule::new(pacing),
            now,
            waiting: Vec::new(),
        }
    }

    async fn follow(&mut self, event: Event) {
        let micros = Duration::from_micros;
        match event {
            Event::Ask { longest_wait } => self.ask(None, self.now + micros(longest_wait)).await,
            Event::Look { place } if place < self.waiting.len() => {
                let caller = self.waiting.remove(place);
                if caller.lease > self.now {
                    self.look(caller).await;
                } else {
                    let latest = caller.latest.max(self.now);
                    self.ask(Some(caller.there), latest).await;
                }
            }
            Event::GoAway { place } if place < self.waiting.len() => {
                let caller = self.waiting.remove(place);
                self.rules.leave(caller.here);
                self.redis.0.leave(caller.there).await.unwrap();
            }
            Event::Look { .. } | Event::GoAway { .. } => {}
            Event::Pass { micros: passed } => {
                self.now += micros(passed);
                let now = i64::try_from(self.now.as_micros()).unwrap();
                self.micros.store(now, Ordering::SeqCst);
                for ended in self.waiting.iter().filter(|other| other.lease <= self.now) {
                    self.rules.leave(ended.here);
                }
            }
            Event::Limited { under_way } => {
                let expected = self.rules.record_throttled(micros(under_way), self.now);
                let back_off = self
                    .redis
                    .record_throttled(micros(under_way))
                    .await
                    .unwrap();
                assert_eq!(back_off, expected);
                self.everybody_leaves().await;
            }
            Event::Served { under_way } => {
                self.rules.record_success(micros(under_way), self.now);
                self.redis.record_success(micros(under_way)).await.unwrap();
            }
            Event::Learn { left, turns } => {
                let turns: Vec<_> = turns.into_iter().map(micros).collect();
                for ago in &turns {
                    self.rules.merge_acquisition(*ago, self.now);
                }
                self.rules.merge_back_off(micros(left), self.now);
                let paused_for = Some(micros(left));
                let news = PacerState { turns, paused_for };
                self.redis.merge(&news).await.unwrap();
                if self.rules.paused_for(self.now).is_some() {
                    self.everybody_leaves().await;
                }
            }
        }
        let left = self.redis.budget().await.unwrap();
        assert_eq!(left.remaining, self.rules.room(self.now));
        assert_eq!(left.paused_for, self.rules.paused_for(self.now));
    }

    /// Somebody asks who has no place, or whose place has ended.
    async fn ask(&mut self, ended: Option<i64>, latest: Duration) {
        let queued = self.rules.queue(self.now, latest);
        let longest_wait = latest.saturating_sub(self.now);
        let answer = self.redis.0.look(ended, longest_wait).await.unwrap();
        let here = match queued {
            Ok(ticket) => ticket,
            Err(refusal) => return assert_eq!(answer, Answer::Refused(refusal)),
        };
        if let Some(there) = self.goes_on(here, answer) {
            assert!(self.waiting.iter().all(|other| other.there < there));
            self.wait(here, there, latest);
        }
    }

    /// Somebody looks who has a place.
    async fn look(&mut self, caller: Caller) {
        let longest_wait = caller.latest.saturating_sub(self.now);
        let answer = self.redis.0.look(Some(caller.there), longest_wait).await;
        if let Some(there) = self.goes_on(caller.here, answer.unwrap()) {
            assert_eq!(there, caller.there);
            self.wait(caller.here, there, caller.latest);
        }
    }

    /// Compares an answer with the rules' own; the ticket there of whoever goes on waiting.
    fn goes_on(&mut self, here: WaiterId, answer: Answer) -> Option<i64> {
        match (self.rules.step(here, self.now), answer) {
            (Step::Go, Answer::Go) => None,
            (Step::Leave(expected), Answer::Refused(refusal)) => {
                assert_eq!(refusal, expected);
                None
            }
            (Step::Wait(at) | Step::Behind(at), Answer::Wait { ticket, left }) => {
                assert_eq!(left, at.saturating_sub(self.now));
                Some(ticket)
            }
            (expected, answer) => panic!("{expected:?} here, {answer:?} there"),
        }
    }

    fn wait(&mut self, here: WaiterId, there: i64, latest: Duration) {
        let caller = Caller {
            here,
            there,
            latest,
            lease: self.now + LEASE,
        };
        let place = self.waiting.partition_point(|other| other.there < there);
        self.waiting.insert(place, caller);
    }

    async fn everybody_leaves(&mut self) {
        for caller in std::mem::take(&mut self.waiting) {
            assert!(!self.rules.leave(caller.here), "it was sent away");
            let answer = self.redis.0.look(Some(caller.there), LEASE).await;
            let retry_after = self.rules.paused_for(self.now).unwrap();
            let refusal = Throttled::BackingOff { retry_after };
            assert_eq!(answer.unwrap(), Answer::Refused(refusal));
        }
    }
}

#[test]
fn the_scripts_agree_with_the_rules() {
    let Some(server) = Redis::start(&[]) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let config = Config {
        cases: 200,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&(1_u32..40, events()), |(per_minute, events)| {
            runtime.block_on(async {
                let mut both = Both::new(&server, per_minute);
                for event in events {
                    both.follow(event).await;
                }
            });
            Ok(())
        })
        .unwrap();
}
