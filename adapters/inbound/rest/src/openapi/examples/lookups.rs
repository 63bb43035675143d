//! Example bodies and errors of the routes of stored lookups.

use std::sync::Arc;

use application::LookupView;
use chrono::{DateTime, TimeDelta, Utc};
use domain::account::Account;
use domain::amount::Amount;
use domain::keys::{Environment, KeyId};
use domain::lookups::{Attempt, LookupId, LookupState, Metadata, RetryFor};
use domain::outcome::Outcome;
use domain::payment::PaymentState;
use domain::query::ProofQuery;
use domain::tracking_key::TrackingKey;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{LANGUAGE, date, inferred, payment};
use crate::lookups::views::LookupBody;

/// A lookup whose proof isn't issued yet.
pub(super) fn waiting() -> Value {
    lookup().map(|lookup| body(&lookup)).unwrap_or_default()
}

/// A page of the list with the waiting lookup.
pub(super) fn page() -> Value {
    let listed = lookup().map(|lookup| {
        body(&LookupView {
            history: None,
            ..lookup
        })
    });
    json!({ "items": [listed], "next": null, "total": null })
}

fn body(lookup: &LookupView) -> Value {
    serde_json::to_value(LookupBody::new(lookup, LANGUAGE)).unwrap_or_default()
}

/// The query data of the example request.
fn question() -> Option<ProofQuery> {
    Some(ProofQuery {
        date: date(11, 20),
        criterion: TrackingKey::parse("MBAN01002611200001234567").ok()?.into(),
        account: Account::parse("002010077777777771").ok()?,
        others: Vec::new(),
        completion: None,
        amount: Amount::from_centavos(123_456)?,
        issuer: None,
        receiver: None,
    })
}

fn lookup() -> Option<LookupView> {
    let created_at = created_at();
    let attempt = Attempt {
        at: created_at + TimeDelta::seconds(2),
        outcome: Outcome::NotIssued,
    };
    let pair = ("pedido".to_owned(), "A-1042".to_owned());
    let retry_for = TimeDelta::from_std(RetryFor::DEFAULT.duration());
    Some(LookupView {
        id: LookupId(Uuid::from_u128(0x019a_a0b2_7d3e_7c55_8d3f_4be0_a3f6_c2d1)),
        key: KeyId(Uuid::from_u128(0x019a_a0a1_3c52_7f10_9b44_1d2e_6f70_8a91)),
        environment: Environment::Live,
        state: LookupState::Waiting,
        created_at,
        updated_at: attempt.at,
        retry_until: created_at + retry_for.unwrap_or_default(),
        erase_at: None,
        attempts: 1,
        last_attempt: Some(attempt),
        history: Some(vec![attempt]),
        next_attempt_at: Some(attempt.at + TimeDelta::minutes(1)),
        queue: None,
        batch: None,
        question: question()?,
        inferred: inferred(),
        unresolved: None,
        payment: Some(payment(PaymentState::Settled)),
        candidates: Arc::default(),
        hints: Vec::new(),
        metadata: Metadata::new(vec![pair]).unwrap_or_default(),
        seal: None,
        delivery: None,
    })
}

/// 20 November 2026.
fn created_at() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_132_800, 0).unwrap_or_default()
}
