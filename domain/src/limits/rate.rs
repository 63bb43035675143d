//! Rate limit: a burst, then one event per interval (generic cell rate algorithm).

use std::time::Duration;

/// A rate limit: a burst of events, and one more after each interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Number of events allowed at once; at least 1.
    pub burst: u32,
    /// Time after which one more is allowed.
    pub interval: Duration,
}

/// Error: the rate limit is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("one more is allowed after {retry_after:?}")]
pub struct RateExceeded {
    /// Time until one more event is allowed.
    pub retry_after: Duration,
}

/// State of a leaky bucket: the time at which it will be empty, on a monotonic clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    empty_at: Duration,
}

impl Bucket {
    /// Checks that one more event is allowed at `now`, without counting it.
    ///
    /// # Errors
    /// [`RateExceeded`].
    pub fn check(&self, rate: Rate, now: Duration) -> Result<(), RateExceeded> {
        let filled = self.empty_at.saturating_sub(now) + rate.interval;
        match filled.saturating_sub(rate.interval * rate.burst) {
            Duration::ZERO => Ok(()),
            retry_after => Err(RateExceeded { retry_after }),
        }
    }

    /// Counts an event at `now`, whether it was allowed or not.
    pub fn add(&mut self, rate: Rate, now: Duration) {
        self.empty_at = self.empty_at.max(now) + rate.interval;
    }

    /// Counts an event at `now` if it is allowed.
    ///
    /// # Errors
    /// [`RateExceeded`]; the event isn't counted.
    pub fn take(&mut self, rate: Rate, now: Duration) -> Result<(), RateExceeded> {
        self.check(rate, now)?;
        self.add(rate, now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_span_of_time_has_more_than_a_burst_and_one_each_interval(
            burst in 1_u32..50,
            interval_ms in 1_u64..1_000,
            pauses in prop::collection::vec(0_u64..200, 1..300),
        ) {
            let rate = Rate { burst, interval: Duration::from_millis(interval_ms) };
            let mut bucket = Bucket::default();
            let mut now = Duration::ZERO;
            let mut allowed = Vec::new();
            for pause in pauses {
                now += Duration::from_millis(pause);
                if bucket.take(rate, now).is_ok() {
                    allowed.push(now);
                }
            }
            for (place, begin) in allowed.iter().enumerate() {
                for (count, end) in (1_u128..).zip(&allowed[place..]) {
                    let span = end.abs_diff(*begin).as_millis();
                    prop_assert!(count <= u128::from(burst) + span / u128::from(interval_ms));
                }
            }
        }

        #[test]
        fn a_refused_event_is_allowed_after_the_time_that_it_is_told_and_not_before(
            burst in 1_u32..50,
            interval_ms in 2_u64..1_000,
        ) {
            let rate = Rate { burst, interval: Duration::from_millis(interval_ms) };
            let mut bucket = Bucket::default();
            let now = Duration::from_secs(7);
            for _ in 0..burst {
                prop_assert_eq!(bucket.take(rate, now), Ok(()));
            }
            let Err(RateExceeded { retry_after }) = bucket.take(rate, now) else {
                panic!("more than a burst was allowed");
            };
            prop_assert_eq!(retry_after, rate.interval);
            let later = now + retry_after;
            prop_assert!(bucket.check(rate, later.saturating_sub(Duration::from_millis(1))).is_err());
            prop_assert_eq!(bucket.check(rate, later), Ok(()));
        }
    }
}
