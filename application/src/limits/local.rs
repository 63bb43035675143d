//! Local fallback of the shared limiter: the minute in this process, status and month in the store.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::key::CountedKey;
use domain::limits::{LimitStatus, Limits, MonthStatus, MonthlyUse};
use domain::month::Month;
use ports::outbound::{
    Charge, Clock, KeyState, KeyStore, Limiter, LimiterError, Snapshot, StoreError, Verdict,
};

use super::replicas::ReplicaCount;
use crate::sync::keyed_mutex::KeyedMutex;

/// Longest wait of a request for others of its key: the store takes no longer over a charge that
/// waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);
/// Keys whose snapshots are read in one query, at most.
const MOST_SNAPSHOTS: usize = 500;
/// Keys that are charged at the same time, at most.
const CHARGES: usize = 64;

/// Keeps limits while the shared limiter is down.
pub(super) struct LocalFallback {
    /// Keeps shares of minutes, without quotas.
    minutes: Arc<dyn Limiter>,
    keys: Arc<dyn KeyStore>,
    clock: Arc<dyn Clock>,
    replicas: Arc<ReplicaCount>,
    /// Locked while counters are charged. The store would charge one request of them at a time as
    /// well, and the others would hold connections that other keys need.
    charging: KeyedMutex,
}

/// Too many requests of one key wait to be charged.
#[derive(Debug, thiserror::Error)]
#[error("the key's requests wait {0:?} to be charged")]
struct ChargeQueueFull(Duration);

impl LocalFallback {
    pub(super) fn new(
        minutes: Arc<dyn Limiter>,
        keys: Arc<dyn KeyStore>,
        clock: Arc<dyn Clock>,
        replicas: Arc<ReplicaCount>,
    ) -> Self {
        Self {
            minutes,
            keys,
            clock,
            replicas,
            charging: KeyedMutex::new(CHARGES),
        }
    }

    /// Admits one request by the store's snapshot of its key. When both limits are used up, the
    /// minute's is answered; a quota is charged in the store.
    pub(super) async fn admit(
        &self,
        key: CountedKey,
        month: Month,
    ) -> Result<Verdict, LimiterError> {
        let Some(snapshot) = self.hydrated(key, month).await? else {
            return Ok(Verdict::Unknown { month });
        };
        let Some(quota) = snapshot.state.limits.monthly_quota() else {
            return self.minutes.admit(key).await;
        };
        // A refusal counts nothing, so the minute isn't counted when the month is known to refuse.
        if snapshot.used.net() >= quota
            && let Some(limit_status) = self.minutes.peek(key).await?
            && limit_status.minute.remaining > 0
        {
            return Ok(self.exceeded(limit_status, quota, snapshot));
        }
        match self.minutes.admit(key).await? {
            Verdict::Admitted { limit_status, .. } => {
                self.charge(key, limit_status, quota, month).await
            }
            Verdict::RateLimited {
                limit_status,
                retry_after,
            } => Ok(Verdict::RateLimited {
                limit_status: self.with_month(limit_status, quota, month, snapshot.used),
                retry_after,
            }),
            refused @ (Verdict::QuotaExceeded { .. }
            | Verdict::Revoked
            | Verdict::Unknown { .. }) => Ok(refused),
        }
    }

    /// Charges a request that the minute admitted.
    async fn charge(
        &self,
        key: CountedKey,
        limit_status: LimitStatus,
        quota: u64,
        month: Month,
    ) -> Result<Verdict, LimiterError> {
        if let Some(used) = self.charge_exclusively(key, month).await? {
            return Ok(Verdict::Admitted {
                limit_status: self.with_month(limit_status, quota, month, used),
                month,
                charge: Charge::Written,
            });
        }
        // The last unit was charged since the snapshot was read, or the key was revoked. The minute
        // has counted this request all the same; that harms nobody, for the month admits no other.
        Ok(match self.hydrated(key, month).await? {
            None => Verdict::Unknown { month },
            Some(snapshot) if snapshot.state.revoked => Verdict::Revoked,
            Some(snapshot) => self.exceeded(limit_status, quota, snapshot),
        })
    }

    /// Charges one request of a key at a time.
    async fn charge_exclusively(
        &self,
        key: CountedKey,
        month: Month,
    ) -> Result<Option<MonthlyUse>, LimiterError> {
        let started = self.clock.monotonic();
        let _charging = self.charging.lock(&key.counters).await;
        let waited = self.clock.monotonic().saturating_sub(started);
        if waited >= PATIENCE {
            let cause = Arc::new(ChargeQueueFull(waited));
            return Err(LimiterError { cause });
        }
        let charged = self.keys.charge(key, month, self.clock.now()).await;
        charged.map_err(store_failed)
    }

    /// Reads the limits of keys; one query of the store for each [`MOST_SNAPSHOTS`] of them.
    pub(super) async fn peek_many(
        &self,
        keys: &[CountedKey],
        month: Month,
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        let mut peeked = Vec::with_capacity(keys.len());
        for keys in keys.chunks(MOST_SNAPSHOTS) {
            let ids: Vec<_> = keys.iter().map(|key| key.id).collect();
            let snapshots = self.keys.snapshots(&ids, month).await;
            let snapshots: HashMap<_, _> = snapshots.map_err(store_failed)?.into_iter().collect();
            for key in keys {
                if let Some(snapshot) = snapshots.get(&key.id) {
                    self.hydrate(*key, *snapshot).await?;
                }
            }
            for (key, minute) in keys.iter().zip(self.minutes.peek_many(keys).await?) {
                // What the store doesn't have any more, the minutes may still have.
                let known = snapshots.get(&key.id).zip(minute);
                peeked.push(known.map(|(snapshot, minute)| self.limit_status(minute, snapshot)));
            }
        }
        Ok(peeked)
    }

    /// The status of a key whose month is the store's.
    fn limit_status(&self, minute: LimitStatus, snapshot: &Snapshot) -> LimitStatus {
        match snapshot.state.limits.monthly_quota() {
            Some(quota) => self.with_month(minute, quota, snapshot.month, snapshot.used),
            None => minute,
        }
    }

    /// Applies a change of a key.
    pub(super) async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        self.minutes.apply(key, self.share(state)).await
    }

    /// Hydrates the minutes with the store's snapshot of a key, and returns it; `None` when the store
    /// has no such key.
    async fn hydrated(
        &self,
        key: CountedKey,
        month: Month,
    ) -> Result<Option<Snapshot>, LimiterError> {
        let snapshot = self
            .keys
            .snapshot(key.id, month)
            .await
            .map_err(store_failed)?;
        if let Some(snapshot) = snapshot {
            self.hydrate(key, snapshot).await?;
        }
        Ok(snapshot)
    }

    /// Hydrates the minutes with this replica's share of a snapshot.
    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        let share = Snapshot {
            state: self.share(snapshot.state),
            // Without a quota no month matters, and its clock may be behind this one.
            month: Month::of(self.clock.now()),
            ..snapshot
        };
        self.minutes.hydrate(key, share).await
    }

    /// This replica's share of a key's minute. Its version grows with the key's, and with each
    /// change of the number of replicas, so that versions order shares as they order the limits.
    fn share(&self, state: KeyState) -> KeyState {
        let (replicas, changes) = self.replicas.with_changes();
        let per_minute = (state.limits.per_minute() / replicas).max(1);
        let limits = Limits::new(per_minute, None);
        KeyState {
            limits: limits.expect("a share of a limit is at least 1 and at most the limit"),
            version: state.version << 32 | u64::from(changes),
            ..state
        }
    }

    fn exceeded(&self, limit_status: LimitStatus, quota: u64, snapshot: Snapshot) -> Verdict {
        let month = MonthStatus::new(
            snapshot.month,
            quota,
            snapshot.used.net().max(quota),
            self.clock.now(),
        );
        Verdict::QuotaExceeded {
            limit_status: LimitStatus {
                month: Some(month),
                ..limit_status
            },
            month,
        }
    }

    fn with_month(
        &self,
        limit_status: LimitStatus,
        quota: u64,
        month: Month,
        used: MonthlyUse,
    ) -> LimitStatus {
        let month = MonthStatus::new(month, quota, used.net(), self.clock.now());
        LimitStatus {
            month: Some(month),
            ..limit_status
        }
    }
}

/// A failure of the store: without its snapshot of a key nothing is admitted.
pub(super) fn store_failed(error: StoreError) -> LimiterError {
    LimiterError {
        cause: Arc::new(error),
    }
}
