//! Numbers of statements.

use chrono::TimeDelta;
use domain::audit::AuditFilter;
use domain::customer::ExistingKeys;
use domain::key::{KeyBounds, KeyFilter, KeyQuery, KeySort, RevokedKeys};
use domain::limits::{Limits, Plan};
use domain::month::Month;
use domain::page::Direction;
use domain::request::RequestQuery;
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use ports::contract::fixture::{act, customer, record_of};
use ports::outbound::{
    AuditLog, CustomerStore, DenyList, Fingerprint, KeyChange, KeyStore, Successor, UsageReader,
};

use super::{RecordingStore, key, now, own, twenty};

#[tokio::test]
async fn a_query_takes_as_many_statements_however_many_keys_there_are() {
    for keys in [1, 30] {
        let recording = RecordingStore::with_keys(keys).await;
        let (store, month) = (&recording.store, Month::of(now()));
        let count =
            |expected, what| assert_eq!(recording.take_statements().len(), expected, "{what}");

        store.is_empty().await.unwrap();
        count(1, "is_empty");
        let listing = KeyQuery {
            filter: KeyFilter::default(),
            order: KeySort::Name,
            direction: Direction::Ascending,
            page: twenty(),
        };
        store.list(own(), month, &listing).await.unwrap();
        count(2, "list: the page, and how many there are");
        let included = RevokedKeys::Included;
        store
            .of_customer(customer(1).id, included, &twenty())
            .await
            .unwrap();
        count(1, "of_customer");
        store.find(own(), key(1), month).await.unwrap();
        count(1, "find");
        store.due(now()).await.unwrap();
        count(1, "due");
        let query = UsageQuery {
            period: Period::newest(30, Granularity::Day, now()).unwrap(),
            breakdown: Breakdown::Key,
            key: None,
            criteria: RequestCriteria::default(),
        };
        store.usage(own(), &query).await.unwrap();
        count(2, "usage by key: the busiest keys, and their use");
        let total = UsageQuery {
            breakdown: Breakdown::Total,
            ..query
        };
        store.usage(own(), &total).await.unwrap();
        count(1, "usage");
        let query = RequestQuery {
            key: None,
            criteria: RequestCriteria::default(),
            request_id: None,
            from: None,
            to: None,
            page: twenty(),
        };
        store.requests(own(), &query).await.unwrap();
        count(1, "requests");
        store.customers(None, month, &twenty()).await.unwrap();
        count(
            3,
            "customers: the page, how many there are, and what they have",
        );
        let everything = AuditFilter::default();
        store.audit(&everything, &twenty()).await.unwrap();
        count(1, "audit");
        store.find_or_insert(&customer(1)).await.unwrap();
        count(1, "find_or_insert: known");
        store.find_or_insert(&customer(3)).await.unwrap();
        count(3, "find_or_insert: new");
        let fingerprint = Fingerprint("0".repeat(64));
        store.is_denied(&fingerprint).await.unwrap();
        count(1, "is_denied");
    }
}

#[tokio::test]
async fn a_change_takes_as_many_statements_however_many_keys_there_are() {
    for keys in [2, 30] {
        let recording = RecordingStore::with_keys(keys).await;
        let store = &recording.store;
        let count =
            |expected, what| assert_eq!(recording.take_statements().len(), expected, "{what}");

        let new = record_of(&customer(1), 100);
        store
            .insert(new.clone(), KeyBounds::Unbounded, &act(100))
            .await
            .unwrap();
        count(6, "insert: customer, key, its number thrice, entry");
        let limits = KeyChange::SetLimits(Limits::new(7, None).unwrap().into());
        let change = async |change, number| {
            let (key, act) = (key(1), act(number));
            store.change(own(), key, &change, &act).await.unwrap();
        };
        change(limits.clone(), 101).await;
        count(6, "change: key twice, its number thrice, entry");
        change(limits, 102).await;
        count(1, "a change that changes nothing");
        change(KeyChange::Rename(new.key.name.clone()), 103).await;
        count(3, "rename: key twice, entry");
        let successor = record_of(&customer(1), 104);
        let successor = Successor {
            prefix: successor.key.prefix,
            credential: successor.credential,
        };
        let (tomorrow, act_of) = (now() + TimeDelta::days(1), act(104));
        let rotated = store.rotate(
            own(),
            key(1),
            &successor,
            tomorrow,
            KeyBounds::Unbounded,
            &act_of,
        );
        rotated.await.unwrap();
        count(
            8,
            "rotate: customer, key twice, successor, its number thrice, entries",
        );
        let (plan, existing) = (Plan::Enterprise, ExistingKeys::Follow);
        let (customer, act) = (customer(1).id, act(105));
        let planned = store.set_plan(customer, plan, existing, &act).await;
        assert_eq!(planned.unwrap().1.len(), usize::from(keys) + 2);
        count(
            8,
            "set_plan: customer and keys twice, numbers thrice, entries",
        );
    }
}
