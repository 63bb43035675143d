//! Limits without the shared limiter: the minute here, status and month in the store.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use domain::key::KeyId;
use domain::limits::{LimitStatus, Limits, MonthStatus, MonthlyUse};
use domain::month::Month;
use ports::outbound::{
    Charge, Clock, KeyState, KeyStore, Limiter, LimiterError, Snapshot, StoreError, Verdict,
};

use super::turns::Turns;

/// Whoever waited so long for others of his key gives up: the store takes no longer over a charge
/// that waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);

/// Keeps limits while the shared limiter is down.
pub(super) struct LocalFallback {
    /// Keeps shares of minutes, and knows of no quota.
    own: Arc<dyn Limiter>,
    keys: Arc<dyn KeyStore>,
    clock: Arc<dyn Clock>,
    replicas: NonZeroU32,
    /// A key has its turn while it is charged. The store would charge one request of it at a time as
    /// well, and the others would hold connections that other keys need.
    charges: Turns,
}

/// Too many requests of one key wait to be charged.
#[derive(Debug)]
struct Queued(Duration);

impl fmt::Display for Queued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the key's requests wait {:?} to be charged", self.0)
    }
}

impl std::error::Error for Queued {}

impl LocalFallback {
    pub(super) fn new(
        own: Arc<dyn Limiter>,
        keys: Arc<dyn KeyStore>,
        clock: Arc<dyn Clock>,
        replicas: NonZeroU32,
    ) -> Self {
        Self {
            own,
            keys,
            clock,
            replicas,
            charges: Turns::default(),
        }
    }

    /// Admits one request by what the store has of its key now. When both limits are used up, the
    /// minute's is answered; a quota is charged in the store.
    pub(super) async fn admit(&self, key: KeyId, month: Month) -> Result<Verdict, LimiterError> {
        let Some(snapshot) = self.told(key, month).await? else {
            return Ok(Verdict::Unknown { month });
        };
        let Some(quota) = snapshot.state.limits.monthly_quota() else {
            return self.own.admit(key).await;
        };
        // A refusal counts nothing, so the minute isn't counted when the month is known to refuse.
        if snapshot.used.net() >= quota
            && let Some(limit_status) = self.own.peek(key).await?
            && limit_status.minute.remaining > 0
        {
            return Ok(self.exceeded(limit_status, quota, snapshot));
        }
        match self.own.admit(key).await? {
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

    /// Charges a request that the minute admits.
    async fn charge(
        &self,
        key: KeyId,
        limit_status: LimitStatus,
        quota: u64,
        month: Month,
    ) -> Result<Verdict, LimiterError> {
        if let Some(used) = self.charge_in_turn(key, month).await? {
            return Ok(Verdict::Admitted {
                limit_status: self.with_month(limit_status, quota, month, used),
                month,
                charge: Charge::Written,
            });
        }
        // Somebody else had the last one since we looked, or revoked the key. The minute has counted
        // this request all the same; nobody misses it, for the month admits no other one.
        Ok(match self.told(key, month).await? {
            None => Verdict::Unknown { month },
            Some(snapshot) if snapshot.state.revoked => Verdict::Revoked,
            Some(snapshot) => self.exceeded(limit_status, quota, snapshot),
        })
    }

    /// One request of a key after the other.
    async fn charge_in_turn(
        &self,
        key: KeyId,
        month: Month,
    ) -> Result<Option<MonthlyUse>, LimiterError> {
        let asked = self.clock.monotonic();
        let _turn = self.charges.of(key).await;
        let waited = self.clock.monotonic().saturating_sub(asked);
        if waited >= PATIENCE {
            let cause = Arc::new(Queued(waited));
            return Err(LimiterError { cause });
        }
        let charged = self.keys.charge(key, month, self.clock.now()).await;
        charged.map_err(no_store)
    }

    pub(super) async fn peek(
        &self,
        key: KeyId,
        month: Month,
    ) -> Result<Option<LimitStatus>, LimiterError> {
        let Some(snapshot) = self.told(key, month).await? else {
            return Ok(None);
        };
        let limit_status = self.own.peek(key).await?;
        Ok(match snapshot.state.limits.monthly_quota() {
            Some(quota) => limit_status
                .map(|limit_status| self.with_month(limit_status, quota, month, snapshot.used)),
            None => limit_status,
        })
    }

    /// Applies a change of a key.
    pub(super) async fn apply(&self, key: KeyId, state: KeyState) -> Result<(), LimiterError> {
        self.own.apply(key, self.share(state)).await
    }

    /// Reads a key and tells the own limiter; `None` when the store has no such key.
    async fn told(&self, key: KeyId, month: Month) -> Result<Option<Snapshot>, LimiterError> {
        let snapshot = self.keys.snapshot(key, month).await.map_err(no_store)?;
        if let Some(snapshot) = snapshot {
            let told = Snapshot {
                state: self.share(snapshot.state),
                // Without a quota no month matters, and its clock may be behind this one.
                month: Month::of(self.clock.now()),
                ..snapshot
            };
            self.own.hydrate(key, told).await?;
        }
        Ok(snapshot)
    }

    /// This replica's share of a key's minute. It is the same for every version, so that versions
    /// order shares as they order the limits.
    fn share(&self, state: KeyState) -> KeyState {
        let per_minute = (state.limits.per_minute() / self.replicas).max(1);
        let limits = Limits::new(per_minute, None);
        KeyState {
            limits: limits.expect("a share of a limit is at least 1 and at most the limit"),
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

/// Without the store nothing is known of a key here, so nothing is admitted.
pub(super) fn no_store(error: StoreError) -> LimiterError {
    LimiterError {
        cause: Arc::new(error),
    }
}
