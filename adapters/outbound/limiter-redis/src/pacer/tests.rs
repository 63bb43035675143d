//! Model test: the scripts agree with the domain's rules on random schedules.

use std::num::NonZeroU32;

use domain::pacing::{Schedule, Step, WaiterId};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use testkit::redis::Redis;

use super::*;
use crate::{RedisLimiter, RedisOptions, RedisTimeouts};

/// The lease of the scripts.
const LEASE: Duration = Duration::from_secs(5);

/// A call of the pacer or the passage of time. Times are microseconds.
#[derive(Clone, Debug)]
enum Event {
    Ask {
        longest_wait: u64,
    },
    /// A waiting caller polls.
    Poll {
        place: usize,
    },
    Leave {
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
        10 => (0_usize..8).prop_map(|place| Event::Poll { place }),
        2 => (0_usize..8).prop_map(|place| Event::Leave { place }),
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

/// A waiting caller with comparison tickets.
struct Caller {
    rules_ticket: WaiterId,
    redis_ticket: i64,
    latest: Duration,
    /// Expiry of the ticket unless polled.
    lease: Duration,
}

/// A pacer and its model.
struct Comparison {
    redis: RedisPacer,
    micros: Arc<AtomicI64>,
    rules: Schedule,
    now: Duration,
    waiting: Vec<Caller>,
}

impl Comparison {
    fn new(server: &Redis, per_minute: u32) -> Self {
        server.tell(&["FLUSHALL"]);
        // A recorded schedule, so that the server doesn't assume lost data.
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
            redis: limiter.pacer(pacing).with_frozen_clock(Arc::clone(&micros)),
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
            Event::Poll { place } if place < self.waiting.len() => {
                let caller = self.waiting.remove(place);
                if caller.lease > self.now {
                    self.poll(caller).await;
                } else {
                    let latest = caller.latest.max(self.now);
                    self.ask(Some(caller.redis_ticket), latest).await;
                }
            }
            Event::Leave { place } if place < self.waiting.len() => {
                let caller = self.waiting.remove(place);
                self.rules.leave(caller.rules_ticket);
                self.redis.0.leave(caller.redis_ticket).await.unwrap();
            }
            Event::Poll { .. } | Event::Leave { .. } => {}
            Event::Pass { micros: passed } => {
                self.now += micros(passed);
                let now = i64::try_from(self.now.as_micros()).unwrap();
                self.micros.store(now, Ordering::SeqCst);
                for ended in self.waiting.iter().filter(|other| other.lease <= self.now) {
                    self.rules.leave(ended.rules_ticket);
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
                self.expect_empty_queue().await;
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
                    self.expect_empty_queue().await;
                }
            }
        }
        let left = self.redis.budget().await.unwrap();
        assert_eq!(left.remaining, self.rules.room(self.now));
        assert_eq!(left.paused_for, self.rules.paused_for(self.now));
    }

    /// A caller asks without a ticket or with an expired one.
    async fn ask(&mut self, ended: Option<i64>, latest: Duration) {
        let queued = self.rules.queue(self.now, latest);
        let longest_wait = latest.saturating_sub(self.now);
        let reply = self.redis.0.poll(ended, longest_wait).await.unwrap();
        let rules_ticket = match queued {
            Ok(ticket) => ticket,
            Err(refusal) => return assert_eq!(reply, PollReply::Refused(refusal)),
        };
        if let Some(redis_ticket) = self.compare(rules_ticket, reply) {
            assert!(
                self.waiting
                    .iter()
                    .all(|other| other.redis_ticket < redis_ticket)
            );
            self.wait(rules_ticket, redis_ticket, latest);
        }
    }

    /// A caller polls with its ticket.
    async fn poll(&mut self, caller: Caller) {
        let longest_wait = caller.latest.saturating_sub(self.now);
        let reply = self
            .redis
            .0
            .poll(Some(caller.redis_ticket), longest_wait)
            .await;
        if let Some(redis_ticket) = self.compare(caller.rules_ticket, reply.unwrap()) {
            assert_eq!(redis_ticket, caller.redis_ticket);
            self.wait(caller.rules_ticket, redis_ticket, caller.latest);
        }
    }

    /// Compares a reply with the model's; returns the ticket in Redis if the caller waits on.
    fn compare(&mut self, rules_ticket: WaiterId, reply: PollReply) -> Option<i64> {
        match (self.rules.step(rules_ticket, self.now), reply) {
            (Step::Go, PollReply::Go) => None,
            (Step::Leave(expected), PollReply::Refused(refusal)) => {
                assert_eq!(refusal, expected);
                None
            }
            (Step::Wait(at) | Step::Behind(at), PollReply::Wait { ticket, left }) => {
                assert_eq!(left, at.saturating_sub(self.now));
                Some(ticket)
            }
            (expected, reply) => panic!("rules: {expected:?}, Redis: {reply:?}"),
        }
    }

    fn wait(&mut self, rules_ticket: WaiterId, redis_ticket: i64, latest: Duration) {
        let caller = Caller {
            rules_ticket,
            redis_ticket,
            latest,
            lease: self.now + LEASE,
        };
        let place = self
            .waiting
            .partition_point(|other| other.redis_ticket < redis_ticket);
        self.waiting.insert(place, caller);
    }

    async fn expect_empty_queue(&mut self) {
        for caller in std::mem::take(&mut self.waiting) {
            assert!(
                !self.rules.leave(caller.rules_ticket),
                "the queue was emptied"
            );
            let reply = self.redis.0.poll(Some(caller.redis_ticket), LEASE).await;
            let retry_after = self.rules.paused_for(self.now).unwrap();
            let refusal = Throttled::BackingOff { retry_after };
            assert_eq!(reply.unwrap(), PollReply::Refused(refusal));
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
                let mut comparison = Comparison::new(&server, per_minute);
                for event in events {
                    comparison.follow(event).await;
                }
            });
            Ok(())
        })
        .unwrap();
}
