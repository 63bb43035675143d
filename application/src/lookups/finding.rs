//! The bank's last answer without a proof, as stored with a lookup.

use crate::proofs::FetchError;
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, NaiveDateTime};
use domain::calendar;
use domain::outcome::Outcome;
use domain::payment::{Payment, PaymentState};

use super::parts::{Damaged, decode, encode, text};

/// The bank's answer to an attempt that returned no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Date of the answer, in Mexico City.
    pub(super) on: NaiveDate,
    /// The payment without a proof; `None` if the bank doesn't know the transfer.
    pub(crate) payment: Option<Payment>,
}

impl Finding {
    /// The finding of a failed attempt; `None` if it failed for another reason than the bank's answer.
    pub(super) fn of(error: &FetchError, on: NaiveDate) -> Option<Self> {
        let FetchError::NotFound { payment, .. } = error else {
            return None;
        };
        Some(Self {
            on,
            payment: *payment,
        })
    }

    /// Returns `true` if the bank doesn't know the transfer, with or without a record that says so.
    pub(super) fn is_of_unknown_payment(&self) -> bool {
        let outcome = self.payment.map(|payment| payment.state.outcome());
        outcome.is_none_or(|outcome| outcome == Outcome::NotFound)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let payment = self.payment.as_ref().map(|payment| {
            [
                payment.state.name().to_owned(),
                millis(payment.received_at),
                millis(payment.processed_at),
            ]
        });
        let date = self.on.to_string();
        let payment = payment.iter().flatten();
        encode([&date].into_iter().chain(payment).map(String::as_bytes))
    }

    pub(super) fn decode(bytes: Bytes) -> Result<Self, Damaged> {
        let parts = decode(bytes)?;
        let (date, payment) = parts.split_first().ok_or(Damaged)?;
        let payment = match payment {
            [] => None,
            [state, received_at, processed_at] => Some(Payment {
                state: PaymentState::from_name(text(state)?).ok_or(Damaged)?,
                received_at: local_time(text(received_at)?)?,
                processed_at: local_time(text(processed_at)?)?,
            }),
            _ => return Err(Damaged),
        };
        Ok(Self {
            on: calendar::parse_date(text(date)?).map_err(|_| Damaged)?,
            payment,
        })
    }
}

fn millis(at: Option<NaiveDateTime>) -> String {
    at.map(|at| at.and_utc().timestamp_millis().to_string())
        .unwrap_or_default()
}

fn local_time(millis: &str) -> Result<Option<NaiveDateTime>, Damaged> {
    if millis.is_empty() {
        return Ok(None);
    }
    let millis = millis.parse().map_err(|_| Damaged)?;
    let at = DateTime::from_timestamp_millis(millis).ok_or(Damaged)?;
    Ok(Some(at.naive_utc()))
}

#[cfg(test)]
mod tests {
    use ports::outbound::BankError;
    use proptest::prelude::*;

    use super::*;

    fn times() -> impl Strategy<Value = Option<NaiveDateTime>> {
        let time = (0..i64::from(i32::MAX)).prop_map(|seconds| {
            let at = DateTime::from_timestamp(seconds, 0).unwrap();
            at.naive_utc()
        });
        proptest::option::of(time)
    }

    fn payments() -> impl Strategy<Value = Payment> {
        let state = prop::sample::select(&PaymentState::ALL[..]);
        (state, times(), times()).prop_map(|(state, received_at, processed_at)| Payment {
            state,
            received_at,
            processed_at,
        })
    }

    proptest! {
        #[test]
        fn a_finding_comes_back(day in 0..30_000_i32, payment in proptest::option::of(payments())) {
            let on = NaiveDate::from_epoch_days(day).unwrap();
            let finding = Finding { on, payment };
            prop_assert_eq!(Finding::decode(finding.encode().into()), Ok(finding));
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_panic(bytes: Vec<u8>) {
            let _ = Finding::decode(bytes.into());
        }
    }

    #[test]
    fn failures_of_the_bank_find_nothing() {
        let on = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        assert_eq!(Finding::of(&BankError::Timeout.into(), on), None);
    }
}
