//! Faults and counts of the key store, in the words of these tests.

use testkit::fakes::{Fault, MemoryStore};

/// A key store whose calls are counted, and that waits or does something between two of them when told to.
pub(crate) trait WatchedKeys {
    /// Credentials that were looked up.
    fn look_ups(&self) -> usize;

    /// Counters that were read.
    fn snapshots_read(&self) -> usize;

    /// The number of keys of each reading of many keys' counters.
    fn batches(&self) -> Vec<usize>;

    /// Holds readings of counters until it comes back.
    fn hold_snapshots(&self);

    /// Runs `action` right after the next reading of counters, before it returns.
    fn after_next_snapshot(&self, action: impl Future<Output = ()> + Send + 'static);
}

impl WatchedKeys for MemoryStore {
    fn look_ups(&self) -> usize {
        self.faults().calls_of("credential")
    }

    fn snapshots_read(&self) -> usize {
        self.faults().calls_of("snapshot")
    }

    fn batches(&self) -> Vec<usize> {
        self.faults().sizes_of("snapshots")
    }

    fn hold_snapshots(&self) {
        self.faults().inject_into("snapshot", Fault::Hangs);
    }

    fn after_next_snapshot(&self, action: impl Future<Output = ()> + Send + 'static) {
        self.faults().after_next("snapshot", action);
    }
}
