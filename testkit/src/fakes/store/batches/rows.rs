//! Lookups of a batch's rows.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use domain::batches::{BatchId, BatchState, RowNumber};
use domain::lookups::{LookupId, LookupState};
use domain::people::customer::CustomerId;
use domain::seals::SealVerdict;
use ports::outbound::{
    BatchFeed, BatchProgress, CanceledLookup, ClaimedBatch, Lease, LookupFacts, StoredBatch,
    StoredLookup,
};
use uuid::Uuid;

use super::kept::KeptBatch;
use crate::fakes::store::Tables;
use crate::fakes::store::lookups::KeptLookup;

impl Tables {
    pub(super) fn own_batch(&self, customer: CustomerId, id: BatchId) -> Option<&KeptBatch> {
        let kept = self.batches.get(&id)?;
        (kept.facts.customer == customer).then_some(kept)
    }

    /// Number of a customer's batches that aren't final.
    pub(super) fn open_batches(&self, customer: CustomerId) -> usize {
        let open = self.batches.values().filter(|kept| !kept.state.is_final());
        open.filter(|kept| kept.facts.customer == customer).count()
    }

    /// Rows of all batches of a customer.
    pub(super) fn batch_rows(&self, customer: CustomerId) -> u64 {
        let own = self.batches.values();
        let own = own.filter(|kept| kept.facts.customer == customer);
        own.map(|kept| u64::from(kept.facts.counts.rows)).sum()
    }

    /// The batch that is held under this lease.
    pub(super) fn held_batch(&mut self, id: BatchId, token: Uuid) -> Option<&mut KeptBatch> {
        let kept = self.batches.get_mut(&id)?;
        (kept.lease == Some(token)).then_some(kept)
    }

    /// Lookups of a batch, by their rows.
    pub(super) fn rows_of(&self, id: BatchId) -> BTreeMap<RowNumber, &KeptLookup> {
        let with_row = self.lookups.values().filter_map(|kept| {
            let row = kept.stored.facts.batch?;
            (row.batch == id).then_some((row.row, kept))
        });
        with_row.collect()
    }

    pub(super) fn has_open_rows(&self, id: BatchId) -> bool {
        let rows = self.rows_of(id);
        rows.values().any(|kept| !kept.stored.state.is_final())
    }

    pub(super) fn progress(&self, id: BatchId, next_row: u32) -> BatchProgress {
        let rows = self.rows_of(id);
        let count = |is_one: &dyn Fn(&StoredLookup) -> bool| {
            let found = rows.values().filter(|kept| is_one(&kept.stored));
            u32::try_from(found.count()).unwrap_or(u32::MAX)
        };
        let in_state = |state: LookupState| {
            let lookups = count(&|lookup| lookup.state == state);
            (lookups > 0).then_some((state, lookups))
        };
        let seals = |verdict: SealVerdict| count(&|lookup| lookup.seal == Some(verdict));
        BatchProgress {
            next_row,
            lookups: LookupState::ALL.into_iter().filter_map(in_state).collect(),
            seal_invalid: seals(SealVerdict::Invalid),
            seal_not_checked: seals(SealVerdict::NotChecked),
            next_due: rows.values().filter_map(|kept| kept.stored.due_at).min(),
        }
    }

    pub(super) fn stored_batch(&self, kept: &KeptBatch) -> StoredBatch {
        StoredBatch {
            facts: kept.facts.clone(),
            content: kept.content.clone(),
            state: kept.state,
            updated_at: kept.updated_at,
            due_at: kept.due_at,
            progress: self.progress(kept.facts.id, kept.next_row),
        }
    }

    pub(super) fn claim_batch(&mut self, id: BatchId, lease: Lease) -> Option<ClaimedBatch> {
        let kept = self.batches.get_mut(&id)?;
        kept.due_at = Some(lease.until);
        kept.lease = Some(lease.token);
        let counters = kept.facts.key.counters;
        let active = self.unrevoked_keys().filter(|key| key.counters == counters);
        let newest = active.max_by_key(|key| (key.created_at, key.id));
        Some(ClaimedBatch {
            key: newest.map(|key| key.id),
            batch: self.stored_batch(self.batches.get(&id)?),
        })
    }

    /// Returns `true` if no row that is to be fed has a lookup.
    pub(super) fn are_free(&self, feed: &BatchFeed) -> bool {
        let mut taken: BTreeSet<_> = self.rows_of(feed.id).into_keys().collect();
        let rows = feed.lookups.iter().filter_map(|row| row.facts.batch);
        { rows }.all(|row| taken.insert(row.row))
    }

    /// Feeds rows that are free to a batch that is held.
    pub(super) fn feed(&mut self, feed: &BatchFeed) {
        if let Some(kept) = self.batches.get_mut(&feed.id) {
            kept.next_row = feed.next_row;
            kept.set_state(BatchState::Running, feed.now);
        }
        for row in &feed.lookups {
            let kept = KeptLookup::queued(row.facts.clone(), row.question.clone());
            self.lookups.insert(row.facts.id, kept);
        }
        if let Some(charge) = feed.charge {
            let used = self.used.entry((charge.key, charge.month)).or_default();
            used.charged += u64::from(charge.requests);
            self.use_at(charge.key, feed.now);
        }
    }

    /// Cancels lookups that aren't final.
    pub(super) fn cancel_rows(&mut self, id: BatchId, now: DateTime<Utc>) -> Vec<CanceledLookup> {
        let rows = self.rows_of(id).into_values();
        let open = rows.filter(|kept| !kept.stored.state.is_final());
        let open: Vec<_> = open.map(|kept| kept.stored.facts.id).collect();
        let cancel = |id| {
            let kept = self.lookups.get_mut(&id)?;
            let refunded = kept.is_untouched();
            let facts = kept.stored.facts.clone();
            kept.end(LookupState::Canceled, now);
            if refunded {
                self.refund(&facts);
            }
            Some(CanceledLookup { facts, refunded })
        };
        open.into_iter().filter_map(cancel).collect()
    }

    pub(in crate::fakes::store) fn refund(&mut self, facts: &LookupFacts) {
        let charged = (facts.key.id, facts.month);
        self.used.entry(charged).or_default().refunded += 1;
    }

    pub(super) fn remove_batch(&mut self, id: BatchId) {
        let rows = self.rows_of(id).into_values();
        let lookups: Vec<LookupId> = rows.map(|kept| kept.stored.facts.id).collect();
        for lookup in lookups {
            self.lookups.remove(&lookup);
        }
        self.batches.remove(&id);
    }
}
