//! Numbers of statements.

use chrono::TimeDelta;
use domain::audit::AuditFilter;
use domain::keys::{KeyBounds, KeyFilter, KeyQuery, KeySort, RevokedKeys};
use domain::limits::{Limits, Plan};
use domain::month::Month;
use domain::page::Direction;
use domain::people::customer::ExistingKeys;
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use ports::contract::fixture::{act, customer, record_of};
use ports::outbound::{
    AuditLog, CustomerStore, DenyList, Fingerprint, KeyChange, KeyStore, Successor, UsageReader,
};

use super::{RecordingStore, key, newest, now, own, pages};

#[tokio::test]
async fn a_query_takes_as_many_statements_however_many_keys_there_are() {
    for keys in [1, 30] {
        let recording = RecordingStore::with_keys(keys).await;
        let (store, month, [page, _]) = (&recording.store, Month::of(now()), pages());
        let listing = KeyQuery {
            filter: KeyFilter::default(),
            order: KeySort::Name,
            direction: Direction::Ascending,
            page: page.clone(),
        };
        let by_key = UsageQuery {
            period: Period::newest(30, Granularity::Day, now()).unwrap(),
            breakdown: Breakdown::Key,
            key: None,
            criteria: RequestCriteria::default(),
        };
        let total = UsageQuery {
            breakdown: Breakdown::Total,
            ..by_key
        };
        let (requests, everything) = (newest(page.clone()), AuditFilter::default());
        let (known, new) = (customer(1), customer(3));
        let fingerprint = Fingerprint("0".repeat(64));

        recording.costs(1, store.is_empty(), "is_empty").await;
        let list = store.list(own(), month, &listing);
        let counted = "list: the page, and how many there are";
        recording.costs(2, list, counted).await;
        let list = store.of_customer(known.id, RevokedKeys::Included, &page);
        recording.costs(1, list, "of_customer").await;
        let found = store.find(own(), key(1), month);
        recording.costs(1, found, "find").await;
        recording.costs(1, store.due(now()), "due").await;
        let usage = store.usage(own(), &by_key);
        let busiest = "usage by key: the busiest keys, and their use";
        recording.costs(2, usage, busiest).await;
        let usage = store.usage(own(), &total);
        recording.costs(1, usage, "usage").await;
        let list = store.requests(own(), &requests);
        recording.costs(1, list, "requests").await;
        let list = store.customers(None, month, &page);
        let counted = "customers: the page, how many there are, and what they have";
        recording.costs(3, list, counted).await;
        let list = store.audit(&everything, &page);
        recording.costs(1, list, "audit").await;
        let found = store.find_or_insert(&known);
        recording.costs(1, found, "find_or_insert: known").await;
        let inserted = store.find_or_insert(&new);
        recording.costs(3, inserted, "find_or_insert: new").await;
        let denied = store.is_denied(&fingerprint);
        recording.costs(1, denied, "is_denied").await;
    }
}

#[tokio::test]
async fn a_change_takes_as_many_statements_however_many_keys_there_are() {
    for keys in [2, 30] {
        let recording = RecordingStore::with_keys(keys).await;
        let (store, bounds) = (&recording.store, KeyBounds::Unbounded);
        let acts = [100, 101, 102, 103, 104, 105].map(act);
        let new = record_of(&customer(1), 100);
        let successor = record_of(&customer(1), 104);
        let successor = Successor {
            prefix: successor.key.prefix,
            credential: successor.credential,
        };
        let limits = KeyChange::SetLimits(Limits::new(7, None).unwrap().into());
        let name = KeyChange::Rename(new.key.name.clone());

        let inserted = store.insert(new, bounds, &acts[0]);
        let counted = "insert: customer, key, its number thrice, entry";
        recording.costs(6, inserted, counted).await;
        let counted = "change: key twice, its number thrice, entry";
        for (change, act, expected, what) in [
            (&limits, &acts[1], 6, counted),
            (&limits, &acts[2], 1, "a change that changes nothing"),
            (&name, &acts[3], 3, "rename: key twice, entry"),
        ] {
            let changed = store.change(own(), key(1), change, act);
            recording.costs(expected, changed, what).await;
        }
        let tomorrow = now() + TimeDelta::days(1);
        let rotated = store.rotate(own(), key(1), &successor, tomorrow, bounds, &acts[4]);
        let counted = "rotate: customer, key twice, successor, its number thrice, entries";
        recording.costs(8, rotated, counted).await;
        let (plan, existing) = (Plan::Enterprise, ExistingKeys::Follow);
        let planned = store.set_plan(customer(1).id, plan, existing, &acts[5]);
        let counted = "set_plan: customer and keys twice, numbers thrice, entries";
        let (_, changed) = recording.costs(8, planned, counted).await;
        assert_eq!(changed.len(), usize::from(keys) + 2);
    }
}
