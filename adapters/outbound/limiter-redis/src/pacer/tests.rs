//! Model test: the scripts, called by three replicas, agree with the domain's rules on random
//! schedules.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering;

use domain::keys::CounterId;
use domain::pacing::{LookupClass, Schedule, Step, WaiterId};
use domain::people::customer::CustomerId;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use testkit::redis::Redis;

use super::scripts::{Joining, WaitingLane};
use super::*;
use crate::{RedisLimiter, RedisOptions, RedisTimeouts};

const REPLICAS: usize = 3;
/// The lease of the scripts.
const LEASE: Duration = Duration::from_secs(5);
/// Deadline of whoever waits: deadlines are the callers' own, not the scripts'.
const FAR: Duration = Duration::from_hours(10_000_000);

/// A call of the pacer or the passage of time. Times are microseconds.
#[derive(Clone, Debug)]
enum Event {
    Join {
        replica: usize,
        lane: usize,
        longest_wait: u64,
    },
    /// A replica asks for a turn.
    Poll {
        replica: usize,
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
        12 => (
            0..REPLICAS,
            0_usize..18,
            prop_oneof![1 => 0..30 * SECOND, 2 => 0..400 * SECOND],
        )
            .prop_map(|(replica, lane, longest_wait)| Event::Join {
                replica,
                lane,
                longest_wait,
            }),
        10 => (0..REPLICAS).prop_map(|replica| Event::Poll { replica }),
        2 => (0_usize..30).prop_map(|place| Event::Leave { place }),
        6 => prop_oneof![
            8 => 0..5 * SECOND,
            2 => 0..40 * SECOND,
            1 => Just(61 * SECOND),
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
    prop::collection::vec(event, 0..100)
}

/// One of the lanes: three customers with three keys each, in both classes.
fn lane(number: usize) -> Lane {
    let (key, class) = (number % 9, number / 9);
    let id = |number: usize| Uuid::from_u128(u128::try_from(number + 1).unwrap());
    Lane {
        customer: CustomerId(id(key / 3)),
        key: CounterId(id(key)),
        class: LookupClass::ALL[class],
    }
}

/// A caller that waits.
#[derive(Clone, Copy, Debug)]
struct Caller {
    id: WaiterId,
    replica: usize,
    lane: Lane,
    /// Its number from Redis.
    number: i64,
}

/// Three pacers and their model.
struct Comparison {
    pacers: Vec<RedisPacer>,
    micros: Arc<AtomicI64>,
    rules: Schedule,
    now: Duration,
    /// Callers that wait, in the order of their arrival.
    waiting: Vec<Caller>,
    /// Times of the replicas' last calls.
    called: [Duration; REPLICAS],
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
        let pacer = |replica| {
            let pacer = limiter.pacer(Uuid::from_u128(replica), pacing);
            pacer.with_frozen_clock(Arc::clone(&micros))
        };
        Self {
            pacers: (0..3).map(pacer).collect(),
            micros,
            rules: Schedule::new(pacing),
            now,
            waiting: Vec::new(),
            called: [now; REPLICAS],
        }
    }

    async fn follow(&mut self, event: Event) {
        let micros = Duration::from_micros;
        let pacer = &self.pacers[0];
        match event {
            Event::Join {
                replica,
                lane: number,
                longest_wait,
            } => {
                let joining = (lane(number), micros(longest_wait));
                self.call(replica, Some(joining)).await;
            }
            Event::Poll { replica } => self.call(replica, None).await,
            Event::Leave { place } if place < self.waiting.len() => {
                let caller = self.waiting.remove(place);
                self.rules.leave(caller.id);
                self.call(caller.replica, None).await;
            }
            Event::Leave { .. } => {}
            Event::Pass { micros: passed } => {
                self.now += micros(passed);
                let now = i64::try_from(self.now.as_micros()).unwrap();
                self.micros.store(now, Ordering::SeqCst);
                let ended = |replica: usize| self.called[replica] + LEASE <= self.now;
                let of_ended = |caller: &mut Caller| ended(caller.replica);
                for caller in self.waiting.extract_if(.., of_ended) {
                    self.rules.leave(caller.id);
                }
            }
            Event::Limited { under_way } => {
                let expected = self.rules.record_throttled(micros(under_way), self.now);
                let back_off = pacer.record_throttled(micros(under_way)).await.unwrap();
                assert_eq!(back_off, expected);
                self.waiting.clear();
            }
            Event::Served { under_way } => {
                self.rules.record_success(micros(under_way), self.now);
                pacer.record_success(micros(under_way)).await.unwrap();
            }
            Event::Learn { left, turns } => {
                let turns: Vec<_> = turns.into_iter().map(micros).collect();
                for ago in &turns {
                    self.rules.merge_acquisition(*ago, self.now);
                }
                self.rules.merge_back_off(micros(left), self.now);
                let paused_for = Some(micros(left));
                let news = PacerState { turns, paused_for };
                pacer.merge(&news).await.unwrap();
                if self.rules.paused_for(self.now).is_some() {
                    self.waiting.clear();
                }
            }
        }
        self.renew_leases().await;
        let budget = self.pacers[0].budget().await.unwrap();
        assert_eq!(budget.remaining, self.rules.room(self.now));
        assert_eq!(budget.waiting, self.rules.waiting());
        assert_eq!(budget.paused_for, self.rules.paused_for(self.now));
    }

    /// Lets every replica call that hasn't for a while.
    async fn renew_leases(&mut self) {
        for replica in 0..REPLICAS {
            if self.now.saturating_sub(self.called[replica]) >= LEASE / 2 {
                self.call(replica, None).await;
            }
        }
    }

    /// A replica tells its callers, lets one join, and asks for a turn.
    async fn call(&mut self, replica: usize, joining: Option<(Lane, Duration)>) {
        let mut lanes: Vec<WaitingLane> = Vec::new();
        let mut place = |lane, first| {
            let known = lanes.iter().position(|other| other.lane == lane);
            known.unwrap_or_else(|| {
                lanes.push(WaitingLane {
                    lane,
                    callers: 0,
                    first,
                });
                lanes.len() - 1
            })
        };
        let mut told = Vec::new();
        for caller in self
            .waiting
            .iter()
            .filter(|caller| caller.replica == replica)
        {
            told.push(place(caller.lane, caller.number));
        }
        let joins: Vec<_> = joining
            .iter()
            .map(|(lane, longest_wait)| Joining {
                lane: place(*lane, 0),
                longest_wait: *longest_wait,
            })
            .collect();
        for place in told {
            lanes[place].callers += 1;
        }
        let reply = self.pacers[replica].0.scripts.turn(&lanes, &joins).await;
        let reply = reply.unwrap();
        self.called[replica] = self.now;
        if let Some(left) = self.rules.paused_for(self.now) {
            return assert_eq!(reply, TurnReply::BackingOff(left));
        }
        let TurnReply::Queue {
            granted,
            next,
            joined,
        } = reply
        else {
            panic!("the bank throttled nothing: {reply:?}");
        };
        for ((lane, longest_wait), result) in joining.into_iter().zip(joined) {
            self.compare_join(replica, lane, longest_wait, result);
        }
        let granted = granted.map(|place| lanes[place].lane);
        if self.compare_grant(replica, granted, next) {
            // The pacer does so at once: Redis doesn't know the number of the lane's next caller.
            Box::pin(self.call(replica, None)).await;
        }
    }

    fn compare_join(
        &mut self,
        replica: usize,
        lane: Lane,
        longest_wait: Duration,
        result: Result<i64, Throttled>,
    ) {
        let expected = self.rules.queue(lane, self.now, self.now + longest_wait);
        assert_eq!(result.err(), expected.err());
        let (Ok(number), Ok(id)) = (result, expected) else {
            return;
        };
        self.rules.leave(id);
        let id = self.rules.queue(lane, self.now, FAR).unwrap();
        self.waiting.push(Caller {
            id,
            replica,
            lane,
            number,
        });
    }

    /// Returns true if there was a turn.
    fn compare_grant(&mut self, replica: usize, granted: Option<Lane>, next: Duration) -> bool {
        let first = self.rules.next();
        let place = self
            .waiting
            .iter()
            .position(|caller| Some(caller.id) == first);
        let Some(Caller {
            id,
            replica: owner,
            lane,
            ..
        }) = place.map(|place| self.waiting[place])
        else {
            assert_eq!(granted, None);
            return false;
        };
        if owner != replica {
            assert_eq!(granted, None, "another replica is next");
            return false;
        }
        match self.rules.step(id, self.now) {
            Step::Go => {
                assert_eq!(granted, Some(lane));
                self.waiting.retain(|caller| caller.id != id);
            }
            Step::Wait(at) => {
                assert_eq!(granted, None);
                assert_eq!(next, at.saturating_sub(self.now));
            }
            other => panic!("the next goes or waits: {other:?}"),
        }
        granted.is_some()
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
        .run(&(1_u32..90, events()), |(per_minute, events)| {
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
