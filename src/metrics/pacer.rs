//! Metrics of turns at the bank.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::{BackOff, BankBudget, Lane, LookupClass, Throttled};
use ports::outbound::{AcquireError, Clock, Pacer, PacerError, PacerState};
use strum::IntoStaticStr;

use super::{LazyHistogram, Metrics, names};

/// Pacer whose turns are measured. A caller that stops waiting isn't counted.
pub(crate) struct MeteredPacer {
    pacer: Arc<dyn Pacer>,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    waits: [LazyHistogram; LookupClass::ALL.len()],
}

/// Result of asking for a turn.
#[derive(Clone, Copy, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum TurnResult {
    Granted,
    BudgetUsedUp,
    BackingOff,
    QueueFull,
    Failed,
}

impl TurnResult {
    const fn of(turn: &Result<(), AcquireError>) -> Self {
        match turn {
            Ok(()) => Self::Granted,
            Err(AcquireError::Refused(Throttled::BudgetUsedUp { .. })) => Self::BudgetUsedUp,
            Err(AcquireError::Refused(Throttled::BackingOff { .. })) => Self::BackingOff,
            Err(AcquireError::Refused(Throttled::QueueFull { .. })) => Self::QueueFull,
            Err(AcquireError::Failed(_)) => Self::Failed,
        }
    }
}

impl MeteredPacer {
    /// Measures the turns of a pacer.
    pub(crate) fn new(
        metrics: &Arc<Metrics>,
        pacer: Arc<dyn Pacer>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let wait = |class: LookupClass| {
            metrics.histogram(&names::BANK_TURN_WAIT, &[("class", class.name())])
        };
        Self {
            pacer,
            clock,
            metrics: Arc::clone(metrics),
            waits: LookupClass::ALL.map(wait),
        }
    }
}

#[async_trait]
impl Pacer for MeteredPacer {
    async fn acquire(&self, lane: Lane, patience: Duration) -> Result<(), AcquireError> {
        let started = self.clock.monotonic();
        let turn = self.pacer.acquire(lane, patience).await;
        let result = TurnResult::of(&turn).into();
        let labels = [("class", lane.class.name()), ("result", result)];
        self.metrics
            .counter(&names::BANK_TURNS, &labels)
            .increment(1);
        if turn.is_ok() {
            let waited = self.clock.monotonic().saturating_sub(started);
            self.waits[lane.class as usize].record(waited);
        }
        turn
    }

    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError> {
        self.pacer.record_throttled(under_way).await
    }

    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError> {
        self.pacer.record_success(under_way).await
    }

    async fn merge(&self, state: &PacerState) -> Result<(), PacerError> {
        self.pacer.merge(state).await
    }

    async fn budget(&self) -> Result<BankBudget, PacerError> {
        self.pacer.budget().await
    }
}
