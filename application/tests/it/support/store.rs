//! Faults and counts of the key store, in the words of these tests.

use testkit::fakes::{Fault, Faults, MemoryStore};

/// A key store whose calls are counted, and that waits or does something between two of them when told to.
pub(crate) trait WatchedKeys {
    fn faults(&self) -> &Faults;

    /// Credentials that were looked up.
    fn look_ups(&self) -> usize {
        self.faults().calls_of("credential")
    }

    /// Counters that were read.
    fn snapshots_read(&self) -> usize {
        self.faults().calls_of("snapshot")
    }

    /// The number of keys of each reading of many keys' counters.
    fn batches(&self) -> Vec<usize> {
        self.faults().sizes_of("snapshots")
    }

    /// Holds readings of counters until it comes back.
    fn hold_snapshots(&self) {
        self.faults().inject_into("snapshot", Fault::Hangs);
    }

    /// Runs `action` right after the next reading of counters, before it returns.
    fn after_next_snapshot(&self, action: impl Future<Output = ()> + Send + 'static) {
        self.faults().after_next("snapshot", action);
    }
}

impl WatchedKeys for MemoryStore {
    fn faults(&self) -> &Faults {
        Self::faults(self)
    }
}
