//! Lookups that are recorded, for how long, and the state that follows from them.

use std::future::ready;

use domain::pacing::{QueueLength, ThrottleReason};
use futures::FutureExt;
use ports::outbound::BankFiles;
use testkit::fakes::ManualClock;

use super::*;

const LIVE: Environment = Environment::Live;
const MINUTE: Duration = Duration::from_mins(1);

fn hour(answered: u64, failed: u64, failures_in_a_row: u64) -> Hour {
    Hour {
        lookups: Lookups {
            answered,
            failed,
            latencies: Latencies::default(),
        },
        failures_in_a_row,
    }
}

fn budget(paused_for: Option<Duration>) -> BankBudget {
    BankBudget {
        per_minute: 30,
        remaining: 0,
        waiting: QueueLength::default(),
        paused_for,
    }
}

#[test]
fn a_state_is_made_of_the_last_hour() {
    for (hour, expected) in [
        (hour(0, 0, 0), BankState::Unknown),
        (hour(1, 0, 0), BankState::Operational),
        (hour(0, 1, 1), BankState::Degraded),
        (hour(0, 2, 2), BankState::Degraded),
        (hour(0, 3, 3), BankState::Down),
        (hour(1_000, 1, 1), BankState::Operational),
        (hour(1_000, 2, 2), BankState::Degraded),
        (hour(1_000, 3, 3), BankState::Down),
        (hour(4, 1, 1), BankState::Operational),
        (hour(3, 1, 0), BankState::Degraded),
        (hour(80, 20, 0), BankState::Operational),
        (hour(79, 21, 0), BankState::Degraded),
    ] {
        assert_eq!(state(&hour, None), expected, "{hour:?}");
        let budget = budget(None);
        assert_eq!(state(&hour, Some(&budget)), expected, "{hour:?}, no pause");
    }
}

#[test]
fn a_pause_is_reported_whatever_the_bank_answered() {
    let budget = budget(Some(MINUTE));
    for hour in [hour(0, 0, 0), hour(9, 0, 0), hour(0, 9, 9)] {
        assert_eq!(state(&hour, Some(&budget)), BankState::Paused);
    }
}

struct Fixture {
    clock: Arc<ManualClock>,
    monitor: BankMonitor,
}

fn fixture() -> Fixture {
    let now = "2026-11-20T12:00:00Z".parse().unwrap();
    let clock = Arc::new(ManualClock::at(now));
    Fixture {
        monitor: BankMonitor::new(clock.clone()),
        clock,
    }
}

fn timeout() -> Result<BankAnswer, BankError> {
    Err(BankError::Timeout)
}

fn throttled(reason: ThrottleReason) -> Result<BankAnswer, BankError> {
    Err(BankError::Throttled {
        retry_after: MINUTE,
        reason,
    })
}

impl Fixture {
    fn see(&self, environment: Environment, result: Result<BankAnswer, BankError>) {
        let lookup = self.monitor.record(environment, ready(result));
        lookup.now_or_never().unwrap().ok();
    }

    /// Answered and failed lookups of the live bank.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "few lookups"
    )]
    fn seen(&self) -> (u64, u64) {
        let health = self.monitor.health(LIVE, None);
        let answered = health.success_rate.unwrap_or_default() * health.lookups as f64;
        let answered = answered.round() as u64;
        (answered, health.lookups - answered)
    }
}

#[test]
fn the_banks_answers_count_and_lookups_that_we_held_back_do_not() {
    let cause = || Arc::new(std::io::Error::other("closed"));
    let unavailable = BankError::Unavailable {
        retry_after: MINUTE,
        cause: cause(),
    };
    for (result, expected) in [
        (Ok(BankAnswer::Issued(BankFiles::default())), (1, 0)),
        (Ok(BankAnswer::NotFound), (1, 0)),
        (timeout(), (0, 1)),
        (Err(unavailable), (0, 1)),
        (Err(BankError::Protocol { cause: cause() }), (0, 1)),
        (throttled(ThrottleReason::CaptchaPage), (0, 1)),
        (throttled(ThrottleReason::TooManyQueriesPage), (0, 1)),
        (throttled(ThrottleReason::TooManyRequests), (0, 1)),
        (throttled(ThrottleReason::BackingOff), (0, 0)),
        (throttled(ThrottleReason::BudgetUsedUp), (0, 0)),
        (throttled(ThrottleReason::TooManyLookups), (0, 0)),
    ] {
        let fixture = fixture();
        let shown = format!("{result:?}");
        fixture.see(LIVE, result);
        assert_eq!(fixture.seen(), expected, "{shown}");
    }
}

#[test]
fn a_lookup_is_forgotten_after_an_hour() {
    let fixture = fixture();
    fixture.clock.advance(MINUTE * 7 + Duration::from_secs(59));
    fixture.see(LIVE, Ok(BankAnswer::NotFound));
    fixture.clock.advance(Duration::from_secs(1));
    fixture.see(LIVE, timeout());
    fixture.clock.advance(MINUTE * 58 + Duration::from_secs(59));
    assert_eq!(fixture.seen(), (1, 1));
    fixture.clock.advance(Duration::from_secs(1));
    assert_eq!(fixture.seen(), (0, 1), "59 to 60 minutes are kept");
    fixture.clock.advance(MINUTE);
    let health = fixture.monitor.health(LIVE, None);
    assert_eq!((health.state, health.lookups), (BankState::Unknown, 0));
    assert_eq!((health.success_rate, health.latency), (None, None));
}

#[test]
fn the_memory_of_a_busy_bank_stays_small() {
    let fixture = fixture();
    for _ in 0..1_000 {
        fixture.see(LIVE, Ok(BankAnswer::NotFound));
        fixture.clock.advance(MINUTE / 2);
    }
    assert_eq!(fixture.monitor.history(LIVE).minutes.len(), 60);
    // 59 whole minutes; the last one has just begun.
    assert_eq!(fixture.monitor.health(LIVE, None).lookups, 118);
}

#[test]
fn failures_of_an_hour_ago_are_no_outage_now_and_an_answer_ends_one() {
    let fixture = fixture();
    (0..5).for_each(|_| fixture.see(LIVE, timeout()));
    let state = || fixture.monitor.health(LIVE, None).state;
    assert_eq!(state(), BankState::Down);
    fixture.clock.advance(MINUTE * 61);
    fixture.see(LIVE, timeout());
    assert_eq!(state(), BankState::Degraded);
    (0..5).for_each(|_| fixture.see(LIVE, timeout()));
    assert_eq!(state(), BankState::Down);
    fixture.see(LIVE, Ok(BankAnswer::NotFound));
    assert_eq!(state(), BankState::Degraded);
}

#[test]
fn each_bank_is_monitored_for_itself() {
    let fixture = fixture();
    fixture.see(Environment::Test, timeout());
    assert_eq!(fixture.monitor.health(LIVE, None).state, BankState::Unknown);
    assert_eq!(fixture.monitor.health(Environment::Test, None).lookups, 1);
}

#[test]
fn a_lookup_lasts_from_the_question_to_the_answer() {
    let fixture = fixture();
    let slow = async {
        fixture.clock.advance(Duration::from_secs(3));
        Ok(BankAnswer::NotFound)
    };
    let lookup = fixture.monitor.record(LIVE, slow);
    lookup.now_or_never().unwrap().unwrap();
    let mut expected = Latencies::default();
    expected.record(Duration::from_secs(3));
    let latency = fixture.monitor.health(LIVE, None).latency;
    assert_eq!(latency, expected.percentiles());
}

#[test]
fn a_cancelled_lookup_is_not_recorded() {
    let fixture = fixture();
    drop(fixture.monitor.record(LIVE, futures::future::pending()));
    assert_eq!(fixture.seen(), (0, 0));
}
