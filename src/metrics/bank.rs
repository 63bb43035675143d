//! A bank whose lookups are measured.

use std::sync::Arc;

use async_trait::async_trait;
use domain::key::Environment;
use domain::pacing::BankBudget;
use metrics::Histogram;
use ports::outbound::{Bank, BankAnswer, BankError, Clock, Lookup};

use super::{Metrics, names};

/// Measures the lookups of a bank. One that is given up by everybody who waits for it isn't counted.
pub(crate) struct MeteredBank {
    bank: Arc<dyn Bank>,
    clock: Arc<dyn Clock>,
    durations: [Histogram; Outcome::ALL.len()],
}

/// How a lookup ended.
#[derive(Clone, Copy)]
enum Outcome {
    Issued,
    NotIssued,
    NotFound,
    ProtocolError,
    Unavailable,
    Throttled,
    Timeout,
}

impl Outcome {
    /// In the order in which they are declared: their numbers are places.
    const ALL: [Self; 7] = [
        Self::Issued,
        Self::NotIssued,
        Self::NotFound,
        Self::ProtocolError,
        Self::Unavailable,
        Self::Throttled,
        Self::Timeout,
    ];

    fn of(answer: &Result<BankAnswer, BankError>) -> Self {
        match answer {
            Ok(BankAnswer::Issued(_)) => Self::Issued,
            Ok(BankAnswer::NotIssued(_)) => Self::NotIssued,
            Ok(BankAnswer::NotFound) => Self::NotFound,
            Err(BankError::Protocol { .. }) => Self::ProtocolError,
            Err(BankError::Unavailable { .. }) => Self::Unavailable,
            Err(BankError::Throttled { .. }) => Self::Throttled,
            Err(BankError::Timeout) => Self::Timeout,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Issued => "issued",
            Self::NotIssued => "not_issued",
            Self::NotFound => "not_found",
            Self::ProtocolError => "protocol_error",
            Self::Unavailable => "unavailable",
            Self::Throttled => "throttled",
            Self::Timeout => "timeout",
        }
    }
}

impl MeteredBank {
    /// The bank that keys of this environment ask.
    pub(crate) fn new(
        metrics: &Metrics,
        bank: Arc<dyn Bank>,
        side: Environment,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let duration = |outcome: Outcome| {
            let labels = [("side", side.name()), ("outcome", outcome.name())];
            metrics.histogram(&names::BANK_LOOKUP_DURATION, &labels)
        };
        Self {
            bank,
            clock,
            durations: Outcome::ALL.map(duration),
        }
    }
}

#[async_trait]
impl Bank for MeteredBank {
    async fn fetch(&self, lookup: &Lookup) -> Result<BankAnswer, BankError> {
        let started = self.clock.monotonic();
        let answer = self.bank.fetch(lookup).await;
        let duration = self.clock.monotonic().saturating_sub(started);
        self.durations[Outcome::of(&answer) as usize].record(duration);
        answer
    }

    async fn budget(&self) -> Option<BankBudget> {
        self.bank.budget().await
    }
}
