//! What goes wrong in the database, in the ports' words.

use std::sync::Arc;

use ports::outbound::{InsertError, StoreError, UpdateError};
use sea_orm::DbErr;

/// The store can't do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DbErr),
    /// A row holds what no version of this program writes.
    #[error("the row {id} of {table} is damaged in {column}")]
    Damaged {
        table: &'static str,
        id: String,
        column: &'static str,
    },
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        Self {
            cause: Arc::new(fault),
        }
    }
}

impl From<Fault> for InsertError {
    fn from(fault: Fault) -> Self {
        Self::Store(fault.into())
    }
}

impl From<Fault> for UpdateError {
    fn from(fault: Fault) -> Self {
        Self::Store(fault.into())
    }
}
