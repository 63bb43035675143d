//! Clock that decides when data past its retention is erased.
//!
//! A machine whose clock is set to another year must not erase everything at once. So the time of erasure starts from
//! the time that it had come to in the database, and follows the clock no faster than a day for each hour that the
//! process runs: after an outage it catches up soon, and after a wrong start there are days to notice it. How far it
//! has come is stored, not what the clock shows: another start by the wrong clock is held back as the first one was.

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
    /// A clock for a process that starts at `now` (and at `started` on its monotonic clock) on a database in which
    /// erasure had come to `stored`, if it had begun. A stored time that is later than `now` isn't gone by: see
    /// [`is_wrong`].
    pub fn new(stored: Option<DateTime<Utc>>, now: DateTime<Utc>, started: Duration) -> Self {
        Self {
            known: stored.unwrap_or(now).min(now),
            started,
        }
    }

    /// The time to use for erasure: `now`, or earlier if `now` is further ahead than the running time
    /// allows.
    pub fn time(&self, now: DateTime<Utc>, monotonic: Duration) -> DateTime<Utc> {
        self.caught_up(QUIET, now, monotonic)
    }

    /// The time that is certain by now: to be stored, and where the next process starts from.
    pub fn certain(&self, now: DateTime<Utc>, monotonic: Duration) -> DateTime<Utc> {
        self.caught_up(TimeDelta::zero(), now, monotonic)
    }

    fn caught_up(
        &self,
        quiet: TimeDelta,
        now: DateTime<Utc>,
        monotonic: Duration,
    ) -> DateTime<Utc> {
        let ran = monotonic.saturating_sub(self.started);
        let caught_up = TimeDelta::from_std(ran.saturating_mul(PACE)).ok();
        let certain = caught_up.and_then(|more| self.known.checked_add_signed(quiet + more));
        certain.map_or(now, |certain| now.min(certain))
    }
}

/// Returns `true` for a stored time that a wrong clock left: it is more than a day after `now`.
pub fn is_wrong(stored: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    stored.signed_duration_since(now) > QUIET
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

    /// Days from the right time by which the last of these processes erases. Each starts by a clock that is so many
    /// days ahead, and runs for two hours.
    #[rstest]
    #[case::ahead_twice(&[0, 500, 500], 5)]
    #[case::ahead_and_right_and_ahead(&[0, 500, 0, 500], 3)]
    #[case::ahead_from_the_first_start(&[500, 0, 500], 3)]
    #[case::a_little_ahead_after_that(&[500, 0, 10], 3)]
    #[case::behind_in_between(&[0, 500, -500, 0], -497)]
    fn every_start_by_a_wrong_clock_is_held_back(#[case] starts: &[i64], #[case] days_ahead: i64) {
        let mut stored = None;
        let mut erased = start();
        for ahead in starts {
            let now = start() + TimeDelta::days(*ahead);
            let clock = ErasureClock::new(stored, now, HOUR);
            erased = clock.time(now, HOUR * 3);
            stored = Some(clock.certain(now, HOUR * 3));
        }
        assert_eq!((erased - start()).num_days(), days_ahead);
    }

    #[rstest]
    #[case(24, false)]
    #[case(25, true)]
    #[case(-500, false)]
    fn a_stored_time_of_more_than_a_day_ahead_is_wrong(#[case] hours: i64, #[case] wrong: bool) {
        assert_eq!(is_wrong(start() + TimeDelta::hours(hours), start()), wrong);
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
