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
//!
//! A server is written to on two lanes, each with a queue, a writer and a connection of its own. On
//! one go the counts that answers wait for, a statement for a batch. On the other, requests and
//! statistics gather for [`LINGER`]: many of them share a row by then, so it is changed once, and the
//! server may put off its write to the disk, as no answer waits for it. A file has one writer at a time
//! and little to gain, so there everything goes on one lane.

mod batch;
mod lane;
mod queue;
mod statements;
mod statistics;
mod witness;
mod writer;

use std::iter::once;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ports::Cause;
use ports::outbound::{
    AdmissionEntry, JournalError, Receipt, RefusalEntry, RequestEntry, UsageJournal,
};
use sea_orm::{DatabaseConnection, DbBackend};
use uuid::Uuid;

use crate::connection::StoreOptions;
use lane::Lane;
use queue::Queue;
pub(crate) use statements::minute;
pub use witness::CommitWitness;
use writer::Writer;

/// How long requests and statistics wait for others on a lane of their own.
const LINGER: Duration = Duration::from_millis(250);

/// Writes down what was used. Close it before the program ends: what still waits is written then.
/// Clones are one journal.
#[derive(Clone, Debug)]
pub struct Journal(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    /// What receipts wait for.
    counts: Lane,
    /// Requests and statistics, unless they share the lane of the counts.
    details: Option<Lane>,
}

impl Parts {
    fn details(&self) -> &Queue {
        &self.details.as_ref().unwrap_or(&self.counts).queue
    }

    fn lanes(&self) -> impl Iterator<Item = &Lane> {
        once(&self.counts).chain(&self.details)
    }

    fn queues(&self) -> impl Iterator<Item = &Arc<Queue>> {
        self.lanes().map(|lane| &lane.queue)
    }
}

impl Journal {
    pub(crate) fn start(
        connection: DatabaseConnection,
        writer: Uuid,
        options: StoreOptions,
        witness: Arc<dyn CommitWitness>,
    ) -> Self {
        let backend = connection.get_database_backend();
        let lane = move |name, linger| {
            let queue = Queue::new(options.journal_capacity, options.journal_patience, linger);
            let queue = Arc::new(queue);
            let patience = options.answer_timeout(backend);
            let (connection, witness) = (connection.clone(), Arc::clone(&witness));
            let filled = Arc::clone(&queue);
            Lane::start(
                queue,
                Writer::new(connection, name, filled, patience, witness),
            )
        };
        Self(Arc::new(match backend {
            DbBackend::Postgres => Parts {
                counts: lane(writer, Duration::ZERO),
                details: Some(lane(second_name(writer), LINGER)),
            },
            _ => Parts {
                counts: lane(writer, Duration::ZERO),
                details: None,
            },
        }))
    }

    /// Entries that wait to be durable, those that are being written included.
    pub fn waiting(&self) -> usize {
        self.0.queues().map(|queue| queue.waiting()).sum()
    }

    /// Writes what waits and ends. While the store fails it is tried for as long as an entry may
    /// wait (`journal_patience`), then given up and logged. Nothing is taken any more from now on.
    /// Whoever closes it again, at the same time or later, waits for the same end.
    ///
    /// # Errors
    /// When something couldn't be written.
    pub async fn close(&self) -> Result<(), JournalError> {
        for queue in self.0.queues() {
            queue.close();
        }
        for lane in self.0.lanes() {
            lane.ended().await;
        }
        self.0.queues().try_for_each(|queue| queue.left_behind())
    }

    /// Resolves when nothing more will be written: after [`Journal::close`], or because of a defect.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let counts = self.0.counts.ended();
        let details = self.0.details.as_ref().map(Lane::ended);
        async move {
            match details {
                None => counts.await,
                Some(details) => tokio::select! {
                    () = counts => {}
                    () = details => {}
                },
            }
        }
    }
}

/// The name of the second writer of a process, which tells its marks from the first's.
fn second_name(first: Uuid) -> Uuid {
    Uuid::from_u128(first.as_u128() ^ 1)
}

#[async_trait]
impl UsageJournal for Journal {
    fn admit(&self, entry: AdmissionEntry) -> Receipt {
        self.0.counts.queue.admit(entry)
    }

    fn conclude(&self, entry: RequestEntry) {
        if let Some(month) = entry.refund {
            self.0.counts.queue.refund(entry.key, month, entry.at);
        }
        self.0.details().keep(entry);
    }

    fn refuse(&self, entry: RefusalEntry) {
        self.0.details().refuse(&entry);
    }

    async fn flush(&self) -> Result<(), JournalError> {
        let flushing: Vec<_> = self.0.queues().map(Queue::flush).collect();
        for flushed in flushing {
            flushed.await?;
        }
        Ok(())
    }

    fn trouble(&self) -> Option<Cause> {
        self.0.queues().find_map(|queue| queue.trouble())
    }

    fn accepts(&self) -> Result<(), JournalError> {
        self.0.queues().try_for_each(|queue| queue.accepts())
    }

    fn probe(&self) {
        self.0.counts.queue.probe();
    }
}
