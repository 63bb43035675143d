//! Whether we can serve.

use std::sync::Arc;

use async_trait::async_trait;
use domain::key::KeyId;
use ports::inbound::{Component, ComponentState, Health};
use ports::outbound::{KeyStore, Limiter, UsageJournal};
use uuid::Uuid;

use crate::degrading::{DegradingLimiter, LimiterMode};

/// Looks at the store and at the limiter, which is one cheap reading each, and at how the journal's
/// last write ended.
pub struct HealthService {
    keys: Arc<dyn KeyStore>,
    journal: Arc<dyn UsageJournal>,
    limiter: Arc<dyn Limiter>,
    degrading: Option<Arc<DegradingLimiter>>,
}

impl HealthService {
    /// The health of a service that stands on these.
    pub fn new(
        keys: Arc<dyn KeyStore>,
        journal: Arc<dyn UsageJournal>,
        limiter: Arc<dyn Limiter>,
    ) -> Self {
        Self {
            keys,
            journal,
            limiter,
            degrading: None,
        }
    }

    /// The health of a service whose limiter goes on in a degraded mode while the shared one is
    /// down.
    pub fn degrading(
        keys: Arc<dyn KeyStore>,
        journal: Arc<dyn UsageJournal>,
        limiter: Arc<DegradingLimiter>,
    ) -> Self {
        Self {
            keys,
            journal,
            limiter: limiter.clone(),
            degrading: Some(limiter),
        }
    }

    fn is_degraded(&self) -> bool {
        let mode = self.degrading.as_ref().map(|limiter| limiter.mode());
        mode == Some(LimiterMode::Degraded)
    }
}

#[async_trait]
impl Health for HealthService {
    async fn components(&self) -> Vec<Component> {
        let store = self
            .keys
            .newest_change()
            .await
            .map(|_| ())
            .map_err(|error| error.to_string());
        // A write that waits for the disk would tell no sooner; the last one tells at once.
        let trouble = self.journal.trouble();
        let journal = trouble.map_or(Ok(()), |cause| Err(cause.to_string()));
        let component = |name, result: Result<(), String>| {
            let state = match result {
                Ok(()) => ComponentState::Up,
                Err(error) => {
                    tracing::warn!(component = name, error, "not ready");
                    ComponentState::Failed
                }
            };
            Component { name, state }
        };
        // No key has this id; whether the limiter answers is what counts.
        let limiter = self.limiter.peek(KeyId(Uuid::nil())).await;
        let limiter = limiter.map(|_| ()).map_err(|error| error.to_string());
        let mut limiter = component("limiter", limiter);
        if limiter.state == ComponentState::Up && self.is_degraded() {
            limiter.state = ComponentState::Degraded;
        }
        vec![
            component("store", store),
            component("journal", journal),
            limiter,
        ]
    }
}
