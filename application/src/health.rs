//! Whether we can serve.

use std::sync::Arc;

use async_trait::async_trait;
use domain::key::KeyId;
use ports::Cause;
use ports::inbound::{Component, ComponentState, Health};
use ports::outbound::{Limiter, UsageJournal};
use uuid::Uuid;

use crate::KeyWatch;
use crate::degrading::{FallbackLimiter, LimiterMode};

/// Looks at the limiter, which is one cheap reading, and at what is known of the store and of the
/// journal. So whoever asks often asks the store of nothing, and is answered while it is silent.
///
/// We serve as long as the journal may write what is admitted now and the limiter answers: keys that
/// were seen before need nothing else of the store. While the shared limiter is down the store
/// decides in its place, and what the journal knows of it says whether it can: the journal has a
/// connection of its own, so a store that is merely busy sends nobody elsewhere.
pub struct HealthService {
    store: Arc<KeyWatch>,
    journal: Arc<dyn UsageJournal>,
    limiter: Arc<dyn Limiter>,
    degrading: Option<Arc<FallbackLimiter>>,
}

impl HealthService {
    /// The health of a service that stands on these.
    pub fn new(
        store: Arc<KeyWatch>,
        journal: Arc<dyn UsageJournal>,
        limiter: Arc<dyn Limiter>,
    ) -> Self {
        Self {
            store,
            journal,
            limiter,
            degrading: None,
        }
    }

    /// The health of a service whose limiter goes on in a degraded mode while the shared one is
    /// down.
    pub fn degrading(
        store: Arc<KeyWatch>,
        journal: Arc<dyn UsageJournal>,
        limiter: Arc<FallbackLimiter>,
    ) -> Self {
        Self {
            store,
            journal,
            limiter: limiter.clone(),
            degrading: Some(limiter),
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
        let Some(degrading) = &self.degrading else {
            // No key has this id; whether the limiter answers is what counts.
            let answer = self.limiter.peek(KeyId(Uuid::nil())).await;
            let failure = answer.err().map(|error| Arc::new(error) as Cause);
            return state(failure, ComponentState::Failed);
        };
        match (degrading.probe().await, self.journal.accepts()) {
            (LimiterMode::Shared, _) => (ComponentState::Up, None),
            (LimiterMode::Degraded, Ok(())) => (ComponentState::Degraded, None),
            (LimiterMode::Degraded, Err(error)) => {
                state(Some(Arc::new(error)), ComponentState::Failed)
            }
        }
    }
}

/// Up, unless something is the matter.
fn state(matter: Option<Cause>, otherwise: ComponentState) -> (ComponentState, Option<Cause>) {
    match matter {
        None => (ComponentState::Up, None),
        matter => (otherwise, matter),
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
                tracing::warn!(component = name, ?state, %cause, "not as it should be");
            }
            Component { name, state }
        });
        components.collect()
    }
}
