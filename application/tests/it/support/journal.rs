//! A journal that waits when told to.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use ports::Cause;
use ports::outbound::{
    AdmissionEntry, JournalError, Receipt, RefusalEntry, RequestEntry, UsageJournal,
};
use testkit::fakes::MemoryJournal;
use tokio::sync::watch;

/// A journal that can hold back its entries, as one does that waits for a slow disk.
pub(crate) struct HeldJournal {
    inner: Arc<MemoryJournal>,
    is_held: watch::Sender<bool>,
    held: Mutex<Vec<AdmissionEntry>>,
}

impl HeldJournal {
    pub(crate) fn over(inner: Arc<MemoryJournal>) -> Self {
        Self {
            inner,
            is_held: watch::Sender::new(false),
            held: Mutex::default(),
        }
    }

    /// From now on admissions are not written, and whoever waits for one goes on waiting.
    pub(crate) fn hold(&self) {
        self.is_held.send_replace(true);
    }

    /// Writes what was held back.
    pub(crate) fn release(&self) {
        for entry in self.held.lock().unwrap().drain(..) {
            drop(self.inner.admit(entry));
        }
        self.is_held.send_replace(false);
    }

    /// Resolves once nothing is held back.
    fn released(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut is_held = self.is_held.subscribe();
        async move {
            is_held.wait_for(|is_held| !is_held).await.unwrap();
        }
    }
}

#[async_trait]
impl UsageJournal for HeldJournal {
    fn admit(&self, entry: AdmissionEntry) -> Receipt {
        if !*self.is_held.borrow() {
            return self.inner.admit(entry);
        }
        self.held.lock().unwrap().push(entry);
        let released = self.released();
        Receipt::new(async {
            released.await;
            Ok(())
        })
    }

    fn conclude(&self, entry: RequestEntry) {
        self.inner.conclude(entry);
    }

    fn refuse(&self, entry: RefusalEntry) {
        self.inner.refuse(entry);
    }

    async fn flush(&self) -> Result<(), JournalError> {
        self.released().await;
        self.inner.flush().await
    }

    fn trouble(&self) -> Option<Cause> {
        self.inner.trouble()
    }

    fn accepts(&self) -> Result<(), JournalError> {
        self.inner.accepts()
    }

    fn probe(&self) {
        self.inner.probe();
    }
}
