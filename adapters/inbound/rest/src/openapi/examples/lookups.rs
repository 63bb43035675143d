//! Examples of stored lookups.

use chrono::{DateTime, TimeDelta, Utc};
use domain::key::{Environment, KeyId};
use domain::lookup::{Attempt, LookupId, LookupState, Metadata, RetryFor};
use domain::outcome::Outcome;
use ports::inbound::LookupView;
use serde_json::{Value, json};
use uuid::Uuid;
use web::Language;

use super::inferred;
use crate::lookups::views::LookupBody;

/// A lookup whose proof isn't issued yet.
pub(super) fn waiting() -> Value {
    serde_json::to_value(LookupBody::new(&lookup(), Language::Spanish)).unwrap_or_default()
}

/// A page with that lookup.
pub(super) fn page() -> Value {
    let listed = LookupView {
        history: None,
        ..lookup()
    };
    let listed = serde_json::to_value(LookupBody::new(&listed, Language::Spanish)).unwrap_or_default();
    json!({ "items": [listed], "next": null, "total": null })
}

fn lookup() -> LookupView {
    let created_at = created_at();
    let attempt = Attempt {
        at: created_at + TimeDelta::seconds(2),
        outcome: Outcome::NotIssued,
    };
    let pair = ("pedido".to_owned(), "A-1042".to_owned());
    let retry_for = TimeDelta::from_std(RetryFor::DEFAULT.duration());
    LookupView {
        id: LookupId(Uuid::from_u128(0x019a_a0b2_7d3e_7c55_8d3f_4be0_a3f6_c2d1)),
        key: KeyId(Uuid::from_u128(0x019a_a0a1_3c52_7f10_9b44_1d2e_6f70_8a91)),
        environment: Environment::Live,
        state: LookupState::Waiting,
        created_at,
        updated_at: attempt.at,
        retry_until: created_at + retry_for.unwrap_or_default(),
        erased_at: None,
        attempts: 1,
        last_attempt: Some(attempt),
        history: Some(vec![attempt]),
        next_attempt_at: Some(attempt.at + TimeDelta::minutes(1)),
        queue: None,
        batch: None,
        inferred: inferred(),
        metadata: Metadata::new(vec![pair]).unwrap_or_default(),
        seal: None,
        delivery: None,
    }
}

/// 20 November 2026.
fn created_at() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_132_800, 0).unwrap_or_default()
}
