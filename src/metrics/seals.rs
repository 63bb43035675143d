//! Metrics of seals.

use std::sync::Arc;

use async_trait::async_trait;
use domain::keys::Environment;
use domain::proofs::Proof;
use domain::seals::{CheckedSeal, Verdict};
use metrics::Counter;
use ports::outbound::SealChecks;

use super::{Metrics, names};

/// Checks of seals that count their verdicts.
pub(crate) struct MeteredSeals {
    metrics: Arc<Metrics>,
    checks: Arc<dyn SealChecks>,
}

impl MeteredSeals {
    /// Counts the verdicts of these checks.
    pub(crate) fn new(metrics: &Arc<Metrics>, checks: Arc<dyn SealChecks>) -> Self {
        // Exposed from the start: an alert looks for its increase.
        counted(metrics, Environment::Live, Verdict::Invalid).absolute(0);
        Self {
            metrics: Arc::clone(metrics),
            checks,
        }
    }
}

fn counted(metrics: &Metrics, side: Environment, verdict: Verdict) -> Counter {
    let labels = [("side", side.name()), ("verdict", verdict.name())];
    metrics.counter(&names::SEALS, &labels)
}

#[async_trait]
impl SealChecks for MeteredSeals {
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        let checked = self.checks.check(environment, proof);
        counted(&self.metrics, environment, checked.verdict).increment(1);
        checked
    }

    async fn record(&self, environment: Environment, proof: &Proof, checked: &CheckedSeal) {
        self.checks.record(environment, proof, checked).await;
    }
}
