//! The bank's last answer without a proof, as stored with a lookup.

use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, NaiveDateTime};
use domain::calendar;
use domain::outcome::Outcome;
use domain::payment::{Payment, PaymentState};
use domain::proofs::candidate::Candidate;
use domain::seals::SealVerdict;
use domain::tracking_key::TrackingKey;

use crate::proofs::FetchError;

use super::parts::{Damaged, decode, encode, text};

/// The bank's answer to an attempt that returned no proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Date of the answer, in Mexico City.
    pub(super) on: NaiveDate,
    /// The payment without a proof; `None` if the bank doesn't know the transfer, or knows several.
    pub(crate) payment: Option<Payment>,
    /// The transfers that have the reference number; empty unless there are several.
    pub(crate) candidates: Arc<[Candidate]>,
}

impl Finding {
    /// The finding of a failed attempt; `None` if it failed for another reason than the bank's answer.
    pub(super) fn of(error: &FetchError, on: NaiveDate) -> Option<Self> {
        let (payment, candidates) = match error {
            FetchError::NotFound { payment, .. } => (*payment, Arc::default()),
            FetchError::Ambiguous { candidates } => (None, Arc::clone(candidates)),
            _ => return None,
        };
        Some(Self {
            on,
            payment,
            candidates,
        })
    }

    /// Returns `true` if the bank doesn't know the transfer, with or without a record that says so.
    pub(super) fn is_of_unknown_payment(&self) -> bool {
        let outcome = self.payment.map(|payment| payment.state.outcome());
        self.candidates.is_empty() && outcome.is_none_or(|outcome| outcome == Outcome::NotFound)
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
        let mark = (!self.candidates.is_empty()).then(|| CANDIDATES.to_owned());
        let candidates = self.candidates.iter().flat_map(encode_candidate);
        let rest = payment.into_iter().flatten().chain(mark).chain(candidates);
        let parts: Vec<_> = std::iter::once(date).chain(rest).collect();
        encode(parts.iter().map(String::as_bytes))
    }

    pub(super) fn decode(bytes: Bytes) -> Result<Self, Damaged> {
        let parts = decode(bytes)?;
        let (date, payment) = parts.split_first().ok_or(Damaged)?;
        let (payment, candidates) = match payment {
            [mark, candidates @ ..] if mark == CANDIDATES => {
                (&[][..], decode_candidates(candidates)?)
            }
            payment => (payment, Arc::default()),
        };
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
            candidates,
        })
    }
}

/// Mark before the transfers that a reference number finds. Earlier versions can't read what follows it.
const CANDIDATES: &str = "candidates";

/// A candidate as text; empty for a value that it lacks.
fn encode_candidate(candidate: &Candidate) -> [String; 6] {
    [
        candidate.tracking_key.as_str().to_owned(),
        millis(Some(candidate.credited_at)),
        candidate.payer.clone().unwrap_or_default(),
        candidate.concept.clone().unwrap_or_default(),
        candidate.centavos.to_string(),
        candidate.seal.name().to_owned(),
    ]
}

fn decode_candidates(parts: &[Bytes]) -> Result<Arc<[Candidate]>, Damaged> {
    let (candidates, []) = parts.as_chunks() else {
        return Err(Damaged);
    };
    candidates.iter().map(decode_candidate).collect()
}

fn decode_candidate(parts: &[Bytes; 6]) -> Result<Candidate, Damaged> {
    let [key, credited_at, payer, concept, centavos, seal] = parts;
    let given = |part| text(part).map(|text| (!text.is_empty()).then(|| text.to_owned()));
    Ok(Candidate {
        tracking_key: TrackingKey::parse(text(key)?).map_err(|_| Damaged)?,
        credited_at: local_time(text(credited_at)?)?.ok_or(Damaged)?,
        payer: given(payer)?,
        concept: given(concept)?,
        centavos: text(centavos)?.parse().map_err(|_| Damaged)?,
        seal: SealVerdict::from_name(text(seal)?).ok_or(Damaged)?,
    })
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

    fn candidates() -> impl Strategy<Value = Candidate> {
        let some_text = || proptest::option::of("[A-Za-zñ ]{1,40}");
        let seal = prop::sample::select(&SealVerdict::ALL[..]);
        let key = "[A-Z0-9]{1,30}";
        (key, times(), some_text(), some_text(), any::<u64>(), seal).prop_map(
            |(key, at, payer, concept, centavos, seal)| Candidate {
                tracking_key: TrackingKey::parse(&key).unwrap(),
                credited_at: at.unwrap_or(DateTime::UNIX_EPOCH.naive_utc()),
                payer,
                concept,
                centavos,
                seal,
            },
        )
    }

    proptest! {
        #[test]
        fn a_finding_comes_back(
            day in 0..30_000_i32,
            payment in proptest::option::of(payments()),
            candidates in proptest::collection::vec(candidates(), 0..4),
        ) {
            let on = NaiveDate::from_epoch_days(day).unwrap();
            let payment = payment.filter(|_| candidates.is_empty());
            let finding = Finding { on, payment, candidates: candidates.into() };
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
