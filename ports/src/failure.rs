//! Failures that either side of the application passes on.

use std::error::Error;
use std::sync::Arc;

/// The cause of an error, for the log alone: nobody decides anything by it.
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
    /// More entries wait than may.
    #[error("the journal is full")]
    Full,
    /// The store failed for longer than the journal waits; what was handed over is still tried.
    #[error("the journal can't write: {cause}")]
    Store {
        /// For the log.
        cause: Cause,
    },
    /// It was closed.
    #[error("the journal is closed")]
    Closed,
}
