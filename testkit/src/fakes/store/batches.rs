//! Stored batches.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::batches::{BatchId, BatchState, RowNumber};
use domain::idempotency::FirstAnswer;
use domain::page::{Page, PageRequest};
use domain::people::customer::CustomerId;
use domain::proofs::notice::ProofOrigin;
use domain::webhooks::{LookupEnd, WebhookEvent};
use ports::outbound::{
    BatchAddition, BatchBounds, BatchCancellation, BatchChange, BatchFeed, BatchFilter,
    BatchProgress, BatchRelease, BatchStore, ClaimedBatch, ImportedProof, Lease, ListError,
    LookupFacts, LookupNotification, NewBatch, StoredBatch, StoredLookup,
};

use super::pages::{newest_first, uncounted};
use super::{MemoryStore, Result, broken};
use kept::matches_filter;

pub(super) use kept::KeptBatch;

mod imports;
mod kept;
mod rows;

#[async_trait]
impl BatchStore for MemoryStore {
    async fn add_batch(&self, batch: &NewBatch, bounds: BatchBounds) -> Result<BatchAddition> {
        let mut tables = self.call("add_batch").await?;
        let id = batch.facts.id;
        if tables.open_batches(batch.facts.customer) >= bounds.open as usize {
            return Ok(BatchAddition::TooManyOpen);
        }
        let rows = tables.batch_rows(batch.facts.customer) + u64::from(batch.facts.counts.rows);
        if rows > bounds.rows {
            return Ok(BatchAddition::TooManyRows);
        }
        if tables.batches.contains_key(&id) {
            return Err(broken("there is a batch with this id"));
        }
        tables.answer_first(batch.claim, FirstAnswer::Batch(id))?;
        tables.batches.insert(id, KeptBatch::queued(batch));
        Ok(BatchAddition::Added)
    }

    async fn batch(&self, customer: CustomerId, id: BatchId) -> Result<Option<StoredBatch>> {
        let tables = self.call("batch").await?;
        let kept = tables.own_batch(customer, id);
        Ok(kept.map(|kept| tables.stored_batch(kept)))
    }

    async fn batch_state(&self, customer: CustomerId, id: BatchId) -> Result<Option<BatchState>> {
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
        let found = newest_first(found, request, |it| (it.facts.created_at, it.facts.id.0))?;
        Ok(uncounted(found.map(|kept| tables.stored_batch(kept))))
    }

    async fn batch_chunk(&self, id: BatchId, number: u32) -> Result<Option<Vec<u8>>> {
        let tables = self.call("batch_chunk").await?;
        let chunks = tables.batches.get(&id).map(|kept| &kept.chunks);
        Ok(chunks.and_then(|chunks| chunks.get(number as usize).cloned()))
    }

    async fn batch_lookups(
        &self,
        id: BatchId,
        first: RowNumber,
        rows: u32,
    ) -> Result<Vec<StoredLookup>> {
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
    ) -> Result<Vec<ClaimedBatch>> {
        let mut tables = self.call("claim_batches").await?;
        let all = tables.batches.values();
        let due = all.filter(|kept| kept.due_at.is_some_and(|due_at| due_at <= now));
        let mut due: Vec<_> = due.map(|kept| (kept.due_at, kept.facts.id)).collect();
        due.sort_unstable();
        due.truncate(most as usize);
        let claim = |(_, id)| tables.claim_batch(id, lease);
        Ok(due.into_iter().filter_map(claim).collect())
    }

    async fn renew_batch(&self, id: BatchId, lease: Lease) -> Result<Option<BatchProgress>> {
        let mut tables = self.call("renew_batch").await?;
        let Some(kept) = tables.held_batch(id, lease.token) else {
            return Ok(None);
        };
        kept.due_at = Some(lease.until);
        let next_row = kept.next_row;
        Ok(Some(tables.progress(id, next_row)))
    }

    async fn feed_batch(&self, feed: &BatchFeed) -> Result<bool> {
        let mut tables = self.call("feed_batch").await?;
        if tables.held_batch(feed.id, feed.token).is_none() || !tables.are_free(feed) {
            return Ok(false);
        }
        let mut ids = feed.lookups.iter().map(|row| row.facts.id);
        if ids.any(|id| tables.lookups.contains_key(&id)) {
            return Err(broken("there is a lookup with this id"));
        }
        tables.feed(feed);
        if !feed.lookups.is_empty() {
            tables.listeners.notify(LookupNotification::Added);
        }
        Ok(true)
    }

    async fn release_batch(&self, release: &BatchRelease) -> Result<bool> {
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
        let event = event.filter(|_| after != before);
        tables.outbox.enqueue(event.as_ref());
        Ok(true)
    }

    async fn cancel_batch(
        &self,
        customer: CustomerId,
        id: BatchId,
        now: DateTime<Utc>,
    ) -> Result<BatchCancellation> {
        let mut tables = self.call("cancel_batch").await?;
        let kept = tables.batches.get_mut(&id);
        let Some(kept) = kept.filter(|kept| kept.facts.customer == customer) else {
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

    async fn erase_batch(&self, customer: CustomerId, id: BatchId) -> Result<bool> {
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
    ) -> Result<Option<Vec<LookupFacts>>> {
        let mut tables = self.call("import_proofs").await?;
        let found = tables.own_batch(customer, id);
        if found.is_none_or(|kept| kept.state == BatchState::Canceled) {
            return Ok(None);
        }
        let import = |proof: &ImportedProof| {
            let facts = tables.import(id, proof, now)?;
            let end = LookupEnd::Delivered {
                seal: proof.seal,
                origin: ProofOrigin::Imported,
            };
            tables.outbox.enqueue(facts.end_event(end, now).as_ref());
            tables.changed(facts.id);
            Some(facts)
        };
        Ok(Some(proofs.iter().filter_map(import).collect()))
    }

    async fn prune_batches(&self, before: DateTime<Utc>) -> Result<u64> {
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
