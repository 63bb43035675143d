//! Plans of the queries among many rows, from the server's own log.

use std::fs;
use std::path::Path;

use chrono::TimeDelta;
use domain::audit::AuditFilter;
use domain::keys::{
    CountedKey, KeyBounds, KeyFilter, KeyId, KeyPrefix, KeyQuery, KeySort, RevokedKeys,
};
use domain::limits::Plan;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Cursor, Direction, PageRequest, PageSize};
use domain::people::customer::{Customer, CustomerId, ExistingKeys, Owner};
use domain::request::{RequestId, RequestQuery};
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use ports::contract::fixture::{act, customer, record};
use ports::outbound::{
    AuditLog, ChangeNumber, CustomerStore, DenyList, Fingerprint, KeyChange, KeyStore, Scope,
    UsageReader,
};
use store_seaorm::Retention;
use testkit::until;
use uuid::Uuid;

use crate::both::entries::{newest, now, successor};
use crate::postgres::auto_explain::ExplainedStore;
use crate::postgres::million_rows;
use crate::postgres::server::database_or_skip;

mod archive;
mod batches;
mod idempotency;
mod lookups;
mod webhooks;

fn md5_uuid(digits: &str) -> Uuid {
    Uuid::try_parse(digits).unwrap()
}

/// `md5('key' || 10000)`: a key of [`small_customer`].
fn own_key() -> KeyId {
    KeyId(md5_uuid("53ea207abc7764a41763d9e4a2da469f"))
}

/// `md5('1')`, who has ten keys.
fn small_customer() -> CustomerId {
    CustomerId(md5_uuid("c4ca4238a0b923820dcc509a6f75849b"))
}

/// `md5('2')`, who has 10,000 due lookups, and a batch with 10,000 rows.
fn busy_customer() -> CustomerId {
    CustomerId(md5_uuid("c81e728d9d4c2f636f067f89cc14862c"))
}

/// The owner of the `number`th customer.
fn owner(number: u16) -> Owner {
    Owner {
        issuer: "https://issuer.example".to_owned(),
        subject: format!("person {number}"),
    }
}

fn pages() -> [PageRequest; 2] {
    let first = PageRequest::first(PageSize::new(20).unwrap());
    let after = PageRequest {
        after: Some(Cursor::at(now() - TimeDelta::days(10), Uuid::nil())),
        ..first.clone()
    };
    [first, after]
}

/// For a prepared statement the server makes a plan for the values at hand, or, once it ran often, perhaps one
/// for any.
#[tokio::test(flavor = "multi_thread")]
async fn every_query_uses_an_index() {
    let database = database_or_skip!(with_server);
    million_rows::fill(&database).await;
    let server = database.0.server();
    let copy = ["--template", "postgres", "--strategy", "file_copy", "copy"];
    until("nobody is connected", || server.tool("createdb", &copy));
    through_an_index(&ExplainedStore::open(server, "postgres", "force_custom_plan").await).await;
    through_an_index(&ExplainedStore::open(server, "copy", "force_generic_plan").await).await;
}

async fn through_an_index(explained: &ExplainedStore<'_>) {
    requests(explained).await;
    lists(explained).await;
    usage(explained).await;
    single_rows(explained).await;
    mutations(explained).await;
    archive::archive(explained).await;
    idempotency::idempotency(explained).await;
    lookups::lookups(explained).await;
    batches::batches(explained).await;
    webhooks::webhooks(explained).await;
    pruning(explained).await;
}

/// A query that isn't checked here could be slow among many rows, and nowhere else.
#[test]
fn every_query_of_the_ports_is_checked() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = package.join("tests/system/postgres");
    let mut here = fs::read_to_string(tests.join("plans.rs")).unwrap();
    for file in fs::read_dir(tests.join("plans")).unwrap() {
        here += &fs::read_to_string(file.unwrap().path()).unwrap();
    }
    here.retain(|character| !character.is_whitespace());
    for (file, name) in [
        ("key_store", "KeyStore"),
        ("insight_store", "CustomerStore"),
        ("insight_store", "UsageReader"),
        ("insight_store", "AuditLog"),
        ("identity", "DenyList"),
        ("archive", "ProofArchive"),
        ("idempotency", "IdempotencyStore"),
        ("lookups", "LookupStore"),
        ("batches", "BatchStore"),
        ("webhooks", "WebhookStore"),
    ] {
        let port = package.join(format!("../../../ports/src/outbound/{file}.rs"));
        let port = fs::read_to_string(port).unwrap();
        let (_, port) = port.split_once(&format!("pub trait {name}:")).unwrap();
        let (port, _) = port.split_once("\n}").unwrap();
        for question in port.split("async fn ").skip(1) {
            let (question, _) = question.split_once('(').unwrap();
            let asked = here.contains(&format!("store.{question}("));
            assert!(asked, "{name}::{question} has no plan here");
        }
    }
}

async fn requests(explained: &ExplainedStore<'_>) {
    let (store, own) = (&explained.store, Scope::Of(small_customer()));
    for page in pages() {
        let all = RequestQuery { page, ..newest() };
        let of_key = RequestQuery {
            key: Some(own_key()),
            ..all.clone()
        };
        let rare = RequestQuery {
            criteria: RequestCriteria {
                endpoint: Some(Endpoint::Xml),
                outcome: Some(Outcome::BankTimeout),
            },
            ..all.clone()
        };
        let one = RequestQuery {
            request_id: Some(RequestId::parse("request-77").unwrap()),
            ..all.clone()
        };
        for (scope, query, index) in [
            (Scope::Everybody, &all, "requests_by_time"),
            (Scope::Everybody, &rare, "requests_by_time"),
            (Scope::Everybody, &of_key, "requests_of_a_key"),
            (Scope::Everybody, &one, "requests_by_request_id"),
            (own, &all, "requests_of_a_customer"),
            (own, &rare, "requests_of_a_customer"),
            (own, &of_key, "requests_of_a_key"),
            (own, &one, "requests_by_request_id"),
        ] {
            let list = store.requests(scope, query);
            explained.through(&[index], list).await;
        }
    }
}

async fn lists(explained: &ExplainedStore<'_>) {
    let (store, month) = (&explained.store, Month::of(now()));
    let own = Scope::Of(small_customer());
    for page in pages() {
        for (scope, order, index) in [
            (Scope::Everybody, KeySort::Created, "keys_by_time"),
            (Scope::Everybody, KeySort::Name, "keys_by_name"),
            (own, KeySort::Created, "keys_of_a_customer"),
        ] {
            let query = KeyQuery {
                filter: KeyFilter::default(),
                order,
                direction: Direction::Descending,
                page: page.clone(),
            };
            let list = store.list(scope, month, &query);
            explained.page_through(index, list).await;
        }
        let one_customer = AuditFilter {
            customer: Some(small_customer()),
            ..AuditFilter::default()
        };
        let one_key = AuditFilter {
            key: Some(own_key()),
            ..AuditFilter::default()
        };
        for (filter, index) in [
            (AuditFilter::default(), "audit_by_time"),
            (one_customer, "audit_of_a_customer"),
            (one_key, "audit_of_a_key"),
        ] {
            let list = store.audit(&filter, &page);
            explained.through(&[index], list).await;
        }
        let list = store.customers(None, month, &page);
        explained.page_through("customers_by_time", list).await;
    }
}

async fn usage(explained: &ExplainedStore<'_>) {
    let (own, all, key) = (
        Scope::Of(small_customer()),
        Scope::Everybody,
        Some(own_key()),
    );
    let (by_hour, by_day) = ("usage_hours_pkey", "customer_usage_days");
    for (scope, granularity, breakdown, key, index) in [
        (own, Granularity::Hour, Breakdown::Total, None, by_hour),
        (own, Granularity::Day, Breakdown::Key, None, by_hour),
        (own, Granularity::Day, Breakdown::Total, None, by_day),
        (all, Granularity::Hour, Breakdown::Outcome, key, by_hour),
    ] {
        let query = UsageQuery {
            period: Period::newest(3, granularity, now()).unwrap(),
            breakdown,
            key,
            criteria: RequestCriteria::default(),
        };
        let usage = explained.store.usage(scope, &query);
        explained.through(&[index], usage).await;
    }
}

async fn single_rows(explained: &ExplainedStore<'_>) {
    let (store, month, id) = (&explained.store, Month::of(now()), own_key());
    let keys = &["api_keys_pkey"];
    let prefix = KeyPrefix::parse("cep_live_00000007").unwrap();
    let credential = store.credential(&prefix);
    explained
        .through(&["api_keys_prefix_key"], credential)
        .await;
    let credentials = store.credentials(10);
    explained.through(&["keys_by_time"], credentials).await;
    let snapshot = store.snapshot(id, month);
    explained.through(&["monthly_use_pkey"], snapshot).await;
    // As many of these keys as lie among some hundreds, where that many are queried at once.
    let others = (0..29).map(|number| KeyId(Uuid::from_u128(number)));
    let many: Vec<_> = others.chain([id]).collect();
    let used = &["api_keys_pkey", "monthly_use_pkey"];
    let snapshots = store.snapshots(&many, month);
    explained.through(used, snapshots).await;
    let charge = store.charge(CountedKey::first(id), month, now());
    explained.through(used, charge).await;
    let found = store.find(Scope::Everybody, id, month);
    explained.through(keys, found).await;
    let (included, all) = (RevokedKeys::Included, PageRequest::first(PageSize::MAX));
    let own = store.of_customer(small_customer(), included, &all);
    explained.through(&["keys_of_a_customer"], own).await;
    let due = store.due(now());
    explained.through(&["keys_to_retire"], due).await;
    let news = store.changes(ChangeNumber(199_990));
    explained.through(&["key_changes_pkey"], news).await;
    let fingerprint = Fingerprint("0".repeat(64));
    let denied = store.is_denied(&fingerprint);
    explained.through(&["denied_pkey"], denied).await;
    let owner = owner(7);
    let customer = store.customer(&owner);
    let by_owner = &["customers_issuer_subject_key"];
    explained.through(by_owner, customer).await;
    explained.cheaply(store.is_empty()).await;
    explained.cheaply(store.newest_change()).await;
}

/// The rows that mutations write are found first.
async fn mutations(explained: &ExplainedStore<'_>) {
    let (store, id, own) = (&explained.store, own_key(), small_customer());
    let (scope, bounds) = (Scope::Of(own), KeyBounds::OfPlan);
    let (key, of_customer) = (&["api_keys_pkey"], &["keys_of_a_customer"]);
    let known = Customer {
        id: own,
        owner: owner(1),
        ..customer(1)
    };
    explained.cheaply(store.find_or_insert(&known)).await;
    // It has more keys than the other plan allows.
    let (plan, acts) = (Plan::Enterprise, [60, 1, 2, 3, 4].map(act));
    let planned = store.set_plan(own, plan, ExistingKeys::Keep, &acts[0]);
    planned.await.unwrap();
    let mut new = record(1);
    new.key.customer = own;
    let inserted = store.insert(new, bounds, &acts[1]);
    explained.through(of_customer, inserted).await;
    let (new, tomorrow) = (successor(2), now() + TimeDelta::days(1));
    let rotated = store.rotate(scope, id, &new, tomorrow, bounds, &acts[2]);
    explained.through(key, rotated).await;
    let changed = store.change(scope, id, &KeyChange::Revoke, &acts[3]);
    explained.through(key, changed).await;
    let planned = store.set_plan(own, plan, ExistingKeys::Follow, &acts[4]);
    explained.through(of_customer, planned).await;
    let denied = Fingerprint("f".repeat(64));
    explained.cheaply(store.deny(&denied, tomorrow)).await;
    explained.cheaply(store.end_sessions(now())).await;
    explained.cheaply(store.sessions_ended_at()).await;
}

async fn pruning(explained: &ExplainedStore<'_>) {
    let before = now() - TimeDelta::days(34);
    let old = Retention {
        requests_before: before,
        usage_before: before,
        archived_before: before,
        lookups_ended_before: before,
        now: now() + TimeDelta::milliseconds(100),
    };
    let indexes = &[
        "requests_by_time",
        "usage_hours_by_time",
        "Tid Scan on requests",
        "denied_by_time",
        "proof_archive_by_time",
        "idempotency_keys_by_time",
        "lookups_by_end",
        "webhook_deliveries_by_end",
        "Tid Scan on lookups",
    ];
    explained.through(indexes, explained.store.prune(old)).await;
}
