//! The journal: what was used, written down by one task, many entries in one commit.
//!
//! Handing an entry over adds to the batch that is being filled, in memory. The writer takes the
//! whole batch whenever it is free and commits it in one transaction, so nothing waits for a
//! timer, and the busier it gets the more share one commit. Counts of one key and month are added
//! up before they reach the database, and so are the statistics of requests: by key and hour, by
//! customer and day.
//!
//! A batch whose commit failed is kept and tried again with growing pauses. Once that took as long
//! as an entry may wait, the journal says that it accepts nothing, so that nobody waits in vain and
//! nothing piles up; the batch itself finds out when the store is back. Each batch leaves a
//! mark with its number in its own transaction, before anything else, and an attempt that finds the
//! mark there ends: a commit that took place although its answer was lost is never repeated. (On
//! SQLite a failed commit is rolled back; a lost connection to a server leaves that open, and the
//! server may still be about it.)
//!
//! Any number of processes write to one server. Their batches lock the rows that they add to in one
//! order, so they wait for each other and never in a circle; who waits fills a larger batch.

mod queue;
mod statements;
mod statistics;
mod witness;
mod writer;

use std::sync::Arc;

use async_trait::async_trait;
use ports::Cause;
use ports::outbound::{
    AdmissionEntry, JournalError, Receipt, RefusalEntry, RequestEntry, UsageJournal,
};
use sea_orm::DatabaseConnection;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::connection::StoreOptions;
use queue::Queue;
pub(crate) use statements::minute;
pub use witness::CommitWitness;
use writer::Writer;

/// Writes down what was used. Close it before the program ends: what still waits is written then.
/// Clones are one journal.
#[derive(Clone, Debug)]
pub struct Journal(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    queue: Arc<Queue>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Journal {
    pub(crate) fn start(
        connection: DatabaseConnection,
        writer: Uuid,
        options: StoreOptions,
        witness: Arc<dyn CommitWitness>,
    ) -> Self {
        let queue = Queue::new(options.journal_capacity, options.journal_patience);
        let queue = Arc::new(queue);
        let patience = options.answer_timeout(connection.get_database_backend());
        let writer = Writer::new(connection, writer, Arc::clone(&queue), patience, witness);
        let writer = Mutex::new(Some(tokio::spawn(writer.run())));
        Self(Arc::new(Parts { queue, writer }))
    }

    /// Entries that wait to be durable, those that are being written included.
    pub fn waiting(&self) -> usize {
        self.0.queue.waiting()
    }

    /// Writes what waits and ends. While the store fails it is tried for as long as an entry may
    /// wait (`journal_patience`), then given up and logged. Nothing is taken any more from now on.
    /// Whoever closes it again, at the same time or later, waits for the same end.
    ///
    /// # Errors
    /// When something couldn't be written.
    pub async fn close(&self) -> Result<(), JournalError> {
        self.0.queue.close();
        let mut writer = self.0.writer.lock().await;
        if let Some(running) = writer.as_mut() {
            // The task neither panics nor is cancelled, save by a runtime that ends.
            let _ = running.await;
            *writer = None;
        }
        drop(writer);
        self.0.queue.left_behind()
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        self.queue.close();
    }
}

#[async_trait]
impl UsageJournal for Journal {
    fn admit(&self, entry: AdmissionEntry) -> Receipt {
        self.0.queue.admit(entry)
    }

    fn conclude(&self, entry: RequestEntry) {
        self.0.queue.conclude(entry);
    }

    fn refuse(&self, entry: RefusalEntry) {
        self.0.queue.refuse(&entry);
    }

    async fn flush(&self) -> Result<(), JournalError> {
        self.0.queue.flush().await
    }

    fn trouble(&self) -> Option<Cause> {
        self.0.queue.trouble()
    }

    fn accepts(&self) -> Result<(), JournalError> {
        self.0.queue.accepts()
    }

    fn probe(&self) {
        self.0.queue.probe();
    }
}
