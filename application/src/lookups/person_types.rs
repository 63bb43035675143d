//! Inbound port: stored lookups, as people with a session see them.

use chrono::{DateTime, Utc};
use domain::batch::BatchId;
use domain::key::{Environment, KeyId};
use domain::lookup::LookupState;
use domain::page::PageRequest;

use ports::{Cause, StoreError};

/// Which lookups of an account to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonLookupQuery {
    /// Of this environment; all when it is `None`.
    pub environment: Option<Environment>,
    /// In these states; all when it is empty.
    pub states: Vec<LookupState>,
    /// Of this key, and of those that share its counters by rotation.
    pub key: Option<KeyId>,
    /// Created at this instant or later.
    pub created_from: Option<DateTime<Utc>>,
    /// Of this batch; also of no batch when it is `None`.
    pub batch: Option<BatchId>,
    /// The page.
    pub page: PageRequest,
}

/// Error of reading or changing an account's lookups.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PersonLookupError {
    /// The account has no such lookup, or no such key.
    #[error("it doesn't exist")]
    NotFound,
    /// The lookup has ended, so it can't be canceled.
    #[error("the lookup has ended")]
    Final,
    /// The lookup hasn't ended, so it can't be erased.
    #[error("the lookup hasn't ended")]
    NotFinal,
    /// The cursor belongs to another list.
    #[error("the cursor belongs to another list")]
    Cursor,
    /// The lookup can't be decrypted: its secret isn't listed any more, or it was changed.
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
