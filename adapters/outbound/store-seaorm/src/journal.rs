//! Usage journal: entries are written in group commits by separate tasks.
//!
//! An entry is added to the batch that is being filled, in memory. The writer takes the whole batch
//! whenever it is free and commits it in one transaction, so nothing waits for a timer, and the
//! busier it gets the more entries share a commit. Counts of one key and month are summed before
//! they reach the database, and so are the statistics of requests: by key and hour, by customer and
//! day.
//!
//! A batch whose commit failed is kept and retried with exponential back-off. Once that has taken
//! as long as an entry may wait, the journal accepts no more entries, so that no request waits in
//! vain and the queue doesn't grow; the retries go on until the database is back. Each batch writes
//! a checkpoint with its number in its own transaction, before anything else, and an attempt that
//! finds its checkpoint ends: a commit that took place although its answer was lost is never
//! repeated. (On SQLite a failed commit is rolled back; after a lost connection to PostgreSQL this
//! isn't known, and the server may still be executing it.)
//!
//! On SQLite the journal also looks for the checkpoint of its previous batch. If it is missing, the
//! database was set back to an older state, and nothing is written to it any more. Nor is anything
//! written to files that were moved or replaced.
//!
//! Any number of processes write to one PostgreSQL server. Their batches lock the rows that they
//! add to in one order, so they wait for each other without deadlocks; a batch fills further while
//! its writer waits.
//!
//! On PostgreSQL there are three writers, each with a queue and a connection of its own. One writes
//! the counts that answers wait for, with one statement per batch. Another writes requests, after a
//! short linger, and the third their statistics, after a longer one: entries that share a row
//! change it once. The server may defer the flush of both to disk, as no answer waits for them. A
//! SQLite file allows one writer at a time, so there one writer writes everything.

mod batch;
mod metrics_sink;
mod queue;
mod statements;
mod statistics;
mod writer;
mod writer_queue;

use std::iter::once;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::select_all;
use ports::Cause;
use ports::outbound::{
    AdmissionEntry, JournalError, Receipt, RefusalEntry, RequestEntry, UsageJournal,
};
use sea_orm::{DatabaseConnection, DbBackend};
use uuid::Uuid;

use crate::connection::{OpenFiles, StoreOptions};
use crate::transaction::WriteLock;
use batch::Linger;
pub use metrics_sink::CommitMetricsSink;
use queue::Queue;
use writer::Writer;
use writer_queue::WriterQueue;

/// Linger of requests, where they have their own writer: many share one statement. A longer linger
/// would keep the server busy for longer at a time, while answers wait for their counts.
const REQUESTS: Linger = Linger {
    span: Duration::from_millis(250),
    most: 1_024,
};
/// Linger of statistics, where they have their own writer, and of refusals everywhere: a caller
/// that ignores its limit costs one commit per linger instead of one per request.
const STATISTICS: Linger = Linger {
    span: Duration::from_secs(1),
    most: 4_096,
};

/// Usage journal in the database. Close it before the program ends: the queued entries are written
/// then. Clones share one journal.
#[derive(Clone, Debug)]
pub struct Journal(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    /// Counts that receipts wait for; all entries, where there are no other writers.
    counts: WriterQueue,
    details: Option<Details>,
    /// SQLite: the database's files.
    files: Option<Arc<OpenFiles>>,
}

/// Writers of entries that no answer waits for.
#[derive(Debug)]
struct Details {
    requests: WriterQueue,
    statistics: WriterQueue,
}

impl Details {
    fn writer_queues(&self) -> [&WriterQueue; 2] {
        [&self.requests, &self.statistics]
    }
}

impl Parts {
    fn writer_queues(&self) -> impl Iterator<Item = &WriterQueue> {
        let details = self.details.iter().flat_map(Details::writer_queues);
        once(&self.counts).chain(details)
    }

    fn queues(&self) -> impl Iterator<Item = &Arc<Queue>> {
        self.writer_queues().map(|writer_queue| &writer_queue.queue)
    }
}

impl Journal {
    pub(crate) fn start(
        connection: DatabaseConnection,
        writer: Uuid,
        options: StoreOptions,
        write_lock: WriteLock,
        files: Option<Arc<OpenFiles>>,
        metrics_sink: Arc<dyn CommitMetricsSink>,
    ) -> Self {
        let backend = connection.get_database_backend();
        let written = files.clone();
        let writer_queue = move |name: String, linger| {
            let queue = Queue::new(options.journal_capacity, options.journal_patience, linger);
            let queue = Arc::new(queue);
            let patience = options.answer_timeout(backend);
            let (connection, metrics_sink) = (connection.clone(), Arc::clone(&metrics_sink));
            let filled = Arc::clone(&queue);
            WriterQueue::start(
                queue,
                Writer::new(
                    connection,
                    name,
                    filled,
                    patience,
                    write_lock.clone(),
                    written.clone(),
                    metrics_sink,
                ),
            )
        };
        Self(Arc::new(Parts {
            counts: writer_queue(writer.to_string(), STATISTICS),
            details: (backend == DbBackend::Postgres).then(|| Details {
                requests: writer_queue(format!("{writer}:requests"), REQUESTS),
                statistics: writer_queue(format!("{writer}:statistics"), STATISTICS),
            }),
            files,
        }))
    }

    /// Reason why the database isn't written to, found by the last commit or by the last poll of
    /// the change feed.
    fn unusable(&self) -> Option<Cause> {
        let reason = self.0.files.as_ref()?.reason_found()?;
        Some(Arc::new(reason))
    }

    /// Number of entries that aren't durable yet, including those being written.
    pub fn waiting(&self) -> usize {
        self.0.queues().map(|queue| queue.waiting()).sum()
    }

    /// Writes the queued entries and ends. While the database fails it is retried for as long as an
    /// entry may wait (`journal_patience`), then given up and logged. No entry is accepted from now
    /// on. Concurrent and later calls wait for the same end.
    ///
    /// # Errors
    /// Fails when something couldn't be written.
    pub async fn close(&self) -> Result<(), JournalError> {
        for queue in self.0.queues() {
            queue.close();
        }
        for writer_queue in self.0.writer_queues() {
            writer_queue.ended().await;
        }
        self.0
            .queues()
            .try_for_each(|queue| queue.ensure_all_written())
    }

    /// Resolves when nothing more will be written: after [`Journal::close`], or after a panic.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let ended: Vec<_> = self
            .0
            .writer_queues()
            .map(|writer_queue| Box::pin(writer_queue.ended()))
            .collect();
        async move { drop(select_all(ended).await) }
    }
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
        match &self.0.details {
            None => self.0.counts.queue.keep_and_count(entry),
            Some(Details {
                requests,
                statistics,
            }) => {
                let counted = statistics::of_request(&entry);
                statistics.queue.count(counted, entry.at);
                requests.queue.keep(entry);
            }
        }
    }

    fn refuse(&self, entry: RefusalEntry) {
        let details = self.0.details.as_ref();
        let writer_queue = details.map_or(&self.0.counts, |details| &details.statistics);
        writer_queue
            .queue
            .count(statistics::of_refusal(&entry), entry.at);
    }

    async fn flush(&self) -> Result<(), JournalError> {
        let flushing: Vec<_> = self.0.queues().map(Queue::flush).collect();
        for flushed in flushing {
            flushed.await?;
        }
        Ok(())
    }

    fn trouble(&self) -> Option<Cause> {
        let unusable = self.unusable();
        unusable.or_else(|| self.0.queues().find_map(|queue| queue.trouble()))
    }

    fn accepts(&self) -> Result<(), JournalError> {
        if let Some(cause) = self.unusable() {
            return Err(JournalError::Store { cause });
        }
        self.0.queues().try_for_each(|queue| queue.accepts())
    }

    fn probe(&self) {
        self.0.counts.queue.probe();
    }
}
