//! Contract of the store of batches.

use std::ops::Range;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use domain::batches::{BatchId, BatchState, RowCounts, RowNumber};
use domain::idempotency::FirstAnswer;
use domain::keys::{ApiKey, Environment};
use domain::lookups::{LookupId, LookupState};
use domain::month::Month;
use domain::page::{PageRequest, PageSize};
use domain::people::customer::CustomerId;
use domain::proofs::notice::ProofOrigin;
use domain::seals::SealVerdict;
use domain::webhooks::{EventType, WebhookEvent};
use futures::future::join;
use uuid::Uuid;

use super::fixture::*;
use super::idempotency::{claim, held};
use super::key_store::rotated;
use super::lookups::{self, deliver, end, ended, failed, lease_until, refunded, untried, wait};
use super::ok;
use super::paging;
use super::stores::{Pair, Stores};
use super::webhooks::{by_owner, endpoint, endpoint_of, event_types};
use crate::outbound::*;

mod additions;
mod cancellation;
mod claims;
mod events;
mod feeds;
mod imports;
mod lists;
mod releases;
mod removal;

cases! {
    $ batches(Pair)
    additions::a_new_batch_is_queued_and_comes_back_to_its_customer_alone,
    additions::chunks_are_read_one_by_one,
    additions::an_id_is_taken_once,
    additions::a_batch_is_recorded_with_its_request,
    additions::a_request_that_lost_its_claim_adds_no_batch,
    additions::a_customer_has_so_many_open_batches,
    additions::a_customer_has_so_many_rows_in_all_its_batches,
    additions::batches_that_are_added_at_once_do_not_exceed_the_limit_together,
    lists::batches_are_listed_newest_first_page_by_page,
    lists::batches_are_found_by_state_counters_and_environment,
    lists::lookups_are_read_by_their_rows,
    lists::lookups_are_listed_by_their_batch,
    claims::batches_that_are_due_first_are_claimed_first,
    claims::of_many_claims_at_once_each_gets_others,
    claims::a_lease_holds_until_another_claim_after_its_last_end,
    claims::the_newest_key_that_is_not_revoked_is_charged,
    feeds::fed_rows_are_lookups_like_others_and_the_batch_is_running,
    feeds::a_feed_is_charged_once_to_the_counters_of_its_key,
    feeds::rows_that_are_never_looked_up_are_passed,
    feeds::a_row_has_one_lookup_at_most,
    feeds::many_rows_are_fed_at_once,
    feeds::progress_counts_lookups_by_state,
    releases::a_batch_that_waits_or_is_paused_is_due_later_and_goes_on,
    releases::a_batch_is_finished_once_each_row_has_ended,
    releases::whoever_lost_the_lease_changes_nothing,
    events::the_end_of_a_batch_is_told_once_to_those_who_want_it,
    events::each_pause_of_a_batch_is_told_once_to_those_who_want_it,
    events::what_nobody_asked_for_is_not_told,
    events::a_change_that_is_not_made_is_not_told,
    cancellation::a_batch_is_canceled_with_its_open_lookups_alone,
    cancellation::untouched_lookups_are_refunded_to_their_months,
    cancellation::who_works_on_a_canceled_row_has_lost_its_lease,
    cancellation::what_is_final_or_anothers_is_not_canceled,
    imports::open_and_failed_lookups_are_delivered,
    imports::untouched_lookups_are_refunded,
    imports::a_row_without_a_lookup_gets_a_delivered_one,
    imports::rows_with_a_proof_or_that_changed_are_passed_over,
    imports::finished_batches_take_proofs_but_no_canceled_or_foreign_ones,
    imports::each_delivery_is_told_once_to_those_who_want_it,
    imports::deliveries_are_counted_by_the_verdict_on_their_seals,
    removal::a_final_batch_is_erased_with_everything,
    removal::nobody_erases_what_goes_on_or_is_not_theirs,
    removal::batches_are_removed_with_their_lookups,
    removal::who_reads_a_batch_while_it_is_removed_misses_no_lookup,
}

/// The `number`th batch of the first customer's first key, with three rows.
fn batch(number: u16) -> NewBatch {
    batch_of(&record(1).key, number, 3)
}

/// The first batch with six rows.
fn wide() -> NewBatch {
    batch_of(&record(1).key, 1, 6)
}

/// The first batch of another customer.
fn others(number: u16) -> NewBatch {
    batch_of(&record_of(&customer(2), 2).key, number, 3)
}

/// The id of a row's lookup, of the first batch.
fn row_id(row: u16) -> LookupId {
    row_of(&batch(1), row).facts.id
}

/// A batch without rows to look up, which can be finished at once.
fn empty() -> NewBatch {
    batch_of(&record(1).key, 1, 0)
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
            let added = ok(self.batches.add_batch(new, BatchBounds::NONE)).await;
            assert_eq!(added, BatchAddition::Added);
        }
    }

    async fn stored_batch(&self, new: &NewBatch) -> Option<StoredBatch> {
        ok(self.batches.batch(new.facts.customer, new.facts.id)).await
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
        ok(self.batches.batch_state(facts.customer, facts.id)).await
    }

    /// State, next row and number of open lookups.
    async fn standing(&self, new: &NewBatch) -> (BatchState, u32, u32) {
        let StoredBatch {
            state, progress, ..
        } = self.kept_batch(new).await;
        (state, progress.next_row, progress.open())
    }

    /// Claims batches at an instant under the `lease`th lease, for a minute.
    async fn claim_batches(&self, most: u32, now: DateTime<Utc>, lease: u128) -> Vec<ClaimedBatch> {
        let lease = lease_until(lease, now + TimeDelta::minutes(1));
        ok(self.batches.claim_batches(most, now, lease)).await
    }

    /// Adds a batch, and claims it under the first lease.
    async fn claimed_batch(&self, new: &NewBatch) {
        self.add_batches(std::slice::from_ref(new)).await;
        let claimed = self.claim_batches(1, start(), 1).await;
        assert_eq!(claimed[0].batch.facts, new.facts);
    }

    async fn feeds(&self, feed: &BatchFeed) -> bool {
        ok(self.batches.feed_batch(feed)).await
    }

    async fn renews_batch(&self, new: &NewBatch, lease: Lease) -> Option<BatchProgress> {
        ok(self.batches.renew_batch(new.facts.id, lease)).await
    }

    /// Ends the work on a row of the first batch under the fifth lease, after an attempt.
    async fn ends_row(&self, row: u16, change: LookupChange) -> bool {
        self.ends(row_id(row), 5, start(), change).await
    }

    /// Claims so many due rows under the fifth lease, for a minute.
    async fn claims_rows(&self, most: u32) -> Vec<ClaimedLookup> {
        self.claim_at(most, start(), lease_until(5, minutes(1)))
            .await
    }

    /// Adds a batch, and makes lookups of its three rows.
    async fn fed_batch(&self, new: &NewBatch) {
        self.fed_rows(new, 0..3).await;
    }

    /// Adds a batch, and makes lookups of these of its rows.
    async fn fed_rows(&self, new: &NewBatch, rows: Range<u16>) {
        self.with_key().await;
        self.claimed_batch(new).await;
        assert!(self.feeds(&feed(new, 1, rows)).await);
    }

    /// Claims all due rows of the first batch, and ends the work on these in failure.
    async fn failed_rows(&self, rows: Range<u16>) {
        self.claims_rows(9).await;
        for row in rows {
            assert!(self.ends_row(row, failed()).await);
        }
    }

    /// Adds a lookup without a batch.
    async fn alone(&self) -> NewLookup {
        let alone = lookup_of(&record(1).key, 50);
        ok(self.lookups.add_lookup(&alone)).await;
        alone
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
        ok(self.batches.release_batch(&release)).await
    }

    async fn cancels_batch(&self, new: &NewBatch) -> BatchCancellation {
        let NewBatch { facts, .. } = new;
        let batches = &self.batches;
        ok(batches.cancel_batch(facts.customer, facts.id, minutes(1))).await
    }

    /// All lookups of a batch, in row order.
    async fn rows_of(&self, new: &NewBatch) -> Vec<StoredLookup> {
        let first = RowNumber(0);
        ok(self.batches.batch_lookups(new.facts.id, first, 10_000)).await
    }

    /// States of all lookups of a batch, in row order.
    async fn states_of(&self, new: &NewBatch) -> Vec<LookupState> {
        let rows = self.rows_of(new).await;
        rows.iter().map(|lookup| lookup.state).collect()
    }

    /// Requests charged to the first key, and refunded.
    async fn used(&self) -> (u64, u64) {
        self.used_by(record(1).key.id, month()).await
    }
}
