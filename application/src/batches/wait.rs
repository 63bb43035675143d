//! Waiting for a change of a batch's state.

use std::time::Duration;

use super::error::BatchError;
use domain::batches::BatchId;
use ports::outbound::StoredBatch;

use super::caller::{Owner, store_failed};
use super::service::BatchService;

/// Polling interval; polling is necessary because any process may change a batch.
const POLL: Duration = Duration::from_secs(1);

impl BatchService {
    /// A batch, once its state changes or the wait is over. Doesn't wait if the customer has reached the
    /// maximum number of waiting readers.
    pub(super) async fn once_changed(
        &self,
        owner: &Owner,
        id: BatchId,
        wait: Duration,
    ) -> Result<StoredBatch, BatchError> {
        let until = self.clock.monotonic() + wait;
        let batch = self.own(owner, id).await?;
        if wait.is_zero() || batch.state.is_final() {
            return Ok(batch);
        }
        let Some(_place) = self.sources.places.wait(owner.customer) else {
            return Ok(batch);
        };
        loop {
            let left = until.saturating_sub(self.clock.monotonic());
            if left.is_zero() {
                break;
            }
            self.sources.timer.pause(left.min(POLL)).await;
            let state = self.sources.store.batch_state(owner.customer, id).await;
            let state = state.map_err(store_failed)?.ok_or(BatchError::Unknown)?;
            if state != batch.state {
                break;
            }
        }
        self.own(owner, id).await
    }
}
