//! The store: its life, and its transactions.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use migrations::{Migrator, MigratorTrait};
use ports::outbound::StoreError;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use tokio::time::timeout;
use uuid::Uuid;

use crate::connection::{FirstConnection, OpenError, Place, StoreOptions};
use crate::journal::{CommitWitness, Journal};
use crate::schema::SchemaError;

/// The advisory lock of whoever migrates: "cep" and a number of our own.
const MIGRATING: i64 = 0x0063_6570_0000_0001;

/// The connections of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    /// At work, or being opened.
    pub in_use: u32,
    /// Open, and waiting for work.
    pub idle: u32,
    /// As many as there may be.
    pub max: u32,
}

/// Keys, counters and requests in one database. Clones share their connections.
#[derive(Clone)]
pub struct Store {
    pub(crate) connection: DatabaseConnection,
    /// The journal's own, so that it never waits for a free one. Opened when they are first used.
    for_journal: DatabaseConnection,
    options: StoreOptions,
}

impl Store {
    /// Opens the database at `url`: `sqlite://PATH` (see [`crate::sqlite_url`]; the file is made when
    /// it is missing, its folder isn't), or `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`.
    /// The tables are made by [`Store::migrate`].
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn open(url: &str) -> Result<Self, OpenError> {
        Self::open_with(url, StoreOptions::default()).await
    }

    /// As [`Store::open`], with other options than the usual ones.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn open_with(url: &str, options: StoreOptions) -> Result<Self, OpenError> {
        let place = Place::parse(url)?;
        place.prepare(options).await?;
        let keys = place.connect(options.connections, FirstConnection::Now, options);
        let journal = place.connect(
            place.journal_connections(),
            FirstConnection::Later,
            options.for_journal(),
        );
        Ok(Self {
            connection: keys.await?,
            for_journal: journal.await?,
            options,
        })
    }

    /// Starts the journal of this store. `writer` is the name of this process among all that ever
    /// write to the database.
    pub fn journal(&self, writer: Uuid) -> Journal {
        self.watched_journal(writer, Arc::new(()))
    }

    /// As [`Store::journal`], with somebody who watches its commits.
    pub fn watched_journal(&self, writer: Uuid, witness: Arc<dyn CommitWitness>) -> Journal {
        Journal::start(&self.for_journal, writer, self.options, &witness)
    }

    /// How many connections there are, the journal's own aside.
    pub fn connections(&self) -> Connections {
        // A pool's numbers are read one after the other, while others take and give back.
        let of = |open: u32, idle: usize| {
            let idle = u32::try_from(idle).unwrap_or(u32::MAX).min(open);
            Connections {
                in_use: open - idle,
                idle,
                max: self.options.connections,
            }
        };
        match self.connection.get_database_backend() {
            DbBackend::Sqlite => {
                let pool = self.connection.get_sqlite_connection_pool();
                of(pool.size(), pool.num_idle())
            }
            DbBackend::Postgres => {
                let pool = self.connection.get_postgres_connection_pool();
                of(pool.size(), pool.num_idle())
            }
            _ => of(0, 0),
        }
    }

    /// Makes the tables that are missing. Several processes may do so at the same time: one does
    /// the work, the others wait for it, however long it takes.
    ///
    /// # Errors
    /// When the database fails, or was made by a newer version of this program.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        if self.is_current().await? {
            return Ok(());
        }
        let transaction = begin(&self.connection).await.map_err(failed)?;
        if transaction.get_database_backend() == DbBackend::Postgres {
            let lock_timeout = self.options.lock_timeout.as_millis();
            for statement in [
                "SET LOCAL statement_timeout = 0".to_owned(),
                "SET LOCAL lock_timeout = 0".to_owned(),
                format!("SELECT pg_advisory_xact_lock({MIGRATING})"),
                // Who waits long for a table keeps everybody else from it meanwhile.
                format!("SET LOCAL lock_timeout = {lock_timeout}"),
            ] {
                let done = transaction.execute_unprepared(&statement).await;
                done.map_err(failed)?;
            }
        }
        Migrator::up(&transaction, None).await.map_err(failed)?;
        transaction.commit().await.map_err(failed)
    }

    /// Whether the database answers and has every table of this version. Changes nothing.
    ///
    /// # Errors
    /// When the database fails, or was made by a newer version of this program.
    pub async fn is_current(&self) -> Result<bool, StoreError> {
        match self.check_schema().await {
            Ok(()) => Ok(true),
            Err(SchemaError::Behind { .. }) => Ok(false),
            Err(error @ SchemaError::Ahead { .. }) => Err(failed(error)),
            Err(SchemaError::Store(error)) => Err(error),
        }
    }

    /// Takes a step, on PostgreSQL in no more time than one may take.
    pub(crate) async fn in_time<T, E: From<StoreError>>(
        &self,
        step: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        let Some(patience) = self
            .options
            .step_timeout(self.connection.get_database_backend())
        else {
            return step.await;
        };
        timeout(patience, step)
            .await
            .unwrap_or_else(|_| Err(failed(Late(patience)).into()))
    }

    /// Closes the connections once what runs on them is done.
    ///
    /// # Errors
    /// When the database fails; nothing that was committed is lost.
    pub async fn close(self) -> Result<(), StoreError> {
        self.for_journal.close().await.map_err(failed)?;
        self.connection.close().await.map_err(failed)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Begins a transaction that writes. On SQLite it takes its turn at once: one that reads first
/// and writes later fails when somebody else wrote in between.
pub(crate) async fn begin(connection: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    connection.begin_with_options(options).await
}

/// Commits what succeeded, and takes back what didn't.
pub(crate) async fn end<T, E: From<StoreError>>(
    transaction: DatabaseTransaction,
    outcome: Result<T, E>,
) -> Result<T, E> {
    let ended = if outcome.is_ok() {
        transaction.commit().await
    } else {
        transaction.rollback().await
    };
    ended.map_err(failed)?;
    outcome
}

/// A server didn't answer in time.
#[derive(Debug, thiserror::Error)]
#[error("the database doesn't answer within {0:?}")]
pub(crate) struct Late(pub(crate) Duration);

pub(crate) fn failed(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError {
        cause: Arc::new(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sea_orm::{ConnectionTrait, Statement};

    /// `synchronous` and `journal_mode` are a connection's own, so no other one can tell.
    #[tokio::test]
    async fn the_journal_commits_to_the_disk_and_not_to_its_cache() {
        let folder = tempfile::tempdir().unwrap();
        let url = crate::sqlite_url(&folder.path().join("cep.db")).unwrap();
        let store = Store::open(&url).await.unwrap();
        let pragma = async |name: &str| {
            let connection = &store.for_journal;
            let sql = format!("PRAGMA {name}");
            let query = Statement::from_string(connection.get_database_backend(), sql);
            connection.query_one_raw(query).await.unwrap().unwrap()
        };
        let synchronous = pragma("synchronous").await;
        let full = 2_i64;
        assert_eq!(synchronous.try_get_by_index::<i64>(0).unwrap(), full);
        let mode = pragma("journal_mode").await;
        assert_eq!(mode.try_get_by_index::<String>(0).unwrap(), "wal");
    }
}
