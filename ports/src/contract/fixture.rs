//! Customers, keys and mutations for the suites.

use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::AuditContext;
use domain::batches::{BatchId, RowCounts, RowNumber};
use domain::keys::{ApiKey, Credential, HashGeneration, KeyHash, KeyId, KeyName, KeyPrefix};
use domain::limits::{Limits, LimitsChange, Plan};
use domain::lookups::LookupId;
use domain::month::Month;
use domain::pacing::LookupClass;
use domain::page::{Cursor, PageRequest, PageSize};
use domain::people::customer::{Customer, CustomerId, Owner};
use domain::request::RequestId;
use uuid::Uuid;

use crate::outbound::*;

/// The `number`th customer, first seen `number` milliseconds after noon.
pub fn customer(number: u16) -> Customer {
    Customer {
        id: CustomerId(id(1, number)),
        owner: Owner {
            issuer: "https://issuer.example".to_owned(),
            subject: format!("subject-{number}"),
        },
        plan: Plan::Startup,
        created_at: instant(number),
    }
}

/// The `number`th key, owned by the first customer.
pub fn record(number: u16) -> KeyRecord {
    record_of(&customer(1), number)
}

/// The `number`th key, owned by a customer.
pub fn record_of(customer: &Customer, number: u16) -> KeyRecord {
    let id = KeyId(id(2, number));
    let key = ApiKey {
        id,
        counters: id.into(),
        customer: customer.id,
        owner: customer.owner.clone(),
        name: name(&format!("Llave «{number}» 🔑")),
        prefix: prefix(number),
        limits: limits(60, Some(1_000)),
        created_at: instant(number),
        retires_at: None,
        revoked_at: None,
        last_used_at: None,
    };
    let credential = Credential {
        id,
        counters: id.into(),
        customer: customer.id,
        hash: KeyHash(std::array::from_fn(|place| {
            place.to_le_bytes()[0].wrapping_mul(37)
        })),
        generation: HashGeneration(number),
    };
    KeyRecord { key, credential }
}

/// The `number`th mutation's context, `number` milliseconds after noon, in a request of its own. No
/// two mutations share one.
pub fn act(number: u16) -> AuditContext {
    AuditContext {
        id: id(3, number),
        at: instant(number),
        actor: Owner {
            issuer: "https://issuer.example".to_owned(),
            subject: format!("actor-{number}"),
        },
        request_id: RequestId::parse(&format!("request-{number}")).expect("an id of the suite"),
    }
}

/// The `number`th lookup of a key, created `number` milliseconds after noon, for which nobody waits.
pub fn lookup_of(key: &ApiKey, number: u16) -> NewLookup {
    let alike = batch_of(key, number, 0).facts;
    NewLookup {
        facts: facts(id(4, number), alike.created_at, &alike),
        question: format!("question {number}").into_bytes(),
        claim: None,
    }
}

/// A lookup of the key of a batch, which isn't in it.
fn facts(id: Uuid, created_at: DateTime<Utc>, batch: &BatchFacts) -> LookupFacts {
    LookupFacts {
        id: LookupId(id),
        customer: batch.customer,
        key: batch.key,
        environment: batch.environment,
        class: LookupClass::Background,
        request_id: RequestId::from_uuid(id),
        month: month(),
        created_at,
        retry_until: created_at + TimeDelta::days(1),
        generation: batch.generation,
        batch: None,
    }
}

/// The `number`th batch of a key, created `number` milliseconds after noon, of so many rows.
pub fn batch_of(key: &ApiKey, number: u16, rows: u32) -> NewBatch {
    let batch = BatchId(id(5, number));
    NewBatch {
        facts: BatchFacts {
            id: batch,
            customer: key.customer,
            key: key.counted(),
            environment: key.prefix.environment(),
            request_id: RequestId::from_uuid(batch.0),
            created_at: instant(number),
            counts: RowCounts {
                rows,
                faulty: 0,
                duplicates: 0,
            },
            generation: HashGeneration(number),
        },
        content: format!("content {number}").into_bytes(),
        chunks: vec![format!("rows {number}").into_bytes()],
        claim: None,
    }
}

/// The lookup of a row of a batch, created a second after the batch.
pub fn row_of(batch: &NewBatch, row: u16) -> RowLookup {
    let batch = &batch.facts;
    let id = Uuid::from_u128(batch.id.0.as_u128() + (1 << 56) + (u128::from(row) << 8));
    let created_at = batch.created_at + TimeDelta::seconds(1);
    RowLookup {
        facts: LookupFacts {
            batch: Some(BatchRow {
                batch: batch.id,
                row: RowNumber(row.into()),
            }),
            ..facts(id, created_at, batch)
        },
        question: format!("question {row}").into_bytes(),
    }
}

/// The `number`th id of a kind. Ordered by number, and far enough apart that an adapter may
/// generate others in between.
fn id(kind: u128, number: u16) -> Uuid {
    Uuid::from_u128(
        0x0198_f3c2_0000_7000_8000_0000_0000_0000 + (u128::from(number) << 32) + (kind << 56),
    )
}

/// A live key's prefix for an even number, a test key's for an odd one.
pub(super) fn prefix(number: u16) -> KeyPrefix {
    let environment = if number.is_multiple_of(2) {
        "live"
    } else {
        "test"
    };
    let prefix = format!("cep_{environment}_Suite{number:03}");
    KeyPrefix::parse(&prefix).expect("a prefix of the suite")
}

pub(super) fn name(text: &str) -> KeyName {
    KeyName::parse(text).expect("a name of the suite")
}

pub(super) fn limits(per_minute: u32, monthly_quota: Option<u64>) -> Limits {
    Limits::new(per_minute, monthly_quota).expect("limits of the suite")
}

pub(super) fn per_minute(number: u32) -> LimitsChange {
    LimitsChange::new(Some(number), None).expect("a change of the suite")
}

pub(super) fn monthly_quota(quota: Option<u64>) -> LimitsChange {
    LimitsChange::new(None, Some(quota)).expect("a change of the suite")
}

pub(super) fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_795_262_400_123).expect("an instant of the suite")
}

/// `number` milliseconds after noon.
pub(super) fn instant(number: u16) -> DateTime<Utc> {
    noon() + TimeDelta::milliseconds(i64::from(number))
}

pub(super) fn month() -> Month {
    Month::of(noon())
}

/// A cursor of a list that isn't ordered by instants.
pub(super) fn foreign_cursor() -> Cursor {
    Cursor {
        value: "caja".to_owned(),
        id: id(2, 1),
    }
}

/// A request for a page of `items`.
pub(super) fn page_of(items: u32) -> PageRequest {
    PageRequest::first(PageSize::new(items).expect("a length of the suite"))
}

/// A request for a page of `items` after a cursor.
pub(super) fn page_after(cursor: Cursor, items: u32) -> PageRequest {
    PageRequest {
        after: Some(cursor),
        ..page_of(items)
    }
}
