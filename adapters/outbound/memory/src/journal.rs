//! A journal in memory, for tests. It can be told to fail.

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use ports::Cause;
use ports::outbound::{AdmissionEntry, JournalError, Receipt, RequestEntry, UsageJournal};
use uuid::Uuid;

use crate::MemoryKeyStore;

/// Writes at once, into the counters of a [`MemoryKeyStore`].
#[derive(Debug)]
pub struct MemoryJournal {
    keys: MemoryKeyStore,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    requests: BTreeMap<Uuid, RequestEntry>,
    failure: Option<JournalError>,
}

impl MemoryJournal {
    /// A journal of what the keys of `keys` use.
    pub fn new(keys: MemoryKeyStore) -> Self {
        Self {
            keys,
            state: Mutex::default(),
        }
    }

    /// Every receipt and every flush fails like this from now on; `None`: none does. What is
    /// handed over is counted all the same, as a journal does that only can't promise it.
    pub fn fail_with(&self, failure: Option<JournalError>) {
        self.state().failure = failure;
    }

    /// The requests that were concluded, by their id.
    pub fn requests(&self) -> Vec<RequestEntry> {
        self.state().requests.values().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the journal")
    }

    fn promise(&self) -> Result<(), JournalError> {
        self.state().failure.clone().map_or(Ok(()), Err)
    }
}

#[async_trait]
impl UsageJournal for MemoryJournal {
    fn admit(&self, entry: AdmissionEntry) -> Receipt {
        self.keys
            .count(entry.key, entry.month, |used| used.charged += 1);
        self.keys.use_at(entry.key, entry.at);
        Receipt::new(ready(self.promise()))
    }

    fn conclude(&self, entry: RequestEntry) {
        if let Some(month) = entry.refund {
            self.keys.count(entry.key, month, |used| used.refunded += 1);
        }
        self.state().requests.insert(entry.id, entry);
    }

    async fn flush(&self) -> Result<(), JournalError> {
        self.promise()
    }

    fn trouble(&self) -> Option<Cause> {
        let failure = self.state().failure.clone();
        failure.map(|failure| Arc::new(failure) as Cause)
    }
}
