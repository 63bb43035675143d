//! Metrics of queries to the bank.

use std::sync::Arc;

use async_trait::async_trait;
use domain::keys::Environment;
use domain::pacing::BankBudget;
use ports::outbound::{Bank, BankAnswer, BankError, Clock, Lookup};
use strum::{EnumCount, IntoStaticStr, VariantArray};

use super::{LazyHistogram, Metrics, names};

/// Bank whose queries are measured. A query that every caller gave up isn't counted.
pub(crate) struct MeteredBank {
    bank: Arc<dyn Bank>,
    clock: Arc<dyn Clock>,
    durations: [LazyHistogram; Outcome::COUNT],
}

#[derive(Clone, Copy, EnumCount, IntoStaticStr, PartialEq, Eq, VariantArray)]
#[strum(serialize_all = "snake_case")]
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
}

impl MeteredBank {
    /// Measures the bank that keys of this environment query.
    pub(crate) fn new(
        metrics: &Arc<Metrics>,
        bank: Arc<dyn Bank>,
        side: Environment,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let durations = std::array::from_fn(|place| {
            let outcome = Outcome::VARIANTS[place];
            let labels = [("side", side.name()), ("outcome", outcome.into())];
            let duration = metrics.histogram(&names::BANK_LOOKUP_DURATION, &labels);
            // Exposed from the start: an alert looks for its increase.
            if side == Environment::Live && outcome == Outcome::ProtocolError {
                duration.expose();
            }
            duration
        });
        Self {
            bank,
            clock,
            durations,
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
