//! Plans of the queries among many rows, from the server's own log.

use chrono::TimeDelta;
use domain::audit::AuditFilter;
use domain::customer::{Customer, CustomerId, ExistingKeys, Owner};
use domain::key::{
    CountedKey, Credential, KeyBounds, KeyFilter, KeyId, KeyPrefix, KeyQuery, KeySort, RevokedKeys,
};
use domain::limits::Plan;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Cursor, Direction, PageRequest, PageSize};
use domain::request::{RequestId, RequestQuery};
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use ports::contract::fixture::{act, customer, record};
use ports::outbound::{
    AuditLog, ChangeNumber, CustomerStore, DenyList, Fingerprint, KeyChange, KeyRecord, KeyStore,
    Scope, Successor, UsageReader,
};
use store_seaorm::Retention;
use testkit::until;
use uuid::Uuid;

use crate::postgres::auto_explain::{ExplainedStore, assert_reads_little, assert_uses};
use crate::postgres::million_rows;
use crate::postgres::server::database_or_skip;
use crate::postgres::support::now;

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

/// `md5('2')`, who has 10,000 due lookups.
fn busy_customer() -> CustomerId {
    CustomerId(md5_uuid("c81e728d9d4c2f636f067f89cc14862c"))
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
    let here = [
        include_str!("plans.rs"),
        include_str!("plans/archive.rs"),
        include_str!("plans/batches.rs"),
        include_str!("plans/idempotency.rs"),
        include_str!("plans/lookups.rs"),
        include_str!("plans/webhooks.rs"),
    ]
    .concat();
    let here: String = here.split_whitespace().collect();
    for (ports, traits) in [
        (
            include_str!("../../../../../../ports/src/outbound/key_store.rs"),
            &["KeyStore"][..],
        ),
        (
            include_str!("../../../../../../ports/src/outbound/insight_store.rs"),
            &["CustomerStore", "UsageReader", "AuditLog"],
        ),
        (
            include_str!("../../../../../../ports/src/outbound/identity.rs"),
            &["DenyList"],
        ),
        (
            include_str!("../../../../../../ports/src/outbound/archive.rs"),
            &["ProofArchive"],
        ),
        (
            include_str!("../../../../../../ports/src/outbound/idempotency.rs"),
            &["IdempotencyStore"],
        ),
        (
            include_str!("../../../../../../ports/src/outbound/lookups.rs"),
            &["LookupStore"],
        ),
        (
            include_str!("../../../../../../ports/src/outbound/batches.rs"),
            &["BatchStore"],
        ),
        (
            include_str!("../../../../../../ports/src/outbound/webhooks.rs"),
            &["WebhookStore"],
        ),
    ] {
        for name in traits {
            let (_, port) = ports.split_once(&format!("pub trait {name}:")).unwrap();
            let (port, _) = port.split_once("\n}").unwrap();
            for question in port.split("async fn ").skip(1) {
                let (question, _) = question.split_once('(').unwrap();
                let asked = here.contains(&format!("store.{question}("));
                assert!(asked, "{name}::{question} has no plan here");
            }
        }
    }
}

async fn requests(explained: &ExplainedStore<'_>) {
    let own = Scope::Of(small_customer());
    for page in pages() {
        let all = RequestQuery {
            key: None,
            criteria: RequestCriteria::default(),
            request_id: None,
            from: None,
            to: None,
            page,
        };
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
            let plan = explained.plan(explained.store.requests(scope, query)).await;
            assert_uses(&plan, index);
        }
    }
}

async fn lists(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let month = Month::of(now());
    for page in pages() {
        for (scope, order, index) in [
            (Scope::Everybody, KeySort::Created, "keys_by_time"),
            (Scope::Everybody, KeySort::Name, "keys_by_name"),
            (
                Scope::Of(small_customer()),
                KeySort::Created,
                "keys_of_a_customer",
            ),
        ] {
            let query = KeyQuery {
                filter: KeyFilter::default(),
                order,
                direction: Direction::Descending,
                page: page.clone(),
            };
            let plan = explained.plan(store.list(scope, month, &query)).await;
            // The page; the total is counted separately, through the smallest index.
            let page = plan
                .split("Query Text")
                .find(|part| part.contains("Limit  ("));
            let page = page.unwrap();
            assert_uses(page, index);
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
            assert_uses(&explained.plan(store.audit(&filter, &page)).await, index);
        }
    }
}

async fn usage(explained: &ExplainedStore<'_>) {
    let query = |granularity, breakdown, key| UsageQuery {
        period: Period::newest(3, granularity, now()).unwrap(),
        breakdown,
        key,
        criteria: RequestCriteria::default(),
    };
    let (own, key) = (Scope::Of(small_customer()), Some(own_key()));
    for (scope, query, index) in [
        (
            own,
            query(Granularity::Hour, Breakdown::Total, None),
            "usage_hours_pkey",
        ),
        (
            own,
            query(Granularity::Day, Breakdown::Key, None),
            "usage_hours_pkey",
        ),
        (
            own,
            query(Granularity::Day, Breakdown::Total, None),
            "customer_usage_days",
        ),
        (
            Scope::Everybody,
            query(Granularity::Hour, Breakdown::Outcome, key),
            "usage_hours_pkey",
        ),
    ] {
        let plan = explained.plan(explained.store.usage(scope, &query)).await;
        assert_uses(&plan, index);
    }
}

async fn single_rows(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let month = Month::of(now());
    let prefix = KeyPrefix::parse("cep_live_00000007").unwrap();
    assert_uses(
        &explained.plan(store.credential(&prefix)).await,
        "api_keys_prefix_key",
    );
    assert_uses(&explained.plan(store.credentials(10)).await, "keys_by_time");
    assert_uses(
        &explained.plan(store.snapshot(own_key(), month)).await,
        "monthly_use_pkey",
    );
    // As many of these keys as lie among some hundreds, where that many are queried at once.
    let others = (0..29).map(|number| KeyId(Uuid::from_u128(number)));
    let many: Vec<_> = others.chain([own_key()]).collect();
    let plan = explained.plan(store.snapshots(&many, month)).await;
    assert_uses(&plan, "api_keys_pkey");
    assert_uses(&plan, "monthly_use_pkey");
    let charged = explained
        .plan(store.charge(CountedKey::first(own_key()), month, now()))
        .await;
    assert_uses(&charged, "api_keys_pkey");
    assert_uses(&charged, "monthly_use_pkey");
    let found = store.find(Scope::Everybody, own_key(), month);
    assert_uses(&explained.plan(found).await, "api_keys_pkey");
    let included = RevokedKeys::Included;
    let own = explained
        .plan(store.of_customer(
            small_customer(),
            included,
            &PageRequest::first(PageSize::MAX),
        ))
        .await;
    assert_uses(&own, "keys_of_a_customer");
    assert_uses(&explained.plan(store.due(now())).await, "keys_to_retire");
    let news = explained.plan(store.changes(ChangeNumber(199_990))).await;
    assert_uses(&news, "key_changes_pkey");
    let fingerprint = Fingerprint("0".repeat(64));
    assert_uses(
        &explained.plan(store.is_denied(&fingerprint)).await,
        "denied_pkey",
    );
    let owner = Owner {
        issuer: "https://issuer.example".to_owned(),
        subject: "person 7".to_owned(),
    };
    let customer = explained.plan(store.customer(&owner)).await;
    assert_uses(&customer, "customers_issuer_subject_key");
}

/// The rows that mutations write are found first.
async fn mutations(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let month = Month::of(now());
    for page in pages() {
        let customers = explained.plan(store.customers(None, month, &page)).await;
        let page = customers
            .split("Query Text")
            .find(|part| part.contains("Limit  ("));
        assert_uses(page.unwrap(), "customers_by_time");
    }
    assert_reads_little(&explained.plan(store.is_empty()).await);
    assert_reads_little(&explained.plan(store.newest_change()).await);
    let known = Customer {
        id: small_customer(),
        owner: Owner {
            issuer: "https://issuer.example".to_owned(),
            subject: "person 1".to_owned(),
        },
        ..customer(1)
    };
    let enrolled = explained
        .plan(async { store.find_or_insert(&known).await.unwrap() })
        .await;
    assert_reads_little(&enrolled);
    let KeyRecord {
        mut key,
        credential,
    } = record(1);
    key.customer = small_customer();
    let successor = Successor {
        prefix: KeyPrefix::parse("cep_live_successo").unwrap(),
        credential: credential.clone(),
    };
    let record = KeyRecord { key, credential };
    let (scope, tomorrow) = (Scope::Of(small_customer()), now() + TimeDelta::days(1));
    // It has more keys than the other plan allows.
    let (plan, existing) = (Plan::Enterprise, ExistingKeys::Keep);
    let planning = act(60);
    let planned = store.set_plan(small_customer(), plan, existing, &planning);
    planned.await.unwrap();
    let inserted = explained.plan(async {
        store
            .insert(record, KeyBounds::OfPlan, &act(1))
            .await
            .unwrap();
    });
    assert_uses(&inserted.await, "keys_of_a_customer");
    let revocation = KeyChange::Revoke;
    let rotation = async {
        let successor = Successor {
            credential: Credential {
                id: KeyId(Uuid::from_u128(77)),
                ..successor.credential
            },
            ..successor
        };
        store
            .rotate(
                scope,
                own_key(),
                &successor,
                tomorrow,
                KeyBounds::OfPlan,
                &act(2),
            )
            .await
            .unwrap()
    };
    assert_uses(&explained.plan(rotation).await, "api_keys_pkey");
    let changed = explained.plan(async {
        store
            .change(scope, own_key(), &revocation, &act(3))
            .await
            .unwrap()
    });
    assert_uses(&changed.await, "api_keys_pkey");
    let planned = explained.plan(async {
        store
            .set_plan(
                small_customer(),
                Plan::Enterprise,
                ExistingKeys::Follow,
                &act(4),
            )
            .await
            .unwrap()
    });
    assert_uses(&planned.await, "keys_of_a_customer");
    let denied = Fingerprint("f".repeat(64));
    assert_reads_little(
        &explained
            .plan(async { store.deny(&denied, tomorrow).await.unwrap() })
            .await,
    );
}

async fn pruning(explained: &ExplainedStore<'_>) {
    let old = Retention {
        requests_before: now() - TimeDelta::days(34),
        usage_before: now() - TimeDelta::days(34),
        archived_before: now() - TimeDelta::days(34),
        lookups_ended_before: now() - TimeDelta::days(34),
        now: now() + TimeDelta::milliseconds(100),
    };
    let plan = explained.plan(explained.store.prune(old)).await;
    assert_uses(&plan, "requests_by_time");
    for index in [
        "usage_hours_by_time",
        "Tid Scan on requests",
        "denied_by_time",
        "proof_archive_by_time",
        "idempotency_keys_by_time",
        "lookups_by_end",
        "webhook_deliveries_by_end",
        "Tid Scan on lookups",
    ] {
        assert_uses(&plan, index);
    }
}
