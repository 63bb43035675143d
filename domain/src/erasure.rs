//! Clock that decides when data past its retention is erased.
//!
//! If a machine's clock is wrong by years, not everything may be erased at once. So this clock starts
//! at the last time known from the database, and advances at most one day per hour of running time.
//! After an outage it catches up soon; after a start with a wrong clock, there are days to notice.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// Usual time without a new entry in the database.
const QUIET: TimeDelta = TimeDelta::days(1);
/// Maximum speed of the clock: hours per hour of running time.
const PACE: u32 = 24;

/// Clock for the erasure of data past its retention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErasureClock {
    /// Latest time that was certain when the process started.
    known: DateTime<Utc>,
    /// Start of the process on a monotonic clock.
    started: Duration,
}

impl ErasureClock {
    /// A clock for a process that starts at `now` (at `started` on its monotonic clock). `last_entry`
    /// is the time of the database's last entry; `None` if it is empty.
    pub fn new(last_entry: Option<DateTime<Utc>>, now: DateTime<Utc>, started: Duration) -> Self {
        Self {
            known: last_entry.unwrap_or(now).min(now),
            started,
        }
    }

    /// The time to use for erasure: `now`, or earlier if `now` is further ahead than the running time
    /// allows.
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
