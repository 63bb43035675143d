//! Cache of one document of the provider: stale-while-revalidate and stale-if-error (RFC 5861), one
//! fetch in flight, a cool-down between the refreshes that callers ask for.

use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use ports::outbound::Clock;

use crate::error::ProviderError;

/// Maximum age of a document that is used because no newer one can be fetched.
const STALE_IF_ERROR: Duration = Duration::from_hours(24);
/// Shortest time between two refreshes requested because a document lacks something, and between
/// two attempts while the provider is down and the cached document is still usable.
const COOL_DOWN: Duration = Duration::from_secs(10);
/// Shortest time between two attempts while no document is usable: people wait to sign in.
const RETRY_WITHOUT_DOCUMENT: Duration = Duration::from_secs(1);

/// Origin of a cached document.
pub(crate) trait Source: Send + Sync + 'static {
    /// The document, parsed and checked.
    type Document: Send + Sync + 'static;

    /// Name of the document in errors and logs.
    const NAME: &'static str;

    /// Age up to which the document is fresh. Up to twice this it is used while it is fetched anew;
    /// afterwards callers wait for the fetch, unless the last one failed.
    const MAX_AGE: Duration;

    /// Fetches the document. MUST end by itself: callers wait without a timeout of their own.
    fn fetch(&self) -> impl Future<Output = Result<Self::Document, ProviderError>> + Send;
}

/// How a caller treats the cool-down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoolDown {
    /// Uses the cached document during the cool-down.
    Respect,
    /// Waits until the cool-down is over, then refreshes.
    WaitOut,
}

/// Number of fetches that have begun. Orders events that may have the same clock reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FetchCount(u64);

/// Fetch in a separate task: a caller that disconnects doesn't end it, and so can't cause another.
type InFlight = Shared<BoxFuture<'static, ()>>;

pub(crate) struct Cache<S: Source> {
    source: S,
    clock: Arc<dyn Clock>,
    state: Mutex<State<S::Document>>,
}

struct State<T> {
    current: Option<Cached<T>>,
    /// Error of the last fetch; `None` when it succeeded.
    error: Option<Arc<ProviderError>>,
    in_flight: Option<InFlight>,
    fetches: FetchCount,
    last_fetch_at: Option<Duration>,
    cool_down_until: Duration,
}

struct Cached<T> {
    document: Arc<T>,
    /// Start of its fetch; earlier changes at the provider are in the document.
    requested_at: Duration,
}

/// Next step of a caller that needs a newer document.
enum Step {
    Join(InFlight),
    Sleep(Duration),
}

impl<S: Source> Cache<S> {
    pub(crate) fn new(source: S, clock: Arc<dyn Clock>) -> Arc<Self> {
        let state = State {
            current: None,
            error: None,
            in_flight: None,
            fetches: FetchCount::default(),
            last_fetch_at: None,
            cool_down_until: Duration::ZERO,
        };
        Arc::new(Self {
            source,
            clock,
            state: Mutex::new(state),
        })
    }

    /// Returns the document, fetched first when it is missing or too old.
    ///
    /// # Errors
    /// Error of the last fetch, when no document is younger than [`STALE_IF_ERROR`].
    pub(crate) async fn get(self: &Arc<Self>) -> Result<Arc<S::Document>, Arc<ProviderError>> {
        let in_flight = {
            let mut state = self.state();
            let now = self.clock.monotonic();
            if let Some(document) = state.younger_than(S::MAX_AGE, now) {
                return Ok(document);
            }
            let in_flight = self.revalidate(&mut state, now);
            let usable_age = match state.error {
                Some(_) => STALE_IF_ERROR,
                None => 2 * S::MAX_AGE,
            };
            if let Some(document) = state.younger_than(usable_age, now) {
                return Ok(document);
            }
            in_flight
        };
        if let Some(fetch) = in_flight {
            fetch.await;
        }
        let state = self.state();
        let document = state.younger_than(STALE_IF_ERROR, self.clock.monotonic());
        document.ok_or_else(|| state.last_error())
    }

    /// Returns a document other than `seen`, which lacks something that a caller needs; `seen` itself
    /// when its fetch began after the first `since`, or when the cool-down forbids another.
    ///
    /// # Errors
    /// Error of the last fetch: the provider may have what `seen` lacks.
    pub(crate) async fn newer_than(
        self: &Arc<Self>,
        seen: &Arc<S::Document>,
        since: FetchCount,
        cool_down: CoolDown,
    ) -> Result<Arc<S::Document>, Arc<ProviderError>> {
        let mut has_waited = false;
        loop {
            let step = {
                let mut state = self.state();
                let now = self.clock.monotonic();
                let remaining = state.cool_down_until.saturating_sub(now);
                match (&state.current, &state.in_flight) {
                    (Some(current), _) if !Arc::ptr_eq(&current.document, seen) => {
                        return Ok(Arc::clone(&current.document));
                    }
                    (_, Some(fetch)) => Step::Join(fetch.clone()),
                    (_, None) if state.fetches > since => return state.latest(),
                    // The clock isn't read again after the wait, as it may not have advanced.
                    (_, None) if remaining.is_zero() || has_waited => {
                        state.cool_down_until = now + COOL_DOWN;
                        Step::Join(self.start(&mut state, now))
                    }
                    (_, None) if cool_down == CoolDown::Respect => return state.latest(),
                    (_, None) => Step::Sleep(remaining),
                }
            };
            match step {
                Step::Join(fetch) => fetch.await,
                Step::Sleep(remaining) => {
                    tokio::time::sleep(remaining).await;
                    has_waited = true;
                }
            }
        }
    }

    /// Returns the number of fetches so far, for [`Cache::newer_than`].
    pub(crate) fn fetches(&self) -> FetchCount {
        self.state().fetches
    }

    /// Joins the fetch in flight, or starts one unless the last attempt was a moment ago.
    fn revalidate(
        self: &Arc<Self>,
        state: &mut State<S::Document>,
        now: Duration,
    ) -> Option<InFlight> {
        let interval = match state.younger_than(STALE_IF_ERROR, now) {
            Some(_) => COOL_DOWN,
            None => RETRY_WITHOUT_DOCUMENT,
        };
        let is_due = state
            .last_fetch_at
            .is_none_or(|last| now.saturating_sub(last) >= interval);
        match &state.in_flight {
            Some(fetch) => Some(fetch.clone()),
            None => is_due.then(|| self.start(state, now)),
        }
    }

    fn start(self: &Arc<Self>, state: &mut State<S::Document>, now: Duration) -> InFlight {
        let this = Arc::clone(self);
        let task = tokio::spawn(async move {
            let fetched = this.source.fetch().await;
            this.complete(fetched, now);
        });
        let this = Arc::clone(self);
        let in_flight = async move {
            // The task panicked, or the runtime shuts down: no later caller may join it.
            if task.await.is_err() {
                this.complete(Err(ProviderError::Interrupted), now);
            }
        };
        let in_flight = in_flight.boxed().shared();
        state.fetches.0 += 1;
        state.last_fetch_at = Some(now);
        state.in_flight = Some(in_flight.clone());
        in_flight
    }

    fn complete(&self, fetched: Result<S::Document, ProviderError>, requested_at: Duration) {
        let mut state = self.state();
        state.in_flight = None;
        match fetched {
            Ok(document) => {
                state.error = None;
                state.current = Some(Cached {
                    document: Arc::new(document),
                    requested_at,
                });
            }
            Err(error) => {
                tracing::warn!(
                    %error,
                    cause = error.source().map(ToString::to_string),
                    kept = state.current.is_some(),
                    "{} could not be fetched",
                    S::NAME
                );
                state.error = Some(Arc::new(error));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State<S::Document>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    fn younger_than(&self, age: Duration, now: Duration) -> Option<Arc<T>> {
        let current = self.current.as_ref()?;
        let is_younger = now.saturating_sub(current.requested_at) < age;
        is_younger.then(|| Arc::clone(&current.document))
    }

    /// Returns the result of the last fetch.
    fn latest(&self) -> Result<Arc<T>, Arc<ProviderError>> {
        match &self.current {
            Some(current) if self.error.is_none() => Ok(Arc::clone(&current.document)),
            _ => Err(self.last_error()),
        }
    }

    fn last_error(&self) -> Arc<ProviderError> {
        let error = self.error.as_ref();
        error.map_or_else(|| Arc::new(ProviderError::Interrupted), Arc::clone)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use chrono::{DateTime, Utc};

    use super::*;

    /// Clock that stands still.
    struct FrozenClock;

    impl Clock for FrozenClock {
        fn now(&self) -> DateTime<Utc> {
            DateTime::UNIX_EPOCH
        }

        fn monotonic(&self) -> Duration {
            Duration::ZERO
        }
    }

    /// Source whose second fetch panics.
    #[derive(Default)]
    struct Panicking(AtomicUsize);

    impl Source for Panicking {
        type Document = usize;

        const NAME: &'static str = "the document";
        const MAX_AGE: Duration = Duration::from_mins(10);

        async fn fetch(&self) -> Result<usize, ProviderError> {
            let fetches = 1 + self.0.fetch_add(1, Ordering::Relaxed);
            assert_ne!(fetches, 2, "the second fetch panics");
            Ok(fetches)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_fetch_that_panics_is_an_error_and_the_next_one_succeeds() {
        let cache = Cache::new(Panicking::default(), Arc::new(FrozenClock));
        let first = cache.get().await.unwrap();
        let newer = async || {
            let since = cache.fetches();
            cache.newer_than(&first, since, CoolDown::WaitOut).await
        };
        let error = newer().await.unwrap_err();
        assert!(matches!(*error, ProviderError::Interrupted));
        assert_eq!(*newer().await.unwrap(), 3);
    }
}
