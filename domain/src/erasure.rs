//! Time by which what is past its retention is erased.
//!
//! A machine whose clock is set to another year must not erase everything at once. So the time of erasure starts from
//! the last time that the database knows, and follows the clock no faster than a day for each hour that the process
//! runs: after an outage it catches up soon, and after a wrong start there are days to notice it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// Time without an entry of the database that is nothing unusual.
const QUIET: TimeDelta = TimeDelta::days(1);
/// Hours by which the time of erasure moves on, at most, while the process runs for one.
const PACE: u32 = 24;

/// Clock of erasure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErasureClock {
    /// The latest time that is certain, as of the start.
    known: DateTime<Utc>,
    /// The start, on a monotonic clock.
    started: Duration,
}

impl ErasureClock {
    /// A clock for a process that starts at `now` (and at `started` on its monotonic clock) on a database whose last
    /// entry is of `last_entry`, if it has one.
    pub fn new(last_entry: Option<DateTime<Utc>>, now: DateTime<Utc>, started: Duration) -> Self {
        Self {
            known: last_entry.unwrap_or(now).min(now),
            started,
        }
    }

    /// The time of erasure: `now`, unless that is further ahead of what is certain than the process has run for.
    pub fn time(&self, now: DateTime<Utc>, monotonic: Duration) -> DateTime<Utc> {
        let ran = monotonic.saturating_sub(self.started);
        let caught_up = TimeDelta::from_std(ran.saturating_mul(PACE)).ok();
        let certain = caught_up.and_then(|more| self.known.checked_add_signed(QUIET + more));
        certain.map_or(now, |certain| now.min(certain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const HOUR: Duration = Duration::from_hours(1);

    fn start() -> DateTime<Utc> {
        DateTime::from_timestamp(1_780_000_000, 0).unwrap()
    }

    /// Hours by which the time of erasure is behind the clock, some hours after a start that is so many hours after
    /// the last entry.
    #[rstest]
    #[case::a_restart(0, 0, 0)]
    #[case::a_quiet_day(24, 0, 0)]
    #[case::a_weekend(72, 0, 48)]
    #[case::a_weekend_an_hour_later(72, 1, 25)]
    #[case::a_weekend_three_hours_later(72, 3, 0)]
    #[case::another_year(12_000, 0, 11_976)]
    #[case::another_year_two_days_later(12_000, 48, 10_872)]
    #[case::a_clock_that_is_behind(-72, 0, 0)]
    fn what_an_outage_left_is_caught_up_and_a_wrong_year_is_not(
        #[case] since_last_entry: i64,
        #[case] ran: u32,
        #[case] behind: i64,
    ) {
        let last_entry = start() - TimeDelta::hours(since_last_entry);
        let clock = ErasureClock::new(Some(last_entry), start(), HOUR);
        let now = start() + HOUR * ran;
        let time = clock.time(now, HOUR * (ran + 1));
        assert_eq!((now - time).num_hours(), behind);
    }

    #[test]
    fn a_clock_that_jumps_while_the_process_runs_takes_erasure_along_slowly() {
        let clock = ErasureClock::new(None, start(), HOUR);
        let time = clock.time(start() + TimeDelta::days(500), HOUR * 2);
        assert_eq!(time, start() + TimeDelta::days(2));
        let clock = ErasureClock::new(None, start(), Duration::ZERO);
        assert_eq!(clock.time(start(), Duration::MAX), start());
    }
}
