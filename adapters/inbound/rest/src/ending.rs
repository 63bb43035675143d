//! How proof requests end, in the words of logs and metrics.

use std::time::Duration;

use domain::outcome::{Endpoint, Outcome};

/// How a proof request ended. Its names are a closed set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The key was good; this became of the request.
    Settled(Outcome),
    /// The key was missing, malformed, unknown, wrong or revoked.
    InvalidApiKey,
    /// The key or its limits couldn't be read.
    Unavailable,
}

impl Ending {
    /// All endings.
    pub fn all() -> impl Iterator<Item = Self> {
        let settled = Outcome::ALL.into_iter().map(Self::Settled);
        settled.chain([Self::InvalidApiKey, Self::Unavailable])
    }

    /// The word that is logged and counted.
    pub fn name(self) -> &'static str {
        match self {
            Self::Settled(outcome) => outcome.name(),
            Self::InvalidApiKey => "invalid_api_key",
            Self::Unavailable => "unavailable",
        }
    }
}

/// Hears what became of every proof request, for whoever counts them.
pub trait ProofMetricsSink: Send + Sync {
    /// A proof request ended, so long after its head was there.
    fn ended(&self, endpoint: Endpoint, ending: Ending, duration: Duration);
}

/// Nobody listens.
impl ProofMetricsSink for () {
    fn ended(&self, _endpoint: Endpoint, _ending: Ending, _duration: Duration) {}
}
