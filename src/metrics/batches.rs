//! Metrics of batches.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::batches::{BatchId, BatchState, RowNumber};
use domain::lookups::LookupState;
use domain::page::{Page, PageRequest};
use domain::people::customer::CustomerId;
use ports::outbound::{
    BatchAddition, BatchBounds, BatchCancellation, BatchChange, BatchFeed, BatchFilter,
    BatchProgress, BatchRelease, BatchStore, ClaimedBatch, ImportedProof, Lease, ListError,
    LookupFacts, NewBatch, StoreError, StoredBatch, StoredLookup,
};

use super::names::Metric;
use super::{Metrics, names};

/// Store of batches that counts its changes, including those of their lookups.
pub(crate) struct MeteredBatches {
    metrics: Arc<Metrics>,
    store: Arc<dyn BatchStore>,
}

impl MeteredBatches {
    /// Counts the changes of this store.
    pub(crate) fn new(metrics: &Arc<Metrics>, store: Arc<dyn BatchStore>) -> Self {
        Self {
            metrics: Arc::clone(metrics),
            store,
        }
    }

    fn count(&self, metric: &Metric, labels: &[(&'static str, &'static str)], number: usize) {
        let number = u64::try_from(number).unwrap_or(u64::MAX);
        self.metrics.counter(metric, labels).increment(number);
    }

    fn ended(&self, state: BatchState) {
        self.count(&names::BATCHES_ENDED, &[("state", state.name())], 1);
    }

    fn lookups_ended(&self, state: LookupState, lookups: usize) {
        let labels = [("state", state.name())];
        self.count(&names::LOOKUPS_ENDED, &labels, lookups);
    }
}

#[async_trait]
impl BatchStore for MeteredBatches {
    async fn add_batch(
        &self,
        batch: &NewBatch,
        bounds: BatchBounds,
    ) -> Result<BatchAddition, StoreError> {
        let added = self.store.add_batch(batch, bounds).await?;
        if added == BatchAddition::Added {
            self.count(&names::BATCHES_CREATED, &[], 1);
        }
        Ok(added)
    }

    async fn batch(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<Option<StoredBatch>, StoreError> {
        self.store.batch(customer, id).await
    }

    async fn batch_state(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<Option<BatchState>, StoreError> {
        self.store.batch_state(customer, id).await
    }

    async fn batches(
        &self,
        customer: CustomerId,
        filter: &BatchFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredBatch>, ListError> {
        self.store.batches(customer, filter, page).await
    }

    async fn batch_chunk(&self, id: BatchId, number: u32) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.batch_chunk(id, number).await
    }

    async fn batch_lookups(
        &self,
        id: BatchId,
        first: RowNumber,
        rows: u32,
    ) -> Result<Vec<StoredLookup>, StoreError> {
        self.store.batch_lookups(id, first, rows).await
    }

    async fn claim_batches(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedBatch>, StoreError> {
        self.store.claim_batches(most, now, lease).await
    }

    async fn renew_batch(
        &self,
        id: BatchId,
        lease: Lease,
    ) -> Result<Option<BatchProgress>, StoreError> {
        self.store.renew_batch(id, lease).await
    }

    async fn feed_batch(&self, feed: &BatchFeed) -> Result<bool, StoreError> {
        let is_stored = self.store.feed_batch(feed).await?;
        if is_stored {
            self.count(&names::LOOKUPS_CREATED, &[], feed.lookups.len());
        }
        Ok(is_stored)
    }

    async fn release_batch(&self, release: &BatchRelease) -> Result<bool, StoreError> {
        let is_stored = self.store.release_batch(release).await?;
        if is_stored && release.change == BatchChange::Finish {
            self.ended(BatchState::Finished);
        }
        Ok(is_stored)
    }

    async fn cancel_batch(
        &self,
        customer: CustomerId,
        id: BatchId,
        now: DateTime<Utc>,
    ) -> Result<BatchCancellation, StoreError> {
        let canceled = self.store.cancel_batch(customer, id, now).await?;
        if let BatchCancellation::Canceled { lookups } = &canceled {
            self.ended(BatchState::Canceled);
            self.lookups_ended(LookupState::Canceled, lookups.len());
        }
        Ok(canceled)
    }

    async fn erase_batch(&self, customer: CustomerId, id: BatchId) -> Result<bool, StoreError> {
        self.store.erase_batch(customer, id).await
    }

    async fn import_proofs(
        &self,
        customer: CustomerId,
        id: BatchId,
        proofs: &[ImportedProof],
        now: DateTime<Utc>,
    ) -> Result<Option<Vec<LookupFacts>>, StoreError> {
        let delivered = self.store.import_proofs(customer, id, proofs, now).await?;
        let lookups = delivered.as_deref().unwrap_or_default();
        let made: HashSet<_> = proofs.iter().map(|proof| proof.row.facts.id).collect();
        let made = lookups.iter().filter(|facts| made.contains(&facts.id));
        self.count(&names::LOOKUPS_CREATED, &[], made.count());
        self.lookups_ended(LookupState::Delivered, lookups.len());
        Ok(delivered)
    }

    async fn prune_batches(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.store.prune_batches(before).await
    }
}
