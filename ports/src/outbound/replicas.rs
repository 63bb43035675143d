//! Port: the register of replicas.

use std::num::NonZeroU32;
use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

use crate::StoreError;

/// Port: the register of the processes that serve from one store, kept by heartbeats on the store's
/// own clock.
#[async_trait]
pub trait ReplicaRegistry: Send + Sync {
    /// Records that a process serves now, and returns the number of processes that did so within
    /// `lifetime`, this one included.
    async fn beat(&self, instance: Uuid, lifetime: Duration) -> Result<NonZeroU32, StoreError>;

    /// Removes a process that ends. One that isn't there is no error.
    async fn leave(&self, instance: Uuid) -> Result<(), StoreError>;
}
