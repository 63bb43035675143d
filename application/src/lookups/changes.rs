//! Stream of a stored lookup's changes.

use std::sync::Arc;
use std::time::Duration;

use super::person_types::PersonLookupError;
use super::types::LookupView;
use domain::lookups::LookupId;
use domain::people::customer::CustomerId;
use ports::outbound::{LookupStore, StoredLookup};

use super::service::LookupService;
use super::waits::{Progress, progress};

/// Stream of a lookup's changes, read over the connections of `store`, until the lookup is final.
pub struct LookupChanges {
    pub(super) lookups: Arc<LookupService>,
    pub(super) store: Arc<dyn LookupStore>,
    pub(super) customer: CustomerId,
    pub(super) id: LookupId,
    /// The progress that was last returned; `None` before the first call.
    pub(super) last: Option<Progress>,
}

impl LookupChanges {
    /// Waits for the next change; the first call returns at once. `None` after the final state.
    ///
    /// # Errors
    /// [`PersonLookupError::NotFound`] once the lookup is erased, [`PersonLookupError::Unreadable`],
    /// [`PersonLookupError::Store`]. The stream ends with an error.
    pub async fn next(&mut self) -> Result<Option<LookupView>, PersonLookupError> {
        let last = self.last;
        if last.is_some_and(|(state, _)| state.is_final()) {
            return Ok(None);
        }
        let is_news = |lookup: &StoredLookup| last != Some(progress(lookup));
        let of = (self.customer, self.id);
        let found = self
            .lookups
            .waits
            .until(&*self.store, of, Duration::MAX, is_news)
            .await?;
        let found = found.ok_or(PersonLookupError::NotFound)?;
        let view = self.lookups.reader.read(&*self.store, &found).await?;
        self.last = Some(progress(&found));
        Ok(Some(view))
    }
}
