//! Endings of proof requests, as logs and metrics name them.

use std::time::Duration;

use application::{AdmissionError, Charge, RepeatError, Served};
use domain::outcome::{Endpoint, Outcome};

/// The ending of a proof request. Its names are a closed set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The key was good, and the request ended so.
    Settled(Outcome),
    /// The key was good, and the lookup is stored: its end is counted later.
    Accepted,
    /// The key was missing, malformed, unknown, wrong or revoked.
    InvalidApiKey,
    /// The key couldn't be looked up, because somebody guesses keys.
    KeyUnchecked,
    /// The key or its limits couldn't be read.
    Unavailable,
    /// The key was good, and the first answer was given again.
    Repeated,
    /// The key was good, and its idempotency key was used for another request.
    IdempotencyKeyReused,
    /// The key was good, and the first request with its idempotency key is still running.
    IdempotencyKeyInProgress,
    /// The key was good, and repeated too many requests.
    TooManyRepeats,
}

impl Ending {
    /// All endings.
    pub fn all() -> impl Iterator<Item = Self> {
        let settled = Outcome::ALL.into_iter().map(Self::Settled);
        settled.chain([
            Self::Accepted,
            Self::InvalidApiKey,
            Self::KeyUnchecked,
            Self::Unavailable,
            Self::Repeated,
            Self::IdempotencyKeyReused,
            Self::IdempotencyKeyInProgress,
            Self::TooManyRepeats,
        ])
    }

    /// The ending of a served request.
    pub(crate) fn of<A, E>(served: &Served<A, E>) -> Self {
        match served {
            Served::Refused(error) => match error {
                AdmissionError::InvalidKey => Self::InvalidApiKey,
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

    /// The name in logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Settled(outcome) => outcome.name(),
            Self::Accepted => "accepted",
            Self::InvalidApiKey => "invalid_api_key",
            Self::KeyUnchecked => "key_unchecked",
            Self::Unavailable => "unavailable",
            Self::Repeated => "repeated",
            Self::IdempotencyKeyReused => "idempotency_key_reused",
            Self::IdempotencyKeyInProgress => "idempotency_key_in_progress",
            Self::TooManyRepeats => "too_many_repeats",
        }
    }
}

/// Metrics of proof requests.
pub trait ProofMetricsSink: Send + Sync {
    /// Records the end of a proof request, `duration` after its head had arrived.
    fn ended(&self, endpoint: Endpoint, ending: Ending, duration: Duration);
}

/// Discards them.
impl ProofMetricsSink for () {
    fn ended(&self, _endpoint: Endpoint, _ending: Ending, _duration: Duration) {}
}
