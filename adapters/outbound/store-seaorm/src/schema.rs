//! Schema version: its check, and its migration.

use migrations::{MigrationStatus, Migrator, MigratorTrait};
use ports::outbound::StoreError;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, Statement};

use crate::error::failed;
use crate::store::Store;

/// The advisory lock of migrations: "cep" and a number of our own.
const MIGRATING: i64 = 0x0063_6570_0000_0001;

/// Tables in the current schema that the current role may not read. Only those whose owner made the
/// table of migrations: other programs may have tables in the schema.
const UNREADABLE: &str = "SELECT one.relname::text FROM pg_class AS one JOIN pg_class AS done \
     ON done.relname = 'seaql_migrations' AND done.relnamespace = one.relnamespace \
     AND done.relowner = one.relowner \
     WHERE one.relnamespace = to_regnamespace(quote_ident(current_schema())) \
     AND one.relkind IN ('r', 'p') AND NOT has_table_privilege(one.oid, 'SELECT') ORDER BY 1";

/// Mismatch between the schema and this version.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    #[error("the database lacks what this version needs: {}", missing.join(", "))]
    Behind {
        /// Names of the missing migrations, oldest first.
        missing: Vec<String>,
    },
    /// A newer version of this program migrated the database.
    #[error(
        "the database was made by a newer version, which did {}: use that version, or a backup \
         from before it",
        unknown.join(", ")
    )]
    Ahead {
        /// Migrations unknown to this version, oldest first.
        unknown: Vec<String>,
    },
    /// The tables exist, but this role of PostgreSQL may not read them.
    #[error("the user of the database may not read {}", tables.join(", "))]
    Rights {
        /// Names of these tables, in alphabetical order.
        tables: Vec<String>,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Checks that the database answers and has the tables of this version, and of no newer one.
    /// Changes nothing.
    ///
    /// # Errors
    /// See [`SchemaError`].
    pub async fn check_schema(&self) -> Result<(), SchemaError> {
        let status = async { migrations::status(&self.connection).await.map_err(failed) };
        let MigrationStatus { missing, unknown } = self.in_time(status).await?;
        if !unknown.is_empty() {
            return Err(SchemaError::Ahead { unknown });
        }
        // Checked before missing migrations: tables that a role may not read look missing to it.
        let tables = self.in_time(self.unreadable_tables()).await?;
        if !tables.is_empty() {
            return Err(SchemaError::Rights { tables });
        }
        if !missing.is_empty() {
            return Err(SchemaError::Behind { missing });
        }
        Ok(())
    }

    /// Returns whether a version of this program, of this one or an older one, has made tables in the database. Changes
    /// nothing.
    ///
    /// # Errors
    /// Fails when the database fails.
    pub async fn has_tables(&self) -> Result<bool, StoreError> {
        let status = async { migrations::status(&self.connection).await.map_err(failed) };
        let MigrationStatus { missing, unknown } = self.in_time(status).await?;
        Ok(!unknown.is_empty() || missing.len() < Migrator::migrations().len())
    }

    /// PostgreSQL: the tables of whoever migrated that this role may not read.
    async fn unreadable_tables(&self) -> Result<Vec<String>, StoreError> {
        if self.connection.get_database_backend() != DbBackend::Postgres {
            return Ok(Vec::new());
        }
        let query = Statement::from_string(DbBackend::Postgres, UNREADABLE);
        let rows = self.connection.query_all_raw(query).await.map_err(failed)?;
        let names = rows.iter().map(|row| row.try_get_by_index(0));
        names.collect::<Result<_, _>>().map_err(failed)
    }

    /// Creates the tables that are missing. Several processes may call it at the same time: one
    /// migrates, the others wait for it, however long it takes.
    ///
    /// # Errors
    /// Fails when the database fails, or was migrated by a newer version of this program.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        if self.is_current().await? {
            return Ok(());
        }
        let transaction = self.begin().await?;
        if transaction.get_database_backend() == DbBackend::Postgres {
            lock_migrations(&transaction).await.map_err(failed)?;
            // A migration that waits for a table blocks every other session that uses it.
            let lock_timeout = self.options.lock_timeout.as_millis();
            let bounded = format!("SET LOCAL lock_timeout = {lock_timeout}");
            let done = transaction.execute_unprepared(&bounded).await;
            done.map_err(failed)?;
        }
        let migrated = Migrator::up(&*transaction, None).await.map_err(failed);
        self.end(transaction, migrated).await
    }

    /// Returns whether the database answers and has every table of this version. Changes nothing.
    ///
    /// # Errors
    /// Fails when the database fails, or was migrated by a newer version of this program.
    pub async fn is_current(&self) -> Result<bool, StoreError> {
        match self.check_schema().await {
            Ok(()) => Ok(true),
            Err(SchemaError::Behind { .. }) => Ok(false),
            Err(error @ (SchemaError::Ahead { .. } | SchemaError::Rights { .. })) => {
                Err(failed(error))
            }
            Err(SchemaError::Store(error)) => Err(error),
        }
    }
}

/// Waits for other migrations, however long they take. PostgreSQL only.
pub(crate) async fn lock_migrations(transaction: &DatabaseTransaction) -> Result<(), DbErr> {
    for statement in [
        "SET LOCAL statement_timeout = 0".to_owned(),
        "SET LOCAL lock_timeout = 0".to_owned(),
        format!("SELECT pg_advisory_xact_lock({MIGRATING})"),
    ] {
        transaction.execute_unprepared(&statement).await?;
    }
    Ok(())
}
