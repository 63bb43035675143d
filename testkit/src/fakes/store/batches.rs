//! Stored batches.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::batch::{BatchId, BatchState, RowNumber};
use domain::customer::CustomerId;
use domain::idempotency::FirstAnswer;
use domain::notice::ProofOrigin;
use domain::page::{Cursor, Direction, Page, PageRequest};
use domain::webhook::{LookupEnd, WebhookEvent};
use ports::outbound::{
    BatchAddition, BatchCancellation, BatchChange, BatchFeed, BatchFilter, BatchProgress,
    BatchRelease, BatchStore, ClaimedBatch, ImportedProof, Lease, ListError, LookupFacts,
    LookupNotification, NewBatch, StoreError, StoredBatch, StoredLookup,
};

use super::pages::{by_instant, page};
use super::{MemoryStore, broken};
use kept::matches_filter;

pub(super) use kept::KeptBatch;

mod imports;
mod kept;
mod rows;

#[async_trait]
impl BatchStore for MemoryStore {
    async fn add_batch(
        &self,
        batch: &NewBatch,
        most_open: u32,
    ) -> Result<BatchAddition, StoreError> {
        let mut tables = self.call("add_batch").await?;
        let id = batch.facts.id;
        if tables.open_batches(batch.facts.customer) >= most_open as usize {
            return Ok(BatchAddition::TooManyOpen);
        }
        if tables.batches.contains_key(&id) {
            return Err(broken("there is a batch with this id"));
        }
        if let Some(claim) = batch.claim
            && !tables.answer(claim, FirstAnswer::Batch(id))
        {
            return Err(broken(
                "the claim of an idempotency key is not held any more",
            ));
        }
        tables.batches.insert(id, KeptBatch::queued(batch));
        Ok(BatchAddition::Added)
    }

    async fn batch(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<Option<StoredBatch>, StoreError> {
        let tables = self.call("batch").await?;
        let kept = tables.own_batch(customer, id);
        Ok(kept.map(|kept| tables.stored_batch(kept)))
    }

    async fn batch_state(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<Option<BatchState>, StoreError> {
        let tables = self.call("batch_state").await?;
        Ok(tables.own_batch(customer, id).map(|kept| kept.state))
    }

    async fn batches(
        &self,
        customer: CustomerId,
        filter: &BatchFilter,
        request: &PageRequest,
    ) -> Result<Page<StoredBatch>, ListError> {
        let tables = self.call("batches").await?;
        let all = tables.batches.values();
        let own = all.filter(|kept| kept.facts.customer == customer);
        let found = own.filter(|kept| matches_filter(filter, kept));
        let cursor = |kept: &&KeptBatch| Cursor::at(kept.facts.created_at, kept.facts.id.0);
        let found = page(found, request, Direction::Descending, cursor, by_instant)?;
        Ok(Page {
            total: None,
            ..found.map(|kept| tables.stored_batch(kept))
        })
    }

    async fn batch_chunk(&self, id: BatchId, number: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let tables = self.call("batch_chunk").await?;
        let chunks = tables.batches.get(&id).map(|kept| &kept.chunks);
        Ok(chunks.and_then(|chunks| chunks.get(number as usize).cloned()))
    }

    async fn batch_lookups(
        &self,
        id: BatchId,
        first: RowNumber,
        rows: u32,
    ) -> Result<Vec<StoredLookup>, StoreError> {
        let tables = self.call("batch_lookups").await?;
        let end = RowNumber(first.0.saturating_add(rows));
        let wanted = tables.rows_of(id).into_iter();
        let wanted = wanted.filter(|(row, _)| (first..end).contains(row));
        Ok(wanted.map(|(_, kept)| kept.stored.clone()).collect())
    }

    async fn claim_batches(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedBatch>, StoreError> {
        let mut tables = self.call("claim_batches").await?;
        let all = tables.batches.values();
        let due = all.filter(|kept| kept.due_at.is_some_and(|due_at| due_at <= now));
        let mut due: Vec<_> = due.map(|kept| (kept.due_at, kept.facts.id)).collect();
        due.sort_unstable();
        due.truncate(most as usize);
        let claim = |(_, id)| tables.claim_batch(id, lease);
        Ok(due.into_iter().filter_map(claim).collect())
    }

    async fn renew_batch(
        &self,
        id: BatchId,
        lease: Lease,
    ) -> Result<Option<BatchProgress>, StoreError> {
        let mut tables = self.call("renew_batch").await?;
        let Some(kept) = tables.held_batch(id, lease.token) else {
            return Ok(None);
        };
        kept.due_at = Some(lease.until);
        let next_row = kept.next_row;
        Ok(Some(tables.progress(id, next_row)))
    }

    async fn feed_batch(&self, feed: &BatchFeed) -> Result<bool, StoreError> {
        let mut tables = self.call("feed_batch").await?;
        if tables.held_batch(feed.id, feed.token).is_none() || !tables.are_free(feed) {
            return Ok(false);
        }
        if feed
            .lookups
            .iter()
            .any(|row| tables.lookups.contains_key(&row.facts.id))
        {
            return Err(broken("there is a lookup with this id"));
        }
        tables.feed(feed);
        if !feed.lookups.is_empty() {
            tables.listeners.notify(LookupNotification::Added);
        }
        Ok(true)
    }

    async fn release_batch(&self, release: &BatchRelease) -> Result<bool, StoreError> {
        let mut tables = self.call("release_batch").await?;
        let (id, now) = (release.id, release.now);
        let has_open = tables.has_open_rows(id);
        let Some(kept) = tables.held_batch(id, release.token) else {
            return Ok(false);
        };
        let before = kept.state;
        match release.change {
            BatchChange::Wait { due_at } => kept.release(due_at),
            BatchChange::Pause { due_at } => {
                kept.set_state(BatchState::Paused, now);
                kept.release(due_at);
            }
            BatchChange::Finish => {
                if has_open || kept.next_row != kept.facts.counts.rows {
                    return Ok(false);
                }
                kept.end(BatchState::Finished, now);
            }
        }
        let (after, owner) = (kept.state, (kept.facts.customer, kept.facts.environment));
        let event = WebhookEvent::of_batch(owner, release.id, after, now);
        if let Some(event) = event.filter(|_| after != before) {
            tables.outbox.enqueue(&event);
        }
        Ok(true)
    }

    async fn cancel_batch(
        &self,
        customer: CustomerId,
        id: BatchId,
        now: DateTime<Utc>,
    ) -> Result<BatchCancellation, StoreError> {
        let mut tables = self.call("cancel_batch").await?;
        if tables.own_batch(customer, id).is_none() {
            return Ok(BatchCancellation::Unknown);
        }
        let Some(kept) = tables.batches.get_mut(&id) else {
            return Ok(BatchCancellation::Unknown);
        };
        if kept.state.is_final() {
            return Ok(BatchCancellation::Final);
        }
        kept.end(BatchState::Canceled, now);
        let lookups = tables.cancel_rows(id, now);
        for canceled in &lookups {
            tables.changed(canceled.facts.id);
        }
        Ok(BatchCancellation::Canceled { lookups })
    }

    async fn erase_batch(&self, customer: CustomerId, id: BatchId) -> Result<bool, StoreError> {
        let mut tables = self.call("erase_batch").await?;
        let found = tables.own_batch(customer, id);
        let is_final = found.is_some_and(|kept| kept.state.is_final());
        if is_final {
            tables.remove_batch(id);
        }
        Ok(is_final)
    }

    async fn import_proofs(
        &self,
        customer: CustomerId,
        id: BatchId,
        proofs: &[ImportedProof],
        now: DateTime<Utc>,
    ) -> Result<Option<Vec<LookupFacts>>, StoreError> {
        let mut tables = self.call("import_proofs").await?;
        let found = tables.own_batch(customer, id);
        if found.is_none_or(|kept| kept.state == BatchState::Canceled) {
            return Ok(None);
        }
        let import = |proof| tables.import(id, proof, now);
        let delivered: Vec<_> = proofs.iter().filter_map(import).collect();
        for (facts, seal) in &delivered {
            if let Some(event) = facts.end_event(
                LookupEnd::Delivered {
                    seal: *seal,
                    origin: ProofOrigin::Imported,
                },
                now,
            ) {
                tables.outbox.enqueue(&event);
            }
            tables.changed(facts.id);
        }
        let delivered = delivered.into_iter().map(|(facts, _)| facts);
        Ok(Some(delivered.collect()))
    }

    async fn prune_batches(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        let mut tables = self.call("prune_batches").await?;
        let all = tables.batches.values();
        let ended = all.filter(|kept| kept.ended_at.is_some_and(|ended_at| ended_at < before));
        let ended: Vec<_> = ended.map(|kept| kept.facts.id).collect();
        for id in &ended {
            tables.remove_batch(*id);
        }
        Ok(ended.len() as u64)
    }
}
