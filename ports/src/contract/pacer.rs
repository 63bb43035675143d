//! Contract of a pacer.

use std::num::NonZeroU32;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::keys::CounterId;
use domain::pacing::{
    BackOff, FIRST_BACK_OFF, Lane, LookupClass, MAX_WAITING_PER_KEY, Pacing, QueueLength,
    Throttled, WINDOW,
};
use domain::people::customer::CustomerId;
use futures::future::{Either, join, join_all, select};
use uuid::Uuid;

use crate::outbound::{AcquireError, Pacer, PacerState};

mod lanes;

/// A pacer with a manual clock.
pub struct PacerUnderTest {
    /// The idle pacer.
    pub pacer: Arc<dyn Pacer>,
    /// Its clock.
    pub time: Arc<dyn ManualTime>,
}

/// Makes a pacer for a case, which knows its budget.
pub trait MakePacer: AsyncFn(Pacing) -> PacerUnderTest {}

impl<M: AsyncFn(Pacing) -> PacerUnderTest> MakePacer for M {}

/// The manual clock of a pacer under test.
#[async_trait]
pub trait ManualTime: Send + Sync {
    /// Moves it forward; by less than 5 s while a caller waits for a turn.
    async fn advance(&self, by: Duration);
    /// Lets other tasks run for a moment, without moving the clock.
    async fn settle(&self);
}

/// Rate of clients that live with the portal: a turn every 4 s.
const USUAL: u32 = 15;
/// Patience enough for any turn of the suite.
const PATIENT: Duration = Duration::from_hours(1);
/// Half of it, which is less than any spacing of the suite.
const HURRIED: Duration = Duration::from_secs(2);
/// Maximum number of yields to other tasks before the suite gives up.
const PATIENCE: u32 = 2_000;

cases! {
    $ pacer(impl MakePacer)
    self::three_turns_are_given_at_once_and_the_next_is_refused_with_the_true_time,
    self::concurrent_callers_get_no_more_than_three_turns,
    self::no_minute_holds_more_than_the_budget,
    self::reading_the_budget_takes_no_turn,
    self::a_caller_that_goes_away_gives_its_place_back,
    self::a_back_off_refuses_waiting_and_new_callers,
    self::concurrent_cycles_count_once_and_the_next_back_off_is_longer,
    self::a_success_makes_the_next_back_off_short_and_a_late_one_does_not,
    self::a_merged_back_off_is_kept_and_never_shortened,
    self::merged_turns_count,
    lanes::turns_are_given_in_order_by_customer_key_and_class,
    lanes::a_key_has_sixteen_waiting_callers,
    lanes::background_callers_wait_in_any_number,
    lanes::a_new_customer_is_not_refused_for_the_queue_of_another,
}

/// A lane, where it doesn't matter which.
pub const LANE: Lane = lane(1, 1, LookupClass::Interactive);

/// A lane of a customer and one of its keys.
pub const fn lane(customer: u128, key: u128, class: LookupClass) -> Lane {
    Lane {
        customer: CustomerId(Uuid::from_u128(customer)),
        key: CounterId(Uuid::from_u128(customer << 64 | key)),
        class,
    }
}

/// Time between two turns at the usual rate.
fn spacing() -> Duration {
    let per_minute = NonZeroU32::new(USUAL).expect("a budget of the suite");
    Pacing::new(per_minute).spacing()
}

struct Subject(PacerUnderTest);

impl Subject {
    /// A pacer with a budget of so many turns a minute.
    async fn new(make: &impl MakePacer, per_minute: u32) -> Self {
        let per_minute = NonZeroU32::new(per_minute).expect("a budget of the suite");
        Self(make(Pacing::new(per_minute)).await)
    }

    /// A pacer of the usual rate that has given the three turns which come at once.
    async fn busy(make: &impl MakePacer) -> Self {
        let subject = Self::new(make, USUAL).await;
        for _ in 0..3 {
            subject.go().await;
        }
        subject
    }

    /// Acquires without waiting.
    async fn try_acquire(&self) -> Result<(), Throttled> {
        self.acquire(HURRIED).await
    }

    async fn acquire(&self, patience: Duration) -> Result<(), Throttled> {
        self.acquire_in(LANE, patience).await
    }

    async fn acquire_in(&self, lane: Lane, patience: Duration) -> Result<(), Throttled> {
        match self.0.pacer.acquire(lane, patience).await {
            Ok(()) => Ok(()),
            Err(AcquireError::Refused(throttled)) => Err(throttled),
            Err(AcquireError::Failed(error)) => panic!("{error}"),
        }
    }

    async fn go(&self) {
        self.try_acquire().await.expect("there is room");
    }

    async fn refused(&self) -> Throttled {
        self.try_acquire().await.expect_err("there is no turn")
    }

    async fn record_throttled(&self, under_way: Duration) -> BackOff {
        let recorded = self.0.pacer.record_throttled(under_way).await;
        recorded.expect("limited")
    }

    async fn record_success(&self, under_way: Duration) {
        let recorded = self.0.pacer.record_success(under_way).await;
        recorded.expect("served");
    }

    async fn merge(&self, state: PacerState) {
        self.0.pacer.merge(&state).await.expect("merge");
    }

    /// Number of callers that wait.
    async fn waiting(&self) -> u32 {
        let waiting = self.0.pacer.budget().await.expect("budget").waiting;
        waiting.interactive + waiting.background
    }

    /// Room in the minute after the turns of waiting callers.
    async fn room(&self) -> u32 {
        self.0.pacer.budget().await.expect("budget").remaining
    }

    async fn paused_for(&self) -> Option<Duration> {
        self.0.pacer.budget().await.expect("budget").paused_for
    }

    async fn advance(&self, by: Duration) {
        self.0.time.advance(by).await;
    }

    async fn until_room_is(&self, room: u32) {
        self.until(async || self.room().await == room).await;
    }

    async fn until(&self, mut holds: impl AsyncFnMut() -> bool) {
        for _ in 0..PATIENCE {
            if holds().await {
                return;
            }
            self.0.time.settle().await;
        }
        panic!("waited in vain");
    }
}

const fn backing_off(retry_after: Duration) -> Throttled {
    Throttled::BackingOff { retry_after }
}

const fn used_up(retry_after: Duration) -> Throttled {
    Throttled::BudgetUsedUp { retry_after }
}

async fn three_turns_are_given_at_once_and_the_next_is_refused_with_the_true_time(
    make: impl MakePacer,
) {
    let subject = Subject::busy(&make).await;
    assert_eq!(subject.refused().await, used_up(spacing()));
    // One second of the patience is for the wait.
    let too_long = Duration::from_millis(1_001);
    subject.advance(spacing().saturating_sub(too_long)).await;
    assert_eq!(subject.refused().await, used_up(too_long));
    subject.advance(too_long).await;
    subject.go().await;
    assert_eq!(subject.refused().await, used_up(spacing()));
}

async fn concurrent_callers_get_no_more_than_three_turns(make: impl MakePacer) {
    let subject = Subject::new(&make, USUAL).await;
    let asked = join_all((0..40).map(|_| subject.try_acquire())).await;
    let went = asked.iter().filter(|answer| answer.is_ok()).count();
    assert_eq!(went, 3);
    assert_eq!(subject.room().await, USUAL - 3, "a refusal took something");
}

async fn no_minute_holds_more_than_the_budget(make: impl MakePacer) {
    for budget in [USUAL, 2] {
        let subject = Subject::new(&make, budget).await;
        let budget = usize::try_from(budget).expect("a budget of the suite");
        let mut elapsed = Duration::ZERO;
        let mut began = Vec::new();
        while began.len() < 3 * budget {
            match subject.try_acquire().await {
                Ok(()) => began.push(elapsed),
                Err(Throttled::BudgetUsedUp { retry_after }) => {
                    assert!(!retry_after.is_zero(), "there is a turn now");
                    elapsed += retry_after;
                    subject.advance(retry_after).await;
                }
                Err(refused) => panic!("nobody waits, nor was throttled: {refused}"),
            }
        }
        for minute in began.windows(budget + 1) {
            assert!(minute[budget] >= minute[0] + WINDOW, "{minute:?}");
        }
        let last = *began.last().expect("somebody asked");
        assert!(last <= 3 * WINDOW, "the budget was not used: {last:?}");
    }
}

async fn reading_the_budget_takes_no_turn(make: impl MakePacer) {
    let subject = Subject::new(&make, USUAL).await;
    for left in [USUAL, USUAL - 1] {
        for _ in 0..3 {
            let budget = subject.0.pacer.budget().await.expect("budget");
            assert_eq!((budget.per_minute, budget.remaining), (USUAL, left));
            assert_eq!(budget.paused_for, None);
        }
        subject.go().await;
    }
    subject.advance(WINDOW).await;
    assert_eq!(subject.room().await, USUAL);
}

async fn a_caller_that_goes_away_gives_its_place_back(make: impl MakePacer) {
    let subject = Subject::busy(&make).await;
    {
        let waiting = pin!(subject.acquire(PATIENT));
        let queued = pin!(subject.until_room_is(USUAL - 4));
        let Either::Right(_) = select(waiting, queued).await else {
            panic!("its turn has not come");
        };
    }
    subject.until_room_is(USUAL - 3).await;
    assert_eq!(subject.refused().await, used_up(spacing()));
}

async fn a_back_off_refuses_waiting_and_new_callers(make: impl MakePacer) {
    let subject = Subject::busy(&make).await;
    let meeting = async {
        subject.until_room_is(USUAL - 4).await;
        subject.record_throttled(Duration::from_secs(1)).await
    };
    let (waiting, back_off) = join(subject.acquire(PATIENT), meeting).await;
    assert_eq!(back_off, BackOff::Began(FIRST_BACK_OFF));
    assert_eq!(waiting, Err(backing_off(FIRST_BACK_OFF)));
    subject.advance(Duration::from_secs(100)).await;
    let left = Duration::from_secs(20);
    assert_eq!(subject.acquire(PATIENT).await, Err(backing_off(left)));
    assert_eq!(subject.paused_for().await, Some(left));
    subject.advance(left).await;
    assert_eq!(subject.paused_for().await, None);
    subject.go().await;
    // So does one that was merged.
    let subject = Subject::busy(&make).await;
    let told = Duration::from_mins(3);
    let telling = async {
        subject.until_room_is(USUAL - 4).await;
        subject.merge(PacerState::backing_off(told)).await;
    };
    let (waiting, ()) = join(subject.acquire(PATIENT), telling).await;
    assert_eq!(waiting, Err(backing_off(told)));
}

async fn concurrent_cycles_count_once_and_the_next_back_off_is_longer(make: impl MakePacer) {
    let subject = Subject::new(&make, USUAL).await;
    for length in [2, 4, 8, 16, 32, 32] {
        let length = Duration::from_mins(length);
        subject.go().await;
        subject.go().await;
        subject.advance(Duration::from_secs(5)).await;
        let first = subject.record_throttled(Duration::from_secs(5)).await;
        assert_eq!(first, BackOff::Began(length));
        subject.advance(Duration::from_secs(1)).await;
        let second = subject.record_throttled(Duration::from_secs(6)).await;
        let left = length.saturating_sub(Duration::from_secs(1));
        assert_eq!(second, BackOff::Joined(left));
        subject.advance(left).await;
    }
}

async fn a_success_makes_the_next_back_off_short_and_a_late_one_does_not(make: impl MakePacer) {
    let subject = Subject::new(&make, USUAL).await;
    let second = Duration::from_secs(1);
    subject.go().await;
    subject.record_throttled(second).await;
    // It was under way when the back-off began.
    subject.record_success(2 * second).await;
    subject.advance(FIRST_BACK_OFF).await;
    subject.record_success(FIRST_BACK_OFF + second).await;
    subject.go().await;
    let longer = 2 * FIRST_BACK_OFF;
    let began = subject.record_throttled(Duration::ZERO).await;
    assert_eq!(began, BackOff::Began(longer));
    subject.advance(longer).await;
    subject.go().await;
    subject.advance(second).await;
    subject.record_success(second).await;
    let short = BackOff::Began(FIRST_BACK_OFF);
    assert_eq!(subject.record_throttled(second).await, short);
}

async fn a_merged_back_off_is_kept_and_never_shortened(make: impl MakePacer) {
    let subject = Subject::new(&make, USUAL).await;
    let told = Duration::from_mins(7);
    subject.merge(PacerState::backing_off(told)).await;
    assert_eq!(subject.refused().await, backing_off(told));
    for shorter in [Duration::ZERO, Duration::from_mins(1), told] {
        subject.merge(PacerState::backing_off(shorter)).await;
        assert_eq!(subject.paused_for().await, Some(told));
    }
    subject.advance(Duration::from_mins(1)).await;
    let left = Duration::from_mins(6);
    let joined = subject.record_throttled(2 * WINDOW).await;
    assert_eq!(joined, BackOff::Joined(left));
    subject.advance(left).await;
    subject.go().await;
    // Seven minutes were left of no less than eight.
    let next = BackOff::Began(Duration::from_mins(16));
    assert_eq!(subject.record_throttled(Duration::ZERO).await, next);
}

async fn merged_turns_count(make: impl MakePacer) {
    let subject = Subject::new(&make, 3).await;
    let ago = [10, 30, 50].map(Duration::from_secs);
    subject.advance(WINDOW).await;
    let state = PacerState {
        turns: ago.to_vec(),
        paused_for: None,
    };
    subject.merge(state).await;
    assert_eq!(subject.room().await, 0);
    assert_eq!(subject.refused().await, used_up(Duration::from_secs(11)));
    subject.advance(Duration::from_secs(11)).await;
    subject.go().await;
    subject.merge(PacerState::acquired_now()).await;
    assert_eq!(subject.room().await, 0, "told or given, both count");
}
