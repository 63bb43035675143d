//! The UTC calendar month of a quota.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Datelike, Months, NaiveDate, NaiveTime, Utc};

/// A UTC calendar month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Month(NaiveDate);

impl Month {
    /// The month that contains an instant.
    pub fn of(instant: DateTime<Utc>) -> Self {
        let date = instant.date_naive();
        Self(date.with_day(1).unwrap_or(date))
    }

    /// The month as the number `YYYYMM`, for storage. Years before 0 are stored as 0.
    pub fn number(self) -> u32 {
        u32::try_from(self.0.year()).unwrap_or(0) * 100 + self.0.month()
    }

    /// Parses the number that [`Self::number`] returns; `None` if there is no such month.
    pub fn from_number(number: u32) -> Option<Self> {
        let year = i32::try_from(number / 100).ok()?;
        NaiveDate::from_ymd_opt(year, number % 100, 1).map(Self)
    }

    /// First instant of the next month.
    pub fn end(self) -> DateTime<Utc> {
        let next = self
            .0
            .checked_add_months(Months::new(1))
            .unwrap_or(NaiveDate::MAX);
        next.and_time(NaiveTime::MIN).and_utc()
    }

    /// Time from `now` to the end of the month; zero after it.
    pub fn time_left(self, now: DateTime<Utc>) -> Duration {
        (self.end() - now).to_std().unwrap_or(Duration::ZERO)
    }
}

/// Formats the month like `2026-11`.
impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%Y-%m"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_millisecond_belongs_to_the_month_and_the_next_one_doesnt() {
        let last: DateTime<Utc> = "2026-12-31T23:59:59.999Z".parse().unwrap();
        let december = Month::of(last);
        assert_eq!(december.number(), 202_612);
        assert_eq!(december.time_left(last), Duration::from_millis(1));
        assert_eq!(Month::of(december.end()).to_string(), "2027-01");
    }

    #[test]
    fn a_year_has_twelve_months() {
        assert_eq!(Month::from_number(202_600), None);
        assert_eq!(Month::from_number(202_613), None);
        assert_eq!(Month::from_number(u32::MAX), None);
    }

    proptest! {
        #[test]
        fn an_instant_lies_in_its_month(seconds in 0_i64..4_000_000_000) {
            let instant = DateTime::from_timestamp(seconds, 0).unwrap();
            let month = Month::of(instant);
            let number = u32::try_from(instant.year()).unwrap() * 100 + instant.month();
            prop_assert_eq!(month.number(), number);
            prop_assert_eq!(Month::from_number(number), Some(month));
            prop_assert!(instant < month.end());
            prop_assert!(Month::of(month.end()) > month);
            prop_assert!(month.time_left(instant) <= Duration::from_hours(31 * 24));
        }
    }
}
