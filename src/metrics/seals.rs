//! Metrics of seals.

use std::sync::Arc;

use async_trait::async_trait;
use domain::key::Environment;
use domain::proof::Proof;
use domain::seal::CheckedSeal;
use ports::outbound::SealChecks;

use super::{Metrics, names};

/// Checks of seals whose verdicts are counted.
pub(crate) struct MeteredSeals {
    metrics: Arc<Metrics>,
    checks: Arc<dyn SealChecks>,
}

impl MeteredSeals {
    /// Counts the verdicts of these checks.
    pub(crate) fn new(metrics: &Arc<Metrics>, checks: Arc<dyn SealChecks>) -> Self {
        Self {
            metrics: Arc::clone(metrics),
            checks,
        }
    }
}

#[async_trait]
impl SealChecks for MeteredSeals {
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        let checked = self.checks.check(environment, proof);
        let labels = [
            ("side", environment.name()),
            ("verdict", checked.verdict.name()),
        ];
        self.metrics.counter(&names::SEALS, &labels).increment(1);
        checked
    }

    async fn record(&self, environment: Environment, proof: &Proof, checked: &CheckedSeal) {
        self.checks.record(environment, proof, checked).await;
    }
}
