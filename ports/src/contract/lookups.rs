//! Contract of the store of lookups.

use std::future::Future;

use chrono::{DateTime, TimeDelta, Utc};
use domain::customer::Customer;
use domain::key::ApiKey;
use domain::lookup::{Attempt, LookupId, LookupState};
use domain::outcome::Outcome;
use domain::pacing::LookupClass;
use uuid::Uuid;

use super::fixture::{customer, instant, lookup_of, record, record_of};
use super::stores::{Stores, StoresUnderTest};
use crate::outbound::{
    ClaimEnd, ClaimedClasses, ClaimedLookup, Lease, LookupChange, NewLookup, StoredLookup,
};
use domain::seal::SealVerdict;

mod ahead;
mod cancellation;
mod claims;
mod ends;
mod leases;
mod lists;
mod notifications;
mod queue;
mod removal;
mod turns;

pub use notifications::{NotificationsUnderTest, lookup_notifications};

/// Runs the whole suite; `make` returns a fresh, empty database each time.
pub async fn lookup_store<F: Future<Output = StoresUnderTest>>(make: impl Fn() -> F) {
    an_added_lookup_is_queued_and_due_at_once(make().await).await;
    a_lookup_comes_back_with_all_its_facts(make().await).await;
    a_lookup_is_found_by_its_customer_alone(make().await).await;
    an_id_is_taken_once(make().await).await;
    lists::lists(&make).await;
    claims::claims(&make).await;
    turns::turns(&make).await;
    leases::leases(&make).await;
    ends::ends(&make).await;
    cancellation::cancellation(&make).await;
    removal::removal(&make).await;
    queue::queue(&make).await;
    ahead::ahead(&make).await;
}

/// The `number`th lookup of the first customer's first key.
fn lookup(number: u16) -> NewLookup {
    lookup_of(&record(1).key, number)
}

/// The same, for which its creator waits.
fn interactive(number: u16) -> NewLookup {
    awaited(lookup(number))
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

/// A lookup as it is stored at first.
fn queued(new: &NewLookup) -> StoredLookup {
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
pub(in crate::contract) fn soon() -> DateTime<Utc> {
    instant(1_000)
}

/// `number` minutes later than [`soon`].
pub(in crate::contract) fn minutes(number: i64) -> DateTime<Utc> {
    soon() + TimeDelta::minutes(number)
}

/// The `number`th lease, which ends a minute later than [`soon`].
fn lease(number: u128) -> Lease {
    lease_until(number, minutes(1))
}

pub(in crate::contract) fn lease_until(number: u128, until: DateTime<Utc>) -> Lease {
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
pub(in crate::contract) fn end(
    id: LookupId,
    lease: u128,
    now: DateTime<Utc>,
    change: LookupChange,
) -> ClaimEnd {
    ClaimEnd {
        id,
        token: Uuid::from_u128(lease),
        now,
        attempt: Some(attempt(now)),
        finding: None,
        change,
    }
}

pub(in crate::contract) fn wait(due_at: DateTime<Utc>) -> LookupChange {
    LookupChange::Wait { due_at }
}

/// A delivery with a valid seal.
pub(in crate::contract) fn deliver() -> LookupChange {
    LookupChange::Deliver {
        proof: b"proof".to_vec(),
        seal: SealVerdict::Valid,
    }
}

/// Any end.
pub(in crate::contract) fn failed() -> LookupChange {
    LookupChange::End {
        state: LookupState::Failed,
        refund: false,
    }
}

fn ids(claimed: &[ClaimedLookup]) -> Vec<LookupId> {
    let ids = claimed.iter().map(|claimed| claimed.lookup.facts.id);
    ids.collect()
}

impl Stores {
    async fn add_lookups(&self, lookups: &[NewLookup]) {
        for new in lookups {
            let added = self.lookups.add_lookup(new).await;
            added.expect("the lookup is added");
        }
    }

    /// The stored lookup.
    pub(in crate::contract) async fn stored(&self, new: &NewLookup) -> Option<StoredLookup> {
        let found = self.lookups.lookup(new.facts.customer, new.facts.id).await;
        found.expect("the store works")
    }

    /// A lookup that is there.
    pub(in crate::contract) async fn kept(&self, new: &NewLookup) -> StoredLookup {
        self.stored(new).await.expect("the lookup is there")
    }

    /// The attempts of a lookup.
    pub(in crate::contract) async fn attempts_of(&self, new: &NewLookup) -> Vec<Attempt> {
        let facts = &new.facts;
        let attempts = self.lookups.attempts(facts.customer, facts.id).await;
        attempts.expect("the store works")
    }

    /// Claims lookups of all classes [`soon`].
    pub(in crate::contract) async fn claim(&self, most: u32, lease: Lease) -> Vec<ClaimedLookup> {
        self.claim_at(most, soon(), lease).await
    }

    pub(in crate::contract) async fn claim_at(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Vec<ClaimedLookup> {
        let all = ClaimedClasses::All;
        let claimed = self.lookups.claim_lookups(most, all, now, lease).await;
        claimed.expect("the store works")
    }

    pub(in crate::contract) async fn end_claim(&self, end: &ClaimEnd) -> bool {
        self.lookups.end_claim(end).await.expect("the store works")
    }

    /// Adds a lookup, and claims it under the first lease.
    async fn running(&self, new: &NewLookup) {
        self.add_lookups(std::slice::from_ref(new)).await;
        assert_eq!(ids(&self.claim(1, lease(1)).await), [new.facts.id]);
    }
}

async fn an_added_lookup_is_queued_and_due_at_once(
    StoresUnderTest { here, elsewhere }: StoresUnderTest,
) {
    here.add_lookups(&[lookup(1)]).await;
    assert_eq!(elsewhere.kept(&lookup(1)).await, queued(&lookup(1)));
    assert_eq!(elsewhere.attempts_of(&lookup(1)).await, []);
}

async fn a_lookup_comes_back_with_all_its_facts(
    StoresUnderTest { here, elsewhere }: StoresUnderTest,
) {
    let (first, second) = (record(1).key, record(3).key);
    let successor = ApiKey {
        counters: first.counters,
        ..second
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
    }
}

async fn a_lookup_is_found_by_its_customer_alone(StoresUnderTest { here, .. }: StoresUnderTest) {
    here.running(&lookup(1)).await;
    let id = lookup(1).facts.id;
    here.end_claim(&end(id, 1, soon(), wait(minutes(1)))).await;
    assert_eq!(here.stored(&lookup(2)).await, None);
    let found = here.lookups.lookup(other().id, id).await;
    assert_eq!(found.expect("the store works"), None);
    let attempts = here.lookups.attempts(other().id, id).await;
    assert_eq!(attempts.expect("the store works"), []);
    assert_eq!(here.attempts_of(&lookup(1)).await.len(), 1);
}

async fn an_id_is_taken_once(StoresUnderTest { here, .. }: StoresUnderTest) {
    here.add_lookups(&[lookup(1)]).await;
    let mut again = lookup_of(&other_key(), 1);
    again.question = b"another question".to_vec();
    let refused = here.lookups.add_lookup(&again).await;
    assert!(refused.is_err(), "two lookups have one id");
    assert_eq!(here.kept(&lookup(1)).await, queued(&lookup(1)));
    assert_eq!(here.stored(&again).await, None);
}
