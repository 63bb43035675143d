//! In-memory journal, with failures on demand.

use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use ports::Cause;
use ports::outbound::{
    AdmissionEntry, JournalError, Receipt, RefusalEntry, RequestEntry, UsageJournal,
};

use super::MemoryStore;

/// Journal that writes at once into a [`MemoryStore`].
#[derive(Debug)]
pub struct MemoryJournal {
    store: MemoryStore,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    conclusions: Vec<RequestEntry>,
    refusals: Vec<RefusalEntry>,
    failure: Option<JournalError>,
    /// Reason why it accepts nothing; `None` while it accepts.
    refusal: Option<JournalError>,
}

impl MemoryJournal {
    /// A journal that counts in `store`.
    pub fn new(store: MemoryStore) -> Self {
        Self {
            store,
            state: Mutex::default(),
        }
    }

    /// Makes every receipt and every flush fail like this from now on; `None`: none fails. Entries
    /// are counted all the same, as by a journal that only can't promise durability.
    pub fn fail_with(&self, failure: Option<JournalError>) {
        self.state().failure = failure;
    }

    /// Makes it refuse entries from now on; `None`: it accepts again.
    pub fn refuse_with(&self, refusal: Option<JournalError>) {
        self.state().refusal = refusal;
    }

    /// The requests in the order of their conclusion. One that was concluded twice is listed twice,
    /// although it counts once.
    pub fn requests(&self) -> Vec<RequestEntry> {
        self.state().conclusions.clone()
    }

    /// The requests that a limit refused, in order.
    pub fn refusals(&self) -> Vec<RefusalEntry> {
        self.state().refusals.clone()
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
        self.store
            .count(entry.key, entry.month, |used| used.charged += 1);
        self.store.use_at(entry.key, entry.at);
        Receipt::new(ready(self.promise()))
    }

    fn conclude(&self, entry: RequestEntry) {
        self.state().conclusions.push(entry.clone());
        self.store.keep(entry);
    }

    fn refuse(&self, entry: RefusalEntry) {
        self.store.count_refusal(entry);
        self.state().refusals.push(entry);
    }

    async fn flush(&self) -> Result<(), JournalError> {
        self.promise()
    }

    fn trouble(&self) -> Option<Cause> {
        let failure = self.state().failure.clone();
        failure.map(|failure| Arc::new(failure) as Cause)
    }

    fn accepts(&self) -> Result<(), JournalError> {
        self.state().refusal.clone().map_or(Ok(()), Err)
    }

    fn probe(&self) {}
}
