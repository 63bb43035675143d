//! Metrics of the journal's commits.

use std::time::Duration;

/// Receives the result of every attempt at a commit. Called by the writer itself, so it must be
/// quick.
pub trait CommitMetricsSink: Send + Sync {
    /// A commit made `entries` durable and took so long.
    fn committed(&self, entries: usize, took: Duration);

    /// A commit failed; its entries are retried.
    fn failed(&self);
}

/// Discards the metrics.
impl CommitMetricsSink for () {
    fn committed(&self, _entries: usize, _took: Duration) {}

    fn failed(&self) {}
}
