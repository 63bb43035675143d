//! Outcomes of proof requests in logs and metrics.

use std::time::Duration;

use application::{AdmissionError, Charge, RepeatError, Served};
use domain::outcome::{Endpoint, Outcome};

/// The outcome of a proof request, from a closed set of names, as metric labels must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The key was valid, and the request ended with this outcome.
    Settled(Outcome),
    /// The key was valid, and the lookup was stored; its outcome is counted when it ends.
    Accepted,
    /// The key was missing, malformed, unknown, incorrect or revoked.
    InvalidApiKey,
    /// The session, or the key that it names, wasn't accepted; or there was neither a session nor a key.
    SessionRefused,
    /// The key wasn't checked, because too many invalid keys were tried.
    KeyUnchecked,
    /// The store or the limiter failed while the key was checked.
    Unavailable,
    /// The key was valid, and the response of the first request was returned again.
    Repeated,
    /// The key was valid, and the idempotency key had been used for another request.
    IdempotencyKeyReused,
    /// The key was valid, and the first request with the idempotency key was still running.
    IdempotencyKeyInProgress,
    /// The key was valid, and exceeded the rate of repeated requests.
    TooManyRepeats,
}

impl Ending {
    pub fn all() -> impl Iterator<Item = Self> {
        let settled = Outcome::ALL.into_iter().map(Self::Settled);
        settled.chain([
            Self::Accepted,
            Self::InvalidApiKey,
            Self::SessionRefused,
            Self::KeyUnchecked,
            Self::Unavailable,
            Self::Repeated,
            Self::IdempotencyKeyReused,
            Self::IdempotencyKeyInProgress,
            Self::TooManyRepeats,
        ])
    }

    pub(crate) fn of<A, E>(served: &Served<A, E>) -> Self {
        match served {
            Served::Refused(error) => match error {
                AdmissionError::InvalidKey => Self::InvalidApiKey,
                AdmissionError::NoSuchKey => Self::SessionRefused,
                AdmissionError::KeyUnchecked { .. } => Self::KeyUnchecked,
                AdmissionError::RateLimited { .. } => Self::Settled(Outcome::RateLimited),
                AdmissionError::QuotaExceeded { .. } => Self::Settled(Outcome::QuotaExceeded),
                AdmissionError::Unavailable { .. } => Self::Unavailable,
            },
            Served::Answered(answered) => match answered.charge {
                Charge::Settled(outcome) => Self::Settled(outcome),
                Charge::Open => Self::Accepted,
                Charge::Repeated => Self::Repeated,
            },
            Served::NotRepeated(not_repeated) => match not_repeated.error {
                RepeatError::KeyReused => Self::IdempotencyKeyReused,
                RepeatError::InProgress { .. } => Self::IdempotencyKeyInProgress,
                RepeatError::TooManyRepeats { .. } => Self::TooManyRepeats,
            },
        }
    }

    /// The label in logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Settled(outcome) => outcome.name(),
            Self::Accepted => "accepted",
            Self::InvalidApiKey => "invalid_api_key",
            Self::SessionRefused => "session_refused",
            Self::KeyUnchecked => "key_unchecked",
            Self::Unavailable => "unavailable",
            Self::Repeated => "repeated",
            Self::IdempotencyKeyReused => "idempotency_key_reused",
            Self::IdempotencyKeyInProgress => "idempotency_key_in_progress",
            Self::TooManyRepeats => "too_many_repeats",
        }
    }
}

/// Receiver of the metrics of proof requests.
pub trait ProofMetricsSink: Send + Sync {
    /// Records the end of a proof request, `duration` after its headers arrived.
    fn ended(&self, endpoint: Endpoint, ending: Ending, duration: Duration);
}

/// Discards all metrics.
impl ProofMetricsSink for () {
    fn ended(&self, _endpoint: Endpoint, _ending: Ending, _duration: Duration) {}
}
