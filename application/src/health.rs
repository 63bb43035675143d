//! Health of the gateway's components.

use std::sync::Arc;
use std::time::Duration;

use domain::key::{CountedKey, KeyId};
use futures::lock::Mutex;
use ports::Cause;
use ports::outbound::{Clock, Limiter, UsageJournal};
use uuid::Uuid;

use crate::limits::{ChangeFeed, FallbackLimiter, LimiterMode};

/// Age at which a finding isn't reported any more.
const MAX_AGE: Duration = Duration::from_secs(1);

/// A component, and why it is unhealthy.
type Found = (Component, Option<Cause>);

/// Calls the limiter, which is one cheap reading, and reads the recorded health of the store and of
/// the journal. So checks don't load the store, and are answered while it is silent. However many ask,
/// components are examined once a second.
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
    clock: Arc<dyn Clock>,
    /// Locked while components are examined, so that of many callers one examines.
    examined: Mutex<Option<Examined>>,
}

/// Components as they were found.
struct Examined {
    at: Duration,
    components: Vec<Component>,
}

impl HealthService {
    /// The health of a gateway over these.
    pub fn new(
        store: Arc<ChangeFeed>,
        journal: Arc<dyn UsageJournal>,
        limiter: Arc<dyn Limiter>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            journal,
            limiter,
            fallback: None,
            clock,
            examined: Mutex::default(),
        }
    }

    /// The health of a gateway whose limiter falls back to a degraded mode while the shared one is
    /// down.
    pub fn with_fallback(
        store: Arc<ChangeFeed>,
        journal: Arc<dyn UsageJournal>,
        limiter: Arc<FallbackLimiter>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            fallback: Some(limiter.clone()),
            ..Self::new(store, journal, limiter, clock)
        }
    }

    async fn examine(&self) -> [Found; 3] {
        let components = [
            ("store", self.store()),
            ("journal", self.journal()),
            ("limiter", self.limiter().await),
        ];
        components.map(|(name, (state, cause))| (Component { name, state }, cause))
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
            let nobodys = CountedKey::first(KeyId(Uuid::nil()));
            let answer = self.limiter.peek(nobodys).await;
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

impl HealthService {
    /// The state of each component, as it was at most a second ago; the gateway is ready when none has
    /// failed.
    pub async fn components(&self) -> Vec<Component> {
        let mut examined = self.examined.lock().await;
        let now = self.clock.monotonic();
        if let Some(recent) = &*examined
            && now.saturating_sub(recent.at) < MAX_AGE
        {
            return recent.components.clone();
        }
        let found = self.examine().await;
        let before = examined.as_ref().map(|examined| &examined.components[..]);
        log_changes(before.unwrap_or_default(), &found);
        let components: Vec<_> = found.into_iter().map(|(component, _)| component).collect();
        *examined = Some(Examined {
            at: now,
            components: components.clone(),
        });
        components
    }
}

/// Logs components that are in another state than before. At first all are expected to be up.
fn log_changes(before: &[Component], found: &[Found]) {
    for (Component { name, state }, cause) in found {
        let before = before.iter().find(|before| before.name == *name);
        let before = before.map_or(ComponentState::Up, |before| before.state);
        match cause {
            _ if before == *state => {}
            Some(cause) => {
                tracing::warn!(component = name, ?state, %cause, "component unhealthy");
            }
            None => tracing::info!(component = name, ?state, "component healthy again"),
        }
    }
}

/// A component that the gateway depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name, for operators.
    pub name: &'static str,
    /// Its state.
    pub state: ComponentState,
}

/// The state of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentState {
    /// It works.
    Up,
    /// The gateway serves without it, with restrictions.
    Degraded,
    /// It doesn't work, and the gateway can't serve without it.
    Failed,
}
