//! Replies of the scripts, parsed into domain types.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use domain::limits::{LimitStatus, MinuteStatus, MonthStatus};
use domain::month::Month;
use ports::outbound::{Charge, Verdict};

/// A reply that no script of ours gives.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("unexpected reply of a script: do other clients change the keys?")]
pub(crate) struct UnexpectedReply;

/// Parses an admission's reply.
pub(crate) fn verdict(reply: &[i64]) -> Result<Verdict, UnexpectedReply> {
    match *reply {
        [0, _, month] => Ok(Verdict::Unknown {
            month: parse_month(month)?,
        }),
        [4] => Ok(Verdict::Revoked),
        [1, ..] => {
            let reply = LimitReply::parse(reply)?;
            Ok(Verdict::Admitted {
                limit_status: reply.limit_status,
                month: reply.month,
                charge: Charge::Unwritten,
            })
        }
        [2, ..] => {
            let reply = LimitReply::parse(reply)?;
            Ok(Verdict::RateLimited {
                limit_status: reply.limit_status,
                retry_after: reply.retry_after,
            })
        }
        [3, ..] => {
            let limit_status = LimitReply::parse(reply)?.limit_status;
            let month = limit_status.month.ok_or(UnexpectedReply)?;
            Ok(Verdict::QuotaExceeded {
                limit_status,
                month,
            })
        }
        _ => Err(UnexpectedReply),
    }
}

/// Parses a peek's reply.
pub(crate) fn peeked(reply: &[i64]) -> Result<Option<LimitStatus>, UnexpectedReply> {
    match *reply {
        [0] => Ok(None),
        [5, ..] => Ok(Some(LimitReply::parse(reply)?.limit_status)),
        _ => Err(UnexpectedReply),
    }
}

/// Numbers that most replies contain.
struct LimitReply {
    limit_status: LimitStatus,
    month: Month,
    retry_after: Duration,
}

impl LimitReply {
    fn parse(reply: &[i64]) -> Result<Self, UnexpectedReply> {
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
        ] = reply
        else {
            return Err(UnexpectedReply);
        };
        let month = parse_month(month)?;
        let now = DateTime::<Utc>::from_timestamp_millis(now).ok_or(UnexpectedReply)?;
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

fn number<T: TryFrom<i64>>(number: i64) -> Result<T, UnexpectedReply> {
    T::try_from(number).map_err(|_| UnexpectedReply)
}

/// Parses `YYYYMM`.
fn parse_month(month: i64) -> Result<Month, UnexpectedReply> {
    let (year, month) = (number(month / 100)?, number(month % 100)?);
    let first = NaiveDate::from_ymd_opt(year, month, 1).ok_or(UnexpectedReply)?;
    Ok(Month::of(first.and_time(NaiveTime::MIN).and_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_numbers_of_a_reply_are_parsed_in_order() {
        let now = "2026-12-31T23:59:59.900Z".parse::<DateTime<Utc>>().unwrap();
        let reply = [2, now.timestamp_millis(), 202_612, 60, 0, 17, 1_000, 7, 18];
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
        assert_eq!(verdict(&reply).unwrap(), expected);
        assert!(peeked(&reply).is_err());
    }

    proptest! {
        #[test]
        fn an_unexpected_reply_is_an_error_and_admits_nothing(
            reply in prop::collection::vec(any::<i64>(), 0..12),
        ) {
            let known = matches!((reply.as_slice(), reply.len()), ([0..=4, ..], 1 | 3 | 9));
            prop_assert!(known || verdict(&reply).is_err());
        }

        #[test]
        fn months_are_parsed_as_they_are_written(seconds in 0_i64..4_000_000_000) {
            let month = Month::of(DateTime::from_timestamp(seconds, 0).unwrap());
            prop_assert_eq!(parse_month(i64::from(month.number())).unwrap(), month);
        }
    }
}
