//! Usage over time: the time slots of a chart, without gaps, and their totals.

use chrono::{DateTime, Datelike, Days, Months, NaiveTime, TimeDelta, Timelike, Utc};

use crate::keys::KeyId;
use crate::latency::Latencies;
use crate::outcome::{Endpoint, Outcome};
use crate::variants::named_enum;

named_enum! {
    /// Length of a time slot. Slots begin at full UTC hours, days and months.
    #[derive(Default)]
    pub enum Granularity {
        /// Slots of one hour.
        Hour,
        /// Slots of one day.
        #[default]
        Day,
        /// Slots of one calendar month.
        Month,
    }
}

impl Granularity {
    /// Maximum number of slots of a chart: 31 days of hours, 400 days, 36 months.
    pub fn most_slots(self) -> usize {
        match self {
            Self::Hour => 31 * 24,
            Self::Day => 400,
            Self::Month => 36,
        }
    }

    /// Start of the slot that contains an instant.
    pub fn slot(self, instant: DateTime<Utc>) -> DateTime<Utc> {
        let date = instant.date_naive();
        let midnight = date.and_time(NaiveTime::MIN).and_utc();
        match self {
            Self::Hour => midnight + TimeDelta::hours(i64::from(instant.hour())),
            Self::Day => midnight,
            Self::Month => {
                let first = date.with_day(1).unwrap_or(date);
                first.and_time(NaiveTime::MIN).and_utc()
            }
        }
    }

    /// Start of the slot after the one that starts at `slot`; `None` if it is out of range.
    fn next(self, slot: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self {
            Self::Hour => slot.checked_add_signed(TimeDelta::hours(1)),
            Self::Day => slot.checked_add_days(Days::new(1)),
            Self::Month => slot.checked_add_months(Months::new(1)),
        }
    }
}

/// A range of time that is divided into slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    granularity: Granularity,
}

/// Reason why a period is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeriodError {
    /// The period doesn't end after it begins.
    #[error("from must be before to")]
    Backwards,
    /// The period has more slots than [`Granularity::most_slots`].
    #[error("the period has more than {} slots; ask for a shorter one or for longer slots", .0.most_slots())]
    TooLong(Granularity),
}

impl Period {
    /// The slots from the one that contains `from` to the one that contains the moment before `to`.
    ///
    /// # Errors
    /// A [`PeriodError`].
    pub fn new(
        from: DateTime<Utc>,
        to: DateTime<Utc>,
        granularity: Granularity,
    ) -> Result<Self, PeriodError> {
        if from >= to {
            return Err(PeriodError::Backwards);
        }
        let period = Self {
            from: granularity.slot(from),
            to,
            granularity,
        };
        let most = granularity.most_slots();
        if period.slots().take(most + 1).count() > most {
            return Err(PeriodError::TooLong(granularity));
        }
        Ok(period)
    }

    /// The `count` latest slots; the last one contains `now`.
    ///
    /// # Errors
    /// [`PeriodError::TooLong`]; [`PeriodError::Backwards`] for no slot at all.
    pub fn newest(
        count: u32,
        granularity: Granularity,
        now: DateTime<Utc>,
    ) -> Result<Self, PeriodError> {
        let most = u32::try_from(granularity.most_slots()).unwrap_or(u32::MAX);
        if count > most {
            return Err(PeriodError::TooLong(granularity));
        }
        let back = count.checked_sub(1).ok_or(PeriodError::Backwards)?;
        let last = granularity.slot(now);
        let first = match granularity {
            Granularity::Hour => last.checked_sub_signed(TimeDelta::hours(back.into())),
            Granularity::Day => last.checked_sub_days(Days::new(back.into())),
            Granularity::Month => last.checked_sub_months(Months::new(back)),
        };
        let to = granularity.next(last);
        Self::new(
            first.ok_or(PeriodError::Backwards)?,
            to.ok_or(PeriodError::TooLong(granularity))?,
            granularity,
        )
    }

    /// First instant of the period.
    pub fn from(self) -> DateTime<Utc> {
        self.from
    }

    /// First instant after the period.
    pub fn to(self) -> DateTime<Utc> {
        self.to
    }

    /// Length of its slots.
    pub fn granularity(self) -> Granularity {
        self.granularity
    }

    /// Start of each slot, in order, without gaps.
    pub fn slots(self) -> impl Iterator<Item = DateTime<Utc>> {
        std::iter::successors(Some(self.from), move |slot| self.granularity.next(*slot))
            .take_while(move |slot| *slot < self.to)
    }
}

named_enum! {
    /// Grouping of a chart's requests into series.
    #[derive(Default)]
    pub enum Breakdown {
        /// One series of all requests.
        #[default]
        Total,
        /// One series per key.
        Key,
        /// One series per endpoint.
        Endpoint,
        /// One series per outcome.
        Outcome,
    }
}

/// Totals of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of requests, including refused ones.
    pub requests: u64,
    /// Requests that delivered a proof.
    pub delivered: u64,
    /// Receipts that were read.
    pub receipts: u64,
    /// Requests refused by a limit; they aren't charged.
    pub refused: u64,
    /// Requests that failed because of us or the bank; they were refunded to the monthly quota.
    pub failed: u64,
    /// Latencies of the requests that weren't refused by a limit.
    pub latencies: Latencies,
}

impl Totals {
    /// Adds a number of requests with the same outcome.
    pub fn add(&mut self, outcome: Outcome, requests: u64, latencies: &Latencies) {
        self.requests += requests;
        match outcome {
            Outcome::Delivered => self.delivered += requests,
            Outcome::ReceiptRead => self.receipts += requests,
            Outcome::RateLimited | Outcome::QuotaExceeded => self.refused += requests,
            _ if outcome.is_refunded() => self.failed += requests,
            _ => {}
        }
        self.latencies.add(latencies);
    }

    /// The share of admitted requests, but for receipts that were read, that delivered a proof, 0 to 1; `None` when
    /// none was admitted.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a share needs no more than 15 digits"
    )]
    pub fn success_rate(&self) -> Option<f64> {
        let others = self.refused + self.receipts;
        let admitted = self.requests.saturating_sub(others);
        (admitted > 0).then(|| self.delivered as f64 / admitted as f64)
    }
}

/// Filter of requests; each condition narrows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestCriteria {
    /// Only requests to this endpoint; `None` for all.
    pub endpoint: Option<Endpoint>,
    /// Only requests with this outcome; `None` for all.
    pub outcome: Option<Outcome>,
}

/// A query for usage over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageQuery {
    /// The period and its slots.
    pub period: Period,
    /// Grouping of the requests into series.
    pub breakdown: Breakdown,
    /// Only requests with this key; `None` for all keys.
    pub key: Option<KeyId>,
    /// Only requests that match.
    pub criteria: RequestCriteria,
}

/// Maximum number of separate series in a report.
pub const MAX_SERIES: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use Granularity::{Day, Hour, Month};
    use proptest::prelude::*;

    fn instant(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_period_has_every_slot_that_it_touches() {
        let slots = |from, to, granularity| -> Vec<String> {
            let period = Period::new(instant(from), instant(to), granularity).unwrap();
            let slots = period.slots();
            slots
                .map(|slot| slot.format("%m-%dT%H").to_string())
                .collect()
        };
        let hours = slots("2026-11-20T22:30:00Z", "2026-11-21T01:00:00Z", Hour);
        assert_eq!(hours, ["11-20T22", "11-20T23", "11-21T00"]);
        let days = slots("2026-02-27T22:30:00Z", "2026-03-01T00:00:01Z", Day);
        assert_eq!(days, ["02-27T00", "02-28T00", "03-01T00"]);
        let months = slots("2025-12-31T23:59:59Z", "2026-02-01T00:00:00Z", Month);
        assert_eq!(months, ["12-01T00", "01-01T00"]);
    }

    #[test]
    fn the_newest_slots_end_with_the_one_of_now() {
        let now = instant("2026-11-21T06:23:27Z");
        for (granularity, first, to) in [
            (Hour, "2026-11-20T07:00:00Z", "2026-11-21T07:00:00Z"),
            (Day, "2026-10-29T00:00:00Z", "2026-11-22T00:00:00Z"),
            (Month, "2024-12-01T00:00:00Z", "2026-12-01T00:00:00Z"),
        ] {
            let period = Period::newest(24, granularity, now).unwrap();
            assert_eq!(period.from(), instant(first));
            assert_eq!(period.to(), instant(to));
            assert_eq!(period.slots().count(), 24);
        }
    }

    #[test]
    fn a_period_is_neither_backwards_nor_endless() {
        let now = instant("2026-11-21T06:23:27Z");
        assert_eq!(Period::new(now, now, Hour), Err(PeriodError::Backwards));
        assert_eq!(Period::newest(0, Hour, now), Err(PeriodError::Backwards));
        let long = Err(PeriodError::TooLong(Hour));
        assert_eq!(Period::new(DateTime::UNIX_EPOCH, now, Hour), long);
        assert_eq!(Period::newest(745, Hour, now), long);
    }

    #[test]
    fn a_request_refused_by_a_limit_is_neither_failed_nor_delivered() {
        let mut totals = Totals::default();
        assert_eq!(totals.success_rate(), None);
        let none = Latencies::default();
        totals.add(Outcome::Delivered, 3, &none);
        totals.add(Outcome::RateLimited, 5, &none);
        totals.add(Outcome::BankTimeout, 1, &none);
        totals.add(Outcome::ReceiptRead, 2, &none);
        assert_eq!((totals.requests, totals.refused, totals.failed), (11, 5, 1));
        assert_eq!(totals.success_rate(), Some(0.75));
    }

    proptest! {
        #[test]
        fn an_instant_lies_in_its_slot(seconds in 0_i64..4_000_000_000) {
            let instant = DateTime::from_timestamp(seconds, 0).unwrap();
            for granularity in [Hour, Day, Month] {
                let slot = granularity.slot(instant);
                prop_assert!(slot <= instant && instant < granularity.next(slot).unwrap());
                prop_assert_eq!(granularity.slot(slot), slot);
            }
        }
    }
}
