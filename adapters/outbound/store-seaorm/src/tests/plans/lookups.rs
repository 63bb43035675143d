//! Plans of the queries of lookups.

use chrono::TimeDelta;
use domain::key::Environment;
use domain::lookup::{Attempt, LookupState};
use domain::outcome::Outcome;
use domain::pacing::LookupClass;
use domain::page::{Cursor, PageRequest};
use ports::contract::fixture::{customer, lookup_of, record_of};
use ports::outbound::{
    ClaimEnd, ClaimedClasses, Lease, LookupChange, LookupFilter, LookupStore, NewLookup,
};
use uuid::Uuid;

use super::super::RecordingStore;
use super::{assert_uses, key, now, twenty};

const DUE: &str = "SEARCH lookups USING INDEX lookups_due \
    (next_class=? AND customer_id=? AND due_at<?)";
const NEXT_CUSTOMER: &str = "SEARCH lookups USING COVERING INDEX lookups_due \
    (next_class=? AND customer_id>?)";
const ANY_DUE: &str = "SEARCH lookups USING COVERING INDEX lookups_by_due_time \
    (next_class=? AND due_at<?)";
const BY_ID: &str = "SEARCH lookups USING INDEX sqlite_autoindex_lookups_1 (id=?)";

/// A lookup of the first customer.
fn lookup(number: u16) -> NewLookup {
    lookup_of(&record_of(&customer(1), 1).key, number)
}

/// A store with two lookups, one of which is interactive.
async fn with_lookups() -> RecordingStore {
    let recording = RecordingStore::with_keys(2).await;
    let mut interactive = lookup(2);
    interactive.facts.class = LookupClass::Interactive;
    for new in [lookup(1), interactive] {
        recording.unrecorded.add_lookup(&new).await.unwrap();
    }
    recording
}

fn lease() -> Lease {
    Lease {
        token: Uuid::from_u128(1),
        until: now() + TimeDelta::minutes(1),
    }
}

/// The plan of the last statements, none of which reads a table to its end.
async fn plan(recording: &RecordingStore) -> String {
    let plan = recording.plan().await;
    for table in ["lookups", "lookup_attempts", "lookup_turns", "api_keys"] {
        let all = plan.lines().find(|line| *line == format!("SCAN {table}"));
        assert_eq!(all, None, "every row of {table}:\n{plan}");
    }
    plan
}

#[tokio::test]
async fn lookups_are_claimed_without_a_look_at_the_others() {
    let recording = with_lookups().await;
    for classes in [ClaimedClasses::Interactive, ClaimedClasses::All] {
        let later = now() + TimeDelta::seconds(1);
        let claimed = recording.store.claim_lookups(9, classes, later, lease());
        assert_eq!(claimed.await.unwrap().len(), 1);
        let plan = plan(&recording).await;
        for way in [ANY_DUE, NEXT_CUSTOMER, DUE, BY_ID] {
            assert_uses(&plan, way);
        }
        let sorted = plan.matches("ORDER BY").count();
        let customers = plan.matches("LEFT-JOIN").count();
        assert_eq!(sorted, customers, "customers alone are sorted:\n{plan}");
    }
}

#[tokio::test]
async fn a_claimed_lookup_and_its_attempts_are_found_by_its_id() {
    let recording = with_lookups().await;
    let store = &recording.store;
    let own = customer(1).id;
    let classes = ClaimedClasses::All;
    let id = lookup(2).facts.id;
    for _ in 0..2 {
        let later = now() + TimeDelta::seconds(1);
        store
            .claim_lookups(9, classes, later, lease())
            .await
            .unwrap();
        store.renew_lease(id, lease()).await.unwrap();
        let end = ClaimEnd {
            id,
            token: lease().token,
            now: later,
            attempt: Some(Attempt {
                at: later,
                outcome: Outcome::NotIssued,
            }),
            finding: None,
            change: LookupChange::Wait { due_at: now() },
        };
        assert!(store.end_claim(&end).await.unwrap());
        store.attempts(own, id).await.unwrap();
        store.lookup(own, id).await.unwrap();
        let plan = plan(&recording).await;
        assert_uses(&plan, BY_ID);
        assert_uses(
            &plan,
            "SEARCH lookup_attempts USING PRIMARY KEY (lookup_id=?)",
        );
    }
    store.cancel_lookup(own, id, now()).await.unwrap();
    store.erase_lookup(own, id).await.unwrap();
    assert_uses(&plan(&recording).await, BY_ID);
}

#[tokio::test]
async fn pages_of_lookups_are_read_in_their_order() {
    let recording = with_lookups().await;
    let after = PageRequest {
        after: Some(Cursor::at(now(), key(1).0)),
        ..twenty()
    };
    let filters = [
        LookupFilter::default(),
        LookupFilter {
            environment: Some(Environment::Live),
            states: vec![LookupState::Failed, LookupState::Expired],
            counters: Some(key(1).into()),
            created_from: Some(now()),
            batch: None,
        },
    ];
    for page in [&twenty(), &after] {
        for filter in &filters {
            let list = recording.store.lookups(customer(1).id, filter, page);
            list.await.unwrap();
            let plan = plan(&recording).await;
            assert_uses(&plan, "lookups_of_a_customer (customer_id=?");
            assert!(!plan.contains("ORDER BY"), "sorted: {plan}");
        }
    }
}

#[tokio::test]
async fn the_queue_is_measured_and_pruned_through_indexes() {
    let recording = with_lookups().await;
    let store = &recording.store;
    store.lookup_queue(now()).await.unwrap();
    let open = "SCAN lookups USING COVERING INDEX lookups_by_due_time";
    assert_uses(&plan(&recording).await, open);
    let found = recording
        .unrecorded
        .lookup(customer(1).id, lookup(1).facts.id);
    let found = found.await.unwrap().unwrap();
    store.queue_ahead(&found, now()).await.unwrap();
    let ahead = plan(&recording).await;
    for way in [
        "lookups_due (next_class=? AND customer_id=? AND due_at>? AND (due_at,id)<(?,?))",
        "lookups_due (next_class=? AND customer_id=? AND due_at>? AND due_at<?)",
        NEXT_CUSTOMER,
    ] {
        assert_uses(&ahead, way);
    }
    store.next_due().await.unwrap();
    let next = "SEARCH lookups USING COVERING INDEX lookups_by_due_time (next_class=?";
    assert_uses(&plan(&recording).await, next);
    store.prune_lookups(now()).await.unwrap();
    assert_uses(&plan(&recording).await, "lookups_by_end (ended_at<?)");
}

#[tokio::test]
async fn orphans_are_found_by_their_counters() {
    let recording = with_lookups().await;
    let store = &recording.store;
    let mut orphan = lookup(3);
    orphan.facts.key.counters = key(99).into();
    recording.unrecorded.add_lookup(&orphan).await.unwrap();
    let canceled = store.cancel_orphaned(9, now()).await.unwrap();
    assert_eq!(canceled.len(), 1);
    let plan = plan(&recording).await;
    for way in [
        "SEARCH lookups USING INDEX lookups_of_counters (counters_id>?)",
        "SEARCH lookups USING INDEX lookups_of_counters (counters_id=?)",
        "SEARCH api_keys USING INDEX sqlite_autoindex_api_keys_1 (id=?)",
        "SEARCH api_keys USING INDEX keys_of_a_rotation (first_key_id=?)",
        BY_ID,
    ] {
        assert_uses(&plan, way);
    }
}
