//! Stream of a batch's changes.

use std::sync::Arc;
use std::time::Duration;

use super::error::BatchError;
use super::types::BatchView;
use domain::batches::{BatchId, BatchState};
use domain::lookups::LookupState;
use domain::people::customer::CustomerId;
use ports::outbound::{BatchStore, StoredBatch, Timer};

use super::caller::store_failed;
use super::view::{KeyLimits, Views};

/// Polling interval. A fixed one, because hundreds of a batch's rows may end in a second.
const INTERVAL: Duration = Duration::from_secs(1);

/// State of a batch, and number of its lookups in each state.
type Progress = (BatchState, Vec<(LookupState, u32)>);

/// Stream of a batch's changes, until the batch is final.
pub struct BatchChanges {
    pub(super) store: Arc<dyn BatchStore>,
    pub(super) timer: Arc<dyn Timer>,
    pub(super) views: Views,
    pub(super) customer: CustomerId,
    pub(super) limits: KeyLimits,
    pub(super) id: BatchId,
    /// The progress that was last returned; `None` before the first call.
    pub(super) last: Option<Progress>,
}

impl BatchChanges {
    /// Waits for the next change; the first call returns at once. `None` after the final state.
    ///
    /// # Errors
    /// [`BatchError::Unknown`] once the batch is erased, [`BatchError::Unreadable`], and
    /// [`BatchError::Refused`] if the store fails. The stream ends with an error.
    pub async fn next(&mut self) -> Result<Option<BatchView>, BatchError> {
        if let Some((state, _)) = &self.last {
            if state.is_final() {
                return Ok(None);
            }
            self.timer.pause(INTERVAL).await;
        }
        loop {
            let found = self.store.batch(self.customer, self.id).await;
            let found = found.map_err(store_failed)?.ok_or(BatchError::Unknown)?;
            let now = Some(progress(&found));
            if self.last != now {
                self.last = now;
                return Ok(Some(self.views.view(&self.limits, &found)?));
            }
            self.timer.pause(INTERVAL).await;
        }
    }
}

fn progress(batch: &StoredBatch) -> Progress {
    (batch.state, batch.progress.lookups.clone())
}
