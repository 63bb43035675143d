//! Health of the gateway's components.

use std::sync::Arc;
use std::time::Duration;

use domain::erasure::ErasureClock;
use domain::keys::{CountedKey, KeyId};
use futures::lock::Mutex;
use ports::Cause;
use ports::outbound::{Clock, Limiter, UsageJournal};
use uuid::Uuid;

use crate::limits::{ChangeFeed, FallbackLimiter, LimiterMode};

/// Maximum age of a cached result.
const MAX_AGE: Duration = Duration::from_secs(1);

/// A component with its state, and the cause if it isn't up.
type Found = (Component, Option<Cause>);

/// Health of store, journal and limiter. Calls the limiter, with one cheap read, and uses the recorded health
/// of store and journal. So checks put no load on the store, and are answered even if it hangs. Components
/// are examined at most once a second, for any number of callers.
///
/// The gateway is ready as long as the journal can write new admissions and the limiter answers: keys that
/// were used before need nothing else of the store. During an outage of the shared limiter the store replaces
/// it, and the journal's health shows if it can: the journal has its own connection, so a busy store fails no
/// check.
pub struct HealthService {
    store: Arc<ChangeFeed>,
    journal: Arc<dyn UsageJournal>,
    limiter: Arc<dyn Limiter>,
    fallback: Option<Arc<FallbackLimiter>>,
    clock: Arc<dyn Clock>,
    erasure: Option<ErasureClock>,
    /// Locked while components are examined, so that of many callers one examines.
    examined: Mutex<Option<Examined>>,
}

/// Result of an examination, with its monotonic time.
struct Examined {
    at: Duration,
    components: Vec<Component>,
}

impl HealthService {
    /// Creates the service for a limiter without a fallback.
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
            erasure: None,
            examined: Mutex::default(),
        }
    }

    /// Creates the service for a limiter that falls back to a degraded mode during outages of the shared one.
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

    /// The same, with the clock among its components: it is degraded while erasure doesn't follow it.
    #[must_use]
    pub fn with_erasure(mut self, erasure: ErasureClock) -> Self {
        self.erasure = Some(erasure);
        self
    }

    async fn examine(&self) -> Vec<Found> {
        let components = [
            ("store", self.store()),
            ("journal", self.journal()),
            ("limiter", self.limiter().await),
        ];
        let clock = self.erasure.map(|erasure| ("clock", self.clock(erasure)));
        let components = components.into_iter().chain(clock);
        let found = components.map(|(name, (state, cause))| (Component { name, state }, cause));
        found.collect()
    }

    fn clock(&self, erasure: ErasureClock) -> (ComponentState, Option<Cause>) {
        let now = self.clock.now();
        let is_ahead = erasure.time(now, self.clock.monotonic()) < now;
        let cause = is_ahead.then(|| Arc::new(ClockAhead) as Cause);
        state(cause, ComponentState::Degraded)
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
            // No key has this id; only the limiter's ability to answer matters.
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

/// A clock that erasure is held back from.
#[derive(Debug, thiserror::Error)]
#[error("the clock is more than a day ahead of what the database knows")]
struct ClockAhead;

/// Up without a cause, otherwise `unhealthy`.
fn state(cause: Option<Cause>, unhealthy: ComponentState) -> (ComponentState, Option<Cause>) {
    match cause {
        None => (ComponentState::Up, None),
        cause => (unhealthy, cause),
    }
}

impl HealthService {
    /// State of each component, at most a second old; the gateway is ready unless one has failed.
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

/// Logs components whose state has changed. Before the first examination, all count as up.
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
    /// Name for operators: `store`, `journal` or `limiter`.
    pub name: &'static str,
    /// State at the last examination.
    pub state: ComponentState,
}

/// The state of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentState {
    /// The component works.
    Up,
    /// The component fails, but the gateway serves with restrictions.
    Degraded,
    /// The component fails, and the gateway can't serve.
    Failed,
}
