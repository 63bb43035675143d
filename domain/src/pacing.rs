//! Rate limiting of queries to the bank's portal: fair to all callers, within a budget, and paused
//! after the bank throttled us.
//!
//! The portal counts cycles (one query and its downloads) by IP address. The fifth cycle within about 3
//! s got a captcha, and further ones its limit page, for minutes. So the budget applies to the address
//! and is shared by all processes behind it.
//!
//! Times are readings of a monotonic clock with any origin.

use std::num::NonZeroU32;
use std::time::Duration;

mod back_off;
mod lane;
mod order;
mod pace;
mod schedule;

pub use back_off::{BackOff, FIRST_BACK_OFF};
pub use lane::{Lane, LookupClass, MAX_WAITING_PER_KEY, QueueLength};
pub use schedule::{Schedule, Step, WaiterId};

/// Window of the budget: the portal's minute plus one second, because turns exactly a minute apart may
/// arrive milliseconds closer. With 30 turns a minute, the portal was seen to get 31 within 60 s.
pub const WINDOW: Duration = Duration::from_secs(61);
/// Cycles allowed in quick succession after an idle period. The portal demanded a captcha at the fifth
/// within about 3 s (2022 and 2025).
const BURST: NonZeroU32 = NonZeroU32::new(3).expect("three is not zero");
/// Maximum number of cycles within [`QUICK_WINDOW`]: the fifth got a captcha.
const QUICK_CYCLES: u32 = 4;
/// Window within which the fifth cycle got a captcha.
const CAPTCHA_WINDOW: Duration = Duration::from_secs(3);
/// [`CAPTCHA_WINDOW`] plus a margin of one second.
const QUICK_WINDOW: Duration = Duration::from_secs(4);
/// Maximum duration of a cycle.
const CYCLE: Duration = Duration::from_secs(3);

/// Rate limit of queries to the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pacing {
    per_minute: NonZeroU32,
    burst: NonZeroU32,
}

impl Pacing {
    /// At most `per_minute` cycles in any [`WINDOW`]. Up to 3 may follow each other quickly; further
    /// ones are evenly spaced. Other clients of the portal space theirs at least 4 s apart, which makes
    /// 15 a minute.
    pub const fn new(per_minute: NonZeroU32) -> Self {
        Self {
            per_minute,
            burst: BURST,
        }
    }

    /// The share of one process if `processes` query independently: an equal part of the budget and of
    /// the burst, but at least one each.
    #[must_use]
    pub fn share_of(self, processes: NonZeroU32) -> Self {
        let part =
            |whole: NonZeroU32| NonZeroU32::new(whole.get() / processes).unwrap_or(NonZeroU32::MIN);
        Self {
            per_minute: part(self.per_minute),
            burst: part(self.burst),
        }
    }

    /// Maximum number of cycles in a [`WINDOW`].
    pub const fn per_minute(self) -> u32 {
        self.per_minute.get()
    }

    /// Time from one cycle to the next when evenly spaced, in whole microseconds.
    pub fn spacing(self) -> Duration {
        let micros = WINDOW.as_micros() / u128::from(self.per_minute());
        Duration::from_micros(u64::try_from(micros).expect("a minute has so few"))
    }

    /// Window in which at most four cycles may begin. Zero if the budget is too large for such a
    /// window, as for a bank without captchas.
    pub fn quick_window(self) -> Duration {
        let evenly_spaced = self.spacing() * QUICK_CYCLES;
        if evenly_spaced < CAPTCHA_WINDOW {
            return Duration::ZERO;
        }
        evenly_spaced.min(QUICK_WINDOW)
    }

    /// How much earlier than evenly spaced a cycle may begin.
    pub fn tolerance(self) -> Duration {
        self.spacing() * (self.burst.min(self.per_minute).get() - 1)
    }
}

/// Longest wait for a turn that leaves time for the cycle, given a caller's timeout. A short timeout is
/// divided evenly between the two.
pub fn longest_wait(patience: Duration) -> Duration {
    patience.saturating_sub(CYCLE.min(patience / 2))
}

/// Reason why a turn is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Throttled {
    /// The turn would come after the caller's deadline.
    #[error("the budget has no room in time; try again in {retry_after:?}")]
    BudgetUsedUp {
        /// Time until the next free turn, if no other caller takes it.
        retry_after: Duration,
    },
    /// The bank throttled us; queries are paused.
    #[error("the bank is left alone for {retry_after:?}")]
    BackingOff {
        /// Time left until queries resume.
        retry_after: Duration,
    },
    /// The key has the maximum number of lookups in the queue.
    #[error("the key has its maximum number of waiting lookups; try again in {retry_after:?}")]
    QueueFull {
        /// Time until the key's next free turn, if no other caller takes it.
        retry_after: Duration,
    },
}

/// State of the budget of queries to the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankBudget {
    /// Queries allowed within any 60 seconds.
    pub per_minute: u32,
    /// Queries left in the budget of the last 60 seconds; they may have to be spaced.
    pub remaining: u32,
    /// Number of lookups that wait for a turn.
    pub waiting: QueueLength,
    /// Time left of the back-off; `None` without one.
    pub paused_for: Option<Duration>,
}

/// Reason for a throttled lookup, as it is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ThrottleReason {
    /// The bank responded with its captcha page.
    CaptchaPage,
    /// The bank responded with its "too many queries" page.
    TooManyQueriesPage,
    /// The bank responded with HTTP 429.
    #[strum(serialize = "http_429")]
    TooManyRequests,
    /// The back-off after an earlier throttling by the bank hasn't ended.
    BackingOff,
    /// Our own budget has no free turn before the lookup's deadline.
    BudgetUsedUp,
    /// The maximum number of lookups is running.
    TooManyLookups,
    /// The key has the maximum number of lookups that wait for a turn.
    TooManyWaitingOfKey,
    /// The key has the maximum number of running lookups.
    TooManyLookupsOfKey,
}

impl ThrottleReason {
    /// The name in logs.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns `true` if the bank throttled this lookup, `false` if our own limits did.
    pub const fn is_of_the_bank(self) -> bool {
        match self {
            Self::CaptchaPage | Self::TooManyQueriesPage | Self::TooManyRequests => true,
            Self::BackingOff
            | Self::BudgetUsedUp
            | Self::TooManyLookups
            | Self::TooManyWaitingOfKey
            | Self::TooManyLookupsOfKey => false,
        }
    }
}

#[cfg(test)]
impl Throttled {
    /// Time after which to try again.
    const fn retry_after(self) -> Duration {
        match self {
            Self::BudgetUsedUp { retry_after }
            | Self::BackingOff { retry_after }
            | Self::QueueFull { retry_after } => retry_after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: u32) -> NonZeroU32 {
        NonZeroU32::new(number).unwrap()
    }

    #[test]
    fn shares_together_are_no_more_than_the_whole_unless_it_is_less_than_one_each() {
        for processes in 1..=15 {
            let share = Pacing::new(number(15)).share_of(number(processes));
            assert!(share.per_minute() * processes <= 15);
            assert_eq!(share.per_minute(), 15 / processes);
        }
        let alone = Pacing::new(number(15)).share_of(number(1));
        assert_eq!(alone, Pacing::new(number(15)));
        let third = Pacing::new(number(15)).share_of(number(3));
        assert_eq!(third.tolerance(), Duration::ZERO, "a third of three is one");
        let crowd = Pacing::new(number(15)).share_of(number(40));
        assert_eq!(crowd.per_minute(), 1);
    }

    #[test]
    fn a_wait_leaves_time_for_the_cycle() {
        for (timeout, longest) in [(25, 22), (2, 1), (0, 0)] {
            let wait = longest_wait(Duration::from_secs(timeout));
            assert_eq!(wait, Duration::from_secs(longest));
        }
    }

    #[test]
    fn the_largest_budget_is_spaced_by_nothing() {
        assert_eq!(Pacing::new(NonZeroU32::MAX).spacing(), Duration::ZERO);
    }
}
