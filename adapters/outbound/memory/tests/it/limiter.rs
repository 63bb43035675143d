//! The in-process limiter keeps the limiter's contract, and agrees with a model of ten lines.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::keys::{CountedKey, KeyId};
use domain::limits::{Limits, MonthlyUse};
use domain::month::Month;
use memory::InProcessLimiter;
use ports::contract::limiter::{LimiterUnderTest, TestTime};
use ports::outbound::{Clock, KeyState, Limiter, Snapshot, Verdict};
use proptest::prelude::*;
use testkit::fakes::ManualClock;
use uuid::Uuid;

struct ManualTime(Arc<ManualClock>);

#[async_trait]
impl TestTime for ManualTime {
    async fn advance(&self, by: Duration) {
        self.0.advance(by);
    }

    async fn now(&self) -> DateTime<Utc> {
        self.0.now()
    }
}

fn start() -> DateTime<Utc> {
    "2026-11-20T16:00:00Z".parse().unwrap()
}

ports::limiter!(limiter_under_test());

fn limiter_under_test() -> LimiterUnderTest {
    let clock = Arc::new(ManualClock::at(start()));
    LimiterUnderTest {
        limiter: Arc::new(InProcessLimiter::new(clock.clone())),
        time: Arc::new(ManualTime(clock)),
    }
}

fn state(per_minute: u32, quota: u64, version: u64) -> KeyState {
    KeyState {
        revoked: false,
        limits: Limits::new(per_minute, Some(quota)).unwrap(),
        version,
    }
}

fn snapshot(per_minute: u32, quota: u64) -> Snapshot {
    Snapshot {
        state: state(per_minute, quota, 1),
        month: Month::of(start()),
        used: MonthlyUse::default(),
    }
}

const KEY: CountedKey = CountedKey::first(KeyId(Uuid::from_u128(1)));

/// A limiter that knows the key, with 60 a minute and this quota.
async fn limiter(now: DateTime<Utc>, quota: u64) -> (InProcessLimiter, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::at(now));
    let limiter = InProcessLimiter::new(clock.clone());
    limiter.hydrate(KEY, snapshot(60, quota)).await.unwrap();
    (limiter, clock)
}

#[tokio::test]
async fn an_idle_key_is_forgotten_and_a_used_one_is_not() {
    let (limiter, clock) = limiter(start(), 1_000).await;
    limiter.admit(KEY).await.unwrap();
    clock.advance(Duration::from_secs(59));
    assert_eq!(limiter.forget_idle(), 0);
    clock.advance(Duration::from_secs(1));
    assert_eq!(limiter.forget_idle(), 1);
    let verdict = limiter.admit(KEY).await.unwrap();
    assert!(matches!(verdict, Verdict::Unknown { .. }));
}

#[tokio::test]
async fn a_wall_clock_that_goes_back_brings_no_old_month_back() {
    let (limiter, clock) = limiter("2026-12-01T00:00:00Z".parse().unwrap(), 1).await;
    let verdict = limiter.admit(KEY).await.unwrap();
    assert!(matches!(verdict, Verdict::Admitted { .. }));
    clock.set_wall("2026-11-30T23:59:59.999Z".parse().unwrap());
    let verdict = limiter.admit(KEY).await.unwrap();
    assert!(matches!(verdict, Verdict::QuotaExceeded { .. }));
}

#[tokio::test]
async fn peeking_keeps_no_key_and_brings_none() {
    let clock = Arc::new(ManualClock::at(start()));
    let empty = InProcessLimiter::new(clock);
    assert_eq!(empty.peek(KEY).await.unwrap(), None);
    assert_eq!(empty.forget_idle(), 0);
    let (limiter, clock) = limiter(start(), 1_000).await;
    limiter.admit(KEY).await.unwrap();
    clock.advance(Duration::from_mins(1));
    assert!(limiter.peek(KEY).await.unwrap().is_some());
    assert_eq!(limiter.forget_idle(), 1);
    assert_eq!(limiter.peek(KEY).await.unwrap(), None);
}

#[tokio::test]
async fn peeking_while_the_wall_clock_is_wrong_begins_no_month() {
    let (limiter, clock) = limiter(start(), 1).await;
    limiter.admit(KEY).await.unwrap();
    clock.set_wall("2026-12-02T00:00:00Z".parse().unwrap());
    let ahead = limiter.peek(KEY).await.unwrap().unwrap();
    assert_eq!(ahead.month.unwrap().used, 0);
    clock.set_wall(start());
    let verdict = limiter.admit(KEY).await.unwrap();
    assert!(matches!(verdict, Verdict::QuotaExceeded { .. }));
}

/// One step of a random schedule.
#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Ask(u8),
    Limit(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0_u64..70_000).prop_map(Step::Wait),
        (1_u8..30).prop_map(Step::Ask),
        (1_u32..40).prop_map(Step::Limit),
    ];
    prop::collection::vec(step, 1..60)
}

proptest! {
    #[test]
    fn it_agrees_with_the_model(steps in steps(), quota in 1_usize..200) {
        futures::executor::block_on(async {
            let clock = Arc::new(ManualClock::at(start()));
            let limiter = InProcessLimiter::new(clock.clone());
            limiter.hydrate(KEY, snapshot(10, quota as u64)).await.unwrap();
            let (mut limit, mut version, mut admitted) = (10, 1, Vec::<Duration>::new());
            for step in steps {
                match step {
                    Step::Wait(ms) => clock.advance(Duration::from_millis(ms)),
                    Step::Limit(per_minute) => {
                        (limit, version) = (per_minute as usize, version + 1);
                        let state = state(per_minute, quota as u64, version);
                        limiter.apply(KEY, state).await.unwrap();
                    }
                    Step::Ask(times) => for _ in 0..times {
                        let now = clock.monotonic();
                        let in_window = admitted.iter().filter(|at| now < **at + Duration::from_mins(1)).count();
                        let peeked = limiter.peek(KEY).await.unwrap().unwrap();
                        let verdict = limiter.admit(KEY).await.unwrap();
                        let (left, used) = (peeked.minute.remaining, peeked.month.unwrap().used);
                        assert_eq!(left as usize, limit.saturating_sub(in_window));
                        assert_eq!(used, admitted.len() as u64);
                        match verdict {
                            Verdict::Admitted { .. } => {
                                assert!(in_window < limit && admitted.len() < quota);
                                admitted.push(now);
                            }
                            Verdict::RateLimited { .. } => assert!(in_window >= limit),
                            Verdict::QuotaExceeded { .. } => {
                                assert!(in_window < limit && admitted.len() >= quota);
                            }
                            Verdict::Revoked | Verdict::Unknown { .. } => panic!("{verdict:?}"),
                        }
                    },
                }
            }
        });
    }
}
