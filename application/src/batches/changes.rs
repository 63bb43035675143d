//! Changes of a batch, for those who follow it.

use std::sync::Arc;
use std::time::Duration;

use super::error::BatchError;
use super::types::BatchView;
use domain::batch::{BatchId, BatchState};
use domain::customer::CustomerId;
use domain::lookup::LookupState;
use ports::outbound::{BatchStore, StoredBatch, Timer};

use super::caller::store_failed;
use super::view::{KeyLimits, Views};

/// Interval at which a batch is read: its rows may end by the hundred in a second.
const INTERVAL: Duration = Duration::from_secs(1);

/// The state of a batch and the number of its lookups in each state.
type Progress = (BatchState, Vec<(LookupState, u32)>);

/// Changes of one batch.
pub struct BatchChanges {
    pub(super) store: Arc<dyn BatchStore>,
    pub(super) timer: Arc<dyn Timer>,
    pub(super) views: Views,
    pub(super) customer: CustomerId,
    pub(super) limits: KeyLimits,
    pub(super) id: BatchId,
    /// Its progress, as it was last told.
    pub(super) last: Option<Progress>,
}

impl BatchChanges {
    /// Waits for the next change; `None` after the final state.
    ///
    /// # Errors
    /// [`BatchError::Unknown`] once it is erased, [`BatchError::Unreadable`], and
    /// [`BatchError::Refused`] when the store fails. There is nothing to follow after an error.
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
