//! Opening the database, and keeping it small.

use std::time::Duration;

use chrono::{DateTime, Utc};
use migrations::{Migrator, MigratorTrait};
use ports::outbound::StoreError;
use sea_orm::sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbErr,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
};
use uuid::Uuid;

use crate::fault::Fault;
use crate::journal::Journal;

/// How long a writer waits for another one, of this process or another.
const BUSY: Duration = Duration::from_secs(5);
/// Connections that read, and write on behalf of people.
const CONNECTIONS: u32 = 4;
/// Rows that one step of [`Store::prune`] removes, so that the journal never waits for long.
const PRUNE_STEP: i64 = 1_000;

/// The database: keys, their changes, and what was used. Clones share its connections.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) shared: DatabaseConnection,
    /// The journal's own connection, so that it never waits for a free one.
    journal: DatabaseConnection,
}

impl Store {
    /// Opens `sqlite://PATH`, making the file when it is missing.
    ///
    /// # Errors
    /// When the file can't be opened.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let connect = async |most| Database::connect(options(url, most)).await;
        let shared = connect(CONNECTIONS).await.map_err(Fault::from)?;
        let journal = connect(1).await.map_err(Fault::from)?;
        Ok(Self { shared, journal })
    }

    /// Brings the schema up to date. Two processes may do this at once.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        let pending = Migrator::get_pending_migrations(&self.journal).await;
        if pending.is_ok_and(|pending| pending.is_empty()) {
            return Ok(());
        }
        // One process migrates, the others wait here and then find nothing left to do.
        let step = immediate(&self.journal).await.map_err(Fault::from)?;
        Migrator::up(&step, None).await.map_err(Fault::from)?;
        step.commit().await.map_err(Fault::from)?;
        Ok(())
    }

    /// Starts the journal of this store. `writer` is this process's name among all that ever write
    /// to the database.
    pub fn journal(&self, writer: Uuid) -> Journal {
        Journal::start(self.journal.clone(), writer)
    }

    /// Removes the requests that are older than `before`, and returns how many there were.
    ///
    /// # Errors
    /// When the database fails; what was removed until then stays removed.
    pub async fn prune(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let step = self.statement(
                "DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE at < $1 LIMIT $2)",
                [before.timestamp_millis().into(), PRUNE_STEP.into()],
            );
            let rows = self
                .shared
                .execute_raw(step)
                .await
                .map_err(Fault::from)?
                .rows_affected();
            removed += rows;
            if rows == 0 {
                break;
            }
        }
        let marks = self.statement(
            "DELETE FROM journal_marks WHERE at < $1",
            [before.timestamp_millis().into()],
        );
        self.shared.execute_raw(marks).await.map_err(Fault::from)?;
        Ok(removed)
    }

    pub(crate) fn statement<const N: usize>(
        &self,
        sql: &str,
        values: [sea_orm::Value; N],
    ) -> Statement {
        Statement::from_sql_and_values(self.shared.get_database_backend(), sql, values)
    }
}

/// Begins a step that writes: it takes the write lock at once, because taking it later fails when
/// somebody else wrote in between.
pub(crate) async fn immediate(
    connection: &DatabaseConnection,
) -> Result<DatabaseTransaction, DbErr> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    connection.begin_with_options(options).await
}

fn options(url: &str, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .min_connections(1)
        .sqlx_logging(false)
        .acquire_timeout(BUSY);
    options.map_sqlx_sqlite_opts(|sqlite| {
        sqlite
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // Every commit is on disk before it returns, also through a loss of power.
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY)
    });
    options
}
