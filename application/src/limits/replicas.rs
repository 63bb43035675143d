//! Number of replicas, counted by heartbeats, from which shares of limits are computed.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use domain::limits::replicas::{BEAT_LIFETIME, ReplicaEstimate};
use ports::outbound::{Clock, ReplicaRegistry, StoreError};
use uuid::Uuid;

/// The last known number of replicas, with the number of its changes.
#[derive(Debug)]
pub struct ReplicaCount(AtomicU64);

impl ReplicaCount {
    /// Creates a count with this initial number.
    pub fn new(replicas: NonZeroU32) -> Self {
        Self(AtomicU64::new(u64::from(replicas.get())))
    }

    /// The number of replicas as last set, by heartbeats or by configuration.
    pub fn get(&self) -> NonZeroU32 {
        self.with_changes().0
    }

    /// The number of replicas, and how often it has changed so far.
    pub(crate) fn with_changes(&self) -> (NonZeroU32, u32) {
        let packed = self.0.load(Ordering::Acquire);
        let [changes, count] = [packed >> 32, packed & u64::from(u32::MAX)];
        let count = u32::try_from(count).ok().and_then(NonZeroU32::new);
        let changes = u32::try_from(changes).unwrap_or(u32::MAX);
        (count.unwrap_or(NonZeroU32::MIN), changes)
    }

    /// Sets the number; returns the previous one if it changed.
    fn set(&self, replicas: NonZeroU32) -> Option<NonZeroU32> {
        let (before, changes) = self.with_changes();
        if before == replicas {
            return None;
        }
        let changes = u64::from(changes.saturating_add(1));
        let packed = changes << 32 | u64::from(replicas.get());
        self.0.store(packed, Ordering::Release);
        Some(before)
    }
}

/// Sends the heartbeats of this process, and updates the number of replicas. If the register fails, the
/// number is kept.
pub struct ReplicaMonitor {
    registry: Arc<dyn ReplicaRegistry>,
    clock: Arc<dyn Clock>,
    instance: Uuid,
    count: Arc<ReplicaCount>,
    source: CountSource,
    estimate: Mutex<ReplicaEstimate>,
}

/// Source of the number of replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountSource {
    /// Counted by heartbeats.
    Counted,
    /// Configured by an operator. This process still sends heartbeats, so that others can count it.
    Configured,
}

impl ReplicaMonitor {
    /// Creates a monitor that updates `count`, for the process with the id `instance`.
    pub fn new(
        registry: Arc<dyn ReplicaRegistry>,
        clock: Arc<dyn Clock>,
        instance: Uuid,
        count: Arc<ReplicaCount>,
        source: CountSource,
    ) -> Self {
        Self {
            registry,
            clock,
            instance,
            count,
            source,
            estimate: Mutex::default(),
        }
    }

    /// Sends a heartbeat and updates the number of replicas. To be called before the first request is served,
    /// and then every [`BEAT_INTERVAL`](domain::limits::replicas::BEAT_INTERVAL).
    ///
    /// # Errors
    /// The register can't be reached; the number is kept.
    pub async fn beat(&self) -> Result<(), StoreError> {
        let counted = self.registry.beat(self.instance, BEAT_LIFETIME).await?;
        if self.source == CountSource::Configured {
            return Ok(());
        }
        let replicas = self.estimate().record(counted, self.clock.monotonic());
        if let Some(before) = self.count.set(replicas) {
            tracing::info!(replicas, before, "the number of replicas changed");
        }
        Ok(())
    }

    /// Removes this process from the register at its shutdown.
    ///
    /// # Errors
    /// The register can't be reached; other processes count this one until its heartbeat expires.
    pub async fn leave(&self) -> Result<(), StoreError> {
        self.registry.leave(self.instance).await
    }

    fn estimate(&self) -> MutexGuard<'_, ReplicaEstimate> {
        let estimate = self.estimate.lock();
        estimate.expect("nothing panics while it holds the estimate")
    }
}
