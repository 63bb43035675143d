//! Plans of the queries of lookups.

use chrono::{DateTime, TimeDelta, Utc};
use domain::keys::Environment;
use domain::lookups::{Attempt, LookupState};
use domain::outcome::Outcome;
use domain::pacing::LookupClass;
use ports::contract::fixture::{customer, lookup_of, record_of};
use ports::outbound::{
    ClaimEnd, ClaimedClasses, LookupChange, LookupFilter, LookupStore, NewLookup,
};

use crate::tests::{RecordingStore, key, lease, now, pages};

const DUE: &str = "SEARCH lookups USING INDEX lookups_due \
    (next_class=? AND customer_id=? AND due_at<?)";
const NEXT_CUSTOMER: &str = "SEARCH lookups USING COVERING INDEX lookups_due \
    (next_class=? AND customer_id>?)";
const ANY_DUE: &str = "SEARCH lookups USING COVERING INDEX lookups_by_due_time \
    (next_class=? AND due_at<?)";
const BY_ID: &str = "SEARCH lookups USING INDEX sqlite_autoindex_lookups_1 (id=?)";

fn later() -> DateTime<Utc> {
    now() + TimeDelta::seconds(1)
}

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

#[tokio::test]
async fn lookups_are_claimed_without_a_look_at_the_others() {
    let recording = with_lookups().await;
    for classes in [ClaimedClasses::Interactive, ClaimedClasses::All] {
        let claimed = recording.store.claim_lookups(9, classes, later(), lease());
        let ways = &[ANY_DUE, NEXT_CUSTOMER, DUE, BY_ID];
        let (claimed, plan) = recording.by(ways, claimed).await;
        assert_eq!(claimed.len(), 1);
        let sorted = plan.matches("ORDER BY").count();
        let customers = plan.matches("LEFT-JOIN").count();
        assert_eq!(sorted, customers, "customers alone are sorted:\n{plan}");
    }
}

#[tokio::test]
async fn a_claimed_lookup_and_its_attempts_are_found_by_its_id() {
    let recording = with_lookups().await;
    let (store, own, id) = (&recording.store, customer(1).id, lookup(2).facts.id);
    let attempts = "SEARCH lookup_attempts USING PRIMARY KEY (lookup_id=?)";
    let end = ClaimEnd {
        id,
        token: lease().token,
        now: later(),
        attempt: Some(Attempt {
            at: later(),
            outcome: Outcome::NotIssued,
        }),
        finding: None,
        question: None,
        change: LookupChange::Wait { due_at: now() },
    };
    for _ in 0..2 {
        let claimed = store.claim_lookups(9, ClaimedClasses::All, later(), lease());
        recording.by(&[BY_ID], claimed).await;
        let renewed = store.renew_lease(id, lease());
        recording.by(&[BY_ID], renewed).await;
        let (ended, _) = recording.by(&[BY_ID], store.end_claim(&end)).await;
        assert!(ended);
        recording.by(&[attempts], store.attempts(own, id)).await;
        recording.by(&[BY_ID], store.lookup(own, id)).await;
        let ids = [id, lookup(3).facts.id];
        recording.by(&[BY_ID], store.lookups_of(own, &ids)).await;
    }
    let canceled = store.cancel_lookup(own, id, now());
    recording.by(&[BY_ID], canceled).await;
    recording.by(&[BY_ID], store.erase_lookup(own, id)).await;
}

#[tokio::test]
async fn pages_of_lookups_are_read_in_their_order() {
    let recording = with_lookups().await;
    let narrow = LookupFilter {
        environment: Some(Environment::Live),
        states: vec![LookupState::Failed, LookupState::Expired],
        counters: Some(key(1).into()),
        created_from: Some(now()),
        batch: None,
    };
    for page in pages() {
        for filter in [&LookupFilter::default(), &narrow] {
            let list = recording.store.lookups(customer(1).id, filter, &page);
            let way = "lookups_of_a_customer (customer_id=?";
            recording.sorted_by(&[way], list).await;
        }
    }
}

#[tokio::test]
async fn the_queue_is_measured_and_pruned_through_indexes() {
    let recording = with_lookups().await;
    let store = &recording.store;
    let open = "SCAN lookups USING COVERING INDEX lookups_by_due_time";
    recording.by(&[open], store.lookup_queue(now())).await;
    let found = recording
        .unrecorded
        .lookup(customer(1).id, lookup(1).facts.id);
    let found = found.await.unwrap().unwrap();
    let ways = &[
        "lookups_due (next_class=? AND customer_id=? AND due_at>? AND (due_at,id)<(?,?))",
        "lookups_due (next_class=? AND customer_id=? AND due_at>? AND due_at<?)",
        NEXT_CUSTOMER,
    ];
    recording.by(ways, store.queue_ahead(&found, now())).await;
    let next = "SEARCH lookups USING COVERING INDEX lookups_by_due_time (next_class=?";
    recording.by(&[next], store.next_due()).await;
    let pruned = store.prune_lookups(now());
    recording.by(&["lookups_by_end (ended_at<?)"], pruned).await;
}

#[tokio::test]
async fn orphans_are_found_by_their_counters() {
    let recording = with_lookups().await;
    let mut orphan = lookup(3);
    orphan.facts.key.counters = key(99).into();
    recording.unrecorded.add_lookup(&orphan).await.unwrap();
    let ways = &[
        "SEARCH lookups USING INDEX lookups_of_counters (counters_id>?)",
        "SEARCH lookups USING INDEX lookups_of_counters (counters_id=?)",
        "SEARCH api_keys USING INDEX sqlite_autoindex_api_keys_1 (id=?)",
        "SEARCH api_keys USING INDEX keys_of_a_rotation (first_key_id=?)",
        BY_ID,
    ];
    let canceled = recording.store.cancel_orphaned(9, now());
    let (canceled, _) = recording.by(ways, canceled).await;
    assert_eq!(canceled.len(), 1);
}
