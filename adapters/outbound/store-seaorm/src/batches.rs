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

use crate::entity::{batch_chunks, batches};
use crate::read::{self, Read};
use crate::store::Store;
use crate::stored::Stored;

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
        self.within(async |transaction| addition::within(transaction, batch, bounds).await)
            .await
    }

    async fn batch(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<Option<StoredBatch>, StoreError> {
        self.in_time(async {
            let found = row::own(customer, id).row(&self.connection).await?;
            let found = found.into_iter().collect();
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
            let list = list::select(customer, filter, page)?;
            let read = |row: batches::Model| Ok((Cursor::at(row.created_at.0, row.id.0.0), row));
            let rows = read::page(&self.connection, list, page, read).await?;
            let (cursors, found): (Vec<_>, Vec<_>) = rows.items.into_iter().unzip();
            let batches = progress::with_progress(&self.connection, found).await?;
            Ok(Page {
                items: cursors.into_iter().zip(batches).collect(),
                has_next: rows.has_next,
                total: None,
            })
        })
        .await
    }

    async fn batch_chunk(&self, id: BatchId, number: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let chunk = batch_chunks::Entity::find_by_id((Stored(id), Stored(number)));
        let chunk = self.in_time(chunk.row(&self.connection)).await?;
        Ok(chunk.map(|chunk| chunk.content))
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
        let made = self.within(async |transaction| feed::within(transaction, feed).await);
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
        self.within(async |transaction| release::within(transaction, release).await)
            .await
    }

    async fn cancel_batch(
        &self,
        customer: CustomerId,
        id: BatchId,
        now: DateTime<Utc>,
    ) -> Result<BatchCancellation, StoreError> {
        let canceled = self
            .within(async |transaction| cancellation::within(transaction, customer, id, now).await);
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
        let delivered = self.within(async |transaction| {
            imports::within(transaction, customer, id, proofs, now).await
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
