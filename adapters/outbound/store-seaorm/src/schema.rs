//! Check of the schema's version.

use migrations::MigrationStatus;
use ports::outbound::StoreError;

use crate::store::{Store, failed};

/// Mismatch between the schema and this version.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// Migrations are missing.
    #[error("the database lacks what this version needs: {}", missing.join(", "))]
    Behind {
        /// Their names, oldest first.
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
    /// The database fails.
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
        if !missing.is_empty() {
            return Err(SchemaError::Behind { missing });
        }
        Ok(())
    }
}
