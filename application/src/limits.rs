//! Limits of keys: the fallback during outages of the shared limiter, and its synchronisation with the store.

mod change_feed;
mod fallback;
mod local;
mod propagate;
mod reconcile;
mod replicas;
mod snapshots;
mod sync_table;

pub use change_feed::ChangeFeed;
pub use fallback::{FallbackLimiter, LimiterMode};
pub(crate) use propagate::ChangePropagator;
pub use reconcile::Reconciliation;
pub use replicas::{CountSource, ReplicaCount, ReplicaMonitor};
pub(crate) use snapshots::SnapshotReader;
