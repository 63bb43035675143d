//! Examples of the routes that need a session.

use std::time::Duration;

use application::{CreatedKey, Series, SeriesLabel, UsageReport};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{self, Action, AuditContext, AuditEntry};
use domain::keys::{ApiKey, FullKey, KeyId, KeyName, KeyOverview, MOST_NEW_KEYS};
use domain::latency::Latencies;
use domain::limits::{MonthlyUse, Plan};
use domain::month::Month;
use domain::outcome::Outcome;
use domain::page::{Cursor, Page};
use domain::people::customer::{Customer, CustomerId, CustomerOverview, Owner};
use domain::request::RequestId;
use domain::usage::{Granularity, Period, Totals};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;
use web::problem::FieldProblem;
use web::views;
use web::{BODY_DEADLINE, Problem};

use crate::MAX_BODY_BYTES;
use crate::keys::CreatedKeyView;
use crate::people::listing::Listing;

fn value(view: &impl Serialize) -> Value {
    serde_json::to_value(view).unwrap_or_default()
}

fn id(last: u128) -> Uuid {
    Uuid::from_u128(0x019a_a0b2_7d3e_7c55_8d3f_4be0_a3f6_0000 + last)
}

/// 20 November 2026, noon.
fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_176_000, 0).unwrap_or_default()
}

fn owner() -> Owner {
    Owner {
        issuer: "https://id.example".to_owned(),
        subject: "b1946ac9".to_owned(),
    }
}

fn secret() -> FullKey {
    FullKey::parse("cep_live_AbCd1234.EXAMPLEexample0123456789").expect("it has the shape of a key")
}

fn api_key() -> ApiKey {
    ApiKey {
        id: KeyId(id(1)),
        counters: KeyId(id(1)).into(),
        customer: CustomerId(id(9)),
        owner: owner(),
        name: KeyName::parse("caja 4").expect("it is short"),
        prefix: secret().prefix().clone(),
        limits: Plan::Startup.limits(),
        created_at: now() - TimeDelta::days(3),
        retires_at: None,
        revoked_at: None,
        last_used_at: Some(now() - TimeDelta::minutes(2)),
    }
}

fn used() -> MonthlyUse {
    MonthlyUse {
        charged: 412,
        refunded: 3,
    }
}

fn overview() -> KeyOverview {
    KeyOverview {
        key: api_key(),
        month: Month::of(now()),
        used: used(),
    }
}

fn customer() -> Customer {
    Customer {
        id: CustomerId(id(9)),
        owner: owner(),
        plan: Plan::Startup,
        created_at: now() - TimeDelta::days(30),
    }
}

fn page<T>(id: Uuid, item: T) -> Page<T> {
    Page {
        items: vec![(Cursor::at(now(), id), item)],
        has_next: true,
        total: Some(51),
    }
}

pub(super) fn created_key() -> Value {
    let created = CreatedKey {
        key: overview(),
        secret: secret(),
    };
    value(&CreatedKeyView::new(&created))
}

pub(super) fn key() -> Value {
    value(&views::keys::ApiKey::from(&api_key()))
}

pub(super) fn revoked_key() -> Value {
    value(&views::keys::ApiKey::from(&ApiKey {
        revoked_at: Some(now()),
        ..api_key()
    }))
}

pub(super) fn admin_key() -> Value {
    value(&views::keys::Key::from(&overview()))
}

pub(super) fn admin_keys() -> Value {
    value(&Listing::of(page(id(1), overview()), |key| {
        views::keys::Key::from(&key)
    }))
}

pub(super) fn account() -> Value {
    value(&views::people::Account::from(&customer()))
}

pub(super) fn accounts() -> Value {
    let overview = CustomerOverview {
        customer: customer(),
        active_keys: 2,
        month: Month::of(now()),
        used: used(),
    };
    value(&Listing::of(page(id(9), overview), |account| {
        views::people::Account::from(&account)
    }))
}

pub(super) fn usage() -> Value {
    let period = Period::newest(2, Granularity::Day, now()).expect("two days are few");
    let mut latencies = Latencies::default();
    latencies.record(Duration::from_millis(850));
    let mut totals = Totals::default();
    totals.add(Outcome::Delivered, 57, &latencies);
    totals.add(Outcome::BankTimeout, 1, &Latencies::default());
    let series = |outcome, counts: [u64; 2]| Series {
        label: SeriesLabel::Outcome(outcome),
        counts: counts.into(),
    };
    let report = UsageReport {
        slots: period.slots().collect(),
        series: vec![
            series(Outcome::Delivered, [41, 16]),
            series(Outcome::BankTimeout, [0, 1]),
        ],
        totals,
    };
    value(&views::usage::UsageReport::new(period, report))
}

pub(super) fn audit() -> Value {
    let after = ApiKey {
        revoked_at: Some(now()),
        ..api_key()
    };
    let entry = AuditEntry {
        act: AuditContext {
            id: id(5),
            at: now(),
            actor: owner(),
            request_id: RequestId::from_uuid(id(6)),
        },
        action: Action::KeyRevoked,
        customer: CustomerId(id(9)),
        key: Some(KeyId(id(1))),
        changes: audit::difference(&api_key(), &after),
    };
    value(&Listing::of(page(id(5), entry), |entry| {
        views::audit::AuditEntry::from(entry)
    }))
}

/// The problem of a session that sends too many requests.
pub(super) fn too_many_requests() -> Problem {
    Problem::TooManyRequests {
        limit: 30,
        retry_after: Duration::from_secs(1),
    }
}

/// Examples of a named error response, each with its own name.
pub(super) fn of(answer: &str) -> Vec<(&'static str, Problem)> {
    match answer {
        "FaultyInput" => vec![(
            "INVALID_REQUEST",
            Problem::invalid_field("name", FieldProblem::MalformedName),
        )],
        "Unauthenticated" => vec![("UNAUTHENTICATED", Problem::Unauthenticated)],
        "NoCredential" => vec![
            ("INVALID_API_KEY", Problem::InvalidApiKey),
            ("UNAUTHENTICATED", Problem::NoCredential),
        ],
        "CrossSite" => vec![("FORBIDDEN, cross_site", Problem::CrossSite)],
        "AdminsOnly" => vec![
            ("FORBIDDEN, admins_only", Problem::AdminsOnly),
            ("FORBIDDEN, cross_site", Problem::CrossSite),
        ],
        "NoSuchThing" => vec![("NOT_FOUND", Problem::NoSuchResource)],
        "Conflict" => vec![
            ("CONFLICT, too_many_keys", Problem::TooManyKeys { most: 10 }),
            ("CONFLICT, revoked", Problem::KeyRevoked),
        ],
        "SlowBody" => vec![(
            "REQUEST_TIMEOUT",
            Problem::RequestTimeout {
                deadline: BODY_DEADLINE,
            },
        )],
        "LargeBody" => vec![(
            "PAYLOAD_TOO_LARGE",
            Problem::PayloadTooLarge {
                max_bytes: MAX_BODY_BYTES,
            },
        )],
        "NoJson" => vec![("UNSUPPORTED_MEDIA_TYPE", Problem::UnsupportedMediaType)],
        "TooManyNewKeys" => vec![(
            "RATE_LIMIT_EXCEEDED, too_many_new_keys",
            Problem::TooManyNewKeys {
                most: MOST_NEW_KEYS,
                retry_after: Duration::from_mins(17),
            },
        )],
        "TooManyRequests" => vec![("RATE_LIMIT_EXCEEDED", too_many_requests())],
        "Fault" => vec![(
            "INTERNAL_ERROR",
            Problem::internal(&RequestId::from_uuid(id(6))),
        )],
        "NotNow" => vec![(
            "SERVICE_UNAVAILABLE",
            Problem::Unavailable {
                retry_after: Duration::from_secs(5),
            },
        )],
        _ => vec![],
    }
}

pub(super) fn own_account() -> Value {
    json!({
        "id": "019aa0b2-7d3e-7c55-8d3f-4be0a3f6c2d1",
        "name": "Ventas",
        "cuenta": "002010077777777771",
        "receptor": "40002",
        "banco": "BANAMEX",
        "added_at": "2026-11-20T12:00:00.000Z"
    })
}
