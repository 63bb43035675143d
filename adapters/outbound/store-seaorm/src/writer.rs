//! The one task that writes the journal's batches, each exactly once.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, FromQueryResult, Statement};
use uuid::Uuid;

use crate::journal::{Fate, Shared, Task};
use crate::store::immediate;
use crate::tally::{Batch, WrittenMinutes};

/// Pauses between attempts at a batch that fails.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Keys whose last minute of use is remembered.
const MOST_MINUTES: usize = 100_000;

pub(crate) struct Writer {
    database: DatabaseConnection,
    /// This process's name in `journal_marks`.
    name: Uuid,
    /// The batch that is written next.
    number: i64,
    minutes: WrittenMinutes,
}

#[derive(Debug, FromQueryResult)]
struct Mark {
    batch: i64,
}

impl Writer {
    pub(crate) fn new(database: DatabaseConnection, name: Uuid) -> Self {
        Self {
            database,
            name,
            number: 1,
            minutes: WrittenMinutes::new(),
        }
    }

    /// Writes what gathers, until the journal closes and nothing is left.
    pub(crate) async fn run(mut self, shared: Arc<Shared>) {
        loop {
            if let Some(task) = shared.take() {
                self.write(task).await;
            } else if shared.is_closing() {
                return;
            } else {
                shared.work.notified().await;
            }
        }
    }

    /// Writes one batch, however long it takes: what is in it was promised.
    async fn write(&mut self, task: Task) {
        let mut pause = FIRST_PAUSE;
        while let Err(error) = self.attempt(&task.batch).await {
            tracing::error!(%error, entries = task.batch.len(), "the journal could not be written; it is tried again");
            task.fate.send_replace(Fate::Failing(Arc::new(error)));
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            // A commit whose answer was lost may have happened all the same.
            if self.is_marked().await.unwrap_or(false) {
                break;
            }
        }
        self.number += 1;
        if self.minutes.len() > MOST_MINUTES {
            self.minutes.clear();
        }
        let fresh: Vec<_> = task.batch.fresh_minutes(&self.minutes).collect();
        self.minutes.extend(fresh);
        task.fate.send_replace(Fate::Written);
    }

    async fn attempt(&self, batch: &Batch) -> Result<(), DbErr> {
        let step = immediate(&self.database).await?;
        let backend = step.get_database_backend();
        for statement in batch.statements(backend, self.name, self.number, &self.minutes) {
            step.execute_raw(statement).await?;
        }
        step.commit().await
    }

    /// Whether the batch that is written next has been written already.
    async fn is_marked(&self) -> Result<bool, DbErr> {
        let query = Statement::from_sql_and_values(
            self.database.get_database_backend(),
            "SELECT batch FROM journal_marks WHERE writer = $1",
            [self.name.to_string().into()],
        );
        let mark = Mark::find_by_statement(query).one(&self.database).await?;
        Ok(mark.is_some_and(|mark| mark.batch == self.number))
    }
}
