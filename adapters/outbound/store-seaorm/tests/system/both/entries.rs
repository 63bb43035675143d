//! Keys, lookups and journal entries of the tests, for either database.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::keys::{ApiKey, KeyBounds, KeyId};
use domain::lookups::{Attempt, LookupId};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{PageRequest, PageSize};
use domain::request::{RequestId, RequestQuery};
use domain::seals::SealVerdict;
use domain::usage::RequestCriteria;
use ports::contract::fixture::{act, customer, record};
use ports::outbound::{
    AdmissionEntry, ClaimEnd, CustomerStore, KeyChange, KeyRecord, KeyStore, Lease, LookupChange,
    RequestEntry, Scope, Successor, UpdateError,
};
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use store_seaorm::{Journal, Retention, Store};
use uuid::Uuid;

/// The journal of a process.
pub(crate) fn journal(store: &Store, process: u128) -> Journal {
    store.journal(Uuid::from_u128(process))
}

/// Adds a key of the first customer.
pub(crate) async fn add_key(store: &Store, number: u16) -> KeyId {
    store.find_or_insert(&customer(1)).await.unwrap();
    insert(store, record(number), number).await
}

/// Adds a key, as the `number`th mutation.
pub(crate) async fn insert(store: &Store, record: KeyRecord, number: u16) -> KeyId {
    let (id, act) = (record.key.id, act(number));
    let inserted = store.insert(record, KeyBounds::Unbounded, &act);
    inserted.await.unwrap();
    id
}

/// The `number`th key as the successor of another one.
pub(crate) fn successor(number: u16) -> Successor {
    let KeyRecord { key, credential } = record(number);
    Successor {
        prefix: key.prefix,
        credential,
    }
}

/// Changes a key, as the `number`th mutation.
pub(crate) async fn change(
    store: &Store,
    key: KeyId,
    change: &KeyChange,
    number: u16,
) -> Result<ApiKey, UpdateError> {
    let act = act(number);
    store.change(Scope::Everybody, key, change, &act).await
}

/// Revokes a key, as the `number`th mutation.
pub(crate) async fn revoke(store: &Store, key: KeyId, number: u16) -> Result<ApiKey, UpdateError> {
    change(store, key, &KeyChange::Revoke, number).await
}

pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

pub(crate) fn admission(key: KeyId) -> AdmissionEntry {
    AdmissionEntry {
        key,
        month: Month::of(now()),
        at: now(),
    }
}

pub(crate) fn request(number: u128, key: KeyId, outcome: Outcome) -> RequestEntry {
    let id = Uuid::from_u128(number);
    RequestEntry {
        id,
        request_id: RequestId::from_uuid(id),
        key,
        customer: customer(1).id,
        endpoint: Endpoint::Xml,
        outcome,
        banks: None,
        at: now(),
        duration: Duration::from_millis(1),
        bank_time: None,
        refund: outcome.is_refunded().then(|| Month::of(now())),
        delivered: Vec::new(),
        seal: None,
    }
}

/// A lease of a day.
pub(crate) fn lease(token: u128) -> Lease {
    Lease {
        token: Uuid::from_u128(token),
        until: now() + TimeDelta::days(1),
    }
}

/// The end of a claim after one attempt.
pub(crate) fn claim_end(id: LookupId, lease: Lease, change: LookupChange) -> ClaimEnd {
    ClaimEnd {
        id,
        token: lease.token,
        now: now(),
        attempt: Some(Attempt {
            at: now(),
            outcome: Outcome::Delivered,
        }),
        finding: None,
        question: None,
        change,
    }
}

/// The delivery of a proof with a valid seal.
pub(crate) fn delivery(bytes: usize) -> LookupChange {
    LookupChange::Deliver {
        proof: vec![7; bytes],
        seal: SealVerdict::Valid,
    }
}

/// Requests, newest first, at most 100 of them.
pub(crate) fn newest() -> RequestQuery {
    RequestQuery {
        key: None,
        criteria: RequestCriteria::default(),
        request_id: None,
        from: None,
        to: None,
        page: PageRequest::first(PageSize::MAX),
    }
}

/// A retention that keeps everything.
pub(crate) fn endless() -> Retention {
    Retention {
        requests_before: DateTime::UNIX_EPOCH,
        usage_before: DateTime::UNIX_EPOCH,
        archived_before: DateTime::UNIX_EPOCH,
        lookups_ended_before: DateTime::UNIX_EPOCH,
        now: DateTime::UNIX_EPOCH,
    }
}

/// The number that a query returns.
pub(crate) async fn number(connection: &DatabaseConnection, sql: &str) -> i64 {
    let query = Statement::from_string(connection.get_database_backend(), sql);
    let row = connection.query_one_raw(query).await.unwrap();
    row.unwrap().try_get_by_index(0).unwrap()
}

/// Asserts that each of some statements is refused for one of these reasons, and that the audit log still has the
/// entry of the first key.
pub(crate) async fn assert_log_is_kept(
    connection: &DatabaseConnection,
    tamperings: &[&str],
    reasons: &[&str],
) {
    for tampering in tamperings {
        let refused = connection.execute_unprepared(tampering).await;
        let refused = refused.expect_err(tampering).to_string();
        let is_reason = reasons.iter().any(|reason| refused.contains(reason));
        assert!(is_reason, "{tampering}: {refused}");
    }
    let untouched = "SELECT COUNT(*) FROM audit_log WHERE actor_subject = 'actor-1' AND at > 0";
    assert_eq!(number(connection, untouched).await, 1);
}

/// Use of a key this month: charged and refunded.
pub(crate) async fn used(store: &Store, key: KeyId) -> (u64, u64) {
    let snapshot = store.snapshot(key, Month::of(now())).await.unwrap();
    let used = snapshot.unwrap().used;
    (used.charged, used.refunded)
}
