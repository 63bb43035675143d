//! Inbound port: stored lookups, as people with a session see them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::batch::BatchId;
use domain::key::{Environment, KeyId};
use domain::lookup::{LookupId, LookupState};
use domain::page::{Page, PageRequest};

use super::{Caller, LookupView};
use crate::{Cause, StoreError};

/// Inbound port: stored lookups of the caller's own account, of both environments. They hold personal
/// data, so nobody has a wider scope: those of other accounts don't exist for an admin either.
#[async_trait]
pub trait PersonLookups: Send + Sync {
    /// Lookups, newest first, one page without a total.
    ///
    /// # Errors
    /// [`PersonLookupError::NotFound`] for a key of another account, [`PersonLookupError::Cursor`],
    /// [`PersonLookupError::Unreadable`], [`PersonLookupError::Store`].
    async fn list(
        &self,
        caller: &Caller,
        query: &PersonLookupQuery,
    ) -> Result<Page<LookupView>, PersonLookupError>;

    /// One lookup, with its attempts and its proof.
    ///
    /// # Errors
    /// [`PersonLookupError::NotFound`], [`PersonLookupError::Unreadable`],
    /// [`PersonLookupError::Store`].
    async fn find(&self, caller: &Caller, id: LookupId) -> Result<LookupView, PersonLookupError>;

    /// Follows a lookup until it is final, whichever process works on it.
    ///
    /// # Errors
    /// Those of [`PersonLookups::find`].
    async fn changes(
        &self,
        caller: &Caller,
        id: LookupId,
    ) -> Result<Box<dyn LookupChanges>, PersonLookupError>;

    /// Cancels a lookup that isn't final.
    ///
    /// # Errors
    /// Those of [`PersonLookups::find`], and [`PersonLookupError::Final`].
    async fn cancel(&self, caller: &Caller, id: LookupId) -> Result<LookupView, PersonLookupError>;

    /// Removes a final lookup with all that is stored of it.
    ///
    /// # Errors
    /// [`PersonLookupError::NotFound`], [`PersonLookupError::NotFinal`],
    /// [`PersonLookupError::Store`].
    async fn erase(&self, caller: &Caller, id: LookupId) -> Result<(), PersonLookupError>;
}

/// Changes of one lookup: its present state first, then what changed, without what came in between.
#[async_trait]
pub trait LookupChanges: Send + Sync {
    /// Waits for the next change; `None` after the final state.
    ///
    /// # Errors
    /// [`PersonLookupError::NotFound`] once it is erased, [`PersonLookupError::Unreadable`],
    /// [`PersonLookupError::Store`]. There is nothing to follow after an error.
    async fn next(&mut self) -> Result<Option<LookupView>, PersonLookupError>;
}

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
