//! Whoever watches the journal at work.

use std::time::Duration;

/// Hears how every attempt at a commit ends. Called by the writer itself, so it must be quick.
pub trait CommitMetricsSink: Send + Sync {
    /// So many entries became durable together, in a commit that took so long.
    fn committed(&self, entries: usize, took: Duration);

    /// A commit failed; its entries are tried again.
    fn failed(&self);
}

/// Nobody watches.
impl CommitMetricsSink for () {
    fn committed(&self, _entries: usize, _took: Duration) {}

    fn failed(&self) {}
}
