//! Stored batches.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::batches::{BatchId, BatchState, RowNumber};
use domain::page::{Cursor, Page, PageRequest};
use domain::people::customer::CustomerId;
use ports::outbound::{
    BatchAddition, BatchBounds, BatchCancellation, BatchFeed, BatchFilter, BatchProgress,
    BatchRelease, BatchStore, ClaimedBatch, ImportedProof, Lease, ListError, LookupFacts, NewBatch,
    StoreError, StoredBatch, StoredLookup,
};
use sea_orm::EntityTrait;

use crate::entity::batch_chunks;
use crate::store::{Store, failed};

mod addition;
mod cancellation;
mod claims;
mod feed;
mod imports;
mod list;
mod progress;
mod release;
mod removal;
mod row;
mod state;

#[async_trait]
impl BatchStore for Store {
    async fn add_batch(
        &self,
        batch: &NewBatch,
        bounds: BatchBounds,
    ) -> Result<BatchAddition, StoreError> {
        self.in_time(async {
            let transaction = self.begin().await?;
            let added = addition::within(&transaction, batch, bounds).await;
            self.end(transaction, added).await
        })
        .await
    }

    async fn batch(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<Option<StoredBatch>, StoreError> {
        self.in_time(async {
            let found = row::own(customer, id).one(&self.connection).await;
            let found = found.map_err(failed)?.into_iter().collect();
            let read = progress::with_progress(&self.connection, found).await?;
            Ok(read.into_iter().next())
        })
        .await
    }

    async fn batch_state(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<Option<BatchState>, StoreError> {
        self.in_time(state::read(&self.connection, customer, id))
            .await
    }

    async fn batches(
        &self,
        customer: CustomerId,
        filter: &BatchFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredBatch>, ListError> {
        self.in_time(async {
            let rows = list::select(customer, filter, page)?
                .all(&self.connection)
                .await
                .map_err(failed)?;
            let batches = progress::with_progress(&self.connection, rows).await?;
            let items = batches.into_iter().map(|batch| {
                let cursor = Cursor::at(batch.facts.created_at, batch.facts.id.0);
                (cursor, batch)
            });
            Ok(Page::of(items.collect(), page.first, None))
        })
        .await
    }

    async fn batch_chunk(&self, id: BatchId, number: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let chunk = batch_chunks::Entity::find_by_id((id.to_string(), i64::from(number)));
        self.in_time(async {
            let chunk = chunk.one(&self.connection).await.map_err(failed)?;
            Ok(chunk.map(|chunk| chunk.content))
        })
        .await
    }

    async fn batch_lookups(
        &self,
        id: BatchId,
        first: RowNumber,
        rows: u32,
    ) -> Result<Vec<StoredLookup>, StoreError> {
        self.in_time(list::lookups(&self.connection, id, first, rows))
            .await
    }

    async fn claim_batches(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedBatch>, StoreError> {
        self.in_time(self.claim_due_batches(most, now, lease)).await
    }

    async fn renew_batch(
        &self,
        id: BatchId,
        lease: Lease,
    ) -> Result<Option<BatchProgress>, StoreError> {
        self.check_files()?;
        self.in_time(claims::renew(&self.connection, id, lease))
            .await
    }

    async fn feed_batch(&self, feed: &BatchFeed) -> Result<bool, StoreError> {
        let made = self.in_time(async {
            let transaction = self.begin().await?;
            let made = feed::within(&transaction, feed).await;
            self.end(transaction, made).await
        });
        match made.await {
            Ok(()) => {}
            Err(feed::FeedError::Refused) => return Ok(false),
            Err(feed::FeedError::Store(error)) => return Err(error),
        }
        if !feed.lookups.is_empty() {
            self.notifier.added();
        }
        Ok(true)
    }

    async fn release_batch(&self, release: &BatchRelease) -> Result<bool, StoreError> {
        self.in_time(async {
            let transaction = self.begin().await?;
            let released = release::within(&transaction, release).await;
            self.end(transaction, released).await
        })
        .await
    }

    async fn cancel_batch(
        &self,
        customer: CustomerId,
        id: BatchId,
        now: DateTime<Utc>,
    ) -> Result<BatchCancellation, StoreError> {
        let canceled = self.in_time(async {
            let transaction = self.begin().await?;
            let canceled = cancellation::within(&transaction, customer, id, now).await;
            self.end(transaction, canceled).await
        });
        let canceled = canceled.await?;
        if let BatchCancellation::Canceled { lookups } = &canceled {
            self.notifier
                .changed(lookups.iter().map(|lookup| lookup.facts.id));
        }
        Ok(canceled)
    }

    async fn erase_batch(&self, customer: CustomerId, id: BatchId) -> Result<bool, StoreError> {
        self.erase_final(customer, id).await
    }

    async fn import_proofs(
        &self,
        customer: CustomerId,
        id: BatchId,
        proofs: &[ImportedProof],
        now: DateTime<Utc>,
    ) -> Result<Option<Vec<LookupFacts>>, StoreError> {
        let delivered = self.in_time(async {
            let transaction = self.begin().await?;
            let delivered = imports::within(&transaction, customer, id, proofs, now).await;
            self.end(transaction, delivered).await
        });
        let delivered = delivered.await?;
        let changed = delivered.iter().flatten();
        self.notifier.changed(changed.map(|facts| facts.id));
        Ok(delivered)
    }

    async fn prune_batches(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.remove_ended(before).await
    }
}
