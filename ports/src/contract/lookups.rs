//! Contract of the store of lookups.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use domain::keys::{ApiKey, Environment};
use domain::lookups::{Attempt, LookupId, LookupState, QueueAhead};
use domain::month::Month;
use domain::outcome::Outcome;
use domain::pacing::LookupClass;
use domain::people::customer::{Customer, CustomerId};
use domain::seals::SealVerdict;
use futures::channel::mpsc::{UnboundedReceiver, unbounded};
use futures::future::{Either, select};
use futures::{StreamExt as _, pin_mut};
use uuid::Uuid;

use super::fixture::{customer, instant, lookup_of, month, page_after, page_of, record, record_of};
use super::key_store::rotated;
use super::ok;
use super::paging;
use super::stores::{Pair, Stores};
use crate::outbound::*;

mod ahead;
mod cancellation;
mod claims;
mod ends;
mod leases;
mod lists;
pub mod notifications;
mod queue;
mod removal;
mod turns;

cases! {
    $ lookups(Pair)
    self::a_new_lookup_is_queued_and_comes_back_with_all_its_facts,
    self::a_lookup_is_found_by_its_customer_alone,
    self::an_id_is_taken_once,
    lists::lookups_are_listed_newest_first_page_by_page,
    lists::lookups_are_found_by_each_condition,
    lists::a_customers_lookups_are_found_by_their_ids,
    claims::a_claimed_lookup_is_running_under_its_lease,
    claims::what_is_due_first_is_claimed_first_as_far_as_wanted,
    claims::of_many_concurrent_claims_none_gets_what_another_has,
    claims::interactive_lookups_are_claimed_first_or_alone,
    claims::after_its_first_attempt_no_lookup_is_interactive,
    turns::customers_take_turns_within_and_over_claims,
    turns::a_customer_whose_lookups_are_exhausted_leaves_its_turns_to_the_others,
    turns::a_customer_whose_turn_never_came_is_first,
    turns::an_interactive_lookup_is_a_turn_too,
    leases::who_lost_its_lease_to_another_claim_changes_nothing,
    leases::a_lease_holds_until_another_claim_after_its_last_end,
    leases::nobody_holds_what_has_ended_or_waits,
    ends::a_lookup_waits_for_its_next_attempt,
    ends::a_lookup_without_an_attempt_is_queued_again,
    ends::attempts_come_back_in_their_order,
    ends::the_banks_last_answer_is_kept_until_there_is_a_proof,
    ends::a_delivered_lookup_has_its_proof,
    ends::every_end_without_a_proof_is_kept,
    ends::a_refund_is_given_back_once_to_its_month_and_its_counters,
    cancellation::open_lookups_are_canceled_with_their_leases,
    cancellation::what_is_final_or_anothers_is_not_canceled,
    cancellation::open_lookups_of_a_revoked_key_are_canceled,
    cancellation::lookups_of_a_rotated_key_go_on,
    cancellation::no_more_orphans_are_canceled_at_once_than_wanted,
    removal::a_final_lookup_is_erased_with_its_attempts,
    removal::open_and_foreign_lookups_are_not_removed,
    removal::lookups_are_removed_some_time_after_their_end,
    queue::due_lookups_are_counted_with_the_age_of_the_oldest,
    queue::what_waits_or_runs_is_counted_apart,
    queue::the_next_lookup_is_due_first_of_all,
    ahead::positions_are_the_order_of_claims,
    ahead::classes_have_queues_of_their_own,
    ahead::what_is_due_later_is_not_ahead,
}

/// The `number`th lookup of the first customer's first key.
fn lookup(number: u16) -> NewLookup {
    lookup_of(&record(1).key, number)
}

/// The same, for which its creator waits.
fn interactive(number: u16) -> NewLookup {
    awaited(lookup(number))
}

/// The id of [`lookup`].
fn id(number: u16) -> LookupId {
    lookup(number).facts.id
}

fn awaited(mut lookup: NewLookup) -> NewLookup {
    lookup.facts.class = LookupClass::Interactive;
    lookup
}

/// A key of the second customer.
fn other_key() -> ApiKey {
    record_of(&other(), 2).key
}

fn other() -> Customer {
    customer(2)
}

/// The lookup with this number, of this customer.
fn of(of: u16, number: u16) -> NewLookup {
    lookup_of(&record_of(&customer(of), of).key, number)
}

/// A lookup as it is stored at first.
pub(super) fn queued(new: &NewLookup) -> StoredLookup {
    StoredLookup {
        facts: new.facts.clone(),
        state: LookupState::Queued,
        updated_at: new.facts.created_at,
        due_at: Some(new.facts.created_at),
        attempts: 0,
        last_attempt: None,
        question: new.question.clone(),
        proof: None,
        seal: None,
        finding: None,
    }
}

/// A second after noon, when all lookups of the suites are due.
pub(super) fn soon() -> DateTime<Utc> {
    instant(1_000)
}

/// `number` minutes later than [`soon`].
pub(super) fn minutes(number: i64) -> DateTime<Utc> {
    soon() + TimeDelta::minutes(number)
}

/// The `number`th lease, which ends a minute later than [`soon`].
fn lease(number: u128) -> Lease {
    lease_until(number, minutes(1))
}

pub(super) fn lease_until(number: u128, until: DateTime<Utc>) -> Lease {
    Lease {
        token: Uuid::from_u128(number),
        until,
    }
}

fn attempt(at: DateTime<Utc>) -> Attempt {
    Attempt {
        at,
        outcome: Outcome::NotIssued,
    }
}

/// The end of the work under the `lease`th lease, after an attempt.
pub(super) fn end(id: LookupId, lease: u128, now: DateTime<Utc>, change: LookupChange) -> ClaimEnd {
    ClaimEnd {
        id,
        token: Uuid::from_u128(lease),
        now,
        attempt: Some(attempt(now)),
        finding: None,
        question: None,
        change,
    }
}

/// The same, without an attempt.
pub(super) fn untried(
    id: LookupId,
    lease: u128,
    now: DateTime<Utc>,
    change: LookupChange,
) -> ClaimEnd {
    ClaimEnd {
        attempt: None,
        ..end(id, lease, now, change)
    }
}

pub(super) fn wait(due_at: DateTime<Utc>) -> LookupChange {
    LookupChange::Wait { due_at }
}

/// A delivery with a valid seal.
pub(super) fn deliver() -> LookupChange {
    LookupChange::Deliver {
        proof: b"proof".to_vec(),
        seal: SealVerdict::Valid,
    }
}

/// An end in this state, without a proof or a refund.
pub(super) fn ended(state: LookupState) -> LookupChange {
    LookupChange::End {
        state,
        refund: false,
    }
}

/// Any end.
pub(super) fn failed() -> LookupChange {
    ended(LookupState::Failed)
}

/// An end that gives the request back.
pub(super) fn refunded() -> LookupChange {
    LookupChange::End {
        state: LookupState::Failed,
        refund: true,
    }
}

fn ids(claimed: &[ClaimedLookup]) -> Vec<LookupId> {
    let ids = claimed.iter().map(|claimed| claimed.lookup.facts.id);
    ids.collect()
}

impl Stores {
    async fn add_lookups(&self, lookups: &[NewLookup]) {
        for new in lookups {
            ok(self.lookups.add_lookup(new)).await;
        }
    }

    pub(super) async fn stored(&self, new: &NewLookup) -> Option<StoredLookup> {
        ok(self.lookups.lookup(new.facts.customer, new.facts.id)).await
    }

    /// A lookup that is there.
    pub(super) async fn kept(&self, new: &NewLookup) -> StoredLookup {
        self.stored(new).await.expect("the lookup is there")
    }

    pub(super) async fn attempts_of(&self, new: &NewLookup) -> Vec<Attempt> {
        let facts = &new.facts;
        ok(self.lookups.attempts(facts.customer, facts.id)).await
    }

    /// Claims lookups of all classes [`soon`].
    pub(super) async fn claim(&self, most: u32, lease: Lease) -> Vec<ClaimedLookup> {
        self.claim_at(most, soon(), lease).await
    }

    pub(super) async fn claim_at(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Vec<ClaimedLookup> {
        let all = ClaimedClasses::All;
        ok(self.lookups.claim_lookups(most, all, now, lease)).await
    }

    pub(super) async fn end_claim(&self, end: &ClaimEnd) -> bool {
        ok(self.lookups.end_claim(end)).await
    }

    /// Adds a lookup, and claims it under the first lease.
    async fn running(&self, new: &NewLookup) {
        self.add_lookups(std::slice::from_ref(new)).await;
        assert_eq!(ids(&self.claim(1, lease(1)).await), [new.facts.id]);
    }

    /// Ends the work under the `lease`th lease, after an attempt at an instant.
    pub(super) async fn ends(
        &self,
        id: LookupId,
        lease: u128,
        now: DateTime<Utc>,
        change: LookupChange,
    ) -> bool {
        self.end_claim(&end(id, lease, now, change)).await
    }

    /// Adds a lookup, and works on it once under the first lease, with this end.
    async fn tried(&self, new: &NewLookup, change: LookupChange) {
        self.running(new).await;
        assert!(self.ends(new.facts.id, 1, soon(), change).await);
    }

    /// Cancels a lookup a minute later than [`soon`].
    async fn cancels(&self, of: CustomerId, new: &NewLookup) -> Cancellation {
        ok(self.lookups.cancel_lookup(of, new.facts.id, minutes(1))).await
    }
}

async fn a_new_lookup_is_queued_and_comes_back_with_all_its_facts(Pair { here, elsewhere }: Pair) {
    let successor = ApiKey {
        counters: record(1).key.counters,
        ..record(3).key
    };
    let lookups = [
        awaited(lookup_of(&successor, 1)),
        lookup_of(&record(2).key, 2),
        NewLookup {
            question: (0..=u8::MAX).collect(),
            ..lookup_of(&other_key(), 3)
        },
    ];
    here.add_lookups(&lookups).await;
    for new in &lookups {
        assert_eq!(elsewhere.kept(new).await, queued(new));
        assert_eq!(elsewhere.attempts_of(new).await, []);
    }
}

async fn a_lookup_is_found_by_its_customer_alone(Pair { here, .. }: Pair) {
    here.tried(&lookup(1), wait(minutes(1))).await;
    assert_eq!(here.stored(&lookup(2)).await, None);
    assert_eq!(ok(here.lookups.lookup(other().id, id(1))).await, None);
    assert_eq!(ok(here.lookups.attempts(other().id, id(1))).await, []);
    assert_eq!(here.attempts_of(&lookup(1)).await.len(), 1);
}

async fn an_id_is_taken_once(Pair { here, .. }: Pair) {
    here.add_lookups(&[lookup(1)]).await;
    let mut again = lookup_of(&other_key(), 1);
    again.question = b"another question".to_vec();
    let refused = here.lookups.add_lookup(&again).await;
    assert!(refused.is_err(), "two lookups have one id");
    assert_eq!(here.kept(&lookup(1)).await, queued(&lookup(1)));
    assert_eq!(here.stored(&again).await, None);
}
