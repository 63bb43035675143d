//! Lookups in PostgreSQL: beside those of the fake, and with several processes at work.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::TimeDelta;
use domain::lookups::LookupId;
use futures::future::join_all;
use ports::contract::fixture::{customer, lookup_of, record_of};
use ports::outbound::{ClaimedClasses, LookupChange, LookupStore, NewLookup};
use store_seaorm::Store;

use crate::both::entries::{claim_end, delivery, lease, now, number};
use crate::both::lookups::assert_any_sequence_agrees;
use crate::postgres::server::{TestDatabase, database_or_skip};

#[test]
fn any_sequence_of_operations_is_answered_as_by_the_fake() {
    // One that is there already makes the others cheap.
    let _server = database_or_skip!();
    assert_any_sequence_agrees(12, || TestDatabase::new().unwrap());
}

/// The `number`th lookup, of one of seven customers.
fn lookup(number: u16) -> NewLookup {
    let owner = customer(1 + number % 7);
    lookup_of(&record_of(&owner, 1).key, number)
}

/// Claims lookups, works on them, and ends them, some after a second attempt, until none is left.
async fn work(store: Arc<Store>, worker: u128) -> Vec<LookupId> {
    let mut ended = Vec::new();
    for round in 0.. {
        let lease = lease((worker << 64) + round);
        let due = now() + TimeDelta::hours(1);
        let claimed = store.claim_lookups(5, ClaimedClasses::All, due, lease);
        let claimed = claimed.await.unwrap();
        if claimed.is_empty() {
            break;
        }
        for claimed in claimed {
            let id = claimed.lookup.facts.id;
            let change = if claimed.attempts.is_empty() && id.0.as_u128() % 3 == 0 {
                LookupChange::Wait { due_at: now() }
            } else {
                ended.push(id);
                delivery(2_000)
            };
            let end = claim_end(id, lease, change);
            assert!(store.end_claim(&end).await.unwrap());
        }
    }
    ended
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_add_and_claim_at_once_end_each_lookup_once() {
    const LOOKUPS: u16 = 400;
    let database = database_or_skip!();
    let stores = [
        database.open_to_serve().await,
        database.open_to_serve().await,
        database.open_to_serve().await,
    ]
    .map(Arc::new);
    let add = async |store: &Store, from: u16| {
        for place in (from..LOOKUPS).step_by(3) {
            store.add_lookup(&lookup(place)).await.unwrap();
        }
    };
    let adding = join_all((0..).zip(&stores).map(|(from, store)| add(store, from)));
    let workers = (1..=9).zip(stores.iter().cycle());
    let working = workers.map(|(worker, store)| tokio::spawn(work(Arc::clone(store), worker)));
    let (_, ended) = tokio::join!(adding, join_all(working));
    let mut ended: Vec<_> = ended.into_iter().flat_map(Result::unwrap).collect();
    // Workers may have stopped before the last ones were added.
    ended.extend(work(Arc::clone(&stores[0]), 10).await);
    let distinct: HashSet<_> = ended.iter().collect();
    let lookups = usize::from(LOOKUPS);
    assert_eq!([ended.len(), distinct.len()], [lookups; 2]);
    let connection = database.connect().await;
    let delivered = "SELECT COUNT(*) FROM lookups WHERE state = 'delivered' AND due_at IS NULL";
    assert_eq!(number(&connection, delivered).await, i64::from(LOOKUPS));
    let wrong = "SELECT COUNT(*) FROM lookups WHERE attempts <> \
        (SELECT COUNT(*) FROM lookup_attempts WHERE lookup_id = lookups.id)";
    assert_eq!(number(&connection, wrong).await, 0);
}
