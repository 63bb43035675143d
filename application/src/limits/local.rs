//! Local fallback of the shared limiter: the minute is counted in this process, the month in the store.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::keys::CountedKey;
use domain::limits::{LimitStatus, Limits, MonthStatus, MonthlyUse};
use domain::month::Month;
use ports::outbound::{
    Charge, Clock, KeyState, KeyStore, Limiter, LimiterError, Snapshot, StoreError, Verdict,
};

use super::replicas::ReplicaCount;
use super::snapshots::read_many;
use crate::sync::places::Places;

/// Longest time that a request waits for other charges of its key. The store's own limit for waiting charges
/// is as long.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum number of keys that are charged at the same time.
const CHARGES: usize = 64;

/// Limits requests while the shared limiter is down.
pub(super) struct LocalFallback {
    /// Counts minutes against this replica's share, without quotas.
    minutes: Arc<dyn Limiter>,
    keys: Arc<dyn KeyStore>,
    clock: Arc<dyn Clock>,
    replicas: Arc<ReplicaCount>,
    /// Locked per counters during a charge. The store serialises these charges anyway, and waiting ones would
    /// occupy connections that other keys need.
    charging: Places,
    /// The newest month seen. An older one is never used again.
    month: Mutex<Option<Month>>,
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
            charging: Places::exclusive(CHARGES),
            month: Mutex::default(),
        }
    }

    /// The month that requests are charged to now.
    pub(super) fn month(&self) -> Month {
        let month = Month::of(self.clock.now());
        let newest = self.month.lock();
        let mut newest = newest.expect("nothing panics while it holds the month");
        let month = newest.map_or(month, |newest| newest.max(month));
        *newest.insert(month)
    }

    /// Admits one request by the store's snapshot of its key. If both limits are reached, the minute's is
    /// reported. The quota is charged in the store.
    pub(super) async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        let month = self.month();
        let Some(snapshot) = self.hydrated(key, month).await? else {
            return Ok(Verdict::Unknown { month });
        };
        let Some(quota) = snapshot.state.limits.monthly_quota() else {
            return self.minutes.admit(key).await;
        };
        // A refusal must not count, so the minute isn't counted if the month is known to refuse.
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

    /// Charges a request that is within the limit per minute.
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
        // The quota was used up since the snapshot was read, or the key was revoked. The minute has counted
        // this request, which has no effect, because the month admits no other.
        Ok(match self.hydrated(key, month).await? {
            None => Verdict::Unknown { month },
            Some(snapshot) if snapshot.state.revoked => Verdict::Revoked,
            Some(snapshot) => self.exceeded(limit_status, quota, snapshot),
        })
    }

    /// Charges one request; waits for other charges of the same counters.
    async fn charge_exclusively(
        &self,
        key: CountedKey,
        month: Month,
    ) -> Result<Option<MonthlyUse>, LimiterError> {
        let started = self.clock.monotonic();
        let _charging = self.charging.take(&key.counters).await;
        let waited = self.clock.monotonic().saturating_sub(started);
        if waited >= PATIENCE {
            let cause = Arc::new(ChargeQueueFull(waited));
            return Err(LimiterError { cause });
        }
        let charged = self.keys.charge(key, month, self.clock.now()).await;
        charged.map_err(store_failed)
    }

    /// Reads the limit status of keys.
    pub(super) async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        let snapshots = read_many(&*self.keys, keys, self.month()).await;
        let snapshots = snapshots.map_err(store_failed)?;
        for key in keys {
            if let Some(snapshot) = snapshots.get(&key.id) {
                self.hydrate(*key, *snapshot).await?;
            }
        }
        let minutes = self.minutes.peek_many(keys).await?;
        let peeked = keys.iter().zip(minutes).map(|(key, minute)| {
            // The local limiter may still know keys that the store doesn't have.
            let (snapshot, minute) = snapshots.get(&key.id).zip(minute)?;
            Some(self.limit_status(minute, snapshot))
        });
        Ok(peeked.collect())
    }

    /// Limit status with the minute of the local limiter and the month of the store.
    fn limit_status(&self, minute: LimitStatus, snapshot: &Snapshot) -> LimitStatus {
        match snapshot.state.limits.monthly_quota() {
            Some(quota) => self.with_month(minute, quota, snapshot.month, snapshot.used),
            None => minute,
        }
    }

    /// Applies a change of a key to the local limiter.
    pub(super) async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        self.minutes.apply(key, self.share(state)).await
    }

    /// Hydrates the local limiter with the store's snapshot of a key, and returns it; `None` if no key has
    /// the id.
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

    /// Hydrates the local limiter with this replica's share of a snapshot.
    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        let share = Snapshot {
            state: self.share(snapshot.state),
            // Without quotas the month has no effect, but the limiter loads no month ahead of its clock.
            month: Month::of(self.clock.now()),
            ..snapshot
        };
        self.minutes.hydrate(key, share).await
    }

    /// State with this replica's share of the limit per minute. Its version contains the key's version and
    /// the number of changes of the replica count, so that a newer share has a higher version.
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

/// Without a snapshot from the store, nothing is admitted.
pub(super) fn store_failed(error: StoreError) -> LimiterError {
    LimiterError {
        cause: Arc::new(error),
    }
}
