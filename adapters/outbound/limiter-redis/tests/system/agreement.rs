//! Model test: Redis, the in-process limiter and a model of ten lines agree on random schedules.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::limits::LimitStatus;
use domain::month::Month;
use memory::InProcessLimiter;
use ports::outbound::{Clock, Limiter, Snapshot, Verdict};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use testkit::redis::Redis;
use uuid::Uuid;

use crate::support::{KEY, MID_MONTH, redis, shifted_limiter, state, used};

/// One step of a schedule.
#[derive(Clone, Debug)]
enum Step {
    Wait(i64),
    Ask(u8),
    Limit(u32),
    Quota(u64),
    /// Refunds the request of this number; some more than once.
    Refund(u8),
    /// Sets the server's clock back, if the last request was admitted. (After a refusal Redis
    /// forgets when it was, for it writes nothing; the limiter in process remembers.)
    Back(i64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => prop_oneof![0_i64..1_500, 0_i64..70_000, Just(60_000)].prop_map(Step::Wait),
        6 => (1_u8..30).prop_map(Step::Ask),
        // Above 6,000 the log is kept by the second.
        2 => prop_oneof![1_u32..40, 6_000_u32..6_010].prop_map(Step::Limit),
        1 => (1_u64..200).prop_map(Step::Quota),
        1 => (0_u8..20).prop_map(Step::Refund),
        1 => (1_i64..90_000).prop_map(Step::Back),
    ];
    prop::collection::vec(step, 1..40)
}

/// The reference model.
struct Model {
    limit: usize,
    quota: u64,
    month: Month,
    charged: u64,
    refunded: u64,
    expiries: Vec<i64>,
}

impl Model {
    fn ask(&mut self, now: DateTime<Utc>) -> &'static str {
        if Month::of(now) > self.month {
            (self.month, self.charged, self.refunded) = (Month::of(now), 0, 0);
        }
        let now = now.timestamp_millis();
        if self.expiries.iter().filter(|at| **at > now).count() >= self.limit {
            return "rate limited";
        }
        if self.charged.saturating_sub(self.refunded) >= self.quota {
            return "quota exceeded";
        }
        let exact = now + 60_000;
        let second = (exact + 999) / 1_000 * 1_000;
        let expiry = if self.limit <= 6_000 { exact } else { second };
        let last = self.expiries.last().copied();
        self.expiries.push(expiry.max(last.unwrap_or(expiry)));
        self.charged += 1;
        "admitted"
    }
}

fn name_of(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Admitted { .. } => "admitted",
        Verdict::RateLimited { .. } => "rate limited",
        Verdict::QuotaExceeded { .. } => "quota exceeded",
        Verdict::Revoked | Verdict::Unknown { .. } => panic!("{verdict:?}"),
    }
}

/// Returns the time of Redis's decision, from the month's limit status.
fn decided_at(verdict: &Verdict) -> DateTime<Utc> {
    match verdict {
        Verdict::Admitted { limit_status, .. }
        | Verdict::RateLimited { limit_status, .. }
        | Verdict::QuotaExceeded { limit_status, .. } => seen_at(limit_status),
        Verdict::Revoked | Verdict::Unknown { .. } => panic!("{verdict:?}"),
    }
}

fn seen_at(limit_status: &LimitStatus) -> DateTime<Utc> {
    let month = limit_status.month.unwrap();
    month.reset_at - TimeDelta::from_std(month.reset).unwrap()
}

/// A clock set by the test, in milliseconds.
struct ManualClock(AtomicI64);

impl ManualClock {
    fn set(&self, now: DateTime<Utc>) {
        self.0.store(now.timestamp_millis(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0.load(Ordering::SeqCst)).unwrap()
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::SeqCst).try_into().unwrap())
    }
}

async fn follow(server: &Redis, start: &str, steps: Vec<Step>) {
    server.tell(&["FLUSHALL"]);
    let (redis, time) = shifted_limiter(server, start);
    let clock = Arc::new(ManualClock(AtomicI64::new(0)));
    let in_process = InProcessLimiter::new(clock.clone());
    let both: [&dyn Limiter; 2] = [&redis, &in_process];

    let month = Month::of(time.show());
    clock.set(time.show());
    let mut model = Model {
        limit: 10,
        quota: 100,
        month,
        charged: 0,
        refunded: 0,
        expiries: Vec::new(),
    };
    let (mut version, mut refunded) = (1, HashMap::new());
    let (mut last_admission, mut charged_to) = (None, None);
    for limiter in both {
        let snapshot = Snapshot {
            state: state(10, Some(100), version),
            month,
            used: used(0),
        };
        limiter.hydrate(KEY, snapshot).await.unwrap();
    }
    for step in steps {
        match step {
            Step::Wait(ms) => time.move_by(ms),
            Step::Back(ms) => {
                if last_admission.is_some() {
                    time.move_by(-ms);
                }
            }
            Step::Limit(_) | Step::Quota(_) => {
                match step {
                    Step::Limit(limit) => model.limit = limit as usize,
                    Step::Quota(quota) => model.quota = quota,
                    _ => unreachable!(),
                }
                version += 1;
                let limit = u32::try_from(model.limit).unwrap();
                for limiter in both {
                    let state = state(limit, Some(model.quota), version);
                    limiter.apply(KEY, state).await.unwrap();
                }
            }
            Step::Refund(number) => {
                // Only what was charged is given back.
                let Some(month) = charged_to else { continue };
                let is_new = !refunded.contains_key(&number);
                // A request is charged to one month alone.
                if *refunded.entry(number).or_insert(month) != month {
                    continue;
                }
                for limiter in both {
                    let request = Uuid::from_u128(number.into());
                    limiter.refund(KEY, month, request).await.unwrap();
                }
                if month == model.month && is_new {
                    model.refunded += 1;
                }
            }
            Step::Ask(times) => {
                for _ in 0..times {
                    let peeked = redis.peek(KEY).await.unwrap().unwrap();
                    clock.set(seen_at(&peeked));
                    assert_eq!(in_process.peek(KEY).await.unwrap(), Some(peeked));

                    let verdict = redis.admit(KEY).await.unwrap();
                    let now = decided_at(&verdict);
                    clock.set(now);
                    assert_eq!(in_process.admit(KEY).await.unwrap(), verdict);
                    assert_eq!(model.ask(now), name_of(&verdict));
                    assert!(
                        last_admission.is_none_or(|last| last <= now),
                        "{now} is earlier"
                    );
                    last_admission = None;
                    if let Verdict::Admitted { month, .. } = verdict {
                        (last_admission, charged_to) = (Some(now), Some(month));
                    }
                }
            }
        }
    }
}

#[test]
fn redis_agrees_with_the_in_process_limiter_and_with_the_model() {
    let Some(server) = redis() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let starts = prop_oneof![
        Just(MID_MONTH),
        Just("2026-11-30T23:58:50Z"),
        Just("2026-12-31T23:59:59.990Z"),
        Just("2028-02-29T23:59:30Z"),
    ];
    let config = Config {
        cases: 48,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&(starts, steps()), |(start, steps)| {
            runtime.block_on(follow(&server, start, steps));
            Ok(())
        })
        .unwrap();
}

#[tokio::test]
async fn the_month_of_any_instant_is_that_of_the_calendar() {
    let Some(server) = redis() else { return };
    let (limiter, time) = shifted_limiter(&server, MID_MONTH);
    // Every 15 days and a bit, to the year 2105.
    let real = time.show().timestamp_millis() - time.shift.load(Ordering::SeqCst);
    for instant in (0..4_260_000_000_000_i64).step_by(1_300_000_000) {
        time.shift.store(instant - real, Ordering::SeqCst);
        let before = Month::of(time.show());
        let verdict = limiter.admit(KEY).await.unwrap();
        let after = Month::of(time.show());
        let Verdict::Unknown { month } = verdict else {
            panic!("{verdict:?}");
        };
        assert!(before <= month && month <= after, "{month} at {instant}");
    }
}
