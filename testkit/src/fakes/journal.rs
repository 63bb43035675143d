//! In-memory journal, with failures on demand.

use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use ports::Cause;
use ports::outbound::{
    AdmissionEntry, JournalError, Receipt, RefusalEntry, RequestEntry, UsageJournal,
};
use tokio::sync::watch;

use super::{MemoryStore, lock};

/// Journal that writes at once into a [`MemoryStore`].
#[derive(Debug)]
pub struct MemoryJournal {
    store: MemoryStore,
    state: Mutex<State>,
    is_held: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct State {
    /// Admissions that wait for a slow disk.
    held: Vec<AdmissionEntry>,
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
            is_held: watch::Sender::new(false),
        }
    }

    /// From now on admissions are not written, and whoever waits for one goes on waiting, as with a slow
    /// disk.
    pub fn hold(&self) {
        self.is_held.send_replace(true);
    }

    /// Writes what was held back.
    pub fn release(&self) {
        let held = std::mem::take(&mut self.state().held);
        for entry in held {
            self.write(entry);
        }
        self.is_held.send_replace(false);
    }

    /// Resolves once nothing is held back.
    fn released(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut is_held = self.is_held.subscribe();
        async move {
            // The sender is gone with the journal.
            let _ = is_held.wait_for(|is_held| !is_held).await;
        }
    }

    fn write(&self, entry: AdmissionEntry) {
        let (key, month) = (entry.key, entry.month);
        self.store.count(key, month, |used| used.charged += 1);
        self.store.use_at(key, entry.at);
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
        lock(&self.state)
    }

    fn promise(&self) -> Result<(), JournalError> {
        self.state().failure.clone().map_or(Ok(()), Err)
    }
}

#[async_trait]
impl UsageJournal for MemoryJournal {
    fn admit(&self, entry: AdmissionEntry) -> Receipt {
        if !*self.is_held.borrow() {
            self.write(entry);
            return Receipt::new(ready(self.promise()));
        }
        self.state().held.push(entry);
        let released = self.released();
        Receipt::new(async {
            released.await;
            Ok(())
        })
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
        self.released().await;
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
