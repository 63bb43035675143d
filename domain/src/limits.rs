//! Limits of a key, plans, and the status of a limit after a request.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use crate::month::Month;
use crate::variants::named_enum;

pub mod rate;
pub mod replicas;
pub mod subscriber;
pub mod window;

/// Highest rate limit of a key, in requests per minute.
pub const MAX_PER_MINUTE: u32 = 1_000_000;
/// Highest monthly quota of a key.
pub const MAX_MONTHLY_QUOTA: u64 = 1_000_000_000_000;

/// The limits of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    per_minute: u32,
    monthly_quota: Option<u64>,
}

/// Error of limits out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitsError {
    /// The limit per minute is zero or over [`MAX_PER_MINUTE`].
    #[error("per_minute must be between 1 and {MAX_PER_MINUTE}")]
    PerMinute,
    /// The monthly quota is zero or over [`MAX_MONTHLY_QUOTA`].
    #[error("monthly_quota must be between 1 and {MAX_MONTHLY_QUOTA}")]
    MonthlyQuota,
}

impl Limits {
    /// Limits per minute and per month (`None`: no cap).
    ///
    /// # Errors
    /// A [`LimitsError`] when a number is out of range.
    pub fn new(per_minute: u32, monthly_quota: Option<u64>) -> Result<Self, LimitsError> {
        if !(1..=MAX_PER_MINUTE).contains(&per_minute) {
            return Err(LimitsError::PerMinute);
        }
        if monthly_quota.is_some_and(|quota| !(1..=MAX_MONTHLY_QUOTA).contains(&quota)) {
            return Err(LimitsError::MonthlyQuota);
        }
        Ok(Self {
            per_minute,
            monthly_quota,
        })
    }

    /// Requests allowed in any 60 seconds.
    pub fn per_minute(self) -> u32 {
        self.per_minute
    }

    /// Requests allowed in a UTC calendar month; `None` without a cap.
    pub fn monthly_quota(self) -> Option<u64> {
        self.monthly_quota
    }
}

/// A change of limits within their ranges. A limit that isn't given stays unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitsChange {
    per_minute: Option<u32>,
    #[expect(
        clippy::option_option,
        reason = "the outer None leaves the quota, the inner one lifts the cap"
    )]
    monthly_quota: Option<Option<u64>>,
}

impl LimitsChange {
    /// A change of the limits per minute and per month; the inner `None` lifts the cap.
    ///
    /// # Errors
    /// A [`LimitsError`] when a number is out of range.
    pub fn new(
        per_minute: Option<u32>,
        monthly_quota: Option<Option<u64>>,
    ) -> Result<Self, LimitsError> {
        let change = Self {
            per_minute,
            monthly_quota,
        };
        // The ranges don't depend on each other, so a change in range is in range for any limits.
        let changed = change.apply(Plan::default().limits());
        Limits::new(changed.per_minute, changed.monthly_quota)?;
        Ok(change)
    }

    /// The new limit per minute, if it changes.
    pub fn per_minute(self) -> Option<u32> {
        self.per_minute
    }

    /// The new monthly quota, if it changes; the inner `None` lifts the cap.
    pub fn monthly_quota(self) -> Option<Option<u64>> {
        self.monthly_quota
    }

    /// Returns `limits` with the change applied.
    #[must_use]
    pub fn apply(self, limits: Limits) -> Limits {
        Limits {
            per_minute: self.per_minute.unwrap_or(limits.per_minute),
            monthly_quota: self.monthly_quota.unwrap_or(limits.monthly_quota),
        }
    }
}

impl From<Limits> for LimitsChange {
    /// Changes both limits.
    fn from(limits: Limits) -> Self {
        Self {
            per_minute: Some(limits.per_minute),
            monthly_quota: Some(limits.monthly_quota),
        }
    }
}

named_enum! {
    /// A customer's plan, which sets the initial limits of new keys.
    #[derive(Default)]
    pub enum Plan {
        /// Free: 60 a minute, 1,000 a month.
        #[default]
        Startup,
        /// 600 a minute at first, no monthly cap.
        Enterprise,
    }
}

impl Plan {
    /// The limits of a new key of this plan.
    pub fn limits(self) -> Limits {
        match self {
            Self::Startup => Limits {
                per_minute: 60,
                monthly_quota: Some(1_000),
            },
            Self::Enterprise => Limits {
                per_minute: 600,
                monthly_quota: None,
            },
        }
    }
}

/// Requests of a key in one month. Both numbers only increase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MonthlyUse {
    /// Number of admitted requests.
    pub charged: u64,
    /// Number of admitted requests that were refunded, because we or the bank failed.
    pub refunded: u64,
}

impl MonthlyUse {
    /// Requests that count against the quota.
    pub fn net(self) -> u64 {
        self.charged.saturating_sub(self.refunded)
    }

    /// Merges two observations: the larger of each number, because both only increase.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self {
            charged: self.charged.max(other.charged),
            refunded: self.refunded.max(other.refunded),
        }
    }
}

/// Status of a key's limits after a request was admitted or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitStatus {
    /// Status of the limit per minute.
    pub minute: MinuteStatus,
    /// Status of the monthly quota; `None` without a cap.
    pub month: Option<MonthStatus>,
}

/// Status of the limit per minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinuteStatus {
    /// Requests allowed in 60 seconds.
    pub limit: u32,
    /// Requests that would be admitted now.
    pub remaining: u32,
    /// Time until one more request is allowed.
    pub reset: Duration,
}

/// Status of the monthly quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonthStatus {
    /// Requests allowed in the month.
    pub limit: u64,
    /// Requests counted in the month.
    pub used: u64,
    /// Time until the month ends.
    pub reset: Duration,
    /// End of the month, UTC.
    pub reset_at: DateTime<Utc>,
}

impl MonthStatus {
    /// Builds the status of `month`'s quota from the limit and the count.
    pub fn new(month: Month, limit: u64, used: u64, now: DateTime<Utc>) -> Self {
        Self {
            limit,
            used,
            reset: month.time_left(now),
            reset_at: month.end(),
        }
    }

    /// The month to which the quota applies.
    pub fn month(&self) -> Month {
        Month::of(self.reset_at - TimeDelta::milliseconds(1))
    }

    /// Requests left in the month.
    pub fn remaining(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }
}

impl LimitStatus {
    /// The status after `elapsed` without a request: both reset times are shorter by `elapsed`.
    #[must_use]
    pub fn after(mut self, elapsed: Duration) -> Self {
        self.minute.reset = self.minute.reset.saturating_sub(elapsed);
        if let Some(month) = &mut self.month {
            month.reset = month.reset.saturating_sub(elapsed);
        }
        self
    }

    /// The status after one admitted request was refunded.
    #[must_use]
    pub fn after_refund(mut self) -> Self {
        if let Some(month) = &mut self.month {
            month.used = month.used.saturating_sub(1);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn limits_stay_in_their_bounds(
            per_minute in prop_oneof![
                any::<u32>(),
                0..=2_u32,
                MAX_PER_MINUTE - 1..=MAX_PER_MINUTE + 1,
            ],
            quota in prop::option::of(prop_oneof![
                any::<u64>(),
                0..=2_u64,
                MAX_MONTHLY_QUOTA - 1..=MAX_MONTHLY_QUOTA + 1,
            ]),
        ) {
            let limits = Limits::new(per_minute, quota);
            if !(1..=MAX_PER_MINUTE).contains(&per_minute) {
                prop_assert_eq!(limits, Err(LimitsError::PerMinute));
            } else if quota.is_some_and(|quota| !(1..=MAX_MONTHLY_QUOTA).contains(&quota)) {
                prop_assert_eq!(limits, Err(LimitsError::MonthlyQuota));
            } else {
                let limits = limits.unwrap();
                prop_assert_eq!((limits.per_minute(), limits.monthly_quota()), (per_minute, quota));
            }
        }

        #[test]
        fn a_change_keeps_limits_in_their_bounds_and_leaves_what_is_not_given(
            minute: Option<u32>,
            quota: Option<Option<u64>>,
            old_minute in 1..=MAX_PER_MINUTE,
            old_quota in prop::option::of(1..=MAX_MONTHLY_QUOTA),
        ) {
            let old = Limits::new(old_minute, old_quota).unwrap();
            let expected = Limits::new(
                minute.unwrap_or(old_minute),
                quota.unwrap_or(old_quota),
            );
            let changed = LimitsChange::new(minute, quota).map(|change| change.apply(old));
            prop_assert_eq!(changed, expected);
        }

        #[test]
        fn merging_uses_is_commutative_and_loses_nothing(a: (u64, u64), b: (u64, u64)) {
            let a = MonthlyUse { charged: a.0, refunded: a.1 };
            let b = MonthlyUse { charged: b.0, refunded: b.1 };
            prop_assert_eq!(a.merge(b), b.merge(a));
            prop_assert_eq!(a.merge(b).merge(b), a.merge(b));
            prop_assert!(a.merge(b).charged >= a.charged && a.merge(b).refunded >= b.refunded);
        }
    }

    #[test]
    fn resets_come_nearer_and_end_at_zero_in_the_same_month() {
        let month = Month::of(DateTime::UNIX_EPOCH);
        let limit_status = |seconds| LimitStatus {
            minute: MinuteStatus {
                limit: 60,
                remaining: 3,
                reset: Duration::from_secs(seconds),
            },
            month: Some(MonthStatus {
                limit: 100,
                used: 7,
                reset: Duration::from_secs(seconds),
                reset_at: month.end(),
            }),
        };
        for (reset, passed, left) in [(40, 25, 15), (10, 25, 0), (0, 1, 0)] {
            let later = limit_status(reset).after(Duration::from_secs(passed));
            assert_eq!(later, limit_status(left));
        }
        let used_up = MonthStatus::new(month, 100, 7, month.end());
        assert_eq!(used_up.month(), month);
    }

    #[test]
    fn plans_start_with_the_contracts_limits() {
        let startup = Limits::new(60, Some(1_000)).unwrap();
        assert_eq!(Plan::Startup.limits(), startup);
        assert_eq!(Plan::Enterprise.limits().monthly_quota(), None);
    }
}
