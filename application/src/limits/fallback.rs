//! Limits while the shared limiter is down: kept without it, never open.
//!
//! The shared limiter decides while it answers. When it fails, a request is decided by the local
//! fallback: its key's status, limits and usage are read from the store, the minute is kept by a
//! limiter of this process with this replica's share of the limit, and the month is charged in the
//! store, by a change that its quota is the condition of. When the store fails too, there is no
//! verdict.
//!
//! Bounds on what is admitted, with a limit of L a minute, a quota of Q and R replicas:
//!
//! - In any 60 seconds: L, and max(L, R) more around a change of the mode, because the shared
//!   window and the local ones don't know of each other. R is counted by heartbeats; a replica that
//!   joins while the mode is local adds its own share, L / R, in the minute in which it joins.
//! - In a month, while the shared limiter is down for all replicas: Q. What journals had accepted but
//!   not written when it failed (requests that were being answered, a few milliseconds' worth) comes
//!   on top: the store didn't have it yet when it was asked.
//! - In a month, with replicas that alone are cut off: they charge the store, where the shared
//!   limiter doesn't look, and the others charge the shared limiter, which gets the store's counts by
//!   the [`Reconciliation`](crate::Reconciliation). Until the round after the others ask for a key
//!   again, they may admit what was charged without them, and never more than L, for that is within a
//!   minute: Q and min(L, what was charged alone) in all.
//!
//! Each process hydrates the shared limiter with the store's snapshot of a key before the key's first
//! request of its life: it doesn't know what was missed before it began.
//!
//! A call that failed may have counted all the same; it is not retried. When the request is admitted
//! locally, the store counts it too, so both have it and merge it as one; when it is refused
//! locally, or the store fails, it costs its key a unit of the month.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use domain::key::{CountedKey, KeyId};
use domain::limits::LimitStatus;
use domain::month::Month;
use ports::outbound::{
    Clock, KeyState, KeyStore, Limiter, LimiterError, Snapshot, StoreError, Verdict,
};
use uuid::Uuid;

use super::active_keys::ActiveKeys;
use super::local::{LocalFallback, store_failed};
use super::replicas::ReplicaCount;
use super::resync::ResyncTracker;
use super::snapshots::SnapshotReader;
use crate::sync::breaker::{Breaker, CallResult, FAILURES, Guarded, Transition, TransitionReport};
use crate::sync::keyed_mutex::KeyedMutex;

/// Keys that are resynchronised at the same time, at most.
const RESYNCS: usize = 64;
/// No key has this id. A call about it shows whether the shared limiter answers.
const PROBE: CountedKey = CountedKey::first(KeyId(Uuid::nil()));

/// The limiter that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimiterMode {
    /// The limiter that all replicas share.
    Shared,
    /// The local fallback of this process, because the shared one is down.
    Degraded,
}

/// A limiter that all replicas share, with a local fallback for the time in which it is down.
pub struct FallbackLimiter {
    shared: Arc<dyn Limiter>,
    local: LocalFallback,
    snapshots: SnapshotReader,
    clock: Arc<dyn Clock>,
    breaker: Mutex<Breaker>,
    resync: Mutex<ResyncTracker>,
    active_keys: Mutex<ActiveKeys>,
    /// Locked while a key is resynchronised, so that a burst on it reads it once.
    resyncing: KeyedMutex,
}

/// Result of a shared-limiter call.
enum SharedResult<T> {
    Answered(T),
    /// The call failed, or the circuit is open.
    Unavailable,
    /// The store has no such key.
    UnknownKey(Month),
}

/// The circuit of the shared limiter is open.
#[derive(Debug)]
pub(crate) struct CircuitOpen;

/// Reason why the shared limiter wasn't resynchronised with the store about a key.
enum ResyncError {
    /// The store has no such key.
    UnknownKey,
    Store(StoreError),
    Shared(LimiterError),
}

impl FallbackLimiter {
    /// A limiter over `shared`, one of as many processes that share it as `replicas` counts. `local` is a limiter of
    /// this process, empty, and used for nothing else.
    pub fn new(
        shared: Arc<dyn Limiter>,
        local: Arc<dyn Limiter>,
        keys: Arc<dyn KeyStore>,
        clock: Arc<dyn Clock>,
        replicas: Arc<ReplicaCount>,
    ) -> Self {
        let local = LocalFallback::new(local, Arc::clone(&keys), Arc::clone(&clock), replicas);
        Self {
            shared,
            local,
            snapshots: SnapshotReader::new(keys),
            clock,
            breaker: Mutex::default(),
            resync: Mutex::default(),
            active_keys: Mutex::default(),
            resyncing: KeyedMutex::new(RESYNCS),
        }
    }

    /// The limiter that decides now.
    pub fn mode(&self) -> LimiterMode {
        if self.breaker().is_closed() {
            LimiterMode::Shared
        } else {
            LimiterMode::Degraded
        }
    }

    /// Calls the shared limiter until it answers or the circuit opens, so that the mode is known and
    /// logged before the first request. Reads nothing from the store.
    pub async fn begin(&self) {
        while let Some(call) = self.begin_call() {
            if call.end(self.shared.peek(PROBE).await).is_ok() {
                break;
            }
        }
    }

    /// Returns the mode, after a probe of the shared limiter if one is due. Reads nothing from the
    /// store.
    pub(crate) async fn probe(&self) -> LimiterMode {
        if let Some(call) = self.begin_call() {
            let _ = call.end(self.shared.peek(PROBE).await);
        }
        self.mode()
    }

    /// Calls the shared limiter about a key, which is resynchronised before if it is stale there.
    async fn call_shared<T>(
        &self,
        key: CountedKey,
        request: impl Future<Output = Result<T, LimiterError>>,
    ) -> Result<SharedResult<T>, LimiterError> {
        let Some(call) = self.begin_call() else {
            return Ok(SharedResult::Unavailable);
        };
        let result = match self.resync(key).await {
            Ok(()) => request.await,
            Err(ResyncError::UnknownKey) => return Ok(SharedResult::UnknownKey(self.month())),
            Err(ResyncError::Store(error)) => {
                self.resync_tracker().extend(self.clock.monotonic());
                return Err(store_failed(error));
            }
            Err(ResyncError::Shared(error)) => Err(error),
        };
        Ok(match call.end(result) {
            Ok(answer) => SharedResult::Answered(answer),
            Err(_) => SharedResult::Unavailable,
        })
    }

    /// Hydrates the shared limiter with the store's snapshot of a key, if the key is stale there.
    async fn resync(&self, key: CountedKey) -> Result<(), ResyncError> {
        let staleness = || self.resync_tracker().staleness(key, self.clock.monotonic());
        if staleness().is_none() {
            return Ok(());
        }
        let _resyncing = self.resyncing.lock(&key).await;
        let Some(staleness) = staleness() else {
            return Ok(());
        };
        let known = self.shared.peek(key).await.map_err(ResyncError::Shared)?;
        // It answers that it doesn't know the key, which the caller hydrates then, or that the key
        // is revoked. Only a known key gets every change, also one after our reading.
        let Some(known) = known else {
            return Ok(());
        };
        // Its month, for our clock may show another one.
        let month = known.month.map(|month| month.month());
        let month = month.unwrap_or_else(|| self.month());
        let snapshot = self.snapshots.read(key.id, month).await;
        let snapshot = snapshot.map_err(ResyncError::Store)?;
        let snapshot = snapshot.ok_or(ResyncError::UnknownKey)?;
        let hydrated = self.shared.hydrate(key, snapshot).await;
        hydrated.map_err(ResyncError::Shared)?;
        self.resync_tracker().clear(key, staleness);
        Ok(())
    }

    /// Hydrates the shared limiter with the store's snapshot of a key that it knows.
    pub(crate) async fn rehydrate(
        &self,
        key: CountedKey,
        snapshot: Snapshot,
    ) -> Result<(), CircuitOpen> {
        // No probe: whoever waits for a verdict finds out sooner whether it is back.
        if self.mode() == LimiterMode::Degraded {
            return Err(CircuitOpen);
        }
        let call = self.begin_call().ok_or(CircuitOpen)?;
        let hydrated = call.end(self.shared.hydrate(key, snapshot).await);
        hydrated.map_err(|_| CircuitOpen)
    }

    async fn admit_locally(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        // Before, because the caller may be cancelled once the store has counted; and after, because
        // a concurrent resynchronisation may have read the store before it counted.
        self.resync_tracker().mark_stale(key);
        let verdict = self.local.admit(key, self.month()).await;
        self.resync_tracker().mark_stale(key);
        verdict
    }

    /// Calls the shared limiter even while the circuit is open.
    async fn call_always(
        &self,
        request: impl Future<Output = Result<(), LimiterError>>,
    ) -> Result<(), LimiterError> {
        match self.begin_call() {
            Some(call) => call.end(request.await),
            None => request.await,
        }
    }

    fn month(&self) -> Month {
        self.resync_tracker().month(self.clock.now())
    }

    /// The keys that the shared limiter decided about.
    pub(crate) fn active_keys(&self) -> MutexGuard<'_, ActiveKeys> {
        let active_keys = self.active_keys.lock();
        active_keys.expect("nothing panics while it holds the active keys")
    }

    fn resync_tracker(&self) -> MutexGuard<'_, ResyncTracker> {
        let resync = self.resync.lock();
        resync.expect("nothing panics while it holds the resync tracker")
    }
}

impl Guarded for FallbackLimiter {
    const NAME: &'static str = "limiter";

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        let breaker = self.breaker.lock();
        breaker.expect("nothing panics while it holds the breaker")
    }

    fn now(&self) -> Duration {
        self.clock.monotonic()
    }

    fn on_result(&self, result: CallResult, transition: Option<Transition>, now: Duration) {
        match transition {
            Some(Transition::Opened) => self.resync_tracker().begin_outage(now),
            Some(Transition::Closed) => self.resync_tracker().end_outage(now),
            // The next answer may come from another server, one that took over and missed some
            // counts and revocations; a failure is all that is seen of it.
            None if result == CallResult::Failure => self.resync_tracker().mark_all_stale(now),
            None => {}
        }
    }

    fn log(&self, report: TransitionReport, failure: Option<&str>) {
        let changes = report.count;
        match report.latest {
            Transition::Opened => tracing::warn!(
                failures = FAILURES,
                changes,
                error = failure,
                "the shared limiter fails: this process keeps limits on its own, with its share of \
                 each minute, until the shared one answers"
            ),
            Transition::Closed => tracing::info!(
                changes,
                "the shared limiter answers again and keeps the limits"
            ),
        }
    }
}

#[async_trait]
impl Limiter for FallbackLimiter {
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        match self.call_shared(key, self.shared.admit(key)).await? {
            SharedResult::Answered(verdict) => {
                self.active_keys().record(key, &verdict);
                if verdict == Verdict::Revoked {
                    // Final: there is nothing to resynchronise any more.
                    self.resync_tracker().mark_synced(key);
                }
                Ok(verdict)
            }
            SharedResult::UnknownKey(month) => Ok(Verdict::Unknown { month }),
            SharedResult::Unavailable => Box::pin(self.admit_locally(key)).await,
        }
    }

    /// Reads the shared limiter as it is. A key that is stale there is resynchronised by its next
    /// admission: a page of them would cost several calls each.
    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        if let Some(call) = self.begin_call()
            && let Ok(peeked) = call.end(self.shared.peek_many(keys).await)
        {
            return Ok(peeked);
        }
        self.local.peek_many(keys, self.month()).await
    }

    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        self.call_always(self.shared.hydrate(key, snapshot)).await?;
        self.resync_tracker().mark_synced(key);
        Ok(())
    }

    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        self.local.apply(key, state).await?;
        let applied = self.call_always(self.shared.apply(key, state)).await;
        if applied.is_err() {
            self.resync_tracker().mark_all_stale(self.clock.monotonic());
        }
        applied
    }

    /// Forgets nothing locally: the local limiter is hydrated before each use, and its minute counts.
    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError> {
        self.call_always(self.shared.forget(key)).await
    }

    /// Never fails: a refund that the shared limiter misses reaches it from the store, with the
    /// key's next resynchronisation.
    async fn refund(
        &self,
        key: CountedKey,
        month: Month,
        request: Uuid,
    ) -> Result<(), LimiterError> {
        let now = self.clock.monotonic();
        let is_stale = self.resync_tracker().staleness(key, now).is_some();
        // While the shared limiter doesn't have all that was charged, it must not give back.
        if !is_stale
            && let Some(call) = self.begin_call()
            && let Ok(()) = call.end(self.shared.refund(key, month, request).await)
        {
            return Ok(());
        }
        self.resync_tracker().mark_stale(key);
        Ok(())
    }
}
