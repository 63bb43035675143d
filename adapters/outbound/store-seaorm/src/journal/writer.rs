//! The task that writes batches, one after another.

use std::sync::Arc;
use std::time::Duration;

use ports::Cause;
use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr};
use tokio::time::{Instant, timeout};

use super::batch::Batch;
use super::metrics_sink::CommitMetricsSink;
use super::queue::Queue;
use super::statements::Statements;
use crate::connection::{OpenFiles, Unusable};
use crate::error::AnswerTimeout;
use crate::transaction::{WriteLock, begin};

/// Pause after a failed commit; it doubles with each failure in a row.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Longest pause: the journal resumes at most this long after the database.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Writer {
    connection: DatabaseConnection,
    statements: Statements,
    queue: Arc<Queue>,
    /// Unique among all writers that ever write to the database.
    name: String,
    /// Number of the next batch.
    number: i64,
    /// Timeout of each answer; SQLite's answers need none.
    patience: Option<Duration>,
    write_lock: WriteLock,
    /// SQLite: the database's files.
    files: Option<Arc<OpenFiles>>,
    metrics_sink: Arc<dyn CommitMetricsSink>,
}

/// Reason why a batch wasn't written.
#[derive(Debug, thiserror::Error)]
enum WriteError {
    #[error(transparent)]
    Database(#[from] DbErr),
    #[error(transparent)]
    Unusable(#[from] Unusable),
}

impl Writer {
    pub(super) fn new(
        connection: DatabaseConnection,
        name: String,
        queue: Arc<Queue>,
        patience: Option<Duration>,
        write_lock: WriteLock,
        files: Option<Arc<OpenFiles>>,
        metrics_sink: Arc<dyn CommitMetricsSink>,
    ) -> Self {
        let statements = Statements::new(connection.get_database_backend());
        Self {
            connection,
            statements,
            queue,
            name,
            number: 1,
            patience,
            write_lock,
            files,
            metrics_sink,
        }
    }

    /// Writes until the queue is closed and empty, or the writer gives up.
    pub(super) async fn run(mut self) {
        while let Some(batch) = self.queue.next().await {
            if self.write(&batch).await.is_err() {
                break;
            }
            self.number += 1;
        }
    }

    /// Writes a batch, with as many attempts as it takes.
    async fn write(&self, batch: &Batch) -> Result<(), GivenUp> {
        let mut attempt = self.attempt(batch).await;
        let mut pause = FIRST_PAUSE;
        while let Err(error) = attempt {
            tracing::warn!(%error, "the journal can't write; it tries again");
            let cause: Cause = Arc::new(error);
            self.queue.record_failure(cause);
            if self.queue.should_give_up(batch) {
                if !batch.is_empty() {
                    tracing::error!(
                        keys = batch.used.len(),
                        requests = batch.requests.len(),
                        "the journal ends with entries that could not be written"
                    );
                }
                return Err(GivenUp);
            }
            tokio::time::sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
            attempt = self.attempt(batch).await;
        }
        self.queue.written(batch);
        Ok(())
    }

    /// One attempt at a commit, reported to the metrics sink.
    async fn attempt(&self, batch: &Batch) -> Result<(), WriteError> {
        let started = Instant::now();
        let committed = self.commit(batch).await;
        match &committed {
            Ok(()) => self
                .metrics_sink
                .committed(batch.entries, started.elapsed()),
            Err(_) => self.metrics_sink.failed(),
        }
        committed
    }

    /// Writes a batch, unless it was written: a commit that took place although its answer was lost
    /// left its checkpoint. On SQLite it is durable only if the files are still the database.
    async fn commit(&self, batch: &Batch) -> Result<(), WriteError> {
        self.check_files()?;
        if let Some(counted) = self.statements.at_once(batch, &self.name, self.number) {
            self.answer(self.connection.execute_raw(counted)).await?;
            return Ok(());
        }
        // Built before the transaction, so that others may write meanwhile.
        let checkpoint = self
            .statements
            .checkpoint_of(batch, &self.name, self.number);
        let statements = self.statements.of(batch);
        let _guard = self.write_lock.acquire().await;
        let transaction = self.answer(begin(&self.connection)).await?;
        if !batch.is_awaited() && self.connection.get_database_backend() == DbBackend::Postgres {
            // No answer waits for it, so it must not delay commits that answers wait for.
            let relaxed = transaction.execute_unprepared("SET LOCAL synchronous_commit = off");
            self.answer(relaxed).await?;
        }
        let mut checkpointed = 0;
        for statement in checkpoint {
            let done = self.answer(transaction.execute_raw(statement)).await?;
            checkpointed += done.rows_affected();
        }
        if checkpointed == 0 {
            let follows = self.follows_last_checkpoint(&transaction).await;
            self.answer(transaction.rollback()).await?;
            return follows;
        }
        for statement in statements {
            self.answer(transaction.execute_raw(statement)).await?;
        }
        self.answer(transaction.commit()).await?;
        Ok(self.check_files()?)
    }

    fn check_files(&self) -> Result<(), Unusable> {
        self.files.as_ref().map_or(Ok(()), |files| files.check())
    }

    /// Distinguishes a batch that was already written from one whose previous checkpoint is
    /// missing.
    async fn follows_last_checkpoint(
        &self,
        transaction: &DatabaseTransaction,
    ) -> Result<(), WriteError> {
        let Some(files) = &self.files else {
            return Ok(());
        };
        let last = transaction.query_one_raw(self.statements.last_checkpoint(&self.name));
        let last = self.answer(last).await?;
        let last = last.map(|row| row.try_get_by_index::<i64>(0)).transpose()?;
        if last == Some(self.number) {
            return Ok(());
        }
        Err(files.set_back().into())
    }

    /// Waits for an answer of the database, with a timeout for each: a server that disappeared
    /// without closing its connection is noticed at the first one, however many a batch needs.
    async fn answer<T>(&self, answer: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        let Some(patience) = self.patience else {
            return answer.await;
        };
        timeout(patience, answer)
            .await
            .unwrap_or_else(|_| Err(DbErr::Custom(AnswerTimeout(patience).to_string())))
    }
}

/// The journal was closed, and the database failed for as long as an entry may wait.
struct GivenUp;
