//! Plans of the queries of lookups, among those of a customer with 10,000 that are due.

use chrono::TimeDelta;
use domain::key::Environment;
use domain::lookup::{Attempt, LookupId, LookupState};
use domain::outcome::Outcome;
use ports::contract::fixture::{customer, lookup_of, record_of};
use ports::outbound::{ClaimEnd, ClaimedClasses, Lease, LookupChange, LookupFilter, LookupStore};
use uuid::Uuid;

use super::{busy_customer, own_key, pages, small_customer};
use crate::postgres::auto_explain::{ExplainedStore, assert_uses};
use crate::postgres::support::now;
use domain::seal::SealVerdict;

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
            let plan = explained.plan(list).await;
            assert_uses(&plan, "lookups_of_a_customer");
        }
    }
    let queue = explained.plan(store.lookup_queue(now())).await;
    assert_uses(&queue, "lookups_by_due_time");
    let next = explained.plan(store.next_due()).await;
    assert_uses(&next, "lookups_by_due_time");
}

async fn claims(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    for (token, classes) in [
        (1, ClaimedClasses::Interactive),
        (2, ClaimedClasses::All),
        (3, ClaimedClasses::All),
    ] {
        let lease = Lease {
            token: Uuid::from_u128(token),
            until: now() + TimeDelta::minutes(1),
        };
        let claimed = explained.plan(async {
            let claimed = store.claim_lookups(20, classes, now(), lease).await;
            assert_eq!(claimed.unwrap().len(), 20);
        });
        let plan = claimed.await;
        for index in [
            "lookups_by_due_time",
            "lookups_due",
            PRIMARY_KEY,
            "lookup_turns_by_turn",
            "lookup_attempts_pkey",
        ] {
            assert_uses(&plan, index);
        }
    }
}

async fn ends(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let new = lookup_of(&record_of(&customer(1), 1).key, 1);
    let id = LookupId(Uuid::from_u128(11_100));
    let own = customer(1).id;
    let add = async { store.add_lookup(&new).await.unwrap() };
    explained.plan(add).await;
    let lease = Lease {
        token: Uuid::from_u128(4),
        until: now() + TimeDelta::minutes(1),
    };
    let end = ClaimEnd {
        id,
        token: lease.token,
        now: now(),
        attempt: Some(Attempt {
            at: now(),
            outcome: Outcome::NotIssued,
        }),
        finding: None,
        change: LookupChange::Deliver {
            proof: vec![1; 10_000],
            seal: SealVerdict::Valid,
        },
    };
    for plan in [
        explained.plan(store.lookup(own, id)).await,
        explained.plan(store.attempts(own, id)).await,
        explained.plan(store.renew_lease(id, lease)).await,
        explained.plan(store.end_claim(&end)).await,
        explained.plan(store.cancel_lookup(own, id, now())).await,
        explained.plan(store.erase_lookup(own, id)).await,
    ] {
        assert_uses(&plan, PRIMARY_KEY);
    }
    let due = store
        .lookup(busy_customer(), LookupId(Uuid::from_u128(1)))
        .await;
    let due = due.unwrap().unwrap();
    let ahead = async {
        let ahead = store.queue_ahead(&due, now()).await.unwrap();
        assert!(ahead.own > 1_000);
    };
    let plan = explained.plan(ahead).await;
    for index in ["lookups_due", "lookup_turns_pkey"] {
        assert_uses(&plan, index);
    }
    let orphaned = explained.plan(async {
        let canceled = store.cancel_orphaned(5, now()).await.unwrap();
        assert_eq!(canceled.len(), 5);
    });
    let plan = orphaned.await;
    for index in ["lookups_of_counters", "api_keys_pkey", "keys_of_a_rotation"] {
        assert_uses(&plan, index);
    }
    let older = now() - TimeDelta::days(20);
    let plan = explained.plan(store.prune_lookups(older)).await;
    assert_uses(&plan, "lookups_by_end");
}
