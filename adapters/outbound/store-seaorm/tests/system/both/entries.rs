//! Journal entries and keys of the tests, for either database.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::key::{KeyBounds, KeyId};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::request::RequestId;
use ports::contract::fixture::{act, customer, record};
use ports::outbound::{AdmissionEntry, CustomerStore, KeyStore, RequestEntry};
use store_seaorm::{Journal, Store};
use uuid::Uuid;

/// The journal of a process.
pub(crate) fn journal(store: &Store, process: u128) -> Journal {
    store.journal(Uuid::from_u128(process))
}

/// Adds a key of the first customer.
pub(crate) async fn add_key(store: &Store, number: u16) -> KeyId {
    store.find_or_insert(&customer(1)).await.unwrap();
    let record = record(number);
    let id = record.key.id;
    store
        .insert(record, KeyBounds::Unbounded, &act(number))
        .await
        .unwrap();
    id
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

/// Use of a key this month: charged and refunded.
pub(crate) async fn used(store: &Store, key: KeyId) -> (u64, u64) {
    let snapshot = store.snapshot(key, Month::of(now())).await.unwrap();
    let used = snapshot.unwrap().used;
    (used.charged, used.refunded)
}
