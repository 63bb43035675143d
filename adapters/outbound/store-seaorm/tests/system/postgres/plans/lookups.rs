//! Plans of the queries of lookups, among those of a customer with 10,000 that are due.

use chrono::TimeDelta;
use domain::keys::Environment;
use domain::lookups::{LookupId, LookupState};
use ports::contract::fixture::{customer, lookup_of, record};
use ports::outbound::{ClaimedClasses, LookupFilter, LookupStore};
use uuid::Uuid;

use super::{busy_customer, own_key, pages, small_customer};
use crate::both::entries::{claim_end, delivery, lease, now};
use crate::postgres::auto_explain::ExplainedStore;

const PRIMARY_KEY: &str = "lookups_pkey";

pub(super) async fn lookups(explained: &ExplainedStore<'_>) {
    lists(explained).await;
    claims(explained).await;
    ends(explained).await;
}

async fn lists(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let narrow = LookupFilter {
        environment: Some(Environment::Live),
        states: vec![LookupState::Failed],
        counters: Some(own_key().into()),
        created_from: Some(now() - TimeDelta::days(30)),
        batch: None,
    };
    for page in pages() {
        for filter in [&LookupFilter::default(), &narrow] {
            let list = store.lookups(small_customer(), filter, &page);
            explained.through(&["lookups_of_a_customer"], list).await;
        }
    }
    let by_due_time = &["lookups_by_due_time"];
    let queue = store.lookup_queue(now());
    explained.through(by_due_time, queue).await;
    explained.through(by_due_time, store.next_due()).await;
}

async fn claims(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let indexes = &[
        "lookups_by_due_time",
        "lookups_due",
        PRIMARY_KEY,
        "lookup_turns_by_turn",
        "lookup_attempts_pkey",
    ];
    for (token, classes) in [
        (1, ClaimedClasses::Interactive),
        (2, ClaimedClasses::All),
        (3, ClaimedClasses::All),
    ] {
        let claimed = store.claim_lookups(20, classes, now(), lease(token));
        let claimed = explained.through(indexes, claimed).await;
        assert_eq!(claimed.len(), 20);
    }
}

async fn ends(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let (id, own, by_id) = (
        LookupId(Uuid::from_u128(11_100)),
        customer(1).id,
        &[PRIMARY_KEY],
    );
    let new = lookup_of(&record(1).key, 1);
    store.add_lookup(&new).await.unwrap();
    let end = claim_end(id, lease(4), delivery(10_000));
    explained.through(by_id, store.lookup(own, id)).await;
    let ids = [id, LookupId(Uuid::from_u128(11_101))];
    explained.through(by_id, store.lookups_of(own, &ids)).await;
    explained.through(by_id, store.attempts(own, id)).await;
    explained
        .through(by_id, store.renew_lease(id, lease(4)))
        .await;
    explained.through(by_id, store.end_claim(&end)).await;
    let canceled = store.cancel_lookup(own, id, now());
    explained.through(by_id, canceled).await;
    explained.through(by_id, store.erase_lookup(own, id)).await;
    let due = store.lookup(busy_customer(), LookupId(Uuid::from_u128(1)));
    let due = due.await.unwrap().unwrap();
    let ahead = store.queue_ahead(&due, now());
    let indexes = &["lookups_due", "lookup_turns_pkey"];
    assert!(explained.through(indexes, ahead).await.own > 1_000);
    let orphaned = store.cancel_orphaned(5, now());
    let indexes = &["lookups_of_counters", "api_keys_pkey", "keys_of_a_rotation"];
    assert_eq!(explained.through(indexes, orphaned).await.len(), 5);
    let pruned = store.prune_lookups(now() - TimeDelta::days(20));
    explained.through(&["lookups_by_end"], pruned).await;
}
