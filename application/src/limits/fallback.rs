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

use async_trait::async_trait;
use domain::keys::{CountedKey, KeyId};
use domain::limits::LimitStatus;
use domain::month::Month;
use ports::outbound::{
    Clock, KeyState, KeyStore, Limiter, LimiterError, Snapshot, StoreError, Verdict,
};
use uuid::Uuid;

use super::local::{LocalFallback, store_failed};
use super::replicas::ReplicaCount;
use super::snapshots::SnapshotReader;
use super::sync_table::{Mark, SyncTable};
use crate::sync::circuit::{Circuit, Service};
use crate::sync::places::Places;

/// Maximum number of keys that are resynchronised at the same time.
const RESYNCS: usize = 64;
const SHARED: Service = Service {
    name: "limiter",
    fails: "the shared limiter fails: this process keeps limits on its own, with its share of each minute, \
            until the shared one answers",
    answers: "the shared limiter answers again and keeps the limits",
};
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
    circuit: Circuit,
    sync_table: Arc<Mutex<SyncTable>>,
    /// Locked per key during its resynchronisation, so that concurrent requests read the store once.
    resyncing: Places,
}

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
        let sync_table = Arc::<Mutex<SyncTable>>::default();
        let missing = Arc::clone(&sync_table);
        // Another server may have taken over and lack some counts and revocations; a single failure may be the
        // only sign of that.
        let circuit = Circuit::new(SHARED, Arc::clone(&clock))
            .on_failure(move |now| lock(&missing).all_missed(now));
        Self {
            shared,
            local,
            snapshots: SnapshotReader::new(keys),
            clock,
            circuit,
            sync_table,
            resyncing: Places::exclusive(RESYNCS),
        }
    }

    /// The limiter that decides at present.
    pub fn mode(&self) -> LimiterMode {
        if self.circuit.is_open() {
            LimiterMode::Degraded
        } else {
            LimiterMode::Shared
        }
    }

    /// Calls the shared limiter until it answers or the circuit opens, so that the mode is known and logged
    /// before the first request. Doesn't read from the store.
    pub async fn begin(&self) {
        while let Some(call) = self.circuit.begin_call() {
            if call.end(self.shared.peek(PROBE).await).is_ok() {
                break;
            }
        }
    }

    /// Returns the mode, after probing the shared limiter if a probe is due. Doesn't read from the store.
    pub(crate) async fn probe(&self) -> LimiterMode {
        if let Some(call) = self.circuit.begin_call() {
            let _ = call.end(self.shared.peek(PROBE).await);
        }
        self.mode()
    }

    /// Hydrates the shared limiter with the store's snapshot of a key, if the key is stale.
    async fn resync(&self, key: CountedKey) -> Result<(), ResyncError> {
        if self.stale(key).is_none() {
            return Ok(());
        }
        let _resyncing = self.resyncing.take(&key).await;
        let Some(as_of) = self.stale(key) else {
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
        let month = month.unwrap_or_else(|| self.local.month());
        let snapshot = self.snapshots.read(key.id, month).await;
        let snapshot = snapshot.map_err(ResyncError::Store)?;
        let snapshot = snapshot.ok_or(ResyncError::UnknownKey)?;
        let hydrated = self.shared.hydrate(key, snapshot).await;
        hydrated.map_err(ResyncError::Shared)?;
        self.sync_table().synced(key, as_of);
        Ok(())
    }

    /// Resynchronises a key whose verdict differed from the store; returns `false` if the shared limiter
    /// fails.
    pub(super) async fn repair(&self, key: CountedKey) -> Result<bool, StoreError> {
        self.sync_table().missed(key.counters);
        let Some(call) = self.circuit.begin_call() else {
            return Ok(false);
        };
        match self.resync(key).await {
            Ok(()) | Err(ResyncError::UnknownKey) => call.succeed(),
            Err(ResyncError::Store(error)) => return Err(error),
            Err(ResyncError::Shared(error)) => {
                call.fail(&error);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn stale(&self, key: CountedKey) -> Option<Mark> {
        self.sync_table().stale(key, self.clock.monotonic())
    }

    async fn admit_locally(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        // Marked before, because the caller may be cancelled after the store has counted; and again
        // afterwards, because a concurrent resynchronisation may have read the store before it counted.
        self.sync_table().missed(key.counters);
        let verdict = self.local.admit(key).await;
        self.sync_table().missed(key.counters);
        verdict
    }

    /// Calls the shared limiter even if the circuit is open.
    async fn call_always(
        &self,
        request: impl Future<Output = Result<(), LimiterError>>,
    ) -> Result<(), LimiterError> {
        match self.circuit.begin_call() {
            Some(call) => call.end(request.await),
            None => request.await,
        }
    }

    pub(super) fn sync_table(&self) -> MutexGuard<'_, SyncTable> {
        lock(&self.sync_table)
    }
}

fn lock(sync_table: &Mutex<SyncTable>) -> MutexGuard<'_, SyncTable> {
    let sync_table = sync_table.lock();
    sync_table.expect("nothing panics while it holds the table")
}

#[async_trait]
impl Limiter for FallbackLimiter {
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        if let Some(call) = self.circuit.begin_call() {
            let verdict = match self.resync(key).await {
                Ok(()) => self.shared.admit(key).await,
                Err(ResyncError::UnknownKey) => {
                    let month = self.local.month();
                    return Ok(Verdict::Unknown { month });
                }
                Err(ResyncError::Store(error)) => return Err(store_failed(error)),
                Err(ResyncError::Shared(error)) => Err(error),
            };
            if let Ok(verdict) = call.end(verdict) {
                self.sync_table().decided(key, &verdict);
                return Ok(verdict);
            }
        }
        Box::pin(self.admit_locally(key)).await
    }

    /// Reads the shared limiter without resynchronising stale keys, which happens at their next admission;
    /// here it would cost several calls for each key.
    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        if let Some(call) = self.circuit.begin_call()
            && let Ok(peeked) = call.end(self.shared.peek_many(keys).await)
        {
            return Ok(peeked);
        }
        self.local.peek_many(keys).await
    }

    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        self.call_always(self.shared.hydrate(key, snapshot)).await?;
        self.sync_table().hydrated(key);
        Ok(())
    }

    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        self.local.apply(key, state).await?;
        let applied = self.call_always(self.shared.apply(key, state)).await;
        if applied.is_err() {
            self.sync_table().all_missed(self.clock.monotonic());
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
        // The shared limiter may lack charges of a stale key, so it must not refund any.
        if self.stale(key).is_none()
            && let Some(call) = self.circuit.begin_call()
            && let Ok(()) = call.end(self.shared.refund(key, month, request).await)
        {
            return Ok(());
        }
        self.sync_table().missed(key.counters);
        Ok(())
    }
}
