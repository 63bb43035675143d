//! Failures that pass through the application.

use std::error::Error;
use std::sync::Arc;

/// The cause of an error, for the log alone: no decision depends on it.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// The store failed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the store failed: {cause}")]
pub struct StoreError {
    /// For the log.
    pub cause: Cause,
}

/// The journal can't write.
#[derive(Clone, Debug, thiserror::Error)]
pub enum JournalError {
    /// More entries wait than allowed.
    #[error("the journal is full")]
    Full,
    /// The store failed for longer than the journal waits; submitted entries are still retried.
    #[error("the journal can't write: {cause}")]
    Store {
        /// For the log.
        cause: Cause,
    },
    /// The journal is closed.
    #[error("the journal is closed")]
    Closed,
}
