//! Error types that the application passes on to its callers.

use std::error::Error;
use std::sync::Arc;

/// The cause of an error. It is only logged; no decision depends on it.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// A store's operation failed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the store failed: {cause}")]
pub struct StoreError {
    /// The driver's error, to be logged.
    pub cause: Cause,
}

/// The journal can't record an entry.
#[derive(Clone, Debug, thiserror::Error)]
pub enum JournalError {
    /// The number of waiting entries has reached its limit.
    #[error("the journal is full")]
    Full,
    /// The store failed for longer than the journal waits; submitted entries are still retried.
    #[error("the journal can't write: {cause}")]
    Store {
        /// The store's error, to be logged.
        cause: Cause,
    },
    /// The journal was shut down and takes no more entries.
    #[error("the journal is closed")]
    Closed,
}
