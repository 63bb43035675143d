//! What the scripts answer, in the domain's words.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use domain::limits::{LimitStatus, MinuteStatus, MonthStatus};
use domain::month::Month;
use ports::outbound::{Charge, Verdict};

/// A script's answer isn't one of ours.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("a script answered what it never does: are the keys changed by somebody else?")]
pub(crate) struct Strange;

/// Reads an admission's answer.
pub(crate) fn verdict(answer: &[i64]) -> Result<Verdict, Strange> {
    match *answer {
        [0, _, month] => Ok(Verdict::Unknown {
            month: read_month(month)?,
        }),
        [4] => Ok(Verdict::Revoked),
        [1, ..] => {
            let left = Left::read(answer)?;
            Ok(Verdict::Admitted {
                limit_status: left.limit_status,
                month: left.month,
                charge: Charge::Unwritten,
            })
        }
        [2, ..] => {
            let left = Left::read(answer)?;
            Ok(Verdict::RateLimited {
                limit_status: left.limit_status,
                retry_after: left.retry_after,
            })
        }
        [3, ..] => {
            let limit_status = Left::read(answer)?.limit_status;
            let month = limit_status.month.ok_or(Strange)?;
            Ok(Verdict::QuotaExceeded {
                limit_status,
                month,
            })
        }
        _ => Err(Strange),
    }
}

/// Reads a peek's answer.
pub(crate) fn peeked(answer: &[i64]) -> Result<Option<LimitStatus>, Strange> {
    match *answer {
        [0] => Ok(None),
        [5, ..] => Ok(Some(Left::read(answer)?.limit_status)),
        _ => Err(Strange),
    }
}

/// The numbers that come with most outcomes.
struct Left {
    limit_status: LimitStatus,
    month: Month,
    retry_after: Duration,
}

impl Left {
    fn read(answer: &[i64]) -> Result<Self, Strange> {
        let &[
            _,
            now,
            month,
            limit,
            remaining,
            reset,
            quota,
            used,
            retry_after,
        ] = answer
        else {
            return Err(Strange);
        };
        let month = read_month(month)?;
        let now = DateTime::<Utc>::from_timestamp_millis(now).ok_or(Strange)?;
        let minute = MinuteStatus {
            limit: number(limit)?,
            remaining: number(remaining)?,
            reset: Duration::from_millis(number(reset)?),
        };
        let quota = match quota {
            -1 => None,
            quota => Some(MonthStatus::new(month, number(quota)?, number(used)?, now)),
        };
        Ok(Self {
            limit_status: LimitStatus {
                minute,
                month: quota,
            },
            month,
            retry_after: Duration::from_millis(number(retry_after)?),
        })
    }
}

fn number<T: TryFrom<i64>>(number: i64) -> Result<T, Strange> {
    T::try_from(number).map_err(|_| Strange)
}

/// Reads `YYYYMM`.
fn read_month(month: i64) -> Result<Month, Strange> {
    let (year, month) = (number(month / 100)?, number(month % 100)?);
    let first = NaiveDate::from_ymd_opt(year, month, 1).ok_or(Strange)?;
    Ok(Month::of(first.and_time(NaiveTime::MIN).and_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_left_is_read_in_its_order() {
        let now = "2026-12-31T23:59:59.900Z".parse::<DateTime<Utc>>().unwrap();
        let answer = [2, now.timestamp_millis(), 202_612, 60, 0, 17, 1_000, 7, 18];
        let month = Month::of(now);
        let expected = Verdict::RateLimited {
            limit_status: LimitStatus {
                minute: MinuteStatus {
                    limit: 60,
                    remaining: 0,
                    reset: Duration::from_millis(17),
                },
                month: Some(MonthStatus::new(month, 1_000, 7, now)),
            },
            retry_after: Duration::from_millis(18),
        };
        assert_eq!(verdict(&answer).unwrap(), expected);
        assert!(peeked(&answer).is_err());
    }

    proptest! {
        #[test]
        fn a_strange_answer_is_an_error_and_admits_nothing(
            answer in prop::collection::vec(any::<i64>(), 0..12),
        ) {
            let known = matches!((answer.as_slice(), answer.len()), ([0..=4, ..], 1 | 3 | 9));
            prop_assert!(known || verdict(&answer).is_err());
        }

        #[test]
        fn months_are_read_as_they_are_written(seconds in 0_i64..4_000_000_000) {
            let month = Month::of(DateTime::from_timestamp(seconds, 0).unwrap());
            prop_assert_eq!(read_month(i64::from(month.number())).unwrap(), month);
        }
    }
}
