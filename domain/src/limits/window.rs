//! Exact sliding-window rate limit: never more than the limit in any 60 seconds.

use std::collections::VecDeque;
use std::time::Duration;

use crate::limits::MinuteStatus;

/// Length of the window.
pub const SPAN: Duration = Duration::from_mins(1);

const SPAN_MS: u64 = 60_000;
/// Up to this limit, admissions are stored with millisecond precision; above it with precision of a
/// second, which never admits too many and frees a slot at most one second late.
const EXACT_UP_TO: u32 = 6_000;
const COARSE_MS: u64 = 1_000;

/// The admitted requests of one key in the last 60 seconds.
///
/// Times are milliseconds of a monotonic clock with any origin; a time before the previous one is
/// treated as equal to it.
#[derive(Clone, Debug, Default)]
pub struct SlidingWindow {
    /// Sorted by expiry.
    admissions: VecDeque<Admissions>,
    total: u32,
    last_ms: u64,
}

/// Admitted requests that leave the window at the same time.
#[derive(Clone, Copy, Debug)]
struct Admissions {
    expires_ms: u64,
    count: u32,
}

/// Error: the limit per minute is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowFull {
    /// Time until a request would be admitted.
    pub retry_after: Duration,
}

impl SlidingWindow {
    /// Checks that one more request fits, without counting it.
    ///
    /// # Errors
    /// [`WindowFull`] with the exact time to wait.
    pub fn check(&mut self, now_ms: u64, limit: u32) -> Result<(), WindowFull> {
        let now_ms = self.advance(now_ms);
        if self.total < limit {
            return Ok(());
        }
        let mut left = self.total;
        for admissions in &self.admissions {
            left -= admissions.count;
            if left < limit {
                let retry_after = Duration::from_millis(admissions.expires_ms - now_ms);
                return Err(WindowFull { retry_after });
            }
        }
        Err(WindowFull { retry_after: SPAN })
    }

    /// Counts one request regardless of the limit. Call it after [`Self::check`] succeeded.
    pub fn count(&mut self, now_ms: u64, limit: u32) {
        let now_ms = self.advance(now_ms);
        let exact = now_ms + SPAN_MS;
        let expires_ms = if limit <= EXACT_UP_TO {
            exact
        } else {
            exact.next_multiple_of(COARSE_MS)
        };
        self.total += 1;
        match self.admissions.back_mut() {
            Some(last) if last.expires_ms >= expires_ms => last.count += 1,
            _ => self.admissions.push_back(Admissions {
                expires_ms,
                count: 1,
            }),
        }
    }

    /// Status of the limit per minute.
    pub fn limit_status(&mut self, now_ms: u64, limit: u32) -> MinuteStatus {
        let now_ms = self.advance(now_ms);
        let next = self
            .admissions
            .front()
            .map(|first| first.expires_ms - now_ms);
        MinuteStatus {
            limit,
            remaining: limit.saturating_sub(self.total),
            reset: next.map_or(SPAN, Duration::from_millis),
        }
    }

    /// Returns `true` if nothing was admitted in the last 60 seconds.
    pub fn is_empty(&mut self, now_ms: u64) -> bool {
        self.advance(now_ms);
        self.admissions.is_empty()
    }

    /// Advances the clock and drops expired admissions.
    fn advance(&mut self, now_ms: u64) -> u64 {
        self.last_ms = self.last_ms.max(now_ms);
        while let Some(first) = self.admissions.front() {
            if first.expires_ms > self.last_ms {
                break;
            }
            self.total -= first.count;
            self.admissions.pop_front();
        }
        self.last_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn admit(window: &mut SlidingWindow, now_ms: u64, limit: u32) -> Result<(), WindowFull> {
        window.check(now_ms, limit)?;
        window.count(now_ms, limit);
        Ok(())
    }

    #[test]
    fn a_client_that_obeys_is_never_refused() {
        let mut window = SlidingWindow::default();
        for minute in 0..5 {
            for _ in 0..60 {
                admit(&mut window, minute * 60_000, 60).unwrap();
            }
            let wait = admit(&mut window, minute * 60_000 + 1, 60).unwrap_err();
            assert_eq!(wait.retry_after, Duration::from_millis(59_999));
        }
    }

    #[test]
    fn a_lowered_limit_waits_until_enough_has_left() {
        let mut window = SlidingWindow::default();
        for second in 0..10 {
            admit(&mut window, second * 1_000, 10).unwrap();
        }
        let wait = window.check(9_000, 3).unwrap_err();
        assert_eq!(wait.retry_after, Duration::from_secs(58)); // the eighth leaves at 67 s
        assert!(window.check(67_000, 3).is_ok());
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing_back() {
        let mut window = SlidingWindow::default();
        admit(&mut window, 100_000, 1).unwrap();
        assert!(admit(&mut window, 10, 1).is_err());
        assert_eq!(window.limit_status(10, 1).reset, SPAN);
    }

    /// Reference implementation: the number of admissions in the last 60 seconds.
    fn admitted_by_the_rule(admitted: &[u64], now: u64, limit: u32) -> bool {
        let left_the_window = admitted.partition_point(|at| at + SPAN_MS <= now);
        admitted.len() - left_the_window < limit as usize
    }

    proptest! {
        #[test]
        fn it_decides_as_the_rule_does(
            steps in prop::collection::vec((0_u64..20_000, 1_u32..12), 1..200),
        ) {
            let mut window = SlidingWindow::default();
            let (mut now, mut admitted) = (0, Vec::new());
            for (pause, limit) in steps {
                now += pause;
                let expected = admitted_by_the_rule(&admitted, now, limit);
                match admit(&mut window, now, limit) {
                    Ok(()) => {
                        prop_assert!(expected);
                        admitted.push(now);
                    }
                    Err(full) => {
                        prop_assert!(!expected);
                        let wait = u64::try_from(full.retry_after.as_millis()).unwrap();
                        prop_assert!(admitted_by_the_rule(&admitted, now + wait, limit));
                        prop_assert!(!admitted_by_the_rule(&admitted, now + wait - 1, limit));
                    }
                }
            }
        }

        #[test]
        fn above_the_exact_range_it_never_admits_more_and_waits_at_most_a_second_longer(
            steps in prop::collection::vec((0_u64..9_000, 1_u32..4_000), 1..40),
        ) {
            let limit = EXACT_UP_TO + 1;
            let mut window = SlidingWindow::default();
            let (mut now, mut admitted) = (0, Vec::new());
            for (pause, burst) in steps {
                now += pause;
                for _ in 0..burst {
                    if admit(&mut window, now, limit).is_err() {
                        let a_second_ago = now.saturating_sub(COARSE_MS);
                        prop_assert!(!admitted_by_the_rule(&admitted, a_second_ago, limit));
                        break;
                    }
                    prop_assert!(admitted_by_the_rule(&admitted, now, limit));
                    admitted.push(now);
                }
            }
        }
    }
}
