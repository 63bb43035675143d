//! Sequences of operations on lookups, which the store and the fake answer alike.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::keys::{ApiKey, KeyBounds};
use domain::limits::MonthlyUse;
use domain::lookups::{Attempt, LookupId, LookupState};
use domain::outcome::Outcome;
use domain::pacing::LookupClass;
use domain::page::{PageRequest, PageSize};
use domain::seals::SealVerdict;
use ports::contract::fixture::{act, customer, lookup_of, record_of};
use ports::contract::stores::Stores;
use ports::outbound::{
    Cancellation, ClaimEnd, ClaimedClasses, ClaimedLookup, KeyChange, Lease, LookupChange,
    LookupFilter, NewLookup, QueuedClass, Scope, StoredLookup,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use testkit::fakes::MemoryStore;
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::both::contract::TestDatabase;

/// Keys of the sequences; each third one is a customer's.
const KEYS: u16 = 6;

/// An operation. Numbers of lookups, claims and keys are taken modulo those that there are; times are in seconds.
#[derive(Clone, Debug)]
enum Step {
    /// Adds a lookup of a key.
    Add(u16, LookupClass),
    /// Claims at most so many, for a time.
    Claim(u32, ClaimedClasses, i64),
    /// Renews the lease of a claim, for a time.
    Renew(usize, i64),
    /// Ends a claim, perhaps after an attempt, with a finding, and with another question.
    End(usize, Option<Outcome>, [Option<Vec<u8>>; 2], LookupChange),
    Cancel(usize),
    Erase(usize),
    /// Revokes a key.
    Revoke(u16),
    CancelOrphaned,
    /// Prunes what ended so long ago.
    Prune(i64),
    Wait(i64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..120)
}

fn step() -> impl Strategy<Value = Step> {
    let class = prop::sample::select(&LookupClass::ALL[..]);
    let classes = prop::sample::select(&[ClaimedClasses::All, ClaimedClasses::Interactive][..]);
    let tried = prop::option::of(prop::sample::select(&Outcome::ALL[..]));
    let finding = prop::array::uniform2(prop::option::of(bytes()));
    let (one, seconds) = (|| 0..50_usize, || 1..90_i64);
    prop_oneof![
        8 => (0..KEYS, class).prop_map(|(key, class)| Step::Add(key, class)),
        6 => (0..7_u32, classes, seconds()).prop_map(|(most, of, time)| Step::Claim(most, of, time)),
        2 => (one(), seconds()).prop_map(|(claim, time)| Step::Renew(claim, time)),
        8 => (one(), tried, finding, change()).prop_map(|(claim, a, b, c)| Step::End(claim, a, b, c)),
        1 => one().prop_map(Step::Cancel),
        1 => one().prop_map(Step::Erase),
        1 => (0..KEYS).prop_map(Step::Revoke),
        1 => Just(Step::CancelOrphaned),
        1 => seconds().prop_map(Step::Prune),
        4 => seconds().prop_map(Step::Wait),
    ]
}

fn change() -> impl Strategy<Value = LookupChange> {
    let ends = [
        LookupState::NotFound,
        LookupState::Failed,
        LookupState::Expired,
    ];
    let end = (prop::sample::select(ends.to_vec()), any::<bool>());
    let delivery = (bytes(), prop::sample::select(SealVerdict::ALL.to_vec()));
    prop_oneof![
        3 => (0..90_i64).prop_map(|seconds| LookupChange::Wait {
            due_at: start() + TimeDelta::seconds(seconds),
        }),
        1 => delivery.prop_map(|(proof, seal)| LookupChange::Deliver { proof, seal }),
        1 => end.prop_map(|(state, refund)| LookupChange::End { state, refund }),
    ]
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..50)
}

fn start() -> DateTime<Utc> {
    act(0).at
}

fn key(number: u16) -> ApiKey {
    record_of(&customer(1 + number / 2), number).key
}

/// Asserts that a store answers any sequence as the fake does, in so many cases, each with a database of its own.
pub(crate) fn assert_any_sequence_agrees<D: TestDatabase>(cases: u32, database: impl Fn() -> D) {
    let runtime = Runtime::new().unwrap();
    let mut runner = TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let agrees = runner.run(&steps(), |steps| {
        runtime.block_on(async {
            let database = database();
            let store = Stores::of(Arc::new(database.serving_store().await));
            assert_agrees(store, &steps).await;
        });
        Ok(())
    });
    agrees.unwrap();
}

/// Asserts that the store answers every step as the fake does, and keeps the same at the end.
async fn assert_agrees(store: Stores, steps: &[Step]) {
    let fake = Stores::of(Arc::new(MemoryStore::default()));
    let (mut of_store, mut of_fake) = (Run::of(store).await, Run::of(fake).await);
    for (place, step) in steps.iter().enumerate() {
        let (answer, expected) = (of_store.step(step).await, of_fake.step(step).await);
        assert_eq!(answer, expected, "step {place}: {step:?}");
    }
    assert_eq!(of_store.kept().await, of_fake.kept().await);
}

/// A store with what was done to it.
struct Run {
    stores: Stores,
    now: DateTime<Utc>,
    added: Vec<NewLookup>,
    claims: Vec<(LookupId, Uuid)>,
    acts: u16,
}

#[derive(Debug, PartialEq)]
enum Answer {
    Done(bool),
    Claimed(Vec<ClaimedLookup>),
    Canceled(Cancellation),
    Orphaned(Vec<StoredLookup>),
    Pruned(u64),
    /// Lengths, the next due time, and the positions of those that aren't final.
    Measured(Vec<QueuedClass>, Option<DateTime<Utc>>, Vec<u64>),
}

/// Everything that is kept of lookups: lists, attempts, and the use of keys.
#[derive(Debug, PartialEq)]
struct Kept {
    lists: Vec<Vec<StoredLookup>>,
    attempts: Vec<Vec<Attempt>>,
    uses: Vec<MonthlyUse>,
}

impl Run {
    async fn of(stores: Stores) -> Self {
        for number in 0..KEYS {
            let owner = customer(1 + number / 2);
            stores.customers.find_or_insert(&owner).await.unwrap();
            let (record, act) = (record_of(&owner, number), act(number));
            let added = stores.keys.insert(record, KeyBounds::Unbounded, &act);
            added.await.unwrap();
        }
        Self {
            stores,
            now: start(),
            added: Vec::new(),
            claims: Vec::new(),
            acts: KEYS,
        }
    }

    async fn step(&mut self, step: &Step) -> Answer {
        let now = self.now;
        let after = |seconds: i64| now + TimeDelta::seconds(seconds);
        let lookups = self.stores.lookups.clone();
        match step {
            Step::Add(number, class) => {
                let mut new = lookup_of(&key(*number), u16::try_from(self.added.len()).unwrap());
                new.facts.class = *class;
                new.facts.created_at = now;
                lookups.add_lookup(&new).await.unwrap();
                self.added.push(new);
                Answer::Done(true)
            }
            Step::Claim(most, classes, seconds) => {
                let token = Uuid::from_u128(self.claims.len() as u128);
                let until = after(*seconds);
                let claimed = lookups.claim_lookups(*most, *classes, now, Lease { token, until });
                let claimed = claimed.await.unwrap();
                let ids = claimed.iter().map(|claimed| claimed.lookup.facts.id);
                self.claims.extend(ids.map(|id| (id, token)));
                Answer::Claimed(claimed)
            }
            Step::Renew(claim, seconds) => {
                let Some((id, token)) = pick(&self.claims, *claim) else {
                    return Answer::Done(false);
                };
                let until = after(*seconds);
                let renewed = lookups.renew_lease(id, Lease { token, until });
                Answer::Done(renewed.await.unwrap())
            }
            Step::End(claim, tried, [finding, question], change) => {
                let Some((id, token)) = pick(&self.claims, *claim) else {
                    return Answer::Done(false);
                };
                let end = ClaimEnd {
                    id,
                    token,
                    now,
                    attempt: tried.map(|outcome| Attempt { at: now, outcome }),
                    finding: finding.clone(),
                    question: question.clone(),
                    change: change.clone(),
                };
                Answer::Done(lookups.end_claim(&end).await.unwrap())
            }
            Step::Cancel(lookup) => {
                let Some(NewLookup { facts, .. }) = pick(&self.added, *lookup) else {
                    return Answer::Done(false);
                };
                let canceled = lookups.cancel_lookup(facts.customer, facts.id, now);
                Answer::Canceled(canceled.await.unwrap())
            }
            Step::Erase(lookup) => {
                let Some(NewLookup { facts, .. }) = pick(&self.added, *lookup) else {
                    return Answer::Done(false);
                };
                let erased = lookups.erase_lookup(facts.customer, facts.id);
                Answer::Done(erased.await.unwrap())
            }
            Step::Revoke(number) => {
                let (act, id, scope) = (act(self.acts), key(*number).id, Scope::Everybody);
                self.acts += 1;
                let revoked = self.stores.keys.change(scope, id, &KeyChange::Revoke, &act);
                Answer::Done(revoked.await.is_ok())
            }
            Step::CancelOrphaned => {
                let mut orphaned = lookups.cancel_orphaned(1_000, now).await.unwrap();
                orphaned.sort_by_key(|lookup| lookup.facts.id);
                Answer::Orphaned(orphaned)
            }
            Step::Prune(seconds) => {
                let before = now - TimeDelta::seconds(*seconds);
                Answer::Pruned(lookups.prune_lookups(before).await.unwrap())
            }
            Step::Wait(seconds) => {
                self.now = after(*seconds);
                let lengths = lookups.lookup_queue(self.now).await.unwrap();
                let next_due = lookups.next_due().await.unwrap();
                Answer::Measured(lengths, next_due, self.positions().await)
            }
        }
    }

    async fn positions(&self) -> Vec<u64> {
        let lookups = &self.stores.lookups;
        let mut positions = Vec::new();
        for NewLookup { facts, .. } in &self.added {
            let found = lookups.lookup(facts.customer, facts.id).await.unwrap();
            let due = found.filter(|found| found.due_at.is_some_and(|at| at <= self.now));
            if let Some(due) = due {
                let ahead = lookups.queue_ahead(&due, self.now).await.unwrap();
                positions.push(ahead.position());
            }
        }
        positions
    }

    async fn kept(&self) -> Kept {
        let lookups = &self.stores.lookups;
        let mut lists = Vec::new();
        let page = PageRequest::first(PageSize::OF_WHOLE_LIST);
        for number in 1..=3 {
            let all = LookupFilter::default();
            let list = lookups.lookups(customer(number).id, &all, &page).await;
            let items = list.unwrap().items.into_iter();
            lists.push(items.map(|(_, lookup)| lookup).collect());
        }
        let mut attempts = Vec::new();
        for NewLookup { facts, .. } in &self.added {
            let made = lookups.attempts(facts.customer, facts.id).await;
            attempts.push(made.unwrap());
        }
        let mut uses = Vec::new();
        for number in 0..KEYS {
            let month = lookup_of(&key(number), 0).facts.month;
            let snapshot = self.stores.keys.snapshot(key(number).id, month).await;
            uses.push(snapshot.unwrap().unwrap().used);
        }
        Kept {
            lists,
            attempts,
            uses,
        }
    }
}

/// The item with this number, counted from the newest.
fn pick<T: Clone>(items: &[T], number: usize) -> Option<T> {
    let place = number.checked_rem(items.len())?;
    items.iter().rev().nth(place).cloned()
}
