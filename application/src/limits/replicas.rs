//! Number of replicas: counted by their heartbeats, and shared with whatever keeps a share of a limit.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use domain::replicas::{BEAT_LIFETIME, ReplicaEstimate};
use ports::outbound::{Clock, ReplicaRegistry, StoreError};
use uuid::Uuid;

/// The number of replicas as last known, with the number of its changes.
#[derive(Debug)]
pub struct ReplicaCount(AtomicU64);

impl ReplicaCount {
    /// A number that is known from the beginning.
    pub fn new(replicas: NonZeroU32) -> Self {
        Self(AtomicU64::new(u64::from(replicas.get())))
    }

    /// The number of replicas.
    pub fn get(&self) -> NonZeroU32 {
        self.with_changes().0
    }

    /// The number of replicas, and how often it changed until it was this one.
    pub(crate) fn with_changes(&self) -> (NonZeroU32, u32) {
        let packed = self.0.load(Ordering::Acquire);
        let [changes, count] = [packed >> 32, packed & u64::from(u32::MAX)];
        let count = u32::try_from(count).ok().and_then(NonZeroU32::new);
        let changes = u32::try_from(changes).unwrap_or(u32::MAX);
        (count.unwrap_or(NonZeroU32::MIN), changes)
    }

    /// Changes the number; returns the one before if it was another one.
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

/// Sends the heartbeats of this process, and keeps the number of replicas. A register that fails
/// leaves the number as it is.
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
    /// Heartbeats.
    Counted,
    /// An operator's configuration. This process still sends heartbeats, for the others.
    Configured,
}

impl ReplicaMonitor {
    /// A monitor of `count`, for the process with this id.
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

    /// Sends a heartbeat and updates the number of replicas. Call it before the first request is
    /// served, and then every [`BEAT_INTERVAL`](domain::replicas::BEAT_INTERVAL).
    ///
    /// # Errors
    /// Fails when the register can't be reached; the number stays as it is.
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

    /// Removes this process from the register, when it ends.
    ///
    /// # Errors
    /// Fails when the register can't be reached: this process counts for a while yet.
    pub async fn leave(&self) -> Result<(), StoreError> {
        self.registry.leave(self.instance).await
    }

    fn estimate(&self) -> MutexGuard<'_, ReplicaEstimate> {
        let estimate = self.estimate.lock();
        estimate.expect("nothing panics while it holds the estimate")
    }
}
