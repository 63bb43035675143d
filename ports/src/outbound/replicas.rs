//! Port: the register of replicas.

use std::num::NonZeroU32;
use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

use crate::StoreError;

/// Port: register of the processes that use one store, kept by heartbeats on the store's own clock.
#[async_trait]
pub trait ReplicaRegistry: Send + Sync {
    /// Records a heartbeat of a process, and returns the number of processes with a heartbeat within
    /// `lifetime`, including this one.
    async fn beat(&self, instance: Uuid, lifetime: Duration) -> Result<NonZeroU32, StoreError>;

    /// Removes a process that shuts down. An unknown one isn't an error.
    async fn leave(&self, instance: Uuid) -> Result<(), StoreError>;
}
