//! Health of the gateway's components.

use std::sync::Arc;

use async_trait::async_trait;
use domain::key::KeyId;
use ports::Cause;
use ports::inbound::{Component, ComponentState, Health};
use ports::outbound::{Limiter, UsageJournal};
use uuid::Uuid;

use crate::limits::{ChangeFeed, FallbackLimiter, LimiterMode};

/// Calls the limiter, which is one cheap reading, and reads the recorded health of the store and of
/// the journal. So frequent checks don't load the store, and are answered while it is silent.
///
/// The gateway serves as long as the journal may write what is admitted now and the limiter answers:
/// keys that were seen before need nothing else of the store. While the shared limiter is down the
/// store decides in its place, and the journal's health shows whether it can: the journal has a
/// connection of its own, so a store that is merely busy fails no check.
pub struct HealthService {
    store: Arc<ChangeFeed>,
    journal: Arc<dyn UsageJournal>,
    limiter: Arc<dyn Limiter>,
    fallback: Option<Arc<FallbackLimiter>>,
}

impl HealthService {
    /// The health of a gateway over these.
    pub fn new(
        store: Arc<ChangeFeed>,
        journal: Arc<dyn UsageJournal>,
        limiter: Arc<dyn Limiter>,
    ) -> Self {
        Self {
            store,
            journal,
            limiter,
            fallback: None,
        }
    }

    /// The health of a gateway whose limiter falls back to a degraded mode while the shared one is
    /// down.
    pub fn with_fallback(
        store: Arc<ChangeFeed>,
        journal: Arc<dyn UsageJournal>,
        limiter: Arc<FallbackLimiter>,
    ) -> Self {
        Self {
            store,
            journal,
            limiter: limiter.clone(),
            fallback: Some(limiter),
        }
    }

    fn store(&self) -> (ComponentState, Option<Cause>) {
        state(self.store.trouble(), ComponentState::Degraded)
    }

    fn journal(&self) -> (ComponentState, Option<Cause>) {
        match self.journal.accepts() {
            Ok(()) => state(self.journal.trouble(), ComponentState::Degraded),
            Err(error) => state(Some(Arc::new(error)), ComponentState::Failed),
        }
    }

    async fn limiter(&self) -> (ComponentState, Option<Cause>) {
        let Some(fallback) = &self.fallback else {
            // No key has this id: it counts that the limiter answers.
            let answer = self.limiter.peek(KeyId(Uuid::nil())).await;
            let failure = answer.err().map(|error| Arc::new(error) as Cause);
            return state(failure, ComponentState::Failed);
        };
        match (fallback.probe().await, self.journal.accepts()) {
            (LimiterMode::Shared, _) => (ComponentState::Up, None),
            (LimiterMode::Degraded, Ok(())) => (ComponentState::Degraded, None),
            (LimiterMode::Degraded, Err(error)) => {
                state(Some(Arc::new(error)), ComponentState::Failed)
            }
        }
    }
}

/// Up without a cause, otherwise `unhealthy`.
fn state(cause: Option<Cause>, unhealthy: ComponentState) -> (ComponentState, Option<Cause>) {
    match cause {
        None => (ComponentState::Up, None),
        cause => (unhealthy, cause),
    }
}

#[async_trait]
impl Health for HealthService {
    async fn components(&self) -> Vec<Component> {
        let components = [
            ("store", self.store()),
            ("journal", self.journal()),
            ("limiter", self.limiter().await),
        ];
        let components = components.into_iter().map(|(name, (state, cause))| {
            if let Some(cause) = cause {
                tracing::warn!(component = name, ?state, %cause, "component unhealthy");
            }
            Component { name, state }
        });
        components.collect()
    }
}
