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
//! A file's journal also looks for the mark of its batch before: without it the database is an older
//! one than what was promised to be durable, and nothing is written to it any more. Neither is to files
//! that were moved or replaced.
//!
//! Any number of processes write to one server. Their batches lock the rows that they add to in one
//! order, so they wait for each other and never in a circle; who waits fills a larger batch.
//!
//! A server is written to on three lanes, each with a queue, a writer and a connection of its own. On
//! one go the counts that answers wait for, a statement for a batch. On another, requests gather for a
//! moment, and on the third their statistics for longer: what shares a row changes it once. The server
//! may put off the write of both to the disk, as no answer waits for it. A file has one writer at a
//! time and little to gain, so there everything goes on one lane.

mod batch;
mod lane;
mod metrics_sink;
mod queue;
mod statements;
mod statistics;
mod writer;

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
use batch::Gathering;
use lane::Lane;
pub use metrics_sink::CommitMetricsSink;
use queue::Queue;
pub(crate) use statements::minute;
use writer::Writer;

/// Lanes, and connections, of a server's journal.
pub(crate) const SERVER_LANES: u32 = 3;
/// Requests on a lane of their own: many go in one statement. To wait for more would keep a server busy
/// with them for longer at a time, while answers wait for their counts.
const REQUESTS: Gathering = Gathering {
    span: Duration::from_millis(250),
    most: 1_024,
};
/// Statistics on a lane of their own, and refusals everywhere: a caller that ignores its limit costs a
/// commit in so long, and not one after another.
const STATISTICS: Gathering = Gathering {
    span: Duration::from_secs(1),
    most: 4_096,
};

/// Writes down what was used. Close it before the program ends: what still waits is written then.
/// Clones are one journal.
#[derive(Clone, Debug)]
pub struct Journal(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    /// What receipts wait for; everything, where the others aren't there.
    counts: Lane,
    details: Option<Details>,
    /// SQLite: the files that are written to.
    files: Option<Arc<OpenFiles>>,
}

/// Lanes for what no answer waits for.
#[derive(Debug)]
struct Details {
    requests: Lane,
    statistics: Lane,
}

impl Details {
    fn lanes(&self) -> [&Lane; 2] {
        [&self.requests, &self.statistics]
    }
}

impl Parts {
    fn lanes(&self) -> impl Iterator<Item = &Lane> {
        let details = self.details.iter().flat_map(Details::lanes);
        once(&self.counts).chain(details)
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
        files: Option<Arc<OpenFiles>>,
        metrics_sink: Arc<dyn CommitMetricsSink>,
    ) -> Self {
        let backend = connection.get_database_backend();
        let written = files.clone();
        let lane = move |name: String, gathering| {
            let queue = Queue::new(
                options.journal_capacity,
                options.journal_patience,
                gathering,
            );
            let queue = Arc::new(queue);
            let patience = options.answer_timeout(backend);
            let (connection, metrics_sink) = (connection.clone(), Arc::clone(&metrics_sink));
            let filled = Arc::clone(&queue);
            Lane::start(
                queue,
                Writer::new(
                    connection,
                    name,
                    filled,
                    patience,
                    written.clone(),
                    metrics_sink,
                ),
            )
        };
        Self(Arc::new(Parts {
            counts: lane(writer.to_string(), STATISTICS),
            details: (backend == DbBackend::Postgres).then(|| Details {
                requests: lane(format!("{writer}:requests"), REQUESTS),
                statistics: lane(format!("{writer}:statistics"), STATISTICS),
            }),
            files,
        }))
    }

    /// Reason why the database isn't written to, found by the last commit or by the last look at the
    /// changes of keys.
    fn unusable(&self) -> Option<Cause> {
        let reason = self.0.files.as_ref()?.reason_found()?;
        Some(Arc::new(reason))
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
        let ended: Vec<_> = self.0.lanes().map(|lane| Box::pin(lane.ended())).collect();
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
        let lane = details.map_or(&self.0.counts, |details| &details.statistics);
        lane.queue.count(statistics::of_refusal(&entry), entry.at);
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
