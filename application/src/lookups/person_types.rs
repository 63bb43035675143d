//! Requests and errors of stored lookups, for people with a session.

use chrono::{DateTime, Utc};
use domain::batches::BatchId;
use domain::keys::{Environment, KeyId};
use domain::lookups::LookupState;
use domain::page::PageRequest;

use ports::{Cause, StoreError};

/// Filter and page of a list of an account's lookups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonLookupQuery {
    /// Only this environment; `None` for all.
    pub environment: Option<Environment>,
    /// Only these states; empty for all.
    pub states: Vec<LookupState>,
    /// Only lookups of this key and of those that share its counters by rotation; `None` for all.
    pub key: Option<KeyId>,
    /// Only lookups that were created at this instant or later; `None` for all.
    pub created_from: Option<DateTime<Utc>>,
    /// Only lookups of this batch; `None` for all, including those of no batch.
    pub batch: Option<BatchId>,
    /// Position and size of the page.
    pub page: PageRequest,
}

/// Error of reading or changing an account's lookups.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PersonLookupError {
    /// The account has no such lookup, or no such key.
    #[error("it doesn't exist")]
    NotFound,
    /// The lookup is final and can't be canceled.
    #[error("the lookup has ended")]
    Final,
    /// The lookup isn't final and can't be erased.
    #[error("the lookup hasn't ended")]
    NotFinal,
    /// The cursor belongs to another list.
    #[error("the cursor belongs to another list")]
    Cursor,
    /// The lookup can't be decrypted: its secret isn't configured any more, or the data was changed.
    #[error("a lookup can't be read: {0}")]
    Unreadable(Cause),
    /// The store failed.
    #[error("the store of lookups failed: {0}")]
    Store(Cause),
}

impl From<StoreError> for PersonLookupError {
    fn from(error: StoreError) -> Self {
        Self::Store(std::sync::Arc::new(error))
    }
}
