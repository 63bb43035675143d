//! Contract of the store of batches.

use std::future::Future;
use std::ops::Range;

use chrono::{DateTime, TimeDelta, Utc};
use domain::batch::{BatchState, RowNumber};
use domain::limits::MonthlyUse;
use domain::lookup::LookupState;
use domain::month::Month;
use uuid::Uuid;

use super::fixture::{batch_of, customer, month, record, record_of, row_of};
use super::lookups::lease_until;
use super::stores::{Stores, StoresUnderTest};
use crate::outbound::{
    BatchAddition, BatchCancellation, BatchChange, BatchFeed, BatchProgress, BatchRelease,
    ClaimedBatch, FeedCharge, NewBatch, NewLookup, RowLookup, StoredBatch, StoredLookup,
};

mod additions;
mod cancellation;
mod claims;
mod events;
mod feeds;
mod imports;
mod lists;
mod releases;
mod removal;

/// Runs the whole suite; `make` returns a fresh, empty database each time.
pub async fn batch_store<F: Future<Output = StoresUnderTest>>(make: impl Fn() -> F) {
    additions::additions(&make).await;
    lists::lists(&make).await;
    claims::claims(&make).await;
    feeds::feeds(&make).await;
    releases::releases(&make).await;
    events::events(&make).await;
    cancellation::cancellation(&make).await;
    imports::imports(&make).await;
    removal::removal(&make).await;
}

/// The `number`th batch of the first customer's first key, with three rows.
fn batch(number: u16) -> NewBatch {
    batch_of(&record(1).key, number, 3)
}

/// The first batch of another customer.
fn others(number: u16) -> NewBatch {
    batch_of(&record_of(&customer(2), 2).key, number, 3)
}

/// A batch as it is stored at first.
fn queued(new: &NewBatch) -> StoredBatch {
    StoredBatch {
        facts: new.facts.clone(),
        content: new.content.clone(),
        state: BatchState::Queued,
        updated_at: new.facts.created_at,
        due_at: Some(new.facts.created_at),
        progress: BatchProgress::default(),
    }
}

/// Two seconds after noon, when all batches and rows of the suite are due.
fn start() -> DateTime<Utc> {
    super::lookups::soon() + TimeDelta::seconds(1)
}

/// `number` minutes later than [`start`].
fn minutes(number: i64) -> DateTime<Utc> {
    start() + TimeDelta::minutes(number)
}

/// Rows as lookups to make under the `lease`th lease, charged to the batch's key.
fn feed(batch: &NewBatch, lease: u128, rows: Range<u16>) -> BatchFeed {
    BatchFeed {
        id: batch.facts.id,
        token: Uuid::from_u128(lease),
        next_row: rows.end.into(),
        charge: Some(FeedCharge {
            key: batch.facts.key.id,
            month: month(),
            requests: u32::try_from(rows.len()).expect("a few rows"),
        }),
        lookups: rows.map(|row| row_of(batch, row)).collect(),
        now: start(),
    }
}

/// The same lookup as one to add.
fn as_new(row: &RowLookup) -> NewLookup {
    NewLookup {
        facts: row.facts.clone(),
        question: row.question.clone(),
        claim: None,
    }
}

impl Stores {
    /// Adds the first key, which is charged.
    async fn with_key(&self) {
        self.added(1).await;
    }

    async fn add_batches(&self, batches: &[NewBatch]) {
        for new in batches {
            let added = self.batches.add_batch(new, u32::MAX).await;
            assert_eq!(added.expect("the store works"), BatchAddition::Added);
        }
    }

    async fn stored_batch(&self, new: &NewBatch) -> Option<StoredBatch> {
        let found = self.batches.batch(new.facts.customer, new.facts.id).await;
        found.expect("the store works")
    }

    /// A batch that is there.
    async fn kept_batch(&self, new: &NewBatch) -> StoredBatch {
        let found = self.stored_batch(new).await;
        let found = found.expect("the batch is there");
        assert_eq!(self.state_of(new).await, Some(found.state));
        found
    }

    /// The state of a batch, read alone.
    async fn state_of(&self, new: &NewBatch) -> Option<BatchState> {
        let NewBatch { facts, .. } = new;
        let state = self.batches.batch_state(facts.customer, facts.id).await;
        state.expect("the store works")
    }

    /// State, next row and number of open lookups.
    async fn standing(&self, new: &NewBatch) -> (BatchState, u32, u32) {
        let StoredBatch {
            state, progress, ..
        } = self.kept_batch(new).await;
        (state, progress.next_row, progress.open())
    }

    /// Claims batches at an instant under the `lease`th lease, for a minute.
    async fn claim_batches_at(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: u128,
    ) -> Vec<ClaimedBatch> {
        let lease = lease_until(lease, now + TimeDelta::minutes(1));
        let claimed = self.batches.claim_batches(most, now, lease).await;
        claimed.expect("the store works")
    }

    /// Adds a batch, and claims it under the first lease.
    async fn claimed_batch(&self, new: &NewBatch) {
        self.add_batches(std::slice::from_ref(new)).await;
        let claimed = self.claim_batches_at(1, start(), 1).await;
        assert_eq!(claimed[0].batch.facts, new.facts);
    }

    async fn feeds(&self, feed: &BatchFeed) -> bool {
        self.batches
            .feed_batch(feed)
            .await
            .expect("the rows are new")
    }

    /// Adds a batch, and makes lookups of its three rows.
    async fn fed_batch(&self, new: &NewBatch) {
        self.with_key().await;
        self.claimed_batch(new).await;
        assert!(self.feeds(&feed(new, 1, 0..3)).await);
    }

    /// Ends the work under the `lease`th lease.
    async fn releases_batch(&self, new: &NewBatch, lease: u128, change: BatchChange) -> bool {
        self.releases_batch_at(new, minutes(1), lease, change).await
    }

    async fn releases_batch_at(
        &self,
        new: &NewBatch,
        now: DateTime<Utc>,
        lease: u128,
        change: BatchChange,
    ) -> bool {
        let release = BatchRelease {
            id: new.facts.id,
            token: Uuid::from_u128(lease),
            now,
            change,
        };
        let released = self.batches.release_batch(&release).await;
        released.expect("the store works")
    }

    async fn cancels_batch(&self, new: &NewBatch) -> BatchCancellation {
        let NewBatch { facts, .. } = new;
        let batches = &self.batches;
        let canceled = batches.cancel_batch(facts.customer, facts.id, minutes(1));
        canceled.await.expect("the store works")
    }

    /// All lookups of a batch, in row order.
    async fn rows_of(&self, new: &NewBatch) -> Vec<StoredLookup> {
        let first = RowNumber(0);
        let rows = self
            .batches
            .batch_lookups(new.facts.id, first, 10_000)
            .await;
        rows.expect("the store works")
    }

    /// States of all lookups of a batch, in row order.
    async fn states_of(&self, new: &NewBatch) -> Vec<LookupState> {
        let rows = self.rows_of(new).await;
        rows.iter().map(|lookup| lookup.state).collect()
    }

    /// Requests charged to the first key, and refunded.
    async fn used(&self) -> (u64, u64) {
        self.used_in(month()).await
    }

    async fn used_in(&self, month: Month) -> (u64, u64) {
        let snapshot = self.keys.snapshot(record(1).key.id, month).await;
        let snapshot = snapshot.expect("the store works");
        let MonthlyUse { charged, refunded } = snapshot.expect("the key is there").used;
        (charged, refunded)
    }
}
