//! Limits during outages of the shared limiter: requests are still limited, by a local fallback.
//!
//! While the shared limiter answers, it decides. When it fails, the local fallback decides: status, limits
//! and usage of the key are read from the store; the minute is counted by a limiter in this process, with
//! this replica's share of the limit; the month is charged in the store, with an update that checks the
//! quota. If the store fails as well, there is no verdict.
//!
//! Upper bounds of what is admitted, with a limit of L a minute, a quota of Q and R replicas:
//!
//! - In any 60 seconds: L, and up to max(L, R) more around a change of the mode, because the shared count and
//!   the local ones are independent. R is counted by heartbeats; a replica that joins during an outage adds
//!   its own share, L / R, in the minute in which it joins.
//! - In a month, during an outage for all replicas: Q, and the requests that journals had accepted but not
//!   written when the limiter failed (a few milliseconds' worth), because the store doesn't count them yet.
//! - In a month, if only some replicas are cut off: these charge the store, which the shared limiter doesn't
//!   read, while the others charge the shared limiter, which gets the store's counts by the
//!   [`Reconciliation`](crate::Reconciliation). Until the round after the next request with a key, the others
//!   may admit as many requests as the cut-off replicas charged, but at most L, since that takes less than a
//!   minute: in total Q and min(L, charged by cut-off replicas).
//!
//! Each process hydrates the shared limiter with the store's snapshot of a key before its own first request
//! with the key, because changes before its start may have been missed.
//!
//! A failed call may have been counted; it isn't retried. If the request is admitted locally, the store
//! counts it, too, and merging the counts by maximum counts it once. If it is refused locally or the store
//! fails, the key is charged one request too many.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use domain::keys::{CountedKey, KeyId};
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

/// Maximum number of keys that are resynchronised at the same time.
const RESYNCS: usize = 64;
/// An id that no key has, for calls that only test if the shared limiter answers.
const PROBE: CountedKey = CountedKey::first(KeyId(Uuid::nil()));

/// The limiter that decides at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimiterMode {
    /// The limiter that all replicas share.
    Shared,
    /// The local fallback of this process, because the shared limiter is down.
    Degraded,
}

/// A limiter that all replicas share, with a local fallback during its outages.
pub struct FallbackLimiter {
    shared: Arc<dyn Limiter>,
    local: LocalFallback,
    snapshots: SnapshotReader,
    clock: Arc<dyn Clock>,
    breaker: Mutex<Breaker>,
    resync: Mutex<ResyncTracker>,
    active_keys: Mutex<ActiveKeys>,
    /// Locked per key during its resynchronisation, so that concurrent requests read the store once.
    resyncing: KeyedMutex,
}

/// Result of a call of the shared limiter.
enum SharedResult<T> {
    Answered(T),
    /// The call failed, or the circuit is open.
    Unavailable,
    /// The store has no such key. With the month of the request.
    UnknownKey(Month),
}

/// The circuit of the shared limiter is open.
#[derive(Debug)]
pub(crate) struct CircuitOpen;

/// Reason why a key wasn't resynchronised.
enum ResyncError {
    /// The store has no such key.
    UnknownKey,
    Store(StoreError),
    Shared(LimiterError),
}

impl FallbackLimiter {
    /// Creates a limiter that uses `shared`; `replicas` counts the processes that share it. `local` is an
    /// empty limiter in this process, which isn't used elsewhere.
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

    /// The limiter that decides at present.
    pub fn mode(&self) -> LimiterMode {
        if self.breaker().is_closed() {
            LimiterMode::Shared
        } else {
            LimiterMode::Degraded
        }
    }

    /// Calls the shared limiter until it answers or the circuit opens, so that the mode is known and logged
    /// before the first request. Doesn't read from the store.
    pub async fn begin(&self) {
        while let Some(call) = self.begin_call() {
            if call.end(self.shared.peek(PROBE).await).is_ok() {
                break;
            }
        }
    }

    /// Returns the mode, after probing the shared limiter if a probe is due. Doesn't read from the store.
    pub(crate) async fn probe(&self) -> LimiterMode {
        if let Some(call) = self.begin_call() {
            let _ = call.end(self.shared.peek(PROBE).await);
        }
        self.mode()
    }

    /// Calls the shared limiter about a key; resynchronises the key first if it is stale.
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

    /// Hydrates the shared limiter with the store's snapshot of a key, if the key is stale.
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
        // The key is unknown there, and will be hydrated by the caller, or it is revoked. Only known keys get
        // all changes, including those after the reading here.
        let Some(known) = known else {
            return Ok(());
        };
        // The limiter's month, since the local clock may differ.
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
        // Doesn't probe an open circuit; requests do that earlier.
        if self.mode() == LimiterMode::Degraded {
            return Err(CircuitOpen);
        }
        let call = self.begin_call().ok_or(CircuitOpen)?;
        let hydrated = call.end(self.shared.hydrate(key, snapshot).await);
        hydrated.map_err(|_| CircuitOpen)
    }

    async fn admit_locally(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        // Marked before, because the caller may be cancelled after the store has counted; and again
        // afterwards, because a concurrent resynchronisation may have read the store before it counted.
        self.resync_tracker().mark_stale(key);
        let verdict = self.local.admit(key, self.month()).await;
        self.resync_tracker().mark_stale(key);
        verdict
    }

    /// Calls the shared limiter even if the circuit is open.
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

    /// The keys that the shared limiter gave verdicts on.
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
            // Another server may have taken over and lack some counts and revocations; a single failure may
            // be the only sign of that.
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
                    // Revocation is permanent, so there is nothing left to resynchronise.
                    self.resync_tracker().mark_synced(key);
                }
                Ok(verdict)
            }
            SharedResult::UnknownKey(month) => Ok(Verdict::Unknown { month }),
            SharedResult::Unavailable => Box::pin(self.admit_locally(key)).await,
        }
    }

    /// Reads the shared limiter without resynchronising stale keys, which happens at their next admission;
    /// here it would cost several calls for each key.
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

    /// The local limiter forgets nothing, because it is hydrated before each use, and its count of the minute
    /// is needed.
    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError> {
        self.call_always(self.shared.forget(key)).await
    }

    /// Never fails: a refund that the shared limiter misses is applied by the key's next resynchronisation
    /// with the store.
    async fn refund(
        &self,
        key: CountedKey,
        month: Month,
        request: Uuid,
    ) -> Result<(), LimiterError> {
        let now = self.clock.monotonic();
        let is_stale = self.resync_tracker().staleness(key, now).is_some();
        // The shared limiter may lack charges of a stale key, so it must not refund any.
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
